"""What a field without a caption is called: by the label that belongs to it, or that stands beside it."""

from __future__ import annotations

from typing import Any

from ...model.node import Rect
from .binding import Binding
from .controls import plain, without_markup
from .place import Fields

_BAND = 32
"""Labels are looked up by bands of the screen of this height: no comparison of all with all."""
_FAR = 240
"""How far to the left of a field its label may end."""
_ABOVE = 24
"""How far above a field its label may end."""


class Beside:
    """Finds the labels of the fields in one window."""

    def __init__(self, binding: Binding) -> None:
        self._form = binding.QtWidgets.QFormLayout
        self._label = binding.QtWidgets.QLabel

    def name(self, labels: list[tuple[int, Fields]], fields: list[tuple[Any, int, Fields]]) -> None:
        """Give fields the names of labels; each comes with the id() of the widget it is in."""
        unnamed = [
            (native, parent, row)
            for native, parent, row in fields
            if not row.get("name") and not self._in_form(native, row)
        ]
        shown = [(parent, row) for _, parent, row in unnamed if row.get("visible", True)]
        if not shown:
            return
        parents = {parent for parent, _ in shown}
        bands: dict[tuple[int, int], list[tuple[bool, Fields]]] = {}
        used: set[str] = {row["labelled"] for _, _, row in fields if "labelled" in row}
        for _, _, row in fields:
            row.pop("labelled", None)
        for parent, row in labels:
            if parent in parents and row.get("visible", True) and row["uid"] not in used and "text" in row:
                _enter(bands, parent, True, row)
        for _, parent, row in fields:
            if parent in parents and row.get("visible", True):
                _enter(bands, parent, False, row)
        left_over = []
        for parent, row in shown:
            found = _to_the_left(bands, parent, row)
            if found is None:
                left_over.append((parent, row))
            else:
                row["name"] = _caption(found["text"])
                used.add(found["uid"])
        for parent, row in left_over:
            found = _above(bands, parent, row, used)
            if found is not None:
                row["name"] = _caption(found["text"])
                used.add(found["uid"])

    def _in_form(self, native: Any, row: Fields) -> bool:
        """Whether a form layout says what the label is; that is known before anything is shown."""
        above = native.parentWidget()
        layout = above.layout() if above is not None else None
        label = layout.labelForField(native) if isinstance(layout, self._form) else None
        if not isinstance(label, self._label) or not label.text():
            return False
        text = label.text()
        row["name"] = _caption(plain(without_markup(text) if "<" in text else text))
        return True


def _caption(text: str) -> str:
    return text.strip().rstrip(":：").rstrip() or text


def caption(text: str) -> str:
    """The text of a label as the name of its field: without the colon."""
    return _caption(text)


def _enter(
    bands: dict[tuple[int, int], list[tuple[bool, Fields]]], parent: int, is_label: bool, row: Fields
) -> None:
    bounds: Rect = row["bounds"]
    for band in _bands(bounds.y, bounds.y + bounds.height):
        bands.setdefault((parent, band), []).append((is_label, row))


def _bands(top: float, bottom: float) -> range:
    return range(int(top) // _BAND, min(int(bottom) // _BAND, int(top) // _BAND + 20) + 1)


def _to_the_left(
    bands: dict[tuple[int, int], list[tuple[bool, Fields]]], parent: int, row: Fields
) -> Fields | None:
    """The label that is next to the left, with no other field in between."""
    bounds: Rect = row["bounds"]
    best: tuple[float, bool, Fields] | None = None
    for band in _bands(bounds.y, bounds.y + bounds.height):
        for is_label, other in bands.get((parent, band), ()):
            there: Rect = other["bounds"]
            end = there.x + there.width
            shared = min(bounds.y + bounds.height, there.y + there.height) - max(bounds.y, there.y)
            if end > bounds.x + 2 or bounds.x - end > _FAR or shared < min(bounds.height, there.height) / 2:
                continue
            if best is None or end > best[0]:
                best = (end, is_label, other)
    return best[2] if best is not None and best[1] else None


def _above(
    bands: dict[tuple[int, int], list[tuple[bool, Fields]]], parent: int, row: Fields, used: set[str]
) -> Fields | None:
    """The label right above that begins where the field does."""
    bounds: Rect = row["bounds"]
    best: tuple[float, Fields] | None = None
    for band in _bands(bounds.y - _ABOVE, bounds.y):
        for is_label, other in bands.get((parent, band), ()):
            there: Rect = other["bounds"]
            gap = bounds.y - there.y - there.height
            if (
                not is_label
                or other["uid"] in used
                or not -2 <= gap <= _ABOVE
                or abs(there.x - bounds.x) > 20
            ):
                continue
            if best is None or gap < best[0]:
                best = (gap, other)
    return best[1] if best is not None else None
