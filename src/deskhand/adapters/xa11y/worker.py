"""Calls that may never return, each with a deadline.

xa11y asks programs and waits for them without an end. So each program has a thread of its own that asks it;
one that hangs keeps only its own thread, and those who wait are told in time.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from typing import Any, TypeVar

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


class Worker:
    """A thread that does one thing after the other."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._jobs: queue.SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._loop, name=f"xa11y-{name}", daemon=True)
        self._thread.start()

    def begin(self, function: Callable[[], T]) -> Future[T]:
        future: Future[T] = Future()
        self._jobs.put((future, function))
        return future

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

    def close(self) -> None:
        """End the thread once it has done what it does; one that hangs is left behind, as a daemon."""
        self._jobs.put(None)
        if threading.current_thread() is not self._thread:
            self._thread.join(0.2)

    def _loop(self) -> None:
        while (job := self._jobs.get()) is not None:
            future, function = job
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(function())
                except BaseException as error:  # noqa: BLE001 - raised again in the caller's thread
                    future.set_exception(error)
