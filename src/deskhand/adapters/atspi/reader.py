"""Reads the objects of programs into items, by the means that each toolkit has.

Asks only for what role, states and interfaces say is there. Every question is a prepared message and goes
out without waiting for the answer to the one before; answers that repeat (interfaces, states) are
recognised by their bytes.
"""

from __future__ import annotations

import struct
from functools import lru_cache
from itertools import islice
from typing import Any

from ...model.node import MASK
from . import kinds, wire
from .answers import (
    actions_of,
    attributes_of,
    cache_items,
    int_of,
    properties_of,
    set_of_faces,
    set_of_states,
    text_of,
)
from .bus import CallError
from .item import TOLD, TREE, App, Item, RoleFaces
from .strategy import Facet
from .views import Looker
from .vocabulary import (
    ACCESSIBLE,
    ACTION,
    CACHE,
    CACHE_PATH,
    COMPONENT,
    NULL_PATH,
    PROPERTIES,
    ROOT_PATH,
    TEXT,
    VALUE,
    Face,
    State,
)
from .wire import Method

TEXT_LIMIT = 10_000
"""How many characters of a text are read."""
MANY = 200
"""How many children of a list, table or tree are read before only those on screen are."""
DEPTH = 100
"""How deep a tree may be; a program can be its own child."""

_RECT = struct.Struct("<4i").unpack
_U32 = struct.Struct("<I").unpack_from
_DOUBLE = struct.Struct("<d").unpack_from
_REFERENCES = wire.reader("a(so)")
_RELATIONS = wire.reader("a(ua(so))")
_CACHE_PATH = wire.path_field(CACHE_PATH)

_PARTIAL = 20
"""From how many objects on whose children are missing, a program's list is asked for again."""
_TRIES = 8
_SURE = 4
"""After how many equal answers the interfaces of a role count as known."""
_NEIGHBOURS = 60
"""How many things beside one that changed are looked at again."""


@lru_cache(maxsize=4096)
def _method(destination: str | None, interface: str, member: str, signature: str, *values: Any) -> Method:
    return Method(destination, interface, member, signature, *values)


