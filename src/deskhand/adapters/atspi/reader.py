"""Reads the objects of programs into items, by the means that each toolkit has.

Everything that can change is read in each read, of what shows and of what does not: no toolkit announces all
changes. Kept are only the objects themselves and what an object has for life: its interfaces, actions and id
while its role stays the same. Asks only for what role, states and interfaces say is there. Every question is
a prepared message and goes out without waiting for the answer to the one before; answers that repeat
(interfaces, states) are recognised by their bytes.
"""

from __future__ import annotations

import struct
from collections import deque
from collections.abc import Iterable
from typing import Final

from . import kinds, wire
from .answers import (
    CacheItem,
    CacheList,
    attributes_of,
    int_of,
    properties_of,
    set_of_faces,
    set_of_states,
    text_of,
)
from .bus import CallError
from .facets import FacetReader, method
from .item import App, Item, RoleFaces
from .strategy import Facet
from .views import Looker
from .vocabulary import (
    ACCESSIBLE,
    CACHE,
    CACHE_PATH,
    NULL_PATH,
    PROPERTIES,
    ROOT_PATH,
    Face,
    State,
)

MANY = 200
"""How many children of a list, table or tree are read before only those on screen are."""
DEPTH = 100
"""How deep a tree may be; a program can be its own child."""

_U32 = struct.Struct("<I").unpack_from
_REFERENCES = wire.reader("a(so)")
_CACHE_PATH = wire.path_field(CACHE_PATH)

_PARTIAL = 20
"""From how many objects on whose children are missing, a program's list is asked for again."""
_TRIES = 8
_OVERGROWN = 12
"""If a list has so many times more objects than the program, asking each of these is quicker."""
_FEW = 100
_SURE = 4
"""After how many equal answers the interfaces of a role count as known."""
_CHANGING = Facet.MORE & ~(Facet.ACTIONS | Facet.ID)
"""What is read again of a known object, in addition to its name, role, states and children."""


