"""Windows and elements as the Agent contract has them, written straight as JSON text.

Written by hand, as for GIP, because it is most of what a snapshot of a large window costs. What an element
looks like is kept until the element changes, so that the next snapshot writes only that anew.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from operator import attrgetter, is_not
from typing import Any, NamedTuple

from ...model.node import Node, Rect, Window
from ...model.record import dataclass
from ...model.roles import ROLES, UNKNOWN
from ...model.tree import Tree
from ..jsontext import quote, to_bytes

DEPTH = 3
"""How many levels below the window a snapshot has, unless told otherwise."""
MODES = {"interactive": "interactive", "interact": "interactive", "layout": "layout", "full": "full"}
MENU_BAR = "Menu Bar"
"""The title of the window that the focused application's menu bar is shown as."""

_OPERATED = frozenset((
    "button", "checkbox", "radio", "textfield", "editable-text", "slider", "combo-box", "switch", "link",
    "menu-item", "tab", "disclosure-triangle", "color-well", "date-picker", "spin-button",
))  # fmt: skip
"""Roles that are interactive whatever their actions are."""
_FIELDS = frozenset(("textfield", "editable-text", "search-input", "spin-button", "combo-box", "document"))
"""Roles of what holds a text, also where it cannot be edited."""
_PASSIVE = frozenset(("scroll-into-view", "scroll", "show-menu"))
"""Actions that nearly everything has, so that having them makes nothing interactive."""
_VALUED = frozenset(("text", "checked", "mixed", "number"))
"""Fields that tell a value where there is none."""
_FEW = 5
"""If more than one in so many nodes changed, all are written anew."""
_ENTRIES = frozenset(("menu", "menu-item", "menu-item-checkbox", "menu-item-radio", "separator"))
_fields = attrgetter("__dict__")
_FARTHEST = 2.0**31 - 1
"""Toolkits give what is nowhere on the screen coordinates beyond that."""


class Element(NamedTuple):
    """What follows from the fields of a node, kept with them to see whether they changed."""

    fields: dict[str, Any]
    text: str
    """Its JSON up to where its children or its end would be."""
    interactive: bool
    placed: bool

    def with_children(self, count: int) -> Element:
        """The same with another number of children."""
        counted = f',"childCount":{self.fields.get("child_count", 0)},'
        return self._replace(text=self.text.replace(counted, f',"childCount":{count},'))


@dataclass(frozen=True)
class Filter:
    """Which elements a snapshot has."""

    mode: str = "interactive"
    depth: int = DEPTH
    role: str | None = None
    label: str | None = None


class Pane(NamedTuple):
    """A window of a snapshot, and the node whose children are its elements."""

    window: Window
    root: str


class SnapshotEncoder:
    """Writes one snapshot after the other, and of a snapshot like the last one only what changed."""

    def __init__(self) -> None:
        self._known: dict[str, Element] = {}
        self._last: _Written | None = None

    def encode(self, trees: Sequence[tuple[Tree, Sequence[Pane]]], wanted: Filter) -> bytes:
        """The windows with their elements; each tree has the nodes of its own panes."""
        # Taken and put back in one step each: any number of threads may use one encoder.
        last = self._last
        nodes = [node for tree, _ in trees for node in tree.nodes]
        fields = list(map(_fields, nodes))
        key = (wanted, tuple((len(tree.nodes), tuple(panes)) for tree, panes in trees))
        written = None if last is None or last.key != key else last.again(fields)
        if written is None:
            written = self._write(trees, fields, key, wanted)
        self._last = written
        return written.data

    def _write(
        self,
        trees: Sequence[tuple[Tree, Sequence[Pane]]],
        fields: list[dict[str, Any]],
        key: object,
        wanted: Filter,
    ) -> _Written:
        known = self._known
        now: dict[str, Element] = {}
        elements: list[Element] = []
        repaired = set()
        pieces: list[str] = ['{"windows":[']
        places: list[int] = []
        for tree, panes in trees:
            at = len(elements)
            own = fields[at : at + len(tree.nodes)]
            # Of each tree by itself, for what is in a menu bar is in its window too.
            counts = Counter([each.get("parent") for each in own])
            for each in own:
                uid = each.get("uid", "")
                element = known.get(uid)
                if element is None or (element.fields is not each and element.fields != each):
                    element = element_of(each)
                now[uid] = element
                if counts[uid] > each.get("child_count", 0):
                    # Where a toolkit's inner levels are left out, what is in them is one level higher.
                    element = element.with_children(counts[uid])
                    repaired.add(len(elements))
                elements.append(element)
            _add(pieces, places, own, elements[at:], panes, wanted)
        self._known = now
        pieces.append("]}")
        return _Written(key, wanted, fields, elements, pieces, places, repaired, to_bytes("".join(pieces)))


