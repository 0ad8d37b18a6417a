"""The mouse and the keyboard, as a person's: the display sends the events (XTEST).

They come to the program through its event loop, so all here runs on the caller's thread. What the program
does in answer, such as open a modal dialog, is on no stack of ours.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from contextlib import suppress

from ...model.errors import ActionUnsupported, AppGone, ConnectFailed
from ...model.keys import Chord
from ..display import Display
from ..keyboard import Input as RealInput
from .library import Gtk, scale
from .thread import UiThread

_NEAR = 10
"""How far apart clicks may be that are counted together, in pixels; GTK takes 5."""
_CLICKS = "gtk-double-click-time"

Point = tuple[int, int]


class Input:
    """Presses, moves and types. Called from any thread, one action at a time."""

    def __init__(self, ui: UiThread) -> None:
        self._ui = ui
        self._display: Display | None = None
        self._real: RealInput | None = None
        self._last: tuple[float, Point, int] | None = None
        """When and where was clicked last, and how many times."""
        self.until = 0.0
        """When the caller stops waiting."""
        self.scale = scale()
        """How many pixels of the display one of GTK's is."""

    @property
    def left(self) -> float:
        """Seconds until then."""
        return max(self.until - time.monotonic(), 0.01)

    @property
    def display(self) -> Display:
        """A connection of our own to the display of the program."""
        if self._display is None:
            try:
                self._display = Display(os.environ)
            except ConnectFailed as error:
                raise ActionUnsupported(
                    f"real input and screenshots need an X11 display: {error.message}",
                    suggestions=("act without the mouse: press, set a value, choose an option",),
                ) from error
        return self._display

    def move(self, point: Point) -> None:
        """Move the pointer."""
        self._do(lambda: self._hands.move(*self.pixel(point)))

    def click(self, point: Point, button: str, count: int, modifiers: tuple[str, ...]) -> None:
        """Move there, and click so many times: neither more nor less than that, also right after another."""
        self.move(point)
        self._keep_apart(point, count)
        self._do(lambda: self._hands.click(*self.pixel(point), button, count, modifiers))
        self._last = (time.monotonic(), point, count)

    def press(self, point: Point, button: str, modifiers: tuple[str, ...] = ()) -> None:
        """Move there, and press a button down."""
        self.move(point)
        self._keep_apart(point, 1)
        self._do(lambda: self._hands.press(button, modifiers))

    def release(self, point: Point | None, button: str, modifiers: tuple[str, ...] = ()) -> None:
        """Move there, and let a button go."""
        if point is not None:
            self.move(point)
        self._do(lambda: self._hands.release(button, modifiers))

    def drag(self, way: Iterable[Point], button: str, modifiers: tuple[str, ...]) -> None:
        """Press at the first of these points, move along them, and let go at the last."""
        first, *rest = way
        self.press(first, button, modifiers)
        try:
            for point in rest:
                self.move(point)
        finally:
            self.release(None, button, modifiers)

    def wheel(self, point: Point, dx: float, dy: float) -> None:
        """Turn the wheel over a point, in notches; down and right are positive."""
        if round(abs(dx)) + round(abs(dy)):
            self._do(lambda: self._hands.wheel(*self.pixel(point), dx, dy))

    def chord(self, chord: Chord) -> None:
        """Press a key with modifiers."""
        self._do(lambda: self._hands.chord(chord))

    def text(self, text: str) -> None:
        """Type characters."""
        if text:
            self._do(lambda: self._hands.type(text, self.settle))

    def pixel(self, point: Point) -> Point:
        """The point in pixels of the display."""
        return point[0] * self.scale, point[1] * self.scale

    def settle(self) -> None:
        """Return once the program has handled what the display sent so far."""
        with suppress(AppGone):  # a program that ends by it has handled it
            self._ui.settle(self.left)

    def close(self) -> None:
        if self._real is not None:
            self._real.close()
        if self._display is not None:
            self._display.close()

    # -- steps -----------------------------------------------------------------------------------

    @property
    def _hands(self) -> RealInput:
        if self._real is None:
            self._real = RealInput(self.display)
        return self._real

    def _do(self, act: Callable[[], object]) -> None:
        act()
        self.display.is_down(1)  # by its answer the display has made all of it
        self.settle()

    def _keep_apart(self, point: Point, count: int) -> None:
        """Let some time pass where clicks would be counted together with those before."""
        if self._last is None:
            return
        before, place, _ = self._last
        near = all(abs(now - then) <= _NEAR for now, then in zip(point, place, strict=True))
        if near:
            soon = self._ui.call(lambda: Gtk.Settings.get_default().get_property(_CLICKS) / 1000, self.left)
            left = before + soon + 0.02 - time.monotonic()
            if left > 0:
                self._ui.pause(left)
