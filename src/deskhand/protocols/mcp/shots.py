"""Screenshots as results have them: the part that is cut out, its marks, and its position on the screen."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ...model.errors import ActionUnsupported, InvalidParams, Stale
from ...model.node import Image, Node, Rect
from .node import is_interactive, summary_of
from .scene import Scene

_KEPT = 50
"""How many screenshots are remembered."""
_MARKS = 200
"""How many nodes of a screenshot get a number."""

Box = tuple[int, int, int, int]
"""Left, top, width and height in pixels."""
Cut = Callable[[bytes, Box, float], bytes]
"""Cuts a part out of a PNG, and enlarges or reduces it."""


class Mark(NamedTuple):
    """A number to be drawn on a screenshot, around a rectangle in its pixels."""

    number: int
    rect: Rect


Draw = Callable[[bytes, Sequence[Mark]], bytes]
"""Draws numbers on a PNG."""


class Frame(NamedTuple):
    """What an image shows: a rectangle on the screen; and the node whose bounds that was, if it was one."""

    rect: Rect
    node: str | None = None
    bounds: Rect | None = None


@dataclass(frozen=True)
class Shot:
    """A screenshot that was taken of an app."""

    name: str
    app: int
    frame: Frame
    width: int
    height: int

    @property
    def scale(self) -> float:
        """Pixels for each unit of the screen's coordinates."""
        return self.width / self.frame.rect.width

    def on_screen(self, x: float, y: float) -> tuple[float, float]:
        """The point on the screen that a pixel shows."""
        for name, value, size in (("x", x, self.width), ("y", y, self.height)):
            if not 0 <= value < size:
                raise InvalidParams(
                    f"'{name}' is {value:g}, and screenshot {self.name} is {self.width}x{self.height} pixels",
                    field=name,
                )
        return self.frame.rect.x + x / self.scale, self.frame.rect.y + y / self.scale


class Shots:
    """The screenshots that were taken lately. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._count = 0
        self._shots: OrderedDict[str, Shot] = OrderedDict()

    def add(self, app: int, frame: Frame, image: Image) -> Shot:
        with self._lock:
            self._count += 1
            shot = Shot(f"s{self._count}", app, frame, image.width, image.height)
            self._shots[shot.name] = shot
            while len(self._shots) > _KEPT:
                self._shots.popitem(last=False)
        return shot

    def get(self, name: str, app: int, bounds_of: Callable[[str], Rect | None]) -> Shot:
        """A screenshot of an app by its name; Stale if what it shows has moved or is gone since."""
        with self._lock:
            shot = self._shots.get(name)
        if shot is None or shot.app != app:
            what = "is of another app" if shot is not None else "is not known"
            raise InvalidParams(
                f"screenshot '{name[:40]}' {what}", field="screenshot", suggestions=("take another",)
            )
        if shot.frame.node is not None and (now := bounds_of(shot.frame.node)) != shot.frame.bounds:
            what = "is gone" if now is None else "has moved or changed its size"
            raise Stale(
                f"what screenshot {name} shows {what} since", suggestions=("take another screenshot",)
            )
        return shot


def cut_out(image: Image, frame: Frame, wanted: Mapping[str, Any], cut: Cut | None) -> tuple[Image, Frame]:
    """The image as it is wanted: the `region` of it, a rectangle on the screen, at the `scale`."""
    region, scale = wanted.get("region"), wanted.get("scale", 1.0)
    if region is None and scale == 1.0:
        return image, frame
    if cut is None:
        raise ActionUnsupported("a region or a scale needs Pillow", suggestions=("pip install Pillow",))
    per_unit = image.width / frame.rect.width
    shown = frame.rect
    if region is not None:
        asked = Rect(region["x"], region["y"], region["width"], region["height"])
        inside = asked.intersection(frame.rect)
        if inside is None:
            whole = f"{shown.x:g}, {shown.y:g}, {shown.width:g} x {shown.height:g}"
            raise InvalidParams(f"nothing of the region is in what is shown: {whole}", field="region")
        shown = inside
    left, top = round((shown.x - frame.rect.x) * per_unit), round((shown.y - frame.rect.y) * per_unit)
    width = max(1, min(round(shown.width * per_unit), image.width - left))
    height = max(1, min(round(shown.height * per_unit), image.height - top))
    size = max(1, round(width * scale)), max(1, round(height * scale))
    png = cut(image.png, (left, top, width, height), scale)
    # Of whole pixels, so that each leads back to where it is on the screen.
    rect = Rect(
        frame.rect.x + left / per_unit, frame.rect.y + top / per_unit, width / per_unit, height / per_unit
    )
    return Image(png, *size, image.scale * scale), frame._replace(rect=rect)


def marked(
    image: Image,
    nodes: Sequence[Node],
    frame: Rect | None,
    scene: Scene,
    output: dict[str, Any],
    draw: Draw | None,
) -> Image:
    """The image with a number on each node that can be operated; the list of them is in the output.

    `frame` is what the image shows.
    """
    output["marks"] = []
    if frame is None or not frame.width:
        return image
    scale = image.width / frame.width
    drawn: list[Mark] = []
    unmarked = 0
    for node in nodes:
        if not is_interactive(node) or not node.visible or node.offscreen:
            continue
        seen = None if node.bounds is None else node.bounds.intersection(frame)
        if seen is None:
            continue
        if len(drawn) >= _MARKS:
            unmarked += 1
            continue
        rect = seen.relative_to(frame)
        scaled = Rect(rect.x * scale, rect.y * scale, rect.width * scale, rect.height * scale)
        drawn.append(Mark(len(drawn) + 1, scaled))
        output["marks"].append({"mark": len(drawn), "ref": scene.ref(node), "summary": summary_of(node)})
    if unmarked:
        how = "a screenshot of a part of the window, by its ref or region, has the marks of that"
        output["leftOut"] = {"marks": unmarked, "how": how}
    if draw is None:
        output["marksDrawn"] = False
        return image
    return Image(draw(image.png, drawn), image.width, image.height, image.scale)


def shown_part(image: Image, bounds: Rect, window: Rect | None) -> Rect | None:
    """What of the screen an image of a node shows: its bounds, or as much of them as is in the window."""
    inside = None if window is None else bounds.intersection(window)
    for rect in (bounds, inside):
        if rect is None or rect.width < 1 or rect.height < 1:
            continue
        across, down = image.width / rect.width, image.height / rect.height
        # Both are of whole pixels, so they need not be quite the same.
        if abs(image.width - rect.width * down) <= 2 or abs(image.height - rect.height * across) <= 2:
            return rect
    return None


def region_on_screen(region: Mapping[str, float], shot: Shot) -> dict[str, float]:
    """On the screen, a region that was given in pixels of a screenshot."""
    x, y = shot.on_screen(region["x"], region["y"])
    return {"x": x, "y": y, "width": region["width"] / shot.scale, "height": region["height"] / shot.scale}
