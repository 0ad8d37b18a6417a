"""Screenshots of the screen, of windows and of elements, as PNG."""

from __future__ import annotations

from collections.abc import Callable

from ...images.png import to_png
from ...model.errors import ScreenshotFailed
from ...model.node import Image, Rect
from ..display import Display
from .windows import ON_WAYLAND, Windows, XWindow


def desktop_screenshot(display: Display | None, *, rootless: bool = False) -> Image:
    """A screenshot of the whole screen."""
    display = _need(display)
    if rootless:
        raise ScreenshotFailed(
            "the screen is Wayland's, and X11 has no screenshot of it",
            suggestions=("take a screenshot of one window, if its program uses Xwayland", *ON_WAYLAND[1:]),
        )
    return _taken(display, Rect(0, 0, display.width, display.height))


def window_screenshot(
    display: Display | None,
    bounds: Rect | None,
    window: XWindow | None,
    windows: Windows | None,
    settle: Callable[[], object],
    *,
    rootless: bool = False,
) -> Image:
    """A screenshot of an area of the screen, as it looks without what covers its window.

    `settle` returns once the program has taken in what happened before. A `rootless` display, as Xwayland is,
    has windows but no screen.
    """
    display = _need(display)
    if window is not None and window.minimized:
        raise ScreenshotFailed(
            f"window '{window.title}' is minimized, so that nothing of it is painted",
            suggestions=("restore it first: deskhand window restore",),
        )
    if bounds is None:
        raise ScreenshotFailed("the element is not on the screen", suggestions=("scroll it into view first",))
    wanted = Rect(*(round(number) for number in bounds))
    screen = Rect(0, 0, display.width, display.height)
    seen = wanted.intersection(screen)
    inside = None if window is None else wanted.intersection(window.area)
    if window is not None and windows is not None and inside is not None:
        hidden = rootless or seen != wanted or windows.covered(window, inside)
        if hidden:
            with display.uncovered(window.id):
                settle()
                return _taken(display, inside, window)
    if seen is None:
        raise ScreenshotFailed(f"the element is outside the screen of {display.width}x{display.height}")
    return _taken(display, seen)


def _taken(display: Display, place: Rect, window: XWindow | None = None) -> Image:
    x, y, width, height = (int(number) for number in place)
    if window is None:
        pixels = display.pixels(x, y, width, height)
    else:
        left, top, _, _ = (int(number) for number in window.area)
        pixels = display.steady_pixels(x - left, y - top, width, height, window.id)
    return Image(to_png(width, height, pixels), width, height)


def _need(display: Display | None) -> Display:
    if display is None:
        raise ScreenshotFailed(
            "a screenshot needs an X11 display, and there is none", suggestions=ON_WAYLAND[1:]
        )
    return display
