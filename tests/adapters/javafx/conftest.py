"""A JavaFX program with the controls that the form has not, started with our agent in it."""

from __future__ import annotations

import fcntl
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from deskhand import App, Desktop, expect
from deskhand.adapters.javafx.adapter import JavaFxAdapter
from deskhand.client._sync.link import LocalEngine
from deskhand.engine.session import Session
from deskhand.inject import jvm
from tests.conformance.outside_form import BRIEF_JVM

SOURCE = Path(__file__).with_name("Zoo.java")
CLASSES = Path(__file__).parents[3] / "build" / "javafx_zoo"
FX = ("--module-path", "/usr/share/openjfx/lib", "--add-modules", "javafx.controls")


class Program:
    """A running program with its process, environment and adapter, and the folder its agent listens in."""

    def __init__(
        self,
        adapter: JavaFxAdapter,
        process: subprocess.Popen[bytes],
        folder: Path,
        environment: dict[str, str],
    ) -> None:
        self.adapter = adapter
        self.process = process
        self.folder = folder
        self.environment = environment
        self.app = App(LocalEngine(Session(adapter), "zoo"))

    def says(self, what: str) -> None:
        """Wait until the program reports this."""
        expect(self.app.locator("#report")).to_have_text(what)


def read_until(adapter: JavaFxAdapter, timeout: float) -> None:
    """Read again and again, until that fails."""
    while True:
        adapter.read(depth=0, timeout=timeout)


@pytest.fixture(scope="module")
def start() -> Iterator[Callable[..., Program]]:
    """Starts the program, with options for its JVM."""
    _compile()
    with ExitStack() as stack:
        desktop = stack.enter_context(Desktop())

        def run(*options: str) -> Program:
            folder = Path(tempfile.mkdtemp(prefix="deskhand-zoo."))
            stack.callback(shutil.rmtree, folder, ignore_errors=True)
            command = ["java", *FX, *BRIEF_JVM, "-Dprism.order=sw", *options, "-cp", str(CLASSES), "Zoo"]
            process = subprocess.Popen(command, env=jvm.instrumented(desktop.env, folder))
            stack.callback(jvm.forget, process.pid)
            stack.callback(process.wait, 20)
            stack.callback(process.kill)
            adapter = _connect(process, folder)
            stack.callback(adapter.close)
            return Program(adapter, process, folder, desktop.env)

        yield run


def _compile() -> None:
    CLASSES.parent.mkdir(exist_ok=True)
    with CLASSES.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # another worker may be compiling, and finds it done, or we do
        if CLASSES.is_dir() and (CLASSES / SOURCE.name).read_bytes() == SOURCE.read_bytes():
            return
        # Made elsewhere and put in place at once: one that was interrupted leaves nothing half made there.
        made = Path(tempfile.mkdtemp(prefix="javafx_zoo.", dir=CLASSES.parent))
        subprocess.run(["javac", *FX, "-encoding", "UTF-8", "-d", str(made), str(SOURCE)], check=True)
        shutil.copy(SOURCE, made)
        shutil.rmtree(CLASSES, ignore_errors=True)
        made.rename(CLASSES)


def _connect(process: subprocess.Popen[bytes], folder: Path) -> JavaFxAdapter:
    deadline = time.monotonic() + 60
    while True:
        assert process.poll() is None, "the program ended as it started"
        assert time.monotonic() < deadline, "the agent did not listen"
        for agent in jvm.listening(folder):
            adapter = JavaFxAdapter(agent.address, agent.secret, agent.pid)
            while not adapter.read(depth=0, timeout=30).windows:
                time.sleep(0.02)  # nothing announces the window
            return adapter
        time.sleep(0.02)  # the same for the socket
