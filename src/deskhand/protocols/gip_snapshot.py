"""A tree as GIP's nested widget nodes, written straight as JSON text.

Written by hand because it is most of what a snapshot of a large window costs: from ten thousand nodes to
bytes in a fraction of the time that building and encoding dictionaries takes.
"""

from __future__ import annotations

import math
from collections import Counter
from operator import attrgetter
from typing import Any

from ..model.node import Node
from ..model.tree import Tree
from .jsontext import dumps, quote, to_bytes

_NO_BOUNDS = (0, 0, 0, 0)
_getter = attrgetter("__dict__.get")


def encode_snapshot(tree: Tree) -> bytes:
    """The root widget node with all others below it; further windows are children of the root.

    The refs are those of `Tree.paths`, and resolve to the same nodes by `Tree.resolve`.
    """
    titles = {window.uid: window.title for window in tree.windows}
    parents = {node.parent for node in tree.nodes}
    once, among_siblings = _names(tree)
    kinds: dict[str, str] = {}
    places: dict[str | None, tuple[int, str, float, float, dict[str, int]]] = {}
    main: tuple[int, str, float, float, dict[str, int]] | None = None
    pieces: list[str] = []
    add = pieces.append
    level = 0
    # One long loop: calling a function for each part of each node would cost as much as the parts themselves.
    for node in tree.nodes:
        fields = node.__dict__
        get = fields.get
        uid = get("uid")
        kind = get("native_class", "")
        if kind not in kinds:
            kinds[kind] = quote(kind)[1:-1]
        x, y, width, height = get("bounds") or _NO_BOUNDS
        name = get("object_name") or get("automation_id")
        quoted_name = quote(name) if name else "null"

        if main is None:
            depth, ref, left, top = 1, "root", 0.0, 0.0
        else:
            above = places.get(get("parent"))
            if above is None:
                # Another window: in the document a child of the root, on the screen where it is.
                depth, ref, _, _, counts = main
                left = top = 0
            else:
                depth, ref, left, top, counts = above
            depth += 1
            index = counts.get(kind, 0)
            counts[kind] = index + 1
            if name and (name in once or _is_segment(tree, node, name, among_siblings)):
                ref = f"{ref}/{quoted_name[1:-1]}"
            else:
                ref = f"{ref}/{kinds[kind]}[{index}]"
        if uid in parents or main is None:
            places[uid] = (depth, ref, x, y, {})
            main = main or places[uid]

        text = get("text")
        value = get("value")
        label = get("name")
        if text is None:
            if get("editable"):
                text = value
            elif value is None and uid not in titles and get("number") is None:
                text = label
        properties = "" if text is None else f',"text":{quote(text)}'
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
        if (label := get("placeholder")) is not None:
            properties += f',"placeholder":{quote(label)}'
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
        if uid in titles:
            properties = f',"title":{quote(titles[uid] or get("name") or "")}{properties}'

        geometry = f'"x":{x - left},"y":{y - top},"width":{width},"height":{height}'
        if "." in geometry or "n" in geometry:
            geometry = _clean_geometry(x - left, y - top, width, height)
        if depth <= level:
            add("]}" * (level - depth + 1) + ",")
        level = depth
        add(
            f'{{"ref":"{ref}","type":"{kinds[kind]}","objectName":{quoted_name},'
            f'"visible":{"true" if get("visible", True) else "false"},'
            f'"enabled":{"true" if get("enabled", True) else "false"},'
            f'"geometry":{{{geometry}}},"properties":{{{properties[1:]}}},"children":['
        )
    add("]}" * level)
    return to_bytes("".join(pieces))


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
