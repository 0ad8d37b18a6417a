"""Whether the window system has done what a program asked of it, on X11, as far as adapters can tell.

A window that a program shows is placed, mapped and given the focus by the window manager, which is another
process; the program hears of it later. Until both agree, positions and the focus are about to change.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ..model.errors import ConnectFailed, UiBusy
from ..model.node import Rect
from ..x11 import (
    Connection,
    as_area,
    as_bytes,
    as_focus,
    as_numbers,
    as_parent,
    as_viewable,
    attributes,
    family,
    geometry,
    get_property,
    input_focus,
    parse_display,
    read_cookie,
    translate,
)

_PATIENCE = 2.0
"""How long the window manager may take to handle what it was sent, in seconds."""
_PROBE = 0.05
"""The same for one that did not answer the last time."""
_DISAGREEMENT = 1.0
"""After so long, in seconds, a difference is taken to be permanent, such as a window on another workspace."""
_QUIET = 0.15
"""For how long windows that have changed must not change again, in seconds."""
_CONNECT = 2.0
_PAUSE = 0.005


@dataclass(frozen=True)
class Believed:
    """A window that the window manager manages, as the program has it."""

    id: int
    shown: bool
    area: Rect
    """Inside the frame, in pixels of the display."""
    focused: bool
    tolerance: int = 0
    """By how many pixels the area may be rounded."""


@dataclass(frozen=True)
class Belief:
    """All such windows of a program at one moment."""

    windows: Sequence[Believed] = ()
    focus_known: bool = True
    """False while the focus is in a window that the window manager does not manage, such as a menu."""


@dataclass(frozen=True)
class Managed:
    """A window as its manager has it."""

    id: int
    title: str
    frame: tuple[int, int, int, int]
    """How wide the frame is: left, right, top, bottom."""


@dataclass(frozen=True)
class _Seen:
    """Some windows as the display has them."""

    areas: Mapping[int, tuple[bool, Rect | None]]
    """Whether each is shown, and where; nowhere if it is gone."""
    focused: int


class Placement:
    """Compares what a program believes of its windows with what the display says. For any thread."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._lock = threading.Lock()
        self._patience = _PATIENCE
        self._accepted: frozenset[str] = frozenset()
        self._settled: tuple[Belief, _Seen] | None = None

    @classmethod
    def open(cls, env: Mapping[str, str]) -> Placement | None:
        """None where there is no display to ask."""
        try:
            host, number = parse_display(env.get("DISPLAY", ""))
            return cls(Connection(number, read_cookie(env, number), _CONNECT, host=host))
        except ConnectFailed:
            # Fallback: without a display there is no window manager that anything could wait for.
            return None

    def close(self) -> None:
        self._connection.close()

    def wait(self, rest: Callable[[float], Belief], timeout: float) -> frozenset[str]:
        """Return once the program has heard of all that the window system did; UiBusy if not in time.

        `rest` waits so long until the program is idle, and says what it believes at that moment. Windows
        that have changed since the last call must then stay unchanged for a while: a toolkit may take for
        done what it only asked for. What differs for a second is taken to stay so, is returned, and is not
        waited for again.
        """
        began = time.monotonic()
        differs_since: float | None = None
        state, changed = self._settled, -_QUIET

        def left() -> float:
            return max(0.0, timeout - (time.monotonic() - began))

        while True:
            try:
                belief = rest(left())
                self._catch_up(left())
                seen = self._seen([window.id for window in belief.windows])
            except ConnectFailed:
                # Fallback: the display is gone, and with it every window that could move.
                return frozenset()
            found = frozenset(_differences(belief, seen))
            now = time.monotonic()
            if (belief, seen) != state:
                state, changed = (belief, seen), now
            # Not from the beginning: a program that was busy for long has not disagreed for long.
            differs_since = now if differs_since is None else differs_since
            agreed = found <= self._accepted or now - differs_since > _DISAGREEMENT
            if agreed and now - changed >= _QUIET:
                self._accepted, self._settled = found, state
                return found
            if now - began >= timeout:
                what = ", ".join(sorted(found)) or "their bounds or the focus changed just now"
                raise UiBusy(f"the windows were not settled after {timeout:g} s: {what}", started=True)
            time.sleep(_PAUSE)  # a program does not say that it has yet to read what the display sent it

    def managed(self, pid: int) -> list[Managed]:
        """The windows of a process that the window manager manages."""
        root = self._connection.root
        names = ("_NET_WM_PID", "_NET_WM_NAME", "_NET_FRAME_EXTENTS")
        atoms = self._connection.atoms(*names)
        listed = self._connection.numbers(root, "_NET_CLIENT_LIST")
        answers = self._connection.ask(*(get_property(window, atom) for window in listed for atom in atoms))
        found = []
        for number, window in enumerate(listed):
            owner, title, frame = answers[3 * number : 3 * number + 3]
            if as_numbers(owner) == (pid,):
                left, right, top, bottom = as_numbers(frame) or (0, 0, 0, 0)
                text = as_bytes(title).decode("utf-8", "replace")
                found.append(Managed(window, text, (left, right, top, bottom)))
        return found

    def _catch_up(self, timeout: float) -> None:
        """Wait until the window manager has handled all it was sent."""
        with self._lock:
            answered = self._connection.manager_caught_up(min(self._patience, timeout))
            self._patience = _PROBE if answered is False else _PATIENCE

    def _seen(self, windows: Sequence[int]) -> _Seen:
        """What the display says of some windows."""
        questions = [input_focus()]
        for window in windows:
            questions += [attributes(window), geometry(window), translate(window, self._connection.root)]
        focus, *answers = self._connection.ask(*questions)
        areas = {}
        for number, window in enumerate(windows):
            shown, size, origin = answers[3 * number : 3 * number + 3]
            areas[window] = (as_viewable(shown), as_area(size, origin))
        return _Seen(areas, self._top(as_focus(focus), windows))

    def _top(self, focused: int, windows: Sequence[int]) -> int:
        """The window that has the focus; GTK gives it to a child that is never seen."""
        if focused in windows or focused <= 1 or focused == self._connection.root:
            return focused
        (answer,) = self._connection.ask(family(focused))
        return as_parent(answer)


def _differences(belief: Belief, seen: _Seen) -> list[str]:
    """Where the display says otherwise."""
    found = []
    for window in belief.windows:
        shown, area = seen.areas[window.id]
        if shown is not window.shown:
            found.append(f"whether window {window.id:#x} is shown")
        elif window.shown and not _close(area, window.area, window.tolerance):
            found.append(f"the bounds of window {window.id:#x}")
        if belief.focus_known and window.focused is not (window.id == seen.focused):
            found.append(f"whether window {window.id:#x} has the focus")
    return found


def _close(area: Rect | None, believed: Rect, tolerance: int) -> bool:
    return area is not None and all(
        abs(one - other) <= tolerance for one, other in zip(area, believed, strict=True)
    )
