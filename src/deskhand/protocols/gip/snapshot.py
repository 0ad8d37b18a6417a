"""A tree as GIP's nested widget nodes, written straight as JSON text.

Written by hand because it is most of what a snapshot of a large window costs: from ten thousand nodes to
bytes in a fraction of the time that building and encoding dictionaries takes. And most of the time little has
changed since the last one, so only that is written anew.
"""

from __future__ import annotations

import math
from collections import Counter
from operator import attrgetter, is_not
from typing import Any, TypeAlias

from ...model.node import Node
from ...model.record import dataclass
from ...model.tree import Tree
from ..jsontext import dumps, quote, to_bytes

_NO_BOUNDS = (0, 0, 0, 0)
_TEXTUAL = frozenset(
    ("text", "label-text", "heading", "link", "button", "toggle-button", "checkbox", "radio")
)
"""Roles of what has a text also when that is empty."""
_STRUCTURE = ("uid", "parent", "native_class", "object_name", "automation_id")
"""Fields of a node on which refs depend, its own and those of others."""
_FEW = 5
"""If more than one in so many nodes changed, all are written anew."""
_fields = attrgetter("__dict__")
_getter = attrgetter("__dict__.get")


class SnapshotEncoder:
    """Writes one snapshot after the other."""

    def __init__(self) -> None:
        self._last: _Written | None = None

    def encode(self, tree: Tree) -> bytes:
        """The root widget node with all others below it; further windows are children of the root.

        The refs are those of `Tree.paths`, and resolve to the same nodes by `Tree.resolve`.
        """
        # Taken and put back in one step each: any number of threads may use one encoder.
        last = self._last
        written = None if last is None else last.again(tree)
        if written is None:
            written = _write(tree)
        self._last = written
        return written.data


def encode_snapshot(tree: Tree) -> bytes:
    """One snapshot alone."""
    return _write(tree).data


_Place: TypeAlias = tuple[int, str, float, float, dict[str, int]]
"""Where the children of a node are: how deep, below which ref, from where on the screen; and how many of each
type there were so far."""
_SCREEN: _Place = (0, "", 0, 0, {})


@dataclass
class _Written:
    """A snapshot as it was written, and what is needed to write a part of it anew."""

    fields: list[dict[str, Any]]
    titles: dict[str, str | None]
    parents: set[str | None]
    pieces: list[str]
    """Two for each node: what closes those before it, and its own text."""
    refs: list[str]
    origins: list[_Place]
    """For each node, what its geometry is relative to."""
    data: bytes

    def again(self, tree: Tree) -> _Written | None:
        """The same with what changed in the tree; None if that is too much, or something that moves refs."""
        fields = list(map(_fields, tree.nodes))
        if len(fields) != len(self.fields) or self.titles != _titles(tree):
            return None
        # Adapters keep the nodes of what did not change, so most are the same objects.
        others = [index for index, other in enumerate(map(is_not, fields, self.fields)) if other]
        changed = [index for index in others if fields[index] != self.fields[index]]
        if not changed:
            return self
        if len(changed) > len(fields) / _FEW or not all(
            self._stays(index, fields[index]) for index in changed
        ):
            return None
        pieces = self.pieces.copy()
        for index in changed:
            title = self.titles.get(fields[index]["uid"], _UNTITLED)
            pieces[2 * index + 1] = _text(fields[index], self.refs[index], self.origins[index], title)
        data = to_bytes("".join(pieces))
        return _Written(fields, self.titles, self.parents, pieces, self.refs, self.origins, data)

    def _stays(self, index: int, now: dict[str, Any]) -> bool:
        """Whether a node has its old place, so that nothing but its own text is another."""
        before = self.fields[index]
        return all(now.get(name) == before.get(name) for name in _STRUCTURE) and (
            now.get("bounds") == before.get("bounds") or now["uid"] not in self.parents
        )


