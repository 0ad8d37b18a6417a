"""The way onto the GUI thread of GTK: GLib runs jobs, in whatever event loop runs."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from ..gui_thread import GuiThread
from ..jobs import Job
from .library import Gdk, GLib, waiting

_SOON = 115
"""A priority of GLib: after events and layout, and before painting, which may never end."""
_FIRST = -(1 << 31)
"""The highest priority of GLib: what has a lower one than something that is due is passed over in a round."""
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
        self.rounds.ours = True
        job.run()

    def settle(self, timeout: float) -> None:
        """Return once the program has handled what the display sent so far."""
        # A question to the display brings all events that it sent before; they are handled before the
        # next job.
        self.call(lambda: Gdk.Display.get_default().sync(), timeout)
        self.call(_nothing, timeout)


class Rounds:
    """Follows the rounds of GLib's event loop: whatever changes a window is done in one of them."""

    def __init__(self) -> None:
        self.ours = False
        """Whether a job of ours ran since the last round began."""
        self._began: Callable[[], None] | None = None
        self._source = 0
        self._functions = _Functions(_Prepare(self._prepare))
        # Kept for good: if the GUI thread is stuck when all else is closed, GLib calls them once more.
        _kept.append(self._functions)

    def follow(self, function: Callable[[], None] | None) -> None:
        """Call this as each round begins that follows on one with more than our jobs; None to stop."""
        self._began = function
        if function is not None and not self._source:
            self._source = _glib.g_source_new(ctypes.byref(self._functions), _SOURCE_SIZE)
            _glib.g_source_set_priority(self._source, _FIRST)
            _glib.g_source_attach(self._source, None)
        elif function is None and self._source:
            source, self._source = self._source, 0
            _glib.g_source_destroy(source)
            _glib.g_source_unref(source)

    def _prepare(self, *_: Any) -> int:
        ours, self.ours = self.ours, False
        if not ours and self._began is not None:
            self._began()
        return 0  # there is nothing to do for us


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
