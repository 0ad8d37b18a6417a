"""What a stream of a started app wrote: kept in a file while it runs, and in memory afterwards.

It reads only; the supervisor lets the app write into the file.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import IO

from ..processes.children import Process

_TAIL = 4000
_LOG = 1_000_000
"""How many bytes of a stream of an app are kept when the app has ended."""


class Output:
    """What a stream of the app wrote, kept in a file; its end stays readable when the file is gone."""

    def __init__(self, path: Path, tidy: Callable[[str], str] = str) -> None:
        """`tidy` takes out of it what only we are to blame for."""
        self.path = path
        self._tidy = tidy
        self._lock = threading.Lock()
        path.touch(0o600)
        self._file: IO[bytes] | None = path.open("rb")
        self._last, self._size = b"", 0

    @property
    def end(self) -> str:
        return self._text(_TAIL)

    @property
    def log(self) -> str:
        return self._text(_LOG)

    def finished(self, _process: Process) -> None:
        self.finish()

    def finish(self) -> None:
        """Nothing more will come."""
        with self._lock:
            if self._file is not None:
                self._last, self._size = self._read(self._file, _LOG)
                self._file.close()
                self._file = None

    def _text(self, limit: int) -> str:
        with self._lock:
            end, size = (self._last, self._size) if self._file is None else self._read(self._file, limit)
        text = self._tidy(end[-limit:].decode(errors="replace"))
        return f"… ({size - limit} bytes before)\n{text}" if size > limit else text

    @staticmethod
    def _read(file: IO[bytes], limit: int) -> tuple[bytes, int]:
        """The end of a file, and the size of all of it."""
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - limit))
        return file.read(limit), size
