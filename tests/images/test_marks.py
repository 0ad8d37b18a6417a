"""Numbers on screenshots."""

from __future__ import annotations

import io

from PIL import Image

from deskhand.images.marks import draw
from deskhand.model.node import Rect
from deskhand.protocols.mcp.shots import Mark


def test_each_rectangle_is_outlined_and_numbered_and_the_rest_is_unchanged() -> None:
    blank = io.BytesIO()
    Image.new("RGB", (200, 100), "white").save(blank, "PNG")

    drawn = Image.open(
        io.BytesIO(draw(blank.getvalue(), [Mark(1, Rect(50, 40, 60, 20)), Mark(12, Rect(0, 0, 20, 10))]))
    )

    assert drawn.size == (200, 100)
    outline = drawn.getpixel((80, 40))
    assert outline == drawn.getpixel((50, 50)) != (255, 255, 255)
    assert drawn.getpixel((80, 50)) == drawn.getpixel((150, 80)) == (255, 255, 255)
    assert drawn.getpixel((51, 37)) == outline, "the number is above it, on a ground of the same colour"
