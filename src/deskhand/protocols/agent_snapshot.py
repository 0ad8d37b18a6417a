"""Windows and elements as the Agent contract has them, written straight as JSON text.

Written by hand, as for GIP, because it is most of what a snapshot of a large window costs. What an element
looks like is kept until the element changes, so that the next snapshot writes only that anew.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ..model.node import Node, Rect, Window
from ..model.record import dataclass
from ..model.roles import ROLES, UNKNOWN
from ..model.tree import Tree
from .jsontext import quote, to_bytes

DEPTH = 3
"""How many levels below the window a snapshot has, unless told otherwise."""
MODES = {"interactive": "interactive", "interact": "interactive", "layout": "layout", "full": "full"}
MENU_BAR = "Menu Bar"
"""The title of the window that the focused application's menu bar is shown as."""

_OPERATED = frozenset((
    "button", "checkbox", "radio", "textfield", "editable-text", "slider", "combo-box", "switch", "link",
    "menu-item", "tab", "disclosure-triangle", "color-well", "date-picker", "spin-button",
))  # fmt: skip
"""Roles that are interactive whatever their actions are."""
_FIELDS = frozenset(("textfield", "editable-text", "search-input", "spin-button", "combo-box", "document"))
"""Roles of what holds a text, also where it cannot be edited."""
_PASSIVE = frozenset(("scroll-into-view", "scroll", "show-menu"))
"""Actions that nearly everything has, so that having them makes nothing interactive."""
_FARTHEST = 2.0**31 - 1
"""Toolkits give what is nowhere on the screen coordinates beyond that."""


class Element(NamedTuple):
    """What is kept of a node: its fields, to see whether it changed, and what follows from them."""

    fields: dict[str, Any]
    text: str
    """Its JSON up to where its children or its end would be."""
    label: str | None
    folded: str
    """The label as it is compared."""
    interactive: bool
    placed: bool


@dataclass(frozen=True)
class Filter:
    """Which elements a snapshot has."""

    mode: str = "interactive"
    depth: int = DEPTH
    role: str | None = None
    label: str | None = None


class Pane(NamedTuple):
    """A window of a snapshot, and the node whose children are its elements."""

    window: Window
    root: str


class SnapshotEncoder:
    """Writes one snapshot after the other."""

    def __init__(self) -> None:
        self._known: dict[str, Element] = {}

    def elements(self, nodes: Iterable[Node]) -> list[Element]:
        """The elements that nodes are; those that are as they were cost next to nothing."""
        # Taken and put back in one step each: any number of threads may use one encoder.
        known = self._known
        now: dict[str, Element] = {}
        found = []
        for node in nodes:
            fields = node.__dict__
            uid = fields.get("uid", "")
            element = known.get(uid)
            if element is None or (element.fields is not fields and element.fields != fields):
                element = _element(fields)
            now[uid] = element
            found.append(element)
        self._known = now
        return found

    def encode(self, trees: Sequence[tuple[Tree, Sequence[Pane]]], wanted: Filter) -> bytes:
        """The windows with their elements; each tree has the nodes of its own panes."""
        elements = self.elements(node for tree, _ in trees for node in tree.nodes)
        written = []
        at = 0
        for tree, panes in trees:
            part = elements[at : at + len(tree.nodes)]
            at += len(tree.nodes)
            below = _below(tree.nodes, part, {pane.root for pane in panes}, wanted)
            for window, root in panes:
                written.append(f'{{{window_text(window)},"elements":[{below.get(root, "")}]}}')
        return to_bytes(f'{{"windows":[{",".join(written)}]}}')


def encode_windows(windows: Iterable[Window]) -> bytes:
    """The windows alone."""
    return to_bytes('{"windows":[' + ",".join(f"{{{window_text(window)}}}" for window in windows) + "]}")


def encode_inspected(node: Node) -> bytes:
    """One element with its font, colour and bounds, without its children."""
    text = f'{{"element":{_element(node.__dict__).text}}}'
    font = node.font
    if font is not None:
        for name, value in (
            ("fontFamily", font.family), ("fontWeight", font.weight), ("textColor", font.color),
        ):  # fmt: skip
            if value:
                text += f',"{name}":{quote(value)}'
        if font.size is not None and math.isfinite(font.size):
            text += f',"fontSize":{number(font.size)}'
    if (place := bounds_of(node.bounds)) is not None:
        names = ("boundsX", "boundsY", "boundsWidth", "boundsHeight")
        text += "".join(f',"{name}":{number(part)}' for name, part in zip(names, place, strict=True))
    return to_bytes(text + "}")


def label_of(fields: Mapping[str, Any]) -> str | None:
    """What a person calls it, or else the text that it shows; the text in a field is its value."""
    get = fields.get
    name: str | None = get("name")
    if name is not None or get("editable") or get("role") in _FIELDS or get("text") == get("value"):
        return name
    return get("text")


def bounds_of(bounds: Rect | None) -> Rect | None:
    """Where it is, if that is anywhere."""
    if bounds is None or any(not -_FARTHEST < part < _FARTHEST for part in bounds):
        return None
    return bounds


def number(value: float) -> str:
    """A number, without a fraction where it has none."""
    rounded = round(value, 3)
    return str(int(rounded)) if rounded == int(rounded) else str(rounded)


