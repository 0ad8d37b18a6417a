"""The tree as XML: what `source` answers, what XPath is matched against, what attributes are called.

The role is the tag. Bounds are relative to the window that the session is in, as its screenshot is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ...model.node import Node, Rect
from ...model.order import ids, shown_text
from ...model.tree import Tree

ROOT = "application"
"""The tag around all windows; it cannot be used as an element."""

_ODD = re.compile('[&<>"\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]')
_ESCAPED = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}

_FIELDS = {
    "class": "native_class", "role": "role", "tag": "role", "text": "text", "label": "name",
    "description": "description",
    "content-desc": "description", "placeholder": "placeholder", "tooltip": "tooltip", "title": "tooltip",
    "help": "help", "minimum": "minimum", "maximum": "maximum", "number": "number", "focusable": "focusable",
    "editable": "editable", "expanded": "expanded", "password": "password", "modal": "modal",
    "offscreen": "offscreen", "backend": "backend", "platform-role": "platform_role", "uid": "uid",
}  # fmt: skip
"""Further attributes, which the source does not have."""


def document(tree: Tree, name: str, origin: Rect | None) -> tuple[str, list[Node]]:
    """The tree as XML, and its nodes in the order of the elements below the root."""
    pieces, order = _written(tree, tree.roots, origin)
    return f'<{ROOT} name="{_escaped(name)}">{pieces}</{ROOT}>', order


def fragment(tree: Tree, nodes: Sequence[Node], origin: Rect | None) -> str:
    """Some nodes as XML, with what is below them."""
    return _written(tree, nodes, origin)[0]


def _written(tree: Tree, nodes: Sequence[Node], origin: Rect | None) -> tuple[str, list[Node]]:
    pieces: list[str] = []
    order: list[Node] = []
    left, top = (0.0, 0.0) if origin is None else (origin.x, origin.y)
    children = tree.children
    waiting: list[Node | str] = [*reversed(nodes)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            pieces.append(node)
            continue
        order.append(node)
        below = children(node)
        if below:
            pieces.append(f"<{node.role}{_attributes(node, left, top)}>")
            waiting.append(f"</{node.role}>")
            waiting += reversed(below)
        else:
            pieces.append(f"<{node.role}{_attributes(node, left, top)}/>")
    return "".join(pieces), order


def _attributes(node: Node, left: float, top: float) -> str:
    text = ""
    if id_ := identifier(node):
        text = f' id="{_escaped(id_)}"'
    if node.name is not None:
        text += f' name="{_escaped(node.name)}"'
    if node.native_class:
        text += f' class="{_escaped(node.native_class)}"'
    if node.value is not None:
        text += f' value="{_escaped(node.value)}"'
    if node.text and node.text not in (node.name, node.value):
        text += f' text="{_escaped(node.text)}"'
    text += (
        f' enabled="{_flag(node.enabled)}" visible="{_flag(node.visible)}" checked="{_flag(node.checked)}"'
        f' selected="{_flag(node.selected)}" focused="{_flag(node.focused)}"'
    )
    if (bounds := node.bounds) is not None:
        x, y, width, height = bounds
        text += (
            f' x="{number(x - left)}" y="{number(y - top)}" width="{number(width)}" height="{number(height)}"'
        )
    return text


def attribute(node: Node, name: str, origin: Rect | None) -> str | None:
    """An attribute as text, under its name in the source or as a field of a node; None if there is none."""
    value = value_of(node, name, origin)
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(number(value)) if isinstance(value, float) else str(value)


def value_of(node: Node, name: str, origin: Rect | None) -> Any:
    """The same as a text, number or flag."""
    match name:
        case "id" | "automationId" | "resource-id" | "accessibility-id":
            return identifier(node)
        case "name" | "value" | "enabled" | "visible" | "focused":
            return getattr(node, name)
        case "displayed":
            return node.visible
        case "disabled":
            return not node.enabled
        case "checked" | "selected":
            return bool(getattr(node, name))
        case "x" | "y" | "width" | "height":
            return None if node.bounds is None else rect(node.bounds, origin)[name]
        case "textContent" | "innerText":
            return shown_text(node)
        case "text" if node.text is None:
            return shown_text(node)
    if name in _FIELDS:
        return getattr(node, _FIELDS[name])
    found = node.properties.get(name)
    return found if found is None or isinstance(found, (str, int, float, bool)) else str(found)


def identifier(node: Node) -> str | None:
    """The id that the source shows."""
    return next(iter(ids(node)), None)


def rect(bounds: Rect, origin: Rect | None) -> dict[str, int | float]:
    """Bounds as WebDriver has them, seen from the window."""
    x, y, width, height = bounds if origin is None else bounds.relative_to(origin)
    return {"x": number(x), "y": number(y), "width": number(width), "height": number(height)}


def number(value: float) -> int | float:
    """A number without a fraction that is none."""
    return int(value) if value == int(value) else value


def _flag(value: bool | None) -> str:
    return "true" if value else "false"


def _escaped(text: str) -> str:
    return _ODD.sub(_escape, text) if _ODD.search(text) else text


def _escape(found: re.Match[str]) -> str:
    # What XML has no way to write is shown as unreadable, not left out.
    return _ESCAPED.get(found[0], "\ufffd")
