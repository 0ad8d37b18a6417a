"""The primitives of Qt, on the GUI thread: by the mouse and keyboard (`input`, aimed by `aim`), or by what a
widget offers itself (`press`, `edit`, `choose`, `scroll`, `windows`).
"""

from __future__ import annotations

from collections.abc import Callable

from ...model import operations as ops
from ...model.keys import Chord
from ...model.operations import Action
from .. import performer
from ..performer import Answer, Offer, State, at_once
from . import choose, drag, edit, menus, press, scroll, windows
from .aim import Aim, Spot
from .binding import Binding
from .handles import Handle, MenuEntry, Registry
from .hands import Hands
from .input import Input
from .thread import UiThread


class Performer:
    """Performs actions. Belongs to the GUI thread. Implements performer.Toolkit."""

    title = "Qt"

    def __init__(self, binding: Binding, registry: Registry, ui: UiThread | None = None) -> None:
        self._hands = Hands(binding, registry, Input(binding, ui), Aim(binding, registry), self._nested)
        self._free = True
        """Whether a point must be one where nothing covers the target."""

    def perform(
        self,
        action: Action,
        handle: Handle | None,
        to_handle: Handle | None = None,
        until: float | None = None,
    ) -> Answer:
        """Do it; the answer may have `selected` and `detail`. What takes long is given up at `until`."""
        hands = self._hands
        hands.input.until = until
        if hands.binding.QtQuick is not None:
            hands.registry.sweep()
        if handle is not None:
            hands.aim.leave_completions(handle, isinstance(action, (ops.TypeText, ops.Key)))
        if isinstance(action, ops.Click) and isinstance(handle, MenuEntry):
            menus.click(hands, handle, action.button, action.modifiers)
            return {}
        if isinstance(action, ops.Drag):
            action = drag.by_grip(hands, action, handle)
        # Where a button is let go may be covered by what is dragged there.
        self._free = not isinstance(action, (ops.MouseUp, ops.Drag))
        return self._nested(action, handle, to_handle)

    def insist_on_active(self, handle: Handle | None) -> None:
        """ActionFailed unless the window of a handle is the active one."""
        windows.insist_on_active(self._hands, handle)

    def _nested(self, action: Action, handle: Handle | None, to: Handle | None = None) -> Answer:
        return at_once(performer.perform(self, action, handle, to))

    def describe(self, handle: Handle) -> str:
        return self._hands.call(handle)

    def state(self, handle: Handle) -> State:
        return press.state(self._hands, handle)

    def until(self, so: Callable[[], bool]) -> bool:
        return so()

    # -- mouse and keyboard ----------------------------------------------------------------------

    def aim(self, handle: Handle | None, x: float | None, y: float | None) -> Spot:
        spot = self._spot(handle, x, y, free=True)
        self._hands.input.activate(spot.window)
        return spot

    def point(self, handle: Handle | None, x: float | None, y: float | None) -> Spot:
        return self._spot(handle, x, y, free=self._free)

    def on_screen(self, at: Spot) -> tuple[float, float]:
        place = at.on_screen
        return place.x(), place.y()

    def move(self, at: Spot) -> None:
        self._hands.input.play(self._hands.input.move(at.window, at.point))

    def click(self, at: Spot, handle: Handle | None, action: ops.Click) -> None:
        hands = self._hands
        hands.input.play(
            hands.input.click(at.window, at.point, action.button, action.modifiers, action.count)
        )

    def hold(self, at: Spot, button: str, modifiers: tuple[str, ...]) -> None:
        self._hands.input.play(self._hands.input.press(at.window, at.point, button, modifiers))

    def release(self, at: Spot | None, button: str, modifiers: tuple[str, ...]) -> None:
        pressed = self._hands.input.at
        if at is None:
            if pressed is None:
                raise performer.no_point()
            at = Spot(*pressed)
        window, point = at.window, at.point
        if pressed is not None and pressed[0] is not window:
            # The window in which the button went down gets to know, wherever it is let go.
            window, point = pressed[0], pressed[0].mapFromGlobal(at.on_screen)
        hands = self._hands
        hands.input.play(
            hands.input.move(window, point, modifiers) + hands.input.release(window, point, button, modifiers)
        )

    def drag(self, start: Spot, end: Spot, action: ops.Drag) -> None:
        drag.drag(self._hands, action, start, end)

    def key(self, chord: Chord, handle: Handle | None) -> None:
        hands = self._hands
        hands.input.play(hands.input.chord(windows.keyboard(hands, handle), chord))

    def type_text(self, action: ops.TypeText, handle: Handle | None) -> Answer:
        return edit.type_text(self._hands, action, handle)

    # -- what a widget does itself ---------------------------------------------------------------

    def press(self, handle: Handle) -> Answer:
        return press.press(self._hands, handle)

    def toggle(self, handle: Handle, checked: bool) -> None:
        press.tick(self._hands, handle, checked)

    def expand(self, handle: Handle, expanded: bool) -> Answer:
        return press.expand(self._hands, handle, expanded)

    def set_value(self, handle: Handle, value: str) -> Answer:
        return edit.set_value(self._hands, handle, value)

    def offer(self, handle: Handle, action: ops.Select) -> Offer | None:
        return choose.offer(self._hands, handle)

    def focus(self, handle: Handle) -> None:
        windows.focus(self._hands, handle)

    def show_menu(self, handle: Handle) -> Answer:
        return press.show_menu(self._hands, handle)

    def into_view(self, handle: Handle) -> None:
        scroll.into_view(self._hands, handle)

    def to_row(self, handle: Handle, row: int | None, text: str | None) -> None:
        scroll.to_row(self._hands, handle, row, text)

    def wheel(self, handle: Handle | None, dx: float, dy: float) -> Answer:
        return scroll.turn(self._hands, handle, dx, dy)

    def control(self, action: ops.ControlWindow, handle: Handle | None) -> Answer:
        return windows.control(self._hands, action, handle)

    def _spot(self, handle: Handle | None, x: float | None, y: float | None, free: bool) -> Spot:
        if handle is not None:
            return self._hands.aim.spot(handle, x, y, free)
        if x is None or y is None:
            raise performer.no_point()
        return self._hands.aim.at(x, y) if free else self._hands.aim.anywhere(x, y)
