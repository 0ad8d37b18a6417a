"""A tree as text: one line for each element, indented, with what a person would say about it.

    window "Invoices" [focused]
      textfield "Customer" = "Ada" [focused]
      button "Save" [disabled]

Lines come in parts, so that a terminal can colour them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .node import Node, Virtualization
from .record import dataclass
from .roles import UNKNOWN
from .syntax import Class
from .tree import Tree

_TEXT = 60
"""How much of a text is shown in a line."""
_OPTIONS = 5


@dataclass(frozen=True)
class Line:
    """One element, in words."""

    depth: int
    node: Node
    role: str
    name: str = ""
    value: str = ""
    states: tuple[str, ...] = ()
    note: str = ""
    """What exists and is not shown below: rows, options, children that were not read."""
    selector: str = ""

    def __str__(self) -> str:
        parts = [self.role]
        if self.name:
            parts.append(self.name)
        if self.value:
            parts.append(f"= {self.value}")
        if self.states:
            parts.append(f"[{', '.join(self.states)}]")
        if self.note:
            parts.append(f"({self.note})")
        if self.selector:
            parts.append(f" {self.selector}")
        return "  " * self.depth + " ".join(parts)


def outline(tree: Tree, selectors: Mapping[str, str] | None = None) -> str:
    """The whole tree as text, with the selector of each element if they are given."""
    text = "\n".join(str(line) for line in lines(tree, selectors))
    return f"{text}\n{cut_note(tree)}" if tree.cut else text


def lines(tree: Tree, selectors: Mapping[str, str] | None = None) -> Iterator[Line]:
    """Each element of the tree as a line, in document order."""
    depths: dict[str, int] = {}
    below = tree.children
    for node in tree.nodes:
        depth = depths.get(node.parent, -1) + 1 if node.parent is not None else 0
        depths[node.uid] = depth
        yield describe(node, depth, len(below(node)), (selectors or {}).get(node.uid, ""))


def describe(node: Node, depth: int = 0, children: int | None = None, selector: str = "") -> Line:
    """One element as a line; `children` is how many of them are shown below it."""
    name = node.name or ""
    text = node.text if node.text is not None and node.text != name else None
    value = node.value if node.value is not None else text
    if not name and node.value is None and text:
        name, value = text, None
    if value is not None and value == name:
        value = None
    return Line(
        depth,
        node,
        str(Class(node.native_class)) if node.role == UNKNOWN and node.native_class else node.role,
        _quoted(name) if name else "",
        _quoted(value) if value is not None else "",
        tuple(states(node)),
        _note(node, children),
        selector,
    )


def cut_note(tree: Tree) -> str:
    """What was left out of the tree, in words."""
    return f"… {tree.cut.left_out} more not shown: {tree.cut.reason}" if tree.cut else ""


def states(node: Node) -> Iterator[str]:
    """The states that an element is in, where they are not what one expects."""
    if node.mixed:
        yield "partly checked"
    elif node.checked is not None:
        yield "checked" if node.checked else "unchecked"
    if node.selected:
        yield "selected"
    if node.expanded is not None:
        yield "expanded" if node.expanded else "collapsed"
    if node.focused:
        yield "focused"
    if node.modal:
        yield "modal"
    if node.password:
        yield "password"
    if not node.visible:
        yield "hidden"
    elif node.offscreen:
        yield "offscreen"
    if not node.enabled:
        yield "disabled"


def extent(view: Virtualization) -> str:
    """How many items a view has, and which of them can be seen."""
    seen = f", {view.visible_range[0]}–{view.visible_range[1]} in view" if view.visible_range else ""
    return f"{view.items_count} {'item' if view.items_count == 1 else 'items'}{seen}"


def _note(node: Node, children: int | None) -> str:
    notes = []
    view = node.virtualization
    if view is not None:
        notes.append(extent(view))
    elif node.options:
        count = node.options_count or len(node.options)
        texts = [_quoted(option.text, 20) for option in node.options[:_OPTIONS]]
        more = [f"… {count - _OPTIONS} more"] if count > _OPTIONS else []
        notes.append("options " + ", ".join(texts + more))
    if view is None and children is not None and children == 0 and node.child_count:
        notes.append(f"{node.child_count} inside, not read")
    return "; ".join(notes)


def _quoted(text: str, limit: int = _TEXT) -> str:
    flat = " ".join(text.split()) if "\n" in text or "\t" in text else text
    return f'"{flat}"' if len(flat) <= limit else f'"{flat[: limit - 1]}…"'
