"""The primitives of Dear ImGui, as steps from frame to frame; what is drawn is read again before each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...model import operations as ops
from ...model.errors import ActionFailed, ActionUnsupported, NotReady, Stale
from ...model.keys import Chord
from ...model.operations import Action
from .. import performer
from ..performer import Answer, Offer, State, Steps, cannot_expand, cannot_press
from . import choose, edit, rows, windows
from .kinds import shown
from .scene import MODAL, Box, DrawnElement, FrameElements
from .stage import Stage

Point = tuple[float, float]

_ACTIVATED = frozenset((
    "button", "link", "checkbox", "radio", "combo", "selectable", "menu_item", "menu", "tab", "tree_node",
    "header", "color",
))  # fmt: skip
_NEAR_EDGE = 8.0
"""How far from the left edge a field of several parts is clicked: there is its first part."""
_OPENED = 10
"""How many frames something may take to open."""


class Actor:
    """Plays actions in one context. Implements performer.Toolkit."""

    title = "Dear ImGui"

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.hands = stage.hands
        self.imgui = stage.recorder.imgui
        self.context = stage.recorder.context

    def perform(self, action: Action, uid: str | None, to: str | None) -> Steps[Answer]:
        """Play an action on the element with that uid."""
        while self.stage.last_scene() is None:
            yield
        element = None if uid is None else self.element(uid)
        target = None if to is None else self.element(to)
        return (yield from performer.perform(self, action, element, target))

    # -- how things are --------------------------------------------------------------------------

    def scene(self) -> FrameElements:
        """What the last complete frame shows."""
        scene = self.stage.last_scene()
        assert scene is not None, "an action begins only once frames are recorded"
        return scene

    def element(self, uid: str) -> DrawnElement:
        found = self.scene().by_uid.get(uid)
        if found is None:
            raise Stale(f"{uid} is gone", target=f"uid={uid}")
        return found

    def describe(self, element: DrawnElement) -> str:
        return str(element)

    def state(self, element: DrawnElement) -> State:
        element = self.element(element.uid)
        read = element.reading
        checked = None if read is None else read.checked
        if element.kind == "menu_item":
            checked = bool(checked)
        expanded = None if read is None else read.expanded
        if element.kind == "combo":
            expanded = choose.is_open(self, element)
        takes = "value" if read is not None and read.editable else None if checked is None else "tick"
        if element.kind in ("combo", "list_box"):
            takes = "option"
        return State(checked, read is not None and read.mixed, expanded, takes)

    def until(self, so: Callable[[], bool]) -> Steps[bool]:
        for _ in range(_OPENED):
            if so():
                return True
            yield
        return so()

    # -- the pointer -----------------------------------------------------------------------------

    def aim(self, element: DrawnElement | None, x: float | None, y: float | None) -> Steps[Point]:
        """Move to where an element is; NotReady if something else covers it there."""
        if element is not None and element.kind != "menu" and self.close_popups_above(element):
            yield
        at = self.point(element, x, y)
        self.hands.move(*at)
        yield
        if element is not None:
            self._insist(element)
        return at

    def point(self, element: DrawnElement | None, x: float | None, y: float | None) -> Point:
        if element is not None:
            return self.spot(element, x, y)
        if x is None or y is None:
            raise performer.no_point()
        return self.stage.place.inside(x, y)

    def spot(self, element: DrawnElement, x: float | None = None, y: float | None = None) -> Point:
        """Where to point: at an offset, or in the middle of what can be seen of it and takes input."""
        left, top, right, bottom = element.box
        scale = self.stage.place.scale
        if x is not None or y is not None:
            bounds = (left, top, right - left, bottom - top)
            return performer.spot(bounds, x and x / scale, y and y / scale)
        box = element.visible_box()
        if box is None:
            raise ActionFailed(f"{element} is scrolled or cut off, and cannot be pointed at")
        left, top, right, bottom = _input_part(element, box)
        return (left + right) / 2, (top + bottom) / 2

    def on_screen(self, at: Point) -> tuple[float, float]:
        return at

    def move(self, at: Point) -> Steps[None]:
        self.hands.move(*at)
        yield

    def click(self, at: Point, element: DrawnElement | None, action: ops.Click) -> Steps[None]:
        hands = self.hands
        hands.move(*at)
        hands.hold(action.modifiers)
        yield
        if element is not None:
            self._insist(element)
        for number in range(1, action.count + 1):
            hands.press(action.button, number)
            yield
            hands.release(action.button)
            if action.modifiers or number < action.count:
                yield
        hands.let_go(action.modifiers)

    def click_on(
        self, element: DrawnElement, button: str = "left", modifiers: tuple[str, ...] = ()
    ) -> Steps[None]:
        """Click in the middle of an element, whatever is over it."""
        yield from self.click(self.spot(element), None, ops.Click(button=button, modifiers=modifiers))

    def hold(self, at: Point, button: str, modifiers: tuple[str, ...]) -> Steps[None]:
        self.hands.move(*at)
        self.hands.hold(modifiers)
        yield
        self.hands.press(button)

    def release(self, at: Point | None, button: str, modifiers: tuple[str, ...]) -> Steps[None]:
        if at is not None:
            self.hands.move(*at)
            yield
        self.hands.release(button)
        if modifiers:
            yield
        self.hands.let_go(modifiers)

    def drag(self, start: Point, end: Point, action: ops.Drag) -> Steps[None]:
        yield from self.hold(start, action.button, action.modifiers)
        yield
        for at in performer.path(start, end, action.steps):
            self.hands.move(*at)
            yield
        yield  # what takes it sees the pointer before the button is let go
        self.hands.release(action.button)
        yield
        self.hands.let_go(action.modifiers)

    # -- what an element does itself -------------------------------------------------------------

    def activate(self, element: DrawnElement) -> None:
        """Do in the next frame what Dear ImGui does when an item is chosen by the keyboard."""
        if not element.item:
            raise ActionUnsupported(f"{element} has no id in Dear ImGui, so that only the mouse reaches it")
        self.imgui.internal.activate_item_by_id(element.item)
        self.hands.acted = True

    def press(self, element: DrawnElement) -> Steps[None]:
        if element.kind in _ACTIVATED and element.item:
            self.activate(element)
        elif element.kind in ("text", "image", "progress", "plot", "window", "child", "table"):
            raise cannot_press(str(element))
        else:
            yield from self.click_on(element)

    def toggle(self, element: DrawnElement, checked: bool) -> Steps[None]:
        yield from self.press(element)
        yield

    def expand(self, element: DrawnElement, expanded: bool) -> Steps[None]:
        if element.kind == "combo":
            yield from choose.open_combo(self, element, expanded)
        elif element.is_window and element.window is not None and element.kind == "window":
            self.imgui.set_window_collapsed(element.window.name, not expanded)
            yield
        elif element.reading is None or element.reading.expanded is None:
            raise cannot_expand(str(element))
        elif element.kind == "menu" and not expanded:
            self.close_popups_above(element)
            yield
        else:
            self.activate(element)

    def set_value(self, element: DrawnElement, value: str) -> Steps[None]:
        return edit.set_value(self, element, value)

    def offer(self, element: DrawnElement, action: ops.Select) -> Steps[Offer | None]:
        return choose.offer(self, element)

    def focus(self, element: DrawnElement) -> Steps[None]:
        return edit.focus(self, element)

    def show_menu(self, element: DrawnElement) -> Steps[None]:
        return self.click_on(element, "right")

    def type_text(self, action: ops.TypeText, element: DrawnElement | None) -> Steps[None]:
        return edit.type_text(self, action, element)

    def key(self, chord: Chord, element: DrawnElement | None) -> Steps[None]:
        if element is not None:
            yield from edit.focus(self, element)
        yield from self.chord(chord)

    def into_view(self, element: DrawnElement) -> Steps[None]:
        return windows.into_view(self, element)

    def to_row(self, element: DrawnElement, row: int | None, text: str | None) -> Steps[None]:
        yield from rows.scroll_to(self, element, row, text)

    def wheel(self, element: DrawnElement | None, dx: float, dy: float) -> Steps[None]:
        if element is not None:
            self.hands.move(*self.spot(element))
        elif self.hands.at is None:
            raise ActionUnsupported("the wheel needs a target to turn over")
        yield
        self.hands.wheel(-dx, -dy)
        yield

    def control(self, action: ops.ControlWindow, element: DrawnElement | None) -> Steps[None]:
        return windows.control(self, action, element)

    # -- within ----------------------------------------------------------------------------------

    def opened(self, condition: Callable[[], Any], what: str) -> Steps[None]:
        """Wait for something that takes a few frames; ActionFailed if it does not come."""
        if not (yield from self.until(lambda: bool(condition()))):
            raise ActionFailed(what)

    def close_popup(self, popup: int) -> None:
        """Close a popup, and those that were opened from it."""
        stack = [popup_data.popup_id for popup_data in self.context.open_popup_stack]
        if popup in stack:
            self.imgui.internal.close_popup_to_level(stack.index(popup), True)

    def close_popups_above(self, element: DrawnElement) -> int:
        """Close the popups that an element is not in, as a click beside them does; how many there were."""
        around = [] if element.window is None else _chain(element.window.native)
        stack = [popup_data.window for popup_data in self.context.open_popup_stack]
        level = 0
        while level < len(stack) and stack[level] in around:
            level += 1
        if level < len(stack) and not any(
            window is not None and window.flags & MODAL for window in stack[level:]
        ):
            self.imgui.internal.close_popup_to_level(level, True)
            return len(stack) - level
        return 0

    def _insist(self, element: DrawnElement) -> None:
        """The pointer is over the window that an element is in."""
        hovered = self.context.hovered_window
        if hovered is None or element.window is None:
            return
        if hovered.root_window is not element.window.native.root_window:
            raise NotReady(
                f"{element} is covered by the window '{shown(hovered.name)}'",
                suggestions=("move or close that window first",),
                covered_by=shown(hovered.name),
            )

    def chord(self, chord: Chord) -> Steps[None]:
        """Press a chord such as ctrl+s."""
        hands = self.hands
        modifiers = (*chord.modifiers, "shift") if chord.key == "Backtab" else chord.modifiers
        name = hands.key_of(chord)
        hands.hold(modifiers)
        hands.key(name, True)
        types = " " if chord.key == "Space" else chord.text
        if types is not None and not set(modifiers) - {"shift"}:
            hands.characters(types)
        yield
        # Taken in together with what comes next, if that is another key.
        hands.key(name, False)
        hands.let_go(modifiers)


def _chain(window: Any) -> list[Any]:
    """A window and those that it is a part of or was opened from."""
    found = []
    while window is not None and window not in found:
        found.append(window)
        window = window.parent_window
    return found


def _input_part(element: DrawnElement, box: Box) -> Box:
    """The part of a box that takes input: of a field with a label behind it, the field."""
    left, top, right, bottom = box
    if element.edge is not None and left < element.edge < right:
        right = element.edge
    elif element.spec is not None and element.spec.group:
        right = min(right, left + 2 * _NEAR_EDGE)
    return left, top, right, bottom
