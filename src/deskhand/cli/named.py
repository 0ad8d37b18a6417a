"""`deskhand token`: more tokens for a running server, each with a name and optional limits."""

from __future__ import annotations

import re
from datetime import datetime, timezone

import click

from ..serving import tokens as tokenfile
from ..transports.bearer import MAIN
from .choice import Choice, json_option, remember
from .output import emit, table

_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_LONGEST = 366 * 86400
_DURATION = re.compile(r"(?:\d{1,9}[smhd])+")

_server_option = click.option(
    "--server", metavar="NAME|PID", help="Which server, by the app that it serves or its process id."
)


def _duration(text: str) -> float:
    """A time such as 90s, 15m, 1h or 7d, in seconds."""
    parts = re.findall(r"(\d+)([smhd])", text) if _DURATION.fullmatch(text) else []
    total = sum(int(number) * _SECONDS[unit] for number, unit in parts)
    if not 0 < total <= _LONGEST:
        raise click.BadParameter(f"'{text}' is not a time such as 90s, 15m, 1h or 7d, up to 366d")
    return float(total)


@click.group()
def token() -> None:
    """Give a running server more tokens, list them and remove them.

    For servers that ask for a token: MCP, `deskhand agent`, and others with --token or --token-everywhere.

    \b
      deskhand token new --app galculator --read-only --expires 1h
    """


@token.command()
@_server_option
@click.option("--name", metavar="NAME", help="What the audit log calls it.  [default: token-1, token-2, …]")
@click.option("--app", metavar="NAME", help="Let its clients see and operate this app only.")
@click.option("--read-only", is_flag=True, help="Only answer reads; its clients cannot act.")
@click.option("--expires", type=_duration, metavar="TIME", help="How long it is accepted: 90s, 15m, 1h, 7d.")
@json_option
@click.pass_context
def new(
    context: click.Context,
    server: str | None,
    name: str | None,
    app: str | None,
    read_only: bool,
    expires: float | None,
    as_json: bool | None,
) -> None:
    """Make a token for a running server, and print it once.

    The server accepts it at once, wherever it asks for a token. Commands and files are not for tokens with
    --app or --read-only.

    \b
      deskhand token new --name reviewer --read-only
      deskhand token new --server desktop --app galculator --expires 1h --json
    """
    choice = remember(context, Choice(as_json=as_json))
    scope = tokenfile.Scope(app, read_only)
    made, secret = tokenfile.add(tokenfile.server(server), name, scope=scope, lifetime=expires)
    emit({**_shown(made), "token": secret}, choice.json, f"token {secret}")
    if not choice.json:
        click.echo(f"named {made.name}: {_limits(made)}", err=True)


@token.command("list")
@_server_option
@json_option
@click.pass_context
def list_(context: click.Context, server: str | None, as_json: bool | None) -> None:
    """List the tokens that a running server accepts, by their names.

    \b
      deskhand token list
    """
    choice = remember(context, Choice(as_json=as_json))
    valid = [each for each in tokenfile.server(server).tokens if not each.expired]
    rows = [(MAIN, "everything that the server offers"), *((each.name, _limits(each)) for each in valid)]
    shown = [{"name": MAIN, "read_only": False}, *map(_shown, valid)]
    emit({"tokens": shown}, choice.json, table(("NAME", "GOOD FOR"), rows))


@token.command()
@click.argument("name")
@_server_option
@json_option
@click.pass_context
def revoke(context: click.Context, name: str, server: str | None, as_json: bool | None) -> None:
    """Make a running server stop accepting a token.

    \b
      deskhand token revoke reviewer
    """
    choice = remember(context, Choice(as_json=as_json))
    chosen = tokenfile.server(server)
    tokenfile.revoke(chosen, name)
    emit({"revoked": name}, choice.json, f"the server {chosen} does not accept '{name}' any more")


def _shown(made: tokenfile.Token) -> dict[str, object]:
    shown: dict[str, object] = {"name": made.name, "read_only": made.read_only}
    if made.app is not None:
        shown["app"] = made.app
    if made.expires is not None:
        shown["expires"] = _when(made.expires)
    return shown


def _limits(made: tokenfile.Token) -> str:
    what = "questions" if made.read_only else "everything that the server offers"
    about = "" if made.app is None else f", about {made.app} only"
    return what + about + ("" if made.expires is None else f", until {_when(made.expires)}")


def _when(time: float) -> str:
    return datetime.fromtimestamp(time, timezone.utc).isoformat(timespec="seconds")


COMMANDS = [token]
