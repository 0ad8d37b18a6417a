"""The forms of demo/ as programs that are running, each started once for many tests."""

from __future__ import annotations

import dataclasses
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any, TypeVar

from demo.forms import FORMS, command
from deskhand import App, Desktop, connect, expect
from deskhand.adapters.atspi import AtspiAdapter
from deskhand.client._sync.link import LocalEngine
from deskhand.engine.session import Session
from deskhand.launching import launcher
from deskhand.model.errors import ConnectFailed, UiBusy
from deskhand.model.operations import Operation, Runner
from deskhand.model.selector import parse
from deskhand.serving.remote import Remote
from deskhand.toolkits import Way

OUTSIDE = {way.name.partition("-")[2]: way for way in FORMS.values() if way.through == "atspi"}
"""The ways in over the accessibility bus, by what is behind them, such as `gtk3`."""
COMMANDS = {name: command(way) for name, way in OUTSIDE.items()}

BRIEF_JVM = tuple(FORMS["javafx"].env["JAVA_TOOL_OPTIONS"].split())
"""For a program that runs for seconds: to compile its code well would take longer than it gains."""

SEEN_AS: dict[str, str] = {
    "amount": 'spin-button[name="Amount"]',
    "area": '[name="Area"]',
    "colours": "list-box",
    "country": 'combo-box[name="Country"]',
    "day": '[name="Day"]:editable',
    "far": 'button[name="Far away"]',
    "hint": 'button[name="Hidden hint"]',
    "later": 'button[name="Load later"]',
    "name": 'textfield[name="Name"]',
    "nothing": 'button[name="nothing"]',
    "order": 'button[name="Place order…"]',
    "order_form": 'window[name="Order form"]',
    "pad": 'text[name="Right-click me"]',
    "report": '[description="What happened last"]',
    "secret": 'textfield[name="Password"]',
    "send": 'button[name="Send"]',
    "table": "table",
    "tabs": "tab-list",
    "tools": "toolbar",
    "tree": "tree-grid",
    "volume": 'slider[name="Volume"]',
}
"""How the parts of the form are found where a toolkit reports no ids: as a person sees them."""
SEEN_BY_XA11Y = {
    **SEEN_AS,
    "area": 'group:has(scroll-bar):has(button[name="Far away"]) >> nth=-1',
    "colours": 'list:has(list-item[name="green"])',
    "tree": "tree",
}
_SELECTORS = ("target", "to")
_ID = re.compile(r"#(\w+)")
R = TypeVar("R")


def seen_as(way: Way) -> dict[str, str]:
    """How the parts of a form are found that has no ids."""
    return SEEN_AS | way.selectors


class SharedForm:
    """One form that is running, and what drives it."""

    def __init__(self, app: App, ask: IO[str], answer: IO[str]) -> None:
        self.app = app
        self._ask = ask
        self._answer = answer
        app.locator('window[name="Order form"]').wait_for(timeout=30)

    def start_over(self) -> App:
        """A fresh form, with nothing left of the last one."""
        self._ask.write("again\n")
        self._ask.flush()
        while (line := self._answer.readline()) != "ready\n":
            assert line, "the form ended"
        self._settle()
        return self.app

    def _settle(self) -> None:
        expect(self.app.locator("window")).to_have_count(1, timeout=30)
        expect(self.app.locator("#report")).to_have_text("ready", timeout=30)
        self.app.wait_idle(timeout=30)


class LaunchedForm(SharedForm):
    """A form that was started as launch() does it, with a way to ask it for a fresh one."""

    def __init__(self, command: list[str], stack: ExitStack, *, on_screen: bool = True, **env: str) -> None:
        """On a private desktop of its own, or on no screen; `env` is added to its environment."""
        around = stack.enter_context(Desktop()).env if on_screen else os.environ
        env = {**around, **env}
        asked, ask = os.pipe()
        answer, answered = os.pipe()
        try:
            started = launcher.start(command, env=env, stdin=asked, stdout=answered)
        finally:
            os.close(asked)
            os.close(answered)
        questions = stack.enter_context(os.fdopen(ask, "w"))
        answers = stack.enter_context(os.fdopen(answer))
        stack.enter_context(started)
        app = stack.enter_context(connect(f"unix:{started.control}"))
        super().__init__(app, questions, answers)


