"""The X display of a desktop: real input, the window manager, and the pixels of the screen and of windows."""

from __future__ import annotations

import contextlib
import mmap
import os
import socket
import struct
import time
from collections.abc import Iterator, Mapping

from ..model.errors import ScreenshotFailed
from ..x11 import ALL_PLANES, Connection, parse_display, read_cookie

_GRAB_POINTER, _UNGRAB_POINTER, _QUERY_POINTER = 26, 27, 38
_ALREADY_GRABBED = 1
_XTEST, _SHM, _COMPOSITE = "XTEST", "MIT-SHM", "Composite"
_REPAINT = 0.5
"""How long a program may take to paint what was covered, in seconds."""
_FRAME = 0.03


class Display(Connection):
    """A connection to one display; `env` has DISPLAY and XAUTHORITY."""

    def __init__(self, env: Mapping[str, str], timeout: float = 5.0) -> None:
        host, number = parse_display(env.get("DISPLAY", ""))
        self._segment: tuple[int, mmap.mmap] | None = None
        super().__init__(number, read_cookie(env, number), timeout, host=host)

    # -- input ---------------------------------------------------------------------------------

    @property
    def can_fake(self) -> bool:
        return bool(self.extension(_XTEST))

    def fake(self, *events: tuple[int, int, int, int]) -> None:
        """Make events as if by hardware: (kind, detail, x, y); kinds are those of the core protocol."""
        opcode = self.extension(_XTEST)
        self.tell(
            *(
                struct.pack(
                    "<BBHBBxxII8xhh7xB", opcode, 2, 9, kind, detail, 0, self.root if kind == 6 else 0, x, y, 0
                )
                for kind, detail, x, y in events
            )
        )

    def is_down(self, button: int) -> bool:
        """Whether a button of the pointer is down, as far as events have come through."""
        (answer,) = self.ask(struct.pack("<BxHI", _QUERY_POINTER, 2, self.root))
        mask = 0 if answer is None else int.from_bytes(answer[24:26], "little")
        return bool(mask & 0x80 << button)

    def pointer_is_grabbed(self) -> bool:
        """Whether a program takes all clicks for itself, as it does while a menu is open."""
        with self._lock:
            grab = struct.pack("<BBHIHBBIII", _GRAB_POINTER, 0, 6, self.root, 0, 1, 1, 0, 0, 0)
            (answer,) = self.ask(grab)
            if answer is None or answer[1] == 0:
                self.tell(struct.pack("<BxHI", _UNGRAB_POINTER, 2, 0))
        return answer is not None and answer[1] == _ALREADY_GRABBED

    # -- pixels --------------------------------------------------------------------------------

    def pixels(
        self, x: int, y: int, width: int, height: int, window: int | None = None
    ) -> bytes | memoryview:
        """A part of the screen, or of one window, as blue, green, red and an unused byte each, line by line.

        A view is of memory that the next call overwrites.
        """
        with self._lock:
            segment = self._shared(width * height * 4)
            if segment is not None:
                number, memory = segment
                drawable = self.root if window is None else window
                place = (x, y, width, height)
                request = struct.pack(
                    "<BBHIhhHHIB3xII", self.extension(_SHM), 4, 8, drawable, *place, ALL_PLANES, 2, number, 0
                )
                if self.ask(request)[0] is not None:
                    return memoryview(memory)[: width * height * 4]
            # Fallback: a display over the network shares no memory.
            return super().pixels(x, y, width, height, window)

    @contextlib.contextmanager
    def uncovered(self, window: int) -> Iterator[None]:
        """Let a window be painted as a whole, whatever covers it, without moving anything.

        The server keeps an image of it, and asks the program to paint what was hidden.
        """
        opcode = self.extension(_COMPOSITE)
        if not opcode:
            raise ScreenshotFailed(
                "the window is covered, and this display lacks the extension Composite",
                suggestions=("bring the window to the front first",),
            )
        # Its version must be asked for before anything else is.
        self.ask(struct.pack("<BBHII", opcode, 0, 3, 0, 4))
        self.tell(struct.pack("<BBHIB3x", opcode, 1, 3, window, 0))
        try:
            yield
        finally:
            self.tell(struct.pack("<BBHIB3x", opcode, 3, 3, window, 0))

    def steady_pixels(self, x: int, y: int, width: int, height: int, window: int) -> bytes:
        """The same of a window that is being painted, once that has ended."""
        deadline = time.monotonic() + _REPAINT
        before = b""
        while True:
            time.sleep(_FRAME)  # X11 does not announce the end of painting
            now = bytes(self.pixels(x, y, width, height, window))
            if now == before or time.monotonic() >= deadline:
                return now
            before = now

    def _shared(self, size: int) -> tuple[int, mmap.mmap] | None:
        """Memory that the server writes pixels into; None where it cannot."""
        if self._segment is not None and len(self._segment[1]) >= size:
            return self._segment
        opcode = self.extension(_SHM)
        if not opcode or self._socket.family != socket.AF_UNIX or not hasattr(os, "memfd_create"):
            return None
        size = max(size, self.width * self.height * 4)
        descriptor = os.memfd_create("deskhand-screenshot")
        try:
            os.ftruncate(descriptor, size)
            memory = mmap.mmap(descriptor, size)
            number = self._new_resource()
            self._send(struct.pack("<BBHIB3x", opcode, 6, 3, number, 0), descriptor=descriptor)
        finally:
            os.close(descriptor)
        # If the server refused it, that shows at the first request for pixels.
        self._segment = (number, memory)
        return self._segment
