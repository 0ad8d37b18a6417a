"""A tree as a person reads it, and as text that `template` reads again.

    - window "Invoices":
      - textfield "Customer": Ada
      - checkbox "Paid" [checked]
      - button "Save" [disabled]

Hidden elements and the content of closed menus are left out, and so are parts of a control that repeat what
it shows. Elements without a meaning of their own, such as layouts, are transparent. Siblings are in the order
of the screen: top to bottom, then left to right. Toolkits order them otherwise, GTK 3 often backwards.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol, TypeVar

from .node import Node, Rect
from .order import shown_text
from .record import dataclass
from .tree import Tree

MOST_LINES = 2000
"""How many lines a text has at most."""
_LONGEST = 500
"""A longer text is written as a regular expression of its beginning."""
_BEGINNING = 100
_WRAPPERS = frozenset(
    ("group", "generic", "none", "presentation", "section", "scroll-area", "unknown", "region")
)
"""Roles that mean nothing without a name."""
_WHOLE = frozenset((
    "button", "checkbox", "radio", "switch", "toggle-button", "link", "tab", "menu-item",
    "menu-item-checkbox", "menu-item-radio", "textfield", "editable-text", "search-input", "spin-button",
    "slider", "combo-box",
    "date-picker", "list-item", "tree-item", "cell", "column-header", "row-header", "list-box-option",
))  # fmt: skip
"""Roles whose parts may only repeat what the element itself shows."""
_PARTS = frozenset(
    ("text", "label-text", "image", "img", "button", "group", "generic", "unknown", "separator")
)
_MENUS = frozenset(("menu", "menu-item"))
_PLAIN = re.compile(r"[^\s\"'/\-?:,\[\]{}#&*!|>%@`~][^\n]*")
"""A text that YAML, and our own reader, take as it is written."""
_WORD_FOR_YAML = re.compile(r"(true|false|yes|no|on|off|null|~|[-+.\d][\d.,e+\-:_]*)", re.IGNORECASE)


@dataclass(frozen=True)
class Item:
    """An element that is shown, with what is in it, in reading order."""

    node: Node
    children: tuple[Item, ...] = ()
    level: int | None = None
    """Of a heading or an item of a tree, from 1."""

    @property
    def transparent(self) -> bool:
        """Whether only what is in it matters."""
        return self.node.role in _WRAPPERS and not self.name and not self.text

    @property
    def name(self) -> str:
        node = self.node
        return folded(node.name or (node.text if node.role == "text" else None))

    @property
    def text(self) -> str:
        """What it holds or shows, where that is not its name."""
        node = self.node
        held = folded(node.value if node.value is not None else node.text)
        return "" if held == self.name else held

    @property
    def texts(self) -> tuple[str, ...]:
        """All that may be meant by its text."""
        node = self.node
        return tuple(folded(each) for each in (node.value, node.text, shown_text(node)) if each is not None)

    @property
    def content(self) -> tuple[Item, ...]:
        """What is in it, without transparent elements."""
        return contents(self.children)

    def __str__(self) -> str:
        return f"- {_line(self)}"


def folded(text: str | None) -> str:
    """A text with white space folded."""
    return " ".join(text.split()) if text else ""


def contents(items: Iterable[Item]) -> tuple[Item, ...]:
    """The items, with transparent ones replaced by what is in them."""
    found: list[Item] = []
    for item in items:
        found += item.content if item.transparent else (item,)
    return tuple(found)


def read(tree: Tree, roots: Sequence[Node] | None = None) -> tuple[Item, ...]:
    """What is shown of a tree, or at and below some of its nodes."""
    return _items(tree, tree.roots if roots is None else roots, 0, in_menu=False)


def render(items: Sequence[Item], note: str = "") -> str:
    """The text of some items, which a template of it matches."""
    lines = list(_lines(contents(items), 0))
    if len(lines) > MOST_LINES:
        left = len(lines) - MOST_LINES
        lines = [*lines[:MOST_LINES], f"# … {left} more lines"]
    return "\n".join([*lines, *([f"# {note}"] if note else [])])


def _items(tree: Tree, nodes: Sequence[Node], level: int, *, in_menu: bool) -> tuple[Item, ...]:
    # What is in a closed menu has no position; not every toolkit calls it hidden.
    shown = [node for node in nodes if node.visible and not (in_menu and node.bounds is None)]
    return tuple(_item(tree, node, level) for node in reading_order(shown))


def _item(tree: Tree, node: Node, level: int) -> Item:
    own = level + 1 if node.role == "tree-item" else level
    children = _items(tree, tree.children(node), own, in_menu=node.role in _MENUS)
    if node.role in _WHOLE:
        children = tuple(child for child in children if not _repeats(node, child))
    children = tuple(child for child in children if child.node.role != "scroll-bar")
    given = node.properties.get("level")
    depth = own if node.role == "tree-item" else given if isinstance(given, int) else None
    return Item(node, children, depth)


def _repeats(node: Node, part: Item) -> bool:
    """Whether a part of a control shows nothing but what the control does."""
    if part.node.role not in _PARTS or part.node.options or part.node.virtualization:
        return False
    own = {folded(each) for each in (node.name, node.text, node.value) if each}
    shows = {each for each in (part.name, part.text) if each}
    whole = node.role == "combo-box" or shows <= own
    return whole and all(_repeats(node, child) for child in part.children)


# -- the order of the screen -------------------------------------------------------------------


class _Placed(Protocol):
    @property
    def bounds(self) -> Rect | None: ...


P = TypeVar("P", bound=_Placed)


def reading_order(siblings: Sequence[P]) -> list[P]:
    """Siblings by rows from the top, and by columns in a row; as given where they overlap."""
    if len(siblings) < 2 or any(not _has_area(each) for each in siblings):
        return list(siblings)
    for vertical in (True, False):
        parts = _cut(siblings, vertical)
        if len(parts) > 1:
            return [each for part in parts for each in reading_order(part)]
    return list(siblings)


def _has_area(placed: _Placed) -> bool:
    return placed.bounds is not None and placed.bounds.width > 0 and placed.bounds.height > 0


def _cut(siblings: Sequence[P], vertical: bool) -> list[list[P]]:
    """Groups of siblings with a straight line between each two."""

    def span(placed: P) -> tuple[float, float]:
        assert placed.bounds is not None
        x, y, width, height = placed.bounds
        return (y, y + height) if vertical else (x, x + width)

    groups: list[list[P]] = []
    end = float("-inf")
    for each in sorted(siblings, key=span):
        start, stop = span(each)
        if start < end - _TOUCH:
            groups[-1].append(each)
        else:
            groups.append([each])
        end = max(end, stop)
    # Inside of a group the given order is the one that counts where nothing else does.
    given = {id(each): at for at, each in enumerate(siblings)}
    return [sorted(group, key=lambda each: given[id(each)]) for group in groups]


_TOUCH = 2.0
"""By how many pixels siblings may overlap that are next to each other: frames often do."""


# -- as text -----------------------------------------------------------------------------------


def _lines(items: Sequence[Item], depth: int) -> Iterator[str]:
    for item in items:
        if below := item.content:
            # YAML has no place for a text next to a list. What such an element shows is in the list as well.
            yield f"{'  ' * depth}- {_key(item)}:"
            yield from _lines(below, depth + 1)
        else:
            yield f"{'  ' * depth}- {_line(item)}"


def _line(item: Item) -> str:
    """An item without what is in it."""
    if item.node.role == "text" and not _states(item):
        shown = item.text or item.name
        return f"text: {scalar(shown)}" if shown else "text"
    return f"{_key(item)}: {scalar(item.text)}" if item.text else _key(item)


def _key(item: Item) -> str:
    parts = [item.node.role]
    if item.name:
        parts.append(
            json.dumps(item.name, ensure_ascii=False) if len(item.name) <= _LONGEST else _begins(item.name)
        )
    parts += _states(item)
    key = " ".join(parts)
    return "'" + key.replace("'", "''") + "'" if ": " in key or " #" in key else key


def _states(item: Item) -> list[str]:
    node = item.node
    found = []
    if node.mixed:
        found.append("[checked=mixed]")
    elif node.checked:
        found.append("[pressed]" if node.role == "toggle-button" else "[checked]")
    if not node.enabled:
        found.append("[disabled]")
    if node.expanded:
        found.append("[expanded]")
    if item.level is not None and node.role == "heading":
        found.append(f"[level={item.level}]")
    if node.selected:
        found.append("[selected]")
    return found


def scalar(text: str) -> str:
    """A text as YAML has it."""
    if len(text) > _LONGEST:
        return _begins(text)
    plain = _PLAIN.fullmatch(text) and ": " not in text and " #" not in text and not text.endswith(":")
    return text if plain and not _WORD_FOR_YAML.fullmatch(text) else json.dumps(text, ensure_ascii=False)


def _begins(text: str) -> str:
    return f"/^{re.escape(text[:_BEGINNING]).replace('/', chr(92) + '/')}/"
