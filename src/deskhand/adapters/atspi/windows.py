"""The windows of an X display as the window manager has them (EWMH), and what can be done to them."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from dataclasses import dataclass

from ...model.errors import ActionFailed, ActionUnsupported
from ...model.node import Rect
from ...model.operations import ControlWindow
from ...x11 import (
    as_area,
    as_bytes,
    as_children,
    as_numbers,
    as_unmanaged,
    as_viewable,
    attributes,
    family,
    geometry,
    get_property,
    translate,
)
from ..display import Display

_PROPERTIES = (
    "_NET_WM_PID", "_NET_WM_NAME", "WM_NAME", "_NET_WM_STATE", "_GTK_FRAME_EXTENTS", "_NET_FRAME_EXTENTS",
    "WM_STATE", "WM_TRANSIENT_FOR",
)  # fmt: skip
_SOURCE = 2
"""Says that a person asked for it, so that window managers comply."""
_SETTLE = 4.0
"""How long the window manager may take to do what it was asked for, in seconds."""
_STABLE = 0.03
_UNMOVED = 1.5
"""After how long a window that has not moved at all may count as one that cannot, in seconds."""


@dataclass(frozen=True)
class XWindow:
    """A window as the display has it."""

    id: int
    pid: int
    title: str
    area: Rect
    """What the program draws into, on the screen."""
    shadow: tuple[int, int, int, int] = (0, 0, 0, 0)
    """How much of that is shadow: left, right, top, bottom. Only windows that draw their own frame."""
    frame: tuple[int, int, int, int] = (0, 0, 0, 0)
    """The frame that the window manager adds: left, right, top, bottom."""
    states: frozenset[str] = frozenset()
    active: bool = False
    iconic: bool = False
    owner: int = 0
    """The window that it belongs to, as a dialog does; 0 if to none."""
    popup: bool = False
    """Whether the window manager leaves it alone, as it does menus."""

    @property
    def bounds(self) -> Rect:
        """What a person takes for the window without the window manager's frame."""
        left, right, top, bottom = self.shadow
        x, y, width, height = self.area
        return Rect(x + left, y + top, width - left - right, height - top - bottom)

    @property
    def outline(self) -> Rect:
        """What it takes up on the screen, with the window manager's frame."""
        left, right, top, bottom = self.frame
        x, y, width, height = self.area
        return Rect(x - left, y - top, width + left + right, height + top + bottom)

    @property
    def minimized(self) -> bool:
        return self.iconic or "_NET_WM_STATE_HIDDEN" in self.states

    @property
    def maximized(self) -> bool:
        return {"_NET_WM_STATE_MAXIMIZED_HORZ", "_NET_WM_STATE_MAXIMIZED_VERT"} <= self.states

    @property
    def modal(self) -> bool:
        return "_NET_WM_STATE_MODAL" in self.states


