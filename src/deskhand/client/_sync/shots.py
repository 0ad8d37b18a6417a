# Generated from client/_async/shots.py by scripts/generate_sync.py; edit that file instead.
"""Screenshots as expectations: taken until they are as stored, or until two in a row are the same."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ...images.compare import Box, Comparison, Pixels, compare, decode
from ...model.errors import InvalidParams, NotFound
from ...model.node import Image, Rect
from ...model.operations import Find, Get, ListWindows, Screenshot
from ..place import in_place, pause
from ..snapshots import baseline_file, stem, store
from .app import App
from .locator import COUNT_LIMIT, Locator

_PAUSE = 0.1
"""How long to wait between two screenshots, in seconds."""
_LEAST = 1.0
"""How long the first screenshot may take in any case, in seconds."""


@dataclass(frozen=True)
class Tolerance:
    """How much a screenshot may differ from the stored one."""

    threshold: float
    pixels: int | None
    ratio: float | None

    def check(self) -> None:
        if not 0 <= self.threshold <= 1:
            raise InvalidParams(f"'threshold' is from 0 to 1, not {self.threshold!r}", field="threshold")
        if self.pixels is not None and self.pixels < 0:
            raise InvalidParams("'max_diff_pixels' must be 0 or more", field="max_diff_pixels")
        if self.ratio is not None and not 0 <= self.ratio <= 1:
            raise InvalidParams("'max_diff_pixel_ratio' is from 0 to 1", field="max_diff_pixel_ratio")

    def allowed(self, total: int) -> int:
        """How many pixels may differ; the lower of two limits counts."""
        limits = [] if self.pixels is None else [self.pixels]
        limits += [] if self.ratio is None else [math.floor(self.ratio * total)]
        return min(limits, default=0)

    def same(self, comparison: Comparison) -> bool:
        return comparison.same_size and comparison.different <= self.allowed(comparison.total)


@dataclass(frozen=True)
class Taken:
    """The last screenshot that was taken, and how it compares with the stored one."""

    shot: Pixels
    settled: bool
    """Whether the one before was the same."""
    comparison: Comparison | None


class Shots:
    """Takes screenshots of an element or app, with some elements painted over."""

    def __init__(self, app: App, target: str | None, mask: Sequence[Locator], colour: str) -> None:
        self._app = app
        self._target = target
        self._mask = mask
        self._colour = colour

    def until(
        self, stored: Pixels | None, tolerance: Tolerance, same: bool, limit: float, rewrite: bool
    ) -> Taken:
        """Take screenshots until one is as stored, or differs if it should; else until the time is over.

        Without a stored one, or if that is to be written anew, it is enough that two in a row are the same.
        """
        deadline = time.monotonic() + limit
        taken: Taken | None = None
        while True:
            shot = self._take(max(deadline - time.monotonic(), _LEAST if taken is None else 0.0))
            settled = taken is not None and taken.shot == shot
            if taken is not None and settled:
                comparison = taken.comparison
            elif stored is not None:
                allowed = tolerance.allowed(stored.width * stored.height)
                comparison = in_place(compare, stored, shot, tolerance.threshold, allowed)
            else:
                comparison = None
            taken = Taken(shot, settled, comparison)
            as_wanted = comparison is not None and tolerance.same(comparison) is same
            if as_wanted or (settled and (stored is None or rewrite)) or time.monotonic() >= deadline:
                return taken
            pause(min(_PAUSE, max(0.0, deadline - time.monotonic())))

    def _take(self, timeout: float) -> Pixels:
        image = self._app.run(Screenshot(self._target, timeout=timeout))
        hidden = self._hidden(image) if self._mask else ()
        return in_place(decode, image.png, hidden, self._colour)

    def _hidden(self, image: Image) -> tuple[Box, ...]:
        """Where the masked elements are in the image."""
        frame = self._frame()
        boxes = []
        for locator in self._mask:
            for node in locator.app.run(Find(locator.selector, limit=COUNT_LIMIT)):
                if node.visible and node.bounds and (part := node.bounds.intersection(frame)):
                    boxes.append(_box(part.relative_to(frame), image.scale))
        return tuple(boxes)

    def _frame(self) -> Rect:
        """What the screenshot shows, on the screen."""
        if self._target is not None:
            bounds = (self._app.run(Get(self._target))).bounds
        else:
            windows = self._app.run(ListWindows())
            bounds = windows[0].bounds if windows else None
        if bounds is None:
            raise NotFound("the element has no position on the screen, so nothing in it can be masked")
        return bounds


def _box(rect: Rect, scale: float) -> Box:
    return (
        math.floor(rect.x * scale),
        math.floor(rect.y * scale),
        math.ceil((rect.x + rect.width) * scale),
        math.ceil((rect.y + rect.height) * scale),
    )


def load(name: str) -> tuple[Path, Pixels | None]:
    """The file of a stored screenshot, and the screenshot; None if there is no such file yet."""
    file = baseline_file(name)
    try:
        return file, decode(file.read_bytes())
    except FileNotFoundError:
        return file, None
    except OSError as error:  # Pillow raises one for what it cannot read
        raise InvalidParams(f"{file} is not a PNG that can be read: {error}", field="name") from None


def leave(name: str, expected: Pixels, taken: Taken, folder: Path) -> tuple[Path, ...]:
    """Write what was expected, what was seen and the difference; the files."""
    shown = {"expected": expected, "actual": taken.shot}
    if taken.comparison is not None and taken.comparison.marked is not None:
        shown["diff"] = taken.comparison.marked
    files = []
    for kind, pixels in shown.items():
        files.append(folder / f"{stem(name)}-{kind}.png")
        store(files[-1], pixels.png)
    return tuple(files)


def words(comparison: Comparison, allowed: int) -> str:
    """How much differs."""
    if not comparison.same_size:
        (width, height), (other_width, other_height) = comparison.sizes
        return f"it is {other_width} × {other_height} pixels, and {width} × {height} were expected"
    share = comparison.different / comparison.total
    return f"{comparison.different:,} pixels differ ({share:.2%}); {allowed:,} may"
