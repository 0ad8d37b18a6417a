"""Screenshots of a trace: each once, and only what differs from the one before.

The pixels of a display are compared without a copy, and only bands of rows that differ are copied. They are
compressed later: while no screenshots are taken, or at the end. What is discarded is never compressed.
"""

from __future__ import annotations

import ctypes
import struct
import threading
import time
import zlib
from collections import deque
from typing import TYPE_CHECKING, Any

from ..images.png import to_png
from ..model.record import dataclass

if TYPE_CHECKING:
    from .store import Store

_WAITING = 32_000_000
"""How many bytes may wait to be compressed."""
_QUIET = 0.1
"""After how many seconds without a new screenshot those that wait are compressed."""
_CHAIN = 100
"""After how many partial screenshots a complete one is stored."""
_ROWS = 16
"""How many rows are compared at once."""
_BLOCK = 32
"""How exactly the changed columns are found, in pixels."""
_GAP = 16
"""How many unchanged rows are between two parts."""
_MOST_PARTS = 8

_memcmp = ctypes.CDLL(None).memcmp
_memcmp.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
_memcmp.restype = ctypes.c_int

Part = tuple[int, int, int, int]
"""Left, top, width and height, in pixels."""


@dataclass(frozen=True)
class Shot:
    """A screenshot: pixels (blue, green, red and an unused byte each), or a PNG.

    The pixels may be memory that the next screenshot overwrites.
    """

    width: int
    height: int
    pixels: bytes | bytearray | memoryview | None = None
    png: bytes | None = None
    x: float = 0.0
    """The position of its left edge on the screen, in logical pixels."""
    y: float = 0.0
    scale: float = 1.0
    """How many of its pixels are one logical pixel."""

    @property
    def frame(self) -> tuple[float, ...]:
        """What must be the same for one to be stored as a part of the other."""
        return self.width, self.height, self.x, self.y, self.scale


@dataclass(frozen=True)
class _Kept:
    """The newest frame of an app."""

    number: int
    frame: tuple[float, ...]
    pixels: bytearray | None = None
    png: bytes | None = None
    partial: int = 0
    """How many partial frames were stored since the last complete one."""


class Frames:
    """Numbers and stores the screenshots of a trace."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.RLock()
        self._changed = threading.Condition(self._lock)
        self._kept: dict[int, _Kept] = {}
        """The newest frame of each app."""
        self._count = 0
        self._waiting: deque[tuple[dict[str, Any], list[Part], bytes]] = deque()
        self._size = 0
        """How many bytes wait."""
        self._newest = 0.0
        self._idle = self._ending = False
        self._thread: threading.Thread | None = None

    def add(self, app: int, shot: Shot) -> int | None:
        """The number of an app's screenshot, which is that of its last one if both look the same."""
        with self._lock:
            if self._store.full:
                return None
            last = self._kept.get(app)
            if shot.pixels is None:
                assert shot.png is not None, "a screenshot is pixels or a PNG"
                if last is not None and last.png == shot.png and last.frame == shot.frame:
                    return last.number
                return self._whole(app, shot, shot.png)
            if last is None or last.pixels is None or last.frame != shot.frame:
                return self._whole(app, shot)
            parts = changed_parts(last.pixels, shot.pixels, shot.width, shot.height)
            if not parts:
                return last.number
            area = sum(width * height for _, _, width, height in parts)
            if last.partial >= _CHAIN or area * 2 > shot.width * shot.height:
                return self._whole(app, shot)
            return self._partly(app, shot, last, last.pixels, parts)

    def close(self, *, discard: bool = False) -> None:
        """Wait until all are stored, or drop those that wait."""
        with self._lock:
            thread, self._thread = self._thread, None
            self._kept.clear()
            if discard:
                self._waiting.clear()
            self._ending = True
            self._changed.notify_all()
        if thread is not None:
            thread.join()

    def _whole(self, app: int, shot: Shot, png: bytes | None = None) -> int:
        pixels = None if shot.pixels is None else bytearray(shot.pixels)
        number = self._next(shot, {}, [(0, 0, shot.width, shot.height)], png or bytes(pixels or b""))
        self._kept[app] = _Kept(number, shot.frame, pixels, png)
        return number

    def _partly(self, app: int, shot: Shot, last: _Kept, kept: bytearray, parts: list[Part]) -> int:
        pixels = shot.pixels
        assert pixels is not None, "it was compared"
        # All of one width, so that they can be in one image, below each other.
        width = max(part[2] for part in parts)
        wide = [(min(left, shot.width - width), top, width, height) for left, top, _, height in parts]
        rows = []
        for left, top, _, height in wide:
            for row in range(top, top + height):
                start = (row * shot.width + left) * 4
                rows.append(bytes(pixels[start : start + width * 4]))
                kept[start : start + width * 4] = rows[-1]
        number = self._next(shot, {"base": last.number}, wide, b"".join(rows))
        self._kept[app] = _Kept(number, shot.frame, kept, partial=last.partial + 1)
        return number

    def _next(self, shot: Shot, about: dict[str, Any], parts: list[Part], data: bytes) -> int:
        self._count += 1
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="deskhand-trace", daemon=True)
            self._thread.start()
        size = {name: getattr(shot, name) for name in ("width", "height", "x", "y", "scale")}
        self._waiting.append(({"frame": self._count, **size, **about}, parts, data))
        self._size += len(data)
        self._newest = time.monotonic()
        if self._idle or self._size > _WAITING:
            self._changed.notify_all()
        # As many bytes again may wait while those before them are compressed.
        self._changed.wait_for(lambda: self._size <= 2 * _WAITING or self._ending)
        return self._count

    def _work(self) -> None:
        while True:
            with self._lock:
                self._await_quiet()
                if not self._waiting:
                    return
                about, parts, data = self._waiting.popleft()
                self._size -= len(data)
                self._changed.notify_all()
            png = data
            if not data.startswith(b"\x89PNG"):
                png = to_png(parts[0][2], sum(height for _, _, _, height in parts), data)
            if (name := self._store.keep(png, ".png")) is not None:
                strips = [[left, top, height] for left, top, _, height in parts]
                self._store.write("frame", png=name, strips=strips, **about)

    def _await_quiet(self) -> None:
        """Wait until something can be compressed without delaying what is traced."""
        while not self._ending and self._size <= _WAITING:
            if not self._waiting:
                self._idle = True
                self._changed.wait()
                self._idle = False
            elif (left := self._newest + _QUIET - time.monotonic()) > 0:
                self._changed.wait(left)
            else:
                return


