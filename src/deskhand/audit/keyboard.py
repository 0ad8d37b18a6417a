"""What the keyboard reaches, and in which order: presses Tab in the active window until it has gone round.

Tab is never pressed where it would be typed, as in an editor: there the walk ends, and a note says so. At the
end the focus is where it was.
"""

from __future__ import annotations

import itertools
from collections.abc import Generator, Iterator
from typing import Any

from ..model.errors import DeskhandError
from ..model.node import Node, Rect
from ..model.operations import Focus, Key, Operation, ReadTree, WaitIdle
from ..model.record import dataclass
from ..model.roles import UNKNOWN
from ..model.selector import by_uid
from .finding import Fault
from .scene import FIELDS, PRESSED, Scene, brief

_MOST = 120
"""How often Tab is pressed at most."""
_UNKNOWN = 3
"""How often Tab may lead to something unknown."""
_SOON = 5.0
"""How long each step may take, in seconds."""
_TAB_MOVES = (FIELDS | PRESSED | {
    "tab", "tab-list", "list", "list-box", "tree", "list-item", "tree-item", "radio-group", "menu-bar",
    "scroll-bar", "progress-indicator", "list-box-option", "scroll-area", "group", "toolbar", "splitter",
    "window", "dialog", "table",
}) - {"editable-text"}  # fmt: skip
"""Where Tab moves the focus. In editors, terminals, documents and spreadsheets it may be typed."""
_TYPED = frozenset(("editable-text", "document", "web-area", "canvas"))
_VAGUE = frozenset((UNKNOWN, "generic", "group", "window", "dialog", "scroll-area", "splitter"))
"""What may have the focus for something in it that is not in the tree."""
_TITLE_BUTTONS = frozenset(("minimize", "maximize", "restore", "close"))


@dataclass(frozen=True)
class Walk:
    """Where Tab led, in the window that had the focus."""

    window: str
    visited: tuple[str, ...]
    """Of uids, in order."""
    whole: bool
    """Whether it came back to where it began, so that it leads nowhere else."""
    note: str | None = None


def walk(scene: Scene) -> Generator[Operation[Any], Any, Walk]:
    """Press Tab until it comes round."""
    window = _active(scene)
    if window is None:
        return Walk("", (), False, "no window has the focus, so what Tab reaches was not checked")
    start = scene.tree.focused
    visited: list[str] = []
    whole, note = False, None
    try:
        whole, note = yield from _round(scene, window, start, visited)
    except DeskhandError as error:
        note = f"what Tab reaches was not checked: {error.message.splitlines()[0]}"
    if visited and start is not None:
        try:
            yield Focus(by_uid(start), timeout=_SOON)
        except DeskhandError as error:
            note = note or f"the focus could not be put back: {error.message.splitlines()[0]}"
    return Walk(window, tuple(visited), whole, note)


def _round(
    scene: Scene, window: str, start: str | None, visited: list[str]
) -> Generator[Operation[Any], Any, tuple[bool, str | None]]:
    """Where Tab leads, appended to `visited`; whether that is everywhere, and why not."""
    current = _shown(scene, start)
    unknown = 0
    typed = next(
        (node for node in scene.nodes if _takes_tab(node) and scene.window(node).uid == window), None
    )
    for _ in range(_MOST):
        if typed is not None and (current is None or current.role in _VAGUE):
            return False, f"what has the focus is not known, and Tab may be typed in {brief(typed)}"
        if current is not None and not _tab_moves(current):
            return (
                False,
                f"Tab may be typed in {brief(current)}, so it was followed up to there",
            )
        yield Key(keys="Tab", timeout=_SOON)
        yield WaitIdle(timeout=_SOON)
        snapshot = yield ReadTree(timeout=_SOON)
        seen = Scene(snapshot.tree)
        after = _shown(seen, seen.tree.focused)
        if after is None:
            unknown += 1
            if unknown > _UNKNOWN:
                return (
                    False,
                    "the toolkit does not say what has the focus, so what Tab reaches was not checked",
                )
            current = None
        elif seen.window(after).uid != window:
            return False, "Tab left the window, so what it reaches was not checked further"
        elif current is not None and after.uid == current.uid:
            if not visited and current.role in PRESSED | FIELDS:
                visited.append(current.uid)
                return True, None  # there is nothing else
            return (
                False,
                f"Tab does not leave {brief(after)}, so it was followed up to there",
            )
        elif after.uid in visited:
            reason = None if not unknown else "the toolkit does not always say what has the focus"
            return after.uid == visited[0] and not unknown, reason
        else:
            visited.append(after.uid)
            current = after
    return False, f"Tab did not come round after {_MOST} times"


