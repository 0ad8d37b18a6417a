"""Commands that start an app or serve one: run, serve, attach."""

from __future__ import annotations

import functools
import json
import shlex
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal

import click

from ..client.targets import app_target, open_outside
from ..desktop.private import Joined
from ..engine.policy_guard import Guard
from ..engine.restricted import Restricted
from ..launching import launcher
from ..model.errors import LaunchFailed
from ..model.operations import Runner
from ..processes import registry
from ..serving import oversight
from ..serving.endpoints import (
    DEFAULT_AGENT,
    DEFAULT_GIP,
    DEFAULT_INSPECTOR,
    DEFAULT_MCP,
    DEFAULT_ORCA,
    DEFAULT_WEBDRIVER,
    AgentSettings,
    Endpoint,
    InspectorSettings,
    McpSettings,
    Ready,
    WebDriverSettings,
    endpoints,
    load_early,
)
from ..serving.remote import Remote
from ..toolkits import driven_inside
from ..tracing import Trace
from . import tokens
from .choice import Choice, app_option, json_option, remember, token_file_option
from .output import report
from .sizes import shared_tmp_option
from .sizes import size as wide_and_high


@dataclass(frozen=True)
class Serving:
    """The values of the options about endpoints."""

    gip: tuple[str, ...]
    orca: int | None
    agent: int | None
    mcp: int | None
    exec: bool
    token: str | None
    token_file: Path | None
    no_token: bool
    token_everywhere: bool
    allow_other_users: bool
    log_wire: Path | None
    standby: bool
    read_only: bool
    as_json: bool
    webdriver: int | None = None
    inspector: int | None = None
    policy: Path | None = None
    audit: Path | None = None
    trace: Path | None = None
    log_wire_text: bool = False
    made_token: str | None = None
    """Made here, for MCP, the inspector and commands, which always require one."""

    @property
    def endpoints(self) -> tuple[Endpoint, ...]:
        return endpoints(
            self.gip,
            orca=self.orca,
            agent=self.agent,
            mcp=self.mcp,
            webdriver=self.webdriver,
            inspector=self.inspector,
        )

    @property
    def agent_settings(self) -> AgentSettings:
        """How the Agent contract is served; its clients have no token unless they run commands."""
        return AgentSettings(self.token or (self.made_token if self.exec else None), self.exec)

    @property
    def mcp_settings(self) -> McpSettings:
        """How the MCP contract is served."""
        return McpSettings(self.token or self.made_token, self.read_only)

    @property
    def webdriver_settings(self) -> WebDriverSettings:
        """How WebDriver is served; its clients have no token unless one is given, or files are moved."""
        return WebDriverSettings(self.token or (self.made_token if self.exec else None), self.exec)

    @property
    def inspector_settings(self) -> InspectorSettings:
        """How the inspector is served."""
        return InspectorSettings(self.token or self.made_token)

    def check(self) -> Serving:
        """The same with the token that is needed, made here if none is given. Raises UsageError."""
        if self.no_token and (self.token is not None or self.token_file or self.token_everywhere):
            raise click.UsageError("--no-token contradicts --token, --token-file and --token-everywhere")
        if self.exec and self.agent is None and self.webdriver is None:
            raise click.UsageError("--exec is about --agent and --webdriver; give one of them")
        if self.exec and (self.read_only or self.standby):
            raise click.UsageError("--exec contradicts --read-only and --standby")
        if self.exec and self.no_token:
            raise click.UsageError(
                "--exec contradicts --no-token: commands are run only for clients with a token"
            )
        given = tokens.taken(self.token, self.token_file)
        token = None if self.no_token else given
        if token and not self.token_everywhere and (self.gip or self.orca is not None):
            who = "GIP asks" if self.orca is None else "GIP and Orca ask" if self.gip else "Orca asks"
            click.echo(f"note: {who} for the token only with --token-everywhere", err=True)
        always = [f"--{name}" for name in ("mcp", "inspector") if getattr(self, name) is not None]
        if self.no_token and always:
            ports = " and of ".join(always)
            click.echo(
                f"warning: --no-token: any program that can reach the port of {ports} can use it", err=True
            )
        elsewhere = self.token_everywhere or self.exec or (self.mcp is not None and not self.no_token)
        if token or not (elsewhere or (always and not self.no_token)):
            return replace(self, token=token)
        # The address of the inspector has the token, so that it need not be printed for that alone.
        new = tokens.made(self.as_json or not elsewhere)
        return replace(self, token=new) if self.token_everywhere else replace(self, made_token=new)

    @functools.cached_property
    def guard(self) -> Guard | None:
        """What decides on and records what clients do, if an option asks for it."""
        return oversight.guard(self.policy, self.audit)

    @functools.cached_property
    def tracing(self) -> Trace | None:
        """What records all that clients do, if an option asks for it."""
        return None if self.trace is None else Trace(self.trace)

    def finish(self) -> None:
        """Write the trace, if there is one."""
        if self.tracing is not None:
            report_trace(self.tracing.save())

    @property
    def gip_token(self) -> str | None:
        """What GIP asks for over WebSocket and HTTP, and Orca."""
        return self.token if self.token_everywhere else None

    def announce(self, ready: tuple[Ready, ...]) -> None:
        """Print what accepts requests."""
        announce(ready, self.as_json)

    def connect(self, control: str) -> Runner:
        """A runner for the app behind a control socket."""
        return Remote(f"unix:{control}").open()

    def open_app(self, name: str) -> Runner:
        """A runner for one app of the desktop, for clients whose tokens are for that app."""
        return Restricted(open_app(name), standby=self.standby, read_only=self.read_only)

    def connect_restricted(self, control: str) -> Runner:
        """The same, for an app whose own agent knows nothing of our restrictions."""
        return Restricted(self.connect(control), standby=self.standby, read_only=self.read_only)


