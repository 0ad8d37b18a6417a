"""The name of a field without a caption: that of the label next to it, or above."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..model.node import Rect

Fields = dict[str, Any]

_BAND = 32
"""Things are looked up by bands of the screen of this height: no comparison of all with all."""
_FAR = 240
"""How far to the left of a field its label may end."""
_ABOVE = 24
"""How far above a field its label may end."""

_COLONS = (":", "：")

_Bands = dict[int, list[tuple[bool, Fields]]]


def beside(
    fields: list[Fields],
    labels: list[Fields],
    others: list[Fields],
    boxes: Sequence[Fields] = (),
    *,
    centred: bool = False,
) -> dict[str, str]:
    """The names of fields from the labels next to them, by uid; all in one widget.

    `labels` are those that belong to no other field, and `others` what else stands there. `boxes` are check
    boxes without a caption: a label to their left must end with a colon, as it may belong to another box.
    With `centred`, a label above may also have its middle where the field has its own.
    """
    bands: _Bands = {}
    for row in labels:
        _enter(bands, True, row)
    for rows in (others, fields, boxes):
        for row in rows:
            _enter(bands, False, row)
    names: dict[str, str] = {}
    used: set[str] = set()
    rest = []
    for row in fields:
        found = _to_the_left(bands, row)
        if found is None:
            rest.append(row)
        else:
            names[row["uid"]] = caption(found["text"])
            used.add(found["uid"])
    for row in rest:
        found = _above(bands, row, used, centred)
        if found is not None:
            names[row["uid"]] = caption(found["text"])
            used.add(found["uid"])
    for row in boxes:
        found = _to_the_left(bands, row)
        if found is not None and found["text"].rstrip().endswith(_COLONS):
            names[row["uid"]] = caption(found["text"])
    return names


def caption(text: str) -> str:
    """The text of a label as the name of its field: without the colon."""
    return text.strip().rstrip("".join(_COLONS)).rstrip() or text


def _enter(bands: _Bands, is_label: bool, row: Fields) -> None:
    bounds: Rect = row["bounds"]
    for band in _bands(bounds.y, bounds.y + bounds.height):
        bands.setdefault(band, []).append((is_label, row))


def _bands(top: float, bottom: float) -> range:
    first = int(top) // _BAND
    return range(first, min(int(bottom) // _BAND, first + 20) + 1)


def _to_the_left(bands: _Bands, row: Fields) -> Fields | None:
    """The label that is next to the left, with nothing else in between."""
    bounds: Rect = row["bounds"]
    best: tuple[float, bool, Fields] | None = None
    for band in _bands(bounds.y, bounds.y + bounds.height):
        for is_label, other in bands.get(band, ()):
            there: Rect = other["bounds"]
            end = there.x + there.width
            shared = min(bounds.y + bounds.height, there.y + there.height) - max(bounds.y, there.y)
            if end > bounds.x + 2 or bounds.x - end > _FAR or shared < min(bounds.height, there.height) / 2:
                continue
            if best is None or end > best[0]:
                best = (end, is_label, other)
    return best[2] if best is not None and best[1] else None


def _above(bands: _Bands, row: Fields, used: set[str], centred: bool) -> Fields | None:
    """The label right above that begins where the field does, or is centred like it."""
    bounds: Rect = row["bounds"]
    best: tuple[float, Fields] | None = None
    for band in _bands(bounds.y - _ABOVE, bounds.y):
        for is_label, other in bands.get(band, ()):
            there: Rect = other["bounds"]
            gap = bounds.y - there.y - there.height
            apart = abs(there.x - bounds.x)
            if centred:
                apart = min(apart, abs(there.center[0] - bounds.center[0]))
            if not is_label or other["uid"] in used or not -2 <= gap <= _ABOVE or apart > 20:
                continue
            if best is None or gap < best[0]:
                best = (gap, other)
    return best[1] if best is not None else None
