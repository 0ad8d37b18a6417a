"""`deskhand webdriver`: W3C WebDriver, with a private desktop and an app for each session."""

from __future__ import annotations

import json
import os
from pathlib import Path

import click

from ..launching import launcher
from ..processes import registry
from ..serving.endpoints import DEFAULT_WEBDRIVER, WebDriverSettings, endpoints
from ..transports.allowed_pages import is_origin
from ..transports.request_guard import is_loopback
from . import tokens
from .choice import Choice, json_option, remember, token_file_option
from .serve import announce, log_wire_options, other_users_option

_STEREOTYPE = {"platformName": "linux", "appium:automationName": "deskhand"}


def _origins(_: click.Context, __: click.Parameter, given: tuple[str, ...]) -> tuple[str, ...]:
    for origin in given:
        if not is_origin(origin):
            raise click.BadParameter(f"'{origin}' is not an origin such as http://127.0.0.1:4725")
    return given


@click.command()
@click.option(
    "--port", type=click.IntRange(0, 65535), default=DEFAULT_WEBDRIVER, show_default=True, metavar="PORT"
)
@click.option(
    "--slots",
    type=click.IntRange(1, 1000),
    metavar="N",
    help="How many sessions run at once; others wait.  [default: one for each processor]",
)
@click.option(
    "--grid-config",
    is_flag=True,
    help="Print the configuration of a Selenium Grid node that relays here, and end.",
)
@click.option("--bind", default="127.0.0.1", show_default=True, metavar="ADDRESS", help="Where to listen.")
@click.option(
    "--token",
    metavar="TOKEN",
    help=f"Ask for this bearer token in every request but /status.  [{tokens.VARIABLE}]",
)
@token_file_option
@other_users_option
@click.option(
    "--allow-host",
    "hosts",
    multiple=True,
    metavar="NAME",
    help="Another name that clients use for this machine, such as that of a container. May be repeated.",
)
@click.option(
    "--allow-origin",
    "origins",
    multiple=True,
    callback=_origins,
    metavar="ORIGIN",
    help="Whose pages may be clients, such as http://127.0.0.1:4725 of Appium Inspector. May be repeated.",
)
@log_wire_options
@json_option
@click.pass_context
def webdriver(
    context: click.Context,
    port: int,
    slots: int | None,
    grid_config: bool,
    bind: str,
    token: str | None,
    token_file: Path | None,
    allow_other_users: bool,
    hosts: tuple[str, ...],
    origins: tuple[str, ...],
    log_wire: Path | None,
    log_wire_text: bool,
    as_json: bool | None,
) -> None:
    """Serve W3C WebDriver: selenium and Appium clients drive desktop apps, each on a private desktop.

    A session starts the app that its capabilities name, and ends it. Alone, or behind a Selenium Grid.

    \b
      deskhand webdriver
      deskhand webdriver --port 4724 --slots 4
      deskhand webdriver --slots 4 --grid-config > relay.toml
    """
    count = slots or os.cpu_count() or 1
    if grid_config:
        click.echo(relay(bind, port, count), nl=False)
        return
    choice = remember(context, Choice(token=token, token_file=token_file, as_json=as_json))
    token = tokens.taken(choice.token, choice.token_file)
    if token is None and (allow_other_users or not is_loopback(bind)):
        click.echo(
            "warning: without --token, every client that can reach the port can start programs here", err=True
        )
    from ..client.webdriver import NoApp, Slots  # only now: it takes a while to load

    runner = NoApp()
    context.exit(
        launcher.serve_attached(
            registry.AppEntry("webdriver", os.getpid(), ""),
            endpoints=endpoints(webdriver=port, bind=bind),
            connect=lambda _: runner,
            ready=lambda ready: announce(ready, choice.json),
            log_wire=log_wire,
            log_wire_text=log_wire_text,
            webdriver=WebDriverSettings(token, hosts=hosts, origins=origins, opener=Slots(count)),
            other_users=allow_other_users,
        )
    )


def relay(bind: str, port: int, slots: int) -> str:
    """The TOML of a Selenium Grid node, or of a standalone Grid, that relays to a server here."""
    host = "127.0.0.1" if bind == "0.0.0.0" else bind  # noqa: S104 - an address to call, not to listen at
    config = json.dumps(json.dumps(_STEREOTYPE))
    return f"""\
# Selenium Grid 4: java -jar selenium-server-VERSION.jar standalone --config THIS_FILE
[server]
port = 4444

[node]
detect-drivers = false
max-sessions = {slots}

[relay]
url = "http://{host}:{port}"
status-endpoint = "/status"
protocol-version = "HTTP/1.1"
configs = ["{slots}", {config}]
"""


COMMANDS = [webdriver]
