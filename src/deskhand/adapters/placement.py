"""Whether the window system has done what a program asked of it: for adapters inside a program, on X11.

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
    as_focus,
    as_viewable,
    attributes,
    geometry,
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


class Placement:
    """Compares what a program believes of its windows with what the display says. For any thread."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._lock = threading.Lock()
        self._patience = _PATIENCE
        self._accepted: frozenset[str] = frozenset()

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

        `rest` waits so long until the program is idle, and says what it believes at that moment. What differs
        for a second is taken to stay so, is returned, and is not waited for again.
        """
        began = time.monotonic()
        differs_since: float | None = None
        while True:
            belief = rest(max(0.0, timeout - (time.monotonic() - began)))
            try:
                found = self._check(belief, max(0.0, timeout - (time.monotonic() - began)))
            except ConnectFailed:
                # Fallback: the display is gone, and with it every window that could move.
                return frozenset()
            now = time.monotonic()
            # Not from the beginning: a program that was busy for long has not disagreed for long.
            differs_since = now if differs_since is None else differs_since
            if found <= self._accepted or now - differs_since > _DISAGREEMENT:
                self._accepted = found
                return found
            if now - began >= timeout:
                raise UiBusy(
                    f"the windows were not settled after {timeout:g} s: {', '.join(sorted(found))}",
                    started=True,
                )
            time.sleep(_PAUSE)  # a program does not say that it has yet to read what the display sent it

    def _check(self, belief: Belief, timeout: float) -> frozenset[str]:
        """What differs once the window manager has handled all it was sent."""
        with self._lock:
            answered = self._connection.manager_caught_up(min(self._patience, timeout))
            self._patience = _PROBE if answered is False else _PATIENCE
            return frozenset(self._differences(belief))

    def _differences(self, belief: Belief) -> list[str]:
        """Where the display says otherwise."""
        questions = [input_focus()]
        for window in belief.windows:
            questions += [
                attributes(window.id), geometry(window.id), translate(window.id, self._connection.root)
            ]  # fmt: skip
        focus, *answers = self._connection.ask(*questions)
        found = []
        for number, window in enumerate(belief.windows):
            shown, size, origin = answers[3 * number : 3 * number + 3]
            if as_viewable(shown) is not window.shown:
                found.append(f"whether window {window.id:#x} is shown")
            elif window.shown and not _close(as_area(size, origin), window.area, window.tolerance):
                found.append(f"the bounds of window {window.id:#x}")
        focused = as_focus(focus)
        if belief.focus_known:
            found += [
                f"whether window {window.id:#x} has the focus"
                for window in belief.windows
                if window.focused is not (window.id == focused)
            ]
        return found


def _close(area: Rect | None, believed: Rect, tolerance: int) -> bool:
    return area is not None and all(
        abs(one - other) <= tolerance for one, other in zip(area, believed, strict=True)
    )
