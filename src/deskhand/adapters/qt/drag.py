"""Dragging: a slider's handle, a selection, a tab, or something from one widget to another.

Where the program calls QDrag.exec(), the rest of the drag happens inside that call. Qt's offscreen platform
has no drag and drop: there exec() returns at once and nothing is dropped, which is reported.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from ...model.errors import ActionFailed, ActionUnsupported
from ...model.operations import Drag
from .aim import Spot
from .handles import Handle
from .hands import Hands


def drag(hands: Hands, action: Drag, handle: Handle | None, to_handle: Handle | None) -> None:
    """Press at the start, move there in steps, let go."""
    start = _start(hands, action, handle)
    end = _end(hands, action, to_handle)
    hands.input.activate(start.window)
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


def _start(hands: Hands, action: Drag, handle: Handle | None) -> Spot:
    if handle is None:
        if action.x is None or action.y is None:
            raise ActionUnsupported("a drag needs a target or a point on the screen to begin at")
        return hands.aim.at(action.x, action.y)
    if action.x is None and action.y is None and hands.is_a(handle, "QSlider", "QScrollBar"):
        grip = hands.aim.slider_handle(handle)
        return hands.aim.spot(handle, grip.x(), grip.y())
    return hands.aim.spot(handle, action.x, action.y)


def _end(hands: Hands, action: Drag, to_handle: Handle | None) -> Spot:
    if to_handle is not None:
        return hands.aim.spot(to_handle, action.to_x, action.to_y, free=False)
    if action.to_x is None or action.to_y is None:
        raise ActionUnsupported("a drag needs a target or a point on the screen to end at")
    window = hands.binding.QtGui.QGuiApplication.focusWindow() or next(
        iter(hands.binding.QtGui.QGuiApplication.topLevelWindows())
    )
    # A drag may end where no window is; any one will do to say where that is.
    return Spot(window, window.mapFromGlobal(hands.binding.QtCore.QPoint(int(action.to_x), int(action.to_y))))


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
