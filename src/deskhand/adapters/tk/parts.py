"""What is in a widget and is not a widget itself: tabs, items, rows, entries of menus, drawings, links.

Each is read from what walk.tcl says of its widget, and has its bounds on the screen. A key names a part for
as long as it is the same: rows and drawings by Tk's own ids, others by their number and what they show.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import quote, unquote

from ...model.node import Column, Virtualization, VisibleRow
from .kinds import Fields, numeral, states, text_of
from .place import Place
from .roots import Handle, Root, mark

Read = Callable[[Root, Any, Place], None]


def _box(root: Root, value: Any, place: Place) -> tuple[int, int, int, int] | None:
    """Bounds in a widget as bounds on the screen; None if it is not shown."""
    numbers = root.split(value)
    if len(numbers) < 4:
        return None
    x, y, width, height = (int(float(one)) for one in numbers[:4])
    return place.x + x, place.y + y, width, height


def _named(fields: Fields, text: str) -> Fields:
    if text:
        fields["text"] = fields["name"] = text
    return fields


# -- tabs ----------------------------------------------------------------------------------------


def _tabs(root: Root, row: Any, place: Place) -> None:
    current = int(row[1])
    for one in root.split(row[0]):
        at, page, text, state, bounds = root.split(one)
        if str(state) == "hidden":
            continue
        fields = _part(place, "tab", quote(str(page), safe="."), "tab", "TNotebookTab")
        fields["selected"] = int(at) == current
        fields["actions"] = ("press", "select")
        fields["properties"] = {"index": int(at), "page": str(page)}
        if str(state) == "disabled":
            fields["enabled"] = False
        _named(fields, text_of(text))
        if int(at) == current and text_of(text):
            place.fields["value"] = text_of(text)
        place.put(fields, _box(root, bounds, place))
        place.titles[str(page)] = text_of(text)


# -- lists ---------------------------------------------------------------------------------------


def _items(root: Root, row: Any, place: Place) -> None:
    count, items, chosen, state, mode, active = row
    if str(state) == "disabled":
        place.fields["enabled"] = place.enabled = False
    lines = []
    for one in root.split(items):
        at, text, bounds, selected = root.split(one)
        fields = _part(place, "item", f"{int(at)}.{mark(text_of(text))}", "list-item", "ListboxItem")
        fields["selected"] = bool(int(selected))
        fields["actions"] = ("press", "select")
        fields["properties"] = {"row": int(at)}
        _named(fields, text_of(text))
        place.put(fields, _box(root, bounds, place))
        lines.append(VisibleRow(int(at), fields["uid"], (("0", text_of(text)),)))
    place.fields["virtualization"] = Virtualization(
        "list",
        int(count),
        (lines[0].index, lines[-1].index) if lines else None,
        tuple(int(one) for one in root.split(chosen)),
        int(active) if int(count) else None,
        (),
        tuple(lines),
    )
    place.fields["properties"] = {"selectMode": str(mode)}


# -- tables and trees ----------------------------------------------------------------------------


def _rows(root: Root, row: Any, place: Place) -> None:
    count, rows, columns, _, focus, state, show, heads = row
    if "disabled" in states(state):
        place.fields["enabled"] = place.enabled = False
    tree = "tree" in root.words(show)
    if tree:
        place.fields["role"] = "tree"
    titles = tuple(Column(*map(text_of, root.split(one))) for one in root.split(columns))
    by_id = {column.id: column.text for column in titles}
    for one in root.split(heads):
        column, bounds = root.split(one)
        name = text_of(column)
        if name in by_id:
            fields = _part(place, "head", quote(name), "column-header", "TreeviewHeading")
            fields["actions"] = ("press",)
            place.put(_named(fields, by_id[name]), _box(root, bounds, place))
    lines, selected_at, focused_at = [], [], None
    for one in root.split(rows):
        item, at, cells, bounds, selected, below, opened, level = root.split(one)
        line = _row(root, place, tree, titles, (str(item), int(at)), cells, bounds, bool(int(selected)))
        fields = place.last
        if tree:
            fields["properties"]["level"] = int(level)
            if int(below):
                fields["expanded"] = str(opened) in ("1", "true", "True")
                fields["actions"] = ("press", "select", "expand", "collapse")
        lines.append(line)
        if int(selected):
            selected_at.append(int(at))
        if str(item) == str(focus):
            focused_at = int(at)
    place.fields["virtualization"] = Virtualization(
        "tree" if tree else "table",
        int(count),
        (lines[0].index, lines[-1].index) if lines else None,
        tuple(selected_at),
        focused_at,
        titles,
        tuple(lines),
    )


def _row(
    root: Root,
    place: Place,
    tree: bool,
    titles: tuple[Column, ...],
    which: tuple[str, int],
    cells: Any,
    bounds: Any,
    selected: bool,
) -> VisibleRow:
    item, at = which
    fields = _part(
        place, "row", quote(item), "tree-item" if tree else "row", "TreeviewItem" if tree else "TreeviewRow"
    )
    fields["selected"] = selected
    fields["actions"] = ("press", "select")
    fields["properties"] = {"row": at, "item": item}
    texts = [(column.id, *root.split(cell)) for column, cell in zip(titles, root.split(cells), strict=False)]
    if tree and texts:
        _named(fields, text_of(texts[0][1]))
    place.put(fields, _box(root, bounds, place))
    inside = place.inside(fields)
    for number, (name, text, cell_bounds) in enumerate(texts):
        if name == "#0":
            continue
        cell = _part(place, "cell", f"{quote(item)}/{quote(name)}", "cell", "TreeviewCell")
        cell["selected"] = selected
        cell["value"] = text_of(text)
        cell["actions"] = ("select", "press", "scroll-into-view")
        cell["properties"] = {"row": at, "column": number, "item": item}
        inside.put(_named(cell, text_of(text)), _box(root, cell_bounds, place))
    if inside.count:
        fields["child_count"] = inside.count
    place.last = fields
    return VisibleRow(at, fields["uid"], tuple((name, text_of(text)) for name, text, _ in texts))


# -- drawings ------------------------------------------------------------------------------------

_DRAWN = {"text": "text", "image": "image", "bitmap": "image"}


def _drawing(root: Root, row: Any, place: Place) -> None:
    items, count, region, windows, down, _ = row
    for one in root.split(items):
        number, kind, text, bounds, tags, state, acts = root.split(one)
        names = [tag for tag in root.words(tags) if tag != "current"]
        fields = _part(
            place,
            "drawn",
            numeral(number),
            _DRAWN.get(str(kind), "graphics-object"),
            f"Canvas{str(kind).title()}",
        )
        if names:
            fields["properties"] = {"tags": names}
            fields["object_name"] = names[0]
        if caption := text_of(text):
            _named(fields, caption)
        elif names:
            fields["name"] = fields["labelled_by"] = names[0]
        if int(acts):
            fields["actions"] = ("press",)
        if str(state) == "disabled":
            fields["enabled"] = False
        if str(state) == "hidden":
            fields["visible"] = False
        place.put(fields, _box(root, bounds, place))
    if int(count) > place.count:
        place.more = int(count) - place.count
    for one in root.split(windows):
        window, bounds = root.split(one)
        corners = [int(float(number)) for number in root.split(bounds)]
        if len(corners) == 4:
            place.embedded[str(window)] = corners
    if text_of(region) or root.words(down) != ("0.0", "1.0"):
        place.fields["role"] = "scroll-area"
        place.fields["platform_role"] = "canvas"


# -- links in a text -----------------------------------------------------------------------------


def _links(root: Root, row: Any, place: Place) -> None:
    for one in root.split(row[2]):
        tag, start, text, first, last = root.split(one)
        fields = _part(place, "link", f"{quote(str(tag))}/{start}.{mark(text_of(text))}", "link", "TextTag")
        fields["actions"] = ("press",)
        fields["properties"] = {"tags": [str(tag)], "index": str(start)}
        begin, end = _box(root, first, place), _box(root, last, place)
        if begin and end and begin[1] == end[1]:
            begin = (*begin[:2], end[0] + end[2] - begin[0], begin[3])
        place.put(_named(fields, text_of(text)), begin)


# -- menus ---------------------------------------------------------------------------------------

_ENTRIES = {"checkbutton": "menu-item-checkbox", "radiobutton": "menu-item-radio", "separator": "separator"}


def menu(root: Root, row: Any, place: Place) -> None:
    """The entries of a menu, and of those that it opens."""
    uid, _, _, _, entries = root.split(row)
    seen: dict[str, int] = {}
    for one in root.split(entries):
        at, kind, label, state, keys, bounds, checked, below = root.split(one)
        key = mark(str(kind), text_of(label))
        seen[key] = seen.get(key, -1) + 1
        fields: Fields = {
            "uid": f"{uid}:entry:{key}.{seen[key]}",
            "role": _ENTRIES.get(str(kind), "menu-item"),
            "native_class": f"Menu{str(kind).title()}",
            "properties": {"index": int(at)},
        }
        if str(kind) != "separator":
            fields["actions"] = ("press",)
        if text_of(keys):
            fields["properties"]["accelerator"] = text_of(keys)
        if str(state) == "disabled":
            fields["enabled"] = False
        if str(checked) != "":
            fields["checked"] = bool(int(checked))
        _named(fields, text_of(label))
        box = tuple(int(number) for number in root.split(bounds)) or None
        if str(kind) == "cascade":
            fields["role"], fields["actions"] = "menu", ("press", "expand")
            fields["expanded"] = False
        place.put(fields, box)  # type: ignore[arg-type]  # four numbers
        if opened := root.split(below):
            fields["expanded"] = bool(root.split(opened[2]))
            fields["properties"]["menu"] = str(opened[1])
            inside = place.inside(fields)
            menu(root, below, inside)
            if inside.count:
                fields["child_count"] = inside.count


def _part(place: Place, part: str, key: str, role: str, native_class: str) -> Fields:
    return {"uid": f"{place.uid}:{part}:{key}", "role": role, "native_class": native_class}


READ: dict[str, Read] = {
    "tabs": _tabs,
    "items": _items,
    "rows": _rows,
    "drawing": _drawing,
    "links": _links,
}


# -- parts by their keys -------------------------------------------------------------------------


def item_at(handle: Handle) -> tuple[int | None, str]:
    """The number and the text of an item of a list; None if there is no such item."""
    number, _, sign = handle.key.partition(".")
    at = int(number)
    if at >= int(handle.call("size")):
        return None, ""
    text = text_of(handle.call("get", at))
    return (at, text) if mark(text) == sign else (None, "")


def row_of(handle: Handle) -> tuple[str, str | None]:
    """The item of a tree view and, for a cell, its column."""
    item, _, column = handle.key.partition("/")
    return unquote(item), unquote(column) if column else None


def row_exists(handle: Handle, item: str) -> bool:
    return bool(int(handle.call("exists", item)))


def page_of(handle: Handle) -> str:
    """The path of the page that a tab shows."""
    return unquote(handle.key)