_UNTITLED = ""
"""Instead of a title, for what is not a window. (A window without a title has None.)"""


def _write(tree: Tree) -> _Written:
    titles = _titles(tree)
    parents = {node.parent for node in tree.nodes}
    once, among_siblings = _names(tree)
    places: dict[str | None, _Place] = {}
    main: _Place | None = None
    pieces: list[str] = []
    refs: list[str] = []
    origins: list[_Place] = []
    level = 0
    for node in tree.nodes:
        fields = node.__dict__
        get = fields.get
        uid = get("uid", "")
        if main is None:
            depth, ref, origin = 1, "root", _SCREEN
        else:
            above = places.get(get("parent"))
            # Another window is in the document a child of the root, and on the screen where it is.
            origin = above or _SCREEN
            depth, ref, _, _, counts = above or main
            depth += 1
            kind = get("native_class", "")
            index = counts.get(kind, 0)
            counts[kind] = index + 1
            name = get("object_name") or get("automation_id")
            if name and (name in once or _is_segment(tree, node, name, among_siblings)):
                ref = f"{ref}/{quote(name)[1:-1]}"
            else:
                ref = f"{ref}/{quote(kind)[1:-1]}[{index}]"
        if uid in parents or main is None:
            x, y, _, _ = get("bounds") or _NO_BOUNDS
            places[uid] = (depth, ref, x, y, {})
            main = main or places[uid]
        pieces.append("" if depth > level else "]}" * (level - depth + 1) + ",")
        pieces.append(_text(fields, ref, origin, titles.get(uid, _UNTITLED)))
        refs.append(ref)
        origins.append(origin)
        level = depth
    pieces.append("]}" * level)
    data = to_bytes("".join(pieces))
    return _Written(list(map(_fields, tree.nodes)), titles, parents, pieces, refs, origins, data)


def _titles(tree: Tree) -> dict[str, str | None]:
    return {window.uid: window.title for window in tree.windows}


def _text(fields: dict[str, Any], ref: str, origin: _Place, title: str | None) -> str:
    """One node up to where its children begin. Long, for it runs for every node: each call would show."""
    get = fields.get
    text = get("text")
    value = get("value")
    label = get("name")
    if title is not _UNTITLED:
        properties = f',"title":{quote(title or label or "")}'
        label = None
    else:
        properties = ""
        if text is None:
            if get("editable"):
                text = value
            elif value is None and get("number") is None:
                text = label if get("labelled_by") is None else None
                if text is None and get("role") in _TEXTUAL:
                    text = ""
    if text is not None:
        properties += f',"text":{quote(text)}'
    if value is not None:
        properties += f',"value":{quote(value)}'
    if label is not None and label != text:
        properties += f',"name":{quote(label)}'
    if (state := get("checked")) is not None:
        properties += ',"checked":true' if state else ',"checked":false'
    if get("focusable"):
        properties += ',"focused":true' if get("focused") else ',"focused":false'
    if (state := get("selected")) is not None:
        properties += ',"selected":true' if state else ',"selected":false'
    if (hint := get("placeholder")) is not None:
        properties += f',"placeholder":{quote(hint)}'
    if (
        get("options")
        or get("number") is not None
        or get("expanded") is not None
        or get("tooltip")
        or get("password")
        or get("mixed")
        or get("virtualization")
        or get("properties")
    ):
        properties = _rare(fields, properties)
    bounds = get("bounds")
    x, y, width, height = bounds or _NO_BOUNDS
    # What is nowhere has no place in its parent either.
    _, _, left, top, _ = origin if bounds else _SCREEN
    geometry = f'"x":{x - left},"y":{y - top},"width":{width},"height":{height}'
    if "." in geometry or "n" in geometry:
        geometry = _clean_geometry(x - left, y - top, width, height)
    name = get("object_name") or get("automation_id")
    return (
        f'{{"ref":"{ref}","type":{quote(get("native_class", ""))},'
        f'"objectName":{quote(name) if name else "null"},'
        f'"visible":{"true" if get("visible", True) else "false"},'
        f'"enabled":{"true" if get("enabled", True) else "false"},'
        f'"geometry":{{{geometry}}},"properties":{{{properties[1:]}}},"children":['
    )


