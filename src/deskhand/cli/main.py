"""The `deskhand` command itself: its groups, its version, and how errors become exit codes."""

from __future__ import annotations

import sys
from typing import Any

import click

from .. import __version__
from ..model.errors import DeskhandError
from . import act, completion, later, look, machine, serve, window
from .choice import Choice, choice_options, remember
from .exits import MEANING, code_of
from .output import report

_SECTIONS = {
    "Start and serve": ("run", "serve", "attach", "desktop"),
    "Look": ("apps", "tree", "find", "get", "wait", "windows", "screenshot", "info"),
    "Act": (
        "click", "type", "key", "set", "select", "check", "uncheck", "press", "hover", "drag", "scroll",
        "focus", "menu", "expand", "collapse", "window",
    ),
    "Help": ("doctor", "completion"),
}  # fmt: skip


class Commands(click.Group):
    """Lists its commands by what they are for, and ends with the code that belongs to an error."""

    def invoke(self, context: click.Context) -> Any:
        try:
            return super().invoke(context)
        except DeskhandError as error:
            chosen = context.find_root().obj
            report(error, isinstance(chosen, Choice) and chosen.json)
            context.exit(code_of(error))

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        for title, names in _SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name, self._summary(context, name)) for name in names])

    def format_epilog(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_epilog(context, formatter)
        with formatter.section("Exit codes"):
            formatter.write_dl([(str(code), meaning) for code, meaning in MEANING.items()])

    def _summary(self, context: click.Context, name: str) -> str:
        command = self.get_command(context, name)
        return command.get_short_help_str(limit=100) if command is not None else ""


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="deskhand", message="%(prog)s %(version)s")
@choice_options
@click.pass_context
def commands(context: click.Context, /, **given: Any) -> None:
    """See and operate the graphical interface of a program.

    Start a program with `deskhand run`, then look at it and operate it from another shell:

    \b
      deskhand run --headless -- python app.py
      deskhand tree
      deskhand type 'textfield[name="Name"]' Ada
      deskhand click 'button[name="Greet"]'

    The options that choose an app may stand before a command or after it. Without one it is the only app
    that runs.
    """
    remember(context, Choice(**given))


for module in (serve, look, act, window, machine, completion, later):
    for command in module.COMMANDS:
        commands.add_command(command)


def main() -> None:
    """Run the command line and end the process."""
    commands(prog_name="deskhand", args=sys.argv[1:])
