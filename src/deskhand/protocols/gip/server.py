"""The GUI Instrumentation Protocol, server side: messages become operations and back. No I/O here.

The document's own methods, `qt_*` extensions, and every operation of the core as `deskhand_<operation>`.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any, NamedTuple

from ...model import codec
from ...model.alike import alike, did_you_mean
from ...model.errors import (
    DeskhandError,
    InvalidParams,
    InvalidRequest,
    NotConnected,
    ParseError,
    UnknownMethod,
)
from ...model.operations import OPERATIONS, Cancel, Operation, Runner
from ..jsontext import dumps, id_of, loads_request
from ..results import encode_result
from ..wirelog import WireLog
from .errors import to_core, to_gip
from .methods import METHODS, PREFIX, Call, read_params
from .snapshot import SnapshotEncoder


class GipServer:
    """Speaks GIP for one runner; `conversation` fits every transport."""

    def __init__(
        self, runner: Runner | None, *, names: Iterable[str] = (), log: WireLog | None = None
    ) -> None:
        """`names` are further names that `connect` takes as its target, such as the app's registered name.

        Without a runner every method but ping answers 4, not connected.
        """
        self.runner = runner
        self.names = frozenset(names)
        self.log = log
        self.snapshots = SnapshotEncoder()

    def conversation(self, transport: str, url: str, peer: str) -> Conversation:
        """A new connection; give this method to a transport's server."""
        return Conversation(self, transport, url, peer)


class _Request(NamedTuple):
    method: str
    params: Any
    id: Any
    legacy: bool
    """Without `jsonrpc`, as older clients ask; they read only `result`, so failures go there."""


_NO_ID = object()


class Conversation:
    """One connection: whether it is connected, since when, and how to answer its messages."""

    def __init__(self, server: GipServer, transport: str, url: str, peer: str) -> None:
        self.transport = transport
        self.url = url
        self.connected = True
        """A server inside the program is connected to it from the start; only `disconnect` ends that."""
        self.names = server.names
        self.snapshots = server.snapshots
        self._runner = server.runner
        self._log = server.log
        self._peer = peer
        self._since = time.monotonic()

    @property
    def uptime(self) -> float:
        return time.monotonic() - self._since

    def handle(self, message: bytes, cancel: Cancel | None = None) -> bytes | None:
        """Answer one message; None for a notification. Never raises."""
        reply = self._handle(message, cancel)
        if reply is not None and self._log is not None:
            self._log.write(self._peer, "out", reply)
        return reply

    def refuse(self, reason: str) -> bytes:
        """The answer to a message that the transport could not read."""
        reply = _failed(ParseError(reason), "Parse error", None)
        if self._log is not None:
            self._log.note(self._peer, "in", reason)
            self._log.write(self._peer, "out", reply)
        return reply

    def close(self) -> None:
        """The peer is gone."""
        self.connected = False

    # -- the envelope --------------------------------------------------------------------------

    def _handle(self, message: bytes, cancel: Cancel | None) -> bytes | None:
        try:
            data = loads_request(message)
        except ParseError as error:
            if self._log is not None:
                self._log.note(self._peer, "in", f"{len(message)} bytes: {error.message}")
            return _failed(error, "Parse error", None)
        if self._log is not None:
            self._log.write_request(self._peer, data, self._runner)
        try:
            request = _read(data, message)
        except InvalidRequest as error:
            number = id_of(data, message)
            return _failed(error, "Invalid request", number if _is_id(number) else None)
        if request.id is _NO_ID:
            # No client waits for the answer, so a disconnect does not end it.
            self._answer(request, None)
            return None
        return self._answer(request, cancel)

    def _answer(self, request: _Request, cancel: Cancel | None) -> bytes:
        try:
            return _succeeded(request, self._call(request, cancel))
        except DeskhandError as error:
            return self._failure(request, error)
        except Exception as error:
            import logging  # which takes some milliseconds, and is needed for this alone

            logging.getLogger("deskhand").exception("%s failed", request.method)
            return self._failure(request, DeskhandError(f"{type(error).__name__}: {error}"))

    def _call(self, request: _Request, cancel: Cancel | None) -> bytes:
        method, params = request.method, request.params
        if not isinstance(params, dict):
            raise InvalidParams("'params' must be an object", field="params")
        if method == "ping":
            return dumps({"status": "ok", "timestamp": int(time.time()), "uptime": round(self.uptime, 3)})
        if method == "disconnect":
            self.connected = False
            return b'{"success":true}'
        operation = _operation(method)
        if operation is None and method not in METHODS:
            raise _unknown(method)
        if self._runner is None:
            raise NotConnected("this server has no application")
        if not self.connected and method != "connect":
            raise NotConnected("this connection was disconnected", suggestions=("call connect first",))
        if operation is not None:
            wanted: Operation[Any] = codec.decode(operation, params)
            return encode_result(self._runner.run(wanted, cancel))
        kind, function = METHODS[method]
        return function(Call(self._runner, self, cancel), read_params(kind, params))

    def _failure(self, request: _Request, error: DeskhandError) -> bytes:
        if _operation(request.method) is not None:
            described = to_core(error)
        else:
            params = request.params if isinstance(request.params, dict) else {}
            described = to_gip(error, request.method, params)
        if request.id is _NO_ID:
            return b""
        if not request.legacy:
            return dumps({"jsonrpc": "2.0", "error": described, "id": request.id}, str)
        message = described["message"]
        if isinstance(error, UnknownMethod):
            message = f"Unknown method: {request.method[:100]}"
        result = {"success": False, "error": message, "code": described["code"]}
        return dumps({"id": request.id, "result": {**result, "data": described["data"]}}, str)


