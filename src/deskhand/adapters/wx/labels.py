"""What a field is called: by the text just before it, or by the one that is next to it or above it.

wx knows no such thing as the label of a field; people go by where it is.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import Any

from ...model.node import Rect

Fields = dict[str, Any]
_NEAR = 40
"""How far above a field its label may be."""


class Names:
    """The labels and fields in one window."""

    def __init__(self) -> None:
        self._labels: list[Fields] = []
        self._fields: list[tuple[Fields, Fields | None]] = []
        self._last: Fields | None = None

    def label(self, fields: Fields) -> None:
        """A text, in the order of the windows."""
        if fields.get("name"):
            self._labels.append(fields)
            self._last = fields

    def field(self, fields: Fields) -> None:
        """Something that has no caption of its own."""
        last, self._last = self._last, None
        if "name" not in fields:
            self._fields.append((fields, last))

    def apply(self) -> None:
        """Name the fields."""
        if not self._fields or not self._labels:
            self._by_tips()
            return
        rest = []
        used = set()
        for fields, before in self._fields:
            if before is not None and _beside(before["bounds"], fields["bounds"]):
                _call(fields, before)
                used.add(id(before))
            else:
                rest.append(fields)
        # A label that stands right before a field belongs to that one alone.
        self._labels = [label for label in self._labels if id(label) not in used]
        if rest and self._labels:
            self._by_place(rest)
        self._by_tips()

    def _by_place(self, fields: list[Fields]) -> None:
        """Name the others by the labels that are left, each found by its row or column."""
        rows = sorted((_middle(label["bounds"]), at) for at, label in enumerate(self._labels))
        columns: dict[float, list[tuple[float, int]]] = {}
        for at, label in enumerate(self._labels):
            columns.setdefault(label["bounds"].x, []).append((label["bounds"].y, at))
        for column in columns.values():
            column.sort()
        for field in fields:
            found = self._left(rows, field["bounds"]) or self._above(columns, field["bounds"])
            if found is not None:
                _call(field, found)

    def _by_tips(self) -> None:
        for fields, _ in self._fields:
            if "name" not in fields and (tip := fields.get("tooltip") or fields.get("placeholder")):
                fields["name"] = tip

    def _left(self, rows: list[tuple[float, int]], place: Rect) -> Fields | None:
        """The nearest label to the left, in the same row."""
        best: Fields | None = None
        at = bisect_left(rows, (place.y, -1))
        while at < len(rows) and rows[at][0] <= place.y + place.height:
            label = self._labels[rows[at][1]]
            bounds = label["bounds"]
            if bounds.x + bounds.width <= place.x + 2 and (
                best is None or bounds.x + bounds.width > best["bounds"].x + best["bounds"].width
            ):
                best = label
            at += 1
        return best

    def _above(self, columns: dict[float, list[tuple[float, int]]], place: Rect) -> Fields | None:
        """The label right above, where both begin."""
        best: Fields | None = None
        for x in range(int(place.x) - 2, int(place.x) + 3):
            column = columns.get(x, [])
            at = bisect_left(column, (place.y, -1)) - 1
            if at >= 0:
                label = self._labels[column[at][1]]
                bounds = label["bounds"]
                gap = place.y - bounds.y - bounds.height
                if -4 <= gap < _NEAR and (best is None or bounds.y > best["bounds"].y):
                    best = label
        return best


def _beside(label: Rect, field: Rect) -> bool:
    """Whether a label is to the left of a field or right above it."""
    if label.x + label.width <= field.x + 2:
        return label.y < field.y + field.height and label.y + label.height > field.y
    return label.y + label.height <= field.y + 4 and field.y - label.y - label.height < _NEAR


def _middle(bounds: Rect) -> float:
    return bounds.y + bounds.height / 2


def _call(field: Fields, label: Fields) -> None:
    """Call a field by a label."""
    text: str = label["name"]
    field["name"] = field["labelled_by"] = text.rstrip().removesuffix(":").rstrip()
