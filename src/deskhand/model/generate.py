"""The shortest robust selector for a node: id, then role and name, then text, then structure.

Everything is counted once for a tree; whether a short selector would find one node alone is then
a matter of looking at a list of positions.
"""

from __future__ import annotations

from bisect import bisect_left
from operator import itemgetter
from typing import NamedTuple
from weakref import WeakKeyDictionary

from .node import Node
from .order import class_names, ids, order_of
from .roles import ROLES
from .syntax import NAMED_BESIDE, Class, Id, quote
from .tree import Tree

_LONG = 60
"""Texts longer than this are written as how they begin."""
_BEGINNING = 40
_ANCHORS = 6
"""How many ancestors are tried as the outer part of a selector."""
_SHIFTING = frozenset(("status", "log", "timer", "marquee"))
"""Roles whose text and name say what is going on, not what the element is."""
_VAGUE = frozenset(("unknown", "generic", "none", "presentation"))
"""Roles that say less about a node than its class."""

_Key = tuple[str, ...]
"""What a simple selector asks for: `("#", id)`, `("button",)` or `(".QFrame", "name", "=", "Tools")`."""


class _Anchor(NamedTuple):
    """A node whose selector needs no position, so that others can begin with it."""

    cost: int
    """Less is better."""
    solid: bool
    """Whether every part has an id or a name."""
    at: int
    selector: str


def generate(tree: Tree, node: Node) -> str:
    """The shortest robust selector that finds exactly this node of the tree."""
    return generate_all(tree)[node.uid]


def generate_all(tree: Tree) -> dict[str, str]:
    """The shortest robust selector of every node, by uid. The dict is kept with the tree: only read it."""
    known = _generated.get(tree)
    if known is None:
        known = _generated[tree] = _Writer(tree).write()
    return known


_generated: WeakKeyDictionary[Tree, dict[str, str]] = WeakKeyDictionary()


class _Writer:
    def __init__(self, tree: Tree) -> None:
        self.order = order_of(tree)
        kinds = _Kinds(self.order.nodes)
        self.where: dict[_Key, list[int]] = {}
        """The positions of all that a simple selector finds."""
        self.keys: list[list[_Key]] = []
        """What a selector for each node may ask for, best first."""
        for at, node in enumerate(self.order.nodes):
            kind, others = kinds.of[node.role, node.native_class]
            asked: list[_Key] = [("#", name) for name in ids(node)]
            # An id that is a path was made of names, and says less than they do in more words.
            usable = [key for key in asked if "/" not in key[1]]
            paths = [key for key in asked if "/" in key[1]]
            for text in _texts(node):
                key = (kind, *text)
                asked.append(key)
                if _is_usable(node, text):
                    usable.append(key)
                asked += [(other, *text) for other in others]
            alone = (kind,)
            usable += [*paths, alone]
            asked.append(alone)
            asked += [(other,) for other in others]
            self.keys.append(usable)
            for key in asked:
                self.where.setdefault(key, []).append(at)

    def write(self) -> dict[str, str]:
        order = self.order
        written: dict[str, str] = {}
        anchors: list[list[_Anchor]] = []
        """Of each node: those among it and its ancestors that have a selector without a position."""
        for at, node in enumerate(order.nodes):
            above = order.parents[at]
            around = anchors[above] if above >= 0 else []
            found = self.unique(at, around)
            if found is None:
                written[node.uid] = self.counted(at, around)
                anchors.append(around)
            else:
                written[node.uid] = found.selector
                anchors.append([found, *around[: _ANCHORS - 1]])
        return written

    def unique(self, at: int, around: list[_Anchor]) -> _Anchor | None:
        """A selector that needs no position."""
        where, keys = self.where, self.keys[at]
        for key in keys:
            if len(where[key]) == 1:
                return _Anchor(_cost(key), _is_solid(key), at, _text(key))
        # Sorting keeps the nearest first among equals.
        for outer in sorted(around, key=itemgetter(0)) if len(around) > 1 else around:
            end = self.order.ends[outer.at]
            for key in keys:
                positions = where[key]
                following = bisect_left(positions, outer.at + 1) + 1
                if following >= len(positions) or positions[following] >= end:
                    text = f"{outer.selector} >> {_text(key)}"
                    return _Anchor(outer.cost + _cost(key), outer.solid and _is_solid(key), at, text)
        return None

    def counted(self, at: int, around: list[_Anchor]) -> str:
        """A selector that counts: which one it is of those that look the same in a place that is known."""
        key = self.keys[at][0]
        positions = self.where[key]
        index = bisect_left(positions, at)
        if not around:
            return f"{_text(key)}:nth({index})"
        outer = next((anchor for anchor in around if anchor.solid), around[0])
        return f"{outer.selector} >> {_text(key)}:nth({index - bisect_left(positions, outer.at + 1)})"


class _Kinds:
    """For each role and class: the selector for that kind of node, and others in use that find it too."""

    def __init__(self, nodes: list[Node]) -> None:
        kinds = {(node.role, node.native_class): node for node in nodes}
        chosen = {each: _kind(node) for each, node in kinds.items()}
        used = set(chosen.values())
        self.of: dict[tuple[str, str], tuple[str, list[str]]] = {}
        for each, node in kinds.items():
            every = (node.role, *(str(Class(name)) for name in class_names(node) if name), "*")
            self.of[each] = chosen[each], [kind for kind in every if kind in used and kind != chosen[each]]


def _kind(node: Node) -> str:
    """The selector for the kind of node this is: its role, else its class, else anything."""
    if node.role in ROLES and not (node.role in _VAGUE and node.native_class):
        return node.role
    return str(Class(node.native_class)) if node.native_class else "*"


def _texts(node: Node) -> list[_Key]:
    """The questions about texts that this node answers."""
    found: list[_Key] = []
    fields = node.fields
    for field in ("name", "text", "placeholder"):
        if value := fields.get(field):
            if len(value) <= _LONG:
                found.append((field, "=", value))
            if len(value) >= _BEGINNING:
                found.append((field, "^=", value[:_BEGINNING]))
    return found


def _is_usable(node: Node, text: _Key) -> bool:
    """Whether a selector for this node should ask this: not for what changes while it is used."""
    field, operator, value = text
    if node.role in _SHIFTING or (operator == "^=" and len(getattr(node, field)) <= _LONG):
        return False
    return bool(value.strip()) and (field != "text" or not (node.editable or node.role in NAMED_BESIDE))


def _cost(key: _Key) -> int:
    """A mere role is worth two more parts of a selector; a name that Qt gave says little to a reader."""
    return 2 if _is_solid(key) else 5


def _is_solid(key: _Key) -> bool:
    return len(key) > 1 and not (key[0] == "#" and key[1].startswith("qt_"))


def _text(key: _Key) -> str:
    if key[0] == "#":
        return str(Id(key[1]))
    return f"{key[0]}[{key[1]}{key[2]}{quote(key[3])}]" if len(key) > 1 else key[0]
