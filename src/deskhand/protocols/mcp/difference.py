"""What changed between two revisions, as the MCP tools report it: in JSON, and in a few lines for a model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ...model.node import Node, Window
from ...model.operations import Change, Difference
from .node import flags_of, flat, id_of, is_telling, kind_of, label_of
from .scene import Scene, type_of
from .text import Lines, is_on_screen, rank

_LISTED = 30
"""How many entries of each list are reported."""
_GONE = 6
"""How many of those that are gone or hidden a model reads of."""
_STATES = frozenset(("checked", "selected", "expanded"))
"""States that not every node has."""
_COUNTED = 4
"""After every rank."""
_TOLD = (
    "name", "text", "value", "placeholder", "checked", "mixed", "selected", "expanded", "focused", "enabled",
    "visible", "editable", "description",
)  # fmt: skip
"""The fields whose change an agent cares for; where a thing is or how it looks is not among them."""


Earlier = Callable[[str], "Node | None"]
"""A node as it was before, by its uid; None if that is not known."""


def difference(
    scene: Scene | None, found: Difference, earlier: Earlier, written: Lines | None = None
) -> dict[str, Any]:
    """What changed; `scene` is the tree as it is now, where that is known, and `written` are its lines."""
    now = {} if scene is None else scene.tree.by_uid
    changed, shown, hidden = _sorted(found.changed, now)
    more = _in_new_windows(scene, found)
    added = [node for node in (*found.added, *more, *shown) if node.visible and is_telling(node)]
    added.sort(key=_Importance(scene, found.windows_opened, written, crowded=len(added) > _LISTED))
    report: dict[str, Any] = {"revision": found.revision, "sinceRevision": found.since}
    entries: list[tuple[str, list[Any]]] = [
        ("added", [_added(node) for node in added]),
        ("removed", _removed(found.removed, earlier)),
        ("hidden", hidden),
        ("changed", changed),
        ("windowsOpened", [_window(each) for each in found.windows_opened]),
        ("windowsClosed", [{"uid": uid} for uid in found.windows_closed]),
    ]
    left = found.left_out - len(more)
    # The engine cuts its lists at the same length, so that only the longest can be cut. What it leaves out of
    # those that are gone comes last in the tree, and is mostly inside of what it lists.
    further = left if len(found.removed) > max(len(found.added), len(found.changed)) else 0
    for name, rows in entries:
        if rows:
            report[name] = rows[:_LISTED]
            left += max(0, len(rows) - _LISTED)
            further += sum(1 for row in rows[_LISTED:] if name == "removed" and "what" not in row)
    moved = any("focused" in change["now"] for change in changed)
    if found.focused is not None and (moved or any(node.uid == found.focused for node in added)):
        report["focus"] = {"uid": found.focused}
    if not any(rows for _, rows in entries):
        report["noChange"] = True
    if left:
        report["leftOut"] = {"entries": left, "how": "ui_get_snapshot without sinceRevision has everything"}
        if further:
            report["leftOut"]["inRemoved"] = further
    return report


def _in_new_windows(scene: Scene | None, found: Difference) -> list[Node]:
    """What is in new windows and has no room in the engine's list, which is cut where the tree goes on."""
    if scene is None or not found.left_out:
        return []
    known = {node.uid for node in found.added}
    roots = [scene.tree.get(window.uid) for window in found.windows_opened]
    return [
        node
        for root in roots
        if root is not None
        for node in (root, *scene.tree.descendants(root))
        if node.uid not in known
    ]


class _Importance:
    """Which of the added nodes come first: the buttons of a new dialog, and what a snapshot has lines for.

    Where there is no room for all, also what can be operated before the rest.
    """

    def __init__(
        self, scene: Scene | None, opened: Sequence[Window], written: Lines | None, *, crowded: bool
    ) -> None:
        self._scene = scene
        self._opened = {window.uid for window in opened}
        self._written = written
        self._crowded = crowded

    def __call__(self, node: Node) -> tuple[int, int]:
        if self._written is not None and not self._written.has(node):
            return 2, _COUNTED
        if node.uid in self._opened:
            return 0, 0
        # What has no name is the arrow of a field, or the like.
        if node.role == "button" and label_of(node) and is_on_screen(node) and self._is_in_new_window(node):
            return 0, 1
        return 1, rank(node) if self._crowded else 0

    def _is_in_new_window(self, node: Node) -> bool:
        return (
            bool(self._opened)
            and self._scene is not None
            and self._scene.tree.window_of(node).uid in self._opened
        )


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

    upper: list[dict[str, Any]] = []
    inner: list[dict[str, Any]] = []
    for change in changes:
        if change.uid in seen:
            if is_in_another(gone[change.uid]):
                inner.append({"uid": change.uid})
            else:
                upper.append({"uid": change.uid, "what": change.what})
    return upper + inner