class Reader:
    """Fetches facets of one program's items. Fills the items while its lane is pumped."""

    def __init__(self, app: App) -> None:
        self.app = app
        self.lane = app.lane
        self._tries = 0
        self._cached = 0
        self._stirred: set[Item] = set()
        self._how = app.how
        self._obvious = kinds.PLAIN_ACTIONS | (kinds.INERT if app.how.clips else kinds.TEXTS)
        self._views = kinds.VIEWS if app.how.views else frozenset[int]()
        self._call = app.lane.call
        to = app.lane.destination
        self._role = _method(to, ACCESSIBLE, "GetRole", "")
        self._states = _method(to, ACCESSIBLE, "GetState", "")
        self._faces = _method(to, ACCESSIBLE, "GetInterfaces", "")
        self._kids = _method(to, ACCESSIBLE, "GetChildren", "")
        self._kid_count = _method(to, PROPERTIES, "Get", "ss", ACCESSIBLE, "ChildCount")
        self._name = _method(to, PROPERTIES, "Get", "ss", ACCESSIBLE, "Name")
        self._description = _method(to, PROPERTIES, "Get", "ss", ACCESSIBLE, "Description")
        self._parent = _method(to, PROPERTIES, "Get", "ss", ACCESSIBLE, "Parent")
        self._id = _method(to, PROPERTIES, "Get", "ss", ACCESSIBLE, "AccessibleId")
        self._all = _method(to, PROPERTIES, "GetAll", "s", ACCESSIBLE)
        self._attributes = _method(to, ACCESSIBLE, "GetAttributes", "")
        self._relations = _method(to, ACCESSIBLE, "GetRelationSet", "")
        self._extents = _method(to, COMPONENT, "GetExtents", "u", 0 if app.how.on_screen else 1)
        self._text = _method(to, TEXT, "GetText", "ii", 0, TEXT_LIMIT if app.how.clamps else -1)
        self._count = _method(to, PROPERTIES, "Get", "ss", TEXT, "CharacterCount")
        self._action_list = _method(to, ACTION, "GetActions", "")
        self._action_name = _method(to, ACTION, "GetName", "i", 0)
        self._items = _method(to, CACHE, "GetItems", "")
        self._numbers = tuple(
            _method(to, PROPERTIES, "Get", "ss", VALUE, name)
            for name in ("CurrentValue", "MinimumValue", "MaximumValue")
        )

    # -- what is asked -------------------------------------------------------------------------

    def load(self) -> None:
        """Read everything."""
        self._tries = self._cached = 0
        if self._how.items:
            self._call(_CACHE_PATH, self._items, self._got_items)
        else:
            self.fetch(self.app.root, Facet.KIDS)

    def discover(self, path: str) -> None:
        """Find out where something belongs that is not known: it is somebody's new child, or a menu."""
        self._parent_of(path, path, 0)

    def _parent_of(self, path: str, of: str, steps: int) -> None:
        self._call(wire.path_field(of), self._parent, self._got_parent, (path, of, steps))

    def _got_parent(self, argument: tuple[str, str, int], body: bytes | CallError) -> None:
        path, of, steps = argument
        app = self.app
        if isinstance(body, CallError) or path in app.items:
            return
        told = wire.unpack("v", body)[0]
        above = told[1] if isinstance(told, tuple) and told and told[0] == app.bus else NULL_PATH
        item = app.root if above == ROOT_PATH else app.items.get(above)
        if item is not None:
            self.fetch(item, Facet.KIDS)
        elif above != NULL_PATH and above != of and steps < DEPTH:
            self._parent_of(path, above, steps + 1)
            return
        # Answered after the children: what is known by then was one of them.
        self._call(wire.path_field(path), self._role, self._got_popup, path)

    def _got_popup(self, path: str, body: bytes | CallError) -> None:
        app = self.app
        if isinstance(body, CallError) or path in app.items or _U32(body)[0] not in kinds.POPUPS:
            return
        item = app.item(path)
        item.parent = app.root
        app.popups.append(item)
        app.changes += 1
        self.begin(item)

    def fetch(self, item: Item, facets: int) -> None:
        """Read some facets of an item, and all of what turns out to be below it."""
        field, call = item.field, self._call
        if facets == Facet.ALL and self._how.anew:
            self._anew(item)
            if len(item.kids) > MANY:
                call(field, self._kids, self._got_kids, item)
            return
        if facets & Facet.KIDS:
            if item.role in self._views:
                self.again(item)
            else:
                call(field, self._kids, self._got_kids, item)
        if facets & Facet.ROLE:
            call(field, self._role, self._got_role, item)
        if facets & Facet.STATES:
            call(field, self._states, self._got_states, item)
        if facets & Facet.FACES:
            call(field, self._faces, self._got_faces, item)
        if facets & Facet.NAME:
            call(field, self._name, self._got_name, item)
        if facets & Facet.DESCRIPTION:
            call(field, self._description, self._got_description, item)
        if facets & Facet.MORE:
            self._more(item, facets)

    def begin(self, item: Item) -> None:
        """Read a new item: first what says what else there is to read."""
        field, call = item.field, self._call
        item.rest = 3
        # The name first: whether the text is worth a question depends on it.
        if self._how.get_all:
            call(field, self._all, self._got_all, item)
        else:
            call(field, self._name, self._got_name, item)
            call(field, self._description, self._got_description, item)
            if self._how.accessible_id:
                call(field, self._id, self._got_id, item)
        call(field, self._role, self._begun_role, item)
        call(field, self._states, self._begun_states, item)
        if not self._how.by_role:
            call(field, self._faces, self._begun_faces, item)

    def _known(self, item: Item) -> None:
        """Role, states and interfaces of a new item are there."""
        if item.role in self._views and (item.states & State.MANAGES_DESCENDANTS or item.has(Face.TABLE)):
            self._call(item.field, self._kid_count, self._got_kid_count, item)
        elif item.child_count > MANY or not (self._how.get_all or (self._how.leaves and _is_leaf(item))):
            self._call(item.field, self._kids, self._got_kids, item)
        # What GetAll answered has the attributes as well.
        self._more(item, Facet.MORE & ~Facet.ATTRIBUTES if self._how.get_all else Facet.MORE)

    def _more(self, item: Item, facets: int) -> None:
        field, call, role = item.field, self._call, item.role
        if facets & Facet.EXTENTS and item.shown and item.has(Face.COMPONENT) and not self._waits(item):
            call(field, self._extents, self._got_extents, item)
        if facets & Facet.TEXT and item.has(Face.TEXT) and role == kinds.PASSWORD:
            call(field, self._count, self._got_secret, item)
        elif facets & Facet.TEXT and item.has(Face.TEXT):
            line = item.states & State.SINGLE_LINE or (self._how.clips and not item.states & State.MULTI_LINE)
            if self._how.clamps:
                if not ((role in kinds.NAMED and item.name) or (role in kinds.HOLDERS and item.child_count)):
                    call(field, self._text, self._got_text, item)
                elif item.text is not None:
                    item.text = None
                    self._touch(item)
            elif self._how.count_first or (role in kinds.TEXT_ROLES and not line):
                call(field, self._count, self._got_count, item)
            elif role not in kinds.NAMED or not item.name:
                call(field, self._text, self._got_text, item)
        if facets & Facet.VALUE and item.has(Face.VALUE) and role in kinds.VALUED:
            for number, method in enumerate(self._numbers):
                call(field, method, self._got_number, (item, number))
        if facets & Facet.ATTRIBUTES and (self._how.attributes or (role in kinds.FIELDS and self._how.items)):
            call(field, self._attributes, self._got_attributes, item)
        if facets & Facet.ACTIONS and item.has(Face.ACTION) and role not in self._obvious:
            if self._how.action_names:
                call(field, self._action_list, self._got_actions, item)
            else:
                call(field, self._action_name, self._got_action, item)
        if (
            facets & Facet.LABEL
            and role in kinds.FIELDS
            and (role == kinds.COMBO or not (item.name or self._how.clips))
        ):
            call(field, self._relations, self._got_relations, item)

    # -- what is answered ----------------------------------------------------------------------

    def _begun_role(self, item: Item, body: bytes | CallError) -> None:
        self._got_role(item, body)
        if self._how.by_role:
            self._faces_by_role(item)
        self._step(item)

    def _faces_by_role(self, item: Item) -> None:
        """Take the interfaces that others of the role have; until these are known, a few are asked for."""
        if self._how.only_menus and item.role not in kinds.ENTRIES:
            self._call(item.field, self._faces, self._begun_faces, item)
            return
        known = self.app.faces_by_role.setdefault(item.role, RoleFaces())
        if known.sure:
            item.faces = known.faces
            item.rest -= 1
        elif known.mixed or known.asked < _SURE:
            known.asked += 1
            self._call(item.field, self._faces, self._begun_faces, item)
        else:
            known.waiting.append(item)

    def _begun_states(self, item: Item, body: bytes | CallError) -> None:
        if not isinstance(body, CallError):
            item.states = set_of_states(body)
            if item.states & State.FOCUSED:
                self.app.in_focus.add(item)
        self._step(item)

    def _begun_faces(self, item: Item, body: bytes | CallError) -> None:
        if not isinstance(body, CallError):
            item.faces = set_of_faces(body)
        if self._how.by_role:
            self._learn(item)
        self._step(item)

    def _learn(self, item: Item) -> None:
        known = self.app.faces_by_role.get(item.role)
        if known is None:
            return
        known.mixed = known.mixed or (known.seen > 0 and known.faces != item.faces)
        known.faces = item.faces
        known.seen += 1
        if known.mixed or known.seen >= _SURE:
            known.sure = not known.mixed
            waiting, known.waiting = known.waiting, []
            for one in waiting:
                if known.sure:
                    one.faces = known.faces
                    self._step(one)
                else:
                    self._call(one.field, self._faces, self._begun_faces, one)

    def _step(self, item: Item) -> None:
        item.rest -= 1
        if item.rest == 0:
            item.rest = None
            self._known(item)

    def _got_role(self, item: Item, body: bytes | CallError) -> None:
        if not isinstance(body, CallError):
            before, item.role = item.role, _U32(body)[0]
            item.changed()
            if kinds.PASSWORD in (before, item.role) and before != item.role:
                # What is read of the one is not what is read of the other.
                self._more(item, Facet.TEXT)

    def _got_states(self, item: Item, body: bytes | CallError) -> None:
        if isinstance(body, CallError):
            return
        states = set_of_states(body)
        if states != item.states:
            shown = item.shown
            item.states = states
            self._touch(item)
            if states & State.FOCUSED:
                self.app.in_focus.add(item)
            if item.shown != shown:
                # What is below changed with it, and not every toolkit says so.
                for kid in item.kids:
                    self.fetch(kid, Facet.STATES)
            if item.shown != shown and self._how.moving:
                self._stir(item.parent)
            if item.shown and not shown and self._how.anew:
                self._anew(item)
            elif item.shown and not shown:
                known = item.attributes is not None
                self._more(item, Facet.EXTENTS if known else Facet.EXTENTS | Facet.ATTRIBUTES)
                if item.role in self._views:
                    self.again(item)

    def _got_faces(self, item: Item, body: bytes | CallError) -> None:
        if not isinstance(body, CallError):
            item.faces = set_of_faces(body)
            self._touch(item)

    def _got_name(self, item: Item, body: bytes | CallError) -> None:
        if not isinstance(body, CallError) and (name := text_of(body)) != item.name:
            item.name = name
            self._touch(item)

    def _got_description(self, item: Item, body: bytes | CallError) -> None:
        if not isinstance(body, CallError) and (text := text_of(body)) != item.description:
            item.description = text
            self._touch(item)

    def _got_id(self, item: Item, body: bytes | CallError) -> None:
        if not isinstance(body, CallError) and (text := text_of(body)) != item.id:
            item.id = text
            self._touch(item)

    def _got_all(self, item: Item, body: bytes | CallError) -> None:
        if isinstance(body, CallError):
            self._call(item.field, self._kids, self._got_kids, item)
            return
        item.child_count = self._take_properties(item, body)
        if item.child_count and item.child_count <= MANY:
            self._call(item.field, self._kids, self._got_kids, item)

    def _take_properties(self, item: Item, body: bytes) -> int:
        """Take in what `GetAll` answered; returns how many children it says that there are."""
        known = properties_of(body)
        texts = tuple(str(known.get(name, "")) for name in ("Name", "Description", "AccessibleId"))
        attributes = known.get("Attributes")
        if not isinstance(attributes, dict):
            attributes = item.attributes
        if (*texts, attributes) != (item.name, item.description, item.id, item.attributes):
            item.name, item.description, item.id = texts
            item.attributes = attributes
            self._touch(item)
        return int(known.get("ChildCount", -1))

    def _got_extents(self, item: Item, body: bytes | CallError) -> None:
        if isinstance(body, CallError) or len(body) != 16:
            return
        before, seen = item.extents, item.clip
        item.extents = extents = _RECT(body)
        if self._how.clips:
            # Also where it did not move: what it is in may have been read while a window was on its way.
            item.clip = _clip(item)
        if extents == before and item.clip == seen:
            return
        if self._how.moving and before is not None and before[:2] != extents[:2]:
            self._stir(item.parent)
            self._stir(item)
        # Toolkits differ in whether they report of what is inside that it moved too.
        moves = (
            self._how.clips or not self._how.on_screen or (before is not None and before[:2] != extents[:2])
        )
        if (
            before is not None
            and before[2:] != extents[2:]
            and item.role in kinds.SCROLLS
            and self._how.items
        ):
            # What came into view by that is not reported.
            for one in item.walk():
                self._call(one.field, self._states, self._got_states, one)
        for kid in item.kids:
            # What is out of sight is not looked at unless what it is in has moved.
            if kid.shown and (moves or (kid.node is not None and kid.node.offscreen)):
                self._more(kid, Facet.EXTENTS)
        self._touch(item)

    def _stir(self, item: Item | None) -> None:
        """See what in an item came into view or left it, once in a look."""
        if item is not None and item not in self._stirred:
            self._stirred.add(item)
            for kid in item.kids:
                self._call(kid.field, self._states, self._got_states, kid)

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
        if length != item.text_length:
            item.text_length = length
            self._touch(item)
        if length <= 0:
            self._set_text(item, "")
            return
        read = _method(self.app.lane.destination, TEXT, "GetText", "ii", 0, min(length, TEXT_LIMIT))
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
        if self._how.clamps and len(text) == TEXT_LIMIT != len(item.text or ""):
            self._call(item.field, self._count, self._got_count, item)
        self._set_text(item, text)

    def _set_text(self, item: Item, text: str) -> None:
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
        told = (values[0], values[1], values[2])
        if told != item.value:
            item.value = told
            self._touch(item)

    def _got_attributes(self, item: Item, body: bytes | CallError) -> None:
        if not isinstance(body, CallError):
            attributes = attributes_of(body)
            if attributes != item.attributes:
                item.attributes = attributes
                self._touch(item)

    def _got_actions(self, item: Item, body: bytes | CallError) -> None:
        if not isinstance(body, CallError):
            item.actions = actions_of(body)
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

    def _got_kids(self, item: Item, body: bytes | CallError) -> None:
        if isinstance(body, CallError):
            return
        app = self.app
        kids: list[Item] = []
        lent = False
        references = _REFERENCES(body, 0)[0][0]
        others = app.trees.pop(item.path, ())
        if len(others) == len(references):
            references = [(app.bus, path) for path in others]
        for bus, path in references:
            if path == NULL_PATH or bus != app.bus:
                continue
            kid = app.items.get(path)
            if kid is None:
                if _deep(item):
                    break
                kid = app.item(path)
                kid.parent = item
                self.begin(kid)
            elif kid.rest is TOLD:
                if kid.parent is not None and kid.parent is not item:
                    kid.parent.kids.remove(kid)
                kid.parent = item
                self._settle(kid)
            elif kid.parent is not item:
                if kid is item or kid is app.root or _is_above(kid, item):
                    continue
                if kid.parent is not None and item.window in app.popups and kid.window is not item.window:
                    lent = True
                    continue
                if kid.parent is not None and kid in kid.parent.kids:
                    kid.parent.kids.remove(kid)
                kid.parent = item
            kids.append(kid)
        if lent and not kids:
            # GTK 3 shows an open menu in a window of its own; its entries stay where they are all the same.
            window = item.window
            app.popups.remove(window)
            app.drop(window)
            return
        self._set_kids(item, list(dict.fromkeys(kids)))

    def _set_kids(self, item: Item, kids: list[Item]) -> None:
        item.child_count = len(kids)
        if kids == item.kids:
            return
        kept = set(kids)
        for gone in item.kids:
            if gone not in kept and gone.parent is item:
                self.app.drop(gone)
        if item.kids and self._how.unreported & Facet.EXTENTS:
            self.shift(kids)
        if item.text is not None:
            self._more(item, Facet.TEXT)
        item.kids = kids
        self._touch(item)

    def shift(self, items: list[Item]) -> None:
        """Read the places of things again that may have made way for another.

        Those of things with something inside are read in each look.
        """
        alone = (
            item for item in items if (not item.kids or item.role in kinds.CHILDLESS) and on_screen(item)
        )
        for item in islice(alone, _NEIGHBOURS):
            self._more(item, Facet.EXTENTS)

    # -- what no event reports --------------------------------------------------------------------

    def watch(self) -> None:
        """Read again what changes without an event, as far as it is on screen."""
        how = self._how
        focused = self.app.in_focus
        for item in list(focused):
            if item.parent is None or not item.states & State.FOCUSED:
                focused.discard(item)
            else:
                self._call(item.field, self._states, self._got_states, item)
        if not how.unreported:
            return
        self._stirred.clear()
        if how.anew:
            for window in self.app.windows:
                self._watch_shown(window)
            return
        stack = [(window, how.unreported & Facet.KIDS) for window in self.app.windows]
        while stack:
            item, kids = stack.pop()
            if not on_screen(item):
                continue
            # A button has at most its label inside.
            holds = item.role not in kinds.CHILDLESS
            moves = how.moving or (holds and item.kids and (not how.panes or _in_pane(item)))
            facets = how.unreported & Facet.EXTENTS if moves else 0
            if item.role in kinds.RESTLESS or (item.parent is not None and item.parent.role in kinds.VIEWS):
                facets |= how.restless
            elif item.faces & Face.VALUE:
                facets |= how.restless & Facet.VALUE
            if how.silent:
                facets |= Facet.NAME | Facet.STATES | Facet.TEXT | Facet.VALUE
            if facets:
                self.fetch(item, facets)
            if item.role == kinds.MENU_BAR and how.tells_entries:
                self._entries(item)
            if item.role == kinds.DOCUMENT:
                kids = 0
            if holds and kids:
                if item.role in self._views:
                    self.again(item)
                elif len(item.kids) > _NEIGHBOURS:
                    self._call(item.field, self._kid_count, self._got_other_count, item)
                else:
                    self._call(item.field, self._kids, self._got_kids, item)
            stack.extend((kid, kids) for kid in item.kids)

    def _watch_shown(self, window: Item) -> None:
        """Read everything again of what shows, and the hidden parts of the browser's own frame.

        Chromium replaces those without an event. The parts of a page that are out of sight are too many.
        """
        stack = [(window, False)]
        while stack:
            item, in_page = stack.pop()
            in_page = in_page or item.role == kinds.DOCUMENT
            if item.shown or item is window:
                self._anew(item)
                if not any(kid.shown for kid in item.kids):
                    # No kid that moves or leaves would show that another came into view.
                    self._stir(item)
            elif in_page:
                continue
            else:
                self._call(item.field, self._all, self._again_hidden, item)
            stack.extend((kid, in_page) for kid in item.kids)

    def _anew(self, item: Item) -> None:
        """Read everything of a known item again, and all of what is new below it."""
        field, call = item.field, self._call
        call(field, self._role, self._again_role, item)
        call(field, self._states, self._got_states, item)
        # Answered last: what else there is to read depends on role and states too.
        call(field, self._all, self._again_all, item)

    def _again_role(self, item: Item, body: bytes | CallError) -> None:
        if isinstance(body, CallError) or _U32(body)[0] == item.role:
            return
        item.value = item.actions = None
        self._got_role(item, body)
        self._call(item.field, self._faces, self._again_faces, item)

    def _again_faces(self, item: Item, body: bytes | CallError) -> None:
        self._got_faces(item, body)
        self._more(item, Facet.TEXT | Facet.VALUE | Facet.ACTIONS)

    def _again_all(self, item: Item, body: bytes | CallError) -> None:
        if isinstance(body, CallError):
            return
        self._again_kids(item, self._take_properties(item, body))
        self._more(item, Facet.MORE & ~Facet.ATTRIBUTES)

    def _again_hidden(self, item: Item, body: bytes | CallError) -> None:
        if not isinstance(body, CallError):
            self._again_kids(item, self._take_properties(item, body))

    def _again_kids(self, item: Item, count: int) -> None:
        if count != len(item.kids) or 0 < count <= MANY:
            # Of more children than that, an event says that others took their places.
            self._call(item.field, self._kids, self._got_kids, item)

    def _entries(self, bar: Item) -> None:
        """Ask the disabled entries of menus whether they are so still; others are asked when pressed."""
        for item in bar.walk():
            if item.role in kinds.CHOSEN and (item.parent is bar or not item.states & State.ENABLED):
                self._call(item.field, self._states, self._got_states, item)

    def _got_other_count(self, item: Item, body: bytes | CallError) -> None:
        if not isinstance(body, CallError) and int_of(body) != len(item.kids):
            self._call(item.field, self._kids, self._got_kids, item)

    # -- views with many items -------------------------------------------------------------------

    def _got_kid_count(self, item: Item, body: bytes | CallError) -> None:
        """Read all children of a view if they are few, else those that are on screen."""
        count = 0 if isinstance(body, CallError) else int_of(body)
        if count > MANY:
            item.child_count = count
            self.look_into(item)
        elif not (
            self._how.renews_trees and item.role == TREE and item.view is None and count == len(item.kids) > 0
        ):
            # Also where there are as many as before: others may have taken their places.
            item.view = None
            self._call(item.field, self._kids, self._got_kids, item)

    def look_into(self, item: Item) -> None:
        """Find what of a view is on screen."""
        if item.shown:
            Looker(self, item).start()

    def again(self, item: Item) -> None:
        """See whether a view has other children now, or shows others."""
        self._call(item.field, self._kid_count, self._got_kid_count, item)

    # -- everything at once ----------------------------------------------------------------------

    def _got_items(self, _: None, body: bytes | CallError) -> None:
        """Take in a program's cache; what it lacks is asked for one by one."""
        app = self.app
        if isinstance(body, CallError):
            # A program begins to keep the list when it hears that somebody listens, which may be just now.
            self._tries += 1
            if self._tries < _TRIES:
                self._call(_CACHE_PATH, self._items, self._got_items)
            else:
                # Fallback: there are programs that keep none; walking them always works.
                self.fetch(app.root, Facet.KIDS)
            return
        below: dict[str, list[tuple[int, Item]]] = {}
        told: list[Item] = []
        for path, parent, index, count, faces, name, role, description, states in cache_items(body, app.bus):
            if path == ROOT_PATH:
                app.root.child_count = count
                continue
            item = app.item(path)
            item.child_count, item.faces, item.name = count, faces, name
            item.role, item.description, item.states = role, description, states
            item.node, item.rest = None, TOLD
            told.append(item)
            if states & State.FOCUSED:
                app.in_focus.add(item)
            below.setdefault(parent, []).append((index, item))
        missing = 0
        for item in told:
            numbered = below.get(item.path, [])
            numbered.sort(key=_first)
            # Some say of a child that it is in what does not have it: only lists that are whole are believed.
            whole = [index for index, _ in numbered] == list(range(item.child_count))
            if whole and (self._how.parents or not numbered):
                item.kids = [kid for _, kid in numbered]
                for kid in item.kids:
                    kid.parent = item
            else:
                item.kids = []
                missing += item.child_count > len(numbered)
        if missing > _PARTIAL and len(told) > self._cached:
            # A program fills its list from when somebody listens; that is quicker than asking for each.
            self._cached = len(told)
            self._call(_CACHE_PATH, self._items, self._got_items)
            return
        # The root is always asked: windows open and close while a program starts.
        self._call(app.root.field, self._kids, self._got_kids, app.root)
        app.changes += 1

    def _settle(self, item: Item) -> None:
        """Read what the list did not have of an item that belongs to the tree, and of all below it."""
        stack = [item]
        while stack:
            one = stack.pop()
            one.rest = None
            if one.role in self._views and one.child_count > MANY:
                # GTK 3 lists every cell there is; only those on screen are of interest.
                for kid in one.kids:
                    self.app.items.pop(kid.path, None)
                one.kids = []
                self.again(one)
            elif len(one.kids) == one.child_count and all(kid.rest is TOLD for kid in one.kids):
                stack.extend(one.kids)
            elif one.role in self._views:
                self.again(one)
            else:
                self._call(one.field, self._kids, self._got_kids, one)
            self._more(one, Facet.MORE)
            if self._how.ids and one.role not in kinds.ENTRIES:
                self._call(one.field, self._id, self._got_id, one)

    def _touch(self, item: Item) -> None:
        item.changed()


_LABELLED_BY = 2
_NOWHERE = (0, 0, 0, 0)


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


def on_screen(item: Item) -> bool:
    """Whether an item can be seen, as far as is known; what opens somewhere else counts too."""
    return item.shown and (item.node is None or not item.node.offscreen or item.role in kinds.OPENS)


def _in_pane(item: Item) -> bool:
    """Whether an item is what a scroll pane holds, or what its viewport holds."""
    above = item.parent
    return above is not None and (
        above.role in kinds.SCROLLS or (above.parent is not None and above.parent.role in kinds.SCROLLS)
    )


def _is_leaf(item: Item) -> bool:
    line = item.role == kinds.TEXT and not item.states & State.MULTI_LINE
    return line or item.role in kinds.LEAVES


def _first(pair: tuple[int, Item]) -> int:
    return pair[0]


def _deep(item: Item) -> bool:
    depth = 0
    at: Item | None = item
    while at is not None:
        depth += 1
        at = at.parent
    return depth > DEPTH


def _is_above(item: Item, other: Item) -> bool:
    at: Item | None = other
    while at is not None:
        if at is item:
            return True
        at = at.parent
    return False
