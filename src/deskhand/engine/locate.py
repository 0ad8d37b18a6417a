"""Finding nodes by selector: all of them, or the only one, with near misses when that fails."""

from __future__ import annotations

from ..model.errors import Ambiguous, NotFound, NoWindows
from ..model.node import Node
from ..model.selector import Selector, generate, near
from ..model.tree import Tree

_SHOWN = 10
"""How many near misses or matches an error names at the most."""


def one(tree: Tree, selector: Selector) -> Node:
    """Find the only node that matches."""
    if not tree.nodes:
        raise NoWindows(
            f"nothing matches {selector.source}: the program has no window",
            target=selector.source,
            suggestions=_unread(tree),
        )
    if selector.path is not None:
        return tree.resolve(selector.path)
    found = selector.find(tree, limit=_SHOWN + 1)
    if len(found) == 1:
        return found[0]
    if not found:
        raise not_found(tree, selector)
    raise ambiguous(tree, selector, found)


def not_found(tree: Tree, selector: Selector) -> NotFound:
    """The error for no match: it names what is there and looks like it."""
    misses = near(selector, tree)
    saw = ", ".join(str(node) for node in misses)
    return NotFound(
        f"nothing matches {selector.source}" + (f"; saw {saw}" if saw else ""),
        target=selector.source,
        near=tuple(generate(tree, node) for node in misses),
        near_uids=[node.uid for node in misses],
        suggestions=(*(f"did you mean {generate(tree, node)}?" for node in misses[:1]), *_unread(tree)),
    )


def _unread(tree: Tree) -> tuple[str, ...]:
    """That what was looked for may be in a part that could not be read."""
    return () if tree.cut is None else (f"not everything could be read: {tree.cut.reason}",)


def ambiguous(tree: Tree, selector: Selector, found: list[Node]) -> Ambiguous:
    """The error for several matches: it lists a selector for each."""
    count = f"more than {_SHOWN}" if len(found) > _SHOWN else str(len(found))
    shown = found[:_SHOWN]
    selectors = tuple(generate(tree, node) for node in shown)
    return Ambiguous(
        f"{count} elements match {selector.source}: {', '.join(selectors)}",
        target=selector.source,
        matches=selectors,
        match_uids=[node.uid for node in shown],
        suggestions=("use one of these selectors, or :nth(n)",),
    )
