"""Performs every action of the model on Qt, on the GUI thread.

Only decides who does it: the mouse and keyboard (`input`, aimed by `aim`), or what a widget offers itself
(`press`, `edit`, `choose`, `scroll`, `windows`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...model import keys
from ...model import operations as ops
from ...model.errors import ActionUnsupported
from ...model.operations import Action
from ..performer import no_point
from . import choose, drag, edit, menus, press, scroll, windows
from .aim import Aim, Spot
from .binding import Binding
from .handles import Entry, Handle, Registry
from .hands import Hands
from .input import Input
from .thread import UiThread


class Performer:
    """Performs actions. Belongs to the GUI thread."""

    def __init__(self, binding: Binding, registry: Registry, ui: UiThread | None = None) -> None:
        self._hands = Hands(binding, registry, Input(binding, ui), Aim(binding, registry))

    def perform(
        self,
        action: Action,
        handle: Handle | None,
        to_handle: Handle | None = None,
        until: float | None = None,
    ) -> Mapping[str, object]:
        """Do it; the answer may have `selected` and `detail`. What takes long is given up at `until`."""
        hands = self._hands
        hands.input.until = until
        if hands.binding.QtQuick is not None:
            hands.registry.sweep()
        if handle is not None:
            hands.aim.leave_completions(handle, isinstance(action, (ops.TypeText, ops.Key)))
        match action:
            case ops.Click():
                return self._click(action, handle)
            case ops.Hover():
                spot = self._spot(handle, action.x, action.y)
                hands.input.play(hands.input.move(spot.window, spot.point))
            case ops.MouseDown():
                spot = self._spot(handle, action.x, action.y)
                hands.input.activate(spot.window)
                hands.input.play(hands.input.press(spot.window, spot.point, action.button, action.modifiers))
            case ops.MouseUp():
                self._mouse_up(action, handle)
            case ops.Drag():
                drag.drag(hands, action, handle, to_handle)
            case ops.TypeText():
                return edit.type_text(hands, action, handle)
            case ops.Key():
                chord = keys.parse(action.keys)
                hands.input.play(hands.input.chord(windows.keyboard(hands, handle), chord))
            case ops.Scroll():
                return scroll.scroll(hands, action, handle)
            case ops.ControlWindow():
                return windows.control(hands, action, handle)
            case _ if handle is not None:
                return self._semantic(action, handle)
            case _:
                raise ActionUnsupported(f"{ops.NAMES[type(action)]} needs a target")
        return {}

    def insist_on_active(self, handle: Handle | None) -> None:
        """ActionFailed unless the window of a handle is the active one."""
        windows.insist_on_active(self._hands, handle)

    def _semantic(self, action: Action, handle: Handle) -> Mapping[str, object]:
        hands = self._hands
        match action:
            case ops.Press():
                return press.press(hands, handle)
            case ops.SetChecked(checked=checked):
                return press.set_checked(hands, handle, checked)
            case ops.Expand(expanded=expanded):
                return press.expand(hands, handle, expanded)
            case ops.SetValue(value=value):
                return edit.set_value(hands, handle, value)
            case ops.Select():
                return choose.select(hands, action, handle)
            case ops.Focus():
                windows.focus(hands, handle)
                return {}
            case ops.ShowMenu():
                return press.show_menu(hands, handle)
        raise ActionUnsupported(f"{ops.NAMES[type(action)]} is nothing that Qt can do")

    def _click(self, action: ops.Click, handle: Handle | None) -> Mapping[str, object]:
        hands = self._hands
        if isinstance(handle, Entry):
            menus.click(hands, handle, action.button, action.modifiers)
            return {}
        spot = self._spot(handle, action.x, action.y)
        hands.input.activate(spot.window)
        hands.input.play(
            hands.input.click(spot.window, spot.point, action.button, action.modifiers, action.count)
        )
        return {}

    def _mouse_up(self, action: ops.MouseUp, handle: Handle | None) -> None:
        hands = self._hands
        at = hands.input.at
        if handle is None and action.x is None and action.y is None and at is not None:
            spot = Spot(*at)
        else:
            # Where the button is let go may be covered by what is dragged there.
            spot = self._spot(handle, action.x, action.y, free=False)
        window, point = spot.window, spot.point
        if at is not None and at[0] is not window:
            # The window in which the button went down gets to know, wherever it is let go.
            window, point = at[0], at[0].mapFromGlobal(spot.on_screen)
        hands.input.play(
            hands.input.move(window, point, action.modifiers)
            + hands.input.release(window, point, action.button, action.modifiers)
        )

    def _spot(self, handle: Any, x: float | None, y: float | None, free: bool = True) -> Spot:
        if handle is not None:
            return self._hands.aim.spot(handle, x, y, free)
        if x is None or y is None:
            raise no_point()
        return self._hands.aim.at(x, y)
