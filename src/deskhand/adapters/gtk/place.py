"""Where a node is: what those below it need to know of it."""

from __future__ import annotations

from typing import Any

from ...model.node import Node
from .library import rect

Fields = dict[str, Any]
Area = tuple[int, int, int, int]
EVERYWHERE = (-(10**9), -(10**9), 10**9, 10**9)


class Place:
    """A node that others are put below, in the tree and on the screen."""

    __slots__ = (
        "bottom", "closed", "count", "enabled", "fields", "inner", "labels", "left", "level", "menu", "named",
        "others",
        "out", "right", "top", "uid", "visible", "window", "x", "y",
    )  # fmt: skip

    def __init__(
        self, fields: Fields, out: list[Node], window: int, origin: tuple[int, int], clip: Area
    ) -> None:
        self.fields = fields
        self.uid: str = fields["uid"]
        self.out = out
        self.window = window
        """The address of the window or popover that it is in."""
        self.x, self.y = origin
        """Where the content of that begins on the screen."""
        self.left, self.top, self.right, self.bottom = clip
        """What is outside of this is scrolled away."""
        self.visible: bool = fields.get("visible", True)
        self.enabled: bool = fields.get("enabled", True)
        self.closed = False
        """Whether it is in a menu that is not open."""
        self.menu = False
        """Whether it is in a menu, where entries are all that counts."""
        self.inner = False
        """Whether it is an inner part of a control."""
        self.level = 0
        self.count = 0
        """How many were put below it."""
        self.named: list[Fields] = []
        """The fields below that have no name of their own."""
        self.labels: list[Fields] = []
        self.others: list[Fields] = []

    def below(self, fields: Fields) -> Place:
        """The place of a node that was put below."""
        place = Place(
            fields, self.out, self.window, (self.x, self.y), (self.left, self.top, self.right, self.bottom)
        )
        place.closed, place.inner, place.menu = self.closed, self.inner, self.menu
        place.level = self.level + 1
        return place

    def clip(self, bounds: Area) -> None:
        """What is in this node is seen as far as it is within its bounds."""
        x, y, width, height = bounds
        self.left, self.top = max(self.left, x), max(self.top, y)
        self.right, self.bottom = min(self.right, x + width), min(self.bottom, y + height)

    def hides(self, x: float, y: float, width: float, height: float) -> bool:
        """Whether a rectangle is outside of what is seen here."""
        return x >= self.right or y >= self.bottom or x + width <= self.left or y + height <= self.top

    def part(self, fields: Fields, bounds: Area | None) -> None:
        """Put a node below that is not a widget, at its bounds on the screen; None if it is not shown."""
        fields["parent"] = self.uid
        fields["backend"] = "gtk"
        if not self.visible:
            fields["visible"] = False
        elif bounds is None:
            fields["offscreen"] = True
        else:
            fields["bounds"] = rect(bounds)
            if self.closed or self.hides(*bounds):
                fields["offscreen"] = True
        if not self.enabled:
            fields["enabled"] = False
        self.count += 1
        self.out.append(Node.of(fields))
