"""Every action as steps from frame to frame. What is drawn meanwhile is looked at anew before each step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...model import keys
from ...model import operations as ops
from ...model.errors import ActionFailed, ActionUnsupported, NotReady, Stale
from ...model.operations import Action
from . import choose, edit, windows
from .kinds import shown
from .scene import MODAL, Box, Element, Scene
from .stage import Stage, Steps

Answer = Mapping[str, object]

_ACTIVATED = frozenset((
    "button", "link", "checkbox", "radio", "combo", "selectable", "menu_item", "menu", "tab", "tree_node",
    "header", "color",
))  # fmt: skip
_NEAR_EDGE = 8.0
"""How far from the left edge a field of several parts is clicked: there is its first part."""
_OPENED = 10
"""How many frames something may take to open."""


class Actor:
    """Plays actions in one context."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.hands = stage.hands
        self.imgui = stage.recorder.imgui
        self.context = stage.recorder.context

    # -- what is there ---------------------------------------------------------------------------

    def scene(self) -> Scene:
        """What the last complete frame shows."""
        scene = self.stage.last_scene()
        assert scene is not None, "an action begins only once frames are recorded"
        return scene

    def element(self, uid: str) -> Element:
        found = self.scene().by_uid.get(uid)
        if found is None:
            raise Stale(f"{uid} is gone", target=f"uid={uid}")
        return found

    def until(self, condition: Callable[[], Any], what: str, frames: int = _OPENED) -> Steps[Any]:
        """Wait for something that takes a few frames; ActionFailed if it does not come."""
        for _ in range(frames):
            if found := condition():
                return found
            yield
        if found := condition():
            return found
        raise ActionFailed(what)

    # -- the pointer -----------------------------------------------------------------------------

    def spot(self, element: Element, x: float | None = None, y: float | None = None) -> tuple[float, float]:
        """Where to point: at an offset, or in the middle of what can be seen of it and takes input."""
        left, top, right, bottom = element.box
        scale = self.stage.place.scale
        if x is not None or y is not None:
            middle = ((right - left) / 2, (bottom - top) / 2)
            return (
                left + (middle[0] if x is None else x / scale),
                top + (middle[1] if y is None else y / scale),
            )
        box = element.visible_box()
        if box is None:
            raise ActionFailed(f"{element} is scrolled or cut off, and cannot be pointed at")
        left, top, right, bottom = _input_part(element, box)
        return (left + right) / 2, (top + bottom) / 2

    def click(
        self,
        x: float,
        y: float,
        button: str = "left",
        count: int = 1,
        modifiers: tuple[str, ...] = (),
        element: Element | None = None,
    ) -> Steps[None]:
        """Click there; NotReady if something else covers the element that is meant."""
        hands = self.hands
        hands.move(x, y)
        hands.hold(modifiers)
        yield
        if element is not None:
            self._insist(element)
        for number in range(1, count + 1):
            hands.press(button, number)
            yield
            hands.release(button)
            if modifiers or number < count:
                yield
        hands.let_go(modifiers)

    def activate(self, element: Element) -> None:
        """Do in the next frame what Dear ImGui does when an item is chosen by the keyboard."""
        if not element.item:
            raise ActionUnsupported(f"{element} has no id in Dear ImGui, so that only the mouse reaches it")
        self.imgui.internal.activate_item_by_id(element.item)
        self.hands.acted = True

    # -- all of them -----------------------------------------------------------------------------

    def perform(self, action: Action, uid: str | None, to: str | None) -> Steps[Answer]:
        """Play an action on the element with that uid."""
        while self.stage.last_scene() is None:
            yield
        element = None if uid is None else self.element(uid)
        match action:
            case ops.Click():
                x, y = self._point(element, action.x, action.y)
                yield from self._uncover(element)
                yield from self.click(x, y, action.button, action.count, action.modifiers, element)
            case ops.Hover():
                self.hands.move(*self._point(element, action.x, action.y))
                yield
            case ops.MouseDown():
                self.hands.move(*self._point(element, action.x, action.y))
                self.hands.hold(action.modifiers)
                yield
                self.hands.press(action.button)
            case ops.MouseUp():
                if element is not None or action.x is not None or self.hands.at is None:
                    self.hands.move(*self._point(element, action.x, action.y))
                    yield
                self.hands.release(action.button)
                if action.modifiers:
                    yield
                self.hands.let_go(action.modifiers)
            case ops.Drag():
                target = None if to is None else self.element(to)
                yield from self._drag(action, element, target)
            case ops.Key(keys=chord):
                if element is not None:
                    yield from edit.focus(self, element)
                yield from self.chord(chord)
            case ops.TypeText():
                yield from edit.type_text(self, action, element)
            case ops.Scroll():
                yield from windows.scroll(self, action, element)
            case ops.ControlWindow():
                yield from windows.control(self, action, element)
            case _ if element is not None:
                return (yield from self._semantic(action, element))
            case _:
                raise ActionUnsupported(f"{ops.NAMES[type(action)]} needs a target")
        return {}

    def _semantic(self, action: Action, element: Element) -> Steps[Answer]:
        match action:
            case ops.Press():
                yield from self._press(element)
            case ops.SetChecked(checked=checked):
                yield from self._check(element, checked)
            case ops.Expand(expanded=expanded):
                yield from self._expand(element, expanded)
            case ops.SetValue(value=value):
                return (yield from edit.set_value(self, element, value))
            case ops.Select():
                return (yield from choose.select(self, action, element))
            case ops.Focus():
                yield from edit.focus(self, element)
            case ops.ShowMenu():
                yield from self.click(*self.spot(element), "right")
            case _:
                raise ActionUnsupported(f"{ops.NAMES[type(action)]} is nothing that Dear ImGui can do")
        return {}

    def _point(self, element: Element | None, x: float | None, y: float | None) -> tuple[float, float]:
        if element is not None:
            return self.spot(element, x, y)
        if x is None or y is None:
            raise ActionUnsupported("neither a target nor a point on the screen was given")
        return self.stage.place.inside(x, y)

    def close_popup(self, popup: int) -> None:
        """Close a popup, and those that were opened from it."""
        stack = [one.popup_id for one in self.context.open_popup_stack]
        if popup in stack:
            self.imgui.internal.close_popup_to_level(stack.index(popup), True)

    def close_popups_above(self, element: Element) -> int:
        """Close the popups that an element is not in, as a click beside them does; how many there were."""
        around = [] if element.window is None else _chain(element.window.native)
        stack = [one.window for one in self.context.open_popup_stack]
        level = 0
        while level < len(stack) and stack[level] in around:
            level += 1
        if level < len(stack) and not any(one is not None and one.flags & MODAL for one in stack[level:]):
            self.imgui.internal.close_popup_to_level(level, True)
            return len(stack) - level
        return 0

    def _insist(self, element: Element) -> None:
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

    def _uncover(self, element: Element | None) -> Steps[None]:
        if element is not None and element.kind != "menu" and self.close_popups_above(element):
            yield

    def _drag(self, action: ops.Drag, element: Element | None, target: Element | None) -> Steps[None]:
        hands = self.hands
        x, y = self._point(element, action.x, action.y)
        to_x, to_y = self._point(target, action.to_x, action.to_y)
        hands.move(x, y)
        hands.hold(action.modifiers)
        yield
        hands.press(action.button)
        yield
        steps = max(action.steps, 1)
        for step in range(1, steps + 1):
            hands.move(x + (to_x - x) * step / steps, y + (to_y - y) * step / steps)
            yield
        yield  # what takes it sees the pointer before the button is let go
        hands.release(action.button)
        yield
        hands.let_go(action.modifiers)

    def chord(self, written: str) -> Steps[None]:
        """Press a chord such as ctrl+s."""
        chord = keys.parse(written)
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

    def _press(self, element: Element) -> Steps[None]:
        if element.kind in _ACTIVATED and element.item:
            self.activate(element)
        elif element.kind in ("text", "image", "progress", "plot", "window", "child", "table"):
            raise ActionUnsupported(f"{element} is nothing that can be pressed", suggestions=("click it",))
        else:
            yield from self.click(*self.spot(element))

    def _check(self, element: Element, checked: bool) -> Steps[None]:
        state = None if element.reading is None else element.reading.checked
        if element.kind == "menu_item":
            state = bool(state)
        if state is None:
            raise ActionUnsupported(f"{element} cannot be ticked")
        if element.kind == "radio" and not checked and state:
            raise ActionUnsupported(f"{element} is unticked by choosing another one")
        if state is not checked:
            yield from self._press(element)

    def _expand(self, element: Element, expanded: bool) -> Steps[None]:
        state = None if element.reading is None else element.reading.expanded
        if element.kind == "combo":
            yield from choose.open_combo(self, element, expanded)
        elif element.is_window and element.window is not None and element.kind == "window":
            self.imgui.set_window_collapsed(element.window.name, not expanded)
            yield
        elif state is None:
            raise ActionUnsupported(f"{element} cannot be expanded")
        elif state is not expanded:
            if element.kind == "menu" and not expanded:
                self.close_popups_above(element)
                yield
            else:
                self.activate(element)


def _chain(window: Any) -> list[Any]:
    """A window and those that it is a part of or was opened from."""
    found = []
    while window is not None and window not in found:
        found.append(window)
        window = window.parent_window
    return found


def _input_part(element: Element, box: Box) -> Box:
    """The part of a box that takes input: of a field with a label behind it, the field."""
    left, top, right, bottom = box
    if element.edge is not None and left < element.edge < right:
        right = element.edge
    elif element.spec is not None and element.spec.group:
        right = min(right, left + 2 * _NEAR_EDGE)
    return left, top, right, bottom
