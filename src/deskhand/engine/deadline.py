"""A point in time after which nobody waits any more, and the caller who may leave before it."""

from __future__ import annotations

import time

from ..model.errors import Cancelled
from ..model.operations import Cancel


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
        """Raise Cancelled if nobody waits for the answer any more."""
        if self._cancel is not None and self._cancel.is_set():
            raise Cancelled(f"the caller went away after {self.elapsed:.1f} s")