def announce(ready: tuple[Ready, ...], as_json: bool) -> None:
    """Print a line for each endpoint that accepts requests, and finally that all of them do."""
    for endpoint in ready:
        if as_json:
            line = {"ready": endpoint.kind, "url": endpoint.url}
            click.echo(json.dumps({**line, "token": endpoint.token} if endpoint.token else line))
        else:
            click.echo(f"ready {endpoint}")
    click.echo(json.dumps({"ready": True, "url": None}) if as_json else "ready")


def log_wire_options(function: Callable[..., None]) -> Callable[..., None]:
    """The options of a command that can log what its clients say."""
    text = click.option(
        "--log-wire-text",
        is_flag=True,
        callback=_insist_on_log,
        help="Show typed text and the contents of fields there, except recognised passwords.",
    )
    file = click.option(
        "--log-wire",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        is_eager=True,
        help="Write every request and response there, with the length of a text instead of the text.",
    )
    return file(text(function))


def _insist_on_log(context: click.Context, _: click.Parameter, text: bool) -> bool:
    if text and context.params.get("log_wire") is None:
        raise click.UsageError("--log-wire-text is about the log: give --log-wire FILE too")
    return text


other_users_option = click.option(
    "--allow-other-users",
    is_flag=True,
    help="Let other users of this machine connect; otherwise every endpoint refuses them.",
)


def guard_options(function: Callable[..., None]) -> Callable[..., None]:
    """Add the options about what clients may do."""
    file = click.Path(dir_okay=False, path_type=Path)
    policy = click.option(
        "--policy",
        type=file,
        metavar="FILE",
        help="Let clients do only what the rules in this TOML file allow.",
    )
    audit = click.option(
        "--audit",
        type=file,
        metavar="FILE",
        help="Append a line for every operation: which client, what, and what was decided.",
    )
    return policy(audit(function))


trace_option = click.option(
    "--trace",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Record everything that clients do, with screenshots; `deskhand trace show FILE` opens it.",
)


def report_trace(path: Path) -> None:
    """Say where a trace is."""
    click.echo(f"trace: {path} (open it with: deskhand trace show {shlex.quote(str(path))})", err=True)


