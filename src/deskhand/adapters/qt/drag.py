"""Dragging: a slider's handle, a selection, a tab, or something from one widget to another.

Where the program calls QDrag.exec(), the rest of the drag happens inside that call. Qt's offscreen platform
has no drag and drop: there exec() returns at once and nothing is dropped, which is reported.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any

from ...model.errors import ActionFailed
from ...model.operations import Drag
from .aim import Spot
from .handles import Handle
from .hands import Hands


def drag(hands: Hands, action: Drag, start: Spot, end: Spot) -> None:
    """Press at the start, move there in steps, let go."""
    target = start.window.mapFromGlobal(end.on_screen)
    steps = hands.input.drag(start.window, start.point, target, action.button, action.modifiers, action.steps)
    if hands.binding.QtGui.QGuiApplication.platformName() != "offscreen":
        hands.input.play(steps)
        return
    watcher = _DragWatcher(hands)
    try:
        hands.input.play(steps)
    finally:
        watcher.close()
    if watcher.seen:
        raise ActionFailed(
            "nothing was dropped: the program began a drag, and Qt's offscreen platform has none",
            suggestions=("run the program on a desktop, such as a private one (deskhand desktop)",),
        )


def by_grip(hands: Hands, action: Drag, handle: Handle | None) -> Drag:
    """The same drag, of a slider by its handle."""
    if action.x is None and action.y is None and hands.is_a(handle, "QSlider", "QScrollBar"):
        grip = hands.aim.slider_handle(handle)
        return replace(action, x=grip.x(), y=grip.y())
    return action


class _DragWatcher:
    """Notices that a QDrag came and went."""

    def __init__(self, hands: Hands) -> None:
        self.seen = False
        binding = hands.binding
        deleted = binding.QtCore.QEvent.Type.DeferredDelete
        watcher = self

        class Filter(binding.QObject):  # type: ignore[misc, name-defined]  # the class is known only at run time
            def eventFilter(self, watched: Any, event: Any) -> bool:
                # Nothing may be raised here: PyQt6 ends the program for it.
                with suppress(RuntimeError, AttributeError):
                    if event.type() == deleted and watched.inherits("QDrag"):
                        watcher.seen = True
                return False

        self._app = binding.app
        self._filter = Filter()
        self._app.installEventFilter(self._filter)

    def close(self) -> None:
        self._app.removeEventFilter(self._filter)
