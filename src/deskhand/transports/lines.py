"""Lines of standard input, with a bound on their length. Standard library only."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, NamedTuple

_PIECE = 64 * 1024
_END = 4096


class TooLong(NamedTuple):
    """Both ends of a line that is longer than it may be."""

    start: bytes
    end: bytes


class Lines:
    """Reads lines that may be `longest` bytes long; of longer ones it keeps the ends."""

    def __init__(self, file: BinaryIO, longest: int) -> None:
        self._file = file
        self._longest = longest

    def next(self) -> str | TooLong | None:
        """The next line with its line feed; blocks until it has arrived. None at the end of the file."""
        line = self._file.readline(self._longest + 1)
        if len(line) <= self._longest:
            return line.decode("utf-8", "replace") if line else None
        start, end, piece = line[:_END], line[-_END:], line
        while piece and not piece.endswith(b"\n"):
            piece = self._file.readline(_PIECE)
            end = (end + piece)[-_END:]
        return TooLong(start, end)


@contextmanager
def standard_input() -> Iterator[BinaryIO]:
    """Standard input for us alone: everything else in this process, and what it starts, sees an empty one."""
    with os.fdopen(os.dup(0), "rb") as file:
        empty = os.open(os.devnull, os.O_RDONLY)
        os.dup2(empty, 0)
        os.close(empty)
        try:
            yield file
        finally:
            os.dup2(file.fileno(), 0)
