"""What the agent tells, as a tree of the model."""

from __future__ import annotations

import time
from collections.abc import Mapping
from operator import attrgetter
from typing import Any

from ...model.node import Column, Font, Node, Option, Rect, Virtualization, VisibleRow, Window
from ...model.record import dataclass
from ...model.tree import Tree
from ..captions import beside, caption

Fields = dict[str, Any]

_NAMED_BESIDE = frozenset((
    "textfield", "editable-text", "combo-box", "date-picker", "color-well", "spin-button", "slider",
    "progress-indicator", "list", "table", "tree", "tree-grid",
))  # fmt: skip
"""Roles of what has no caption of its own, and is called by the label beside it."""


@dataclass(frozen=True)
class Held:
    """An answer about everything, from which the agent can go on: it then tells only what is different."""

    number: int
    kinds: list[Fields]
    labels: Mapping[str, str]
    unnamed: frozenset[str]
    """The uids of what has no caption, and is called by labels."""
    tree: Tree


class Trees:
    """Makes trees of what the agent of one program answers.

    What is as it was in the last answer about everything is the same object again: a node, and the list of
    all of them if nothing changed at all.
    """

    def __init__(self, backend: str, app_name: str, pid: int) -> None:
        self._backend, self._app_name, self._pid = backend, app_name, pid
        self._names = Names()
        self.held: Held | None = None

    def tree(self, answer: Mapping[str, Any], held: Held | None = None) -> Tree:
        """The tree in an answer to `read`; `held` is what the question said it could go on from."""
        before = held if held is not None and answer.get("since") == held.number else None
        kinds = [_kind(kind, self._backend) for kind in answer["kinds"]]
        if before is not None:
            kinds = before.kinds + kinds
        windows = tuple(_window(window, self._app_name, self._pid) for window in answer["windows"])
        if before is not None and _is_same(answer, before):
            unnamed, tree = before.unnamed, before.tree.again(windows, answer["focused"], time.time())
        else:
            nodes, bare = _nodes(answer["nodes"], kinds, before)
            named = (
                before is not None
                and answer["labels"] == before.labels
                and _stand_as_before(nodes, before.tree)
            )
            unnamed = self._name(nodes, bare, None if named else answer["labels"])
            tree = Tree(nodes, windows, focused=answer["focused"])
        if "number" in answer:
            # At once: others may be reading.
            self.held = Held(answer["number"], kinds, answer["labels"], unnamed, tree)
        return tree

    def _name(self, nodes: list[Node], unnamed: set[str], labels: Mapping[str, str] | None) -> frozenset[str]:
        """Let those without a caption be called what their labels say, or said before; the uids of them."""
        if not unnamed:
            return frozenset()
        places = [at for at, node in enumerate(nodes) if node.uid in unnamed]
        if labels is not None and nodes[0].parent is None:
            self._names.find([nodes[at].fields for at in places], [node.fields for node in nodes], labels)
        names, linked = self._names.by_uid, self._names.linked
        for at in places:
            node = nodes[at]
            name = names.get(node.uid)
            guessed = name is not None and node.uid not in linked
            if name != node.name or guessed != node.guessed:
                others = {field: value for field, value in node.fields.items() if field != "guessed"}
                nodes[at] = Node.of({**others, "name": name, "labelled_by": name})
                if guessed:
                    nodes[at].fields["guessed"] = True
        return frozenset([nodes[at].uid for at in places])


def _is_same(answer: Mapping[str, Any], before: Held) -> bool:
    everything = [[0, len(before.tree)]]
    return bool(answer["nodes"] == everything and answer["labels"] == before.labels)


def _stand_as_before(nodes: list[Node], before: Tree) -> bool:
    """Whether nothing that names are found by has changed."""
    return len(nodes) == len(before) and not any(
        was is not node and _looks(was) != _looks(node) for was, node in zip(before.nodes, nodes, strict=True)
    )


_looks = attrgetter("uid", "parent", "role", "bounds", "text", "visible")


