"""The way onto the GUI thread of GTK: GLib runs jobs, in whatever event loop runs."""

from __future__ import annotations

import ctypes
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ..gui_thread import GuiThread, Look
from ..jobs import Job
from .library import THREE, Gdk, Gio, GLib, Gtk, frame_clocks, waiting

_SOON = 115
"""A priority of GLib: after events, and before layout and painting, which may never end."""
_FIRST = -(1 << 31)
"""The highest priority of GLib: what has a lower one than something that is due is passed over in a round."""
_NO_FRAME = 0.25
"""After so many seconds a window is taken to be one that gets no frames: the display does not show it."""
_SOURCE_SIZE = 96
"""Of a GSource."""
_Prepare = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)


class UiThread(GuiThread):
    """Runs functions on the GUI thread for callers on any thread. Made on the GUI thread."""

    goes_on = 0.3

    def __init__(self) -> None:
        super().__init__()
        self.rounds = Rounds()

    def announce(self) -> None:
        GLib.idle_add(self._announced, priority=_SOON)

    def _announced(self) -> bool:
        self.next_job()
        return False

    def after(self, milliseconds: int, fn: Callable[[], object]) -> None:
        def once() -> bool:
            fn()
            return False

        GLib.timeout_add(milliseconds, once, priority=_SOON)

    def waiting(self) -> object:
        return GLib.main_depth(), waiting()

    def turn(self) -> None:
        context = GLib.MainContext.default()
        while context.pending():
            context.iteration(False)

    def run(self, job: Job) -> None:
        with self.rounds.runs(look=isinstance(job, Look)):
            job.run()

    def settle(self, timeout: float) -> None:
        """Return once the program has handled what the display sent so far."""
        # A question to the display brings all events that it sent before; they are handled before the
        # next job.
        self.call(lambda: Gdk.Display.get_default().sync(), timeout)
        self.call(_nothing, timeout)

    def lay_out(self, timeout: float) -> None:
        """Return once all that changed so far has its place.

        GTK lays out with the next frame of a window: until then a page that was just opened has no place,
        and a list of GTK 4 that is scrolled then loses its rows.
        """
        frames = self.call(Frames, timeout)
        until = time.monotonic() + min(_NO_FRAME, timeout)
        if self.on_gui_thread():
            while not frames.drawn.is_set() and time.monotonic() < until:
                self.pause(0.001)
        elif not frames.drawn.wait(until - time.monotonic()):
            self.later(frames.stop)


class Frames:
    """A frame of each window that is shown, asked for as it is made. Belongs to the GUI thread."""

    def __init__(self) -> None:
        self.drawn = threading.Event()
        """Set once each had its frame."""
        self._clocks: dict[Any, int] = {}
        for clock in frame_clocks():
            self._clocks[clock] = clock.connect("after-paint", self._after)
            clock.request_phase(Gdk.FrameClockPhase.LAYOUT)
        self._check()

    def _after(self, clock: Any) -> None:
        clock.disconnect(self._clocks.pop(clock))
        self._check()

    def _check(self) -> None:
        if not self._clocks:
            self.drawn.set()

    def stop(self) -> None:
        """Wait for no more of them."""
        for clock, handler in self._clocks.items():
            clock.disconnect(handler)
        self._clocks.clear()


class Rounds:
    """Follows the rounds of GLib's event loop: whatever changes a window is done in one of them.

    So as long as each round ran nothing but our own reads, which have a priority of their own, nothing has
    changed. There is a number for that in the outermost loop alone, and only if that is one of GLib's or
    GTK's: around any other there is code of the program that may change something between two rounds.
    """

    def __init__(self) -> None:
        self._ours = self._looking = False
        """Whether a job of ours ran since the last round began; whether one that changes nothing runs now."""
        self._number = 0
        self._asked = False
        """Whether it matters when this number ends."""
        self._began: Callable[[], None] | None = None
        self._source = 0
        self._functions = _Functions(_Prepare(self._prepare))
        # Kept for good: if the GUI thread is stuck when all else is closed, GLib calls them once more.
        _kept.append(self._functions)

    @contextmanager
    def runs(self, look: bool) -> Iterator[None]:
        """While a job of ours runs, which may be a read, or change something."""
        self._ours, self._looking = True, look
        try:
            yield
        finally:
            self._looking = False
            if not look:
                self._change()

    def number(self) -> int | None:
        """Stays the same as long as nothing can have changed; None if that cannot be known now."""
        if not self._looking or GLib.main_depth() != 1 or not _in_plain_loop():
            return None
        self._asked = True
        self._attach()
        return self._number

    def follow(self, function: Callable[[], None] | None) -> None:
        """Call this as each round begins that follows on one with more than our jobs; None to stop."""
        self._began = function
        self._attach()

    def close(self) -> None:
        """Leave the event loop unchanged."""
        self._began, self._asked = None, False
        self._attach()

    def _attach(self) -> None:
        wanted = self._asked or self._began is not None
        if wanted and not self._source:
            self._source = _glib.g_source_new(ctypes.byref(self._functions), _SOURCE_SIZE)
            _glib.g_source_set_priority(self._source, _FIRST)
            _glib.g_source_attach(self._source, None)
        elif not wanted and self._source:
            source, self._source = self._source, 0
            _glib.g_source_destroy(source)
            _glib.g_source_unref(source)

    def _prepare(self, *_: Any) -> int:
        ours, self._ours = self._ours, False
        if not ours:
            self._change()
            if self._began is not None:
                self._began()
        return 0  # there is nothing to do for us

    def _change(self) -> None:
        self._number += 1
        self._asked = False
        self._attach()


def _in_plain_loop() -> bool:
    """Whether the outermost event loop is one that runs nothing between its rounds."""
    if THREE and Gtk.main_level() == 1:
        return True
    frame = sys._getframe()  # noqa: SLF001 - the only way to see what called the event loop
    while frame.f_code is not _CALLBACK and frame.f_back is not None:
        frame = frame.f_back
    around = frame.f_back
    if around is None:
        # A program that is not written in Python: one with an application object runs that.
        app = Gio.Application.get_default()
        return app is not None and bool(app.get_is_registered())
    code = around.f_code
    return code.co_name == "run" and code.co_filename.endswith(_LOOPS)


_CALLBACK = UiThread._announced.__code__  # noqa: SLF001 - what GLib calls
_LOOPS = ("gi/overrides/GLib.py", "gi/overrides/Gio.py")
"""Where PyGObject has the methods that run a loop of GLib."""


class _Functions(ctypes.Structure):
    """GSourceFuncs."""

    _fields_ = (("prepare", _Prepare), ("others", ctypes.c_void_p * 5))


_kept: list[_Functions] = []
_glib = ctypes.CDLL("libglib-2.0.so.0")
for _name, _result, _takes in (
    ("g_source_new", ctypes.c_void_p, (ctypes.c_void_p, ctypes.c_uint)),
    ("g_source_attach", ctypes.c_uint, (ctypes.c_void_p, ctypes.c_void_p)),
    ("g_source_set_priority", None, (ctypes.c_void_p, ctypes.c_int)),
    ("g_source_destroy", None, (ctypes.c_void_p,)),
    ("g_source_unref", None, (ctypes.c_void_p,)),
):
    _function = getattr(_glib, _name)
    _function.restype, _function.argtypes = _result, _takes


def _nothing() -> None:
    pass
