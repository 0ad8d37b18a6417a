"""What the agent tells, as a tree of the model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...model.node import Column, Font, Node, Option, Rect, Virtualization, VisibleRow, Window
from ...model.tree import Tree
from ..beside import beside, caption

Fields = dict[str, Any]

_NAMED_BESIDE = frozenset((
    "textfield", "editable-text", "combo-box", "date-picker", "color-well", "spin-button", "slider",
    "progress-indicator", "list", "table", "tree", "tree-grid",
))  # fmt: skip
"""Roles of what has no caption of its own, and is called by the label beside it."""


def tree_of(told: Mapping[str, Any], backend: str, app_name: str, pid: int, names: Names) -> Tree:
    """The tree in an answer to `read`."""
    kinds = [_kind(kind, backend) for kind in told["kinds"]]
    new, rect = tuple.__new__, Rect
    fields: list[Fields] = []
    unnamed: list[Fields] = []
    for raw in told["nodes"]:
        kind = kinds[raw.pop("k")]
        node = {**kind, **raw}
        if "bounds" in raw:
            node["bounds"] = new(rect, raw["bounds"])
        if kind["role"] in _NAMED_BESIDE:
            if "name" not in raw:
                unnamed.append(node)
            if "options" in raw:
                node["options"] = _options(raw["options"])
            if "virtualization" in raw:
                node["virtualization"] = _virtualization(raw["virtualization"])
        elif "options" in raw:
            node["options"] = _options(raw["options"])
        if "pseudo_classes" in raw:
            node["pseudo_classes"] = tuple(raw["pseudo_classes"])
        if "font" in raw:
            node["font"] = Font(**raw["font"])
        fields.append(node)
    if unnamed and "parent" not in fields[0]:
        names.find(unnamed, fields, told["labels"])
    for node in unnamed:
        if (name := names.by_uid.get(node["uid"])) is not None:
            node["name"] = name
    windows = tuple(_window(window, app_name, pid) for window in told["windows"])
    return Tree(list(map(Node.of, fields)), windows, focused=told["focused"])


def _kind(told: Mapping[str, Any], backend: str) -> Fields:
    kind = {**told, "backend": backend}
    for name in ("actions", "style_classes"):
        if name in kind:
            kind[name] = tuple(kind[name])
    return kind


def _options(told: list[list[Any]]) -> tuple[Option, ...]:
    return tuple(Option(index, text, None, bool(chosen)) for index, (text, chosen) in enumerate(told))


def _virtualization(told: Fields) -> Virtualization:
    shown = told.get("visible_range")
    return Virtualization(
        kind=told["kind"],
        items_count=told["items_count"],
        visible_range=None if shown is None else (shown[0], shown[1]),
        selected_indices=tuple(told["selected_indices"]),
        focused_index=told.get("focused_index"),
        columns=tuple(Column(name, text) for name, text in told["columns"]),
        visible_cells=tuple(
            VisibleRow(index, uid, tuple(map(tuple, cells))) for index, uid, cells in told["visible_cells"]
        ),
    )


def _window(told: Fields, app_name: str, pid: int) -> Window:
    return Window(
        uid=told["uid"],
        title=told["title"],
        app_name=app_name,
        pid=pid,
        kind=told["kind"],
        bounds=Rect._make(told["bounds"]),
        focused=told["focused"],
        minimized=told.get("minimized", False),
        maximized=told.get("maximized", False),
        modal=told.get("modal", False),
        scale=told["scale"],
        stylesheets=tuple(told.get("stylesheets", ())),
    )


class Names:
    """What fields that have no caption are called, by uid.

    They are found in a tree that begins at a window, where their labels are, and used in parts of it too.
    """

    def __init__(self) -> None:
        self.by_uid: dict[str, str] = {}
        self._beside: dict[str, tuple[list[object], dict[str, str]]] = {}
        """By what is around: how it looked and what was found there; mostly it looks the same again."""

    def find(self, unnamed: list[Fields], every: list[Fields], labels: Mapping[str, str]) -> None:
        """By the labels that are for them, else by those that stand beside them."""
        found = {uid: caption(text) for uid, text in labels.items()}
        around: dict[str, list[Fields]] = {
            node["parent"]: [] for node in unnamed if node["uid"] not in labels and "parent" in node
        }
        for node in every if around else ():
            if (siblings := around.get(node.get("parent", ""))) is not None and "bounds" in node:
                siblings.append(node)
        taken = frozenset(labels.values())
        kept: dict[str, tuple[list[object], dict[str, str]]] = {}
        for parent, siblings in around.items():
            looks: list[object] = [
                (node["uid"], node["bounds"], node.get("text"), node.get("visible")) for node in siblings
            ]
            known = self._beside.get(parent)
            names = known[1] if known is not None and known[0] == looks else _beside(siblings, labels, taken)
            kept[parent] = (looks, names)
            found.update(names)
        # Replaced at once: others may be reading.
        self._beside, self.by_uid = kept, found


def _beside(siblings: list[Fields], labels: Mapping[str, str], taken: frozenset[str]) -> dict[str, str]:
    fields: list[Fields] = []
    texts: list[Fields] = []
    others: list[Fields] = []
    for node in siblings:
        if not node.get("visible", True):
            continue
        if node["role"] in _NAMED_BESIDE:
            named = "name" in node or node["uid"] in labels
            (others if named else fields).append(node)
        elif node["role"] == "text" and node.get("text"):
            # The label of one field is not that of another too.
            (others if node["text"] in taken else texts).append(node)
        else:
            others.append(node)
    return beside(fields, texts, others) if fields and texts else {}