def window_text(window: Window) -> str:
    """The fields of a window, without the braces."""
    x, y, width, height = bounds_of(window.bounds) or Rect(0, 0, 0, 0)
    title = f'"title":{quote(window.title)},' if window.title else ""
    return (
        f'{title}"windowType":{quote(window.kind)},"sizeWidth":{number(width)},"sizeHeight":{number(height)},'
        f'"positionX":{number(x)},"positionY":{number(y)},"appName":{quote(window.app_name)},'
        f'"focused":{"true" if window.focused and not window.minimized else "false"}'
    )


def _below(
    nodes: Sequence[Node], elements: Sequence[Element], roots: set[str], wanted: Filter
) -> dict[str, str]:
    """The JSON of the elements below each of some nodes."""
    levels = _levels(nodes, roots, wanted.depth)
    keep = _kept(elements, levels, wanted)
    written: dict[str, str] = {}
    pieces: list[str] = []
    root, open_ = "", 0

    def finish() -> None:
        if root:
            written[root] = "".join([*pieces, "}" + "]}" * (open_ - 1) if open_ else ""])

    for node, element, level, kept in zip(nodes, elements, levels, keep, strict=True):
        if level == 0:
            finish()
            root, open_ = node.uid, 0
            pieces = []
        elif kept:
            # `open_` is the level of the element before, which lacks only its end.
            if open_ == 0:
                pieces.append(element.text)
            elif level > open_:
                pieces.append(',"children":[' + element.text)
            else:
                pieces.append("}" + "]}" * (open_ - level) + "," + element.text)
            open_ = level
    finish()
    return written


def _levels(nodes: Sequence[Node], roots: set[str], depth: int) -> list[int]:
    """How far each node is below its root; -1 for what is below none, or too far."""
    level_of: dict[str | None, int] = {}
    levels = []
    for node in nodes:
        fields = node.__dict__
        uid = fields.get("uid", "")
        if uid in roots:
            level = 0
        else:
            above = level_of.get(fields.get("parent"), -1)
            level = above + 1 if 0 <= above < depth else -1
        level_of[uid] = level
        levels.append(level)
    return levels


def _kept(elements: Sequence[Element], levels: Sequence[int], wanted: Filter) -> list[bool]:
    """Which elements match, or are around one that does."""
    if wanted.mode == "full" and wanted.role is None and wanted.label is None:
        return [level > 0 for level in levels]
    keep = [False] * len(levels)
    around = [False] * (max(levels, default=0) + 2)
    folded = None if wanted.label is None else wanted.label.casefold()
    for at in range(len(levels) - 1, -1, -1):
        level = levels[at]
        if level < 0:
            continue
        element = elements[at]
        if (around[level + 1] and level) or (level and _matches(element, wanted, folded)):
            keep[at] = True
            around[level] = True
        around[level + 1] = False
    return keep


def _matches(element: Element, wanted: Filter, folded: str | None) -> bool:
    if wanted.mode == "interactive" and not element.interactive:
        return False
    if wanted.mode == "layout" and not element.placed:
        return False
    if wanted.role is not None and element.fields.get("role", UNKNOWN) != wanted.role:
        return False
    return folded is None or folded in element.folded


def _element(fields: dict[str, Any]) -> Element:
    """What is kept of a node. Long, for it runs for every node: each call would show."""
    get = fields.get
    role = get("role", UNKNOWN)
    label = label_of(fields)
    text = f'{{"role":"{role if role in ROLES else UNKNOWN}"'
    if label is not None:
        text += f',"label":{quote(label)}'
    value = get("value")
    if value is None:
        value = _value(fields, label)
    if value is not None:
        text += f',"value":{quote(value)}'
    description = get("description") or get("tooltip") or get("help")
    if description and description != label:
        text += f',"description":{quote(description)}'
    id_ = get("automation_id") or get("object_name")
    if id_:
        text += f',"id":{quote(id_)}'
    focused = get("focused", False)
    showing = get("visible", True) and not get("offscreen")
    text += (
        f',"enabled":{"true" if get("enabled", True) else "false"}'
        f',"focused":{"true" if focused else "false"}'
        f',"showing":{"true" if showing else "false"}'
    )
    bounds = bounds_of(get("bounds"))
    if bounds is not None:
        x, y, width, height = bounds
        place = f',"positionX":{x},"positionY":{y},"sizeWidth":{width},"sizeHeight":{height}'
        if "." in place:
            place = (
                f',"positionX":{number(x)},"positionY":{number(y)},'
                f'"sizeWidth":{number(width)},"sizeHeight":{number(height)}'
            )
        text += place
    actions = get("actions", ())
    # The names of actions are our own words, which need no quoting.
    listed = '","'.join(actions)
    text += f',"childCount":{get("child_count", 0)},"actions":[' + (f'"{listed}"]' if actions else "]")
    native = get("platform_role") or get("native_class")
    if native:
        text += f',"platformRole":{quote(native)}'
    interactive = focused or role in _OPERATED or any(action not in _PASSIVE for action in actions)
    folded = "" if label is None else label.casefold()
    return Element(fields, text, label, folded, bool(interactive), bounds is not None)


def _value(fields: Mapping[str, Any], label: str | None) -> str | None:
    """What it holds, where that is no text: a number, or whether it is ticked (1, 0, or 2 for half)."""
    get = fields.get
    checked = get("checked")
    if checked is not None or get("mixed"):
        return "2" if get("mixed") else "1" if checked else "0"
    if (held := get("number")) is not None and math.isfinite(held):
        return number(held)
    text: str | None = get("text")
    return text if text != label else None
