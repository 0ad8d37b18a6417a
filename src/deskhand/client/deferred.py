"""A Runner for what may not be there yet: a desktop whose accessibility bus is still to come."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

from ..model.errors import AccessibilityUnavailable, ConnectFailed, NotConnected
from ..model.operations import Cancel, Operation, Runner

R = TypeVar("R")

_AGAIN = 0.5
"""How long one who could not be reached is left alone, in seconds."""


class Deferred:
    """Opens a runner as soon as that works; until then every operation raises why it does not."""

    def __init__(self, open: Callable[[], Runner]) -> None:
        self._open = open
        self._runner: Runner | None = None
        self._error: AccessibilityUnavailable | None = None
        self._tried = 0.0
        self._closed = False
        self._lock = threading.Lock()

    def run(self, operation: Operation[R], cancel: Cancel | None = None) -> R:
        """Run one operation; raises AccessibilityUnavailable as long as there is nothing to run it."""
        return self._opened().run(operation, cancel)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            runner, self._runner = self._runner, None
        if runner is not None:
            runner.close()

    def _opened(self) -> Runner:
        with self._lock:
            if self._runner is not None:
                return self._runner
            if self._closed:
                raise NotConnected("the agent ends")
            if self._error is not None and time.monotonic() - self._tried < _AGAIN:
                raise AccessibilityUnavailable(self._error.message, suggestions=self._error.suggestions)
            try:
                self._runner = self._open()
            except (AccessibilityUnavailable, ConnectFailed, OSError) as error:
                message = getattr(error, "message", None) or str(error)
                suggestions = getattr(error, "suggestions", ())
                self._error = AccessibilityUnavailable(message, suggestions=suggestions)
                self._tried = time.monotonic()
                raise self._error from error
            return self._runner
