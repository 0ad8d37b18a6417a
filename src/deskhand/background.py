"""Calls in other threads, whose results and errors come back to the caller. Imports nothing of ours."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import copy_context
from typing import Any, TypeVar

T = TypeVar("T")


def begin(call: Callable[[], T], name: str = "deskhand-call") -> Future[T]:
    """Call it in a thread of its own, with a copy of this context; the future has what it returns or raises.

    Not in a pool, whose few threads would all be taken by a few calls that wait.
    """
    future: Future[T] = Future()
    context = copy_context()
    threading.Thread(target=context.run, args=(_settle, future, call), name=name, daemon=True).start()
    return future


class Worker:
    """A thread that makes one call after the other."""

    def __init__(self, name: str) -> None:
        self._calls: queue.SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = queue.SimpleQueue()
        self.thread = threading.Thread(target=self._loop, name=name, daemon=True)
        self.thread.start()

    def begin(self, call: Callable[[], T]) -> Future[T]:
        """Make a call after those begun before; one whose future is cancelled first is never made."""
        future: Future[T] = Future()
        self._calls.put((future, call))
        return future

    def close(self, timeout: float) -> None:
        """End the thread once it has made its calls; one that hangs is left behind, as a daemon."""
        self._calls.put(None)
        if threading.current_thread() is not self.thread:
            self.thread.join(timeout)

    def _loop(self) -> None:
        while (begun := self._calls.get()) is not None:
            _settle(*begun)


def _settle(future: Future[T], call: Callable[[], T]) -> None:
    if future.set_running_or_notify_cancel():
        try:
            future.set_result(call())
        except BaseException as error:  # noqa: BLE001 - raised again in the caller's thread
            future.set_exception(error)
