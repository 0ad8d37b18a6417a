"""When something may look different, and when the program has come to rest. No polling.

Whatever changes what can be seen makes its window repaint. wx tells that of what it paints itself: a filter
that sees all its events; GTK of all else. What is out of sight is not painted: that the program did something
at all is told too, after a look. Then the GUI thread looks at once, while those who are told wake up and come
to ask: after that, wx asks all windows whether they are up to date. All of this only while somebody wants to
know.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock

import wx

from ...model.errors import UiBusy
from .gtk import gtk
from .read import Reader
from .thread import UiThread

_SETTLED = 0.5
"""After so long, a program that goes on repainting is taken to be animated, not busy."""
_FRAME = 0.02
"""GTK lays out and paints at most so long after a change."""
_TELLING = frozenset(
    getattr(wx, name).typeId
    for name in (
        "EVT_PAINT", "EVT_SHOW", "EVT_SIZE", "EVT_MOVE", "EVT_ACTIVATE", "EVT_ICONIZE", "EVT_MAXIMIZE",
        "EVT_CLOSE", "EVT_WINDOW_CREATE", "EVT_WINDOW_DESTROY", "EVT_SET_FOCUS", "EVT_KILL_FOCUS",
        "EVT_MENU_OPEN", "EVT_MENU_CLOSE",
    )
)  # fmt: skip

_UPDATE = wx.EVT_UPDATE_UI.typeId


class Changes:
    """Tells subscribers that something may look different, and callers that the program is at rest."""

    def __init__(self, ui: UiThread, reader: Reader) -> None:
        self._ui = ui
        self._reader = reader
        self._lock = Lock()
        self._subscribers: dict[object, Callable[[], None]] = {}
        self._filter: _Filter | None = None
        self._last = 0.0
        """When something changed last."""

    # -- from any thread -------------------------------------------------------------------------

    def subscribe(self, changed: Callable[[], None]) -> Callable[[], None]:
        """Call `changed` whenever something may look different; returns how to stop that."""
        key = object()
        with self._lock:
            self._subscribers[key] = changed
            self._ui.later(self._watch)

        def stop() -> None:
            with self._lock:
                if self._subscribers.pop(key, None) is not None and not self._subscribers:
                    self._ui.later(self._watch)

        return stop

    def idle(self, timeout: float) -> None:
        """Return once the program is at rest; UiBusy if it does not come to rest in time."""
        began = time.monotonic()
        stop = self.subscribe(_ignore)
        try:
            while True:
                left = timeout - (time.monotonic() - began)
                quiet = self._ui.look(lambda: self._quiet(began), max(left, 0))
                if quiet >= _FRAME or time.monotonic() - began > _SETTLED:
                    return
                if left <= 0:
                    raise UiBusy(f"the program was not at rest after {timeout:g} s", started=True)
                self._ui.pause(min(_FRAME - quiet, left))
        finally:
            stop()

    def close(self) -> None:
        """Stop watching; call it on the GUI thread."""
        with self._lock:
            self._subscribers.clear()
        self._watch()

    # -- on the GUI thread -----------------------------------------------------------------------

    def _watch(self) -> None:
        wanted = bool(self._subscribers)
        if wanted and self._filter is None:
            self._filter = _Filter(self._changed)
            wx.EvtHandler.AddFilter(self._filter)
            self._ui.stillness.ended = self._look_and_tell
            if gtk is not None:
                gtk.watch_painting(self._tell)
        elif not wanted and self._filter is not None:
            wx.EvtHandler.RemoveFilter(self._filter)
            self._filter = None
            self._ui.stillness.ended = None
            if gtk is not None:
                gtk.watch_painting(None)

    def _look_and_tell(self) -> None:
        awaited = any(changed is not _ignore for changed in tuple(self._subscribers.values()))
        if awaited and time.monotonic() >= self._reader.eased:
            self._ui.soon(self._reader.read)
        self._tell()

    def _quiet(self, began: float) -> float:
        """For how long nothing has changed, since somebody began to wait; 0 while something is to be done."""
        if wx.GetApp().HasPendingEvents():
            return 0.0
        return time.monotonic() - max(self._last, began)

    def _changed(self) -> None:
        self._last = time.monotonic()
        self._tell()

    def _tell(self) -> None:
        for changed in tuple(self._subscribers.values()):
            changed()


def _ignore() -> None:
    """For who only wants to know when something changed last."""


class _Filter(wx.EventFilter):  # type: ignore[misc]  # wx has no types that mypy reads
    """Sees every event before it is handled, and lets it pass."""

    def __init__(self, changed: Callable[[], None]) -> None:
        super().__init__()
        self._changed = changed

    def FilterEvent(self, event: wx.Event) -> int:
        kind = event.GetEventType()
        # wx asks all windows all the time whether they are up to date; if one is not, it is painted.
        if kind in _TELLING or (kind != _UPDATE and event.IsCommandEvent()):
            self._changed()
        return -1  # go on with it
