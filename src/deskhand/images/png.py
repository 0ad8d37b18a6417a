"""PNG as fast as it can be made: pixels of a display or a toolkit become bytes that every program can open.

Runs inside apps, where no image library may be installed. What needs one is in `marks`.
"""

from __future__ import annotations

import contextlib
import struct
import zlib
from importlib import import_module
from typing import Any

from ..model.errors import ScreenshotFailed

_fast: Any = zlib
with contextlib.suppress(ImportError):
    # Fallback: without it the standard library compresses as well, and takes twenty times as long.
    _fast = import_module("isal.isal_zlib")


def to_png(width: int, height: int, pixels: bytes | memoryview) -> bytes:
    """A PNG of pixels that are blue, green, red and one unused byte each."""
    data = bytes(pixels)
    colours = bytearray(width * height * 3)
    for channel in range(3):
        colours[channel::3] = data[2 - channel :: 4]
    line = 3 * width
    # Each line begins with the number of its filter; 0 is none.
    lines = b"".join([b"\0" + colours[start : start + line] for start in range(0, len(colours), line)])
    return _png(width, height, lines)


def _png(width: int, height: int, lines: bytes) -> bytes:
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", _fast.compress(lines, 1)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )


def cut(screenshot: bytes, x: int, y: int, width: int, height: int) -> tuple[bytes, int, int]:
    """A part of a PNG that `to_png` made, as another one, and its size; as much of it as there is."""
    whole = int.from_bytes(screenshot[16:20], "big"), int.from_bytes(screenshot[20:24], "big")
    left, top = max(x, 0), max(y, 0)
    right, bottom = min(x + width, whole[0]), min(y + height, whole[1])
    if right <= left or bottom <= top:
        raise ScreenshotFailed("nothing of it is on the screenshot", suggestions=("scroll it into view",))
    size = int.from_bytes(screenshot[33:37], "big")
    lines = memoryview(zlib.decompress(screenshot[41 : 41 + size]))
    line = 1 + 3 * whole[0]
    parts = [lines[row * line + 1 + 3 * left : row * line + 1 + 3 * right] for row in range(top, bottom)]
    data = b"".join(b"\0" + bytes(part) for part in parts)
    return _png(right - left, bottom - top, data), right - left, bottom - top