def changed_parts(
    before: bytearray, after: bytes | bytearray | memoryview, width: int, height: int
) -> list[Part]:
    """The parts of two screens of one size that differ, from top to bottom."""
    if isinstance(after, bytes):
        after = bytearray(after)
    old = ctypes.addressof(ctypes.c_char.from_buffer(before))
    new = ctypes.addressof(ctypes.c_char.from_buffer(after))
    line = width * 4
    rows: list[int] = []
    for top in range(0, height, _ROWS):
        count = min(_ROWS, height - top)
        if _memcmp(old + top * line, new + top * line, count * line):
            rows += [
                row for row in range(top, top + count) if _memcmp(old + row * line, new + row * line, line)
            ]

    def differs(row: int, begin: int, end: int) -> bool:
        at = row * line + begin * 4
        return end > begin and _memcmp(old + at, new + at, (end - begin) * 4) != 0

    parts = []
    for first, last in _bands(rows):
        left, right = width, 0
        for row in range(first, last + 1):
            # Most rows of a part add nothing to it, and one comparison on each side shows that.
            if differs(row, 0, left):
                left = next(at for at in range(0, left, _BLOCK) if differs(row, at, min(at + _BLOCK, left)))
            if differs(row, right, width):
                right = next(
                    at for at in range(width, right, -_BLOCK) if differs(row, max(at - _BLOCK, right), at)
                )
        parts.append((left, first, right - left, last - first + 1))
    return parts


def _bands(rows: list[int]) -> list[tuple[int, int]]:
    """Runs of rows, with small gaps closed; at most a few."""
    bands: list[tuple[int, int]] = []
    for row in rows:
        if bands and (row - bands[-1][1] <= _GAP or len(bands) == _MOST_PARTS):
            bands[-1] = (bands[-1][0], row)
        else:
            bands.append((row, row))
    return bands


# -- reading ------------------------------------------------------------------------------------------


def pixels_of(png: bytes) -> tuple[int, int, bytearray]:
    """Width, height, and the red, green and blue bytes of a PNG that `to_png` made."""
    width, height = struct.unpack(">II", png[16:24])
    size = int.from_bytes(png[33:37], "big")
    lines = memoryview(zlib.decompress(png[41 : 41 + size]))
    step = 1 + 3 * width
    return (
        width,
        height,
        bytearray(b"".join(lines[row * step + 1 : (row + 1) * step] for row in range(height))),
    )
