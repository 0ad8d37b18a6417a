"""The shortest robust selector for a node: id, then role and name, then text, then structure.

Everything is counted once for a tree; whether a short selector would find one node alone is then
a matter of looking at a list of positions.
"""

from __future__ import annotations

from bisect import bisect_left
from operator import itemgetter
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
_VAGUE = frozenset(("unknown", "generic", "none", "presentation"))
"""Roles that say less about a node than its class."""

_Key = tuple[str, ...]
"""What a simple selector asks for: `("#", id)`, `("button",)` or `(".QFrame", "name", "=", "Tools")`."""
_Anchor = tuple[int, int, str]
"""What another selector can begin with: how good it is (less is better), a position, and its selector."""


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
            usable = asked.copy()
            for text in _texts(node):
                key = (kind, *text)
                asked.append(key)
                if _is_usable(node, text):
                    usable.append(key)
                asked += [(other, *text) for other in others]
            alone = (kind,)
            usable.append(alone)
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
            keys = self.keys[at]
            found = self.unique(keys, around)
            if found is None:
                written[node.uid] = self.counted(at, keys[0], around)
                anchors.append(around)
            else:
                cost, text = found
                written[node.uid] = text
                anchors.append([(cost, at, text), *around[: _ANCHORS - 1]])
        return written

    def unique(self, keys: list[_Key], around: list[_Anchor]) -> tuple[int, str] | None:
        """A selector that needs no position, and what it costs."""
        where = self.where
        for key in keys:
            if len(where[key]) == 1:
                return _cost(key), _text(key)
        # Sorting keeps the nearest first among equals.
        for cost, anchor, outer in sorted(around, key=itemgetter(0)) if len(around) > 1 else around:
            end = self.order.ends[anchor]
            for key in keys:
                positions = where[key]
                following = bisect_left(positions, anchor + 1) + 1
                if following >= len(positions) or positions[following] >= end:
                    return cost + _cost(key), f"{outer} >> {_text(key)}"
        return None

    def counted(self, at: int, key: _Key, around: list[_Anchor]) -> str:
        """A selector that counts: which one it is of those that look the same in the nearest place known."""
        positions = self.where[key]
        index = bisect_left(positions, at)
        if not around:
            return f"{_text(key)}:nth({index})"
        _, anchor, outer = around[0]
        return f"{outer} >> {_text(key)}:nth({index - bisect_left(positions, anchor + 1)})"


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
    """Whether a selector for this node should ask this: not for what a person types or chooses."""
    field, operator, value = text
    if operator == "^=" and len(getattr(node, field)) <= _LONG:
        return False
    return bool(value.strip()) and (field != "text" or not (node.editable or node.role in NAMED_BESIDE))


def _cost(key: _Key) -> int:
    """An id or a name can be relied on; a mere role less so."""
    return 2 if len(key) > 1 else 3


def _text(key: _Key) -> str:
    if key[0] == "#":
        return str(Id(key[1]))
    return f"{key[0]}[{key[1]}{key[2]}{quote(key[3])}]" if len(key) > 1 else key[0]
