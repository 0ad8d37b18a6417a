"""Ways to name an element for a test: the shortest robust selector, and others, with how many each finds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ..model.errors import DeskhandError
from ..model.node import Node
from ..model.order import shown_text
from ..model.selector import by_id, by_path, generate, quote
from ..model.tree import Tree
from .expressions import selector

_LONGEST = 60
"""Longer texts are not used to name an element."""
_MOST = 12


def suggestions(tree: Tree, node: Node) -> list[dict[str, Any]]:
    """Selectors and lines of Python that find the element, and how many elements each finds; best first."""
    rows: list[dict[str, Any]] = []
    for text in dict.fromkeys(_candidates(tree, node)):
        try:
            found = selector(text).find(tree)
        except DeskhandError:
            continue  # a name may hold what no selector can
        if any(each.uid == node.uid for each in found):
            rows.append({"text": text, "count": len(found)})
    # Those that find more than it come last, and keep their order otherwise.
    return sorted(rows, key=lambda row: row["count"] != 1)[:_MOST]


def _candidates(tree: Tree, node: Node) -> Iterator[str]:
    yield generate(tree, node)
    for known in (node.automation_id, node.object_name):
        if known:
            yield by_id(known)
            yield f"app.get_by_id({_text(known)})"
    name = node.name if node.name and len(node.name) <= _LONGEST else None
    if name:
        yield f"{node.role}[name={quote(name)}]"
        yield f"app.get_by_role({_text(node.role)}, name={_text(name)})"
        if node.labelled_by is not None or node.editable:
            yield f"app.get_by_label({_text(name)})"
    text = shown_text(node)
    if text and len(text) <= _LONGEST and not (node.editable or node.password):
        yield f"app.get_by_text({_text(text)})"
    if node.placeholder and len(node.placeholder) <= _LONGEST:
        yield f"app.get_by_placeholder({_text(node.placeholder)})"
    if node.tooltip and len(node.tooltip) <= _LONGEST:
        yield f"app.get_by_tooltip({_text(node.tooltip)})"
    if node.native_class.isidentifier():
        yield f".{node.native_class}"
    yield node.role
    yield by_path(tree.path(node))


def _text(text: str) -> str:
    """A text as Python code."""
    return json.dumps(text, ensure_ascii=False)