class _Written(NamedTuple):
    """A snapshot as it was written, and what is needed to write a part of it anew."""

    key: object
    wanted: Filter
    fields: list[dict[str, Any]]
    elements: list[Element]
    pieces: list[str]
    places: list[int]
    """Where in the pieces each node is; 0 for one that was left out."""
    repaired: set[int]
    """Which elements have more children than they reported."""
    data: bytes

    def again(self, fields: list[dict[str, Any]]) -> _Written | None:
        """The same with what changed in the fields; None if that is too much, or moves something."""
        before = self.fields
        if len(fields) != len(before):
            return None
        # Most are the very same, which is much quicker to see than that they are equal.
        others = [index for index, differs in enumerate(map(is_not, fields, before)) if differs]
        changed = [index for index in others if fields[index] != before[index]]
        if not changed:
            return self
        if len(changed) > len(fields) / _FEW:
            return None
        pieces, elements = self.pieces.copy(), self.elements.copy()
        for index in changed:
            now, old = fields[index], before[index]
            element = element_of(now)
            if (
                index in self.repaired
                or now.get("uid") != old.get("uid")
                or now.get("parent") != old.get("parent")
                or _matches(element, self.wanted) != _matches(elements[index], self.wanted)
            ):
                return None
            elements[index] = element
            if self.places[index]:
                pieces[self.places[index]] = element.text
        data = to_bytes("".join(pieces))
        return self._replace(fields=fields, elements=elements, pieces=pieces, data=data)


def encode_windows(windows: Iterable[Window]) -> bytes:
    """The windows alone."""
    return to_bytes('{"windows":[' + ",".join(f"{{{window_text(window)}}}" for window in windows) + "]}")


def encode_inspected(node: Node) -> bytes:
    """One element with its font, colour and bounds, without its children."""
    text = f'{{"element":{element_of(node.__dict__).text}}}'
    font = node.font
    if font is not None:
        for name, value in (
            ("fontFamily", font.family), ("fontWeight", font.weight), ("textColor", font.color),
        ):  # fmt: skip
            if value:
                text += f',"{name}":{quote(value)}'
        if font.size is not None and math.isfinite(font.size):
            text += f',"fontSize":{number(font.size)}'
    if (place := bounds_of(node.bounds)) is not None:
        names = ("boundsX", "boundsY", "boundsWidth", "boundsHeight")
        text += "".join(f',"{name}":{number(part)}' for name, part in zip(names, place, strict=True))
    return to_bytes(text + "}")


def label_of(fields: Mapping[str, Any]) -> str | None:
    """What a person calls it, or else the text that it shows; the text in a field is its value."""
    get = fields.get
    name: str | None = get("name")
    if name is not None or get("editable") or get("role") in _FIELDS or get("text") == get("value"):
        return name
    return get("text")


def is_field(fields: Mapping[str, Any]) -> bool:
    """Whether its label is the text next to it, not one that it shows itself."""
    get = fields.get
    return bool(get("editable")) or get("role") in _FIELDS or get("labelled_by") is not None


def has_label(fields: Mapping[str, Any], wanted: str) -> bool:
    """Whether its label has the text in it, whatever the case."""
    return wanted.casefold() in (label_of(fields) or "").casefold()


def is_operated(actions: Iterable[str]) -> bool:
    """Whether there is something to do with what offers these actions."""
    return any(action not in _PASSIVE for action in actions)


def bounds_of(bounds: Rect | None) -> Rect | None:
    """Where it is, if that is anywhere."""
    if bounds is None:
        return None
    x, y, width, height = bounds
    if -_FARTHEST < x < _FARTHEST and -_FARTHEST < y < _FARTHEST and width < _FARTHEST and height < _FARTHEST:
        return bounds
    return None


def number(value: float) -> str:
    """A number, without a fraction where it has none."""
    rounded = round(value, 3)
    return str(int(rounded)) if rounded == int(rounded) else str(rounded)


def window_text(window: Window) -> str:
    """The fields of a window, without the braces."""
    x, y, width, height = bounds_of(window.bounds) or Rect(0, 0, 0, 0)
    title = f'"title":{quote(window.title)},' if window.title else ""
    return (
        f'{title}"windowType":{quote(window.kind)},"sizeWidth":{number(width)},"sizeHeight":{number(height)},'
        f'"positionX":{number(x)},"positionY":{number(y)},"appName":{quote(window.app_name)},'
        f'"focused":{"true" if window.focused and not window.minimized else "false"}'
    )


def _add(
    pieces: list[str],
    places: list[int],
    fields: Sequence[dict[str, Any]],
    elements: Sequence[Element],
    panes: Sequence[Pane],
    wanted: Filter,
) -> None:
    """Write windows with the elements below their roots; two pieces for each element, the second its own."""
    levels = _levels(fields, {pane.root for pane in panes}, wanted.depth)
    keep = _kept(elements, levels, wanted)
    written: dict[str, list[str]] = {}
    found: dict[str, list[tuple[int, int]]] = {}
    current: list[str] = []
    spots: list[tuple[int, int]] = []
    before = 0
    for at, level in enumerate(levels):
        if level == 0:
            if before:
                current.append("}" + "]}" * (before - 1))
            uid = fields[at].get("uid", "")
            current = written[uid] = []
            spots = found[uid] = []
            before = 0
        elif keep[at]:
            # The element before, at the level `before`, lacks only its end.
            if level > before:
                current.append(',"children":[' if before else "")
            else:
                current.append("}" + "]}" * (before - level) + ",")
            spots.append((at, len(current)))
            current.append(elements[at].text)
            before = level
    if before:
        current.append("}" + "]}" * (before - 1))
    first = len(places)
    places += [0] * len(levels)
    for window, root in panes:
        start = "," if pieces[-1] == "]}" else ""
        pieces.append(f'{start}{{{window_text(window)},"elements":[')
        for at, offset in found.get(root, ()):
            places[first + at] = len(pieces) + offset
        pieces += written.get(root, ())
        pieces.append("]}")


