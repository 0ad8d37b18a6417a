"""What a JavaFX program believes of its windows, for comparing that with the display."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ...model.node import Rect
from ..placement import Belief, Believed, Managed

_NOWHERE = Rect(0, 0, 0, 0)


def belief(stages: Sequence[dict[str, Any]], managed: Sequence[Managed]) -> Belief:
    """The stages that the agent reports, each with the window of the display that it is.

    JavaFX does not say which that is. Both lists are in the order in which the windows were opened, so
    of those with one title the first is the first. A window without a stage is one that JavaFX closed.
    """
    left = list(managed)
    believed = [window for stage in stages for window in _believed(stage, _take(left, stage["title"] or ""))]
    believed += [Believed(window.id, False, _NOWHERE, focused=False) for window in left]
    return Belief(believed)


def _take(left: list[Managed], title: str) -> Managed | None:
    for window in left:
        if window.title == title:
            left.remove(window)
            return window
    return None


def _believed(stage: dict[str, Any], window: Managed | None) -> list[Believed]:
    """A stage by its own bounds and by its scene's: a resize yet to be asked for is in one of them."""
    number, frame = (0, (0, 0, 0, 0)) if window is None else (window.id, window.frame)
    tolerance = 0 if stage["scale"] == 1 else math.ceil(stage["scale"])
    areas = [_area(stage["bounds"], frame)]
    if stage["content"] is not None:
        areas.append(_area(stage["content"], (0, 0, 0, 0)))
    return [Believed(number, stage["shown"], area, stage["focused"], tolerance) for area in areas]


def _area(bounds: Sequence[float | None], frame: tuple[int, int, int, int]) -> Rect:
    """What is inside a frame; JavaFX has no numbers for a window that was not placed yet."""
    x, y, width, height = (-1 if number is None else number for number in bounds)
    before, after, above, below = frame
    return Rect(
        round(x + before), round(y + above), round(width - before - after), round(height - above - below)
    )
