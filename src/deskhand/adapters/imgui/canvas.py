"""A wx.glcanvas that Dear ImGui is drawn in: which one it is, where it is, and how it is made to draw.

A program makes its canvas current before it draws: the last one when a frame begins is what that is drawn in.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from ...model.errors import ActionUnsupported
from .place import Place

_current: Any = None
"""The canvas that was made current last."""
_originals: list[tuple[Any, Any]] = []


class WxCanvas:
    """Implements place.Surface."""

    def __init__(self, canvas: Any) -> None:
        self.canvas = canvas
        self._wx: Any = sys.modules["wx"]

    def look(self, context: Any) -> Place:
        canvas = self.canvas
        at = canvas.ClientToScreen(self._wx.Point(0, 0))
        width, across = canvas.GetClientSize().width, context.io.display_size.x
        return Place(at.x, at.y, width / across if width > 0 and across > 0 else 1.0)

    def is_shown(self) -> bool:
        """Whether it is on the screen. On the GUI thread."""
        return bool(self.canvas) and bool(self.canvas.IsShownOnScreen())

    def wake(self) -> None:
        # Between two frames nothing else checks whether the canvas still exists.
        self._wx.CallAfter(self._refresh)

    def pointer(self) -> tuple[float, float] | None:
        return None  # the program tells Dear ImGui itself, when it moves

    def control(
        self, do: str, x: float | None, y: float | None, width: float | None, height: float | None
    ) -> None:
        raise ActionUnsupported(
            "the program itself says where this is", suggestions=("target the window of wx that it is in",)
        )

    def before_swap(self, function: Callable[[], object]) -> Callable[[], None]:
        raise ActionUnsupported("screenshots of a canvas are cut from that of its window")

    def _refresh(self) -> None:
        if self.canvas:
            self.canvas.Refresh(False)


def current() -> WxCanvas | None:
    """The canvas that is drawn in now; before drawing was seen, the only one there is. On the GUI thread."""
    global _current
    if not _current:
        _current = _only()
    return WxCanvas(_current) if _current else None


def _only() -> Any:
    module: Any = sys.modules.get("wx.glcanvas")
    wx: Any = sys.modules["wx"]
    waiting = list(wx.GetTopLevelWindows()) if module is not None else []
    found = []
    while waiting:
        window = waiting.pop()
        waiting += window.GetChildren()
        if isinstance(window, module.GLCanvas):
            found.append(window)
    return found[0] if len(found) == 1 else None


def watch() -> None:
    """Notice from now on which canvas is made current. On the GUI thread."""
    module: Any = sys.modules.get("wx.glcanvas")
    if module is None or _originals:
        return
    _stand_before(module.GLCanvas, lambda canvas, _context: canvas)
    _stand_before(module.GLContext, lambda _context, canvas: canvas)


def unwatch() -> None:
    """Restore the functions of wx."""
    global _current
    for kind, function in _originals:
        kind.SetCurrent = function
    _originals.clear()
    _current = None


def _stand_before(kind: Any, canvas_of: Callable[[Any, Any], Any]) -> None:
    function = kind.SetCurrent

    def SetCurrent(first: Any, second: Any) -> Any:
        global _current
        _current = canvas_of(first, second)
        return function(first, second)

    _originals.append((kind, function))
    kind.SetCurrent = SetCurrent
