"""`deskhand desktop` runs a command on a private desktop, `deskhand doctor` tries the parts of a machine."""

from __future__ import annotations

from pathlib import Path

import click

from .. import doctor as diagnosis
from ..desktop.private import run_on_desktop
from .choice import Choice, json_option, remember
from .output import emit, styled
from .sizes import shared_tmp_option
from .sizes import size as wide_and_high


@click.command(context_settings={"allow_interspersed_args": False})
@click.option(
    "--size", type=wide_and_high, default="1280x800", metavar="WxH", show_default=True, help="In pixels."
)
@click.option(
    "--home",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="The home of the programs, which is kept. Without it they get an empty one.",
)
@shared_tmp_option
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
@click.pass_context
def desktop(
    context: click.Context,
    size: tuple[int, int],
    home: Path | None,
    shared_tmp: bool,
    command: tuple[str, ...],
) -> None:
    """Run a command on a private headless desktop.

    The desktop has a display, session bus, accessibility bus, window manager and home of its own. It ends
    with the command, with the command's exit code, and leaves nothing behind.

    \b
      deskhand desktop -- pytest
      deskhand desktop --size 1920x1080 -- bash
      deskhand desktop --home profile -- gedit
    """
    context.exit(run_on_desktop(command, size, home=home, tmp="shared" if shared_tmp else "private"))


@click.command()
@json_option
@click.pass_context
def doctor(context: click.Context, as_json: bool | None) -> None:
    """Say what works on this machine, what does not, and how to fix it.

    Tries every toolkit and protocol for real. Ends with 1 if something fails.

    \b
      deskhand doctor
    """
    choice = remember(context, Choice(as_json=as_json))
    checks = diagnosis.check(None if choice.json else _Teller())
    if choice.json:
        emit({"checks": diagnosis.to_json(checks)}, True, None)
    context.exit(diagnosis.exit_code(checks))


class _Teller:
    """Prints each result of the doctor as it comes."""

    def __init__(self) -> None:
        self._group: str | None = None

    def __call__(self, check: diagnosis.Check) -> None:
        title, *lines = diagnosis.render([check], _paint).splitlines()
        if check.group != self._group:
            click.echo(title if self._group is None else f"\n{title}")
            self._group = check.group
        for line in lines:
            click.echo(line)


def _paint(text: str, colour: str) -> str:
    return styled(text, dim=True) if colour == "dim" else styled(text, fg=colour)


COMMANDS = [desktop, doctor]
