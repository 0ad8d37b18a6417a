"""Revisions of the tree, what differs between two of them, and reduced views of one."""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Sequence
from dataclasses import replace
from itertools import compress
from operator import is_not
from typing import Any

from ..model.node import Node
from ..model.operations import Change, Difference, Exit
from ..model.tree import Cut, Tree, all_cuts

_KEPT_TREES = 64
"""Every read takes one, also that of a single node; a caller comes back to the one it knows."""
_KEPT_NODES = 50_000
_LISTED = 200
"""How many entries each list of a difference has at most."""


class Revisions:
    """The latest trees that callers saw, by revision, so that the next answer can be a difference."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._trees: OrderedDict[int, tuple[Any, Tree]] = OrderedDict()
        self._latest = 0

    def add(self, tree: Tree, view: object) -> Tree:
        """Give a tree its revision and keep it; `view` says how it was read."""
        with self._lock:
            self._latest += 1
            tree.revision = self._latest
            self._trees[tree.revision] = (view, tree)
            while len(self._trees) > 1 and (
                len(self._trees) > _KEPT_TREES
                or sum(len(kept) for _, kept in self._trees.values()) > _KEPT_NODES
            ):
                self._trees.popitem(last=False)
        return tree

    def get(self, revision: int, view: object) -> Tree | None:
        """The tree of a revision, if it is still kept and was read in the same way."""
        with self._lock:
            kept = self._trees.get(revision)
            return kept[1] if kept is not None and kept[0] == view else None


def difference(before: Tree, after: Tree) -> Difference:
    """What differs between two trees."""
    old, new = before.by_uid, after.by_uid
    added = [node for node in after.nodes if node.uid not in old]
    removed = [node for node in before.nodes if node.uid not in new]
    changed = [
        (old[node.uid], node) for node in after.nodes if node.uid in old and not node.same(old[node.uid])
    ]
    old_windows = {window.uid for window in before.windows}
    new_windows = {window.uid for window in after.windows}
    left_out = sum(max(0, len(entries) - _LISTED) for entries in (added, removed, changed))
    return Difference(
        since=before.revision,
        revision=after.revision,
        added=tuple(added[:_LISTED]),
        removed=tuple(Change(node.uid, f"{node} is gone") for node in removed[:_LISTED]),
        changed=tuple(_change(was, now) for was, now in changed[:_LISTED]),
        windows_opened=tuple(window for window in after.windows if window.uid not in old_windows),
        windows_closed=tuple(window.uid for window in before.windows if window.uid not in new_windows),
        focused=after.focused,
        left_out=left_out,
    )


def ended(before: Tree) -> Difference:
    """What differs when the program of a tree has ended: nothing is left of it."""
    return replace(difference(before, Tree([])), exit=Exit())


def differs(before: Tree, after: Tree) -> bool:
    """Whether anything looks different, or is in another place."""
    if before.windows != after.windows:
        return True
    if before.nodes is after.nodes:
        return False
    if len(before) != len(after):
        return True
    # Most nodes are the same objects, where an adapter keeps them.
    others = compress(zip(before.nodes, after.nodes, strict=True), map(is_not, before.nodes, after.nodes))
    return any(was.fields != now.fields for was, now in others)


def reduce(tree: Tree, visible_only: bool, max_nodes: int | None) -> Tree:
    """The tree with only what is visible, and with at most so many nodes, the upper ones first."""
    if not visible_only and (max_nodes is None or len(tree) <= max_nodes):
        return tree.again(tree.windows, tree.focused, tree.captured_at)
    nodes = _visible(tree.nodes) if visible_only else list(tree.nodes)
    cut = tree.cut
    if max_nodes is not None and len(nodes) > max_nodes:
        nodes, below = _upper(Tree(nodes), max_nodes)
        cut = all_cuts(below, tree.cut)
    return Tree(nodes, tree.windows, tree.revision, tree.captured_at, tree.focused, cut)


def _visible(nodes: Sequence[Node]) -> list[Node]:
    hidden: set[str] = set()
    kept = []
    for node in nodes:
        if not node.visible or node.parent in hidden:
            hidden.add(node.uid)
        else:
            kept.append(node)
    return kept


def _upper(tree: Tree, max_nodes: int) -> tuple[list[Node], Cut]:
    kept: set[str] = set()
    queue = deque(tree.roots)
    while queue and len(kept) < max_nodes:
        node = queue.popleft()
        kept.add(node.uid)
        queue.extend(tree.children(node))
    below: dict[str, None] = {}
    for node in tree.nodes:
        if node.uid not in kept and node.parent in kept:
            below[node.parent] = None
    left_out = len(tree) - len(kept)
    reason = f"only {max_nodes} nodes were asked for; read the nodes in 'at' for what is below them"
    return [node for node in tree.nodes if node.uid in kept], Cut(left_out, reason, tuple(below)[:100])


def _change(was: Node, now: Node) -> Change:
    names = [name for name in {**was.fields, **now.fields} if getattr(was, name) != getattr(now, name)]
    changes = [
        f"{name} {_short(getattr(was, name))} → {_short(getattr(now, name))}"
        for name in names
        if name not in _UNTOLD
    ]
    what = f"{now}: {', '.join(changes or names)}"
    return Change(
        now.uid,
        what,
        {name: getattr(now, name) for name in names},
        {name: getattr(was, name) for name in names},
    )


_UNTOLD = frozenset(("bounds", "virtualization", "options", "properties", "child_count", "font", "actions"))


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
