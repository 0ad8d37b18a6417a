"""Starting the measured programs, and receiving what they report."""

from __future__ import annotations

import json
import os
import socket
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

from deskhand import App, launch

WIDGETS = Path(__file__).parent / "apps" / "widgets.py"


def command(binding: str, *options: str) -> list[str]:
    return [sys.executable, str(WIDGETS), "--binding", binding, *options]


def environment() -> dict[str, str]:
    return {**os.environ, "QT_QPA_PLATFORM": "offscreen"}


@contextmanager
def program(binding: str, *options: str) -> Iterator[App]:
    """The program with many widgets, instrumented and without a screen."""
    with launch(command(binding, *options), env=environment(), timeout=120) as app:
        app.wait_idle(timeout=120)
        yield app


class Ear:
    """Receives what a program reports: what happened, and when on the common clock."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="deskhand-bench-")
        self.path = str(Path(self._folder.name) / "tell")
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(self.path)
        self._socket.settimeout(60)

    def __enter__(self) -> Ear:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None
    ) -> None:
        self._socket.close()
        self._folder.cleanup()

    def hear(self, what: str) -> float:
        """When that happened; other reports before it are ignored."""
        while True:
            message = json.loads(self._socket.recv(4096))
            if message["what"] == what:
                return float(message["at"])


class Lines:
    """A connection on which each request and each answer is a line."""

    def __init__(self, path: str, loads: Any = json.loads) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        deadline = time.monotonic() + 60
        while True:
            try:
                self._socket.connect(path.removeprefix("unix:"))
                break
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.05)
        self._loads = loads
        # In large pieces: by default an answer of megabytes is read 8 kB at a time.
        self._lines = self._socket.makefile("rwb", buffering=1 << 20)

    def ask(self, request: Any) -> Any:
        self._lines.write(json.dumps(request).encode() + b"\n")
        self._lines.flush()
        return self._loads(self._lines.readline())

    def close(self) -> None:
        self._lines.close()
        self._socket.close()


class Gip(Lines):
    """A plain GIP client, as a user would write one."""

    def call(self, method: str, **params: Any) -> Any:
        answer = self.ask({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]
