"""The `deskhand` command itself: its groups, its version, and how errors become exit codes."""

from __future__ import annotations

import json
import sys
from typing import Any, NoReturn

import click

from .. import __version__
from ..model.errors import ActionFailed, DeskhandError
from ..processes import shortage
from . import (
    act,
    agent,
    audit,
    clipboard,
    completion,
    desktop,
    inspect,
    look,
    mcp,
    named,
    policy,
    record,
    remote,
    serve,
    tokens,
    trace,
    unavailable,
    webdriver,
    window,
)
from .choice import Choice, choice_options, remember
from .exits import MEANING, WRONG_USE, code_of
from .output import report

_AS_JSON = "deskhand.json"
_SECTIONS = {
    "Start and serve": (
        "run", "serve", "attach", "detach", "agent", "mcp", "webdriver", "inspect", "desktop", "policy",
        "token",
    ),
    "Read": ("apps", "tree", "find", "get", "wait", "windows", "screenshot", "info"),
    "Act": (
        "click", "type", "key", "set", "select", "check", "uncheck", "press", "hover", "drag", "scroll",
        "focus", "menu", "expand", "collapse", "choose-file", "window", "clipboard",
    ),
    "Record": ("record",),
    "Check": ("audit",),
    "Look back": ("trace",),
    "Another machine": ("exec", "upload", "download"),
    "Help": ("doctor", "completion"),
}  # fmt: skip


class Commands(click.Group):
    """Lists its commands by purpose, and ends with the exit code of an error."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        as_json = "--json" in (args[: args.index("--")] if "--" in args else args)
        try:
            context = super().make_context(info_name, args, parent, **extra)
        except click.UsageError as error:
            _refuse(error, as_json)
        context.meta[_AS_JSON] = as_json
        return context

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except DeskhandError as error:
            serves = ctx.invoked_subcommand in ("run", "serve", "attach", "agent", "webdriver", "inspect")
            report(error, isinstance(ctx.obj, Choice) and ctx.obj.json, short=serves)
            ctx.exit(code_of(error))
        except (OSError, RuntimeError) as error:
            kind = shortage.kind_of(error)
            if kind is None or isinstance(error, BlockingIOError):  # of a pipe, for one
                raise
            lacking = ActionFailed(shortage.in_words(error), suggestions=shortage.advice(kind))
            report(lacking, isinstance(ctx.obj, Choice) and ctx.obj.json)
            ctx.exit(code_of(lacking))
        except click.UsageError as error:
            _refuse(error, ctx.meta[_AS_JSON])

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


def _refuse(error: click.UsageError, as_json: bool) -> NoReturn:
    """Report wrong usage: as click does, or as JSON like every other error."""
    if not as_json:
        raise error
    usage = {"kind": "usage", "message": error.format_message()}
    click.echo(json.dumps({"error": usage}, ensure_ascii=False, indent=2))
    raise click.exceptions.Exit(WRONG_USE)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="deskhand", message="%(prog)s %(version)s")
@choice_options
@click.pass_context
def commands(context: click.Context, /, **given: Any) -> None:
    """See and operate the graphical interface of a program.

    Start a program with `deskhand run`, then read and operate it from another shell:

    \b
      deskhand run --headless -- python app.py
      export DESKHAND_APP=app
      deskhand tree
      deskhand type 'textfield[name="Name"]' Ada
      deskhand click 'button[name="Greet"]'

    Options that choose an app go before or after the command. Without one, a command works on the desktop
    with every program on it, or, where there is no desktop, on the only app that runs.
    """
    remember(context, Choice(**given))


for module in (
    serve,
    agent,
    mcp,
    webdriver,
    look,
    act,
    window,
    clipboard,
    remote,
    desktop,
    policy,
    record,
    named,
    audit,
    trace,
    completion,
    inspect,
    unavailable,
):
    for command in module.COMMANDS:
        commands.add_command(command)


def main() -> None:
    """Run the command line and end the process."""
    tokens.hide(sys.argv[1:])
    commands(prog_name="deskhand", args=sys.argv[1:])
