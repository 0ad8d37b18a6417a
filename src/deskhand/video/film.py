"""Films the display of a desktop into a WebM file: ten frames a second, each only if something is new.

A thread captures and encodes. The first frame is taken before `Film` returns, the last before `stop` does, so
that neither loses what happens right after or before. Until then the file's name ends with `.part`.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ..adapters.display import Display
from ..model import operations as ops
from ..model.codec import encode_operation
from ..model.errors import ActionFailed, ActionUnsupported, DeskhandError
from ..tracing.describe import TYPED, title
from .drawing import STRIP, ring, strip

RATE = 10
"""How many frames there are in a second, at most."""
_MARKED = 0.8
"""How long a click is marked, in seconds."""
_SAID = 3.0
"""How long what is done is shown, in seconds, unless something else is done."""
_CLOCK = 1000
_OPTIONS = {
    "deadline": "realtime", "cpu-used": "12", "crf": "18", "b:v": "2M", "g": "300",
    "lag-in-frames": "0", "error-resilient": "0",
}  # fmt: skip
"""Of libvpx: as fast as it can be; screens are mostly the same as before."""
INSTALL = "pip install 'deskhand[video]'"


def missing() -> str | None:
    """Why no video can be made; None if it can."""
    lacking = [name for name, module in (("PyAV", "av"), ("Pillow", "PIL")) if find_spec(module) is None]
    return f"a video needs {' and '.join(lacking)}, which is not installed" if lacking else None


class Film:
    """A video that is being recorded, until `stop`. Thread-safe."""

    def __init__(self, path: str | os.PathLike[str], env: Mapping[str, str], *, rate: float = RATE) -> None:
        """`env` has DISPLAY and XAUTHORITY of the desktop. Raises ActionFailed and ActionUnsupported."""
        if (reason := missing()) is not None:
            raise ActionUnsupported(reason, suggestions=(INSTALL,))
        self.path = Path(path)
        self.failed: str | None = None
        """Why it ended before it was stopped, such as that the desktop did."""
        self._rate = rate
        self._lock = threading.Lock()
        self._said = ""
        self._said_at = 0.0
        self._marks: list[tuple[float, int, int]] = []
        self._last: tuple[bytes, bytes] | None = None
        self._ending = threading.Event()
        self._over = False
        self._display = Display(env)
        self._width, self._height = self._display.width & ~1, self._display.height & ~1
        self._part = self.path.with_name(f"{self.path.name}.part")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._output, self._stream = self._open()
        except OSError as error:
            self._display.close()
            raise ActionFailed(f"cannot write '{self.path}': {error.strerror}", target=str(path)) from error
        self._began = time.monotonic()
        self._take()
        self._thread = threading.Thread(target=self._work, name="deskhand-video", daemon=True)
        self._thread.start()

    def __enter__(self) -> Film:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    # -- what is shown on it ---------------------------------------------------------------------

    def caption(self, text: str) -> None:
        """Say what is done now, below the screen."""
        with self._lock:
            self._said, self._said_at = text, time.monotonic()

    def mark(self, x: float, y: float) -> None:
        """Mark a point of the screen for a moment."""
        with self._lock:
            self._marks.append((time.monotonic(), round(x), round(y)))

    def begin(self, operation: ops.Operation[Any]) -> None:
        """An operation is about to be run. What it types is not shown: it may be a password."""
        if operation.acts or isinstance(operation, (ops.Wait, ops.WaitIdle)):
            name, params = encode_operation(operation)
            params.pop(TYPED.get(type(operation), ""), None)
            self.caption(title(operation, name, params, None))

    def done(self, result: object) -> None:
        """It has succeeded."""
        if isinstance(result, ops.Done) and result.point is not None:
            self.mark(*result.point)

    def close(self) -> None:
        """End it, as `stop` does."""
        self.stop()

    # -- the end ---------------------------------------------------------------------------------

    def stop(self, *, discard: bool = False) -> Path | None:
        """Finish the file; its path, or None if it was discarded. The second time, nothing is done."""
        with self._lock:
            if self._over:
                return self.path if self.path.exists() else None
            self._over = True
        self._ending.set()
        self._thread.join()
        self._display.close()
        try:
            if self._last is not None and not discard:
                self._encode(*self._last, time.monotonic())
                for packet in self._stream.encode():
                    self._output.mux(packet)
            self._output.close()
            if discard:
                self._part.unlink()
                return None
            self._part.replace(self.path)
        except OSError as error:
            raise ActionFailed(f"cannot write '{self.path}': {error.strerror}") from error
        return self.path

    # -- capturing -------------------------------------------------------------------------------

    def _open(self) -> tuple[Any, Any]:
        import av  # large, and needed for this alone

        output = av.open(str(self._part), "w", format="webm")
        stream = output.add_stream("libvpx", rate=RATE, options=dict(_OPTIONS))
        stream.width, stream.height, stream.pix_fmt = self._width, self._height + STRIP, "yuv420p"
        stream.codec_context.time_base = Fraction(1, _CLOCK)
        stream.codec_context.thread_count = 1
        return output, stream

    def _work(self) -> None:
        following = time.monotonic()
        while True:
            # What was late is left out, instead of being caught up with.
            following = max(following + 1 / self._rate, time.monotonic())
            if self._ending.wait(max(0.0, following - time.monotonic())):
                break
            try:
                self._take()
            except (DeskhandError, OSError) as error:
                self.failed = str(error)
                return
        with suppress(DeskhandError, OSError):  # the desktop may have ended, and its last frame is there
            self._take()

    def _take(self) -> None:
        """Add a frame, unless it looks like the last one."""
        now = time.monotonic()
        with self._lock:
            self._marks = [mark for mark in self._marks if now - mark[0] < _MARKED]
            marks = [(x, y) for _, x, y in self._marks]
            said = self._said if now - self._said_at < _SAID else ""
        shot = self._display.pixels(0, 0, self._width, self._height)
        if marks:
            drawn = bytearray(shot)
            for x, y in marks:
                ring(drawn, self._width, self._height, x, y)
            pixels = bytes(drawn)
        else:
            pixels = bytes(shot)
        line = strip(said, self._width)
        if self._last is None or self._last[1] is not line or self._last[0] != pixels:
            self._last = pixels, line
            self._encode(pixels, line, now)

    def _encode(self, pixels: bytes, line: bytes, at: float) -> None:
        import av  # loaded already

        frame = av.VideoFrame(self._width, self._height + STRIP, "bgr0")
        plane = frame.planes[0]
        wide, own = plane.line_size, 4 * self._width
        data = pixels + line
        if wide != own:
            gap = bytes(wide - own)
            data = b"".join(data[at : at + own] + gap for at in range(0, len(data), own))
        plane.update(data)
        encoded = frame.reformat(format="yuv420p")
        encoded.pts = max(0, round((at - self._began) * _CLOCK))
        encoded.time_base = Fraction(1, _CLOCK)
        for packet in self._stream.encode(encoded):
            self._output.mux(packet)
