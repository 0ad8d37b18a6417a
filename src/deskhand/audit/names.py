"""Rules that the tree alone decides: names, labels, roles, ids, titles, sizes, states."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from ..model.node import Node, Rect
from ..model.order import ids
from ..model.roles import UNKNOWN
from .finding import Fault
from .scene import ENTRIES, FIELDS, PRESSED, Scene, blank, brief

_WORDS = re.compile(r"\w+")
_ACTS = frozenset(("press", "toggle", "increment", "set-value", "expand", "edit"))
_OWN_ID = re.compile(r"qt_|_qt|Gtk|\d+$")
"""Ids that a toolkit gives."""
_SMALL = 24
"""How large a target must be, in pixels."""
_PLAIN_WINDOWS = frozenset(("regular", "dialog", "systemDialog", "sheet"))
_ONE_OF = frozenset(("tab-list", "radio-group"))


def names(scene: Scene) -> Iterator[Fault]:
    """What is pressed or chosen has a name, which is not only in its tooltip."""
    for node in scene.nodes:
        if node.role not in PRESSED and node.role not in ENTRIES:
            continue
        if scene.is_part(node) or scene.is_in_row(node):
            continue
        if blank(node.name) and blank(node.text):
            if node.role in ENTRIES and node.actions == () and not node.focusable:
                continue  # a separator
            tip = f"; only its tooltip says {node.tooltip!r}" if node.tooltip else ""
            yield Fault("name", node, f"the {node.role} has no name{tip}")
        elif node.guessed and node.tooltip:
            yield Fault("name", node, f"the {node.role} has no name; only its tooltip says {node.tooltip!r}")


def labels(scene: Scene) -> Iterator[Fault]:
    """Every field has a label, and the toolkit knows which."""
    for node in scene.nodes:
        if node.role not in FIELDS or scene.is_part(node) or scene.is_in_row(node):
            continue
        if not (node.editable or node.focusable or node.actions):
            continue
        if blank(node.name):
            yield Fault("label", node, f"the {node.role} has no label")
        elif node.guessed and node.name == node.placeholder:
            yield Fault(
                "label", node,
                f"the {node.role} has no label, only the placeholder {node.placeholder!r}, which goes when "
                "something is typed",
            )  # fmt: skip
        elif node.guessed:
            yield Fault(
                "label", node,
                f"{node.name!r} is next to the {node.role}, and the toolkit does not know it as its label",
            )  # fmt: skip


def roles(scene: Scene) -> Iterator[Fault]:
    """What can be operated says what it is."""
    for node in scene.nodes:
        if node.role not in (UNKNOWN, "generic") or node.parent is None or not node.enabled:
            continue
        if scene.tree.children(node) or scene.is_part(node) or scene.is_in_row(node):
            continue
        if node.focusable or not _ACTS.isdisjoint(node.actions):
            what = f"the {node.native_class}" if node.native_class else "this element"
            yield Fault("role", node, f"{what} can be operated, and does not say what it is")


def names_as_shown(scene: Scene) -> Iterator[Fault]:
    """The name contains the text that is shown."""
    for node in scene.nodes:
        if node.role not in PRESSED or blank(node.text) or blank(node.name) or node.text == node.name:
            continue
        text, name = _words(node.text), _words(node.name)
        if text and not set(text) & set(name):
            yield Fault(
                "label-in-name", node, f"the {node.role} shows {node.text!r} and is called {node.name!r}"
            )


def unique_ids(scene: Scene) -> Iterator[Fault]:
    """No two elements that are shown in one window have the same id."""
    first: dict[tuple[str, str], Node] = {}
    for node in scene.nodes:
        for name in ids(node)[:1]:
            if _OWN_ID.match(name) or scene.is_in_row(node):
                continue
            before = first.setdefault((scene.window(node).uid, name), node)
            if before is not node:
                yield Fault("id", node, f"{brief(node)} has the id {name!r}, and so has {brief(before)}")


def titles(scene: Scene) -> Iterator[Fault]:
    """Every window has a title."""
    for root in scene.tree.roots:
        window = scene.windows.get(root.uid)
        if window is None or not window.showing or window.kind not in _PLAIN_WINDOWS:
            continue
        if blank(window.title) and blank(root.name):
            yield Fault("window-title", root, f"the {root.role} has no title")


def sizes(scene: Scene) -> Iterator[Fault]:
    """What is clicked is 24 pixels wide and high, or no other target is near it."""
    by_window: dict[str, list[Node]] = defaultdict(list)
    for node in scene.nodes:
        if node.role in PRESSED and node.enabled and not scene.is_part(node) and not scene.is_in_row(node):
            by_window[scene.window(node).uid].append(node)
    for targets in by_window.values():
        for node in targets:
            assert node.bounds is not None
            if node.role == "link" or (node.bounds.width >= _SMALL and node.bounds.height >= _SMALL):
                continue
            near = next(
                (other for other in targets if other is not node and _too_near(scene, node, other)), None
            )
            if near is not None:
                size = f"{node.bounds.width:g} by {node.bounds.height:g}"
                what = f"the {node.role} is {size} pixels, right next to {brief(near)}"
                yield Fault("target-size", node, what)


def _too_near(scene: Scene, node: Node, other: Node) -> bool:
    """Whether a circle of 24 pixels around a small target meets another target, or the circle of another."""
    assert node.bounds is not None
    assert other.bounds is not None
    if any(above.uid == other.uid for above in scene.tree.ancestors(node)) or any(
        above.uid == node.uid for above in scene.tree.ancestors(other)
    ):
        return False
    x, y = node.bounds.center
    if other.bounds.width < _SMALL or other.bounds.height < _SMALL:
        a, b = other.bounds.center
        if (a - x) ** 2 + (b - y) ** 2 < _SMALL**2:
            return True
    return _distance(x, y, other.bounds) < _SMALL / 2


def _distance(x: float, y: float, box: Rect) -> float:
    right, bottom = box.x + box.width, box.y + box.height
    away = max(box.x - x, 0.0, x - right), max(box.y - y, 0.0, y - bottom)
    return float((away[0] ** 2 + away[1] ** 2) ** 0.5)


def states(scene: Scene) -> Iterator[Fault]:
    """States do not contradict each other."""
    for node in scene.nodes:
        if node.role == "spin-button" and not any(map(str.isdigit, node.text or "")):
            continue  # the parts of an empty date of Chromium are zeros that are not shown
        if node.number is not None and node.minimum is not None and node.maximum is not None:
            slack = (node.maximum - node.minimum) * 1e-6
            if not node.minimum - slack <= node.number <= node.maximum + slack:
                limits = f"{node.minimum:g} to {node.maximum:g}"
                yield Fault(
                    "state", node, f"the {node.role} is at {node.number:g}, and its range is {limits}"
                )
        if node.role in _ONE_OF:
            chosen = [one for one in scene.tree.children(node) if one.selected or one.checked]
            if len(chosen) > 1:
                both = " and ".join(map(brief, chosen[:2]))
                yield Fault("state", node, f"{both} are selected in the {node.role}, where only one can be")
    focused = [
        node
        for node in scene.tree.nodes
        if node.focused and node.parent is not None and not node.internal and not scene.is_in_row(node)
    ]
    for node in focused:
        if not node.visible:
            yield Fault("focus", node, f"{brief(node)} has the focus and is not shown")
        elif not node.enabled:
            yield Fault("focus", node, f"{brief(node)} has the focus and is disabled")


def _words(text: str | None) -> list[str]:
    return _WORDS.findall((text or "").replace("&", "").casefold())
