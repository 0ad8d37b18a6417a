"""What is audited: the elements of an app that can be seen, and what the rules ask of them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from ..model.node import Node, Rect, called
from ..model.tree import Tree

FIELDS = frozenset((
    "textfield", "editable-text", "search", "search-input", "combo-box", "spin-button", "slider",
    "date-picker", "input-time",
))  # fmt: skip
"""What a person enters something into: its name is a label."""
PRESSED = frozenset((
    "button", "checkbox", "radio", "link", "switch", "toggle-button", "split-button", "color-well",
    "disclosure-triangle",
))  # fmt: skip
"""What a person presses wherever it is."""
ENTRIES = frozenset(("menu-item", "menu-item-checkbox", "menu-item-radio", "tab"))
"""What is chosen with the arrow keys, in something that has the focus as a whole."""
_COMPOSITE = FIELDS | {"button", "toggle-button", "split-button", "scroll-bar", "color-well", "list-box"}
"""What may have parts that a person does not think of as elements."""
_ARROWS = frozenset(("button", "toggle-button"))
_ROWS = frozenset((
    "list-item", "tree-item", "row", "cell", "grid-cell", "list-box-option", "column-header", "row-header",
    "menu-list-option",
))  # fmt: skip
_BARS = frozenset(("toolbar", "menu-bar", "menu", "tab-list", "title-bar", "status", "menu-list-popup"))
_POPUPS = frozenset(("popup", "menuBar"))


class Scene:
    """A tree, and the questions of the rules."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.windows = {window.uid: window for window in tree.windows}

    @cached_property
    def nodes(self) -> list[Node]:
        """All that can be seen."""
        return [node for node in self.tree.nodes if self.is_shown(node)]

    def is_shown(self, node: Node) -> bool:
        if not node.visible or node.offscreen or node.internal or node.bounds is None:
            return False
        if node.bounds.width < 1 or node.bounds.height < 1:
            return False
        window = self.windows.get(self.tree.window_of(node).uid)
        return window is None or (window.showing and not window.minimized)

    def is_part(self, node: Node) -> bool:
        """Whether it is a part of a control: the arrows of a spin button, the button of a combo box."""
        above = self.tree.parent(node)
        if above is not None and node.role in _ARROWS and blank(node.name):
            fields = [one for one in self.tree.children(above) if one.role in FIELDS]
            if any(_touch(node, one) for one in fields):
                return True
        for _ in range(2):
            if above is None:
                return False
            if above.role in _COMPOSITE:
                return True
            above = self.tree.parent(above)
        return False

    def is_in(self, node: Node, roles: frozenset[str]) -> bool:
        return any(above.role in roles for above in self.tree.ancestors(node))

    def is_in_row(self, node: Node) -> bool:
        """Whether it is in a list, table or tree, where the arrow keys lead."""
        return node.role in _ROWS or self.is_in(node, _ROWS)

    def is_in_bar(self, node: Node) -> bool:
        return self.is_in(node, _BARS)

    def window(self, node: Node) -> Node:
        return self.tree.window_of(node)

    def is_covered(self, node: Node) -> bool:
        """Whether something else may be drawn over it: a window, or what comes later in its own."""
        assert node.bounds is not None
        own = self.window(node)
        listed = self.windows.get(own.uid)
        for window in self.tree.windows:
            if window.uid == own.uid or window.bounds is None or not window.showing or window.minimized:
                continue
            below = listed is not None and listed.focused and window.kind not in _POPUPS
            if not below and window.bounds.intersection(node.bounds):
                return True
        return any(True for _ in self._later_over(node, node.bounds))

    def _later_over(self, node: Node, bounds: Rect) -> Iterator[Node]:
        own = {node.uid, *(above.uid for above in self.tree.ancestors(node))}
        inside = {below.uid for below in self.tree.descendants(node)}
        later = False
        for other in self.tree.nodes:
            if other.uid == node.uid:
                later = True
                continue
            if not later or other.uid in own or other.uid in inside or not self.is_shown(other):
                continue
            if self.window(other).uid != self.window(node).uid:
                continue
            assert other.bounds is not None
            shared = other.bounds.intersection(bounds)
            if shared is not None and shared.width * shared.height > bounds.width * bounds.height / 4:
                yield other


def _touch(node: Node, other: Node) -> bool:
    """Whether something is right next to a field, so that it looks like one thing."""
    if node.bounds is None or other.bounds is None:
        return False
    x, y, width, height = other.bounds
    return Rect(x - 3, y, width + 6, height).intersection(node.bounds) is not None


def brief(node: Node) -> str:
    """What a person would call an element, in one line."""
    return called(node.role, node.name or node.text or node.automation_id, node.native_class)


def blank(text: str | None) -> bool:
    return not text or not text.strip()
