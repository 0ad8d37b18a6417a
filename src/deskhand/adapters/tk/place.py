"""Where a node is: what those below it need to know of it."""

from __future__ import annotations

from typing import Any

from ...model.node import Node, Rect

Fields = dict[str, Any]
EVERYWHERE = (-(10**9), -(10**9), 10**9, 10**9)
_new = tuple.__new__


class Place:
    """A node that others are put below, on the screen and in the tree."""

    __slots__ = (
        "bottom", "count", "embedded", "enabled", "fields", "hides", "last", "left", "more", "named", "out",
        "outer", "right", "titles", "top", "uid", "visible", "x", "y",
    )  # fmt: skip

    def __init__(
        self,
        fields: Fields,
        out: list[Node],
        origin: tuple[int, int],
        clip: tuple[int, int, int, int] = EVERYWHERE,
    ) -> None:
        self.fields = fields
        self.out = out
        self.uid: str = fields["uid"]
        self.x, self.y = origin
        self.left, self.top, self.right, self.bottom = clip
        self.visible: bool = fields.get("visible", True)
        self.enabled: bool = fields.get("enabled", True)
        self.hides = False
        """Whether what is below is an inner part of a control, or of a window that is not shown."""
        self.outer: Place | None = None
        """The control that an inner part belongs to."""
        self.count = 0
        """How many were put below it."""
        self.more = 0
        """How many further ones there are, which were not read."""
        self.last: Fields = fields
        self.titles: dict[str, str] = {}
        """What pages are called, by their paths."""
        self.embedded: dict[str, list[int]] = {}
        """Where widgets are in a canvas that shows them, by their paths."""
        self.named: tuple[list[Fields], list[Fields], list[Fields], list[Fields]] | None = None
        """The fields, labels, other widgets and boxes below, for names."""

    def put(self, fields: Fields, bounds: tuple[int, int, int, int] | None) -> None:
        """A node below that is not a widget, at its bounds on the screen; None if it is not shown."""
        fields["parent"] = self.uid
        fields["backend"] = "tk"
        if not self.visible:
            fields["visible"] = False
        if bounds is None:
            # It is not on the screen, and can be scrolled to or opened.
            if self.visible:
                fields["offscreen"] = True
        else:
            x, y, width, height = bounds
            fields["bounds"] = _new(Rect, bounds)
            if self.visible and (
                x >= self.right or y >= self.bottom or x + width <= self.left or y + height <= self.top
            ):
                fields["offscreen"] = True
        if not self.enabled:
            fields["enabled"] = False
        self.count += 1
        self.last = fields
        self.out.append(Node.of(fields))

    def inside(self, fields: Fields) -> Place:
        """The place of what was put below, for what is in it in turn."""
        place = Place(fields, self.out, (self.x, self.y), (self.left, self.top, self.right, self.bottom))
        place.visible, place.enabled = self.visible, self.enabled
        return place
