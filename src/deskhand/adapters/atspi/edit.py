"""Writes: texts into fields, numbers into sliders, and into the cells of views."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

from ...model import operations as ops
from ...model.errors import ActionFailed, ActionUnsupported, InvalidParams, NotEditable
from .. import performer
from ..performer import Answer, no_value, not_a_number, number_within
from . import dates, press
from .bus import CallError
from .dates import Moment
from .facets import TEXT_LIMIT
from .hands import BY_ACCESSIBILITY, BY_INPUT, DOUBLE_CLICK, EFFECT, REACT_SLOW, Hands, describe
from .item import Item
from .kinds import role_name
from .strategy import Facet
from .vocabulary import ACCESSIBLE, COMPONENT, EDITABLE_TEXT, TEXT, VALUE, Face, State
from .windows import ON_WAYLAND
from .wire import Variant

_LONG = 50
"""From how many characters on a program may need longer for a text than it takes to type it."""
_MONTHS = 12
_NO_MONTH = 28
"""A day that every month has, and that is not the number of a month."""
_LEAVES = 0.1
"""How long a field may take to lose the focus, in seconds."""
_LAST = 0.5
"""How long the next character of such a text may take, in seconds."""
_ROUNDED = 1e-6
"""By how much of itself a number that was set may differ from the one that is read."""
_CELLS = ("table cell", "tree item", "list item")
_UNREAD = ("password text", "terminal", *_CELLS)
"""Roles whose text is secret, or is not at once what was typed."""
_NUMBERS = ("spin button", "slider", "scroll bar", "dial")
"""Roles of fields for numbers."""
_OBJECT = "\ufffc"
"""The character in a text for an embedded object, which is read by itself."""
_KEYS = "\n\r\t\b"
"""Characters that are keys which do something."""


def type_text(hands: Hands, action: ops.TypeText, item: Item | None) -> Answer:
    """Type with the keyboard; where none reaches the program, put the text in."""
    if item is not None and action.clear and (moment := _moment(item, action.text)) is not None:
        answer = _set_moment(hands, item, moment)
        if action.submit:
            hands.input(item).chord("enter")
        return answer
    if item is not None and item.has(Face.EDITABLE) and not action.submit and not hands.reached(item):
        return _write(hands, action, item)
    held = None
    if item is not None:
        hands.insist_on_keys(item)
        press.focus(hands, item)
        held = _held(hands, item) if _stays(action, item) else None
    keyboard = hands.input(item)
    if action.clear:
        keyboard.chord("ctrl+a")
        keyboard.chord("delete")
    before = hands.live.changes
    length = _length(hands, item) if item is not None and len(action.text) > _LONG else None
    if action.clear and length is not None:
        length = 0
    keyboard.type(action.text, None if item is None else lambda: hands.come_round(item, hands.timeout))
    how = BY_INPUT
    if item is not None and length is not None:
        how = _take_in(hands, item, length + len(action.text))
    if item is not None and held is not None:
        how += _arrival(hands, action, item, held, before)
        # What a program does a moment after the last key counts from when it took that: perhaps now.
        keyboard.last_key = time.monotonic()
    if action.submit:
        keyboard.chord("enter")
    if action.submit or held is None:
        hands.react(item, before, REACT_SLOW)
    return {"detail": how}


def _stays(action: ops.TypeText, item: Item) -> bool:
    """Whether a text stays in a field when it is typed: Enter and Tab may leave the field."""
    keys = any(one in action.text for one in _KEYS)
    return bool(action.text or action.clear) and not (keys and not item.states & State.MULTI_LINE)


@dataclass(frozen=True)
class _Held:
    """What a field holds."""

    text: str
    length: int
    whole: bool
    """Whether the text is all of it."""


def _held(hands: Hands, item: Item) -> _Held | None:
    """What a field holds by now; None if that cannot be read, or does not follow what is typed."""
    editable = item.states & State.EDITABLE or item.has(Face.EDITABLE)  # Qt 5 does not set the state of all
    if not item.has(Face.TEXT) or not editable or role_name(item) in _UNREAD:
        return None
    if item.app.bus not in hands.live.apps or item.states & State.DEFUNCT:
        return None
    hands.refresh(item, Facet.TEXT)
    text = item.text
    if text is None or _OBJECT in text:
        return None
    length = len(text) if item.text_length is None else item.text_length
    return _Held(text, length, length == len(text))


def _arrival(hands: Hands, action: ops.TypeText, item: Item, before: _Held, changes: int) -> str:
    """What to say of a text that was written, beyond how, once the program reacted to it.

    ActionFailed if it was to replace another text, and this is still there or something else is. A program
    may write it in another way, complete it or leave some of it out, which is not an error.
    """
    now: _Held | None = before

    def so() -> bool:
        nonlocal now
        now = _held(hands, item)
        if now is None or not now.whole:
            return now is None or now.length != before.length
        if action.clear:
            return now.text.rstrip("\n") == action.text.rstrip("\n")
        return now != before and _plain(action.text) in _plain(now.text)

    hands.wait(so)
    # What was there for a moment may be replaced by what the program makes of it.
    hands.react(item, changes, REACT_SLOW)
    if so() or now is None:
        return ""
    if not now.whole:
        return "" if action.clear else "; no effect was seen"
    same = now == before
    keys = any(one in action.text for one in _KEYS)
    if action.clear and not keys and (same or _is_other(action.text, now.text)):
        raise ActionFailed(
            f"{describe(item)} did not take '{_short(action.text)}'; "
            f"it {'still ' if same else ''}holds '{_short(now.text)}'",
            last_seen={"value": _short(now.text)},
        )
    if same:
        return f"; no effect was seen: it still holds '{_short(now.text)}'"
    return f"; it holds '{_short(now.text)}'"


def _is_other(wanted: str, found: str) -> bool:
    """Whether a field holds what was not made of a text: no letter or digit is in both."""
    letters = {one for one in _plain(wanted) if one.isalnum()}
    others = {one for one in _plain(found) if one.isalnum()}
    # What is not empty and has neither letters nor digits may be a mask.
    return bool(letters) and (bool(others) or not _plain(found)) and not letters & others


def _plain(text: str) -> str:
    """A text without what editors change on their own: space, line ends, case."""
    return "".join(text.casefold().split())


def _length(hands: Hands, item: Item) -> int | None:
    """How long the text in an item is; None if that is not reported, or if the item is gone."""
    length = hands.get(item, TEXT, "CharacterCount") if item.has(Face.TEXT) else None
    return None if length is None else int(length)


def _differs(hands: Hands, item: Item, length: int) -> bool:
    return _length(hands, item) != length


def _take_in(hands: Hands, item: Item, expected: int) -> str:
    """Wait until a program has a long text, which waits for it in a queue; how far it came.

    It may make of the text what it wants, so when no more comes, that is all.
    """
    deadline = time.monotonic() + hands.timeout
    have = _length(hands, item)
    while have is not None and have != expected:
        if time.monotonic() > deadline:
            return f"{BY_INPUT}; {have} of {expected} characters are there so far"
        if not hands.wait(partial(_differs, hands, item, have), _LAST):
            break
        have = _length(hands, item)
    return BY_INPUT


def state(item: Item) -> performer.State:
    """How an item is; no toolkit says whether a cell can be edited, so it can be tried."""
    assert item.node is not None, "it was read"
    known = performer.State.of(item.node)
    ticks = known.takes == "tick" and role_name(item) not in _CELLS
    if ticks or not (item.has(Face.VALUE | Face.EDITABLE) or role_name(item) in _CELLS):
        return known
    return replace(known, takes="value")


def set_value(hands: Hands, item: Item, value: str) -> Answer:
    """Give an item a value, in the way that its kind takes one."""
    node = item.node
    before = hands.live.changes
    if (moment := _moment(item, value)) is not None:
        return _set_moment(hands, item, moment)
    if item.has(Face.VALUE) and (number := _number(value)) is not None:
        if node is not None and role_name(item) in _NUMBERS and node.minimum != node.maximum:
            number_within(value, node.minimum, node.maximum, describe(item))
        return _set_number(hands, item, number)
    is_number = role_name(item) in _NUMBERS and not dates.is_field(item)
    if is_number and not any(one.isdigit() for one in value):
        # Qt would show such a text, and forget it once the field loses the focus.
        raise not_a_number(value, describe(item))
    if item.has(Face.EDITABLE):
        if dates.is_field(item):
            press.focus(hands, item)  # without the focus it shows what it does not take, too
        if hands.ask(item, EDITABLE_TEXT, "SetTextContents", "s", value, reply="b"):
            hands.react(item, before)
            if role_name(item) == "password text" or _holds(hands, item, value):
                return {"detail": BY_ACCESSIBILITY}
        # Fallback: some programs say yes and do nothing; typing is what a person would do.
        return _retype(hands, item, value)
    if role_name(item) in _CELLS:
        return _edit_in_place(hands, item, value)
    if node is not None and node.editable and role_name(item) != "terminal":
        return _retype(hands, item, value)
    if role_name(item) == "terminal":
        raise NotEditable(
            f"what is in {describe(item)} cannot be replaced", suggestions=("type into it instead",)
        )
    raise no_value(describe(item))


def _moment(item: Item, value: str) -> Moment | None:
    """The date or time that a value means, if the item is a field for such."""
    parts = dates.parts_of(item)
    if not parts and not dates.is_field(item):
        return None
    try:
        moment = dates.parse(value)
    except ValueError as error:
        raise InvalidParams(f"{value!r} is not a valid date or time: {error}", field="value") from None
    if moment is None and parts:
        raise InvalidParams(
            f"{describe(item)} needs a date or time such as 2026-11-18 or 2026-11-18T13:45, not {value!r}",
            field="value",
        )
    return moment


def _set_moment(hands: Hands, item: Item, moment: Moment) -> Answer:
    """Set a field for a date or a time, and see that it holds it."""
    if parts := dates.parts_of(item):
        return _set_parts(hands, item, parts, moment)
    shown = item.text or ""
    if moment.time is not None and not dates.has_time(shown):
        raise InvalidParams(f"{describe(item)} holds a date without a time, such as '{shown}'", field="value")
    press.focus(hands, item)  # without the focus it shows what it does not take, too
    found = dates.orders(shown) if moment.date is not None else ["-"]
    date = moment.date
    if len(found) > 1 and date is not None and date.day != date.month and date.day <= _MONTHS:
        # Day and month could be either: only a day that cannot be a month shows which is which.
        probe = Moment(date.replace(day=_NO_MONTH))
        found = [order for order in found if _takes(hands, item, order, probe)]
    for order in found:
        if _takes(hands, item, order, moment):
            return {"detail": BY_ACCESSIBILITY}
    raise ActionFailed(
        f"{describe(item)} did not take the date; it shows '{item.text}'",
        suggestions=("see what dates it allows", "write it as it is shown there"),
    )


def _takes(hands: Hands, item: Item, order: str, moment: Moment) -> bool:
    """Write a moment into a field as one text; whether the field shows it after it lost the focus."""
    before = hands.live.changes
    text = dates.text_of(item.text or "", order, moment)
    hands.ask(item, EDITABLE_TEXT, "SetTextContents", "s", text, reply="b")
    hands.react(item, before)
    _leave(hands, item)
    hands.refresh(item, Facet.TEXT)
    return dates.shows(item.text or "", order, moment)


def _leave(hands: Hands, item: Item) -> None:
    """Give the focus to another item of the window and back: a field of Qt then shows what it took."""
    for other in item.window.walk():
        if other is not item and other.shown and other.states & State.FOCUSABLE and other.has(Face.COMPONENT):
            hands.ask(other, COMPONENT, "GrabFocus", reply="b")
            if hands.becomes(item, State.FOCUSED, False, _LEAVES):
                break
    press.focus(hands, item)


def _set_parts(hands: Hands, item: Item, parts: Mapping[str, Item], moment: Moment) -> Answer:
    """Type each number of a date into the part that is for it, and see that it is there."""
    wanted = dates.numbers(moment)
    if not parts.keys() >= wanted.keys() - {"hour", "hour12", "half", "second"}:
        what = "a date" if moment.time is None else "a time"
        raise InvalidParams(f"{describe(item)} does not hold {what}", field="value")
    keyboard = hands.input(item)
    for kind, part in parts.items():
        if kind not in wanted:
            continue
        hands.insist_on_keys(part)
        press.focus(hands, part)
        keys = "ap"[wanted[kind] - 1] if kind == "half" else f"{wanted[kind]:0{4 if kind == 'year' else 2}}"
        keyboard.type(keys)
        hands.react(part)

    def held() -> bool:
        hands.look(item)
        return all(
            part.value is not None and part.value[0] == wanted[kind]
            for kind, part in parts.items()
            if kind in wanted
        )

    if not hands.wait(held, 2 * EFFECT):
        raise ActionFailed(f"{describe(item)} did not take the date; it holds '{dates.value_of(item)}'")
    return {"detail": BY_INPUT}


def _retype(hands: Hands, item: Item, value: str) -> Answer:
    """Type a value in place of the existing text, and give the program a moment to take it in."""
    return type_text(hands, ops.TypeText(text=value, clear=True), item)


def _short(text: str | None) -> str:
    return (text or "")[:100]


def _write(hands: Hands, action: ops.TypeText, item: Item) -> Answer:
    """Put a text into a field without a keyboard, where there is none."""
    before, held = hands.live.changes, _held(hands, item)
    text = action.text
    length = 0 if action.clear else int(hands.get(item, TEXT, "CharacterCount") or 0)
    if length and role_name(item) == "password text":
        raise ActionUnsupported(
            f"the text in {describe(item)} is not reported: without a keyboard, nothing can be added to it",
            suggestions=("replace it: fill, set-value",),
        )
    if length:
        # There is a call to insert, but toolkits disagree whether it counts bytes or characters.
        text = str(hands.ask(item, TEXT, "GetText", "ii", 0, length, reply="s") or "") + text
    if not hands.ask(item, EDITABLE_TEXT, "SetTextContents", "s", text, reply="b"):
        raise ActionFailed(f"{describe(item)} took no text through accessibility", suggestions=ON_WAYLAND)
    if held is None:
        hands.react(item, before)
        return {"detail": BY_ACCESSIBILITY}
    return {"detail": BY_ACCESSIBILITY + _arrival(hands, action, item, held, before)}


def _set_number(hands: Hands, item: Item, number: float) -> Answer:
    """Set a number through accessibility; the answer names the one that it holds if that is another."""
    old = hands.get(item, VALUE, "CurrentValue")
    before, sizes = hands.live.changes, _sizes(hands, item)
    hands.set(item, VALUE, "CurrentValue", Variant("d", number))
    hands.react(item, before)
    if role_name(item) == "split pane" and old != number:
        # A pane limits its position only when it arranges what is in it.
        hands.wait(lambda: _sizes(hands, item) != sizes)
    if old != number and not hands.wait(lambda: hands.get(item, VALUE, "CurrentValue") != old):
        raise ActionFailed(
            f"{describe(item)} stayed at {old:g} when it was set to {number:g} through accessibility",
            suggestions=("focus it and press the arrow keys, or drag its handle",),
        )
    hands.refresh(item, Facet.VALUE)
    now = None if item.value is None else item.value[0]
    same = now is None or abs(now - number) <= _ROUNDED * max(1.0, abs(number))
    return {"detail": BY_ACCESSIBILITY + ("" if same else f"; it holds {now:g}")}


def _sizes(hands: Hands, item: Item) -> list[tuple[int, int, int, int] | None]:
    """The bounds of the two parts of a pane; of other items none."""
    parts = item.kids if role_name(item) == "split pane" else []
    for part in parts:
        hands.refresh(part, Facet.EXTENTS)
    return [part.extents for part in parts]


def _holds(hands: Hands, item: Item, text: str) -> bool:
    """Wait until an item has a text, of which only the beginning is read if it is long."""

    def so() -> bool:
        hands.refresh(item, Facet.TEXT)
        return item.text == text[:TEXT_LIMIT] and item.text_length in (None, len(text))

    return hands.wait(so)


def _edit_in_place(hands: Hands, item: Item, value: str) -> Answer:
    """Edit a cell as a person does: go to it, begin to edit, type, Enter."""
    keyboard = hands.input()
    hands.front(item)
    item.app.focus = ""
    if not hands.is_now(item, State.FOCUSED):
        press.click(hands, ops.Click(), item)
    if not _editor_opens(hands, item, 0.0):
        keyboard.chord("f2")
        if not _editor_opens(hands, item, DOUBLE_CLICK):
            # Fallback: where F2 means nothing, a click in what is selected does it.
            press.click(hands, ops.Click(), item)
            if not _editor_opens(hands, item, EFFECT):
                raise NotEditable(f"{describe(item)} cannot be edited: no field to write in opened")
    keyboard.chord("ctrl+a")
    keyboard.type(value)
    keyboard.chord("enter")
    hands.react(item, None, REACT_SLOW)
    return {"detail": BY_INPUT}


def _editor_opens(hands: Hands, cell: Item, timeout: float) -> bool:
    """Whether a field to write in takes the focus. Those of cells are seldom in the tree."""
    app = cell.app

    def so() -> bool:
        if app.focus and app.focus != cell.path:
            with hands.live.lock, contextlib.suppress(CallError):
                states = app.lane.ask(app.focus, ACCESSIBLE, "GetState", reply="au", timeout=hands.timeout)
                return bool(states[0][0] & State.EDITABLE)
        return False

    return hands.wait(so, timeout)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
