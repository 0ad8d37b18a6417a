"""A private desktop for all tests here, and programs of Debian as they are."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

import pytest

from deskhand import App, Desktop
from deskhand.adapters.atspi import AtspiAdapter
from deskhand.client._sync.link import LocalEngine
from deskhand.engine.session import Session
from deskhand.processes.children import Process


@dataclass
class Running:
    """A program that was started, and what drives it."""

    process: Process
    adapter: AtspiAdapter
    app: App

    def shows(self, text: str, timeout: float = 10.0) -> bool:
        """Whether a text is to be read anywhere in it before the time is over."""
        deadline = time.monotonic() + timeout
        while True:
            tree = self.adapter.read(timeout=10)
            if any(text in (node.text, node.name, node.value) for node in tree):
                return True
            if time.monotonic() > deadline:
                return False
            self.app.wait_idle()


Start = Callable[..., Running]


@pytest.fixture(scope="module")
def desktop() -> Iterator[Desktop]:
    with Desktop() as desktop:
        yield desktop


@pytest.fixture
def start(desktop: Desktop) -> Iterator[Start]:
    """Starts a program and waits until something in it can be found."""
    with starting(desktop) as start:
        yield start


@contextmanager
def starting(desktop: Desktop) -> Iterator[Start]:
    """What `start` is; what it starts ends with the block."""
    with ExitStack() as stack:

        def run(*argv: str, until: str, timeout: float = 20.0, name: str | None = None) -> Running:
            """`name` is for a program that starts another one, which has a process id of its own."""
            process = desktop.spawn(argv, stdout="null", stderr="null")
            stack.callback(process.wait, 20)
            stack.callback(process.signal, signal.SIGKILL)
            adapter = AtspiAdapter(desktop.env, app=name, pid=None if name else process.pid)
            session = Session(adapter)
            stack.callback(session.close)
            app = stack.enter_context(App(LocalEngine(session, argv[0])))
            app.locator(until).first.wait_for(timeout=timeout)
            app.wait_idle(timeout=timeout)
            return Running(process, adapter, app)

        yield run