def _read(data: Any, message: bytes) -> _Request:
    """The request in a message; InvalidRequest says what is wrong with it."""
    if isinstance(data, list):
        raise InvalidRequest("a message is one object; send the requests of a batch one by one")
    if not isinstance(data, dict):
        raise InvalidRequest("a message is an object")
    version = data.get("jsonrpc", _NO_ID)
    if version is not _NO_ID and version != "2.0":
        raise InvalidRequest("'jsonrpc' must be \"2.0\"")
    method = data.get("method")
    if not isinstance(method, str):
        raise InvalidRequest("'method' must be a string")
    number = id_of(data, message) if "id" in data else _NO_ID
    if number is not _NO_ID and not _is_id(number):
        raise InvalidRequest("'id' must be a string or a number")
    params = data.get("params")
    if params is None or params == []:
        params = {}
    return _Request(method, params, number, version is _NO_ID)


def _operation(method: str) -> type[Operation[Any]] | None:
    return OPERATIONS.get(method[len(PREFIX) :]) if method.startswith(PREFIX) else None


def _is_id(id: Any) -> bool:
    return isinstance(id, (str, int, float)) and not isinstance(id, bool)


def _unknown(method: str) -> UnknownMethod:
    known = ["ping", "disconnect", *METHODS, *(PREFIX + name for name in OPERATIONS)]
    near = alike(method[:100], known)
    suggestions = did_you_mean(near[:1])
    return UnknownMethod(f"Method not found: {method[:100]}", near=near, suggestions=suggestions)


def _succeeded(request: _Request, result: bytes) -> bytes:
    if request.id is _NO_ID:
        return b""
    number = dumps(request.id)
    if request.legacy:
        return b"".join((b'{"id":', number, b',"result":', result, b"}"))
    # Joined, because formatting takes a millisecond for a result of three megabytes.
    return b"".join((b'{"jsonrpc":"2.0","result":', result, b',"id":', number, b"}"))


def _failed(error: DeskhandError, title: str, id: Any) -> bytes:
    """The answer to a message that is not a request, for which there is only one shape."""
    described = to_gip(error, "", {})
    described["message"] = f"{title}: {error.message}"
    return dumps({"jsonrpc": "2.0", "error": described, "id": id}, str)
