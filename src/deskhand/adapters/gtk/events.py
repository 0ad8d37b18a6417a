"""When something may look different, and when the program is idle.

GTK announces changes widget by widget. Whatever changes something is run by the event loop: so each round of
that which ran more than our own jobs may have changed something.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from ...model.errors import UiBusy
from .thread import UiThread

_FRAME = 0.02
"""GTK lays out and paints at most so long after a change."""
_SETTLED = 0.5
"""After so long, a program whose event loop goes on is taken to be animated, not busy."""


class Changes:
    """Notifies subscribers that something may look different, and callers that the program is idle."""

    def __init__(self, ui: UiThread) -> None:
        self._ui = ui
        self._subscribers: dict[object, Callable[[], None]] = {}
        self._last = 0.0
        """When the event loop did something last."""

    def subscribe(self, changed: Callable[[], None]) -> Callable[[], None]:
        """Call `changed` whenever something may look different; returns how to stop that. For any thread."""
        key = object()
        self._subscribers[key] = changed
        self._ui.later(self._follow)

        def stop() -> None:
            if self._subscribers.pop(key, None) is not None:
                self._ui.later(self._follow)

        return stop

    def idle(self, timeout: float) -> None:
        """Return once the event loop has nothing left to do; UiBusy if it always has."""
        began = time.monotonic()
        stop = self.subscribe(_nothing)
        try:
            while True:
                left = timeout - (time.monotonic() - began)
                quiet = self._ui.look(lambda: time.monotonic() - max(self._last, began), max(left, 0))
                if quiet >= _FRAME or time.monotonic() - began > _SETTLED:
                    return
                if left <= 0:
                    raise UiBusy(f"the program was not idle after {timeout:.3g} s", started=True)
                self._ui.pause(min(_FRAME - quiet, left))
        finally:
            stop()

    def close(self) -> None:
        """Stop watching; on the GUI thread."""
        self._subscribers.clear()
        self._follow()

    def _follow(self) -> None:
        self._ui.rounds.follow(self._round if self._subscribers else None)

    def _round(self) -> None:
        self._last = time.monotonic()
        for changed in tuple(self._subscribers.values()):
            changed()


def _nothing() -> None:
    pass
