"""What a field is called: by the text just before it, or by the one that stands beside or above it.

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
        rows: list[tuple[float, int]] | None = None
        columns: dict[float, list[Fields]] = {}
        for fields, before in self._fields:
            if before is not None and _beside(before["bounds"], fields["bounds"]):
                fields["name"] = _said(before)
                continue
            if rows is None:
                rows = sorted((_middle(label["bounds"]), at) for at, label in enumerate(self._labels))
                for label in self._labels:
                    columns.setdefault(label["bounds"].x, []).append(label)
            found = self._left(rows, fields["bounds"]) or _above(columns, fields["bounds"])
            if found is not None:
                fields["name"] = _said(found)
        self._by_tips()

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


def _beside(label: Rect, field: Rect) -> bool:
    """Whether a label is to the left of a field or right above it."""
    if label.x + label.width <= field.x + 2:
        return label.y < field.y + field.height and label.y + label.height > field.y
    return label.y + label.height <= field.y + 4 and field.y - label.y - label.height < _NEAR


def _above(columns: dict[float, list[Fields]], place: Rect) -> Fields | None:
    """The label right above, where both begin."""
    best: Fields | None = None
    for x in (place.x, place.x - 1, place.x + 1, place.x - 2, place.x + 2):
        for label in columns.get(x, ()):
            bounds = label["bounds"]
            gap = place.y - bounds.y - bounds.height
            if -4 <= gap < _NEAR and (best is None or bounds.y > best["bounds"].y):
                best = label
    return best


def _middle(bounds: Rect) -> float:
    return bounds.y + bounds.height / 2


def _said(label: Fields) -> str:
    text: str = label["name"]
    return text.rstrip().removesuffix(":").rstrip()