class EnabledForm(SharedForm):
    """A form in a program that enables deskhand itself."""

    def __init__(self, command: list[str], stack: ExitStack) -> None:
        desktop = stack.enter_context(Desktop())
        folder = stack.enter_context(TemporaryDirectory())
        address = f"{folder}/gip"
        interpreter, *rest = command
        process = subprocess.Popen(
            [interpreter, str(Path(__file__).with_name("enabled_form.py")), address, *rest],
            env={**desktop.env, "DESKHAND_RUNTIME_DIR": folder},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        stack.callback(process.communicate, timeout=20)
        stack.callback(process.terminate)
        assert process.stdin is not None
        assert process.stdout is not None
        super().__init__(stack.enter_context(self._reach(process, address)), process.stdin, process.stdout)

    def _reach(self, process: subprocess.Popen[str], address: str) -> App:
        deadline = time.monotonic() + 30
        while True:
            try:
                return connect(address)
            except ConnectFailed:
                if time.monotonic() > deadline or process.poll() is not None:
                    raise
                time.sleep(0.02)  # it says nothing when its socket is there


class OutsideForm(SharedForm):
    """A form that knows nothing of us, and what drives it from outside."""

    def __init__(
        self,
        way: Way,
        seen_as: dict[str, str],
        stack: ExitStack,
        reach: Callable[[Mapping[str, str], int, ExitStack], Runner] | None = None,
        *options: str,
    ) -> None:
        desktop = stack.enter_context(Desktop())
        self._process = subprocess.Popen(
            command(way, *options, "--again"),
            env=desktop.env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        stack.callback(self._end)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        session = (reach or through_atspi)(desktop.env, self._process.pid, stack)
        app = stack.enter_context(App(_Seen(session, way.name.partition("-")[2], seen_as)))
        super().__init__(app, self._process.stdin, self._process.stdout)

    def _end(self) -> None:
        self._process.send_signal(signal.SIGKILL)
        self._process.communicate()


class Xa11yForm(OutsideForm):
    """The same through xa11y, which takes long for each read."""

    def __init__(self, way: Way, stack: ExitStack, *options: str) -> None:
        super().__init__(way, SEEN_BY_XA11Y, stack, through_xa11y, *options)
        self.app.timeout = 15.0  # on a busy machine one read may take seconds

    def _settle(self) -> None:
        """Until two reads are equal and show a fresh form: the same as above, in as few reads as possible."""
        deadline = time.monotonic() + 30
        report = parse(SEEN_BY_XA11Y["report"])
        before: list[dict[str, Any]] | None = None
        while True:
            now = None
            with suppress(UiBusy):
                tree = self.app.tree()
                if [window.title for window in tree.windows] == ["Order form"] and [
                    node.text for node in report.find(tree)
                ] == ["ready"]:
                    now = [node.fields for node in tree]
            if now is not None and now == before:
                return
            assert time.monotonic() < deadline, "no fresh form is to be seen"
            before = now
            time.sleep(0.1)  # as long as its wait_idle() pauses between two reads


def through_atspi(env: Mapping[str, str], pid: int, stack: ExitStack) -> Runner:
    """Drives a program over the accessibility bus."""
    return Session(AtspiAdapter(env, pid=pid))


def through_xa11y(env: Mapping[str, str], pid: int, stack: ExitStack) -> Runner:
    """Drives a program over xa11y."""
    folder = stack.enter_context(TemporaryDirectory())
    command = [sys.executable, str(Path(__file__).with_name("xa11y_host.py")), str(pid), f"{folder}/gip"]
    host = subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    stack.callback(host.communicate, timeout=20)
    assert host.stdout is not None
    return Remote(host.stdout.readline().strip())


class _Seen(LocalEngine):
    """Takes ids for what a person sees, where a toolkit reports none."""

    def __init__(self, session: Runner, name: str, seen_as: dict[str, str]) -> None:
        super().__init__(session, name)
        self._seen_as = seen_as

    def run(self, operation: Operation[R]) -> R:
        changes = {
            name: _ID.sub(lambda found: self._seen_as.get(found[1], found[0]), text)
            for name in _SELECTORS
            if isinstance(text := getattr(operation, name, None), str)
        }
        return super().run(dataclasses.replace(operation, **changes))
