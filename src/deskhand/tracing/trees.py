"""Trees of a trace: the first one as a whole, the next ones as what differs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..model.codec import encode
from ..model.node import Node
from ..model.operations import Difference
from ..model.tree import Tree

_WORTH = 0.6
"""From which part of changed nodes on the whole tree is written."""


def whole(tree: Tree) -> dict[str, Any]:
    """A tree as data."""
    data: dict[str, Any] = {"nodes": [encode(node) for node in tree.nodes], **_around(tree)}
    return data


def difference(before: Tree, after: Tree) -> dict[str, Any]:
    """What `patched` needs to make the second of the first; the whole tree where that is shorter.

    `gone` are uids; `set` are nodes that differ; `added` are pairs of a node and the uid that it comes after.
    """
    old, new = before.by_uid, after.by_uid
    if len(new) < len(after.nodes):
        return whole(after)  # a uid twice: nothing can be said by uid
    stayed = [node.uid for node in before.nodes if node.uid in new]
    kept = [node.uid for node in after.nodes if node.uid in old]
    if stayed != kept:
        return whole(after)
    changed = [node for node in after.nodes if node.uid in old and not node.same(old[node.uid])]
    added: list[tuple[Any, str | None]] = []
    previous: str | None = None
    for node in after.nodes:
        if node.uid not in old:
            added.append((encode(node), previous))
        previous = node.uid
    if len(changed) + len(added) > _WORTH * len(after.nodes):
        return whole(after)
    data: dict[str, Any] = {}
    if gone := [node.uid for node in before.nodes if node.uid not in new]:
        data["gone"] = gone
    if changed:
        data["set"] = [encode(node) for node in changed]
    if added:
        data["added"] = added
    if (before.windows, before.focused, before.cut) != (after.windows, after.focused, after.cut):
        data |= _around(after)
    return data


def known_difference(before: Tree, after: Tree, known: Difference) -> dict[str, Any]:
    """The same, where the engine has found what differs and no node was added."""
    data: dict[str, Any] = {}
    if known.removed:
        data["gone"] = [change.uid for change in known.removed]
    if known.changed:
        data["set"] = [encode(after.by_uid[change.uid]) for change in known.changed]
    if (before.windows, before.focused) != (after.windows, after.focused):
        data |= _around(after)
    return data


def patched(before: Mapping[str, Any], data: Mapping[str, Any]) -> dict[str, Any]:
    """The tree that `whole` or `difference` described, as data; `before` is the tree before it."""
    if "nodes" in data:
        return dict(data)
    gone = set(data.get("gone", ()))
    new = {node["uid"]: node for node in data.get("set", ())}
    nodes = [new.get(node["uid"], node) for node in before["nodes"] if node["uid"] not in gone]
    place = {node["uid"]: index for index, node in enumerate(nodes)}
    inserted: dict[str | None, list[Any]] = {}
    after: dict[str, str | None] = {}
    for node, previous in data.get("added", ()):
        # Several in a row: all of them come after the last node that was there before.
        anchor = after.get(previous, previous)
        after[node["uid"]] = anchor
        inserted.setdefault(anchor, []).append(node)
    if inserted:
        rebuilt: list[Any] = list(inserted.get(None, ()))
        for node in nodes:
            rebuilt.append(node)
            rebuilt += inserted.get(node["uid"], ())
        nodes = rebuilt
        assert set(inserted) <= {None, *place}, "a node comes after one that was there"
    around = {name: before[name] for name in ("windows", "focused", "cut") if name in before}
    if "windows" in data:
        around = {name: data[name] for name in ("windows", "focused", "cut") if name in data}
    return {"nodes": nodes, **around}


def describe(node: Node) -> dict[str, Any]:
    """What a step says of the node that it was about."""
    return {"uid": node.uid, "label": str(node), "bounds": encode(node.bounds)}


def _around(tree: Tree) -> dict[str, Any]:
    data: dict[str, Any] = {"windows": encode(tree.windows)}
    if tree.focused:
        data["focused"] = tree.focused
    if tree.cut:
        data["cut"] = encode(tree.cut)
    return data
