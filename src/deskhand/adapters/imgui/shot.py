"""Screenshots of what was drawn, read back from OpenGL: of a whole window, or of the area of one element."""

from __future__ import annotations

import ctypes
import ctypes.util
import sys
from typing import Any

from ...images.png import to_png
from ...model.errors import ActionUnsupported, ScreenshotFailed
from ...model.node import Image
from ..performer import Steps
from .scene import Box
from .stage import Stage

_PACK_ALIGNMENT, _PACK_ROW_LENGTH, _BGRA, _BYTE = 0x0D05, 0x0D02, 0x80E1, 0x1401


def screenshot(stage: Stage, box: Box | None, timeout: float) -> Image:
    """A screenshot of the whole, or of a box in it; made into a PNG on this thread."""
    if stage.surface is None:
        raise ActionUnsupported("there are no pixels: Dear ImGui is drawn into no window here")
    taken = stage.play(lambda: _grab(stage, box), timeout)
    if taken is None:
        raise ScreenshotFailed("the program waits for its user in the midst of a frame")
    width, height, scale, pixels = taken
    return Image(to_png(width, height, pixels), width, height, scale)


def _grab(stage: Stage, box: Box | None) -> Steps[tuple[int, int, float, bytes]]:
    """What the next frame shows, before it is given to the screen."""
    assert stage.surface is not None
    io = stage.recorder.context.io
    scale = io.display_framebuffer_scale.y or 1.0
    across, down = io.display_size.x, io.display_size.y
    left, top, right, bottom = box or (0.0, 0.0, across, down)
    left, top = max(left, 0.0), max(top, 0.0)
    right, bottom = min(right, across), min(bottom, down)
    x, width = round(left * scale), round((right - left) * scale)
    y, height = round((down - bottom) * scale), round((bottom - top) * scale)
    if width <= 0 or height <= 0:
        raise ScreenshotFailed("there is nothing of it to be seen", suggestions=("scroll it into view",))
    taken: list[bytes] = []
    library = _library()
    stop = stage.surface.before_swap(lambda: taken.append(_read(library, x, y, width, height)))
    try:
        for _ in range(_FRAMES):
            yield
            if taken:
                return width, height, scale, _flipped(taken[0], width * 4)
    finally:
        stop()
    raise ScreenshotFailed("the program did not draw with OpenGL", suggestions=("let it draw with OpenGL",))


_FRAMES = 10
"""How many frames a screenshot may take."""


def _read(library: Any, x: int, y: int, width: int, height: int) -> bytes:
    alignment, length = ctypes.c_int(), ctypes.c_int()
    for name, value in ((_PACK_ALIGNMENT, alignment), (_PACK_ROW_LENGTH, length)):
        library.glGetIntegerv(name, ctypes.byref(value))
    pixels = ctypes.create_string_buffer(width * height * 4)
    library.glPixelStorei(_PACK_ALIGNMENT, 1)
    library.glPixelStorei(_PACK_ROW_LENGTH, 0)
    library.glReadPixels(x, y, width, height, _BGRA, _BYTE, pixels)
    library.glPixelStorei(_PACK_ALIGNMENT, alignment.value)
    library.glPixelStorei(_PACK_ROW_LENGTH, length.value)
    return pixels.raw


def _flipped(pixels: bytes, line: int) -> bytes:
    """OpenGL begins at the bottom, images at the top."""
    return b"".join(pixels[at : at + line] for at in range(len(pixels) - line, -1, -line))


_loaded: Any = None


def _library() -> Any:
    global _loaded
    if _loaded is None:
        name = {"darwin": "OpenGL", "win32": "opengl32"}.get(sys.platform)
        path = "libGL.so.1" if name is None else ctypes.util.find_library(name)
        try:
            _loaded = ctypes.CDLL(path or "")
        except OSError as error:
            raise ScreenshotFailed(f"OpenGL cannot be asked for a screenshot: {error}") from None
    return _loaded