class Windows:
    """The windows of a display."""

    def __init__(self, display: Display) -> None:
        self._display = display
        self._ids: tuple[int, ...] = ()
        self._owners: dict[int, int] = {}
        """The processes of windows that do not say theirs."""

    def all(self) -> list[XWindow]:
        """All windows that the window manager manages, and what it says about them."""
        display = self._display
        names = display.atoms("_NET_CLIENT_LIST", "_NET_ACTIVE_WINDOW")
        atoms = display.atoms(*_PROPERTIES)
        # Most often the windows are those of the last time, and one exchange is enough.
        while True:
            questions = [get_property(display.root, name) for name in names]
            for window in self._ids:
                questions += [geometry(window), translate(window, display.root)]
                questions += [get_property(window, atom) for atom in atoms]
            listed, active, *answers = display.ask(*questions)
            ids = as_numbers(listed)
            if ids == self._ids:
                break
            self._ids = ids
            self._owners = {window: pid for window, pid in self._owners.items() if window in ids}
        each = len(atoms) + 2
        focused = (as_numbers(active) or (0,))[0]
        found = (
            self._window(window, focused, answers[number * each : (number + 1) * each])
            for number, window in enumerate(ids)
        )
        return [window for window in found if window is not None]

    @property
    def any_manager(self) -> bool:
        """Whether there is a window manager at all."""
        return bool(self._display.numbers(self._display.root, "_NET_SUPPORTING_WM_CHECK"))

    def find(self, window: int) -> XWindow | None:
        return next((one for one in self.all() if one.id == window), None)

    def popups(self, pids: Collection[int]) -> list[XWindow]:
        """The windows of some processes that are shown and that the window manager leaves alone."""
        display = self._display
        (answer,) = display.ask(family(display.root))
        windows = as_children(answer)
        shown = display.ask(*map(attributes, windows)) if windows else []
        candidates = [
            self.popup(window)
            for window, seen in zip(windows, shown, strict=True)
            if as_viewable(seen) and as_unmanaged(seen)
        ]
        return [one for one in candidates if one is not None and one.pid in pids]

    def popup(self, window: int) -> XWindow | None:
        """A window that is shown and that the window manager leaves alone; None if it is not one."""
        display = self._display
        pid_atom, name_atom = display.atoms("_NET_WM_PID", "WM_NAME")
        shown, size, origin, pid, name = display.ask(
            attributes(window),
            geometry(window),
            translate(window, display.root),
            get_property(window, pid_atom),
            get_property(window, name_atom),
        )
        area = as_area(size, origin)
        if area is None or not as_viewable(shown) or not as_unmanaged(shown):
            return None
        # What cannot be seen is for the program's own purposes.
        on_screen = area.intersection(Rect(0, 0, display.width, display.height))
        if on_screen is None or min(area.width, area.height) <= 1:
            return None
        process = (as_numbers(pid) or (0,))[0] or display.process_of(window)
        return XWindow(window, process, as_bytes(name).decode("utf-8", "replace"), area, popup=True)

    def at(self, x: float, y: float) -> XWindow | None:
        """The uppermost window at a point of the screen."""
        order = self._display.numbers(self._display.root, "_NET_CLIENT_LIST_STACKING")
        here = {
            one.id: one
            for one in self.all()
            if not one.minimized and one.outline.intersection(Rect(x, y, 1, 1)) is not None
        }
        return next((here[window] for window in reversed(order) if window in here), None)

    def covered(self, window: XWindow, place: Rect) -> bool:
        """Whether another window is above this one within an area."""
        order = self._display.numbers(self._display.root, "_NET_CLIENT_LIST_STACKING")
        above = set(order[order.index(window.id) + 1 :]) if window.id in order else set()
        return any(
            one.id in above and not one.minimized and one.outline.intersection(place) is not None
            for one in self.all()
        )

    def _window(self, window: int, focused: int, answers: list[bytes | None]) -> XWindow | None:
        size, place, pid, name, old_name, states, shadow, frame, wm_state, owner = answers
        area = as_area(size, place)
        if area is None:
            return None
        title = as_bytes(name) or as_bytes(old_name)
        return XWindow(
            window,
            (as_numbers(pid) or (0,))[0] or self._owner(window),
            title.decode("utf-8", "replace"),
            area,
            _four(as_numbers(shadow)),
            _four(as_numbers(frame)),
            frozenset(self._display.atom_name(atom) for atom in as_numbers(states)),
            window == focused,
            (as_numbers(wm_state) or (1,))[0] == 3,
            (as_numbers(owner) or (0,))[0],
        )

    def _owner(self, window: int) -> int:
        """The process of a window that does not say it, as those of Tk and of old X programs."""
        if window not in self._owners:
            self._owners[window] = self._display.process_of(window)
        return self._owners[window]

    # -- doing ---------------------------------------------------------------------------------

    def control(self, window: XWindow, action: ControlWindow) -> str:
        """Do what an action asks for; how, and what came of it."""
        match action.do:
            case "focus":
                self.activate(window)
            case "move":
                self.place(window, action.x, action.y, None, None)
            case "resize":
                self.place(window, None, None, action.width, action.height)
            case "minimize":
                self.minimize(window)
            case "maximize":
                self.maximize(window)
            case "restore":
                self.restore(window)
            case "close":
                before = {one.id for one in self.all()}
                asked = self.close(
                    window, lambda: any(one.id not in before and one.pid == window.pid for one in self.all())
                )
                if asked is not None:
                    return asked
        return "by the window manager"

    def activate(self, window: XWindow) -> None:
        """Bring a window to the front and give it the focus."""
        if window.active and not window.minimized:
            return
        self._display.message(window.id, "_NET_ACTIVE_WINDOW", _SOURCE, 0, 0)
        self._until(window, "focused", lambda now: now is not None and now.active)

    def to_front(self, window: XWindow) -> None:
        """Ask for a window to be above all others, whether or not it has the focus."""
        self._display.message(window.id, "_NET_ACTIVE_WINDOW", _SOURCE, 0, 0)

    def place(
        self, window: XWindow, x: float | None, y: float | None, width: float | None, height: float | None
    ) -> XWindow:
        """Move and resize; answers with the window as it came out, which its program may limit."""
        left, right, top, bottom = window.shadow
        flags = 10 | _SOURCE << 12  # static gravity: the numbers are of the window without its frame
        values = [0, 0, 0, 0]
        for number, value in enumerate((x, y, width, height)):
            if value is not None:
                flags |= 1 << (8 + number)
                values[number] = round(value) + (-left, -top, left + right, top + bottom)[number]
        self._display.message(window.id, "_NET_MOVERESIZE_WINDOW", flags, *values)

        def done(now: XWindow | None) -> bool:
            if now is None:
                return False
            wanted = (x, y, width, height)
            return all(
                want is None or round(want) == have for want, have in zip(wanted, now.bounds, strict=True)
            )

        return self._until(window, "placed", done, lenient=True) or window

    def minimize(self, window: XWindow) -> None:
        self._display.message(window.id, "WM_CHANGE_STATE", 3)
        self._until(window, "minimized", lambda now: now is not None and now.minimized)

    def maximize(self, window: XWindow, on: bool = True) -> None:
        both = self._display.atoms("_NET_WM_STATE_MAXIMIZED_HORZ", "_NET_WM_STATE_MAXIMIZED_VERT")
        self._display.message(window.id, "_NET_WM_STATE", int(on), *both, _SOURCE)
        what = "maximized" if on else "restored"
        self._until(window, what, lambda now: now is not None and now.maximized == on)

    def restore(self, window: XWindow) -> None:
        if window.minimized:
            self.activate(window)
        elif window.maximized:
            self.maximize(window, on=False)

    def close(self, window: XWindow, answered: Callable[[], bool]) -> str | None:
        """Ask a window to close. Returns what it did instead, if it asked something first."""
        self._display.message(window.id, "_NET_CLOSE_WINDOW", 0, _SOURCE)
        deadline = time.monotonic() + _SETTLE
        while time.monotonic() < deadline:
            if self.find(window.id) is None:
                return None
            if answered():
                return "it asked something first"
            time.sleep(0.02)  # X11 notifies listeners, and this connection is not one
        raise ActionFailed(f"asked window '{window.title}' to close; it was still there after {_SETTLE:g} s")

    def _until(
        self, window: XWindow, what: str, done: Callable[[XWindow | None], bool], lenient: bool = False
    ) -> XWindow | None:
        """Look again until it is so, and stays so; `lenient` takes what is stable for a while, too."""
        began = time.monotonic()
        before: XWindow | None = None
        since = began
        while True:
            now = self.find(window.id)
            moment = time.monotonic()
            if before is None or now is None or now.area != before.area or now.states != before.states:
                before, since = now, moment
            if done(now) and moment - since >= _STABLE:
                return now
            patience = _UNMOVED if now is None or now.area == window.area else 10 * _STABLE
            if lenient and now is not None and moment - since >= patience:
                return now
            if moment - began > _SETTLE:
                raise ActionFailed(
                    f"asked for window '{window.title}' to be {what}; the window manager did not comply "
                    f"within {_SETTLE:g} s"
                )
            time.sleep(0.003)  # X11 notifies listeners, and this connection is not one


