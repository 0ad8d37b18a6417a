"""What a video costs: the processor time of filming a desktop of 1280x800, next to a plain loop with PyAV.

The peer is what one would write: capture by ffmpeg's x11grab through PyAV, and encode every frame with the
same codec at the same speed. Both film the same desktop at ten frames a second, one after the other: while a
form is filled in, and while the screen changes all the time.
"""

from __future__ import annotations

import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

from deskhand import App, Desktop, launch
from deskhand.video import Film

from .measure import Figure, Report

_DEMO = Path(__file__).parents[1] / "demo"
_FORM = [sys.executable, str(_DEMO / "qt_form.py")]
_SIZE = (1280, 800)
_BOUND = 0.15
"""What part of a core filming may use."""
_MOVING = """
import tkinter
root = tkinter.Tk()
root.geometry("1000x600+100+80")
canvas = tkinter.Canvas(root, background="white")
canvas.pack(fill="both", expand=True)
ball = canvas.create_oval(0, 0, 160, 160, fill="#c02040")
def step(at=0):
    canvas.coords(ball, at, at / 2, at + 160, at / 2 + 160)
    root.after(50, step, (at + 7) % 900)
step()
root.mainloop()
"""


def run(report: Report, quick: bool) -> None:
    seconds = 5.0 if quick else 15.0
    if report.wants("video", "form"):
        with Desktop(size=_SIZE) as desktop, launch(_FORM, desktop=desktop) as app, _driven(app):
            _measure(report, "a form that is filled in", desktop, seconds)
    if report.wants("video", "moving"):
        with Desktop(size=_SIZE) as desktop, launch([sys.executable, "-c", _MOVING], desktop=desktop):
            _measure(report, "a disc that moves all the time", desktop, seconds)


def _measure(report: Report, what: str, desktop: Desktop, seconds: float) -> None:
    with tempfile.TemporaryDirectory(prefix="deskhand-bench-") as folder:
        ours = _share(lambda: _film(desktop, Path(folder, "ours.webm"), seconds))
        plain = _share(lambda: _grab(desktop, Path(folder, "plain.webm"), seconds))
    bound = f"at most {_BOUND:.0%}"
    kept = ours <= _BOUND
    report.add(Figure(f"of a core: {what}", ours * 100, "%", "plain loop", plain * 100, bound, kept))


def _share(film: Callable[[], None]) -> float:
    """What part of a core this thread and those that it starts use."""
    film()  # loads the codec
    used, began = time.process_time(), time.monotonic()
    film()
    return (time.process_time() - used) / (time.monotonic() - began)


def _film(desktop: Desktop, path: Path, seconds: float) -> None:
    with Film(path, desktop.env):
        time.sleep(seconds)


def _grab(desktop: Desktop, path: Path, seconds: float) -> None:
    import av

    os.environ["XAUTHORITY"] = desktop.env["XAUTHORITY"]
    options = {"framerate": "10", "video_size": "1280x800", "draw_mouse": "0"}
    with (
        av.open(desktop.env["DISPLAY"], format="x11grab", options=options) as screen,
        av.open(str(path), "w", format="webm") as output,
    ):
        stream = output.add_stream("libvpx", rate=10, options={"deadline": "realtime", "cpu-used": "12"})
        stream.width, stream.height, stream.pix_fmt = 1280, 800, "yuv420p"
        stream.codec_context.time_base = Fraction(1, 1000)
        began = time.monotonic()
        for frame in screen.decode(video=0):
            at = time.monotonic() - began
            if at > seconds:
                break
            frame = frame.reformat(format="yuv420p")
            frame.pts, frame.time_base = round(at * 1000), Fraction(1, 1000)
            output.mux(stream.encode(frame))
        output.mux(stream.encode())


@contextmanager
def _driven(app: App) -> Iterator[None]:
    """Fill in the form again and again, in another process's time as far as possible."""
    ended = threading.Event()

    def fill() -> None:
        number = 0
        while not ended.wait(0.4):
            number += 1
            app.locator("textfield >> nth=0").fill(f"Name {number}")

    thread = threading.Thread(target=fill)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
