"""When something may look different, and when the program has become idle. No polling.

Whatever the GUI thread runs may change something: that it ran anything is reported, once after each read. The
GUI thread then reads by itself, before wx asks all windows whether they are up to date: followers are given
what it read, other subscribers wake up meanwhile and come to ask. Whether the program is idle is seen by what
it paints and which events it has: by a filter that sees all of them, which costs time with each, and is there
only while a call waits for that. Where there is no GTK, that filter reports the changes too.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

import wx

from ...model.errors import UiBusy
from ...model.tree import Tree
from .gtk import gtk
from .read import Reader
from .thread import UiThread

T = TypeVar("T")

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
    """Notifies subscribers that something may look different, and callers that the program is idle."""

    def __init__(self, ui: UiThread, reader: Reader) -> None:
        self._ui = ui
        self._reader = reader
        self._subscribers: dict[object, Callable[[], None]] = {}
        self._followers: dict[object, Callable[[Tree | None], None]] = {}
        self._filter: _Filter | None = None
        self._last = 0.0
        """When something changed last."""
        ui.change_watch.ended = self._look_and_tell

    # -- from any thread -------------------------------------------------------------------------

    def subscribe(self, changed: Callable[[], None]) -> Callable[[], None]:
        """Call `changed` whenever something may look different; returns how to stop that."""
        return self._add(self._subscribers, changed)

    def follow(self, changed: Callable[[Tree | None], None]) -> Callable[[], None]:
        """The same for callers that then read all windows: with these, where the GUI thread read them."""
        return self._add(self._followers, changed)

    def _add(self, those: dict[object, T], changed: T) -> Callable[[], None]:
        key = object()
        those[key] = changed
        self._ui.later(self._begin)

        def stop() -> None:
            if those.pop(key, None) is not None and self._filter is not None:
                self._ui.later(self._filter_if_wanted)

        return stop

    def idle(self, timeout: float) -> None:
        """Return once the program is idle; UiBusy if it does not become idle in time."""
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
        self._ui.change_watch.ended = None
        self._subscribers.clear()
        self._followers.clear()
        self._filter_if_wanted()

    # -- on the GUI thread -----------------------------------------------------------------------

    def _begin(self) -> None:
        self._ui.change_watch.number()  # whose end is reported
        self._filter_if_wanted()

    def _filter_if_wanted(self) -> None:
        wanted = _ignore in tuple(self._subscribers.values())
        if gtk is None:
            wanted = bool(self._subscribers or self._followers)
        if wanted and self._filter is None:
            self._filter = _Filter(self._changed)
            wx.EvtHandler.AddFilter(self._filter)
        elif not wanted and self._filter is not None:
            wx.EvtHandler.RemoveFilter(self._filter)
            self._filter = None

    def _look_and_tell(self) -> None:
        awaited = self._followers or any(
            subscriber is not _ignore for subscriber in tuple(self._subscribers.values())
        )
        looks = awaited and time.monotonic() >= self._reader.eased
        if looks:
            self._ui.soon(self._look_for_followers)
        else:
            self._tell_followers(None)
        self._tell()

    def _look_for_followers(self) -> None:
        tree = None
        try:
            tree = self._reader.read()
        finally:
            self._tell_followers(tree)

    def _quiet(self, began: float) -> float:
        """For how long nothing has changed, since a call began to wait; 0 while something is to be done."""
        if wx.GetApp().HasPendingEvents():
            return 0.0
        return time.monotonic() - max(self._last, began)

    def _changed(self) -> None:
        self._last = time.monotonic()
        if gtk is None:
            self._tell_followers(None)
            self._tell()

    def _tell(self) -> None:
        for changed in tuple(self._subscribers.values()):
            changed()

    def _tell_followers(self, tree: Tree | None) -> None:
        for changed in tuple(self._followers.values()):
            # Each has one of its own, for it is given a number.
            changed(None if tree is None else tree.again(tree.windows, tree.focused, tree.captured_at))


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
