"""What changed between two revisions, as the MCP tools tell it: in JSON, and in a few lines for a model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ..model.node import Node, Window
from ..model.operations import Change, Difference
from .mcp_node import flags_of, flat, id_of, is_telling, label_of, line_of, value_of
from .mcp_scene import Scene, type_of

_LISTED = 30
"""How many entries of each list are told."""
_TOLD = (
    "name", "text", "value", "placeholder", "checked", "mixed", "selected", "expanded", "focused", "enabled",
    "visible", "editable", "description",
)  # fmt: skip
"""The fields whose change an agent cares for; where a thing is or how it looks is not among them."""


Earlier = Callable[[str], "Node | None"]
"""A node as it was before, by its uid; None if that is not known."""


def difference(scene: Scene | None, found: Difference, earlier: Earlier) -> dict[str, Any]:
    """What changed; `scene` is the tree as it is now, where that is known."""
    now = {} if scene is None else scene.tree.by_uid
    changed, shown, hidden = _sorted(found.changed, now)
    added = [node for node in (*found.added, *shown) if node.visible and is_telling(node)]
    told: dict[str, Any] = {"revision": found.revision, "sinceRevision": found.since}
    entries: list[tuple[str, list[Any]]] = [
        ("added", [_added(node) for node in added]),
        ("removed", _removed(found.removed, earlier)),
        ("hidden", hidden),
        ("changed", changed),
        ("windowsOpened", [_window(each) for each in found.windows_opened]),
        ("windowsClosed", [{"uid": uid} for uid in found.windows_closed]),
    ]
    left = found.left_out
    for name, rows in entries:
        if rows:
            told[name] = rows[:_LISTED]
            left += max(0, len(rows) - _LISTED)
    moved = any("focused" in change["now"] for change in changed)
    if found.focused is not None and (moved or any(node.uid == found.focused for node in added)):
        told["focus"] = {"uid": found.focused}
    if not any(rows for _, rows in entries):
        told["noChange"] = True
    if left:
        told["leftOut"] = {"entries": left, "how": "ui_get_snapshot without sinceRevision has everything"}
    return told


def _sorted(
    changes: Sequence[Change], now: Mapping[str, Node]
) -> tuple[list[dict[str, Any]], list[Node], list[dict[str, Any]]]:
    """What changed in nodes that are seen, the nodes that came into view, and the upper ones that went."""
    changed: list[dict[str, Any]] = []
    shown: list[Node] = []
    gone: list[Node] = []
    for change in changes:
        node = now.get(change.uid)
        if node is not None and "visible" in change.fields:
            (shown if node.visible else gone).append(node)
            continue
        if (fields := _fields(change)) and (node is None or node.visible):
            changed.append(_changed(node, change, fields))
    below = {node.uid for node in gone}
    hidden = [{"uid": node.uid, "what": str(node)} for node in gone if node.parent not in below]
    return changed, shown, hidden


def _removed(changes: Sequence[Change], earlier: Earlier) -> list[dict[str, Any]]:
    """The nodes that an agent knew of and that are gone, with what they were; of what is in one, the uid."""
    gone = {change.uid: earlier(change.uid) for change in changes}
    seen = {uid for uid, node in gone.items() if node is None or (node.visible and is_telling(node))}

    def is_in_another(node: Node | None) -> bool:
        while node is not None and node.parent is not None:
            if node.parent in seen:
                return True
            node = gone.get(node.parent)
        return False

    return [
        {"uid": change.uid} if is_in_another(gone[change.uid]) else {"uid": change.uid, "what": change.what}
        for change in changes
        if change.uid in seen
    ]


def lines(told: Mapping[str, Any], scene: Scene | None) -> str:
    """The same, for a model to read."""
    return "\n".join(_lines(told, {} if scene is None else scene.tree.by_uid))


def _lines(told: Mapping[str, Any], now: Mapping[str, Node]) -> Iterator[str]:
    yield f"revision {told['revision']}" + (" no change" if told.get("noChange") else "")
    for window in told.get("windowsOpened", ()):
        yield f'+window {window["uid"]} "{flat(window["title"])}"' + (" modal" if window["modal"] else "")
    for window in told.get("windowsClosed", ()):
        yield f"-window {window['uid']}"
    for entry in told.get("added", ()):
        node = now.get(entry["uid"])
        if node is None:
            yield f"+{entry['type']} (uid={entry['uid']})"
            continue
        states = " ".join(flags_of(node))
        value = value_of(node)
        yield f"+{line_of(node)}" + (f" = {value}" if value else "") + (f" {states}" if states else "")
    for name, sign in (("removed", "-"), ("hidden", "hidden ")):
        if entries := told.get(name):
            yield sign + " ".join(entry["uid"] for entry in entries)
    for entry in told.get("changed", ()):
        fields = [
            ("" if value else "not ") + name if isinstance(value, bool) else f"{name} {_quoted(value)}"
            for name, value in entry["now"].items()
        ]
        yield f"~{entry['uid']} {', '.join(fields)}"
    if "leftOut" in told:
        yield f"{told['leftOut']['entries']} more; {told['leftOut']['how']}"


def _window(window: Window) -> dict[str, Any]:
    return {"uid": window.uid, "title": window.title, "modal": window.modal}


def _fields(change: Change) -> dict[str, Any]:
    fields = {name: value for name, value in change.fields.items() if name in _TOLD}
    for twin in ("name", "value"):
        # A label is called what it says: telling that once is enough.
        if "text" in fields and twin in fields and fields[twin] == fields["text"]:
            del fields[twin]
    return fields


def _added(node: Node) -> dict[str, Any]:
    told = {
        "uid": node.uid,
        "type": type_of(node),
        "id": id_of(node),
        "text": label_of(node),
        "value": node.value,
        "states": list(flags_of(node)) or None,
    }
    return {name: value for name, value in told.items() if value is not None}


def _changed(node: Node | None, change: Change, fields: Mapping[str, Any]) -> dict[str, Any]:
    told: dict[str, Any] = {"uid": change.uid}
    if node is not None:
        told["type"] = type_of(node)
        if name := id_of(node):
            told["id"] = name
    told["now"] = dict(fields)
    # What was is of use where it was a text; of true and false it is the other one.
    before = {name: change.before.get(name) for name, value in fields.items() if not isinstance(value, bool)}
    return {**told, "before": before} if before else told


def _quoted(value: object) -> str:
    return f'"{flat(None if value is None else str(value))[:120]}"'
