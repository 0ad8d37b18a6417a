"""Which element of a tree is at a point of the screen, and which one a click there is meant for."""

from __future__ import annotations

from collections.abc import Iterable

from ..model.node import Node
from ..model.tree import Tree

MENU = frozenset(("menu-item", "menu-item-checkbox", "menu-item-radio", "menu"))
CHECKABLE = frozenset(("checkbox", "switch", "toggle-button", "menu-item-checkbox"))
OPTIONS = frozenset(("list-item", "list-box-option", "menu-list-option"))
ROWS = frozenset(("row", "cell", "grid-cell", "tree-item", "row-header", *OPTIONS))
BUTTONS = frozenset(("button", "toggle-button", "link", "split-button", "disclosure-triangle", "color-well"))
COMPOSITE = frozenset(("combo-box", "spin-button", "date-picker", "input-time", "search-input"))
"""Controls that have parts which are not meant by themselves."""
NUMBERS = frozenset(("slider", "spin-button"))
FIELDS = frozenset(("textfield", "editable-text", "search-input"))
DATES = frozenset(("date-picker", "input-time"))
OPERABLE = frozenset(
    (*MENU, *CHECKABLE, *ROWS, *BUTTONS, *COMPOSITE, *NUMBERS, *FIELDS, "radio", "tab", "scroll-bar")
)
_PASSIVE = frozenset(
    ("text", "label-text", "image", "img", "generic", "group", "text-run", "paragraph", "unknown", "none",
     "graphics-symbol", "inline-text-box")
)  # fmt: skip
"""What shows something, or holds other elements, and is operated only as a part of another element."""
_LEVELS = 6
"""How many levels above an element the control is looked for that it belongs to."""


def element_at(tree: Tree, x: float, y: float, windows: Iterable[int] = ()) -> Node | None:
    """The element that a click at a point is meant for; None if it is not on a window of the tree.

    `windows` are those of the display that are there; of windows which overlap they tell which one is above.
    """
    known = {window.native_id: window.uid for window in tree.windows if window.native_id}
    above = next((known[window] for window in windows if window in known), None)
    scales = {window.uid: window.scale for window in tree.windows}
    ranks = _ranks(tree, above)
    best: tuple[tuple[int, int, int], Node] | None = None
    depths: dict[str, int] = {}
    roots: dict[str, str] = {}
    for order, node in enumerate(tree.nodes):
        parent = node.parent
        depths[node.uid] = depths.get(parent, 0) + 1 if parent else 0
        root = roots[node.uid] = roots.get(parent, parent) if parent else node.uid
        bounds = node.bounds
        if bounds is None or not node.visible or node.offscreen or node.internal:
            continue
        scale = scales.get(root, 1.0)
        if not (
            bounds.x <= x / scale < bounds.x + bounds.width
            and bounds.y <= y / scale < bounds.y + bounds.height
        ):
            continue
        popup = node.role in MENU and _in_popup(tree, node)
        key = (8 if popup else ranks.get(root, 0), depths[node.uid], order)
        if best is None or key > best[0]:
            best = (key, node)
    return None if best is None else meant(tree, best[1])


def meant(tree: Tree, node: Node) -> Node:
    """The control that an element is a part of, or the element itself."""
    control = node
    if node.role in _PASSIVE or not node.role:
        for level, above in enumerate(tree.ancestors(node)):
            if level == _LEVELS or (above.role not in OPERABLE and above.role not in _PASSIVE):
                break
            if above.role in OPERABLE:
                control = above if _only_shows(tree, above) else node
                break
    for level, above in enumerate(tree.ancestors(control)):
        if level == _LEVELS:
            break
        if above.role in COMPOSITE and control.role not in MENU and control.role not in ROWS:
            return above
    return control


def _only_shows(tree: Tree, control: Node) -> bool:
    """Whether nothing inside a control is operated by itself, as on the page of a tab."""
    if control.role in ROWS or control.role in COMPOSITE:
        return True
    return all(below.role in _PASSIVE for below in tree.descendants(control))


def _ranks(tree: Tree, above: str | None) -> dict[str, int]:
    """How far in front each window is.

    A dialog that the tree shows is in front also if the display no longer has it: the click closed it.
    """
    ranks: dict[str, int] = {}
    for window in tree.windows:
        root = tree.get(window.uid)
        dialog = window.modal or (window.focused and root is not None and root.role != "window")
        rank = 3 if window.kind == "popup" else 2 if dialog else 1 if window.focused and above is None else 0
        ranks[window.uid] = 2 * rank + (window.uid == above)
    return ranks


def _in_popup(tree: Tree, node: Node) -> bool:
    """Whether an entry is in an open menu, and not on a menu bar."""
    parent = tree.parent(node)
    return parent is not None and parent.role != "menu-bar" and (node.role != "menu" or bool(node.name))
