"""Looks for what a test left on the machine, without asking the code under test.

A test starts its parent process with a mark in the environment and a temp folder of its own. Every process
below inherits the mark, so whatever still bears it was left behind; so was whatever still is in the folder.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

_MARK = "DESKHAND_TEST_MARK"
TIMEOUT = 20.0


def until(condition: Callable[[], Any], timeout: float = TIMEOUT) -> Any:
    """Wait until this is true; its value."""
    deadline = time.monotonic() + timeout
    while not (value := condition()):
        assert time.monotonic() < deadline, f"still not true after {timeout:g} s: {value!r}"
        time.sleep(0.01)
    return value


def until_nothing(find: Callable[[], Any], timeout: float = TIMEOUT) -> None:
    """Wait until this finds nothing; the error says what it still finds."""
    deadline = time.monotonic() + timeout
    while found := find():
        assert time.monotonic() < deadline, f"after {timeout:g} s still there: {found!r}"
        time.sleep(0.01)


class Parent:
    """A Python process that runs a script, with the mark and the temp folder that its traces are known by.

    `before` is a command that prepares something and then becomes it.
    """

    def __init__(self, script: str, **options: Any) -> None:
        self.mark = secrets.token_hex(8)
        self.folder = Path(tempfile.mkdtemp(prefix="dt", dir="/tmp"))
        self.folder.chmod(0o777)
        env = {**os.environ, _MARK: self.mark, "TMPDIR": str(self.folder), **options.pop("env", {})}
        self.popen = subprocess.Popen(
            [*options.pop("before", ()), sys.executable, "-c", script],
            **{"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "env": env, **options},
        )
        self.pid = self.popen.pid

    def says(self) -> dict[str, Any]:
        """The next line it writes, which is JSON."""
        assert self.popen.stdout
        line = self.popen.stdout.readline()
        assert line, f"ended with {self.popen.wait()} instead of saying something"
        data: dict[str, Any] = json.loads(line)
        return data

    def asks_to_end(self) -> int:
        """End its input, which the scripts of these tests take as the sign to end; its exit code."""
        assert self.popen.stdin
        self.popen.stdin.close()
        return self.popen.wait(TIMEOUT)

    def kill(self) -> None:
        self.popen.kill()
        self.popen.wait()

    def kill_with(self, supervisor: int) -> None:
        """Kill it and its supervisor as if at one moment: neither has time to notice the other's end."""
        with stopped(supervisor):
            self.kill()
            os.kill(supervisor, signal.SIGKILL)

    def processes(self, *, itself: bool = False) -> dict[int, str]:
        """The living processes below it, each with its command line."""
        found = {}
        for entry in Path("/proc").iterdir():
            with suppress(OSError, ValueError):
                if _state(int(entry.name)) not in "ZX" and f"{_MARK}={self.mark}" in (
                    entry / "environ"
                ).read_text().split("\0"):
                    found[int(entry.name)] = (entry / "cmdline").read_text().replace("\0", " ").strip()
        if not itself:
            found.pop(self.pid, None)
        return found

    def pid_of(self, text: str) -> int | None:
        """The process whose command line begins like this."""
        return next((pid for pid, line in self.processes().items() if line.startswith(text)), None)

    def files(self) -> list[str]:
        """The files and folders in its temp folder."""
        found = os.walk(self.folder)  # unlike rglob, it tolerates folders that vanish meanwhile
        return sorted(f"{folder}/{name}" for folder, folders, files in found for name in folders + files)

    def left(self) -> dict[str, Any]:
        """All its traces; empty when it left none."""
        traces = {"processes": self.processes(), "files": self.files()}
        return {name: found for name, found in traces.items() if found}


def without_rights() -> dict[str, Any]:
    """Options for `parent` that run it as a user who is not root."""
    if os.geteuid() != 0:
        return {}
    options: dict[str, Any] = {"user": 65534, "group": 65534, "extra_groups": [], "cwd": "/"}
    try:
        subprocess.run(
            [sys.executable, "-c", "import deskhand.model"], capture_output=True, check=True, **options
        )
    except (PermissionError, subprocess.CalledProcessError):
        pytest.skip("user 65534 may not read this checkout")
    return options


def _state(pid: int, thread: int | None = None) -> str:
    return Path(f"/proc/{pid}/task/{thread or pid}/stat").read_text().rpartition(")")[2].split()[0]


@contextmanager
def stopped(pid: int) -> Iterator[None]:
    """A process that hangs meanwhile. The signal alone leaves its threads time to answer once more."""
    os.kill(pid, signal.SIGSTOP)
    try:
        threads = Path(f"/proc/{pid}/task")
        until(lambda: {_state(pid, int(thread.name)) for thread in threads.iterdir()} == {"T"})
        yield
    finally:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)


_LISTENS = """
import socket, sys
server = socket.socket(socket.AF_UNIX)
server.bind(sys.argv[1])
server.listen()
print("listening", flush=True)
server.accept()[0].recv(1)
"""


@contextmanager
def stopped_server(path: str) -> Iterator[int]:
    """A process that listens on a Unix socket and is stopped; its process id."""
    with subprocess.Popen([sys.executable, "-c", _LISTENS, path], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        try:
            with stopped(process.pid):
                yield process.pid
        finally:
            process.kill()


@contextmanager
def parent(script: str, **options: Any) -> Iterator[Parent]:
    """Run a script; afterwards remove whatever it left, so that one failing test spoils no other."""
    process = Parent(script, **options)
    try:
        yield process
    finally:
        # Again and again, as one that we do not see yet may be about to be forked.
        while pids := process.processes(itself=True):
            for pid in pids:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.01)
        with process.popen:  # closes the pipes and reaps it
            pass
        shutil.rmtree(process.folder, ignore_errors=True)


def manager_of(env: Mapping[str, str]) -> int:
    """The process of the window manager on a private desktop."""
    display = f"DISPLAY={env['DISPLAY']}".encode()
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if (process / "comm").read_text().strip() != "openbox":
                continue
            if display in (process / "environ").read_bytes().split(b"\0"):
                return int(process.name)
        except OSError:  # it ended meanwhile
            continue
    raise AssertionError("this desktop has no window manager")
