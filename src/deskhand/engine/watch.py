"""Looking again whenever something may have changed, until a deadline.

Driven by the toolkit's change events, with polling as the fallback for changes that no event
announces. Looks at most so often that looking takes a third of the GUI thread's time.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from types import TracebackType

from ..model.adapter import Adapter
from .deadline import Deadline

_CANCEL_CHECK = 0.1
"""How often a sleeping watch asks whether its caller is still there, in seconds."""
_EASE = 2.0
"""How many times as long as the last look took, the GUI thread is left alone after it."""


class Watch:
    """Subscribes to changes; `looks` gives a turn for each look that is worth taking."""

    def __init__(self, adapter: Adapter, deadline: Deadline, poll: float = 0.1) -> None:
        self._deadline = deadline
        self._poll = max(poll, 0.001)
        self._changed = threading.Event()
        self._looked_at = 0.0
        self._cost = 0.0
        self._unsubscribe: Callable[[], None] | None = None
        self._adapter = adapter

    def __enter__(self) -> Watch:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None
    ) -> None:
        if self._unsubscribe is not None:
            self._unsubscribe()

    def look(self) -> None:
        """Say that a look begins now: changes from here on call for another one."""
        self._deadline.check()
        self._changed.clear()
        self._looked_at = time.monotonic()

    def pause(self) -> bool:
        """Wait until another look is worth it; False if the deadline passed first.

        Subscribes on first use, so that a condition that holds at once costs no subscription.
        One more look follows the subscription, for what changed before it.
        """
        self._cost = time.monotonic() - self._looked_at
        if self._deadline.passed:
            return False
        if self._unsubscribe is None:
            self._unsubscribe = self._adapter.subscribe(self._changed.set)
            return True
        earliest = self._looked_at + self._cost * (1 + _EASE)
        latest = self._looked_at + self._cost + max(self._poll, self._cost * _EASE)
        while True:
            self._deadline.check()
            now = time.monotonic()
            if self._deadline.remaining <= 0:
                # One last look at the deadline itself, so that nothing that was in time is missed.
                return True
            if now >= latest or (now >= earliest and self._changed.is_set()):
                return True
            step = min(
                self._deadline.remaining, _CANCEL_CHECK, (latest if now >= earliest else earliest) - now
            )
            if now >= earliest:
                self._changed.wait(step)
            else:
                time.sleep(step)
