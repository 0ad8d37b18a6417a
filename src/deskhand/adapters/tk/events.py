"""When something may look different, and when the program is idle.

Tk does not announce what changes. Whatever changes something is run by the event loop: so each time this has
worked and is about to wait again, something may look different, unless all it ran was a job of ours.
"""

from __future__ import annotations

from collections.abc import Callable

from .thread import UiThread


class Changes:
    """Notifies subscribers that something may look different."""

    def __init__(self, ui: UiThread) -> None:
        self._ui = ui
        self._subscribers: dict[object, Callable[[], None]] = {}

    def subscribe(self, changed: Callable[[], None]) -> Callable[[], None]:
        """Call `changed` whenever something may look different; returns how to stop that. For any thread."""
        key = object()
        self._subscribers[key] = changed
        # Fallback: without the functions of Tcl that tell of rounds, callers find changes by polling alone.
        self._ui.later(self._follow)

        def stop() -> None:
            if self._subscribers.pop(key, None) is not None:
                self._ui.later(self._follow)

        return stop

    def close(self) -> None:
        """Stop watching; on the GUI thread."""
        self._subscribers.clear()
        self._follow()

    def _follow(self) -> None:
        self._ui.native.follow_rounds(self._round if self._subscribers else None)

    def _round(self) -> None:
        ours, self._ui.ours = self._ui.ours, False
        if not ours:
            for changed in tuple(self._subscribers.values()):
                changed()
