"""Cuts and scales screenshots, and draws numbered boxes on them, by which a model says which one it means."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Protocol

_COLOURS = ("#d4003c", "#0057d9", "#007a33", "#8a00c2", "#b35900", "#00707a")
_SIZE = 13


class Numbered(Protocol):
    """What is to be drawn: a number, and a rectangle in pixels of the screenshot."""

    @property
    def number(self) -> int: ...

    @property
    def rect(self) -> tuple[float, float, float, float]: ...


def cut(png: bytes, box: tuple[int, int, int, int], scale: float) -> bytes:
    """A part of a screenshot (left, top, width, height), enlarged or reduced."""
    from PIL import Image  # large, and needed for this alone

    left, top, width, height = box
    with Image.open(io.BytesIO(png)) as opened:
        part = opened.convert("RGB").crop((left, top, left + width, top + height))
    if scale != 1:
        part = part.resize((max(1, round(width * scale)), max(1, round(height * scale))))
    out = io.BytesIO()
    part.save(out, "PNG", compress_level=1)
    return out.getvalue()


def draw(png: bytes, marks: Sequence[Numbered]) -> bytes:
    """The screenshot with each rectangle outlined, and its number at a corner."""
    from PIL import Image, ImageDraw, ImageFont  # large, and needed for this alone

    with Image.open(io.BytesIO(png)) as opened:
        image = opened.convert("RGB")
    pen = ImageDraw.Draw(image)
    font = ImageFont.load_default(_SIZE)
    for mark in marks:
        x, y, width, height = mark.rect
        colour = _COLOURS[mark.number % len(_COLOURS)]
        pen.rectangle((x, y, x + width - 1, y + height - 1), outline=colour, width=2)
        label = str(mark.number)
        box = pen.textbbox((0, 0), label, font=font)
        wide, high = box[2] - box[0] + 4, box[3] - box[1] + 4
        # Outside of the box where there is room, so that it hides nothing that the box is about.
        top = y - high if y >= high else y
        left = min(max(0.0, x), image.width - wide)
        pen.rectangle((left, top, left + wide, top + high), fill=colour)
        pen.text((left + 2 - box[0], top + 2 - box[1]), label, fill="white", font=font)
    out = io.BytesIO()
    image.save(out, "PNG", compress_level=1)
    return out.getvalue()
