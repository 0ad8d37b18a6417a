"""Which objects of a program written in C++ are gone: no binding knows it of those that Python did not make.

Without this the wrapper of such an object goes on to stand for whatever comes to lie at its address. The hook
is in the preload shim, as it is called on every thread. Belongs to the GUI thread.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from pathlib import Path

_SHIM = Path(__file__).parents[2] / "native" / "deskhand-preload.so"
_HOOK = 4
"""Where in Qt's table of hooks the one is that is called for each object that is destroyed."""
_AT_ONCE = 1024


class Removed:
    """Learns from Qt which objects are destroyed."""

    def __init__(self) -> None:
        shim = ctypes.CDLL(str(_SHIM))
        self.know = shim.deskhand_know
        """Say of an address that it is one of an object of ours."""
        self.know.argtypes, self.know.restype = (ctypes.c_void_p,), None
        self._take = shim.deskhand_take
        self._take.restype = ctypes.c_size_t
        self._unhook = shim.deskhand_unhook
        self._count = ctypes.c_size_t.in_dll(shim, "deskhand_gone")
        self._lost = ctypes.c_int.in_dll(shim, "deskhand_lost")
        self._into = (ctypes.c_void_p * _AT_ONCE)()
        table = (ctypes.c_void_p * (_HOOK + 1)).in_dll(ctypes.CDLL(None), "qtHookData")
        self._hook = ctypes.byref(table, _HOOK * ctypes.sizeof(ctypes.c_void_p))
        shim.deskhand_hook(self._hook)

    def take(self) -> Iterator[int]:
        """The addresses of what has gone since the last time, and perhaps of what was never known."""
        while self._count.value:
            yield from filter(None, self._into[: self._take(self._into, _AT_ONCE)])

    def lost_count(self) -> bool:
        """Whether there were more than are remembered, so that any object may be gone; said once."""
        lost, self._lost.value = bool(self._lost.value), 0
        return lost

    def close(self) -> None:
        """Learn nothing more."""
        self._unhook(self._hook)
