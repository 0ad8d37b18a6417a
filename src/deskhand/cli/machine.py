"""Commands about the machine: a private desktop, and the doctor."""

from __future__ import annotations

import click

from ..desktop import run_on_desktop
from .sizes import size as wide_and_high


@click.command(context_settings={"allow_interspersed_args": False})
@click.option(
    "--size", type=wide_and_high, default="1280x800", metavar="WxH", show_default=True, help="In pixels."
)
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
@click.pass_context
def desktop(context: click.Context, size: tuple[int, int], command: tuple[str, ...]) -> None:
    """Run a command on a private headless desktop.

    The desktop has a display, session bus, accessibility bus, window manager and home of its own. It ends
    with the command, with the command's exit code, and leaves nothing behind.

    \b
      deskhand desktop -- pytest
      deskhand desktop --size 1920x1080 -- bash
    """
    context.exit(run_on_desktop(command, size))


COMMANDS = [desktop]
