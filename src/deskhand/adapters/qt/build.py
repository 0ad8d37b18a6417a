"""Makes nodes of the widgets of one window.

What every widget has is read by columns: `map` of one unbound getter over a batch of them, which is three
times as fast as asking each by attribute. Each column of a batch is compared with that of the read before;
nodes are made anew only for what differs. Positions are summed up from the parents.

A cold build makes everything anew, and remembers nothing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from itertools import compress
from operator import ne
from typing import Any

from ...model.node import Node, Rect
from ..captions import beside, caption
from . import details
from .binding import Binding
from .controls import Kind, plain, without_markup
from .handles import Registry
from .inner import HIDDEN, HIDDEN_NAMES, LIFTED
from .look import Look, Tools
from .place import Fields, Place, clipped
from .walk import Walk

_new = tuple.__new__
_BY_ITSELF, _BY_PARENT = 0, -1
"""Why something is hidden or disabled."""

_BATCH = 128
_SHOWN, _ENABLED, _NAMES, _SPOKEN = 4, 5, 6, 8
"""The indexes of these columns."""
_COLUMNS = 11
_UNREAD = object()
_BY_LABEL = ("name", "labelled_by", "guessed")
"""What a field has from its label."""
"""In a column, for what was not read yet. It differs from everything."""


class ReadWindow:
    """All that was read of a window, so that the next read can be of what differs."""

    def __init__(self, walk: Walk) -> None:
        self.walk = walk
        size = len(walk.knowns)
        self.columns: list[list[Any]] = [[_UNREAD] * size for _ in range(_COLUMNS)]
        self.states: list[Any] = [None] * size
        self.by_kind = {kind: [_UNREAD] * len(every) for kind, every in walk.groups.items()}
        """The states of all widgets of a kind, once more, for comparing many at once."""
        self.nodes: list[Node | None] = [None] * size
        """Of each widget; None for those that are not elements."""
        self.captions: list[str | None] = [None] * size
        """What the labels say that a field is called."""
        self.buddies: dict[int, str] = {}
        """What labels say that the field is called that they belong to, by its id()."""
        self.places: list[Place | None] = [None] * len(walk.holders)
        self.within: list[list[int]] = [[] for _ in walk.holders]
        """Of each holder, the widgets that are directly in it."""
        for at, up in enumerate(walk.ups):
            self.within[up].append(at)
        self.batches = _batches(walk)
        self.number = {at: number for number, at in enumerate(walk.holders)}
        self.totals = walk.counts.copy()
        """How many elements are below each holder, including those in widgets that are not elements."""


class Build:
    """Builds the nodes of one widget and of those in it."""

    def __init__(
        self,
        binding: Binding,
        registry: Registry,
        tools: Tools,
        windows: set[int],
        draw: Callable[[str, Any, Place, list[Node]], None],
        *,
        cold: bool = False,
        depth: int | None = None,
        internals: bool = False,
        with_details: bool = False,
    ) -> None:
        self._binding = binding
        self._registry = registry
        self._tools = tools
        self._windows = windows
        self._draw = draw
        self._cold = cold
        self._depth = depth
        self._internals = internals
        self._details = with_details

    def run(self, top: Any, around: Place, above: Any) -> list[Node]:
        """The nodes of a widget and of all in it but other windows; `around` is where it is."""
        scene, natives = self._scene(top, above)
        fresh = _Fresh(scene, natives)
        stale = self._differences(fresh, top)
        if fresh.regrouped:
            return self.run(top, around, above)
        self._make(fresh, stale, around)
        if fresh.renamed:
            ups = zip(natives, scene.walk.ups, strict=True)
            fresh.dirty.update(up for native, up in ups if id(native) in fresh.renamed)
        if fresh.dirty:
            self._name(fresh)
        self._drawn(fresh, top)
        for at, fields in fresh.fields.items():
            scene.walk.knowns[at].label = fields.get("name") or fields.get("automation_id")
            if self._details:
                details.add(self._binding, natives[at], fields)
        if not self._cold:
            scene.walk.looks[0].scene = scene
        return _in_document_order(scene, fresh.parts)

    def _scene(self, top: Any, above: Any) -> tuple[ReadWindow, list[Any]]:
        """What was read before, or a new walk; and the widgets.

        What was read before is kept again only once this read has succeeded.
        """
        windows = self._windows - {id(top)}
        look = self._registry.know(top).reader
        if isinstance(look, Look) and not self._cold and look.scene is not None:
            before: ReadWindow = look.scene
            look.scene = None
            kept = before.walk.natives(windows)
            if kept is not None:
                return before, kept
        walk = Walk(self._tools, self._registry, windows, depth=self._depth, internals=self._internals)
        scene = ReadWindow(walk.run(top, above))
        if not self._internals:
            for number in range(len(walk.holders) - 1, 1, -1):
                at = walk.holders[number]
                if walk.looks[at].inner == LIFTED:
                    scene.totals[walk.ups[at]] += scene.totals[number]
        return scene, [known() for known in walk.knowns]

    # -- columns ---------------------------------------------------------------------------------

    def _differences(self, fresh: _Fresh, top: Any) -> bytearray:
        """Read everything into the scene; a one for each widget that differs from the read before.

        Each batch is compared at once, so that the memory of what is unchanged is used again for the next.
        """
        scene, natives = fresh.scene, fresh.natives
        hold_widgets, label = self._tools.hold_widgets, self._tools.label
        getters = self._getters()
        stale = bytearray(len(natives))
        relabelled = False
        for batch in scene.batches:
            widgets = natives[batch.start : batch.end]
            now = [list(map(getter, widgets)) for getter in getters]
            self._explain(now, widgets)
            if batch.start == 0 and self._tools.widget.isWindow(top):
                # For a window, x() and y() are where its frame begins.
                now[0][0], now[1][0], _, _ = self._tools.widget.geometry(top).getRect()
            now.append([known.automation_id for known in scene.walk.knowns[batch.start : batch.end]])
            self._compare(fresh, batch, now, stale)
            for kind, read, members, first in batch.kinds:
                states = list(read([widgets[at] for at in members]))
                kept = scene.by_kind[kind]
                before = kept[first : first + len(states)]
                if before != states:
                    kept[first : first + len(states)] = states
                    for at, was, state in zip(members, before, states, strict=True):
                        if was != state:
                            stale[batch.start + at] = 1
                            scene.states[batch.start + at] = state
                    relabelled = relabelled or kind is label
            if hold_widgets([widgets[at] for at in batch.leaves]):
                fresh.regrouped = True
        if relabelled:
            self._buddies(fresh, scene.by_kind[label])
        for kind, every in scene.walk.groups.items():
            if kind.parts is not None:
                for at in every:
                    stale[at] = 1
        stale[0] = 1  # a window's title is in no column
        return stale

    def _getters(self) -> tuple[Callable[[Any], Any], ...]:
        widget = self._tools.widget
        return (
            widget.x,
            widget.y,
            widget.width,
            widget.height,
            widget.isVisible,
            widget.isEnabled,
            widget.objectName,
            widget.toolTip,
            widget.accessibleName,
            widget.focusPolicy,
        )

    def _explain(self, now: list[list[Any]], widgets: list[Any]) -> None:
        """Say why something is hidden or disabled."""
        widget = self._tools.widget
        if False in now[_SHOWN]:
            hidden = widget.isHidden
            now[_SHOWN] = [
                yes or (_BY_ITSELF if hidden(native) else _BY_PARENT)
                for native, yes in zip(widgets, now[_SHOWN], strict=True)
            ]
        if False in now[_ENABLED]:
            has, forced = widget.testAttribute, self._tools.forced
            now[_ENABLED] = [
                yes or (_BY_ITSELF if has(native, forced) else _BY_PARENT)
                for native, yes in zip(widgets, now[_ENABLED], strict=True)
            ]

    def _compare(self, fresh: _Fresh, batch: _Batch, now: list[list[Any]], stale: bytearray) -> None:
        """Put the columns of a batch into the scene, and mark the widgets in which they differ."""
        start, end = batch.start, batch.end
        for number, (column, values) in enumerate(zip(fresh.scene.columns, now, strict=True)):
            before = column[start:end]
            if before == values:
                continue
            column[start:end] = values
            differ = list(map(ne, before, values))
            for at in compress(range(start, end), differ):
                stale[at] = 1
            if number == _NAMES and _UNREAD not in before:
                fresh.regrouped = fresh.regrouped or not HIDDEN_NAMES.isdisjoint(compress(values, differ))

    # -- nodes -----------------------------------------------------------------------------------

    def _make(self, fresh: _Fresh, stale: bytearray, around: Place) -> None:
        scene, number = fresh.scene, fresh.scene.number
        walk, places = scene.walk, scene.places
        places[0] = around
        at = stale.find(1)
        while at >= 0:
            look = walk.looks[at]
            place = places[walk.ups[at]]
            assert place is not None
            # What was asked for is an element, whatever else it is.
            lifted = look.inner == LIFTED and not self._internals and at > 0
            if not lifted:
                self._node(fresh, at, look, place)
            mine = number.get(at)
            if mine is not None:
                below = self._lifted(fresh, at, place) if lifted else self._place(fresh, at, look, place)
                before = places[mine]
                if before is None or before.key != below.key:
                    places[mine] = below
                    fresh.dirty.add(mine)
                    for child in scene.within[mine]:
                        stale[child] = 1
                else:
                    before.fields = below.fields
                    if look.kind.parts is not None:
                        # Pages are called what their tabs say.
                        for child in scene.within[mine]:
                            stale[child] |= walk.looks[child].inner == LIFTED
            at = stale.find(1, at + 1)

    def _node(self, fresh: _Fresh, at: int, look: Look, place: Place) -> None:
        """Make the node of a widget anew."""
        scene = fresh.scene
        known, kind, state = scene.walk.knowns[at], look.kind, scene.states[at]
        x, y, width, height, shown, enabled, name, tip, spoken, policy, given = [
            column[at] for column in scene.columns
        ]
        fields = look.template.copy()
        if state is not None:
            kind.fill(fields, state)
        fields["uid"] = known.uid
        fields["parent"] = place.uid
        x += place.x
        y += place.y
        fields["bounds"] = _new(Rect, (x, y, width, height))
        if shown is not True:
            fields["visible"] = False
            if shown == _BY_PARENT:
                fields["visible_self"] = True
        elif x >= place.right or y >= place.bottom or x + width <= place.left or y + height <= place.top:
            fields["offscreen"] = True
        if enabled is not True:
            fields["enabled"] = False
            if enabled == _BY_PARENT:
                fields["enabled_self"] = True
        if name:
            fields["automation_id"] = name
        if given is not None:
            fields["automation_id"] = given
            if name and name != given:
                fields["object_name"] = name
        if tip:
            fields["tooltip"] = without_markup(tip) if "<" in tip else tip
        if spoken:
            fields["name"] = spoken
            if kind.field:
                fields["labelled_by"] = spoken
        elif kind.role == "button" and tip and "name" not in fields:
            fields["name"] = fields["tooltip"]
            fields["guessed"] = True
        if policy is not self._tools.no_focus:
            fields["focusable"] = True
        if place.inner or look.inner:
            fields["internal"] = True
        if place.pages is not None:
            _page(self._binding.bare(place.pages()), fresh.natives[at], fields)
        mine = scene.number.get(at)
        if mine is not None and scene.totals[mine]:
            fields["child_count"] = scene.totals[mine]
        scene.nodes[at] = Node.of(fields)
        scene.captions[at] = None
        fresh.fields[at] = fields
        fresh.dirty.add(scene.walk.ups[at])

    def _place(self, fresh: _Fresh, at: int, look: Look, place: Place) -> Place:
        """Where those in a widget are."""
        fields = fresh.fields[at]
        bounds: Rect = fields["bounds"]
        clip = clipped(place, *bounds)
        below = Place(fields, (bounds.x, bounds.y), clip, place.level + 1)
        below.inner = place.inner or look.inner == HIDDEN
        below.key = (bounds.x, bounds.y, clip, below.visible, below.enabled)
        return below

    def _lifted(self, fresh: _Fresh, at: int, place: Place) -> Place:
        """The place of the children of a widget that is not an element: they belong to the element above."""
        columns = fresh.scene.columns
        x, y = place.x + columns[0][at], place.y + columns[1][at]
        clip = clipped(place, x, y, columns[2][at], columns[3][at])
        below = Place(place.fields, (x, y), clip, place.level)
        below.visible = columns[_SHOWN][at] is True
        below.enabled = place.enabled
        below.inner = place.inner
        pages = self._tools.pages(fresh.natives[at])
        below.pages = None if pages is None else self._registry.know(pages)
        texts = None
        if pages is not None:
            bare = self._binding.bare(pages)
            texts = tuple(bare.tabText(index) for index in range(bare.count()))
        below.key = (x, y, clip, below.visible, below.enabled, texts)
        return below

    def _drawn(self, fresh: _Fresh, top: Any) -> None:
        """What widgets draw themselves is read each time."""
        scene, natives = fresh.scene, fresh.natives
        if self._tools.widget.isWindow(top):
            self._window(top, fresh.fields[0])
        for kind, members in scene.walk.groups.items():
            if kind.parts is not None:
                for at in members:
                    # What an inner part draws was read with the control it belongs to.
                    if scene.nodes[at] is not None and scene.walk.looks[at].inner != LIFTED:
                        place = scene.places[scene.number[at]]
                        assert place is not None
                        place.count = 0
                        self._parts(fresh, at, kind.parts, natives[at], place)
            elif kind.role == "button":
                for at in members:
                    if _has_menu(scene.states[at]):
                        self._menu(fresh, at, natives[at])

    def _window(self, top: Any, fields: Fields) -> None:
        fields["parent"] = None
        fields.pop("offscreen", None)
        text = self._tools.widget.windowTitle(top).replace("[*]", "")
        native_class = fields["native_class"]
        if native_class == "QComboBoxPrivateContainer":
            fields["role"] = "menu-list-popup"
        elif native_class == "QTipLabel":
            fields["role"] = "tooltip"
        elif fields["role"] == "generic":
            fields["role"] = "window"
        if fields["role"] in ("window", "dialog"):
            text = self._binding.title(text)
        if text:
            fields["name"] = text
        if self._tools.widget.isModal(top):
            fields["modal"] = True

    def _parts(self, fresh: _Fresh, at: int, parts: str, native: Any, place: Place) -> None:
        out: list[Node] = []
        fresh.parts[at] = out
        self._draw(parts, native, place, out)
        if place.count:
            place.fields["child_count"] = place.fields.get("child_count", 0) + place.count

    def _menu(self, fresh: _Fresh, at: int, native: Any) -> None:
        """The entries of the menu that a button opens."""
        node = fresh.scene.nodes[at]
        assert node is not None
        # The entries may be others than before; the node says how many there are.
        fields = {name: value for name, value in node.__dict__.items() if name != "child_count"}
        fresh.scene.nodes[at] = Node.of(fields)
        fresh.fields[at] = fields
        level = -1
        mine = fresh.scene.number.get(at)
        above = fresh.scene.places[fresh.scene.walk.ups[at]]
        if above is not None:
            level = above.level
        if mine is not None and fresh.scene.totals[mine]:
            fields["child_count"] = fresh.scene.totals[mine]
        place = Place(fields, (0, 0), (-1e9, -1e9, 1e9, 1e9), level + 1)
        self._parts(fresh, at, "menu", native, place)

    # -- names -----------------------------------------------------------------------------------

    def _buddies(self, fresh: _Fresh, states: list[Any]) -> None:
        """Labels are other than before: so may be the names of the fields they belong to."""
        before, now = fresh.scene.buddies, dict[int, str]()
        for state in states:
            if state[1]:
                fields: Fields = {}
                self._tools.label.fill(fields, state)
                if "text" in fields:
                    now.setdefault(state[1], caption(fields["text"]))
        fresh.scene.buddies = now
        fresh.renamed = {key for key in before.keys() | now.keys() if before.get(key) != now.get(key)}

    def _name(self, fresh: _Fresh) -> None:
        """Give the fields in what changed the names that the labels there say."""
        scene = fresh.scene
        walk = scene.walk
        spoken = scene.columns[_SPOKEN]
        for number in fresh.dirty:
            inside = scene.within[number]
            fields = [
                at
                for at in inside
                if ((kind := walk.looks[at].kind).field or (kind.box and _nameless(fresh, at)))
                and not spoken[at]
            ]
            if fields:
                self._name_in(fresh, inside, fields)

    def _name_in(self, fresh: _Fresh, inside: list[int], fields: list[int]) -> None:
        scene, label_kind = fresh.scene, self._tools.label
        walk, shown = scene.walk, scene.columns[_SHOWN]
        names: dict[int, str] = {}
        guessed: set[int] = set()
        rest = []
        for at in fields:
            text = scene.buddies.get(id(fresh.natives[at])) or self._tools.beside.in_form(fresh.natives[at])
            if text:
                names[at] = text
            elif shown[at] is True:
                rest.append(at)
        if rest:
            labels: list[Fields] = []
            others: list[Fields] = []
            taken = set(rest)
            for at in inside:
                node = scene.nodes[at]
                if shown[at] is not True or at in taken or node is None:
                    continue
                free = (
                    walk.looks[at].kind is label_kind and "text" in node.__dict__ and not scene.states[at][1]
                )
                (labels if free else others).append(node.__dict__)
            if labels:
                boxes = [scene.nodes[at].__dict__ for at in rest if walk.looks[at].kind.box]
                plain_fields = [scene.nodes[at].__dict__ for at in rest if not walk.looks[at].kind.box]
                found = beside(plain_fields, labels, others, boxes)
                for at in rest:
                    if text := found.get(walk.knowns[at].uid):
                        names[at] = text
                        guessed.add(at)
        for at in fields:
            self._rename(fresh, at, names.get(at), at in guessed)

    def _rename(self, fresh: _Fresh, at: int, text: str | None, guessed: bool) -> None:
        scene = fresh.scene
        fields = fresh.fields.get(at)
        if fields is None:
            before = scene.captions[at]
            old = scene.nodes[at]
            assert old is not None
            if old.name not in (before, old.placeholder):
                return  # with a name of its own
            if text == before and (text is None or old.guessed == guessed):
                return  # as before
            # The field is as before, its label is not.
            fields = {name: value for name, value in old.__dict__.items() if name not in _BY_LABEL}
            scene.nodes[at] = Node.of(fields)
            fresh.fields[at] = fields
        scene.captions[at] = text
        if text:
            fields["name"] = fields["labelled_by"] = text
            if guessed:
                fields["guessed"] = True
        elif "name" not in fields and (name := fields.get("placeholder")):
            fields["name"] = name
            fields["guessed"] = True


class _Fresh:
    """What one read makes anew."""

    def __init__(self, scene: ReadWindow, natives: list[Any]) -> None:
        self.scene = scene
        self.natives = natives
        self.fields: dict[int, Fields] = {}
        """The fields of new nodes, by the index of their widget."""
        self.parts: dict[int, list[Node]] = {}
        """The nodes of what widgets draw themselves."""
        self.dirty: set[int] = set()
        """The numbers of holders in which something is other than before."""
        self.regrouped = False
        """Whether the walk is out of date: an element is called like an inner part, or a leaf got widgets."""
        self.renamed: set[int] = set()
        """The fields, by id(), whose own labels are others than before, or say something else."""


def _nameless(fresh: _Fresh, at: int) -> bool:
    """Whether something has no name but what its label says."""
    node = fresh.scene.nodes[at]
    if node is None or at in fresh.fields:
        return node is not None and "name" not in fresh.fields[at]
    return node.name == fresh.scene.captions[at]


class _Batch:
    """Some widgets that are read together, so that they stay in the processor's cache."""

    def __init__(self, start: int, end: int) -> None:
        self.start = start
        self.end = end
        self.kinds: list[tuple[Kind, Any, list[int], int]] = []
        """The kinds that have states: how these are read, of which widgets of the batch, and how many widgets
        of the kind are in the batches before."""
        self.leaves: list[int] = []


