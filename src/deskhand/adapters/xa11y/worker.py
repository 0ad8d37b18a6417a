"""Calls that may never return, each with a deadline.

xa11y asks programs and waits for them without an end. So each program has a thread of its own that asks it;
one that hangs keeps only its own thread, and callers get an error in time.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from typing import TypeVar

from ... import background
from ...model.errors import UiBusy

T = TypeVar("T")


class Deadline:
    """A moment; `check` raises UiBusy once it has passed."""

    def __init__(self, timeout: float) -> None:
        self.timeout = timeout
        self._at = time.monotonic() + timeout

    @property
    def remaining(self) -> float:
        return max(0.0, self._at - time.monotonic())

    def check(self, doing: str) -> None:
        if time.monotonic() >= self._at:
            raise UiBusy(
                f"{doing} took longer than {self.timeout:.3g} s; xa11y asks for one element after the other",
                suggestions=("give it more time", "let the program show fewer elements at once"),
            )


class Worker(background.Worker):
    """A thread that asks one program."""

    def __init__(self, name: str) -> None:
        super().__init__(f"xa11y-{name}")
        self.name = name

    def finish(self, future: Future[T], deadline: Deadline) -> T:
        """The result of what was begun. What did not start in time never will."""
        try:
            return future.result(deadline.remaining)
        except FutureTimeout:
            future.cancel()
            raise UiBusy(
                f"{self.name} did not answer within {deadline.timeout:.3g} s",
                suggestions=("see what the program is doing, or give it more time",),
            ) from None

    def run(self, function: Callable[[], T], deadline: Deadline) -> T:
        return self.finish(self.begin(function), deadline)
