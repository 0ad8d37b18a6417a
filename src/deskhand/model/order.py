"""A tree's nodes by their position in document order, which makes "is below" a comparison of numbers."""

from __future__ import annotations

from functools import cached_property
from weakref import WeakKeyDictionary

from .node import Node
from .syntax import NAMED_BESIDE
from .tree import Tree


class Order:
    """Positions of a tree's nodes. Below position p lie exactly p + 1 … ends[p] - 1; -1 is above all."""

    def __init__(self, tree: Tree) -> None:
        self.nodes: list[Node] = list(tree.nodes)
        if not self._number():
            self.nodes = _depth_first(tree)
            self._number()

    def _number(self) -> bool:
        """Find out who is below whom; False if some node is not right where its parent's are."""
        nodes = self.nodes
        position = self.position = {node.uid: at for at, node in enumerate(nodes)}
        parents = self.parents = [
            -1 if node.parent is None else position.get(node.parent, -1) for node in nodes
        ]
        ends = self.ends = [len(nodes)] * len(nodes)
        open_: list[int] = [-1]
        for at, above in enumerate(parents):
            while open_[-1] != above:
                last = open_.pop()
                if last < 0:
                    return False
                ends[last] = at
            open_.append(at)
        return True

    def span(self, at: int) -> tuple[int, int]:
        """The positions below, as a range."""
        return (at + 1, self.ends[at]) if at >= 0 else (0, len(self.nodes))

    @cached_property
    def by_role(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for at, node in enumerate(self.nodes):
            found.setdefault(node.role, []).append(at)
        return found

    @cached_property
    def by_id(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for at, node in enumerate(self.nodes):
            for name in ids(node):
                found.setdefault(name, []).append(at)
        return found

    @cached_property
    def places(self) -> list[tuple[int, int]]:
        """Of each node: which child it is, from 1, and the position of the sibling before, or -2."""
        places: list[tuple[int, int]] = []
        latest: dict[int, int] = {}
        for at, above in enumerate(self.parents):
            before = latest.get(above, -2)
            places.append((places[before][0] + 1 if before >= 0 else 1, before))
            latest[above] = at
        return places

    @cached_property
    def lasts(self) -> set[int]:
        """The positions of last children."""
        return set({above: at for at, above in enumerate(self.parents)}.values())

    @cached_property
    def texts(self) -> list[str]:
        """The text that each node itself shows, with white space normalised."""
        return [" ".join(shown(node).split()) for node in self.nodes]

    @cached_property
    def running_text(self) -> tuple[str, list[int]]:
        """All texts in one, and where each node's begins; at the end, where the next would."""
        return _joined(self.texts)

    @cached_property
    def folded_text(self) -> tuple[str, list[int]]:
        """The same without case, which may change how long a text is."""
        return _joined([text.casefold() for text in self.texts])


_orders: WeakKeyDictionary[Tree, Order] = WeakKeyDictionary()


def order_of(tree: Tree) -> Order:
    """The order of a tree, made once."""
    order = _orders.get(tree)
    if order is None:
        order = _orders[tree] = Order(tree)
    return order


def ids(node: Node) -> tuple[str, ...]:
    """What `#…` may call a node."""
    first, second = node.automation_id, node.object_name
    if first:
        return (first, second) if second and second != first else (first,)
    return (second,) if second else ()


def class_names(node: Node) -> tuple[str, ...]:
    """What `.…` may call a node: its class, also without namespace or package."""
    name = node.native_class
    short = name.rpartition("::")[2].rpartition(".")[2]
    return (name, short) if short and short != name else (name,)


def shown(node: Node) -> str:
    """The text that a node itself shows."""
    if node.text:
        return node.text
    if node.role in NAMED_BESIDE:
        return node.value or ""
    return node.own_name or node.value or ""


def shown_text(node: Node) -> str | None:
    """The same of a node that may show an empty text, or none at all."""
    if node.text is not None:
        return node.text
    return node.value if node.role in NAMED_BESIDE and node.value is not None else node.own_name


def _joined(texts: list[str]) -> tuple[str, list[int]]:
    starts = [0]
    for text in texts:
        starts.append(starts[-1] + len(text) + 1 if text else starts[-1])
    return " ".join(filter(None, texts)), starts


def _depth_first(tree: Tree) -> list[Node]:
    found: list[Node] = []
    waiting = tree.roots[::-1]
    while waiting:
        node = waiting.pop()
        found.append(node)
        waiting += tree.children(node)[::-1]
    return found
