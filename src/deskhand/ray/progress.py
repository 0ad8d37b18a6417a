"""A progress bar on a terminal, or a line now and then in a file. Knows nothing of desktops."""

from __future__ import annotations

import time
from typing import TextIO

_WIDTH = 30
_EVERY = 10.0
"""How often a file gets a line, in seconds."""


class Progress:
    """Shows how many items are done; silent if it is not wanted."""

    def __init__(self, stream: TextIO, total: int | None, wanted: bool | None) -> None:
        """`wanted` None means: if the stream is a terminal. `total` is None if it is not known."""
        self._terminal = stream.isatty()
        self._stream = stream
        self._on = self._terminal if wanted is None else wanted
        self._total = total
        self._last = ""
        self._written = time.monotonic()

    def show(self, done: int, running: int, lost: int, failed: int) -> None:
        """Show the present numbers."""
        if not self._on:
            return
        counts = {"running": running, "failed": failed, "lost": lost}
        parts = [f"{count} {what}" for what, count in counts.items() if count or what == "running"]
        total = "" if self._total is None else f"/{self._total}"
        text = f"{self._bar(done)}{done}{total}, {', '.join(parts)}"
        if self._terminal:
            self._stream.write(f"\r{text.ljust(len(self._last))}")
            self._stream.flush()
        elif time.monotonic() - self._written >= _EVERY:
            self._stream.write(f"{text}\n")
            self._written = time.monotonic()
        self._last = text

    def close(self) -> None:
        """Leave the last numbers and begin a new line."""
        if self._on and self._last:
            self._stream.write("\n" if self._terminal else f"{self._last}\n")
            self._stream.flush()

    def _bar(self, done: int) -> str:
        if not self._total:
            return ""
        filled = min(_WIDTH, _WIDTH * done // self._total)
        return f"[{'#' * filled}{'.' * (_WIDTH - filled)}] "
