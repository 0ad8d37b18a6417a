"""Whether anything can have changed since the last read, without asking what.

What a program shows changes only by what its GUI thread runs: events, timers, functions that it was left. All
of these run in rounds of GLib's loop, each round those of one priority. So as long as each round was one of
our own reads, which have a priority of their own, nothing has changed. There is a number for that in the
outermost loop alone: around another one there is code of the program that goes on afterwards. That something
may have changed is reported in all loops.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from .gtk import Gtk

_Prepare = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
_SOURCE_SIZE = 96
"""Of a GSource."""
_FIRST = -(1 << 31)
"""The highest priority of GLib: what has a lower one than something that is due is passed over in a round."""


class _Functions(ctypes.Structure):
    """GSourceFuncs."""

    _fields_ = (("prepare", _Prepare), ("others", ctypes.c_void_p * 5))


_kept: list[_Functions] = []
"""Kept for good: if the GUI thread is stuck when all else is closed, GLib calls them once more."""


class ChangeWatch:
    """Numbers the times between which something else ran than our reads. Belongs to the GUI thread."""

    def __init__(self, gtk: Gtk | None) -> None:
        self.ended: Callable[[], None] | None = None
        """Is called when something may have changed, once for each number that was asked for."""
        self._gtk = gtk
        self._number = 0
        self._looking = False
        """Whether a read of ours is what runs now."""
        self._ours = 0
        """How many loops were on the stack when a job of ours ran in this round; 0 if none did."""
        self._source = 0
        self._functions = _Functions(_Prepare(self._begins))
        _kept.append(self._functions)

    @contextmanager
    def runs(self, look: bool) -> Iterator[None]:
        """While a job of ours runs, which may be a read, or change something."""
        self._ours = 1 if self._gtk is None else self._gtk.g_main_depth()
        self._looking = look
        try:
            yield
        finally:
            self._looking = False
            if not look:
                self.end()

    def number(self) -> int | None:
        """Stays the same as long as nothing can have changed; None if that cannot be known now."""
        api = self._gtk
        if api is None or not self._looking:
            return None
        if not self._source:
            self._source = api.g_source_new(ctypes.byref(self._functions), _SOURCE_SIZE)
            api.g_source_set_priority(self._source, _FIRST)
            api.g_source_attach(self._source, None)
        return self._number if api.main_level() == 1 and api.g_main_depth() == 1 else None

    def end(self) -> None:
        """Something may change."""
        self._number += 1
        source, self._source = self._source, 0
        if source and self._gtk is not None:
            self._gtk.g_source_destroy(source)
            self._gtk.g_source_unref(source)
            if self.ended is not None:
                self.ended()

    def _begins(self, *_: Any) -> int:
        """The loop begins another round."""
        if self._gtk is not None and self._ours != self._gtk.g_main_depth() + 1:
            self.end()
        self._ours = 0
        return 0  # there is nothing to do for us
