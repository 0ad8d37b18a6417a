"""What WebDriver's sessions need around them: time, XPath, files, and the end of abandoned sessions."""

from __future__ import annotations

import base64
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from ..model import operations as ops
from ..model.errors import ActionUnsupported, UiBusy
from ..model.operations import Cancel, Operation, Runner
from ..protocols.webdriver.errors import WebDriverError, refusal
from ..protocols.webdriver.server import WebDriverServer
from ..protocols.webdriver.session import App
from ..protocols.wirelog import WireLog
from ..transports.bearer import Bearers
from ..transports.rest import RestServer
from .xpath import XPath

if TYPE_CHECKING:
    from ..protocols.agent.files import Machine

R = TypeVar("R")

STATUS = "/status"
_LOOK = 0.5
"""How often abandoned sessions are looked for, in seconds."""
_SLICE = 0.05
"""How long a pause goes on after its client went away, in seconds."""


class WebDriverEndpoint:
    """WebDriver at an HTTP address, from its making until `close`."""

    def __init__(
        self,
        host: str,
        port: int,
        make: Callable[[Tools], Callable[[], WebDriverServer]],
        *,
        token: str | Bearers | None = None,
        hosts: tuple[str, ...] = (),
        origins: tuple[str, ...] = (),
        other_users: bool = False,
        log: WireLog | None = None,
    ) -> None:
        """`make` gives the server for the client that is served now; pages of `origins` may be clients.

        Raises AddressInUse or BadAddress.
        """
        self._tools = Tools()
        self._made: set[WebDriverServer] = set()
        self._ended = threading.Event()
        current = make(self._tools)

        def server() -> WebDriverServer:
            found = current()
            self._made.add(found)
            return found

        server()
        self._rest = RestServer(
            host,
            port,
            lambda request, cancel: server().handle(request, cancel),
            token=token,
            hosts=hosts,
            origins=origins,
            open_paths=(STATUS, f"/wd/hub{STATUS}"),
            refusal=refusal,
            other_users=other_users,
            log=log,
        )
        self.url = self._rest.url
        threading.Thread(target=self._expire, name="webdriver-idle", daemon=True).start()

    def close(self) -> None:
        """Stop serving, and end all sessions."""
        self._ended.set()
        self._rest.close()
        for server in list(self._made):
            server.close()
        self._tools.close()

    def _expire(self) -> None:
        while not self._ended.wait(_LOOK):
            for server in list(self._made):
                server.expire()


class Tools:
    """Time and XPath for sessions."""

    def __init__(self) -> None:
        self._xpath = XPath()

    def xpath(self, document: str, expression: str, context: int, timeout: float) -> list[int]:
        return self._xpath(document, expression, context, timeout)

    def until_found(
        self, attempt: Callable[[], tuple[list[R], int]], app: App, timeout: float, cancel: Cancel
    ) -> list[R]:
        """What an attempt finds, tried again whenever the app's tree changed, until the time is up."""
        deadline = time.monotonic() + timeout
        while True:
            found, revision = attempt()
            left = deadline - time.monotonic()
            if found or left <= 0 or cancel.is_set():
                return found
            # An app that is busy for a moment may still show what is waited for.
            with suppress(UiBusy):
                app.run(ops.WaitChange(revision, timeout=left), cancel)

    def pause(self, seconds: float, cancel: Cancel) -> None:
        until = time.monotonic() + seconds
        while not cancel.is_set() and (left := until - time.monotonic()) > 0:
            time.sleep(min(left, _SLICE))  # a pause is what the client asked for

    def close(self) -> None:
        self._xpath.close()


class Only:
    """Gives every session the one app that is served."""

    def __init__(self, runner: Runner, name: str, *, desktop: bool = False) -> None:
        self._app = Running(runner, name, desktop=desktop)

    def open(self, _: Mapping[str, Any], __: Cancel) -> App:
        return self._app

    def free(self) -> bool:
        return True


class Running:
    """An app that runs by itself: a session neither starts nor ends it."""

    def __init__(
        self, runner: Runner, id: str, *, desktop: bool = False, close: Callable[[], None] | None = None
    ) -> None:
        """`close` lets go of it."""
        self.id = id
        self.desktop = desktop
        self._runner = runner
        self._close = close

    def run(self, operation: Operation[R], cancel: Cancel | None = None) -> R:
        return self._runner.run(operation, cancel)

    def state(self, id: str) -> int:
        """4 if it is in front, 3 if it runs, 1 if not."""
        return state_of(self._runner) if id == self.id else 1

    def activate(self, id: str) -> None:
        if id != self.id:
            raise ActionUnsupported(f"this session is about '{self.id}', not about '{id[:100]}'")
        self._runner.run(ops.ControlWindow(do="focus"))

    def terminate(self, id: str) -> bool:
        raise ActionUnsupported(f"'{id[:100]}' was not started by this session, and is not ended by it")

    def launch(self, command: Sequence[str]) -> int:
        raise ActionUnsupported(f"{command[0]!r} cannot be started here: use `deskhand webdriver`")

    def close(self) -> None:
        if self._close is not None:
            self._close()


def state_of(runner: Runner) -> int:
    """Whether an app runs, in Appium's numbers."""
    from ..model.errors import DeskhandError

    try:
        windows = runner.run(ops.ListWindows())
    except DeskhandError:
        return 1
    return 4 if any(window.focused for window in windows) else 3


class Files:
    """Files of this machine, for clients that may write and read them."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def push(self, given: Mapping[str, Any]) -> None:
        payload = given.get("payload", given.get("data"))
        if not isinstance(payload, str):
            raise WebDriverError("invalid argument", "'payload' must be Base64")
        try:
            data = base64.b64decode(payload)
        except ValueError:
            raise WebDriverError("invalid argument", "'payload' must be Base64") from None
        with self._machine.receive(_path(given)) as file:
            file.write(data)
            file.finish()

    def pull(self, given: Mapping[str, Any]) -> str:
        return base64.b64encode(b"".join(self._machine.send(_path(given)))).decode()


def _path(given: Mapping[str, Any]) -> str:
    found = given.get("remotePath", given.get("path"))
    if not isinstance(found, str) or not found:
        raise WebDriverError("invalid argument", "'path' must name a file")
    return found
