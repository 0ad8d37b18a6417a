"""Where a node lies: what those below it need to know of it."""

from __future__ import annotations

from typing import Any

from ...model.node import Node, Rect

Fields = dict[str, Any]
_new = tuple.__new__


class Place:
    """A node that others can be put below, on the screen and in the tree."""

    __slots__ = (
        "bottom", "count", "enabled", "fields", "inner", "key", "left", "level", "pages", "right", "top",
        "uid", "visible", "x", "y",
    )  # fmt: skip

    def __init__(
        self,
        fields: Fields,
        origin: tuple[float, float],
        clip: tuple[float, float, float, float],
        level: int = 0,
    ) -> None:
        self.fields = fields
        self.uid: str = fields["uid"]
        self.x, self.y = origin
        self.left, self.top, self.right, self.bottom = clip
        """What can be seen at all of those below."""
        self.visible: bool = fields.get("visible", True)
        self.enabled: bool = fields.get("enabled", True)
        self.level = level
        self.count = 0
        """How many are below that are not widgets."""
        self.inner = False
        """Whether what is below is an inner part of a control."""
        self.pages: Any = None
        """The tab widget that those below are pages of; as the registry knows it."""
        self.key: Any = None
        """All that the nodes below depend on."""

    def node(self, fields: Fields, x: float, y: float, width: float, height: float) -> Node:
        """A node below, at a place relative to this one."""
        fields["parent"] = self.uid
        fields["backend"] = "qt"
        x += self.x
        y += self.y
        fields["bounds"] = _new(Rect, (x, y, width, height))
        if not self.visible:
            fields["visible"] = False
        elif x >= self.right or y >= self.bottom or x + width <= self.left or y + height <= self.top:
            fields["offscreen"] = True
        if not self.enabled:
            fields["enabled"] = False
        self.count += 1
        return Node.of(fields)


def clipped(
    above: Place, x: float, y: float, width: float, height: float
) -> tuple[float, float, float, float]:
    """What is left of a rectangle on the screen inside what can be seen of the place above."""
    return (
        x if x > above.left else above.left,
        y if y > above.top else above.top,
        x + width if x + width < above.right else above.right,
        y + height if y + height < above.bottom else above.bottom,
    )
