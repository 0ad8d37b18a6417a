"""Soft expectations: those that failed, until they are raised together at the end of a test."""

from __future__ import annotations

import atexit
import builtins
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from types import TracebackType
from typing import TYPE_CHECKING

from .options import caller

__tracebackhide__ = True  # pytest then shows the line of the test that failed, and nothing of ours below it

if TYPE_CHECKING or sys.version_info < (3, 11):

    class _Group(Exception):
        """What Python has from 3.11 on: several exceptions as one."""

        def __init__(self, message: str, exceptions: Sequence[Exception]) -> None:
            self.message = message
            self.exceptions = tuple(exceptions)
            super().__init__("\n".join([message, *map(str, exceptions)]))

else:
    _Group = builtins.ExceptionGroup


class SoftFailures(_Group, AssertionError):
    """Several soft expectations failed; `exceptions` has each. From Python 3.11 on an ExceptionGroup."""


class Collected:
    """Failures that were not raised yet. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._failures: list[AssertionError] = []

    def add(self, failure: AssertionError) -> None:
        with self._lock:
            self._failures.append(failure)

    def take(self) -> list[AssertionError]:
        """Those that were collected, which are forgotten here."""
        with self._lock:
            taken, self._failures = self._failures, []
        return taken


_of_test = Collected()
_current: ContextVar[Collected] = ContextVar("soft", default=_of_test)


def add(failure: AssertionError) -> None:
    """Keep a failure for the end of the test, with the line of the test that it belongs to."""
    frame = caller()
    failure.__traceback__ = TracebackType(None, frame, frame.f_lasti, frame.f_lineno)
    _current.get().add(failure)


def take() -> list[AssertionError]:
    """The failures so far, each of which is given once."""
    return _of_test.take()


def raise_all(failures: Sequence[AssertionError]) -> None:
    """Raise one failure as itself, several as a group; nothing happens without any."""
    if len(failures) == 1:
        raise failures[0]
    if failures:
        group = SoftFailures(f"{len(failures)} soft expectations failed", failures)
        raise group.with_traceback(failures[-1].__traceback__)


@contextmanager
def apart() -> Iterator[Collected]:
    """Collect what fails meanwhile on its own, for an attempt that may be made again."""
    collected = Collected()
    token = _current.set(collected)
    try:
        yield collected
    finally:
        _current.reset(token)


@atexit.register
def _report() -> None:
    """Failures that no code raised must not be lost."""
    if failures := take():
        lines = "\n".join(map(str, failures))
        message = f"{len(failures)} soft expectations failed; expect.raise_soft() would raise them:\n{lines}"
        print(message, file=sys.stderr)  # noqa: T201 - it is too late for an exception