def serving_options(function: Callable[..., int]) -> Callable[..., None]:
    """Add the options about endpoints; the function is called with their values and returns the exit code."""

    @click.option(
        "--gip",
        multiple=True,
        is_flag=False,
        flag_value=DEFAULT_GIP,
        metavar="[NAME|PATH|ws://…|http://…]",
        help="Serve GIP: on a Unix socket (a bare NAME is in the temp directory), WebSocket or HTTP POST. "
        f"Without a value the socket is {DEFAULT_GIP}. May be repeated.",
    )
    @click.option(
        "--orca",
        type=click.IntRange(0, 65535),
        is_flag=False,
        flag_value=DEFAULT_ORCA,
        metavar="[PORT]",
        help=f"Serve the Orca contract over HTTP, for this machine only.  [{DEFAULT_ORCA}]",
    )
    @click.option(
        "--agent",
        type=click.IntRange(0, 65535),
        is_flag=False,
        flag_value=DEFAULT_AGENT,
        metavar="[PORT]",
        help=f"Serve the Agent contract over HTTP, for this machine only.  [{DEFAULT_AGENT}]",
    )
    @click.option(
        "--mcp",
        type=click.IntRange(0, 65535),
        is_flag=False,
        flag_value=DEFAULT_MCP,
        metavar="[PORT]",
        help="Serve the MCP contract for AI agents over HTTP, for this machine only. It asks for a token, "
        f"which is made and printed unless one is given.  [{DEFAULT_MCP}]",
    )
    @click.option(
        "--webdriver",
        type=click.IntRange(0, 65535),
        is_flag=False,
        flag_value=DEFAULT_WEBDRIVER,
        metavar="[PORT]",
        help="Serve W3C WebDriver over HTTP, for selenium and Appium clients of this machine."
        f"  [{DEFAULT_WEBDRIVER}]",
    )
    @click.option(
        "--inspector",
        type=click.IntRange(0, 65535),
        is_flag=False,
        flag_value=DEFAULT_INSPECTOR,
        metavar="[PORT]",
        help="Serve the inspector, a page that shows the app, its tree and what clients do, for this machine "
        f"only. Its address has a token, which is made unless one is given.  [{DEFAULT_INSPECTOR}]",
    )
    @click.option(
        "--exec",
        is_flag=True,
        help="Let --agent run commands, and write and read files, for clients with the token; --webdriver "
        "push and pull files. A token is made and printed unless given.",
    )
    @click.option(
        "--token",
        metavar="TOKEN",
        help="A bearer token: --mcp, --inspector, --agent and --webdriver ask for it, others with "
        "--token-everywhere."
        f"  [{tokens.VARIABLE}]",
    )
    @token_file_option
    @click.option("--no-token", is_flag=True, help="Ask for no token anywhere.")
    @click.option(
        "--token-everywhere",
        is_flag=True,
        help="Orca, and GIP on WebSocket and HTTP, ask for the token too.",
    )
    @other_users_option
    @log_wire_options
    @click.option("--standby", is_flag=True, help="Start switched off.")
    @click.option("--read-only", is_flag=True, help="Only answer reads; perform no actions.")
    @guard_options
    @trace_option
    @json_option
    @click.pass_context
    @functools.wraps(function)
    def command(context: click.Context, /, **params: Any) -> None:
        before = context.find_root().obj
        for name in ("gip", "agent", "orca"):
            if isinstance(before, Choice) and getattr(before, name) is not None:
                raise click.UsageError(
                    f"--{name} before the command chooses an app; to serve, write it after"
                )
        chosen = remember(context, Choice(as_json=params.pop("as_json")))
        if params["mcp"] is not None:
            load_early("deskhand.transports.mcp")
        given = {
            row.name: params.pop(row.name)
            for row in fields(Serving)
            if row.name not in ("as_json", "made_token")
        }
        serving = Serving(**given, as_json=chosen.json).check()
        try:
            code = function(serving, **params)
        finally:
            serving.finish()
        context.exit(code)

    return command