class Reader(FacetReader):
    """Finds out which items one program has, and fills them while its lane is pumped."""

    def __init__(self, app: App) -> None:
        super().__init__(app)
        self.lane = app.lane
        self._tries = 0
        self._cached = 0
        self._list = CacheList(app.bus)
        self._listed: dict[str, CacheItem] = {}
        """What the program's own list says in this read, by path."""
        self._below: dict[str, list[tuple[int, str]]] = {}
        """Which paths it says are in which, with their numbers there."""
        self._before: tuple[dict[str, CacheItem], dict[str, list[tuple[int, str]]]] = {}, {}
        """The same as of the last list that was gone through in full."""
        self._moves = -1
        """How often something had moved by then."""
        self._with_all = 0
        """What `GetAll` answers of what else would be asked for by itself; in GTK 4 no attributes."""
        self._partly = False
        """Whether this read only goes through what the list says anew."""
        self._alone: dict[Item, None] = {}
        """What was not on that list, and is read by itself."""
        self._asked: dict[Item, None] = {}
        """What was on it and was asked for its children all the same."""
        self._agreed: set[Item] = set()
        """Those of them whose answer was what the list says of their children."""
        self._waiting: deque[Item] = deque()
        """New items that are on the list."""
        self._doubtful: set[Item] = set()
        """What has items that are gone, and does not say which are there instead."""
        self._twice: dict[str, Item] = {}
        """By path: what also lists something that stays in its menu."""
        self._mixed: set[Item] = set()
        """That whose items are not from top to bottom."""
        for item in app.items.values():
            item.questions = None  # those of another way to the program
        # What has no size is without it in Qt until it has one, and answers all the same.
        self._always = Face.COMPONENT if app.how.clips else 0
        self._views = kinds.VIEWS if app.how.views else frozenset[int]()
        to = app.lane.destination
        self._role = method(to, ACCESSIBLE, "GetRole", "")
        self._states = method(to, ACCESSIBLE, "GetState", "")
        self._faces = method(to, ACCESSIBLE, "GetInterfaces", "")
        self._kids = method(to, ACCESSIBLE, "GetChildren", "")
        self._kid_count = method(to, PROPERTIES, "Get", "ss", ACCESSIBLE, "ChildCount")
        self._description = method(to, PROPERTIES, "Get", "ss", ACCESSIBLE, "Description")
        self._parent = method(to, PROPERTIES, "Get", "ss", ACCESSIBLE, "Parent")
        self._id = method(to, PROPERTIES, "Get", "ss", ACCESSIBLE, "AccessibleId")
        self._all = method(to, PROPERTIES, "GetAll", "s", ACCESSIBLE)
        self._items = method(to, CACHE, "GetItems", "")

    # -- what is asked -------------------------------------------------------------------------

    def read(self) -> None:
        """Read everything that can change of what is known, and everything of what is new."""
        self._tries = self._cached = 0
        self._partly = False
        self.app.round += 1
        if self._how.items and not self.app.overgrown:
            self._call(_CACHE_PATH, self._items, self._got_items)
            self._read_ahead()
        else:
            self._read_again()

    def _read_ahead(self) -> None:
        """Ask what the list does not say of what was on it, so that the program is not idle meanwhile.

        This stands for those of which the list says the same as before: what else there is to ask follows
        from what it says.
        """
        ahead, tells = self.app.round, self._how.tells_bounds
        self._samples = {}
        self._mark_moved()
        for item in self.app.items.values():
            if item.listed and not self._is_cell(item):
                item.ahead = ahead
                if item.questions is None:
                    item.questions = list(self._worth(item, _CHANGING & ~Facet.EXTENTS))
                self._ask_all(item.questions)
                placed = item.shown and item.has(Face.COMPONENT)
                if placed and not (tells and self._is_sampled(item)):
                    self._ask_extents(item)

    def _is_sampled(self, item: Item) -> bool:
        """Whether another child of its parent is asked for its bounds, and this one only if that has moved.

        A widget reports that it was moved in its window. What its window does is reported by nothing, but
        happens to all children of one parent alike. Those of a window include its popovers, each of which
        moves by itself and does not always report it.
        """
        parent = item.parent
        if item.moved or item.role not in kinds.WIDGETS or item.extents is None or parent is None:
            return False
        if parent.role in kinds.VIEWS or parent.role in kinds.MANAGED or parent.role == kinds.CELL:
            return False
        return self._samples.setdefault(parent, item) is not item

    def _mark_moved(self) -> None:
        """Note whose place may be another one: what got a place or size, and what it has arranged with it.

        Only some have several windows of the toolkit for their children, and they move these when they get a
        place or size themselves.
        """
        found, self.app.moved = self.app.moved, set()
        for item in found:
            item.moved = True
            for kid in item.kids:
                kid.moved = True

    def read_moved(self) -> None:
        """Ask for the places of what said that it was moved, since the questions of this read were put."""
        if not self._how.tells_bounds or not self.app.moved:
            return
        self._mark_moved()
        for item in self.app.items.values():
            if item.moved and item.extents is not None and item.shown:
                self._ask_extents(item)

    def finish(self) -> bool:
        """Check what was read, when all is answered; says whether there is more to read now."""
        app = self.app
        self._listed, self._below, self._twice = {}, {}, {}
        if self._how.hoards and len(self._before[0]) > _OVERGROWN * max(len(app.items), _FEW):
            app.overgrown = True
        for popup in list(app.popups):
            if popup.parent is None or not popup.shown:
                app.popups.remove(popup)
                app.drop(popup)
        if not self._partly or self._moves != app.moves:
            self._forget_lost()
        if not self._how.renews:
            return False
        renewing = [item for item in app.items.values() if item.role in self._how.renews]
        mixed = {item for item in renewing if not _in_order(item.kids)}
        # Those that were mixed before are so by themselves.
        doubtful, self._doubtful = self._doubtful | (mixed - self._mixed), set()
        self._mixed = mixed
        for item in doubtful:
            self._call(item.field, self._kids, self._got_kids, item)
        return bool(doubtful)

    def _forget_lost(self) -> None:
        """Forget what was found below something that left meanwhile: it is in nothing."""
        app = self.app
        if self._partly:
            for top in app.tops:
                for item in top.walk():
                    item.round = app.round
        for path in [path for path, item in app.items.items() if item.round != app.round]:
            del app.items[path]

    def _read_again(self) -> None:
        app = self.app
        self._alone, self._asked, self._agreed, self._moves = {}, {}, set(), app.moves
        app.changed.clear()
        self._read_root()
        stack = list(reversed(app.tops))
        while stack:
            item = stack.pop()
            if item.round != app.round:
                self.again(item)
            if (item.view is None or not self._how.renews_cells) and not self._renews_inside(item):
                stack.extend(reversed(item.kids))

    def _read_root(self) -> None:
        app = self.app
        # A bridge of Java learns the name of its program after it has begun to answer.
        self._call(app.root.field, self._name, self._got_app_name, app)
        # The windows are always asked for: some open and close without an event.
        self._call(app.root.field, self._kids, self._got_kids, app.root)

    def _read_changed(self, changed: dict[str, CacheItem]) -> None:
        """Read what the list does not have, and what it says something new of.

        All else is as it was when the list was gone through in full: nothing moved since, and what changed
        in another way is gone through as well.
        """
        app = self.app
        self._read_root()
        others, app.changed = app.changed, set()
        for item in (*(app.items.get(path) for path in changed), *others):
            if item is not None and item.round != app.round and item.listed and not self._is_cell(item):
                self.again(item)
        for item in list(self._asked):
            # Where both said the same, the list counts and numbers what the answer lists, here as well.
            if item.round != app.round and item not in self._agreed:
                item.round = app.round
                self._read_kids(item, self._listed[item.path][_COUNT])
        for item in list(self._alone):
            if item.round != app.round:
                self.again(item)

    def _is_cell(self, item: Item) -> bool:
        """Whether it is a cell of a table whose cells are other objects in each read."""
        return self._how.renews_cells and item.parent is not None and item.parent.view is not None

    def _renews_inside(self, item: Item) -> bool:
        """Whether what is inside it has other objects from time to time."""
        at: Item | None = item if self._how.renews_inside else None
        while at is not None and at.role not in self._how.renews_inside:
            at = at.parent
        return at is not None

    def again(self, item: Item) -> None:
        """Read what can change of a known item."""
        field, call = item.field, self._call
        item.round = self.app.round
        entry = self._listed.get(item.path)
        item.listed = entry is not None
        if entry is not None:
            known = item.ahead == item.round and entry[_FACES:] == item.row
            facets = self._take(item, entry)
            if self._read_kids(item, entry[_COUNT]):
                self._asked[item] = None
            if not known:
                self._more(item, facets)
            return
        self._alone[item] = None
        if self._how.get_all:
            call(field, self._role, self._again_role, item)
            call(field, self._states, self._got_states, item)
            # Answered last: what else there is to read depends on role and states too.
            call(field, self._all, self._again_all, item)
        else:
            call(field, self._name, self._got_name, item)
            if not (self._how.plain_entries and item.role == kinds.MENU_ITEM and not item.description):
                call(field, self._description, self._got_description, item)
            call(field, self._states, self._got_states, item)
            if not self._how.by_role or item.role in kinds.FIELDS:
                call(field, self._role, self._again_role, item)
            self._read_kids(item)
            self._more(item, _CHANGING)

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
        if not isinstance(body, CallError):
            self._read_kids(item, self._take_properties(item, body))
            self._more(item, _CHANGING & ~self._with_all)

    def _read_kids(self, item: Item, count: int | None = None, *, sized: bool = False) -> bool:
        """Read which children an item has, of which the program says that they are so many.

        `sized` says of a menu bar that it was just seen to have a size. Says whether it had to be asked.
        """
        if item.role in self._how.leaves:
            self._set_kids(item, [])
            return False
        if item.role == kinds.MENU_BAR and self._how.vcl and not sized:
            self._call(item.field, self._extents, self._got_bar, item)
            return True
        numbered = self._below.get(item.path, ()) if item.path in self._listed else None
        view = item.role in self._views
        if numbered is not None and count == len(numbered) and not (view and count > MANY):
            # Some say of a child that it is in what does not have it: only lists that are whole are believed,
            # and of children that are known to be nowhere else. The numbers in a window of GTK 3 are not
            # those of its own list: there, a header bar comes first.
            known = self.app.items.get
            whole = all(
                index == at and ((kid := known(path)) is None or kid.parent is item)
                for at, (index, path) in enumerate(numbered)
            )
            ordered = len(numbered) < 2 or item.role not in kinds.MANAGED
            if whole and ((self._how.parents and ordered) or not numbered):
                self._take_kids(item, [path for _, path in numbered])
                return False
        if count == 0:
            self._set_kids(item, [])
            return False
        if view:
            self._look_into(item)
        else:
            self._call(item.field, self._kids, self._got_kids, item)
        return True

    def discover(self, path: str) -> None:
        """Find out where an unknown object belongs: it is the new child of an item, or a menu."""
        self._parent_of(path, path, 0)

    def _parent_of(self, path: str, of: str, steps: int) -> None:
        self._call(wire.path_field(of), self._parent, self._got_parent, (path, of, steps))

    def _got_parent(self, argument: tuple[str, str, int], body: bytes | CallError) -> None:
        path, of, steps = argument
        app = self.app
        if isinstance(body, CallError) or path in app.items:
            return
        parent = wire.unpack("v", body)[0]
        above = parent[1] if isinstance(parent, tuple) and parent and parent[0] == app.bus else NULL_PATH
        item = app.root if above == ROOT_PATH else app.items.get(above)
        if item is not None:
            self.fetch(item, Facet.KIDS)
        elif above != NULL_PATH and above != of and steps < DEPTH:
            self._parent_of(path, above, steps + 1)
            return
        # Answered after the children: what is known by then was one of them.
        alone = path == of and above in (NULL_PATH, ROOT_PATH)
        self._call(wire.path_field(path), self._role, self._got_popup, (path, alone))

    def _got_popup(self, argument: tuple[str, bool], body: bytes | CallError) -> None:
        """Take in what is in no other's children: a menu, a tooltip, or a list that is in nothing.

        Such a list is what Qt opens below a field while text is typed.
        """
        path, alone = argument
        app = self.app
        if isinstance(body, CallError) or path in app.items:
            return
        role = _U32(body)[0]
        if role not in kinds.POPUPS and not (alone and role in kinds.VIEWS):
            return
        item = app.item(path)
        item.parent = app.root
        app.popups.append(item)
        app.moves += 1
        app.changes += 1
        self.begin(item)

    def fetch(self, item: Item, facets: int) -> None:
        """Read some facets of an item, and all of what turns out to be new below it."""
        field, call = item.field, self._call
        if facets & Facet.KIDS:
            self._read_kids(item)
        if facets & Facet.STATES:
            call(field, self._states, self._got_states, item)
        if facets & Facet.NAME:
            call(field, self._name, self._got_name, item)
        if facets & Facet.MORE:
            self._more(item, facets)

    def read_attributes(self, item: Item, found: dict[Item, dict[str, str]]) -> None:
        """Read the object attributes of an item, which only a read with details has of all items."""

        def got(_: None, body: bytes | CallError) -> None:
            if not isinstance(body, CallError):
                found[item] = attributes_of(body)

        self._call(item.field, self._attributes, got)

    def begin(self, item: Item) -> None:
        """Read a new item: first what says what else there is to read."""
        field, call = item.field, self._call
        item.round = self.app.round
        if item.path in self._listed:
            self._waiting.append(item)
            if len(self._waiting) == 1:
                self._begin_listed()
            return
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

    def _begin_listed(self) -> None:
        while self._waiting:
            item = self._waiting[0]
            entry = self._listed[item.path]
            item.states = entry[-1]
            self._take(item, entry)
            item.listed = True
            self._known(item, entry[_COUNT], Facet.MORE)
            if self._how.ids and item.role not in kinds.ENTRIES:
                self._call(item.field, self._id, self._got_id, item)
            self._waiting.popleft()

    def _known(self, item: Item, count: int | None, facets: int) -> None:
        """Role, states and interfaces of a new item are there."""
        self._read_kids(item, count)
        self._more(item, facets)

    def _got_bar(self, item: Item, body: bytes | CallError) -> None:
        """Leave out a menu bar that is on no screen: another one took its place."""
        self._got_extents(item, body)
        if item.dead:
            self._set_kids(item, [])
        else:
            self._read_kids(item, sized=True)

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
        self._step(item)

    def _begun_faces(self, item: Item, body: bytes | CallError) -> None:
        if not isinstance(body, CallError):
            item.faces = set_of_faces(body) | self._always
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
            count = item.child_count if self._how.get_all else None
            self._known(item, count, Facet.MORE & ~self._with_all)

    def _got_role(self, item: Item, body: bytes | CallError) -> None:
        if not isinstance(body, CallError):
            before, item.role = item.role, _U32(body)[0]
            item.changed()
            if kinds.PASSWORD in (before, item.role) and before != item.role:
                # What is read of the one is not what is read of the other.
                self._more(item, Facet.TEXT)

    def _got_states(self, item: Item, body: bytes | CallError) -> None:
        if isinstance(body, CallError):
            self._gone(item)
        else:
            self._set_states(item, set_of_states(body))

    def _set_states(self, item: Item, states: int) -> None:
        if states == item.states:
            return
        shown = item.shown
        item.states = states
        self._touch(item)
        if not item.shown:
            item.extents = item.clip = None
        elif not shown and item.rest is None:
            self._more(item, Facet.EXTENTS)
            if item.role in self._views:
                self._look_into(item)

    def _gone(self, item: Item) -> None:
        """An object does not answer any more; what it was in says which are there instead."""
        item.states = State.DEFUNCT
        self._touch(item)
        if item.parent is not None and item.parent.role in self._how.renews:
            self._doubtful.add(item.parent)

    def _got_faces(self, item: Item, body: bytes | CallError) -> None:
        if not isinstance(body, CallError):
            item.faces = set_of_faces(body) | self._always
            self._touch(item)

    @staticmethod
    def _got_app_name(app: App, body: bytes | CallError) -> None:
        if not isinstance(body, CallError) and (name := text_of(body)) and name != app.name:
            app.name = name
            app.changes += 1

    def _got_all(self, item: Item, body: bytes | CallError) -> None:
        item.child_count = -1 if isinstance(body, CallError) else self._take_properties(item, body)

    def _take_properties(self, item: Item, body: bytes) -> int:
        """Take in what `GetAll` answered; returns how many children it says that there are."""
        known = properties_of(body)
        texts = tuple(str(known.get(name, "")) for name in ("Name", "Description", "AccessibleId"))
        attributes = known.get("Attributes")
        if isinstance(attributes, dict):
            self._with_all = Facet.ATTRIBUTES
        else:
            attributes = item.attributes
        if (*texts, attributes) != (item.name, item.description, item.id, item.attributes):
            item.name, item.description, item.id = texts
            item.attributes = attributes
            self._touch(item)
        return int(known.get("ChildCount", -1))

    def _got_kids(self, item: Item, body: bytes | CallError) -> None:
        if isinstance(body, CallError):
            return
        app = self.app
        references = _REFERENCES(body, 0)[0][0]
        paths = [path for bus, path in references if path != NULL_PATH and bus == app.bus]
        entry = None if self._how.parents else self._listed.get(item.path)
        numbered = self._below.get(item.path, [])
        if entry is not None and entry[_COUNT] == len(paths) and numbered == list(enumerate(paths)):
            self._agreed.add(item)
        others = app.renewing.pop(item.path, ())
        self._take_kids(item, others if len(others) == len(paths) else paths)
        item.vacant = len(references) - len(item.kids)

    def _take_kids(self, item: Item, paths: Iterable[str]) -> None:
        app = self.app
        kids: list[Item] = []
        lent = False
        if self._renews_inside(item):
            self._set_kids(item, [self._inside(item, *one) for one in enumerate(paths) if not _deep(item)])
            return
        for path in paths:
            kid = app.items.get(path)
            if self._is_lent(item, path):
                lent = True
                continue
            if kid is None:
                if _deep(item):
                    break
                kid = app.item(path)
                kid.parent = item
                self.begin(kid)
            elif kid.parent is not item:
                if kid is item or kid is app.root or _is_above(kid, item):
                    continue
                if kid.parent is not None and item.window in app.popups and kid.window is not item.window:
                    lent = True
                    continue
                if self._stays(kid, item):
                    self._twice[path] = item
                    continue
                if kid.parent is not None and kid in kid.parent.kids:
                    kid.parent.kids.remove(kid)
                    kid.parent.child_count -= 1
                    self._touch(kid.parent)
                app.moves += 1
                kid.parent = item
            kids.append(kid)
        if lent and not kids and item.window in app.popups:
            # GTK 3 shows an open menu in a window of its own; its entries stay where they are all the same.
            window = item.window
            app.popups.remove(window)
            app.drop(window)
            return
        if item.lent != (lent and not kids):
            item.lent = not item.lent
            app.moves += 1
            self._touch(item)
        self._set_kids(item, list(dict.fromkeys(kids)))

    def _inside(self, parent: Item, index: int, path: str) -> Item:
        """What is at a position, read by the object that it has now."""
        node = self.app.inside(parent, index, path)
        if node.parent is None:
            node.parent = parent
            self.begin(node)
        else:
            self.again(node)
        return node

    @staticmethod
    def _stays(kid: Item, item: Item) -> bool:
        """Whether something stays in the menu that it is in, although another object lists it as well.

        Swing lists the entries of an open menu in the menu and in what it is drawn in.
        """
        above = kid.parent
        opener = above is not None and above.role in kinds.OPENS and kid in above.kids
        return opener and item.role not in kinds.OPENS

    def _is_lent(self, item: Item, path: str) -> bool:
        """Whether a window only shows what a combo box opens, which GTK 3 lists in both."""
        if item.parent is not self.app.root or item.role not in kinds.POPUPS:
            return False
        if (entry := self._listed.get(path)) is not None:
            opener = self._listed.get(entry[_PARENT])
            return opener is not None and opener[_ROLE] == kinds.COMBO
        known = self.app.items.get(path)
        return known is not None and known.parent is not None and known.parent.role == kinds.COMBO

    def _set_kids(self, item: Item, kids: list[Item]) -> None:
        if item.child_count != len(kids):
            item.child_count = len(kids)
            self._touch(item)
        item.view = None
        if kids == item.kids:
            return
        kept = set(kids)
        for gone in item.kids:
            if gone not in kept and gone.parent is item:
                other = self._twice.pop(gone.path, None)
                self.app.drop(gone)
                if other is not None:
                    self._call(other.field, self._kids, self._got_kids, other)
        item.kids = kids
        self.app.moves += 1
        self._touch(item)

    # -- views with many items -------------------------------------------------------------------

    def _look_into(self, item: Item) -> None:
        """See whether a view has other children now, or shows others."""
        self._call(item.field, self._kid_count, self._got_kid_count, item)

    def _got_kid_count(self, item: Item, body: bytes | CallError) -> None:
        """Read all children of a view if they are few, else those that are on screen."""
        count = 0 if isinstance(body, CallError) else int_of(body)
        renewed = item.role in self._how.renews and item.view is None
        if count > MANY:
            if item.child_count != count:
                item.child_count = count
                self._touch(item)
            if item.shown:
                Looker(self, item).start()
            elif item.view is not None:
                self._set_kids(item, [])
                item.child_count = count
        elif not (renewed and item.kids and count == len(item.kids) + item.vacant):
            # Also where there are as many as before: others may have taken their places.
            self._call(item.field, self._kids, self._got_kids, item)

    # -- everything at once ----------------------------------------------------------------------

    def _got_items(self, _: None, body: bytes | CallError) -> None:
        """Take in a program's cache; what it lacks is asked for one by one."""
        app = self.app
        if isinstance(body, CallError):
            # A program begins to keep the list when it hears that a client listens, which may be just now.
            self._tries += 1
            if self._tries < _TRIES:
                self._call(_CACHE_PATH, self._items, self._got_items)
            else:
                self._moves = -1
                # Fallback: there are programs that keep none; walking them always works.
                self.fetch(app.root, Facet.KIDS)
            return
        entries = self._list.entries(body)
        changed = self._list.changed
        self._partly = changed is not None and self._moves == app.moves
        if self._partly and changed is not None:
            self._listed, self._below = self._before
            self._listed |= changed
            self._read_changed(changed)
            return
        listed = {entry[0]: entry for entry in entries}
        below: dict[str, list[tuple[int, str]]] = {}
        for entry in listed.values():
            below.setdefault(entry[1], []).append((entry[2], entry[0]))
        missing = sum(entry[_COUNT] > len(below.get(path, ())) for path, entry in listed.items())
        if missing > _PARTIAL and len(listed) > self._cached and not app.root.kids:
            # A program fills its list from when a client listens; that is quicker than asking for each.
            self._cached = len(listed)
            self._call(_CACHE_PATH, self._items, self._got_items)
            return
        for numbered in below.values():
            numbered.sort()
        listed.pop(ROOT_PATH, None)
        self._before = self._listed, self._below = listed, below
        self._read_again()

    def _take(self, item: Item, entry: CacheItem) -> int:
        """Take in what the list says of an item; returns what else there is to read."""
        _, _, _, _, faces, name, role, description, states = entry
        facets = _CHANGING
        if (faces, role) != (item.faces, item.role):
            item.faces, item.role = faces, role
            item.value = item.actions = item.text = None
            facets = Facet.MORE
            self._touch(item)
        if (name, description) != (item.name, item.description):
            item.name, item.description = name, description
            self._touch(item)
        self._set_states(item, states)
        return facets


_PARENT: Final = 1
"""Where an entry of the list says what the object is in."""
_COUNT: Final = 3
"""Where an entry of the list says how many children there are."""
_FACES: Final = 4
"""Where it begins to say what the object is."""
_ROLE: Final = 6
"""Where it says its role."""


def _in_order(items: list[Item]) -> bool:
    """Whether items are from top to bottom, as far as is known where they are."""
    # Without headers, which stay at the top when rows are scrolled beyond them.
    rows = [item for item in items if item.role == items[-1].role]
    tops = [item.extents[1] for item in rows if item.extents is not None and item.extents[3] > 0]
    return tops == sorted(tops)


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