def lines(report: Mapping[str, Any], scene: Scene | None, written: Lines | None) -> str:
    """The same, for a model to read."""
    return "\n".join(_lines(report, {} if scene is None else scene.tree.by_uid, written))


def _lines(report: Mapping[str, Any], now: Mapping[str, Node], written: Lines | None) -> Iterator[str]:
    yield f"revision {report['revision']}" + (" no change" if report.get("noChange") else "")
    found = [*_windows(report), *_added_lines(report, now, written), *_gone(report)]
    found += _changes(report, now, written)
    yield from found
    rows = [*report.get("added", ()), *report.get("changed", ())]
    if not found and rows:
        yield f"{len(rows)} changes in nodes that a snapshot does not list"
    left = report.get("leftOut", {"entries": 0})
    if more := left["entries"] - left.get("inRemoved", 0):
        yield f"{more} more; ui_get_snapshot shows what there is now"


def _added_lines(report: Mapping[str, Any], now: Mapping[str, Node], written: Lines | None) -> Iterator[str]:
    for entry in report.get("added", ()):
        node = now.get(entry["uid"])
        if node is None or written is None:
            yield f"+{entry['type']} (uid={entry['uid']})"
        elif written.has(node):
            yield f"+{written.of(node)}"
            yield from written.counted(node)


def _gone(report: Mapping[str, Any]) -> Iterator[str]:
    """What is gone or hidden; of what was in something else that is gone, only that is said."""
    closed = {window["uid"] for window in report.get("windowsClosed", ())}
    for name, sign in (("removed", "-"), ("hidden", "hidden ")):
        upper = [entry for entry in report.get(name, ()) if "what" in entry and entry["uid"] not in closed]
        for entry in upper[:_GONE]:
            yield f"{sign}{entry['uid']} {flat(entry['what']).removesuffix(' is gone')}"
        if len(upper) > _GONE:
            yield f"{sign}{len(upper) - _GONE} more"


def _windows(report: Mapping[str, Any]) -> Iterator[str]:
    for window in report.get("windowsOpened", ()):
        modal = " modal" if window["modal"] else ""
        yield f'windowsOpened: "{flat(window["title"])}" (uid={window["uid"]}){modal}'
    gone = {entry["uid"]: entry.get("what", "") for entry in report.get("removed", ())}
    for window in report.get("windowsClosed", ()):
        what = flat(gone.get(window["uid"])).removesuffix(" is gone")
        yield f"windowsClosed: {window['uid']} {what}".rstrip()


def _changes(report: Mapping[str, Any], now: Mapping[str, Node], written: Lines | None) -> Iterator[str]:
    """What changed in nodes; those in which the same states changed have one line together."""
    states: dict[str, list[str]] = {}
    for entry in report.get("changed", ()):
        node = now.get(entry["uid"])
        if node is not None and written is not None and written.counts(node):
            continue
        fields = {
            name: value for name, value in entry["now"].items() if value is not None or name not in _STATES
        }
        if "focus" in report and fields.get("focused") is False:
            del fields["focused"]  # the line of the one that has it now is enough
        texts = [
            ("" if value else "not ") + name if isinstance(value, bool) else f"{name} {_quoted(value)}"
            for name, value in fields.items()
        ]
        if fields and all(isinstance(value, bool) for value in fields.values()):
            states.setdefault(", ".join(texts), []).append(entry["uid"])
        elif fields:
            called = node is not None and node.name and node.name not in fields.values()
            what = f" ({kind_of(node)} {_quoted(node.name)})" if node is not None and called else ""
            yield f"~{entry['uid']} {', '.join(texts)}{what}"
    for text, uids in states.items():
        yield f"~{' '.join(uids)} {text}"


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
    row = {
        "uid": node.uid,
        "type": type_of(node),
        "id": id_of(node),
        "text": label_of(node) or node.own_name,
        "labelledBy": node.labelled_by,
        "value": node.value,
        "states": list(flags_of(node)) or None,
    }
    return {name: value for name, value in row.items() if value is not None}


def _changed(node: Node | None, change: Change, fields: Mapping[str, Any]) -> dict[str, Any]:
    entry: dict[str, Any] = {"uid": change.uid}
    if node is not None:
        entry["type"] = type_of(node)
        if name := id_of(node):
            entry["id"] = name
    entry["now"] = dict(fields)
    # What was is of use where it was a text; of true and false it is the other one.
    before = {name: change.before.get(name) for name, value in fields.items() if not isinstance(value, bool)}
    return {**entry, "before": before} if before else entry


def _quoted(value: object) -> str:
    return f'"{flat(None if value is None else str(value))[:120]}"'
