"""An agent on another machine: a Runner over its desktop, and its commands and files.

Ours runs every operation itself. For any other, an engine on our side works with what its contract offers.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar, cast

from ..adapters.foreign.agent import AgentAdapter
from ..engine.session import Session
from ..model import codec
from ..model.deadline import lost, timeout_of
from ..model.errors import (
    AppGone,
    Cancelled,
    ConnectFailed,
    DownloadFailed,
    InvalidParams,
    InvalidRequest,
    UiBusy,
    Unauthorized,
    UploadFailed,
)
from ..model.operations import Cancel, Done, Download, Execute, Executed, Operation, Shutdown, Upload
from ..protocols.agent import client as protocol
from ..protocols.agent.client import Health
from ..transports.calls import Abandoned, HttpCalls
from ..transports.interface import CannotConnect, ChannelClosed
from . import transfer
from .targets import agent_address
from .transfer import Progress

__tracebackhide__ = True  # pytest then shows the line of the test that failed, and nothing of ours below it

R = TypeVar("R")
T = TypeVar("T")

_READ = 30.0
"""How long another agent's snapshot may take: some read a desktop element by element."""


class Agent:
    """An agent that can be reached. Thread-safe; a Runner."""

    def __init__(self, address: str, *, token: str | None = None, timeout: float = 5.0) -> None:
        """Ask who is there; `timeout` is for that, in seconds."""
        self.address = address
        host, port = agent_address(address)
        self._calls = HttpCalls(host, port, token=token, timeout=timeout)
        self._timeout = timeout
        self._reached = False
        self._as_json: bool | None = False
        """Which form of files it knows; None until one of them worked."""
        self._session: Session | None = None
        try:
            found = self.health()
        except BaseException:
            self._calls.close()
            raise
        if found.deskhand is None:
            self._as_json = None
            self._session = Session(AgentAdapter(self._call, platform=found.platform), ui_timeout=_READ)

    def run(self, operation: Operation[R], cancel: Cancel | None = None) -> R:
        """Run one operation there; raises what it raised there."""
        return cast("R", self._run(operation, cancel))

    def close(self) -> None:
        """Let go of the agent, which goes on."""
        self._calls.close()

    def health(self) -> Health:
        """How it is."""
        with self._told("/health"):
            answer = self._calls.call("GET", "/health", timeout=self._timeout)
        try:
            health = protocol.decode_health(answer.status, answer.body)
        except Unauthorized as error:
            error.target = self.address
            if answer.status == 403:
                error.suggestions = ("start it there with --allow-host NAME, or use its IP address",)
            raise
        except InvalidRequest as error:
            raise ConnectFailed(
                f"there is no agent at {self.address}: {error.message}", target=self.address
            ) from None
        self._reached = True
        return health

    def upload(
        self,
        local: str | PathLike[str],
        remote: str,
        progress: Progress | None = None,
        cancel: Cancel | None = None,
    ) -> int:
        """Send a file there, into the directory if `remote` ends with a slash; how many bytes it has."""
        if remote.endswith(("/", "\\")):
            remote += Path(local).name
        return self._carried(
            "/upload",
            lambda as_json: transfer.upload(
                self._calls, local, remote, as_json=as_json, progress=progress, cancel=cancel
            ),
        )

    def download(
        self,
        remote: str,
        local: str | PathLike[str],
        progress: Progress | None = None,
        cancel: Cancel | None = None,
    ) -> int:
        """Fetch a file from there, into `local` if that is a directory; how many bytes it has."""
        path = Path(local)
        if path.is_dir():
            path /= re.split(r"[/\\]", remote)[-1]
        return self._carried(
            "/download",
            lambda as_json: transfer.download(
                self._calls, remote, path, as_json=as_json, progress=progress, cancel=cancel
            ),
        )

    # -- operations ----------------------------------------------------------------------------------

    def _run(self, operation: Operation[Any], cancel: Cancel | None) -> object:
        match operation:
            case Execute():
                return self._execute(operation, cancel)
            case Upload(path=remote, content=content):
                file, size = io.BytesIO(content), len(content)
                send = transfer.send
                self._carried(
                    "/upload",
                    lambda as_json: send(self._calls, file, size, remote, as_json=as_json, cancel=cancel),
                )
                return Done(detail=f"{size} bytes")
            case Download(path=remote):
                return self._carried("/download", lambda as_json: self._fetched(remote, as_json, cancel))
            case Shutdown():
                return Done(detail=self._act("/shutdown", {}, lost(0.0), cancel))
        if self._session is not None:
            return self._session.run(operation, cancel)
        name, params = codec.encode_operation(operation)
        limit = lost(timeout_of(operation))
        status, body = self._post(protocol.PREFIX + name, params, limit, cancel)
        return protocol.decode_result(operation, status, body)

    def _execute(self, operation: Execute, cancel: Cancel | None) -> Executed:
        if operation.timeout <= 0:
            raise InvalidParams("'timeout' must be more than 0 seconds", field="timeout")
        params = {
            "command": operation.command,
            "timeout": _whole(operation.timeout),
            "detach": operation.detach,
        }
        limit = lost(0.0 if operation.detach else operation.timeout)
        return protocol.decode_executed(*self._post("/exec", params, limit, cancel))

    def _fetched(self, remote: str, as_json: bool, cancel: Cancel | None) -> bytes:
        with transfer.receive(self._calls, remote, as_json=as_json, cancel=cancel) as (pieces, _):
            return b"".join(pieces)

    # -- requests ------------------------------------------------------------------------------------

    def _call(self, path: str, params: Mapping[str, Any], timeout: float) -> Any:
        """What the adapter asks another agent."""
        status, body = self._post(path, params, timeout, None)
        if path in ("/windows", "/snapshot", "/inspect"):
            return protocol.decode(path, status, body)
        return protocol.decode_action(path, status, body)

    def _act(self, path: str, params: Mapping[str, Any], timeout: float, cancel: Cancel | None) -> str | None:
        return protocol.decode_action(path, *self._post(path, params, timeout, cancel))

    def _post(
        self, path: str, params: Mapping[str, Any], timeout: float, cancel: Cancel | None
    ) -> tuple[int, bytes]:
        with self._told(path):
            answer = self._calls.call("POST", path, protocol.encode(params), timeout=timeout, cancel=cancel)
        return answer.status, answer.body

    def _carried(self, path: str, carry: Callable[[bool], T]) -> T:
        """Carry a file in the form that the agent knows, which for some is found out by the first file."""
        with self._told(path):
            try:
                carried = carry(bool(self._as_json))
            except transfer.Refused as refused:
                if self._as_json is not None or isinstance(refused.error, Unauthorized):
                    raise refused.error from None
                # Fallback: an agent of the older form takes the newer one for a wrong request.
                try:
                    carried = carry(True)
                except transfer.Refused as again:
                    errors = (refused.error, again.error)
                    about_files = (
                        error for error in errors if isinstance(error, (UploadFailed, DownloadFailed))
                    )
                    raise next(about_files, refused.error) from None
                self._as_json = True
            else:
                self._as_json = bool(self._as_json)
        return carried

    @contextmanager
    def _told(self, path: str) -> Iterator[None]:
        """Turn what goes wrong on the way into errors that say what to do."""
        try:
            yield
        except Abandoned:
            raise Cancelled("the caller went away") from None
        except TimeoutError as error:
            if self._reached:
                raise UiBusy(f"no answer to {path}: {error}", target=self.address) from None
            raise self._unreachable(
                str(error), "see whether the machine is up, and its firewall lets this port through"
            ) from None
        except CannotConnect as error:
            raise self._unreachable(
                str(error), "start it there: deskhand agent (and see which address it binds)"
            ) from None
        except ChannelClosed as error:
            if failed := {"/upload": UploadFailed, "/download": DownloadFailed}.get(path):
                raise failed(str(error), target=self.address) from None
            raise self._unreachable(str(error)) from None

    def _unreachable(self, reason: str, *suggestions: str) -> ConnectFailed | AppGone:
        if self._reached:
            return AppGone(f"the agent is gone: {reason}", target=self.address)
        return ConnectFailed(reason, target=self.address, suggestions=suggestions)


def _whole(number: float) -> float:
    """A whole number as one, for agents that take no other."""
    return int(number) if number == int(number) else number
