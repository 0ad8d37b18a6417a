"""The apps of WebDriver sessions: each on a private desktop, as many at once as there are slots."""

from __future__ import annotations

import configparser
import contextlib
import os
import shlex
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from ..desktop import session as desktops
from ..desktop.private import Desktop
from ..launching import launcher
from ..launching.ending import Concluded
from ..model import operations as ops
from ..model.errors import AppGone, InvalidParams, LaunchFailed, NotFound
from ..model.operations import Cancel, Operation, Runner
from ..processes import registry
from ..protocols.webdriver.capabilities import PAGE_LOAD, size
from ..protocols.webdriver.session import App
from ..serving.remote import Remote
from ..serving.webdriver import Running, state_of
from .targets import app_target, open_outside

R = TypeVar("R")

ROOT = "Root"
"""What `appium:app` calls the desktop."""
_SIZE = "1280x800"
_LOOK = 0.1
"""How often a session that waits for a slot looks whether its client is still there, in seconds."""
_NOT_RUNNING = 1


class Slots:
    """Opens apps for sessions, a limited number at once."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._used = 0
        self._changed = threading.Condition()

    def free(self) -> bool:
        """Whether a session could be opened now."""
        return self._used < self.count

    def open(self, wanted: Mapping[str, Any], cancel: Cancel) -> App:
        """The app that capabilities name, once a slot is free; LaunchFailed if none is in time.

        The time is the `pageLoad` of the capability `timeouts`, by default that of every start.
        """
        timeout = launcher.TIMEOUT
        if PAGE_LOAD in (timeouts := wanted.get("timeouts", {})):
            given = timeouts[PAGE_LOAD]
            timeout = ops.LONGEST if given is None else min(given / 1000, ops.LONGEST)
        deadline = time.monotonic() + timeout
        with self._changed:
            while self._used >= self.count:
                left = deadline - time.monotonic()
                if left <= 0 or cancel.is_set():
                    raise LaunchFailed(
                        f"all {self.count} slots are in use, and none became free within {timeout:g} s",
                        suggestions=("end other sessions, or start the server with more --slots",),
                    )
                self._changed.wait(min(left, _LOOK))
            self._used += 1
        try:
            return _opened(wanted, max(deadline - time.monotonic(), 0.0), self._release)
        except BaseException:
            self._release()
            raise

    def _release(self) -> None:
        with self._changed:
            self._used -= 1
            self._changed.notify()


class OwnDesktop:
    """A private desktop with an app, or with none, which ends with the session."""

    def __init__(
        self,
        id: str,
        command: Sequence[str] | None,
        *,
        env: Mapping[str, str],
        size: tuple[int, int],
        timeout: float,
        release: Callable[[], None],
    ) -> None:
        """Without a command, the desktop itself is driven. `release` is called when it has ended."""
        self.id = id
        self.desktop = command is None
        self._command = command
        self._timeout = timeout
        self._lock = threading.Lock()
        self._stack = contextlib.ExitStack()
        self._app = contextlib.ExitStack()
        self._runner: Runner | None = None
        with contextlib.ExitStack() as stack:
            self._place = stack.enter_context(Desktop(size, env=env))
            if command is None:
                self._runner = desktops.session(env=self._place.env)
                stack.callback(self._runner.close)
            else:
                self._start(command)
            stack.callback(self._end_app)
            self._stack.push(stack.pop_all())
        self._release: Callable[[], None] | None = release

    def run(self, operation: Operation[R], cancel: Cancel | None = None) -> R:
        runner = self._runner
        if runner is None:
            raise AppGone(f"'{self.id}' was terminated", suggestions=("activate it to start it again",))
        return runner.run(operation, cancel)

    def state(self, id: str) -> int:
        runner = self._runner
        return _NOT_RUNNING if id != self.id or runner is None else state_of(runner)

    def activate(self, id: str) -> None:
        """Start the app again if it does not run; otherwise bring it to the front."""
        self._insist(id)
        with self._lock:
            if self.state(id) == _NOT_RUNNING and self._command is not None:
                self._end_app()
                self._start(self._command)
                return
        self.run(ops.ControlWindow(do="focus"))

    def terminate(self, id: str) -> bool:
        self._insist(id)
        with self._lock:
            ran = self.state(id) != _NOT_RUNNING
            self._end_app()
        return ran

    def launch(self, command: Sequence[str]) -> int:
        launched = launcher.start(command, desktop=self._place, timeout=self._timeout)
        self._stack.callback(launched.close)
        return launched.pid

    def close(self) -> None:
        """End the desktop with everything on it; does nothing the second time."""
        with self._lock:
            release, self._release = self._release, None
        if release is None:
            return
        try:
            self._stack.close()
        finally:
            release()

    def _insist(self, id: str) -> None:
        if id != self.id:
            raise InvalidParams(f"this session is about '{self.id}', not about '{id[:100]}'", field="appId")

    def _start(self, command: Sequence[str]) -> None:
        with contextlib.ExitStack() as stack:
            launched = launcher.start(command, desktop=self._place, timeout=self._timeout)
            stack.callback(launched.close)
            runner: Runner | None = launched.runner
            if runner is None:
                runner = Remote(f"unix:{launched.control}").open()
                stack.callback(runner.close)
            # An action that ends its app, such as closing the window, has succeeded.
            self._runner = Concluded(runner, launched)
            self._app = stack.pop_all()

    def _end_app(self) -> None:
        self._runner = None
        self._app.close()


def _opened(wanted: Mapping[str, Any], timeout: float, release: Callable[[], None]) -> App:
    app = wanted.get("appium:app")
    attach = wanted.get("deskhand:attach")
    if attach is None and "deskhand:command" not in wanted and str(app).isdecimal():
        attach = app  # a process id, as KDE's driver takes it
    if attach is not None:
        return _attached(attach, timeout, release)
    command = wanted.get("deskhand:command")
    if command is None and app is None:
        raise InvalidParams(
            "the capabilities name no app",
            field="appium:app",
            suggestions=("give appium:app, deskhand:command or deskhand:attach",),
        )
    if command is None and app == ROOT and os.environ.get("DISPLAY"):
        runner = desktops.session()
        return Running(runner, ROOT, desktop=True, close=_both(runner.close, release))
    id_ = str(app) if app is not None else shlex.join(command or ())
    if command is None and app != ROOT:
        command = command_of(str(app))
    environment = {name: str(value) for name, value in wanted.get("appium:environ", {}).items()}
    wide_and_high = size(wanted.get("deskhand:size", _SIZE))
    return OwnDesktop(id_, command, env=environment, size=wide_and_high, timeout=timeout, release=release)


def _attached(attach: Any, timeout: float, release: Callable[[], None]) -> Running:
    name = str(attach)
    pid = int(name) if name.isdecimal() else None
    try:
        where = app_target(None if pid is not None else name, pid=pid)
    except NotFound:
        if pid is None:
            raise
        entered = launcher.attach(pid, timeout=timeout)
        runner = entered.runner or Remote(f"unix:{entered.entry.control}").open()
        return Running(runner, name, close=_both(runner.close, release))
    opened: Runner
    if where.outside:
        opened = open_outside(where, timeout)
    else:
        opened = Remote(f"unix:{registry.app(where.name, pid=where.pid).control}").open()
    return Running(opened, name, close=_both(opened.close, release))


def _both(first: Callable[[], None], second: Callable[[], None]) -> Callable[[], None]:
    once = threading.Lock()

    def close() -> None:
        if once.acquire(blocking=False):
            try:
                first()
            finally:
                second()

    return close


def command_of(app: str) -> list[str]:
    """The command that `appium:app` stands for: a command line, or the name of a .desktop file."""
    if app.endswith(".desktop"):
        return _from_desktop_file(app)
    try:
        command = shlex.split(app)
    except ValueError as error:
        raise InvalidParams(f"'{app}' is not a command line: {error}", field="appium:app") from None
    if not command:
        raise InvalidParams("'appium:app' is empty", field="appium:app")
    return command


def _from_desktop_file(name: str) -> list[str]:
    folders = [
        os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local/share"),
        *(os.environ.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share").split(":"),
    ]
    files = [Path(name)] if "/" in name else [Path(folder, "applications", name) for folder in folders]
    file = next((each for each in files if each.is_file()), None)
    if file is None:
        raise NotFound(f"no desktop file '{name}' in {', '.join(map(str, files))}", target=name)
    parser = configparser.RawConfigParser(strict=False)
    parser.optionxform = str  # type: ignore[assignment,method-assign]  # its keys are case-sensitive
    try:
        parser.read(file, encoding="utf-8")
        command = shlex.split(parser["Desktop Entry"]["Exec"])
    except (configparser.Error, KeyError, ValueError) as error:
        raise LaunchFailed(f"{file} has no command to start: {error}", target=name) from None
    # What a file manager would fill in: files, the icon, the name.
    return [part.replace("%%", "%") for part in command if not (len(part) == 2 and part[0] == "%" != part[1])]


class NoApp:
    """A Runner for a server that has no app itself, only its sessions have."""

    def run(self, _: Operation[R], __: Cancel | None = None) -> R:
        raise AppGone("no app is served here: open a session")

    def close(self) -> None:
        pass
