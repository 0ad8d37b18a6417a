"""Typing, and setting values. Fields are given the focus as Dear ImGui does when one tabs into them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...model import operations as ops
from ...model.errors import ActionFailed, ActionUnsupported, InvalidParams, NotFocusable
from ...model.keys import Chord
from ..performer import Steps, cannot_focus, number, number_within
from .read import ENTER_RETURNS_TRUE, PARTS
from .record import hashed, numbered
from .scene import DrawnElement

if TYPE_CHECKING:
    from .act import Actor

_FIELDS = frozenset(("input", "slider", "drag"))
_ENTER, _TO_END = Chord((), key="Return"), Chord(("ctrl",), key="End")


def focus(actor: Actor, element: DrawnElement) -> Steps[None]:
    """Give an element the keyboard: a text field takes letters then, anything else is where keys go."""
    if actor.context.active_id == element.item != 0:
        return
    if element.kind == "input" and element.item:
        yield from _enter(actor, element, element.item)
    elif element.is_window and element.window is not None:
        actor.imgui.internal.focus_window(element.window.native)
        yield
    elif element.item and element.window is not None:
        if actor.context.active_id:
            actor.imgui.internal.clear_active_id()
        actor.imgui.internal.focus_window(element.window.native)
        actor.context.nav_id = element.item
        yield
    else:
        raise cannot_focus(str(element))


def type_text(actor: Actor, action: ops.TypeText, element: DrawnElement | None) -> Steps[None]:
    if element is not None:
        was_active = actor.context.active_id == element.item
        if element.kind in _FIELDS:
            yield from _enter(actor, element, element.item)
        else:
            yield from focus(actor, element)
        if action.clear and element.kind in _FIELDS:
            yield from _replace(actor, action.text)
        else:
            if not was_active:
                yield from actor.chord(_TO_END)
            yield from _type(actor, action.text)
    else:
        yield from _type(actor, action.text)
    if action.submit:
        yield from actor.chord(_ENTER)


def set_value(actor: Actor, element: DrawnElement, value: str) -> Steps[None]:
    read = element.reading
    assert read is not None, "only what was read takes a value"
    if element.kind == "color":
        yield from _set_color(actor, element, value)
    elif read.parts:
        yield from _set_parts(actor, element, value)
    else:
        if element.spec is not None and element.spec.function.startswith("v_slider"):
            # It takes no text, whatever one does.
            yield from _slide(actor, element, number(value, str(element)))
            return
        numeric = element.role != "textfield" and element.role != "editable-text"
        if numeric:
            number_within(value, read.minimum, read.maximum, str(element))
        yield from _fill(
            actor, element, element.item, value, numeric or bool(read.flags & ENTER_RETURNS_TRUE)
        )


def _fill(actor: Actor, element: DrawnElement, item: int, value: str, submit: bool) -> Steps[None]:
    yield from _enter(actor, element, item)
    yield from _replace(actor, value)
    if submit and element.role != "editable-text":
        yield from actor.chord(_ENTER)


def _slide(actor: Actor, element: DrawnElement, wanted: float) -> Steps[None]:
    """Drag a vertical slider to a value: the pointer looks for the place where that is."""
    hands = actor.hands
    left, top, right, bottom = element.box
    x = left + min(_MIDDLE, (right - left) / 2)
    hands.move(x, (top + bottom) / 2)
    yield
    hands.press("left")
    yield
    reached: float | None = None
    for _ in range(_HALVINGS):
        middle = (top + bottom) / 2
        hands.move(x, middle)
        # One frame to take the pointer in, one to draw the value that it gave.
        yield
        yield
        read = actor.element(element.uid).reading
        reached = None if read is None else read.number
        if reached is None or reached == wanted:
            break
        top, bottom = (top, middle) if reached < wanted else (middle, bottom)
    hands.release("left")
    yield
    if reached is None or abs(reached - wanted) > _NEAR * max(1.0, abs(wanted)):
        raise ActionFailed(f"{element} came to {reached}, not to {wanted:g}, when it was dragged")


_MIDDLE = 8.0
"""How far from its left edge a vertical slider is taken, before the label begins."""
_HALVINGS = 14
_NEAR = 0.02
"""How near to the value a slider that takes no text must come, as a part of it."""


def _set_parts(actor: Actor, element: DrawnElement, value: str) -> Steps[None]:
    """Each number of a field that has several, such as `1, 2.5, 0`."""
    assert element.reading is not None
    wanted = [part.strip() for part in value.replace(";", ",").split(",")]
    if len(wanted) != len(element.reading.parts):
        raise InvalidParams(
            f"{element} has {len(element.reading.parts)} numbers, not {len(wanted)}",
            field="value",
            suggestions=(f"such as {element.reading.value}",),
        )
    for part in wanted:
        number(part, str(element))
    for at, part in enumerate(wanted):
        yield from _fill(actor, element, numbered(at, element.item), part, True)
        yield


def _set_color(actor: Actor, element: DrawnElement, value: str) -> Steps[None]:
    """A colour such as `#ff8000`: its parts are fields for numbers of 0 to 255."""
    assert element.reading is not None
    digits = value.lstrip("#")
    count = len(element.reading.parts)
    if len(digits) == 6 and count == 4:
        digits += "ff"
    try:
        parts = [int(digits[at : at + 2], 16) for at in range(0, 2 * count, 2)]
    except ValueError:
        parts = []
    if len(parts) != count or len(digits) != 2 * count:
        raise InvalidParams(f"'{value}' is not a colour such as {element.reading.value}", field="value")
    if element.spec is None or not element.spec.function.startswith("color_edit"):
        raise ActionUnsupported(f"{element} is chosen with the mouse", suggestions=("drag in it",))
    for at, part in enumerate(parts):
        item = hashed(f"##{PARTS[at].upper()}", element.item)
        yield from _fill(actor, element, item, str(part), True)
        yield


def _enter(actor: Actor, element: DrawnElement, item: int) -> Steps[None]:
    """Make a field take letters."""
    if not item:
        raise NotFocusable(f"{element} is not drawn now, and cannot take the focus")
    context = actor.context
    if context.active_id == item and context.input_text_state.id_ == item:
        return
    actor.imgui.internal.activate_item_by_id(item)
    context.nav_next_activate_flags = 1  # ImGuiActivateFlags_PreferInput
    yield
    yield from actor.opened(
        lambda: context.active_id == item and context.input_text_state.id_ == item,
        f"{element} did not begin to take text",
    )


def _replace(actor: Actor, text: str) -> Steps[None]:
    """Type over all that is in the field that has the focus."""
    actor.context.input_text_state.select_all()
    if text:
        yield from _type(actor, text)
    else:
        yield from actor.chord(Chord((), key="Delete"))


def _type(actor: Actor, text: str) -> Steps[None]:
    """Letters as letters; Enter and Tab as keys, since as letters they would be dropped."""
    line = ""
    for letter in text:
        if letter in "\n\t":
            if line:
                actor.hands.characters(line)
                yield
                line = ""
            yield from actor.chord(_ENTER if letter == "\n" else Chord((), key="Tab"))
        elif letter != "\r":
            line += letter
    if line:
        actor.hands.characters(line)
        yield
