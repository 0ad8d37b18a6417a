"""Screenshots of the screen, so that what OpenGL and others draw is in them too."""

from __future__ import annotations

import wx

from ...images.png import to_png
from ...model.errors import ScreenshotFailed
from ...model.node import Image
from .gtk import gtk

Pixels = tuple[bytearray, int, int, float]
"""Blue, green, red and one unused byte for each pixel; width and height; pixels for each logical one."""


def grab(bounds: tuple[int, int, int, int], what: str) -> Pixels:
    """What is on the screen there. On the GUI thread."""
    x, y, width, height = bounds
    display = wx.Display(max(0, wx.Display.GetFromPoint((x + width // 2, y + height // 2)))).GetGeometry()
    screen = wx.ScreenDC()
    wide, high = screen.GetSize().Get()
    left, top = max(x, 0), max(y, 0)
    right, bottom = (
        min(x + width, max(wide, display.right + 1)),
        min(y + height, max(high, display.bottom + 1)),
    )
    if right <= left or bottom <= top:
        raise ScreenshotFailed(
            f"{what} is outside the screen of {wide}x{high}", suggestions=("move its window",)
        )
    if gtk is not None:
        gtk.look_at_screen_again()
    bitmap = wx.Bitmap(right - left, bottom - top, 24)
    memory = wx.MemoryDC(bitmap)
    done = memory.Blit(0, 0, right - left, bottom - top, screen, left, top)
    memory.SelectObject(wx.NullBitmap)
    if not done:
        raise ScreenshotFailed("wx could not copy from the screen")
    size = bitmap.GetSize()
    pixels = bytearray(4 * size.width * size.height)
    bitmap.CopyToBuffer(pixels, wx.BitmapBufferFormat_RGB32)
    return pixels, size.width, size.height, size.width / (right - left)


def encode(pixels: Pixels) -> Image:
    """The same as PNG. On any thread."""
    data, width, height, scale = pixels
    return Image(to_png(width, height, memoryview(data)), width, height, scale)
