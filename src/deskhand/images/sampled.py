"""Colours of parts of a screenshot: which there are and how often, how they contrast, and where text is.

Contrast is that of WCAG 2: the ratio of two relative luminances, from 1 to 21.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from functools import lru_cache
from importlib import import_module
from itertools import groupby
from operator import itemgetter
from typing import Any

from ..model.errors import ActionUnsupported
from ..model.record import dataclass

Colour = tuple[int, int, int]
Box = tuple[int, int, int, int]
"""Left, top, right and bottom, in pixels."""


@dataclass(frozen=True)
class Drawn:
    """What stands out in a part of a screenshot."""

    height: int
    """How many rows the highest line of it has."""
    columns: int
    """How many columns of that line have something in them."""
    cut: bool
    """Whether it reaches the upper or lower edge, so that it may go on outside."""


class Sampled:
    """A decoded screenshot."""

    def __init__(self, png: bytes) -> None:
        self._image = _pillow().open(io.BytesIO(png)).convert("RGB")
        self.width: int = self._image.width
        self.height: int = self._image.height

    def part(self, box: Box) -> Sampled | None:
        """What is in a box; None if nothing is."""
        left, top = max(box[0], 0), max(box[1], 0)
        right, bottom = min(box[2], self.width), min(box[3], self.height)
        if right <= left or bottom <= top:
            return None
        part = object.__new__(Sampled)
        part._image = self._image.crop((left, top, right, bottom))
        part.width, part.height = right - left, bottom - top
        return part

    def colours(self) -> list[tuple[int, Colour]]:
        """Each colour with how many pixels have it, the most frequent first."""
        counted: list[tuple[int, Colour]] = self._image.getcolors(self.width * self.height)
        return sorted(counted, reverse=True)

    def same(self, other: Sampled) -> bool:
        """Whether every pixel is the same."""
        return bool(
            (self.width, self.height) == (other.width, other.height)
            and self._image.tobytes() == other._image.tobytes()
        )

    def drawn(self, behind: Colour, least: int) -> Drawn:
        """What differs from a colour by at least so much in one channel."""
        module = _pillow("ImageChops")
        plain = _pillow().new("RGB", (self.width, self.height), behind)
        apart = module.difference(self._image, plain)
        mask = apart.point([255 if value >= least else 0 for value in range(256)] * 3).convert("L")
        rows = [*map(bool, mask.getprojection()[1])]
        first, height = max(_runs(rows), key=itemgetter(1), default=(0, 0))
        line = mask.crop((0, first, self.width, first + height)) if height else None
        columns = 0 if line is None else sum(map(bool, line.getprojection()[0]))
        return Drawn(height, columns, cut=rows[0] or rows[-1])

    def png(self) -> bytes:
        out = io.BytesIO()
        self._image.save(out, "PNG")
        return out.getvalue()


@lru_cache(maxsize=4096)
def luminance(colour: Colour) -> float:
    """The relative luminance, from 0 for black to 1 for white."""
    linear = []
    for channel in colour:
        share = channel / 255
        linear.append(share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4)
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: Colour, second: Colour) -> float:
    """The ratio of two colours."""
    bright, dark = sorted((luminance(first), luminance(second)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def _runs(rows: list[bool]) -> Iterator[tuple[int, int]]:
    """Where each run of true values begins, and how long it is."""
    at = 0
    for value, group in groupby(rows):
        length = len(list(group))
        if value:
            yield at, length
        at += length


def _pillow(module: str = "Image") -> Any:
    try:
        return import_module(f"PIL.{module}")  # large, and needed for this alone
    except ImportError:
        raise ActionUnsupported(
            "sampling the colours of a screenshot needs Pillow, which is not installed",
            suggestions=("pip install 'deskhand[screenshots]'",),
        ) from None
