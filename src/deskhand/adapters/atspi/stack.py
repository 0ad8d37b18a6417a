"""What is at a point of the screen: the windows of every program as the display stacks them, popups included.

The window manager knows only the windows that it manages, which menus, completion lists and tooltips are not.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...model.node import Rect
from ...x11 import (
    as_area,
    as_child,
    as_children,
    as_parent,
    as_unmanaged,
    as_viewable,
    attributes,
    child_at,
    family,
    geometry,
    translate,
)  # fmt: skip
from ..display import Display
from .windows import Windows, XWindow

_KINDS = {
    "TOOLTIP": "tooltip",
    "NOTIFICATION": "notification",
    "MENU": "open menu",
    "DROPDOWN_MENU": "open menu",
    "POPUP_MENU": "open menu",
    "COMBO": "open list",
    "DND": "dragged icon",
}
_TYPE = "_NET_WM_WINDOW_TYPE"


@dataclass(frozen=True)
class Popup:
    """A window that no window manager has: a menu, a list, a tooltip."""

    id: int
    pid: int
    kind: str
    """In words; "popup" if its program does not say."""
    area: Rect


class Stack:
    """The windows of a display, by what input at a point reaches."""

    def __init__(self, display: Display, windows: Windows) -> None:
        self._display = display
        self._windows = windows

    def at(self, x: float, y: float) -> int:
        """The outermost window at a point: a frame of the window manager's or a popup; 0 if there is none."""
        (answer,) = self._display.ask(child_at(self._display.root, round(x), round(y)))
        return as_child(answer)

    def frame(self, window: int) -> int:
        """The outermost window around a window, or itself; 0 if it is gone."""
        while window:
            (answer,) = self._display.ask(family(window))
            around = as_parent(answer)
            if around == self._display.root:
                return window
            window = around
        return 0

    def managed(self, outermost: int) -> XWindow | None:
        """The window of a program in a frame of the window manager; None if there is none in it."""
        windows = self._windows.all() if outermost else []
        return next((one for one in windows if self.frame(one.id) == outermost), None)

    def popups(self) -> list[Popup]:
        """The popups that are shown, the topmost first."""
        display = self._display
        (answer,) = display.ask(family(display.root))
        ids = as_children(answer)
        questions = [attributes(one) for one in ids]
        shown = [
            one
            for one, state in zip(ids, display.ask(*questions), strict=True)
            if as_viewable(state) and as_unmanaged(state)
        ]
        frames = {self.frame(one.id) for one in self._windows.all()}
        found = (self.popup(one) for one in reversed(shown) if one not in frames)
        screen = Rect(0, 0, display.width, display.height)
        return [one for one in found if one is not None and one.area.intersection(screen) is not None]

    def popup(self, window: int) -> Popup | None:
        """What is known of a popup; None if it is gone, or only a helper of a pixel or so."""
        display = self._display
        area = as_area(*display.ask(geometry(window), translate(window, display.root)))
        if area is None or min(area.width, area.height) <= 1:
            return None
        types = [display.atom_name(atom).removeprefix(f"{_TYPE}_") for atom in display.numbers(window, _TYPE)]
        kind = next((_KINDS[one] for one in types if one in _KINDS), "popup")
        pid = display.process_of(window) or next(iter(display.numbers(window, "_NET_WM_PID")), 0)
        return Popup(window, pid, kind, area)

    def grabbed(self) -> bool:
        """Whether a program takes all clicks for itself, as it does while one of its popups is open."""
        return self._display.pointer_is_grabbed()
