"""A screenshot of the whole X display that a program is on: all windows, of whichever program.

The display itself is read, so this works while the program's GUI thread hangs.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..model.errors import ConnectFailed, ScreenshotFailed
from ..model.node import Image
from ..x11 import Connection, parse_display, read_cookie

_CONNECT = 5.0


def screen(env: Mapping[str, str]) -> Image:
    """The whole display that an environment leads to, by DISPLAY and XAUTHORITY."""
    if not env.get("DISPLAY"):
        raise ScreenshotFailed(
            "a screenshot of the desktop needs an X11 display, and this program has none",
            suggestions=("start it on a private desktop: --headless, in Python headless=True",),
        )
    if env.get("WAYLAND_DISPLAY"):
        raise ScreenshotFailed("the screen is Wayland's, which X11 cannot read")
    try:
        host, number = parse_display(env["DISPLAY"])
        with Connection(number, read_cookie(env, number), _CONNECT, host=host) as connection:
            return Image(connection.screenshot(), connection.width, connection.height)
    except ConnectFailed as error:
        raise ScreenshotFailed(f"the display cannot be read: {error.message}") from error
