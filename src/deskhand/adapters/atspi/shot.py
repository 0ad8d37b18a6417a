"""Pictures of the screen as PNG."""

from __future__ import annotations

import struct
import zlib
from contextlib import suppress
from importlib import import_module
from typing import Any

from ...model.errors import ScreenshotFailed
from ...model.node import Image, Rect
from .display import Display

_fast: Any = zlib
with suppress(ImportError):
    # Fallback: without it the standard library compresses as well, and takes twenty times as long.
    _fast = import_module("isal.isal_zlib")


def picture(display: Display | None, bounds: Rect | None, *, whole: bool = False) -> Image:
    """A picture of a part of the screen; of all of it if `whole` and there are no bounds."""
    if display is None:
        raise ScreenshotFailed("a picture needs an X11 display, and there is none")
    if bounds is None:
        if not whole:
            raise ScreenshotFailed(
                "the element is not on the screen", suggestions=("scroll it into view first",)
            )
        bounds = Rect(0, 0, display.width, display.height)
    screen = Rect(0, 0, display.width, display.height)
    part = Rect(*(round(number) for number in bounds)).intersection(screen)
    if part is None:
        raise ScreenshotFailed(f"the element is outside the screen of {display.width}x{display.height}")
    x, y, width, height = (int(number) for number in part)
    pixels = display.pixels(x, y, width, height)
    if len(pixels) != width * height * 4:
        raise ScreenshotFailed(f"wanted {width}x{height} pixels; the display sent {len(pixels)} bytes")
    return Image(png(width, height, pixels), width, height)


def png(width: int, height: int, pixels: bytes | memoryview) -> bytes:
    """A PNG of pixels that are blue, green, red and one unused byte each."""
    data = bytes(pixels)
    colours = bytearray(width * height * 3)
    for channel in range(3):
        colours[channel::3] = data[2 - channel :: 4]
    line = 3 * width
    # Each line begins with the number of its filter; 0 is none.
    lines = b"".join([b"\0" + colours[start : start + line] for start in range(0, len(colours), line)])
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", _fast.compress(lines, 1)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )
