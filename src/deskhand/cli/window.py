"""`deskhand window`: focus, move, resize, minimize, maximize, restore and close windows."""

from __future__ import annotations

import click

from ..model.operations import ControlWindow
from .act import perform
from .choice import Chosen, on_app
from .sizes import point
from .sizes import size as wide_and_high


@click.group()
def window() -> None:
    """Focus, move, resize, minimize, maximize, restore or close a window.

    Each takes the selector of the window, or of anything in it; without one it is the main window.

    \b
      deskhand window resize 800x600
      deskhand window close 'dialog[name="About"]'
    """


_selector = click.argument("selector", required=False)


@window.command()
@click.argument("place", type=point, metavar="X,Y")
@_selector
@on_app
def move(app: Chosen, as_json: bool, place: tuple[float, float], selector: str | None) -> None:
    """Move a window to a point of the screen.

    \b
      deskhand window move 100,50
    """
    x, y = place
    perform(app, as_json, f"moved to {x:g},{y:g}", ControlWindow, target=selector, do="move", x=x, y=y)


@window.command()
@click.argument("size", type=wide_and_high, metavar="WxH")
@_selector
@on_app
def resize(app: Chosen, as_json: bool, size: tuple[int, int], selector: str | None) -> None:
    """Give a window another size.

    \b
      deskhand window resize 1024x768
    """
    width, height = size
    perform(
        app,
        as_json,
        f"resized to {width}x{height}",
        ControlWindow,
        target=selector,
        do="resize",
        width=width,
        height=height,
    )


def _simple(do: str, said: str, summary: str) -> None:
    def command(app: Chosen, as_json: bool, selector: str | None) -> None:
        perform(
            app, as_json, f"{said} {selector or 'the main window'}", ControlWindow, target=selector, do=do
        )

    command.__doc__ = f"{summary}\n\n\b\n  deskhand window {do}\n"
    window.command(name=do)(_selector(on_app(command)))


_simple("focus", "focused", "Bring a window to the front and give it the focus.")
_simple("minimize", "minimized", "Minimize a window.")
_simple("maximize", "maximized", "Maximize a window.")
_simple("restore", "restored", "Undo minimize and maximize.")
_simple("close", "closed", "Close a window, as its close button would.")

COMMANDS = [window]
