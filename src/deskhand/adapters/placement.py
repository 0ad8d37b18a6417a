"""When the windows of a program are settled, for every adapter; on X11 as the display says.

A window that a program shows is placed, mapped and given the focus by the window manager, which is another
process; the program hears of it later. Until both agree, positions and the focus are about to change. And a
window may open or close a moment after the action that causes it. So windows are settled when all agree, and
nothing has changed for a while since the last such action.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from ..model import operations as ops
from ..model.errors import ConnectFailed, UiBusy
from ..model.node import Rect
from ..model.operations import Action
from ..x11 import (
    Connection,
    as_area,
    as_bytes,
    as_children,
    as_focus,
    as_numbers,
    as_parent,
    as_unmanaged,
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
QUIET = 0.15
"""For how long windows must not change after an action, or after they have changed, in seconds."""
GTK_HOLD = 0.25
"""For how long GTK holds a button down that a key or accessibility presses, before anything happens."""
_QUIET_EVENTS = 0.1
"""For how long a program whose events are followed must send none, in seconds."""
_CONNECT = 2.0
_PAUSE = 0.005
_STEP = 0.02
_WITHOUT_WINDOWS = (ops.Focus, ops.Hover, ops.MouseDown, ops.Scroll, ops.SetValue)
"""Actions that open and close no window, as a rule."""


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
    also: object = None
    """Whatever else must not change."""
    busy: str = ""
    """What the program is still about to do, if it says so."""


@dataclass(frozen=True)
class Managed:
    """A window as its manager has it."""

    id: int
    title: str
    frame: tuple[int, int, int, int]
    """How wide the frame is: left, right, top, bottom."""


@dataclass(frozen=True)
class _Seen:
    """Windows as the display has them."""

    areas: Mapping[int, tuple[bool, Rect | None]]
    """Whether each that the program believes in is shown, and where; nowhere if it is gone."""
    focused: int
    shown: frozenset[tuple[int, Rect]] = frozenset()
    """Those of some processes that are shown, menus included, whatever the program believes."""


_NOTHING_SEEN = _Seen({}, 0)


def may_open_a_window(action: Action) -> bool:
    """Whether a window may open or close because of an action."""
    if isinstance(action, ops.TypeText):
        return action.submit or "\n" in action.text
    return not isinstance(action, _WITHOUT_WINDOWS)


class Placement:
    """Compares what a program believes of its windows with what the display says. For any thread."""

    def __init__(
        self, connection: Connection | None = None, whose: Callable[[int], bool] | None = None
    ) -> None:
        """`whose` says of a process id whether its windows are followed, also those no belief mentions."""
        self._connection: Connection | None = None
        self._whose = whose
        self._lock = threading.Lock()
        self._patience = _PATIENCE
        self._accepted: frozenset[str] = frozenset()
        self._settled: tuple[Belief, _Seen] | None = None
        self._heard: object = None
        self._due = self._late = -QUIET
        """Until when windows may open and close because of the last action; if it takes effect late."""
        self._sought = connection is not None
        if connection is not None:
            self._follow(connection)

    def connect(self, env: Mapping[str, str]) -> None:
        """Ask the display that an environment leads to; without one, belief and time alone decide."""
        with self._lock:
            if self._sought:
                return
            self._sought = True
            with contextlib.suppress(ConnectFailed):
                # Fallback: without a display there is no window manager that anything could wait for.
                host, number = parse_display(env.get("DISPLAY", ""))
                self._follow(Connection(number, read_cookie(env, number), _CONNECT, host=host))

    @property
    def connected(self) -> bool:
        """Whether a display was looked for."""
        return self._sought

    def _follow(self, connection: Connection) -> None:
        connection.follow_windows()
        self._connection = connection

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()

    def acted(self, action: Action, lag: float = 0.0) -> None:
        """An action was performed just now; its program may take so long (`lag`) before it begins with it."""
        if may_open_a_window(action):
            self._due = max(self._due, time.monotonic() + QUIET)
            self._late = max(self._late, self._due + lag)

    def wait(
        self,
        rest: Callable[[float], Belief],
        timeout: float,
        heard: Callable[[], object] = lambda: None,
    ) -> frozenset[str]:
        """Return once the program has heard of all that the window system did; UiBusy if not in time.

        `rest` waits so long until the program is idle, and says what it believes at that moment. Windows
        that have changed since the last call must then stay unchanged for a while, and so after an action: a
        toolkit may take for done what it only asked for. What differs for a second is taken to stay so, is
        returned, and is not waited for again. `heard` gives another value after each event of the program.
        """
        began = time.monotonic()
        differs_since: float | None = None
        state, changed, first = self._settled, -QUIET, True
        sound, sounded = self._heard, -QUIET

        def left() -> float:
            return max(0.0, timeout - (time.monotonic() - began))

        while True:
            # What was due by now has happened when the program is idle again.
            asked = time.monotonic()
            if (now_heard := heard()) != sound:
                sound, sounded = now_heard, asked
            try:
                belief = rest(left())
                self._catch_up(left())
                seen = self._seen([window.id for window in belief.windows])
            except ConnectFailed:
                # Fallback: the display is gone, and with it every window that could move.
                return frozenset()
            found = frozenset(() if self._connection is None else _differences(belief, seen))
            now = time.monotonic()
            if (belief, seen) != state:
                if not first and state is not None and state[1].shown != seen.shown:
                    self._late = now  # the action has taken effect
                state, changed = (belief, seen), now
            first = False
            # Not from the beginning: a program that was busy for long has not disagreed for long.
            differs_since = now if differs_since is None else differs_since
            agreed = not belief.busy and (found <= self._accepted or now - differs_since > _DISAGREEMENT)
            quiet_at = max(changed + QUIET, sounded + _QUIET_EVENTS, self._due, self._late)
            if agreed and asked >= quiet_at and heard() == sound:
                self._accepted, self._settled, self._heard = found, state, sound
                return found
            if now - began >= timeout:
                what = belief.busy or ", ".join(sorted(found)) or "something changed just now"
                message = f"the windows were not settled after {timeout:.3g} s: {what}"
                raise UiBusy(message, started=True, restless=True)
            if not agreed:
                # Longer where a program has to be asked from outside.
                time.sleep(
                    _STEP if belief.busy else _PAUSE
                )  # a program does not say that it has yet to read what the display sent it
                continue
            try:
                self._quiet_until(min(quiet_at, began + timeout), partial(_differs, heard, sound))
            except ConnectFailed:
                # Fallback: as above.
                return frozenset()

    def _quiet_until(self, moment: float, disturbed: Callable[[], bool]) -> None:
        """Wait until then, or until something happens to the windows or in the program."""
        while (left := moment - time.monotonic()) > 0 and not disturbed():
            if self._connection is None:
                time.sleep(min(left, _STEP))
            elif self._connection.windows_changed(min(left, _STEP)):
                return
            if self._whose is None:
                return  # what the program believes has to be asked for

    def managed(self, pid: int) -> list[Managed]:
        """The windows of a process that the window manager manages."""
        if self._connection is None:
            return []
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
        if self._connection is None:
            return
        with self._lock:
            answered = self._connection.manager_caught_up(min(self._patience, timeout))
            self._patience = _PROBE if answered is False else _PATIENCE

    def _seen(self, windows: Sequence[int]) -> _Seen:
        """What the display says of some windows, and of all that are followed."""
        if self._connection is None:
            return _NOTHING_SEEN
        questions = [input_focus()]
        for window in windows:
            questions += [attributes(window), geometry(window), translate(window, self._connection.root)]
        focus, *answers = self._connection.ask(*questions)
        areas = {}
        for number, window in enumerate(windows):
            shown, size, origin = answers[3 * number : 3 * number + 3]
            areas[window] = (as_viewable(shown), as_area(size, origin))
        if self._whose is None:
            return _Seen(areas, self._top(as_focus(focus), windows))
        followed = self._followed(self._connection, self._whose)
        top = self._top(as_focus(focus), [window for window, _ in followed])
        return _Seen(areas, top if any(window == top for window, _ in followed) else 0, followed)

    @staticmethod
    def _followed(display: Connection, whose: Callable[[int], bool]) -> frozenset[tuple[int, Rect]]:
        """The windows of some processes that are shown, those without a window manager included."""
        pid, managed = display.atoms("_NET_WM_PID", "_NET_CLIENT_LIST")
        listed, family_of_root = display.ask(get_property(display.root, managed), family(display.root))
        clients = as_numbers(listed)
        others = tuple(window for window in as_children(family_of_root) if window not in clients)
        questions = []
        for window in (*clients, *others):
            questions += [attributes(window), geometry(window), translate(window, display.root)]
            questions += [get_property(window, pid), family(window)]
        answers = display.ask(*questions) if questions else []
        found = set()
        for number, window in enumerate((*clients, *others)):
            shown, size, origin, owner, inner = answers[5 * number : 5 * number + 5]
            area = as_area(size, origin)
            if area is None or not as_viewable(shown):
                continue
            # A frame that the window manager made moves and goes with what is in it.
            frame = not set(clients).isdisjoint(as_children(inner))
            if window not in clients and (frame or not as_unmanaged(shown)):
                continue
            # A window that does not say whose it is may be any program's, and so this one's.
            process = (as_numbers(owner) or (0,))[0]
            if process == 0 or whose(process):
                found.add((window, area))
        return frozenset(found)

    def _top(self, focused: int, windows: Sequence[int]) -> int:
        """The window that has the focus; GTK gives it to a child that is never seen."""
        if self._connection is None or focused in windows or focused in (0, 1, self._connection.root):
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


def _differs(heard: Callable[[], object], before: object) -> bool:
    return heard() != before


def _close(area: Rect | None, believed: Rect, tolerance: int) -> bool:
    return area is not None and all(
        abs(seen - other) <= tolerance for seen, other in zip(area, believed, strict=True)
    )