@click.command(context_settings={"allow_interspersed_args": False})
@click.option("--headless", is_flag=True, help="Give it a private desktop without a screen.")
@click.option(
    "--size",
    type=wide_and_high,
    default="1280x800",
    show_default=True,
    metavar="WxH",
    help="Of the private desktop.",
)
@click.option(
    "--home",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="With --headless: the home of the programs, which is kept. Without it they get an empty one.",
)
@shared_tmp_option
@click.option(
    "--way",
    type=click.Choice(["inside", "outside"]),
    help="Put an agent into it, or use the accessibility bus. By default the richest that works.",
)
@click.option(
    "--desktop",
    metavar="NAME|PID",
    help="Start it on the private desktop of a running app, instead of a desktop of its own.",
)
@click.option("--name", help="What the app is called in `deskhand apps`, instead of its script's name.")
@click.option(
    "--cwd", type=click.Path(exists=True, file_okay=False), metavar="FOLDER", help="Its working directory."
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0),
    default=launcher.TIMEOUT,
    show_default=True,
    metavar="SECONDS",
    help="How long starting may take until it can be driven.",
)
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
@serving_options
def run(
    serving: Serving,
    headless: bool,
    size: tuple[int, int],
    home: Path | None,
    shared_tmp: bool,
    way: Literal["inside", "outside"] | None,
    desktop: str | None,
    name: str | None,
    cwd: str | None,
    timeout: float,
    command: tuple[str, ...],
) -> int:
    """Start an app, instrumented, and serve it until it ends.

    An app with {toolkits} is driven from inside; any other through accessibility.

    Prints a line for each endpoint that accepts requests, and finally `ready`. Ends with the app's exit code.
    SIGINT (Ctrl+C) and SIGTERM end the app too. The other commands find it without any endpoint.

    \b
      deskhand run -- python app.py
      deskhand run --headless --gip -- python -m package --its-own-option
      deskhand run --gip my_app --gip http://127.0.0.1:8551/ -- my-app
      deskhand run --headless --agent -- python app.py
      deskhand run --headless -- galculator
      deskhand run --desktop galculator -- mousepad
    """
    if desktop is not None and headless:
        raise click.UsageError("--headless makes a desktop, --desktop joins one; give one of them")
    if home is not None and not headless:
        raise click.UsageError("--home is the home of a new desktop: give --headless too")
    try:
        return launcher.run(
            command,
            endpoints=serving.endpoints,
            connect=serving.connect,
            ready=serving.announce,
            token=serving.gip_token,
            log_wire=serving.log_wire,
            log_wire_text=serving.log_wire_text,
            agent=serving.agent_settings,
            mcp=serving.mcp_settings,
            webdriver=serving.webdriver_settings,
            inspector=serving.inspector_settings,
            other_users=serving.allow_other_users,
            guard=serving.guard,
            trace=serving.tracing,
            headless=headless,
            size=size,
            desktop=None if desktop is None else _desktop_of(desktop),
            home=home,
            tmp="shared" if shared_tmp else "private",
            way=way,
            name=name,
            cwd=cwd,
            timeout=timeout,
            standby=serving.standby,
            read_only=serving.read_only,
            stdin="inherit",
        )
    except LaunchFailed as error:
        code = error.details.get("exit_code")
        if code is None:
            raise
        # It ended before it could be driven, and still it is its own exit code that counts.
        report(error, serving.as_json, short=True)
        return int(code) if code >= 0 else 128 - int(code)


def _desktop_of(app: str) -> Joined:
    """The desktop of the app of that name or process id."""
    return Joined(int(app) if app.isdecimal() else registry.app(app).pid)


run.help = (run.help or "").replace("{toolkits}", driven_inside())


