"""The shortest robust selector for a node: id, then role and name, then text, then structure.

Everything is counted once for a tree; whether a short selector would find one node alone is then
a matter of looking at a list of positions.
"""

from __future__ import annotations

from bisect import bisect_left
from weakref import WeakKeyDictionary

from .node import Node
from .order import class_names, ids, order_of
from .roles import ROLES
from .syntax import Class, Id, quote
from .tree import Tree

_LONG = 60
"""Names longer than this are not written out whole."""
_BEGINNING = 40
_ANCHORS = 6
"""How many ancestors are tried as the outer part of a selector."""
_VAGUE = frozenset(("unknown", "generic", "none", "presentation"))
"""Roles that say less about a node than its class."""

_Key = tuple[str, ...]


def generate(tree: Tree, node: Node) -> str:
    """The shortest robust selector that finds exactly this node of the tree."""
    return generate_all(tree)[node.uid]


def generate_all(tree: Tree) -> dict[str, str]:
    """The shortest robust selector of every node, by uid. Do not change the dict: it is kept with the tree."""
    known = _generated.get(tree)
    if known is None:
        known = _generated[tree] = _Writer(tree).write()
    return known


_generated: WeakKeyDictionary[Tree, dict[str, str]] = WeakKeyDictionary()


class _Writer:
    def __init__(self, tree: Tree) -> None:
        self.order = order_of(tree)
        self.where: dict[_Key, list[int]] = {}
        """The positions of all that a simple selector finds, by what that selector asks for."""
        self.keys: list[list[_Key]] = []
        for at, node in enumerate(self.order.nodes):
            usable, found = _keys(node)
            self.keys.append(usable)
            for key in found:
                self.where.setdefault(key, []).append(at)

    def write(self) -> dict[str, str]:
        order = self.order
        written: dict[str, str] = {}
        anchors: list[list[tuple[int, int, str]]] = []
        """Of each node: the nearest nodes, itself included, that have a selector without a position."""
        for at, node in enumerate(order.nodes):
            above = order.parents[at]
            around = anchors[above] if above >= 0 else []
            keys = self.keys[at]
            text, parts = self.unique(at, keys, around)
            if text is None:
                written[node.uid] = self.counted(at, keys, around)
                anchors.append(around)
            else:
                written[node.uid] = text
                anchors.append([(parts, at, text), *around[: _ANCHORS - 1]])
        return written

    def unique(self, at: int, keys: list[_Key], around: list[tuple[int, int, str]]) -> tuple[str | None, int]:
        """A selector that needs no position, and of how many parts it is."""
        where = self.where
        for key in keys:
            if len(where[key]) == 1:
                return _text(key), 1
        # Few parts first, then near ones: `sorted` keeps the order of equals.
        for parts, anchor, outer in sorted(around, key=_parts) if len(around) > 1 else around:
            end = self.order.ends[anchor]
            for key in keys:
                positions = where[key]
                first = bisect_left(positions, anchor + 1)
                if first + 1 >= len(positions) or positions[first + 1] >= end:
                    return f"{outer} >> {_text(key)}", parts + 1
        return None, 0

    def counted(self, at: int, keys: list[_Key], around: list[tuple[int, int, str]]) -> str:
        """A selector that counts: which one it is of those that look the same in the nearest place known."""
        positions = self.where[keys[0]]
        if not around:
            return f"{_text(keys[0])}:nth({bisect_left(positions, at)})"
        _, anchor, outer = around[0]
        index = bisect_left(positions, at) - bisect_left(positions, anchor + 1)
        return f"{outer} >> {_text(keys[0])}:nth({index})"


def _parts(anchor: tuple[int, int, str]) -> int:
    return anchor[0]


def _keys(node: Node) -> tuple[list[_Key], list[_Key]]:
    """What a selector for this node may ask for, best first; and all such questions that it answers."""
    usable: list[_Key] = []
    found: list[_Key] = []
    for name in ids(node):
        key: _Key = ("#", name)
        found.append(key)
        usable.append(key)
    kinds: list[_Key] = [("role", node.role)]
    kinds += [(".", name) for name in class_names(node)]
    vague = (node.role in _VAGUE or node.role not in ROLES) and bool(node.native_class)
    chosen = kinds[1] if vague else kinds[0]
    for field in ("name", "text", "placeholder"):
        value = getattr(node, field)
        if value:
            for kind in kinds:
                key = (*kind, field, "=", value)
                found.append(key)
                if kind == chosen and len(value) <= _LONG:
                    usable.append(key)
                if len(value) >= _BEGINNING:
                    key = (*kind, field, "^=", value[:_BEGINNING])
                    found.append(key)
                    if kind == chosen and len(value) > _LONG:
                        usable.append(key)
    found += kinds
    usable.append(chosen)
    return usable, found


def _text(key: _Key) -> str:
    kind, value = key[0], key[1]
    if kind == "#":
        return str(Id(value))
    if kind == ".":
        base = str(Class(value))
    else:
        base = value if value in ROLES else f"[role={quote(value)}]"
    return base + (f"[{key[2]}{key[3]}{quote(key[4])}]" if len(key) > 2 else "")
