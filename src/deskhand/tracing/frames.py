"""Screenshots of a trace: each once, and only what differs from the one before.

Pixels are compared and compressed on a thread of their own, so that the operation that is traced does not
wait for it.
"""

from __future__ import annotations

import queue
import struct
import threading
import zlib
from typing import TYPE_CHECKING, Any

from ..images.png import to_png
from ..model.record import dataclass

if TYPE_CHECKING:
    from .store import Store

_WAITING = 6
"""How many screenshots may wait to be compressed; the next one waits for a place."""
_CHAIN = 40
"""After how many partial screenshots a complete one is stored."""
_BLOCK = 32
"""How exactly the changed columns are found, in pixels."""


@dataclass(frozen=True)
class Shot:
    """A screenshot: pixels (blue, green, red and an unused byte each), or a PNG."""

    width: int
    height: int
    pixels: bytes | None = None
    png: bytes | None = None
    x: float = 0.0
    """Where its left edge is on the screen, in logical pixels."""
    y: float = 0.0
    scale: float = 1.0
    """How many of its pixels are one logical pixel."""


class Frames:
    """Numbers and stores the screenshots of a trace."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._last: dict[int, tuple[Shot, int]] = {}
        """The newest frame of each app, with its number."""
        self._count = 0
        self._queue: queue.Queue[tuple[int, int, Shot] | None] = queue.Queue(_WAITING)
        self._thread: threading.Thread | None = None
        self._stored: dict[int, tuple[Shot, int]] = {}
        """The frame of each app that was stored last, with its number."""
        self._partial: dict[int, int] = {}
        """How many partial frames of each app were stored since the last complete one."""

    def add(self, app: int, shot: Shot) -> int | None:
        """The number of an app's screenshot, which is that of its last one if both look the same."""
        with self._lock:
            if self._store.full:
                return None
            last = self._last.get(app)
            if last is not None and last[0] == shot:
                return last[1]
            self._count += 1
            self._last[app] = (shot, self._count)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="deskhand-trace", daemon=True)
                self._thread.start()
            self._queue.put((app, self._count, shot))
            return self._count

    def close(self) -> None:
        """Wait until all are stored."""
        with self._lock:
            thread, self._thread = self._thread, None
            self._last.clear()
        if thread is not None:
            self._queue.put(None)
            thread.join()

    def _work(self) -> None:
        while (entry := self._queue.get()) is not None:
            self._add(*entry)

    def _add(self, app: int, number: int, shot: Shot) -> None:
        about: dict[str, Any] = {"frame": number, "width": shot.width, "height": shot.height}
        about |= {name: getattr(shot, name) for name in ("x", "y", "scale")}
        if shot.pixels is None:
            assert shot.png is not None
            self._write(shot.png, about)
            return
        base = self._stored.get(app)
        self._partial[app] = self._partial.get(app, _CHAIN) + 1
        part = None if base is None or self._partial[app] > _CHAIN else changed_part(base[0], shot)
        if base is None or part is None or part[2] * part[3] * 2 > shot.width * shot.height:
            self._partial[app] = 0
            self._write(to_png(shot.width, shot.height, shot.pixels), about)
        else:
            left, top, width, height = part
            rows = [
                shot.pixels[(row * shot.width + left) * 4 : (row * shot.width + left + width) * 4]
                for row in range(top, top + height)
            ]
            about |= {"base": base[1], "at": [left, top]}
            self._write(to_png(width, height, b"".join(rows)), about)
        self._stored[app] = (shot, number)

    def _write(self, png: bytes, about: dict[str, Any]) -> None:
        if (name := self._store.keep(png, ".png")) is not None:
            self._store.write("frame", png=name, **about)


def changed_part(before: Shot, after: Shot) -> tuple[int, int, int, int] | None:
    """Left, top, width and height of what differs; None if they cannot be compared."""
    old, new, width, height = before.pixels, after.pixels, after.width, after.height
    if old is None or new is None or (before.width, before.height) != (width, height):
        return None
    line = width * 4
    rows = [
        row
        for row in range(height)
        if old[row * line : (row + 1) * line] != new[row * line : (row + 1) * line]
    ]
    if not rows:
        return 0, 0, 1, 1
    left, right, step = line, 0, _BLOCK * 4
    for row in rows:
        start = row * line
        at = 0
        while at < left and old[start + at : start + at + step] == new[start + at : start + at + step]:
            at += step
        left = min(left, at)
        at = line
        while (
            at > right
            and old[start + max(at - step, 0) : start + at] == new[start + max(at - step, 0) : start + at]
        ):
            at -= step
        right = max(right, at)
    left, right = left // 4, max(right // 4, left // 4 + 1)
    return left, rows[0], min(right, width) - left, rows[-1] - rows[0] + 1


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
