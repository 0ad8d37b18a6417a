"""An engine of our own over a server of the Orca protocol, such as OrcaSlicer has."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from functools import partial
from typing import Any

from ..adapters.foreign.orca import OrcaAdapter
from ..engine.session import Session
from ..model.deadline import carried
from ..model.errors import (
    AppGone,
    ConnectFailed,
    DeskhandError,
    Disabled,
    InvalidRequest,
    NotConnected,
    ParseError,
    UiBusy,
    Unauthorized,
)
from ..protocols.orca.client import PATH, Version, decode_reply, decode_version, encode_call
from ..transports.calls import Answer, HttpCalls
from .orca_events import Bell
from .targets import orca_address

__tracebackhide__ = True  # pytest then shows the line of the test that failed, and nothing of ours below it

_LOAD = 120.0
"""How long a program may take to open files, in seconds."""


class OrcaSession(Session):
    """An engine over a server of the Orca protocol."""

    def __init__(self, address: str, *, token: str | None = None, timeout: float = 5.0) -> None:
        """Ask who is there; `timeout` is for that, in seconds."""
        calls = Calls(address, token, timeout)
        version = calls.version(timeout)
        bell = Bell(address, token, timeout)
        adapter = OrcaAdapter(
            calls, version=version.version, subscribe=bell.subscribe, ours=lambda: bell.there
        )
        super().__init__(adapter)
        self.file_open = partial(adapter.open_files, timeout=_LOAD)
        self.view_select = partial(adapter.select_view, timeout=self.ui_timeout)
        self.viewport3d = partial(adapter.viewport3d, timeout=self.ui_timeout)
        self._calls = calls
        self._bell = bell

    def close(self) -> None:
        super().close()
        self._bell.close()
        self._calls.close()


class Calls:
    """Calls methods of a server, one at a time, each on a connection of its own: such servers want it so."""

    def __init__(self, address: str, token: str | None, timeout: float) -> None:
        self._address = address
        host, port = orca_address(address)
        self._http = HttpCalls(host, port, token=token, timeout=timeout, keep=False)
        self._lock = threading.Lock()
        self._reached = False
        self._closed = False

    def __call__(self, method: str, params: Mapping[str, Any], timeout: float) -> Any:
        """Call a method that may take so long itself; gives its result or raises a DeskhandError."""
        number, message = encode_call(method, params)
        deadline = time.monotonic() + carried(timeout)
        if not self._lock.acquire(timeout=carried(timeout)):
            raise UiBusy(
                f"the server was busy with another request for {timeout:g} s, and takes one at a time",
                target=self._address,
            )
        try:
            if self._closed:
                raise NotConnected("this app was closed; connect again", target=self._address)
            answer = self._post(method, message, deadline - time.monotonic())
        finally:
            self._lock.release()
        return self._decoded(method, number, answer)

    def version(self, timeout: float) -> Version:
        """Who is there; ConnectFailed if it does not speak Orca."""
        try:
            result = self("automation.version", {}, timeout)
        except (AppGone, ConnectFailed, Disabled, UiBusy, Unauthorized):
            raise
        except DeskhandError as error:
            raise self._no_orca(error.message) from None
        version = decode_version(result)
        if version is None:
            raise self._no_orca(f"it answered {str(result)[:200]} to automation.version")
        return version

    def close(self) -> None:
        """Let go of the server, which goes on."""
        self._closed = True
        self._http.close()

    def _post(self, method: str, message: bytes, timeout: float) -> Answer:
        try:
            answer = self._http.call("POST", PATH, message, timeout=max(timeout, 0.01))
        except TimeoutError as error:
            if self._reached:
                raise UiBusy(f"no answer to {method}: {error}", target=self._address) from None
            raise ConnectFailed(str(error), target=self._address) from None
        except OSError as error:
            if self._reached:
                raise AppGone(f"the app is gone: {error}", target=self._address) from None
            raise ConnectFailed(
                str(error),
                target=self._address,
                suggestions=("start the program with --automation-server, or by deskhand run --orca",),
            ) from None
        self._reached = True
        return answer

    def _decoded(self, method: str, number: int, answer: Answer) -> Any:
        if answer.status in (401, 403):
            said = answer.body[:500].decode("utf-8", "replace").strip()
            raise Unauthorized(f"{self._address} refuses us: {said}", target=self._address)
        if answer.status != 200:
            raise InvalidRequest(f"it answered HTTP {answer.status} to {method}")
        try:
            return decode_reply(method, number, answer.body)
        except ParseError as error:
            raise InvalidRequest(f"the reply to {method} is not JSON: {error.message}") from None

    def _no_orca(self, reason: str) -> ConnectFailed:
        return ConnectFailed(
            f"there is no server of the Orca protocol at {self._address}: {reason}", target=self._address
        )
