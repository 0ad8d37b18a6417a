"""Lets other threads of Python run while Qt waits in a dialog with Python's lock held.

A few functions of PySide6 keep the lock until their dialog is closed (`QFontDialog.getFont`,
`QApplication.aboutQt`): it could not be seen or closed from outside. What goes on meanwhile is Qt's event
loop, and with it a timer of ours. Whether the lock is held cannot be seen from here, so it is done in every
dialog.
"""

from __future__ import annotations

import time
from typing import Any

from .binding import Binding

_EVERY = 20
"""How often the others get a turn, in milliseconds: often enough to be driven, and next to no work."""
_TURN = 0.001
"""How long a turn is, in seconds; who has the lock then keeps it for as long as it works."""


class Turns:
    """Gives turns while an action waits in an event loop of the program. On the GUI thread only."""

    def __init__(self, binding: Binding) -> None:
        self._binding = binding
        self._timer: Any = None

    def begin(self) -> None:
        if not self._binding.pyside:
            return  # the other bindings never keep the lock
        if self._timer is None:
            self._timer = self._binding.QtCore.QTimer()
            self._timer.timeout.connect(lambda: time.sleep(_TURN))
        self._timer.start(_EVERY)

    def end(self) -> None:
        if self._timer is not None and self._binding.is_valid(self._timer):
            self._timer.stop()
