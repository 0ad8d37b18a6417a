"""Performs actions on items: through accessibility where that works, else by real input; and says which.

After each action the program gets the chance to react, so that the next read shows it in most cases; what
takes longer is for the engine to wait for. What an action means for a control is in the modules next to this.
"""

from __future__ import annotations

from ...model import operations as ops
from ...model.errors import ActionUnsupported
from ...model.operations import Action
from . import build, choose, edit, press, scroll
from .hands import BY_INPUT, Answer, Hands, describe
from .item import Item
from .windows import XWindow, need_display

_PASS = (ops.ControlWindow, ops.Hover, ops.MouseUp, ops.Scroll)
"""Actions that may be meant for what lies behind a modal dialog."""


_INTO_FIELD = (ops.TypeText, ops.SetValue, ops.Focus, ops.Key)
"""Actions on a combo box that are meant for the field in it, if it has one."""


class Performer:
    """Performs actions on the items of a desktop."""

    def __init__(self, hands: Hands) -> None:
        self._hands = hands

    def close(self) -> None:
        self._hands.close()

    def begin(self) -> None:
        """Another operation begins."""
        self._hands.acted = False

    @property
    def acted(self) -> bool:
        """Whether the program was given anything to react to since then."""
        return self._hands.acted

    def perform(
        self, action: Action, item: Item | None, to: Item | None, matched: dict[Item, XWindow], timeout: float
    ) -> Answer:
        """Do it; the answer has `detail`, and `selected` for a choice."""
        hands = self._hands
        hands.matched, hands.timeout = matched, timeout
        if item is not None and item.node is None:
            # An event came since it was read.
            build.build(item.app, matched)
        if item is not None and not isinstance(action, _PASS):
            hands.insist_on_unblocked(item)
        if item is not None and isinstance(action, _INTO_FIELD):
            item = build.field_in(item) or item
        match action:
            case ops.Click():
                return press.click(hands, action, item)
            case ops.Hover():
                hands.front(item)
                x, y = hands.point(item, action.x, action.y)
                hands.input().move(x, y)
            case ops.MouseDown():
                hands.front(item)
                x, y = hands.point(item, action.x, action.y)
                hands.input().move(x, y)
                hands.input().press(action.button, action.modifiers)
            case ops.MouseUp():
                if item is not None or action.x is not None:
                    # While a button is down its program gets all input, whatever is in between.
                    hands.input().move(*hands.point(item, action.x, action.y, free=False))
                hands.input().release(action.button, action.modifiers)
            case ops.Drag():
                hands.front(item)
                start = hands.point(item, action.x, action.y)
                end = hands.point(to, action.to_x, action.to_y)
                hands.input().drag(start, end, action.button, action.steps, action.modifiers)
            case ops.TypeText():
                return edit.type_text(hands, action, item)
            case ops.Key():
                keyboard = hands.input(item)
                if item is not None:
                    hands.insist_on_keys(item)
                    press.focus(hands, item)
                keyboard.chord(action.keys)
            case ops.Scroll():
                return scroll.scroll(hands, action, item)
            case ops.ControlWindow():
                return self._control(action, item)
            case _ if item is not None:
                return self._semantic(action, item)
            case _:
                raise ActionUnsupported(f"{ops.NAMES[type(action)]} needs a target")
        hands.react(item)
        return {"detail": BY_INPUT}

    def _semantic(self, action: Action, item: Item) -> Answer:
        hands = self._hands
        match action:
            case ops.Press():
                return press.press(hands, item)
            case ops.SetChecked(checked=checked):
                return press.set_checked(hands, item, checked)
            case ops.Expand(expanded=expanded):
                return choose.expand(hands, item, expanded)
            case ops.SetValue(value=value):
                return edit.set_value(hands, item, value)
            case ops.Select():
                return choose.select(hands, action, item)
            case ops.Focus():
                detail = press.focus(hands, item)
                press.insist_on_focus(hands, item)
                return {"detail": detail}
            case ops.ShowMenu():
                return press.show_menu(hands, item)
        raise ActionUnsupported(f"{ops.NAMES[type(action)]} is nothing that AT-SPI can do")

    def _control(self, action: ops.ControlWindow, item: Item | None) -> Answer:
        hands = self._hands
        need_display(hands.display, item is None or item.app.placed)
        assert hands.windows is not None
        known = hands.matched.get(item.window) if item is not None else None
        if item is None:
            known = next((one for one in hands.windows.all() if one.active), None)
        window = None if known is None else hands.windows.find(known.id)
        if window is None:
            raise ActionUnsupported(
                "the window manager does not know this window", target=describe(item) if item else ""
            )
        return {"detail": hands.windows.control(window, action)}
