"""Finding nodes by selector: all of them, or the only one, with near misses when that fails."""

from __future__ import annotations

from ..model.alike import did_you_mean
from ..model.errors import Ambiguous, NotFound, NoWindows
from ..model.node import Node
from ..model.selector import Selector, generate, near
from ..model.tree import Tree

_SHOWN = 10
"""How many near misses or matches an error names at most."""


class Missing(NotFound):
    """Nothing matches; similar elements are searched only when no wait continues."""

    def __init__(self, tree: Tree, selector: Selector) -> None:
        super().__init__(f"nothing matches {selector.source}", target=selector.source)
        self._tree, self._selector = tree, selector

    def explained(self) -> NotFound:
        """The error that says what was found instead."""
        return not_found(self._tree, self._selector)


def meant(found: list[Node]) -> list[Node]:
    """Those of several matches that count where one is asked for: the visible ones, if there are any."""
    if len(found) < 2:
        return found
    return [node for node in found if node.visible] or found


def one(tree: Tree, selector: Selector) -> Node:
    """Find the only node that is meant; raises Missing, to be explained, if none matches."""
    if not tree.nodes:
        raise NoWindows(
            f"nothing matches {selector.source}: the program has no window",
            target=selector.source,
            suggestions=_unread(tree),
        )
    if selector.path is not None:
        return tree.resolve(selector.path)
    found = meant(selector.find(tree))
    if len(found) == 1:
        return found[0]
    if not found:
        raise Missing(tree, selector)
    raise ambiguous(tree, selector, found)


def not_found(tree: Tree, selector: Selector) -> NotFound:
    """The error for no match: it names what looks like it, and what else is there of its kind."""
    there = near(selector, tree)
    selectors = tuple(generate(tree, node) for node in there.nodes)
    saw = ", ".join(selectors if selector.uses_ids else map(str, there.nodes))
    if there.more and not there.alike:
        saw += f" and {there.more} more"
    absent = f"there is no {there.absent}" if there.absent not in ("", selector.source) else ""
    reasons = [absent, f"saw {saw}" if saw else ""]
    return NotFound(
        "; ".join((f"nothing matches {selector.source}", *filter(None, reasons))),
        target=selector.source,
        near=selectors,
        near_uids=[node.uid for node in there.nodes],
        suggestions=(*_meant(tree, there.alike), *_unread(tree)),
    )


def _meant(tree: Tree, alike: tuple[Node, ...]) -> tuple[str, ...]:
    """What may have been meant, and why it cannot be used as it is."""
    if not alike:
        return ()
    hints = did_you_mean([generate(tree, alike[0])])
    state = "hidden" if not alike[0].visible else "disabled" if not alike[0].enabled else ""
    return tuple(f"{hint} it is {state}" if state else hint for hint in hints)


def _unread(tree: Tree) -> tuple[str, ...]:
    """That what was looked for may be in a part that could not be read."""
    return () if tree.cut is None else (f"not everything could be read: {tree.cut.reason}",)


def ambiguous(tree: Tree, selector: Selector, found: list[Node]) -> Ambiguous:
    """The error for several nodes that are meant: a selector for each, and whether all are hidden."""
    count = f"more than {_SHOWN}" if len(found) > _SHOWN else str(len(found))
    hidden = not found[0].visible
    shown = found[:_SHOWN]
    selectors = tuple(generate(tree, node) for node in shown)
    return Ambiguous(
        f"{count} {'hidden ' if hidden else ''}elements match {selector.source}"
        f"{' and no visible one' if hidden else ''}: {', '.join(selectors)}",
        target=selector.source,
        matches=selectors,
        match_uids=[node.uid for node in shown],
        suggestions=(
            *(("check whether something must be opened first",) if hidden else ()),
            "use one of these selectors, or :nth(n)",
        ),
    )
