"""Where a node lies: what those below it need to know of it."""

from __future__ import annotations

from typing import Any

from ...model.node import Node, Rect

Fields = dict[str, Any]
Clip = tuple[int, int, int, int]
"""Left, top, right and bottom of what can be seen at all."""
EVERYWHERE: Clip = (-(10**9), -(10**9), 10**9, 10**9)
_new = tuple.__new__


class Place:
    """A node that others can be put below, on the screen and in the tree."""

    __slots__ = (
        "bottom",
        "count",
        "enabled",
        "fields",
        "left",
        "level",
        "right",
        "top",
        "uid",
        "visible",
        "x",
        "y",
    )

    def __init__(
        self, fields: Fields, origin: tuple[int, int], clip: Clip = EVERYWHERE, level: int = 0
    ) -> None:
        self.fields = fields
        self.uid: str | None = fields.get("uid")
        self.x, self.y = origin
        self.left, self.top, self.right, self.bottom = clip
        self.visible: bool = fields.get("visible", True)
        self.enabled: bool = fields.get("enabled", True)
        self.level = level
        self.count = 0
        """How many were put below it."""

    def put(self, fields: Fields, bounds: tuple[int, int, int, int] | None) -> Node:
        """A node below that is not a window, at its bounds on the screen; None if it is not there now."""
        fields["parent"] = self.uid
        fields["backend"] = "wx"
        if not self.visible:
            fields["visible"] = False
        if bounds is None:
            # Nowhere on the screen, but to be reached.
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
        return Node.of(fields)

    def clipped(self, x: int, y: int, width: int, height: int) -> Clip:
        """What can be seen of a rectangle on the screen here."""
        return (
            x if x > self.left else self.left,
            y if y > self.top else self.top,
            x + width if x + width < self.right else self.right,
            y + height if y + height < self.bottom else self.bottom,
        )
