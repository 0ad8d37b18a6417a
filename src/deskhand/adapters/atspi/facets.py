"""What is asked of one object, and what it answers: where it is, its text, number, actions and label.

Which objects there are is for the reader. Asks only for what role, states and interfaces say is there.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from ...model.node import MASK
from . import kinds, wire
from .answers import actions_of, attributes_of, int_of, text_of
from .bus import CallError, Question
from .item import App, Item
from .strategy import Facet
from .vocabulary import ACCESSIBLE, ACTION, COMPONENT, PROPERTIES, TEXT, VALUE, Face, State
from .wire import Method

TEXT_LIMIT = 10_000
"""How many characters of a text are read."""
_RECT = struct.Struct("<4i").unpack
_DOUBLE = struct.Struct("<d").unpack_from
_RELATIONS = wire.reader("a(ua(so))")
_LABELLED_BY = 2
_NOWHERE = (0, 0, 0, 0)


@lru_cache(maxsize=4096)
def method(destination: str | None, interface: str, member: str, signature: str, *values: Any) -> Method:
    """A question, prepared once."""
    return Method(destination, interface, member, signature, *values)


class FacetReader:
    """Fetches what single items of one program say of themselves."""

    def __init__(self, app: App) -> None:
        self.app = app
        self._samples: dict[Item, Item] = {}
        """By parent: the child that is asked for its place in this read."""
        self._how = app.how
        self._obvious = kinds.PLAIN_ACTIONS | (kinds.INERT if app.how.clips else kinds.TEXTS)
        self._ends = app.how.clamps or app.how.needs_end
        """`GetText` is asked for as much as is read of a text, and ends where the text does."""
        self._call = app.lane.call
        self._ask_all = app.lane.ask_all
        to = app.lane.destination
        self._name = method(to, PROPERTIES, "Get", "ss", ACCESSIBLE, "Name")
        self._attributes = method(to, ACCESSIBLE, "GetAttributes", "")
        self._relations = method(to, ACCESSIBLE, "GetRelationSet", "")
        self._extents = method(to, COMPONENT, "GetExtents", "u", 0 if app.how.on_screen else 1)
        self._text = method(to, TEXT, "GetText", "ii", 0, TEXT_LIMIT if self._ends else -1)
        self._count = method(to, PROPERTIES, "Get", "ss", TEXT, "CharacterCount")
        self._action_list = method(to, ACTION, "GetActions", "")
        self._action_name = method(to, ACTION, "GetName", "i", 0)
        self._numbers = tuple(
            method(to, PROPERTIES, "Get", "ss", VALUE, name)
            for name in ("CurrentValue", "MinimumValue", "MaximumValue")
        )

    def _ask_extents(self, item: Item) -> None:
        # From here on: what an event says until the answer comes may be newer than that.
        item.moved = False
        self._call(item.field, self._extents, self._got_extents, item)

    def _more(self, item: Item, facets: int) -> None:
        self._ask_all(self._worth(item, facets))

    def _worth(self, item: Item, facets: int) -> Iterator[Question]:
        """What is worth asking of these facets, by role, states and interfaces."""
        field, role = item.field, item.role
        placed = facets & Facet.EXTENTS and self._has_place(item) and not self._waits(item)
        if placed and item.has(Face.COMPONENT):
            yield field, self._extents, self._got_extents, item
        if facets & Facet.TEXT:
            yield from self._text_questions(item)
        if facets & Facet.VALUE and item.has(Face.VALUE) and role in kinds.VALUED:
            for number, method in enumerate(self._numbers):
                yield field, method, self._got_number, (item, number)
        if facets & Facet.ATTRIBUTES and (self._how.attributes or (role in kinds.FIELDS and self._how.items)):
            yield field, self._attributes, self._got_attributes, item
        if facets & Facet.ACTIONS and item.has(Face.ACTION) and role not in self._obvious:
            if self._how.action_names:
                yield field, self._action_list, self._got_actions, item
            else:
                yield field, self._action_name, self._got_action, item
        if facets & Facet.LABEL and role in kinds.FIELDS:
            if role == kinds.COMBO or not (item.name or self._how.clips):
                yield field, self._relations, self._got_relations, item
            elif item.label:
                item.label = ""
                self._touch(item)

    def _text_questions(self, item: Item) -> Iterator[Question]:
        field, role = item.field, item.role
        line = item.states & State.SINGLE_LINE or (self._how.clips and not item.states & State.MULTI_LINE)
        named = role in kinds.NAMED and item.name
        if not item.has(Face.TEXT):
            self._set_text(item, None)
        elif role == kinds.PASSWORD:
            yield field, self._count, self._got_secret, item
        elif self._how.clamps and (named or (role in kinds.HOLDERS and item.child_count)):
            self._set_text(item, None)
        elif self._how.needs_end:
            yield field, self._text, self._got_text, item
        elif role in kinds.TEXT_ROLES and not line and not self._how.clamps:
            yield field, self._count, self._got_count, item
        elif named:
            self._set_text(item, None)
        else:
            yield field, self._text, self._got_text, item

    def _got_name(self, item: Item, body: bytes | CallError) -> None:
        if not isinstance(body, CallError) and (name := text_of(body)) != item.name:
            begins = not (item.name and name)
            item.name = name
            self._touch(item)
            if begins and item.rest is None and item.role in kinds.NAMED:
                # Whether to read its text depends on the name, and was decided by the earlier one.
                self._more(item, Facet.TEXT)

    def _got_description(self, item: Item, body: bytes | CallError) -> None:
        if not isinstance(body, CallError) and (text := text_of(body)) != item.description:
            item.description = text
            self._touch(item)

    def _got_id(self, item: Item, body: bytes | CallError) -> None:
        if not isinstance(body, CallError) and (text := text_of(body)) != item.id:
            item.id = text
            self._touch(item)

    def _got_extents(self, item: Item, body: bytes | CallError) -> None:
        if isinstance(body, CallError) or len(body) != 16 or not self._has_place(item):
            return
        before, seen = item.extents, item.clip
        waits = self._waits(item)
        item.extents = None if waits else _RECT(body)
        if self._how.clips:
            # Also where it did not move: what it is in may have been read while a window was on its way.
            item.clip = None if waits else _clip(item)
        if item.extents == before and item.clip == seen:
            return
        if item.clip != seen:
            for kid in item.kids:
                if kid.shown:
                    self._place(kid)
        self._touch(item)
        if self._how.tells_bounds and item.parent is not None and self._samples.get(item.parent) is item:
            del self._samples[item.parent]
            for kid in item.parent.kids:
                if kid is not item and kid.extents is not None and kid.shown:
                    self._ask_extents(kid)

    def _place(self, item: Item) -> None:
        """Read again where something is whose surroundings changed."""
        if not self._waits(item):
            self._more(item, Facet.EXTENTS)
        elif item.extents is not None or item.clip is not None:
            for one in item.walk():
                one.extents = one.clip = None
                self._touch(one)

    def _has_place(self, item: Item) -> bool:
        """Whether it is worth asking where an item is.

        Qt says the same of a row that is scrolled away as of one that is hidden, but only this has no size.
        """
        if item.shown:
            return True
        view = item.parent if self._how.clips and item.role in kinds.ROWS else None
        return view is not None and view.role in kinds.VIEWS and view.shown

    def _waits(self, item: Item) -> bool:
        """Whether the place of an item is better not asked for: that of its parent decides."""
        parent = item.parent
        if not self._how.clips or parent is None or parent is self.app.root or parent.role in kinds.OPENS:
            return False
        if parent.extents is None:
            return parent.shown and parent.has(Face.COMPONENT)
        return parent.clip == _NOWHERE

    def _got_count(self, item: Item, body: bytes | CallError) -> None:
        if isinstance(body, CallError):
            return
        length = int_of(body)
        self._set_length(item, length)
        if length <= 0:
            self._set_text(item, "")
            return
        read = method(self.app.lane.destination, TEXT, "GetText", "ii", 0, min(length, TEXT_LIMIT))
        self._call(item.field, read, self._got_text, item)

    def _got_secret(self, item: Item, body: bytes | CallError) -> None:
        """Of a password, only whether there is one; not even its length is kept."""
        if not isinstance(body, CallError):
            item.text_length = None
            self._set_text(item, MASK if int_of(body) else "")

    def _got_text(self, item: Item, body: bytes | CallError) -> None:
        if isinstance(body, CallError):
            return
        text = body[4:-1].decode("utf-8", "replace")[:TEXT_LIMIT]
        if self._ends and len(text) == TEXT_LIMIT:
            self._call(item.field, self._count, self._got_length, item)
        elif self._ends:
            self._set_length(item, None)
        self._set_text(item, text)

    def _got_length(self, item: Item, body: bytes | CallError) -> None:
        if not isinstance(body, CallError):
            self._set_length(item, int_of(body))

    def _set_length(self, item: Item, length: int | None) -> None:
        if length != item.text_length:
            item.text_length = length
            self._touch(item)

    def _set_text(self, item: Item, text: str | None) -> None:
        if text != item.text:
            item.text = text
            self._touch(item)

    def _got_number(self, argument: tuple[Item, int], body: bytes | CallError) -> None:
        item, which = argument
        number = None
        if not isinstance(body, CallError) and body[:3] == b"\x01d\0":
            number = _DOUBLE(body, 8)[0]
        values = list(item.value or (None, None, None))
        values[which] = number
        value = (values[0], values[1], values[2])
        if value != item.value:
            item.value = value
            self._touch(item)

    def _got_attributes(self, item: Item, body: bytes | CallError) -> None:
        if not isinstance(body, CallError):
            attributes = attributes_of(body)
            if attributes != item.attributes:
                item.attributes = attributes
                self._touch(item)

    def _got_actions(self, item: Item, body: bytes | CallError) -> None:
        if not isinstance(body, CallError) and (actions := actions_of(body)) != item.actions:
            item.actions = actions
            self._touch(item)

    def _got_action(self, item: Item, body: bytes | CallError) -> None:
        if isinstance(body, CallError):
            return
        actions = (body[4:-1].decode("utf-8", "replace"),)
        if actions != item.actions:
            item.actions = actions
            self._touch(item)

    def _got_relations(self, item: Item, body: bytes | CallError) -> None:
        if isinstance(body, CallError):
            return
        labels = [to for kind, to in _RELATIONS(body, 0)[0][0] if kind == _LABELLED_BY and to]
        for references in labels:
            self._call(wire.path_field(references[0][1]), self._name, self._got_label, item)
        if item.label and not labels:
            item.label = ""
            self._touch(item)

    def _got_label(self, item: Item, body: bytes | CallError) -> None:
        if not isinstance(body, CallError) and (label := text_of(body)) != item.label:
            item.label = label
            self._touch(item)

    def _touch(self, item: Item) -> None:
        item.changed()


def _clip(item: Item) -> tuple[int, int, int, int] | None:
    """What can be seen of an item that is clipped by all around it."""
    assert item.extents is not None
    x, y, width, height = item.extents
    parent = item.parent
    if parent is None or parent.role in kinds.OPENS or parent.clip is None:
        return item.extents
    left, top, wide, high = parent.clip
    right, bottom = min(x + width, left + wide), min(y + height, top + high)
    x, y = max(x, left), max(y, top)
    return (x, y, right - x, bottom - y) if right > x and bottom > y else _NOWHERE