def _levels(fields: Sequence[dict[str, Any]], roots: set[str], depth: int) -> list[int]:
    """How far each node is below its root; -1 for what is below none, or too far."""
    level_of: dict[str | None, int] = {}
    levels = []
    for each in fields:
        uid = each.get("uid", "")
        if uid in roots:
            level = 0
        else:
            above = level_of.get(each.get("parent"), -1)
            level = above + 1 if 0 <= above < depth else -1
        level_of[uid] = level
        levels.append(level)
    return levels


def _kept(elements: Sequence[Element], levels: Sequence[int], wanted: Filter) -> Sequence[bool]:
    """Which elements match, or are around one that does."""
    if wanted == Filter("full", wanted.depth):
        return [level > 0 for level in levels]
    keep = [False] * len(levels)
    around = [False] * (max(levels, default=0) + 2)
    for at in range(len(levels) - 1, -1, -1):
        level = levels[at]
        if level < 0:
            continue
        if level and (around[level + 1] or _matches(elements[at], wanted)):
            keep[at] = around[level] = True
        around[level + 1] = False
    return keep


def _matches(element: Element, wanted: Filter) -> bool:
    if wanted.mode == "interactive" and not element.interactive:
        return False
    if wanted.mode == "layout" and not element.placed:
        return False
    if wanted.role is not None and element.fields.get("role", UNKNOWN) != wanted.role:
        return False
    return wanted.label is None or has_label(element.fields, wanted.label)


def element_of(fields: dict[str, Any]) -> Element:
    """What follows from a node's fields. Long, for it runs for every node: each call would show."""
    get = fields.get
    role = get("role", UNKNOWN)
    text = f'{{"role":"{role if role in ROLES else UNKNOWN}"'
    label = get("name")
    if label is None:
        label = label_of(fields)
    if label is not None:
        text += f',"label":{quote(label)}'
    value = get("value")
    if value is None and not _VALUED.isdisjoint(fields):
        value = _value(fields, label)
    if value is not None:
        text += f',"value":{quote(value)}'
    description = get("description") or get("tooltip") or get("help")
    if description and description != label:
        text += f',"description":{quote(description)}'
    if name := get("automation_id") or get("object_name"):
        text += f',"id":{quote(name)}'
    focused = get("focused", False)
    bounds = bounds_of(get("bounds"))
    # An entry that can be activated has no position while its menu is closed.
    away = get("offscreen") or (bounds is None and role in _ENTRIES)
    text += _STATES[bool(get("enabled", True)), bool(focused), bool(get("visible", True)), bool(away)]
    if bounds is not None:
        x, y, width, height = bounds
        place = f',"positionX":{x},"positionY":{y},"sizeWidth":{width},"sizeHeight":{height}'
        if "." in place:
            place = (
                f',"positionX":{number(x)},"positionY":{number(y)},'
                f'"sizeWidth":{number(width)},"sizeHeight":{number(height)}'
            )
        text += place
    listed, operated = _listed(get("actions", ()))
    text += f',"childCount":{get("child_count", 0)}{listed}'
    if native := get("platform_role") or get("native_class"):
        text += f',"platformRole":{quote(native)}'
    return Element(fields, text, operated or bool(focused) or role in _OPERATED, bounds is not None)


@cache
def _listed(actions: tuple[str, ...]) -> tuple[str, bool]:
    """The actions as JSON, and whether having them makes something interactive."""
    names = ",".join(map(quote, actions))
    return f',"actions":[{names}]', is_operated(actions)


def _states() -> Iterator[tuple[tuple[bool, bool, bool, bool], str]]:
    words = ("false", "true")
    for enabled, focused, visible, away in product((False, True), repeat=4):
        text = f',"enabled":{words[enabled]},"focused":{words[focused]}'
        text += f',"showing":{words[visible and not away]}'
        yield (enabled, focused, visible, away), text


_STATES = dict(_states())


def _value(fields: Mapping[str, Any], label: str | None) -> str | None:
    """Its value, where that is not text: a number, or whether it is ticked (1, 0, or 2 for half)."""
    get = fields.get
    checked = get("checked")
    if checked is not None or get("mixed"):
        return "2" if get("mixed") else "1" if checked else "0"
    if (held := get("number")) is not None and math.isfinite(held):
        return number(held)
    text: str | None = get("text")
    return text if text != label else None
