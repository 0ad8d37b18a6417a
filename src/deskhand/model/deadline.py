"""Until when an operation is waited for: its own deadline, and how much longer each layer around it waits.

An operation's `timeout` is how long its target may take to be ready. What the engine then begins with the
GUI thread may take `UI_TIMEOUT` more. Every layer further out waits longer than the layer inside it, so that
the innermost one that notices a problem is the one that reports it:

    carried(t)      one hop that carries a deadline to another process or thread
    doubtful(t)     an engine that works has answered by now: is its process alive?
    lost(t)         no answer will come, whatever the engine may still do
"""

from __future__ import annotations

import time
from typing import Any

from .errors import Cancelled
from .operations import TIMEOUT, Cancel, Operation

UI_TIMEOUT = 5.0
"""How long the GUI thread may take to answer, in seconds, unless the caller waits longer anyway."""
_HOP = 1.0
"""How long an answer may take from one process or thread to another, in seconds."""
_STEPS = 5
"""How many times an operation may wait for the GUI thread after its own deadline: to read for a receipt, to
perform, twice to become idle, and to read again."""


def timeout_of(operation: Operation[Any]) -> float:
    """How long an operation waits by itself, in seconds; 0 if it does not say."""
    return getattr(operation, "timeout", None) or 0.0


def carried(timeout: float) -> float:
    """How long to wait for the other end of a hop that gives up by itself after `timeout` seconds."""
    return timeout + _HOP


def doubtful(timeout: float) -> float:
    """After how many seconds it is worth finding out whether the process of an engine is alive."""
    return carried(timeout + UI_TIMEOUT)


def lost(timeout: float) -> float:
    """After how many seconds an answer will not come any more."""
    return timeout + _STEPS * carried(UI_TIMEOUT)


def stopped(operation: Operation[Any]) -> float:
    """After how many seconds a process that the system has stopped is waited for no longer."""
    usual = TIMEOUT if operation.ui else _HOP  # what needs no GUI thread is answered at once
    return timeout_of(operation) or usual


class Deadline:
    """Counts down from `timeout` seconds; ends early when the caller goes away."""

    def __init__(self, timeout: float, cancel: Cancel | None = None) -> None:
        self.timeout = timeout
        self._started = time.monotonic()
        self._cancel = cancel

    @property
    def elapsed(self) -> float:
        return time.monotonic() - self._started

    @property
    def remaining(self) -> float:
        return max(0.0, self.timeout - self.elapsed)

    @property
    def passed(self) -> bool:
        return self.elapsed >= self.timeout

    def check(self) -> None:
        """Raise Cancelled if the caller does not wait for the answer any more."""
        if self._cancel is not None and self._cancel.is_set():
            raise Cancelled(f"the caller went away after {self.elapsed:.1f} s")
