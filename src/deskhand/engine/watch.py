"""Looking again whenever something may have changed, until a deadline.

Driven by the toolkit's change events, with polling as the fallback for changes that no event
announces. Looks at most so often that looking takes a third of the GUI thread's time.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from types import TracebackType

from ..model.adapter import Adapter, abilities
from ..model.deadline import Deadline
from ..model.tree import Tree

_CANCEL_CHECK = 0.1
"""How often a sleeping watch asks whether its caller is still there, in seconds."""
_EASE = 2.0
"""How many times as long as the last look took, the GUI thread is left alone after it."""


class Watch:
    """Subscribes to changes, and says when to read again."""

    def __init__(
        self, adapter: Adapter, deadline: Deadline, poll: float = 0.1, *, everything: bool = False
    ) -> None:
        """`everything` says that each read covers all windows, as it does anyway in some adapters."""
        self._deadline = deadline
        self._poll = max(poll, 0.001)
        self._woken = threading.Event()
        self._changed = False
        """Whether something may have changed since the last look, and since what was given."""
        self._given: Tree | None = None
        """What the adapter itself has seen since the last look."""
        self._eases = False
        """Whether it is too early to read again."""
        self._looks = True
        """Whether the last look was to be taken by who watches."""
        self._looked_at = 0.0
        self._cost = 0.0
        self._unsubscribe: Callable[[], None] | None = None
        self._adapter = adapter
        self._follows = abilities(adapter).follows if everything else None

    def __enter__(self) -> Watch:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None
    ) -> None:
        if self._unsubscribe is not None:
            self._unsubscribe()

    def look(self) -> Tree | None:
        """Say that a read starts now: changes from here on need another one.

        Gives what the adapter has seen since the last look, if it looked by itself.
        """
        self._deadline.check()
        tree, self._given = self._given, None
        self._looks = tree is None
        if self._looks:
            self._changed = False
        self._looked_at = time.monotonic()
        return tree

    def pause(self) -> bool:
        """Wait until it is time to read again; False if the deadline passed first.

        Subscribes on first use, so that a condition that holds at once costs no subscription.
        One more look follows the subscription, for what changed before it.
        """
        if self._looks:
            self._cost = time.monotonic() - self._looked_at
        if self._deadline.passed:
            return False
        if self._unsubscribe is None:
            if self._follows is None:
                self._unsubscribe = self._adapter.subscribe(self._tell)
            else:
                self._unsubscribe = self._follows.follow(self._tell)
            return True
        earliest = self._looked_at + self._cost * (1 + _EASE)
        latest = self._looked_at + self._cost + max(self._poll, self._cost * _EASE)
        while True:
            self._deadline.check()
            self._woken.clear()
            now = time.monotonic()
            self._eases = now < earliest
            if self._deadline.remaining <= 0:
                # One last look at the deadline itself, so that nothing that was in time is missed.
                return True
            # What was already read is taken at once.
            if self._given is not None or now >= latest or (self._changed and not self._eases):
                return True
            until = earliest if self._eases else latest
            self._woken.wait(min(self._deadline.remaining, _CANCEL_CHECK, until - now))

    def _tell(self, tree: Tree | None = None) -> None:
        """Something may have changed; with a tree, all is as it says. From any thread."""
        if tree is None:
            self._changed = True
            if self._eases:
                return
        else:
            self._given, self._changed = tree, False
        self._woken.set()