def blocker(window: XWindow, windows: list[XWindow]) -> XWindow | None:
    """The modal window that keeps input from this one; None if nothing does.

    `windows` are in the order in which they appeared. A modal window keeps input from those that it belongs
    to; one that belongs to none, from all of its program. What belongs to it has input itself.
    """
    known = {one.id: one for one in windows}
    order = list(known)
    if window.id not in known:
        return None

    def belongs(one: XWindow | None, to: XWindow) -> bool:
        for _ in known:
            one = None if one is None else known.get(one.owner)
            if one is None or one.id == to.id:
                break
        return one is not None and one.id == to.id

    def blocks(one: XWindow) -> bool:
        if belongs(one, window):
            return True
        newer = order.index(one.id) > order.index(window.id)
        return one.owner not in known and (newer or not window.modal)

    modal = [one for one in windows if one.pid == window.pid and one.modal and not one.minimized]
    others = [one for one in modal if one.id != window.id and not belongs(window, one)]
    return next((one for one in reversed(others) if blocks(one)), None)


def _four(numbers: tuple[int, ...]) -> tuple[int, int, int, int]:
    return (numbers[0], numbers[1], numbers[2], numbers[3]) if len(numbers) == 4 else (0, 0, 0, 0)


ON_WAYLAND = (
    "use what the element offers itself: press, set-value, select",
    "for the rest, run the program on a private desktop: deskhand run",
    "or let it use Xwayland, for what the compositor allows there: GDK_BACKEND=x11, QT_QPA_PLATFORM=xcb",
)
"""What to do instead where there is no X11."""


def need_display(display: Display | None, placed: bool = True) -> Display:
    """The display, or the reason why there is none; `placed` is whether the program is on it."""
    if display is None:
        raise ActionUnsupported(
            "this needs an X11 display, and there is none: on Wayland, programs are read and operated "
            "through accessibility only",
            suggestions=ON_WAYLAND,
        )
    if not placed:
        raise ActionUnsupported(
            "this needs X11, and the program is on Wayland, which does not report where windows are "
            "and accepts no input from outside",
            suggestions=ON_WAYLAND,
        )
    return display
