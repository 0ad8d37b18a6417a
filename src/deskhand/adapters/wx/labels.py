"""What a field is called: by the label next to it or above it, else by its tooltip or placeholder.

wx does not know which label belongs to which field; people go by where it is.
"""

from __future__ import annotations

from ..captions import Fields, beside


class Names:
    """The labels, the fields and all else in one window."""

    def __init__(self) -> None:
        self._labels: list[Fields] = []
        self._fields: list[Fields] = []
        self._others: list[Fields] = []

    def label(self, fields: Fields) -> None:
        """A text."""
        (self._labels if fields.get("name") and _is_there(fields) else self._others).append(fields)

    def field(self, fields: Fields) -> None:
        """Something that has no caption of its own."""
        (self._others if "name" in fields else self._fields).append(fields)

    def other(self, fields: Fields) -> None:
        """Anything else, which may be between a label and a field."""
        self._others.append(fields)

    def apply(self) -> None:
        """Name the fields."""
        if self._fields and self._labels:
            labels = [{**label, "text": label["name"]} for label in self._labels]
            others = [other for other in self._others if _is_there(other)]
            names = beside([field for field in self._fields if _is_there(field)], labels, others)
            for field in self._fields:
                if (name := names.get(field["uid"])) is not None:
                    field["name"] = field["labelled_by"] = name
        for field in self._fields:
            if "name" not in field and (tip := field.get("tooltip") or field.get("placeholder")):
                field["name"] = tip
                field["guessed"] = True


def _is_there(fields: Fields) -> bool:
    """Whether it takes up room in its window, which may be hidden as a whole."""
    shown = fields.get("visible", True) or fields.get("visible_self", False)
    bounds = fields.get("bounds")
    return bool(shown and bounds is not None and bounds.width > 0 and bounds.height > 0)