def _batches(walk: Walk) -> list[_Batch]:
    leaves = set(walk.leaves)
    before: Counter[Kind] = Counter()
    batches = []
    for start in range(0, len(walk.looks), _BATCH):
        inside = walk.looks[start : start + _BATCH]
        batch = _Batch(start, start + len(inside))
        batch.leaves = [at for at in range(len(inside)) if start + at in leaves]
        members: defaultdict[Kind, list[int]] = defaultdict(list)
        for at, look in enumerate(inside):
            if look.kind.states is not None:
                members[look.kind].append(at)
        for kind, found in members.items():
            batch.kinds.append((kind, kind.states, found, before[kind]))
            before[kind] += len(found)
        batches.append(batch)
    return batches


def _in_document_order(scene: ReadWindow, parts: dict[int, list[Node]]) -> list[Node]:
    nodes: list[Node | None] = []
    done = 0
    for at in sorted(parts):
        nodes += scene.nodes[done : at + 1]
        nodes += parts[at]
        done = at + 1
    nodes += scene.nodes[done:]
    return [node for node in nodes if node is not None]


def _has_menu(state: Any) -> bool:
    return "expanded" in state if isinstance(state, dict) else len(state) > 4 and state[4] is not None


def _page(tabs: Any, native: Any, fields: Fields) -> None:
    index = tabs.indexOf(native)
    if index < 0:
        return
    if fields["role"] == "generic":
        fields["role"] = "tab-panel"
    if "name" not in fields and (text := plain(tabs.tabText(index))):
        fields["name"] = fields["labelled_by"] = text
