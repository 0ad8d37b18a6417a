"""The primitives of AT-SPI: through accessibility where that works, else by real input; and says which.

After each action the program gets the chance to react, so that the next read shows it in most cases; what
takes longer is for the engine to wait for. What an action means for a control is in the modules next to this.
"""

from __future__ import annotations

from collections.abc import Callable

from ...model import operations as ops
from ...model.errors import ActionUnsupported, Stale
from ...model.keys import Chord
from ...model.operations import Action
from .. import performer
from ..performer import Answer, Offer, at_once
from . import build, choose, edit, menus, press, scroll
from .hands import BY_INPUT, Hands, Point, describe
from .item import Item
from .strategy import Facet
from .vocabulary import State
from .windows import XWindow, need_display

_PASS = (ops.ControlWindow, ops.Hover, ops.MouseUp, ops.Scroll)
"""Actions that may be meant for what lies behind a modal dialog."""
_INTO_FIELD = (ops.TypeText, ops.SetValue, ops.Focus, ops.Key)
"""Actions on a combo box that are meant for the field in it, if it has one."""


class Performer:
    """Performs actions on the items of a desktop. Implements performer.Toolkit."""

    title = "AT-SPI"

    def __init__(self, hands: Hands) -> None:
        self._hands = hands
        self._action: Action = ops.Focus()
        self._item: Item | None = None
        """What is being done, and to what."""

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
        if item is not None and isinstance(action, ops.Click) and menus.is_entry(item):
            return press.click(hands, action, item)
        self._action, self._item = action, item
        return at_once(performer.perform(self, action, item, to))

    def describe(self, item: Item) -> str:
        return describe(item)

    def state(self, item: Item) -> performer.State:
        hands = self._hands
        hands.refresh(item, Facet.STATES)
        if item.states & State.DEFUNCT:
            raise Stale(f"{describe(item)} is gone", target=f"uid={item.uid}")
        if item.node is None:
            build.build(item.app, hands.matched)
        return edit.state(item)

    def until(self, so: Callable[[], bool]) -> bool:
        return self._hands.wait(so)

    # -- pointer and keys ------------------------------------------------------------------------

    def aim(self, item: Item | None, x: float | None, y: float | None) -> Point:
        return self._hands.aim(item, x, y)

    def point(self, item: Item | None, x: float | None, y: float | None) -> Point:
        if isinstance(self._action, ops.Hover):
            return self._hands.aim(item, x, y)
        # While a button is down its program gets all input, whatever is in between.
        return self._hands.point(item, x, y, free=not isinstance(self._action, ops.MouseUp))

    def on_screen(self, at: Point) -> tuple[float, float]:
        return at

    def move(self, at: Point) -> Answer:
        self._hands.input().move(*at)
        return self._made()

    def click(self, at: Point, item: Item | None, action: ops.Click) -> Answer:
        return self._hands.click_at(at, action, item)

    def hold(self, at: Point, button: str, modifiers: tuple[str, ...]) -> Answer:
        self._hands.input().move(*at)
        self._hands.input().press(button, modifiers)
        return self._made()

    def release(self, at: Point | None, button: str, modifiers: tuple[str, ...]) -> Answer:
        if at is not None:
            self._hands.input().move(*at)
        self._hands.input().release(button, modifiers)
        return self._made()

    def drag(self, start: Point, end: Point, action: ops.Drag) -> Answer:
        self._hands.input().drag(start, end, action.button, action.steps, action.modifiers)
        return self._made()

    def key(self, chord: Chord, item: Item | None) -> Answer:
        keyboard = self._hands.input(item)
        if item is not None:
            self._hands.insist_on_keys(item)
            press.focus(self._hands, item)
        keyboard.chord(chord)
        return self._made()

    def type_text(self, action: ops.TypeText, item: Item | None) -> Answer:
        return edit.type_text(self._hands, action, item)

    def _made(self) -> Answer:
        """The answer once the program has reacted to input."""
        self._hands.react(self._item)
        return {"detail": BY_INPUT}

    # -- what an item does itself ----------------------------------------------------------------

    def press(self, item: Item) -> Answer:
        return press.press(self._hands, item)

    def toggle(self, item: Item, checked: bool) -> Answer:
        before = self.state(item)
        return press.toggle(self._hands, item, lambda: self.state(item) != before)

    def expand(self, item: Item, expanded: bool) -> Answer:
        return choose.expand(self._hands, item, expanded)

    def set_value(self, item: Item, value: str) -> Answer:
        return edit.set_value(self._hands, item, value)

    def offer(self, item: Item, action: ops.Select) -> Offer | None:
        return choose.offer(self._hands, action, item)

    def focus(self, item: Item) -> Answer:
        detail = press.focus(self._hands, item)
        press.insist_on_focus(self._hands, item)
        return {"detail": detail}

    def show_menu(self, item: Item) -> Answer:
        return press.show_menu(self._hands, item)

    def into_view(self, item: Item) -> Answer:
        return scroll.into_view(self._hands, item)

    def to_row(self, item: Item, row: int | None, text: str | None) -> Answer:
        return scroll.to_row(self._hands, item, scroll.row_of(self._hands, item, row, text))

    def wheel(self, item: Item | None, dx: float, dy: float) -> Answer:
        return scroll.turn(self._hands, item, dx, dy)

    def control(self, action: ops.ControlWindow, item: Item | None) -> Answer:
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