# -- properties ------------------------------------------------------------------------------------


def _rare(fields: dict[str, Any], found: str) -> str:
    """The properties with those added that few nodes have."""
    get = fields.get
    if (number := get("number")) is not None:
        value = get("value")
        if value is not None:
            found = found.replace(f',"value":{quote(value)}', "", 1)
        found += f',"value":{_number(number)}'
        for name in ("minimum", "maximum"):
            if (number := get(name)) is not None:
                found += f',"{name}":{_number(number)}'
    if (expanded := get("expanded")) is not None:
        found += ',"expanded":true' if expanded else ',"expanded":false'
    for flag in ("mixed", "password"):
        if get(flag):
            found += f',"{flag}":true'
    if tooltip := get("tooltip"):
        found += f',"toolTip":{quote(tooltip)}'
    if options := get("options"):
        found += _options(fields, options)
    if view := get("virtualization"):
        found += f',"itemsCount":{view.items_count}'
        if view.visible_range is not None:
            found += f',"visibleRange":{dumps(view.visible_range).decode()}'
    for key, part in (get("properties") or {}).items():
        if f",{quote(str(key))}:" not in found:
            found += f",{quote(str(key))}:{dumps(part, str).decode()}"
    return found


def _options(fields: dict[str, Any], options: Any) -> str:
    found = f',"options":[{",".join(quote(option.text) for option in options)}]'
    count = fields.get("options_count")
    if count is not None and count > len(options):
        found += f',"optionsCount":{count}'
    current = next((option for option in options if option.selected), None)
    if current is not None:
        return found + f',"currentIndex":{current.index},"currentText":{quote(current.text)}'
    if fields.get("role") == "combo-box":
        shown = fields.get("value") or fields.get("text") or ""
        return found + f',"currentText":{quote(shown)}'
    return found


# -- refs --------------------------------------------------------------------------------------------


def _names(tree: Tree) -> tuple[set[str], set[tuple[str | None, str]]]:
    """The names that are segments wherever they stand, for they are there only once; and by parent, those
    that are there more often, but not twice among siblings.

    Names with something odd in them, rare as they are, are in neither: for those the tree is asked.
    """
    names = [get("object_name") or get("automation_id") for get in map(_getter, tree.nodes)]
    often = Counter(names)
    del often[None]
    once = {name for name, times in often.items() if times == 1 and _plain(name)}
    if len(once) == len(often):
        return once, set()
    # Windows are siblings of what is in the main window.
    main = tree.nodes[0].uid
    pairs = Counter(
        [
            (node.parent or main, name)
            for node, name in zip(tree.nodes, names, strict=True)
            if name and name not in once and _plain(name)
        ]
    )
    return once, {pair for pair, times in pairs.items() if times == 1}


def _is_segment(tree: Tree, node: Node, name: str, among_siblings: set[tuple[str | None, str]]) -> bool:
    if _plain(name):
        return (node.parent or tree.nodes[0].uid, name) in among_siblings
    return tree.path(node).rpartition("/")[2] == name


def _plain(name: str) -> bool:
    return "/" not in name and name[-1:] != "]"


# -- numbers -----------------------------------------------------------------------------------------


def _clean_geometry(*numbers: float) -> str:
    parts = zip(("x", "y", "width", "height"), numbers, strict=True)
    return ",".join(f'"{name}":{_number(number)}' for name, number in parts)


def _number(number: float) -> str:
    """A number without what floating point adds to it; none that JSON does not know."""
    if not math.isfinite(number):
        return "0"
    rounded = round(number, 3)
    return str(int(rounded)) if rounded == int(rounded) else str(rounded)
