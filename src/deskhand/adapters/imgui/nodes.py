"""The elements of a frame as nodes of the tree that every toolkit has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...model.node import MASK, Column, Node, Option, Rect, Virtualization, VisibleRow
from .kinds import shown
from .place import Place
from .scene import DrawnElement, FrameElements

_PRESS = ("press",)
_ACTIONS = {
    "button": ("press", "focus"),
    "link": ("press", "focus"),
    "item": ("press", "focus"),
    "checkbox": ("press", "toggle", "focus"),
    "radio": ("press", "select", "focus"),
    "combo": ("press", "select", "expand", "collapse", "focus"),
    "list_box": ("select", "scroll"),
    "selectable": ("press", "select", "focus"),
    "menu_item": ("press",),
    "menu": ("press", "expand", "collapse"),
    "tab": ("press", "select"),
    "tab_bar": ("select",),
    "tree_node": ("press", "expand", "collapse", "focus"),
    "header": ("press", "expand", "collapse", "focus"),
    "input": ("set-value", "focus"),
    "slider": ("set-value", "increment", "decrement", "focus"),
    "drag": ("set-value", "increment", "decrement", "focus"),
    "color": ("press", "set-value", "focus"),
    "window": ("focus", "scroll"),
    "child": ("scroll",),
    "table": ("scroll", "select"),
}
_NOT_FOCUSABLE = frozenset((
    "text", "drawn_text", "image", "progress", "plot", "child", "table", "tab_bar", "menu_bar", "popup",
    "tooltip", "window", "menu_item", "menu", "tab", "list_box",
))  # fmt: skip


def node(
    element: DrawnElement,
    scene: FrameElements,
    place: Place,
    prefix: str,
    ids: Mapping[str, str],
    parent: str | None,
    details: bool = False,
) -> Node:
    """One element as a node below the one with the uid `parent`."""
    frame = scene.frame
    path = element.path
    fields: dict[str, Any] = {
        "uid": prefix + element.uid,
        "role": "window" if parent is None and element.kind == "window" else element.role,
        "native_class": element.kind,
        "backend": "imgui",
        "automation_id": ids.get(path, path) if path is not None else None,
        "object_name": element.own_id,
        "name": element.name,
        "labelled_by": element.labelled_by,
        "tooltip": element.tooltip,
        "bounds": place.on_screen(element.box),
        "child_count": len(element.children),
        "actions": _ACTIONS.get(element.kind, ()),
    }
    if parent is not None:
        fields["parent"] = parent
    enabled = element.enabled and not _behind_modal(element, frame.modal)
    if not enabled:
        fields["enabled"] = False
        if element.enabled:
            fields["enabled_self"] = True
    if not element.visible:
        fields["visible"] = False
    elif _offscreen(element):
        fields["offscreen"] = True
    if element.kind not in _NOT_FOCUSABLE and enabled:
        fields["focusable"] = True
    if element.item and element.item == (frame.active or frame.focused):
        fields["focused"] = True
    if element.is_window and element.role == "dialog":
        fields["modal"] = True
    if element.kind == "window" and element.window is not None:
        fields["expanded"] = not element.window.collapsed
    _read(element, scene, prefix, fields)
    if details:
        fields["properties"] = _properties(element)
    return Node.of({name: value for name, value in fields.items() if value is not None})


def _read(element: DrawnElement, scene: FrameElements, prefix: str, fields: dict[str, Any]) -> None:
    """What the call said."""
    read = element.reading
    if read is None:
        if element.kind == "tab_bar":
            fields["options"] = _tabs(element)
        elif element.kind == "table" or element.uid in scene.rows:
            fields["virtualization"] = _rows(element, scene, prefix)
        return
    value, text = read.value, read.text
    if read.password:
        value = text = MASK if value else ""
        fields["password"] = True
    fields.update(
        value=value,
        text=text if text is not None else value,
        number=read.number,
        minimum=read.minimum,
        maximum=read.maximum,
        placeholder=read.placeholder,
        checked=read.checked,
        selected=read.selected,
        expanded=read.expanded,
    )
    if element.kind in ("checkbox", "radio"):
        del fields["value"]
    if element.kind == "text":
        fields["name"] = (
            shown(read.label) or None if element.spec and element.spec.value is not None else None
        )
        if element.role == "cell":
            fields["name"] = read.text
    if read.mixed:
        fields["mixed"] = True
    if read.editable:
        fields["editable"] = True
    if element.kind == "combo":
        fields["expanded"] = scene.is_open(element)
    if read.options is not None:
        fields["options"] = tuple(
            Option(at, shown(text), shown(text), shown(text) == read.value)
            for at, text in enumerate(read.options)
        )
    elif element.kind in ("combo", "list_box") and (options := _choices(element)):
        fields["options"] = options


def _rows(element: DrawnElement, scene: FrameElements, prefix: str) -> Virtualization:
    """What a table shows of its rows; one that does not say how many it has draws them all."""
    names = scene.columns.get(element.uid, [])
    lines: dict[int, list[DrawnElement]] = {}
    for child in element.children:
        if child.cell is not None and child.cell[0] >= 0:
            lines.setdefault(child.cell[0], []).append(child)
    shown_rows = [row for row, cells in lines.items() if any(cell.shown for cell in cells)]
    visible = tuple(
        VisibleRow(
            row,
            prefix + lines[row][0].uid,
            tuple((str(cell.cell[1]), cell.says()) for cell in lines[row] if cell.cell is not None),
        )
        for row in sorted(shown_rows)
    )
    chosen = tuple(
        sorted(
            {
                row
                for row, cells in lines.items()
                if any(cell.reading and cell.reading.selected for cell in cells)
            }
        )
    )
    return Virtualization(
        "table",
        scene.rows.get(element.uid, len(lines)),
        (min(shown_rows), max(shown_rows)) if shown_rows else None,
        chosen,
        columns=tuple(Column(str(at), name) for at, name in enumerate(names)),
        visible_cells=visible,
    )


def _tabs(element: DrawnElement) -> tuple[Option, ...]:
    tabs = [child for child in element.children if child.kind == "tab"]
    return tuple(
        Option(at, tab.name or "", tab.own_id, bool(tab.reading and tab.reading.selected), tab.enabled)
        for at, tab in enumerate(tabs)
    )


def _choices(element: DrawnElement) -> tuple[Option, ...]:
    """The choices that are drawn now, of a list or of a combo box that is open."""
    chosen = [child for child in element.children if child.kind == "selectable"]
    return tuple(
        Option(
            at,
            choice.name or "",
            choice.own_id,
            bool(choice.reading and choice.reading.selected),
            choice.enabled,
        )
        for at, choice in enumerate(chosen)
    )


def _offscreen(element: DrawnElement) -> bool:
    """Whether none of it can be seen, where it is in something that scrolls or cuts it off."""
    if not element.is_window and not element.shown and element.call is not None:
        return True
    return element.visible_box() is None


def _behind_modal(element: DrawnElement, modal: int) -> bool:
    """Whether a modal popup keeps input from it."""
    if not modal:
        return False
    return not any(
        around.window is not None and around.is_window and around.window.id == modal
        for around in (element, *element.ancestors())
    ) and not _above_modal(element)


def _above_modal(element: DrawnElement) -> bool:
    """A popup that the modal one opened is above it, as are tooltips."""
    return any(around.kind == "tooltip" for around in (element, *element.ancestors()))


def _properties(element: DrawnElement) -> dict[str, Any]:
    found: dict[str, Any] = {"label": element.label}
    if element.item:
        found["id"] = element.item
    if element.spec is not None:
        found["function"] = element.spec.function
    if element.window is not None:
        found["window"] = element.window.name
    if element.cell is not None:
        found["row"], found["column"] = element.cell
    return found


def rect(box: tuple[float, float, float, float]) -> Rect:
    """A box as a rectangle."""
    return Rect(box[0], box[1], box[2] - box[0], box[3] - box[1])
