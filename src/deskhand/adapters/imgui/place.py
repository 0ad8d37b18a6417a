"""Where a context of Dear ImGui is drawn: a window of the desktop, a canvas of another toolkit, nowhere.

Dear ImGui counts from the upper left corner of what it is drawn in; everybody else from that of the screen.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from ...model.node import Rect
from ...model.record import dataclass

Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""


@dataclass(frozen=True)
class Place:
    """How positions in a frame get onto the screen, and what the frame was drawn in."""

    x: float = 0.0
    y: float = 0.0
    scale: float = 1.0
    """How many logical pixels of the screen are one of Dear ImGui."""
    window: Seen | None = None

    def on_screen(self, box: Box) -> Rect:
        left, top, right, bottom = box
        scale = self.scale
        return Rect(
            self.x + left * scale, self.y + top * scale, (right - left) * scale, (bottom - top) * scale
        )

    def inside(self, x: float, y: float) -> tuple[float, float]:
        """A point of the screen, as Dear ImGui counts."""
        return (x - self.x) / self.scale, (y - self.y) / self.scale


@dataclass(frozen=True)
class Seen:
    """A window of the desktop, as it was when a frame was drawn in it."""

    title: str
    bounds: Rect
    focused: bool = False
    minimized: bool = False
    maximized: bool = False
    native_id: int | None = None
    native_class: str = ""


class Surface(Protocol):
    """What a context is drawn in. For the GUI thread, but for `wake`."""

    def look(self, context: Any) -> Place:
        """Where a context lies that is drawn in it, now."""

    def wake(self) -> None:
        """Make it draw a frame soon. From any thread."""

    def pointer(self) -> tuple[float, float] | None:
        """Where the real pointer is, if it can be asked for."""

    def control(
        self, do: str, x: float | None, y: float | None, width: float | None, height: float | None
    ) -> None:
        """Move, resize, close and so on the window of the desktop."""

    def before_swap(self, function: Callable[[], object]) -> Callable[[], None]:
        """Call it whenever a frame is drawn and not shown yet. Returns how to stop that."""
