"""`deskhand agent`: the desktop of this machine, offered to other machines by the Agent contract."""

from __future__ import annotations

import os
from pathlib import Path

import click

from .. import x11
from ..client.deferred import Deferred
from ..launching import launcher
from ..model.errors import AccessibilityUnavailable
from ..model.operations import Runner
from ..processes import registry
from ..serving import oversight
from ..serving.endpoints import DEFAULT_AGENT, AgentSettings, endpoints
from ..serving.virtual import look, virtual
from ..transports.request_guard import is_loopback
from . import tokens
from .choice import Choice, json_option, remember, token_file_option
from .serve import announce, guard_options, log_wire_options, open_app, other_users_option


@click.command()
@click.option(
    "--bind",
    metavar="ADDRESS",
    help="Where to listen.  [default: 0.0.0.0 in a virtual machine or container, else 127.0.0.1]",
)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=DEFAULT_AGENT, show_default=True, metavar="PORT"
)
@click.option(
    "--token",
    metavar="TOKEN",
    help="Ask for this bearer token in every request. One is made and printed if none is given."
    f"  [{tokens.VARIABLE}]",
)
@token_file_option
@click.option(
    "--no-token", is_flag=True, help="Ask for no token: any client that reaches the port can run commands."
)
@other_users_option
@click.option(
    "--allow-host",
    "hosts",
    multiple=True,
    metavar="NAME",
    help="Another name that clients use for this machine, such as that of a container. May be repeated.",
)
@log_wire_options
@guard_options
@json_option
@click.pass_context
def agent(
    context: click.Context,
    bind: str | None,
    port: int,
    token: str | None,
    token_file: Path | None,
    no_token: bool,
    allow_other_users: bool,
    hosts: tuple[str, ...],
    log_wire: Path | None,
    log_wire_text: bool,
    policy: Path | None,
    audit: Path | None,
    as_json: bool | None,
) -> None:
    """Let another machine see and operate this desktop, run commands and move files.

    The agent inside a virtual machine or container, for a host that speaks the Agent contract. It starts also
    while there is no desktop yet, and answers /health with 503 until there is one.

    \b
      deskhand agent
      deskhand agent --bind 127.0.0.1 --token s3cret
    """
    choice = remember(context, Choice(token=token, token_file=token_file, as_json=as_json))
    if no_token and (choice.token is not None or choice.token_file is not None):
        raise click.UsageError("--no-token contradicts --token and --token-file")
    token = tokens.taken(choice.token, choice.token_file)
    if no_token:
        token = None
    elif token is None:
        token = tokens.made(choice.json)
    address, why = (bind, "--bind says so") if bind else _default_address()
    click.echo(f"deskhand: the agent listens at {address} port {port}: {why}", err=True)
    if no_token:
        others = "every program of this user" if is_loopback(address) and not allow_other_users else "anyone"
        click.echo(
            f"warning: --no-token: {others} that can reach it can run commands on this machine "
            "and read its files",
            err=True,
        )
    runner = Deferred(_desktop)
    context.exit(
        launcher.serve_attached(
            registry.AppEntry("desktop", os.getpid(), "desktop:"),
            endpoints=endpoints(agent=port, bind=address),
            connect=lambda _: runner,
            ready=lambda ready: announce(ready, choice.json),
            log_wire=log_wire,
            log_wire_text=log_wire_text,
            agent=AgentSettings(token, exec=True, hosts=hosts, warn=False),
            other_users=allow_other_users,
            guard=oversight.guard(policy, audit),
            open_app=open_app,
        )
    )


def _default_address() -> tuple[str, str]:
    kind = virtual(look())
    if kind is not None:
        return "0.0.0.0", f"this is {kind}, whose host is meant to reach it"  # noqa: S104 - as the contract says
    return "127.0.0.1", "this is neither a virtual machine nor a container"


def _desktop() -> Runner:
    from ..desktop import session  # which loads much that a first answer does not need

    display = os.environ.get("DISPLAY")
    if display:
        host, number = x11.parse_display(display)
        if not host and not x11.socket_path(number).exists():
            raise AccessibilityUnavailable(f"the display {display} is not there yet")
    return session.session()


COMMANDS = [agent]
