"""Which line of a program called deskhand: its own frames, without ours and those of the test runner."""

from __future__ import annotations

import sys
from pathlib import Path
from types import FrameType

from ..model.record import dataclass

_OURS = str(Path(__file__).resolve().parent.parent) + "/"
_RUNNERS = (
    "/_pytest/",
    "/pluggy/",
    "/asyncio/",
    "/concurrent/futures/",
    "<frozen ",
    "/threading.py",
    "/runpy.py",
)
"""Where the frames of a test end and those begin that run it."""
_MOST = 10


@dataclass(frozen=True)
class Line:
    """A line of a program that is being executed."""

    file: str
    line: int
    function: str


@dataclass(frozen=True)
class Call:
    """A call of deskhand: the method that was called, and the lines that led to it, the innermost first."""

    method: str | None = None
    lines: tuple[Line, ...] = ()


def call() -> Call:
    """The call of deskhand that this thread, or this task, is in."""
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - inspect.stack() reads every source file
    method = None
    while frame is not None and frame.f_code.co_filename.startswith(_OURS):
        method = _method(frame)
        frame = frame.f_back
    lines: list[Line] = []
    while frame is not None and len(lines) < _MOST:
        code = frame.f_code
        if any(part in code.co_filename for part in _RUNNERS):
            break
        if not code.co_filename.startswith(_OURS):
            lines.append(Line(code.co_filename, frame.f_lineno, code.co_name))
        frame = frame.f_back
    return Call(method, tuple(lines))


def _method(frame: FrameType) -> str:
    owner = frame.f_locals.get("self")
    name = frame.f_code.co_name
    return name if owner is None else f"{type(owner).__name__}.{name}"