@click.command()
@click.argument("pid", type=int)
@click.option("--name", help="What the app is called in `deskhand apps`, instead of its script's name.")
@click.option(
    "--timeout",
    type=click.FloatRange(min=0),
    default=launcher.TIMEOUT,
    show_default=True,
    metavar="SECONDS",
    help="How long attaching may take.",
)
@serving_options
def attach(serving: Serving, pid: int, name: str | None, timeout: float) -> int:
    """Attach to a running process, and serve it until it or this command ends.

    The app keeps running afterwards. If it is a Python program, other commands still find it; a JavaFX
    program is found only while this command runs.

    \b
      deskhand attach 4711
      deskhand attach 4711 --gip my_app
    """
    with launcher.attach(
        pid, timeout=timeout, standby=serving.standby, read_only=serving.read_only, name=name
    ) as attached:
        # What this process drives knows of our restrictions already.
        reach = (lambda _: attached.runner) if attached.runner else serving.connect_restricted
        return launcher.serve_attached(
            attached.entry,
            endpoints=serving.endpoints,
            connect=reach,
            ready=serving.announce,
            token=serving.gip_token,
            log_wire=serving.log_wire,
            log_wire_text=serving.log_wire_text,
            agent=serving.agent_settings,
            mcp=serving.mcp_settings,
            webdriver=serving.webdriver_settings,
            inspector=serving.inspector_settings,
            other_users=serving.allow_other_users,
            guard=serving.guard,
            trace=serving.tracing,
        )


@click.command()
@click.argument("pid", type=int)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0),
    default=launcher.TIMEOUT,
    show_default=True,
    metavar="SECONDS",
    help="How long it may take.",
)
def detach(pid: int, timeout: float) -> None:
    """Take our agent out of a running process, which goes on without it.

    No thread, filter or patch of ours is left there. Calls that are under way end with an error.

    \b
      deskhand detach 4711
    """
    launcher.detach(pid, timeout=timeout)


@click.command()
@app_option
@click.option("--pid", type=int, metavar="PID", help="The app's process id.")
@serving_options
def serve(serving: Serving, app: str | None, pid: int | None) -> int:
    """Serve the desktop, or one app of it, until it or this command ends.

    An app is one that runs with deskhand inside, or any program of the desktop. Without a desktop, --app is
    not needed if only one app runs with deskhand inside. With --app or --pid clients reach nothing else: no
    other window, neither by coordinates nor by keys, and no clipboard.

    \b
      deskhand serve --gip --agent
      deskhand serve --app galculator --gip http://127.0.0.1:8551/
    """
    if not serving.endpoints:
        raise click.UsageError("name an endpoint to serve, such as --gip, --orca or --agent")
    chosen = click.get_current_context().find_root().obj
    if app is None and pid is None and isinstance(chosen, Choice):
        app, pid = chosen.name, chosen.pid
    alone = app is not None or pid is not None
    entry, runner, desktop = reach(app, pid, confined=alone)
    restricted = Restricted(runner, standby=serving.standby, read_only=serving.read_only, confined=alone)
    return launcher.serve_attached(
        entry,
        endpoints=serving.endpoints,
        connect=lambda _: restricted,
        ready=serving.announce,
        token=serving.gip_token,
        log_wire=serving.log_wire,
        log_wire_text=serving.log_wire_text,
        agent=serving.agent_settings,
        mcp=serving.mcp_settings,
        webdriver=replace(serving.webdriver_settings, desktop=desktop),
        inspector=replace(serving.inspector_settings, whole=desktop, alone=alone),
        other_users=serving.allow_other_users,
        guard=serving.guard,
        trace=serving.tracing,
        confined=alone,
        open_app=serving.open_app if desktop else None,
    )


def reach(app: str | None, pid: int | None, *, confined: bool) -> tuple[registry.AppEntry, Runner, bool]:
    """What is served: an app or the desktop, a runner for it, and whether it is the desktop.

    `confined` keeps all input to a program of the desktop within it.
    """
    where = app_target(app, pid=pid)
    if not where.outside:
        entry = registry.app(where.name, pid=where.pid)
        return entry, Remote(f"unix:{entry.control}").open(), False
    session = open_outside(where, confined=confined)
    about = session.adapter.info()
    entry = registry.AppEntry(where.name or about.title or "desktop", about.pid, where.address)
    return entry, session, app is None and pid is None


def open_app(name: str) -> Runner:
    """A runner for one app of the desktop, from which nothing else is reached."""
    where = app_target(name)
    if where.outside:
        return open_outside(where, confined=True)
    return Remote(f"unix:{registry.app(where.name, pid=where.pid).control}").open()


COMMANDS = [run, serve, attach, detach]
