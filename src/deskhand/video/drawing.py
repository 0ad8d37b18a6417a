"""What is drawn onto the frames of a video: a line of text below the screen, and rings around clicks."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

STRIP = 32
"""How high the line below the screen is, in pixels."""
_SIZE = 16
_LEFT = 12
_BACKGROUND, _TEXT = (32, 32, 32), (255, 255, 255)
# Frames are blue, green, red: the ring is red.
_RING = (60, 20, 212)
_RADIUS, _DOT = 22, 4
_REACH = 24


@lru_cache(maxsize=8)
def strip(text: str, width: int) -> bytes:
    """The line with a text, as blue, green, red and an unused byte for each pixel."""
    from PIL import Image, ImageDraw, ImageFont  # large, and needed for this alone

    image = Image.new("RGBX", (width, STRIP), _BACKGROUND)
    font = ImageFont.load_default(_SIZE)
    shown = _fitting(text, width - 2 * _LEFT, font)
    ImageDraw.Draw(image).text((_LEFT, STRIP // 2), shown, fill=_TEXT, font=font, anchor="lm")
    return image.tobytes()


def ring(pixels: bytearray, width: int, height: int, x: int, y: int) -> None:
    """Draw a ring with a dot around a point, into the pixels of a screen."""
    from PIL import Image, ImageDraw  # as above

    left, top = max(0, x - _REACH), max(0, y - _REACH)
    right, bottom = min(width, x + _REACH + 1), min(height, y + _REACH + 1)
    if right <= left or bottom <= top:
        return
    rows = [slice((row * width + left) * 4, (row * width + right) * 4) for row in range(top, bottom)]
    size = right - left, bottom - top
    part = Image.frombytes("RGBX", size, b"".join(bytes(pixels[row]) for row in rows))
    pen = ImageDraw.Draw(part)
    x, y = x - left, y - top
    pen.ellipse((x - _RADIUS, y - _RADIUS, x + _RADIUS, y + _RADIUS), outline=_RING, width=3)
    pen.ellipse((x - _DOT, y - _DOT, x + _DOT, y + _DOT), fill=_RING)
    data, line = part.tobytes(), 4 * size[0]
    for number, row in enumerate(rows):
        pixels[row] = data[number * line : (number + 1) * line]


def _fitting(text: str, width: float, font: Any) -> str:
    """As much of a text as there is room for."""
    line = " ".join(text.split())
    if font.getlength(line) <= width:
        return line
    while line and font.getlength(f"{line}…") > width:
        line = line[:-1]
    return f"{line}…"
