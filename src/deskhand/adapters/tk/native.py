"""What Tcl and Tk tell C code only: each round of the event loop, and each event of the display.

Both libraries are those that the program's own tkinter is linked with.
"""

from __future__ import annotations

import _tkinter
import ctypes
from collections.abc import Callable
from typing import Any

KEY_RELEASE, BUTTON_PRESS, BUTTON_RELEASE = 3, 4, 5
"""Kinds of events, as X11 numbers them."""

_Round = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int)
_Event = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ctypes.c_int))


class Native:
    """Hooks into the event loop. Everything is called on the GUI thread; no hook may call Tcl."""

    def __init__(self) -> None:
        # A Python with tkinter built in has no file for it; the process itself has the functions then.
        self._library: Any = ctypes.CDLL(getattr(_tkinter, "__file__", None))
        self.rounds = _has(self._library, "Tcl_CreateEventSource", "Tcl_DeleteEventSource")
        """Whether rounds of the event loop can be followed."""
        self.events = _has(self._library, "Tk_CreateGenericHandler", "Tk_DeleteGenericHandler")
        """Whether events can be."""
        self._round: Callable[[], None] | None = None
        self._seen: Callable[[int], None] | None = None
        self._on_round = _Round(self._rounds)
        self._on_event = _Event(self._events)
        # Kept for good: if the GUI thread is stuck when all else is closed, Tcl calls them once more.
        _kept.append(self)

    def follow_rounds(self, function: Callable[[], None] | None) -> None:
        """Call this whenever the event loop has nothing left to do and is about to wait; None to stop."""
        if not self.rounds or (self._round is None) == (function is None):
            self._round = function
            return
        call = self._library.Tcl_CreateEventSource if function else self._library.Tcl_DeleteEventSource
        call.argtypes = (_Round, _Round, ctypes.c_void_p)
        call.restype = None
        self._round = function
        call(self._on_round, _NO_ROUND, None)

    def follow_events(self, function: Callable[[int], None] | None) -> None:
        """Call this with the kind of each event before it is handled; None to stop."""
        if not self.events or (self._seen is None) == (function is None):
            self._seen = function
            return
        call = self._library.Tk_CreateGenericHandler if function else self._library.Tk_DeleteGenericHandler
        call.argtypes = (_Event, ctypes.c_void_p)
        call.restype = None
        self._seen = function
        call(self._on_event, None)

    def close(self) -> None:
        self.follow_rounds(None)
        self.follow_events(None)

    def _rounds(self, _data: int, _flags: int) -> None:
        if self._round is not None:
            self._round()

    def _events(self, _data: int, event: Any) -> int:
        if self._seen is not None:
            self._seen(event[0])
        return 0  # go on with it


_kept: list[Native] = []
_NO_ROUND = _Round()
"""A null pointer."""


def _has(library: Any, *names: str) -> bool:
    return all(hasattr(library, name) for name in names)