def _nodes(reported: list[Any], kinds: list[Fields], before: Held | None) -> tuple[list[Node], set[str]]:
    """The reported nodes, and the uids of those that have no caption."""
    new, rect, of = tuple.__new__, Rect, Node.of
    nodes: list[Node] = []
    unnamed: set[str] = set() if before is None else set(before.unnamed)
    for raw in reported:
        if type(raw) is list:
            # As they were before.
            assert before is not None
            nodes += before.tree.nodes[raw[0] : raw[0] + raw[1]]
            continue
        kind = kinds[raw.pop("k")]
        node = {**kind, **raw}
        if before is not None:
            unnamed.discard(raw["uid"])
        if "bounds" in raw:
            node["bounds"] = new(rect, raw["bounds"])
        if kind["role"] in _NAMED_BESIDE:
            if "name" in raw:
                node["labelled_by"] = raw["name"]
            else:
                unnamed.add(raw["uid"])
            if "virtualization" in raw:
                node["virtualization"] = _virtualization(raw["virtualization"])
        if "options" in raw:
            node["options"] = _options(raw["options"])
        if "pseudo_classes" in raw:
            node["pseudo_classes"] = tuple(raw["pseudo_classes"])
        if "font" in raw:
            node["font"] = Font(**raw["font"])
        nodes.append(of(node))
    return nodes, unnamed


def _kind(reported: Mapping[str, Any], backend: str) -> Fields:
    kind = {**reported, "backend": backend}
    for name in ("actions", "style_classes"):
        if name in kind:
            kind[name] = tuple(kind[name])
    return kind


def _options(reported: list[list[Any]]) -> tuple[Option, ...]:
    return tuple(Option(index, text, None, bool(chosen)) for index, (text, chosen) in enumerate(reported))


def _virtualization(reported: Fields) -> Virtualization:
    shown = reported.get("visible_range")
    return Virtualization(
        kind=reported["kind"],
        items_count=reported["items_count"],
        visible_range=None if shown is None else (shown[0], shown[1]),
        selected_indices=tuple(reported["selected_indices"]),
        focused_index=reported.get("focused_index"),
        columns=tuple(Column(name, text) for name, text in reported["columns"]),
        visible_cells=tuple(
            VisibleRow(index, uid, tuple(map(tuple, cells)))
            for index, uid, cells in reported["visible_cells"]
        ),
    )


def _window(reported: Fields, app_name: str, pid: int) -> Window:
    return Window(
        uid=reported["uid"],
        title=reported["title"],
        app_name=app_name,
        pid=pid,
        kind=reported["kind"],
        bounds=Rect._make(reported["bounds"]),
        focused=reported["focused"],
        minimized=reported.get("minimized", False),
        maximized=reported.get("maximized", False),
        modal=reported.get("modal", False),
        scale=reported["scale"],
        stylesheets=tuple(reported.get("stylesheets", ())),
    )


class Names:
    """What fields that have no caption are called, by uid.

    They are found in a tree that begins at a window, where their labels are, and used in parts of it too.
    """

    def __init__(self) -> None:
        self.by_uid: dict[str, str] = {}
        self.linked: frozenset[str] = frozenset()
        """The uids of those that a label is for, as the program says."""
        self._beside: dict[str, tuple[list[object], dict[str, str]]] = {}
        """By what is around: how it looked and what was found there; mostly it looks the same again."""

    def find(self, unnamed: list[Fields], every: list[Fields], labels: Mapping[str, str]) -> None:
        """By the labels that are for them, else by those next to them."""
        found = {uid: caption(text) for uid, text in labels.items()}
        wanted = {node["uid"] for node in unnamed if node["uid"] not in labels and "parent" in node}
        around: dict[str, list[Fields]] = {node["parent"]: [] for node in unnamed if node["uid"] in wanted}
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
            names = known[1] if known is not None and known[0] == looks else _beside(siblings, wanted, taken)
            kept[parent] = (looks, names)
            found.update(names)
        # Replaced at once: others may be reading.
        self._beside, self.by_uid, self.linked = kept, found, frozenset(labels)


def _beside(siblings: list[Fields], wanted: set[str], taken: frozenset[str]) -> dict[str, str]:
    fields: list[Fields] = []
    texts: list[Fields] = []
    others: list[Fields] = []
    for node in siblings:
        if not node.get("visible", True):
            continue
        if node["uid"] in wanted:
            fields.append(node)
        elif node["role"] == "text" and node.get("text"):
            # The label of one field is not that of another too.
            (others if node["text"] in taken else texts).append(node)
        else:
            others.append(node)
    return beside(fields, texts, others) if fields and texts else {}