def reach(scene: Scene, walked: Walk | None) -> Iterator[Fault]:
    """What can be operated can have the focus, and Tab gets there."""
    visited = set() if walked is None else set(walked.visited)
    says = {scene.window(node).uid for node in scene.nodes if node.focusable}
    entries = {_plain(node.name) for node in scene.tree.nodes if node.role.startswith("menu-item")}
    radios = {node.parent for node in scene.tree.nodes if node.role == "radio" and node.uid in visited}
    for node in scene.nodes:
        if node.role not in PRESSED and node.role not in FIELDS:
            continue
        if not node.enabled or node.uid in visited or scene.is_part(node) or scene.is_in_row(node):
            continue
        if _plain(node.name) in entries | _TITLE_BUTTONS:
            continue
        if node.role in ("textfield", "editable-text") and not node.editable:
            continue
        window = scene.window(node).uid
        if not node.focusable:
            if node.role == "combo-box" and node.backend != "qt":
                continue  # in GTK 3 and wx a button in it has the focus, and is not in the tree
            if window in says and not _inside(scene, node):
                yield Fault("keyboard", node, f"{brief(node)} cannot have the keyboard focus")
        elif walked is not None and walked.whole and window == walked.window:
            if node.parent in radios or scene.is_in_bar(node) or _inside(scene, node, visited):
                continue
            yield Fault("keyboard", node, f"Tab goes round in the window and does not reach {brief(node)}")


def order(scene: Scene, walked: Walk | None) -> Iterator[Fault]:
    """Tab moves down and to the right, in each part of the window."""
    if walked is None:
        return
    nodes = [node for uid in walked.visited if (node := scene.tree.get(uid)) is not None and node.bounds]
    if walked.whole and nodes:
        nodes.append(nodes[0])
    for before, after in itertools.pairwise(nodes):
        if before.parent != after.parent or scene.is_in_bar(after):
            continue
        if not _is_back(_box(before), _box(after)):
            continue
        beside = [node for node in nodes if node.parent == after.parent and node.uid != after.uid]
        # Going round, Tab comes back to what is read first; and keypads are read in the order of the digits.
        if _counts_up(before, after):
            continue
        if any(_is_back(_box(after), _box(one)) for one in beside):
            yield Fault("focus-order", after, f"Tab goes back from {brief(before)} to {brief(after)}")


def _box(node: Node) -> Rect:
    assert node.bounds is not None
    return node.bounds


def _is_back(before: Rect, after: Rect) -> bool:
    """Whether `after` is read before `before`: it is above, in no later column, or to the left."""
    above = after.y + after.height <= before.y + 2
    same_row = min(before.y + before.height, after.y + after.height) - max(before.y, after.y) > (
        min(before.height, after.height) / 2
    )
    if above:
        return after.x < before.x + before.width
    return same_row and after.x + after.width <= before.x + 2


def _counts_up(before: Node, after: Node) -> bool:
    first, second = (node.name or "" for node in (before, after))
    return first.isdecimal() and second.isdecimal() and int(first) < int(second)


def _active(scene: Scene) -> str | None:
    focused = scene.tree.get(scene.tree.focused)
    if focused is not None:
        return scene.window(focused).uid
    return next((window.uid for window in scene.tree.windows if window.focused), None)


def _shown(scene: Scene, uid: str | None) -> Node | None:
    """The element that a person would say has the focus: not an inner part of it."""
    node = scene.tree.get(uid)
    while node is not None and node.internal:
        node = scene.tree.parent(node)
    return node


def _tab_moves(node: Node) -> bool:
    return node.role in _TAB_MOVES or (node.role in (UNKNOWN, "generic") and not node.editable)


def _takes_tab(node: Node) -> bool:
    return node.role in _TYPED or (node.editable and not _tab_moves(node))


def _inside(scene: Scene, node: Node, visited: set[str] | None = None) -> bool:
    """Whether it is in something that has the focus as a whole; or has something in it that has."""
    around = [*scene.tree.ancestors(node)]
    if visited is None:
        return any(above.role in ("tab-list", "menu", "menu-bar", "scroll-bar") for above in around) or any(
            below.focusable for below in scene.tree.descendants(node)
        )
    near = any(above.uid in visited for above in around if above.parent is not None)
    return near or any(below.uid in visited for below in scene.tree.descendants(node))


def _plain(name: str | None) -> str:
    return (name or "").replace("&", "").rstrip("….").strip().casefold()
