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


def tree_of(told: Mapping[str, Any], backend: str, app_name: str, pid: int, names: dict[str, str]) -> Tree:
    """The tree in an answer to `read`.

    `names` are those of fields that have none themselves, by uid: in a tree that begins at a window they are
    found by the labels there and put in, in a part of one they are taken out.
    """
    kinds = [_kind(kind, backend) for kind in told["kinds"]]
    rect = Rect._make
    fields: list[Fields] = []
    unnamed: list[Fields] = []
    for raw in told["nodes"]:
        kind = kinds[raw.pop("k")]
        node = {**kind, **raw}
        if "bounds" in raw:
            node["bounds"] = rect(raw["bounds"])
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
    whole = not fields or "parent" not in fields[0]
    if unnamed and whole:
        _name(unnamed, fields, told["labels"])
        names.update({node["uid"]: node["name"] for node in unnamed if "name" in node})
    for node in () if whole else unnamed:
        if (name := names.get(node["uid"])) is not None:
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


def _name(unnamed: list[Fields], every: list[Fields], labels: Mapping[str, str]) -> None:
    """Call fields by the labels that are for them, else by those that stand beside them."""
    rest: dict[str, list[Fields]] = {}
    for node in unnamed:
        if (label := labels.get(node["uid"])) is not None:
            node["name"] = caption(label)
        elif "bounds" in node and node.get("visible", True):
            rest.setdefault(node.get("parent", ""), []).append(node)
    if not rest:
        return
    around: dict[str, tuple[list[Fields], list[Fields]]] = {parent: ([], []) for parent in rest}
    for node in every:
        both = around.get(node.get("parent", ""))
        if both is not None and "bounds" in node and node.get("visible", True):
            is_label = node["role"] == "text" and node.get("text")
            if is_label:
                both[0].append(node)
            elif node["role"] not in _NAMED_BESIDE:
                both[1].append(node)
    taken = set(labels.values())
    for parent, fields in rest.items():
        texts, others = around[parent]
        free = [text for text in texts if text["text"] not in taken]
        names = beside(fields, free, others) if free else {}
        for node in fields:
            if node["uid"] in names:
                node["name"] = names[node["uid"]]
