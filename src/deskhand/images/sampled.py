"""Colours of parts of a screenshot: which there are and how often, how they contrast, and where text is.

Contrast is that of WCAG 2: the ratio of two relative luminances, from 1 to 21.
"""

from __future__ import annotations

import io
from functools import lru_cache
from typing import Any

from ..model.errors import ActionUnsupported

Colour = tuple[int, int, int]
Box = tuple[int, int, int, int]
"""Left, top, right and bottom, in pixels."""


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

    def rows_unlike(self, colour: Colour, least: int) -> list[bool]:
        """For each row, whether a pixel differs from a colour by at least so much in one channel."""
        data = self._image.tobytes()
        line = 3 * self.width
        plain = bytes(colour) * self.width
        found = []
        for start in range(0, len(data), line):
            row = data[start : start + line]
            found.append(
                row != plain and any(abs(value - colour[at % 3]) >= least for at, value in enumerate(row))
            )
        return found

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


def _pillow() -> Any:
    try:
        from PIL import Image  # large, and needed for this alone
    except ImportError:
        raise ActionUnsupported(
            "sampling the colours of a screenshot needs Pillow, which is not installed",
            suggestions=("pip install 'deskhand[screenshots]'",),
        ) from None
    return Image
