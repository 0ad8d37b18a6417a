"""Keeps real input within an app: on a display it reaches only windows of processes that are allowed.

Whether it does is looked up and the input made while the display does nothing for other programs, so that no
window can come in between.
"""

from __future__ import annotations

import struct
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ..model.errors import Refused
from ..x11 import Connection, as_child, as_focus, as_parent, child_at, child_below, family, input_focus
from .scope import process_name

_GRAB_SERVER, _UNGRAB_SERVER, _QUERY_POINTER = 36, 37, 38
_BY_POINTER = 1
"""What the display says instead of a window if keys go to the window under the pointer."""
_COMES = 1.0
"""How long the focus may take to come to the app, in seconds, as it does when a window was raised."""


class Fence:
    """Around the windows of some processes of a display."""

    def __init__(self, display: Connection, allowed: Callable[[int], bool], *, shared: bool = False) -> None:
        """`allowed` says whether the windows of a process may be reached; `shared` why not all may be."""
        self._display = display
        self._allowed = allowed
        self._shared = shared

    @contextmanager
    def pointer(self, x: float, y: float) -> Iterator[None]:
        """For input at a point. Refused if the window there is another app's, or if there is none."""
        with self._alone():
            owner = self._owner_at(round(x), round(y))
            if not self._may(owner):
                what = f"a window of {_named(owner)}" if owner else "no window"
                raise self._outside(f"at {x:g}, {y:g} there is {what}")
            yield

    @contextmanager
    def keys(self) -> Iterator[None]:
        """For input by keys. Refused if another app has the focus."""
        deadline = time.monotonic() + _COMES
        while True:
            with self._alone():
                owner = self._owner_of_focus()
                if self._may(owner):
                    yield
                    return
            if time.monotonic() > deadline:
                who = f"{_named(owner)} has the focus" if owner else "no window has the focus"
                raise self._outside(f"keys would go elsewhere: {who}")
            time.sleep(0.02)  # no event says when the window manager has given the focus

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """The display does nothing for other programs meanwhile."""
        self._display.tell(struct.pack("<BxH", _GRAB_SERVER, 1))
        try:
            yield
        finally:
            self._display.tell(struct.pack("<BxH", _UNGRAB_SERVER, 1))

    def _outside(self, why: str) -> Refused:
        if self._shared:
            hints = ("name an element of this app", "or give the focus to a window of it first")
            return Refused(f"{why}; the app shares its desktop with others", suggestions=hints)
        return Refused(
            f"{why}; this server is for one app only",
            suggestions=("name an element of the app", "or serve the whole desktop, without --app"),
        )

    def _may(self, owner: int) -> bool:
        return owner != 0 and self._allowed(owner)

    def _owner_at(self, x: int, y: int) -> int:
        """The process of the window at a point, below the frames that a window manager adds; 0 if unknown."""
        display = self._display
        window = as_child(display.ask(child_at(display.root, x, y))[0])
        outermost = window
        while window:
            below = as_child(display.ask(child_below(display.root, window, x, y))[0])
            if not below:
                break
            window = below
        owner = self._owner(window)
        # On the frame itself, which is the window manager's: whose window is in it?
        return self._framed(outermost) or owner if owner == self._manager() else owner

    def _owner_of_focus(self) -> int:
        display = self._display
        window = as_focus(display.ask(input_focus())[0])
        if window == _BY_POINTER:
            answer = display.ask(struct.pack("<BxHI", _QUERY_POINTER, 2, display.root))[0]
            x, y = (0, 0) if answer is None else struct.unpack_from("<hh", answer, 16)
            return self._owner_at(x, y)
        return self._owner(window)

    def _owner(self, window: int) -> int:
        if not window or window == self._display.root:
            return 0
        return self._display.process_of(window) or next(iter(self._display.numbers(window, "_NET_WM_PID")), 0)

    def _manager(self) -> int:
        """The process of the window manager; -1 if there is none."""
        check = next(iter(self._display.numbers(self._display.root, "_NET_SUPPORTING_WM_CHECK")), 0)
        return self._display.process_of(check) if check else -1

    def _framed(self, frame: int) -> int:
        """The process of the window in a frame of the window manager."""
        display = self._display
        for window in display.numbers(display.root, "_NET_CLIENT_LIST"):
            around = window
            while around and around != display.root:
                if around == frame:
                    return self._owner(window)
                around = as_parent(display.ask(family(around))[0])
        return 0


def _named(pid: int) -> str:
    return f"'{process_name(pid)}' (pid {pid})"
