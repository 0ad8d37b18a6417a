"""A connection to the agent inside a JVM: requests out, answers and news of changes in."""

from __future__ import annotations

import os
import socket
import struct
import threading
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from itertools import count
from json import JSONDecoder, JSONEncoder
from typing import Any

from ...model.deadline import carried
from ...model.errors import AppGone, ConnectFailed, DeskhandError, UiBusy, Unauthorized
from ...model.uncollected import uncollected

_loads: Callable[[bytes], Any]
try:
    _loads = import_module("orjson").loads
except ImportError:
    # Fallback: without orjson the standard library reads the same, slower.
    _decode = JSONDecoder().decode

    def _loads(data: bytes) -> Any:
        return _decode(data.decode())


_encode = JSONEncoder(separators=(",", ":")).encode
_LENGTHS = struct.Struct(">II")
_CONNECTS = 5.0
_LONGEST = 1 << 30
_CHANGED = b'{"changed"'


class Link:
    """One connection, shared by all threads. A thread of its own reads."""

    def __init__(self, address: str, secret: str | None, pid: int | None) -> None:
        self.pid = pid
        self.changed: Callable[[], None] | None = None
        """Called by the reading thread after each change, while subscribed."""
        self._numbers = count(1)
        self._waiting: dict[int, _Answer] = {}
        self._lock = threading.Lock()
        self._closed = False
        self._socket = _connect(address, pid)
        if secret is not None:
            self._send({"secret": secret})
        self._thread = threading.Thread(target=self._read, name="javafx-link", daemon=True)
        self._thread.start()

    def ask(self, what: str, timeout: float, **parameters: Any) -> Any:
        """What the agent answers; raises the error that it tells, UiBusy at the deadline, AppGone."""
        return self.ask_data(what, timeout, **parameters)[0]

    def ask_data(self, what: str, timeout: float, **parameters: Any) -> tuple[Any, bytes]:
        """The same with the data that belong to the answer."""
        number = next(self._numbers)
        answer = self._waiting[number] = _Answer()
        if self._closed:
            raise self._gone()
        self._send({"id": number, "ask": what, "timeout": timeout, **parameters})
        if not answer.came.wait(carried(timeout)):
            self._waiting.pop(number, None)
            raise UiBusy(
                f"the JVM did not answer within {timeout:.3g} s",
                suggestions=("see whether the process is stopped or busy collecting garbage",),
            )
        if answer.text is None:
            gone = self._gone()
            if what == "perform":
                # A program that ends by an action may do so before the agent can answer.
                gone.details["performed"] = True
            raise gone
        with uncollected():
            reply = _loads(answer.text)
        if (error := reply.get("error")) is not None:
            raise DeskhandError.from_json(error)
        return reply["ok"], answer.data

    def close(self) -> None:
        """Hang up; the agent goes on listening."""
        self._closed = True
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        if threading.current_thread() is not self._thread:
            self._thread.join(2)
        self._socket.close()

    def _send(self, message: dict[str, Any]) -> None:
        text = _encode(message).encode()
        try:
            with self._lock:
                self._socket.sendall(_LENGTHS.pack(len(text), 0) + text)
        except OSError:
            raise self._gone() from None

    # -- the reading thread ----------------------------------------------------------------------

    def _read(self) -> None:
        try:
            while True:
                text_length, data_length = _LENGTHS.unpack(self._receive(_LENGTHS.size))
                if text_length + data_length > _LONGEST:
                    break
                text = self._receive(text_length)
                data = bytes(self._receive(data_length)) if data_length else b""
                self._deliver(bytes(text), data)
        except (OSError, EOFError):
            pass  # reported to all waiting calls, below
        self._closed = True
        while self._waiting:
            with suppress(KeyError):
                self._waiting.popitem()[1].came.set()

    def _deliver(self, text: bytes, data: bytes) -> None:
        if text.startswith(_CHANGED):
            if (changed := self.changed) is not None:
                changed()
            return
        # An answer begins with its number; the rest is read by the thread that waits for it.
        number = int(text[len('{"id":') : text.index(b",")])
        answer = self._waiting.pop(number, None)
        if answer is not None:
            answer.text, answer.data = text, data
            answer.came.set()

    def _receive(self, length: int) -> bytearray:
        received = bytearray(length)
        view = memoryview(received)
        at = 0
        while at < length:
            size = self._socket.recv_into(view[at:])
            if size == 0:
                raise EOFError
            at += size
        return received

    def _gone(self) -> AppGone:
        who = "the JVM" if self.pid is None else f"the JVM in process {self.pid}"
        return AppGone(
            f"{who} has ended, or closed the connection",
            suggestions=("start the program again",),
            pid=self.pid,
        )


class _Answer:
    """The answer that a call waits for."""

    def __init__(self) -> None:
        self.came = threading.Event()
        self.text: bytes | None = None
        self.data = b""


def _connect(address: str, pid: int | None) -> socket.socket:
    """By the path of a Unix socket, or by `HOST:PORT`."""
    host, _, port = address.rpartition(":")
    is_path = "/" in address or not port.isdigit()
    channel = socket.socket(socket.AF_UNIX if is_path else socket.AF_INET)
    channel.settimeout(_CONNECTS)
    try:
        channel.connect(address if is_path else (host, int(port)))
        if is_path:
            _insist_on_ours(channel, address, pid)
        else:
            channel.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except OSError as error:
        channel.close()
        raise ConnectFailed(
            f"the agent for JavaFX cannot be reached at {address}: {error.strerror or error}", target=address
        ) from None
    except BaseException:
        channel.close()
        raise
    channel.settimeout(None)
    return channel


def _insist_on_ours(channel: socket.socket, address: str, pid: int | None) -> None:
    """Raise Unauthorized if another user, or another process than the one that is meant, listens there."""
    option = getattr(socket, "SO_PEERCRED", None)
    if option is None:
        return
    there, user, _ = struct.unpack("3i", channel.getsockopt(socket.SOL_SOCKET, option, struct.calcsize("3i")))
    # In a container the process has another number, and the system tells 0.
    if user != os.geteuid():
        who = f"user {user}"
    elif pid is not None and there not in (0, pid):
        who = f"process {there}"
    else:
        return
    raise Unauthorized(
        f"{address} should be the socket of our agent, but {who} listens there",
        target=address,
        suggestions=("see who put it there, and start the program again",),
    )
