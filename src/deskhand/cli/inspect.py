"""`deskhand inspect`: the inspector of an app that runs already."""

from __future__ import annotations

from pathlib import Path

import click

from ..launching import launcher
from ..serving.endpoints import DEFAULT_INSPECTOR, InspectorSettings, endpoints
from . import tokens
from .choice import Choice, app_option, json_option, remember, token_file_option
from .serve import announce, other_users_option, reach


@click.command()
@app_option
@click.option("--pid", type=int, metavar="PID", help="The app's process id.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=DEFAULT_INSPECTOR, show_default=True, metavar="PORT"
)
@click.option(
    "--token",
    metavar="TOKEN",
    help=f"The token of the page's address, instead of a new one.  [{tokens.VARIABLE}]",
)
@token_file_option
@click.option("--no-token", is_flag=True, help="Ask for no token.")
@other_users_option
@json_option
@click.pass_context
def inspect(
    context: click.Context,
    app: str | None,
    pid: int | None,
    port: int,
    token: str | None,
    token_file: Path | None,
    no_token: bool,
    allow_other_users: bool,
    as_json: bool | None,
) -> None:
    """Show an app in a browser: its live screen and tree, selectors for its elements, and what is done to it.

    Prints the address of the page, with its token. Runs until the app ends or Ctrl+C. Without --app it is the
    desktop, or the only app that runs with deskhand inside.

    \b
      deskhand inspect --app my_app
      deskhand run --headless --inspector -- python app.py
    """
    choice = remember(context, Choice(app=app, pid=pid, token=token, token_file=token_file, as_json=as_json))
    given = tokens.taken(choice.token, choice.token_file)
    if no_token and given is not None:
        raise click.UsageError("--no-token contradicts --token and --token-file")
    if no_token:
        click.echo("warning: --no-token: any program that can reach the port can use the page", err=True)
    elif given is None:
        given = tokens.made(True)  # its only use is in the address, which is printed
    entry, runner, desktop = reach(choice.name, choice.pid, confined=False)
    context.exit(
        launcher.serve_attached(
            entry,
            endpoints=endpoints(inspector=port),
            connect=lambda _: runner,
            ready=lambda ready: announce(ready, choice.json),
            inspector=InspectorSettings(given, whole=desktop),
            other_users=allow_other_users,
        )
    )


COMMANDS = [inspect]
