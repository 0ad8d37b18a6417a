"""Which app a command is about: the options for it, and opening it.

The options may stand before the command or after it; the later one wins.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, TypeVar, cast

import click

from ..client import App, connect
from ..client.targets import DESKTOP, Named, Target, agent_target, cdp_target, listed, orca_target
from ..engine.check import check
from ..model.errors import Ambiguous, InvalidParams, NotFound
from ..model.operations import TIMEOUT, Cancel, ListWindows, Operation, ReadTree
from . import tokens

R = TypeVar("R")

VARIABLE = "DESKHAND_APP"
HOST_VARIABLE = "DESKHAND_HOST"
_FIRST_WINDOW = 2.0
"""How long a desktop without any window is waited for, in seconds."""
_WAYS = ("app", "pid", "gip", "orca", "cdp", "agent")
"""The options that choose an app; one of them is enough."""


@dataclass(frozen=True)
class Choice:
    """What the options say; None where they say nothing."""

    app: str | None = None
    pid: int | None = None
    gip: str | None = None
    orca: str | None = None
    cdp: str | None = None
    agent: str | None = None
    token: str | None = None
    token_file: Path | None = None
    timeout: float | None = None
    as_json: bool | None = None

    @property
    def json(self) -> bool:
        return bool(self.as_json)

    @property
    def name(self) -> str | None:
        """The app's name: given, or else from the environment."""
        if self.app is not None or self.pid is not None:
            return self.app
        return os.environ.get(VARIABLE) or None

    @property
    def host(self) -> str | None:
        """The agent's address: given, or else from the environment if nothing else chooses an app."""
        if any(getattr(self, way) is not None for way in _WAYS) or self.name is not None:
            return self.agent
        return os.environ.get(HOST_VARIABLE) or None

    @property
    def secret(self) -> str | None:
        """The token: given, or else from the environment, where other users do not see it."""
        return tokens.given(self.token, self.token_file)

    @property
    def patience(self) -> float:
        """How long to wait for an element, in seconds."""
        return TIMEOUT if self.timeout is None else self.timeout

    def over(self, earlier: Choice) -> Choice:
        """This choice, and the earlier one where this says nothing."""
        given = {row.name: value for row in fields(self) if (value := getattr(self, row.name)) is not None}
        if given.keys() & {"token", "token_file"}:
            earlier = replace(earlier, token=None, token_file=None)
        if given.keys() & _WAYS:
            earlier = replace(earlier, **dict.fromkeys(_WAYS))
        return replace(earlier, **given)

    def open(self) -> App:
        """Connect to the app."""
        named = [f"--{name}" for name in _WAYS if getattr(self, name) is not None]
        if len(named) > 1:
            raise InvalidParams(f"{' and '.join(named)} each choose an app; give one of them")
        try:
            app = connect(
                self._target(), token=self.secret, timeout=self.timeout, default_timeout=self.patience
            )
        except Ambiguous as error:
            by_name = "" if self.name is not None else f"--app NAME, {VARIABLE}=NAME or "
            error.suggestions = (f"choose one: {by_name}--pid PID",)
            raise
        except NotFound as error:
            if self.pid is not None:
                error.suggestions = ("deskhand attach PID", *error.suggestions)
            raise
        if app.address == DESKTOP and not self.json:
            _mention_others()
        return app

    def _target(self) -> Target | Named | str:
        if (host := self.host) is not None:
            return agent_target(host)
        if self.gip is not None:
            return self.gip
        if self.orca is not None:
            return orca_target(self.orca)
        if self.cdp is not None:
            return cdp_target(self.cdp)
        return Named(self.name, self.pid)


def _mention_others() -> None:
    """A user who has just started an app on a private desktop may mean that one."""
    from ..desktop import session  # loaded already: the desktop was opened by it

    for entry in session.elsewhere():
        click.echo(f"note: this is the desktop; {entry.name} runs on another: --app {entry.name}", err=True)


class Chosen:
    """The app that a command is about. Connects only when first used, so that usage errors come first."""

    def __init__(self, choice: Choice) -> None:
        self.timeout = choice.patience
        self._choice = choice
        self._app: App | None = None

    def __enter__(self) -> Chosen:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def ends_with_us(self) -> bool:
        """Whether it is driven by an engine in this process, so that what the engine holds ends with it."""
        return self._app is not None and self._app.address.startswith(DESKTOP)

    def close(self) -> None:
        """Let go of it."""
        if self._app is not None:
            self._app.close()

    def opened(self) -> App:
        """The app itself, for what is made of several operations."""
        if self._app is None:
            self._app = self._choice.open()
        return self._app

    def run(self, operation: Operation[R], cancel: Cancel | None = None) -> R:  # noqa: ARG002 - no caller leaves
        """Run an operation in it."""
        if self.timeout and getattr(operation, "timeout", self) is None:
            operation = replace(operation, timeout=self.timeout)  # type: ignore[call-arg]  # it has one
        check(operation)
        if self._app is not None:
            return self._app.run(operation)
        self._app = self._choice.open()
        if self._app.address != DESKTOP:
            return self._app.run(operation)
        return self._run_first(self._app, operation)

    def _run_first(self, app: App, operation: Operation[R]) -> R:
        """Run it on a desktop. If that is empty, a program that is just starting is probably meant."""
        first_window = ListWindows(min(self._choice.patience, _FIRST_WINDOW), since=())
        if isinstance(operation, ReadTree):
            # What is read says whether it is empty.
            read = app.run(operation)
            if read.tree is None or len(read.tree) or not app.run(first_window):
                return cast("R", read)
        else:
            app.run(first_window)
        return app.run(operation)


def choice_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that choose an app."""
    options = (
        app_option,
        click.option("--pid", type=int, metavar="PID", help="The app's process id."),
        click.option(
            "--gip", metavar="TARGET", help="A GIP server: a socket's name or path, ws://… or http://…"
        ),
        click.option(
            "--orca",
            metavar="[HOST:]PORT",
            help="A program that speaks the Orca protocol, such as OrcaSlicer.",
        ),
        click.option(
            "--cdp",
            metavar="[HOST:]PORT",
            help="A browser or Electron app, by its debugging port or that port's ws:// or http:// URL.",
        ),
        agent_option,
        token_options,
        click.option(
            "--timeout",
            type=click.FloatRange(min=0),
            metavar="SECONDS",
            help="How long to wait for the app to start, for the element, or for an answer."
            f"  [default: {TIMEOUT:g}; without this option an app must already run]",
        ),
        json_option,
    )
    for option in reversed(options):
        function = option(function)
    return function


def _running(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    return sorted({app.name for app in listed() if app.name.startswith(incomplete)})


app_option = click.option(
    "--app",
    metavar="NAME",
    shell_complete=_running,
    help=f"The app's name, as `deskhand apps` lists it.  [{VARIABLE}]",
)
agent_option = click.option(
    "--agent", metavar="HOST[:PORT]", help=f"The agent on another machine.  [{HOST_VARIABLE}]"
)
_token = click.option(
    "--token", metavar="TOKEN", help=f"The token of a server that asks for one.  [{tokens.VARIABLE}]"
)
token_file_option = click.option(
    "--token-file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="The token is in this file.",
)


def token_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options for the token of a server."""
    return _token(token_file_option(function))


json_option = click.option("--json", "as_json", is_flag=True, default=None, help="Print JSON.")


def on_app(function: Callable[..., None]) -> Callable[..., None]:
    """Make a command about one app: called with the app, whether to print JSON, and its own parameters."""

    @choice_options
    @click.pass_context
    @functools.wraps(function)
    def command(context: click.Context, /, **params: Any) -> None:
        given = {row.name: params.pop(row.name) for row in fields(Choice)}
        choice = remember(context, Choice(**given))
        with Chosen(choice) as app:
            function(app, choice.json, **params)

    return command


def remember(context: click.Context, choice: Choice) -> Choice:
    """Join what stands after the command to what stands before it."""
    root = context.find_root()
    earlier = root.obj if isinstance(root.obj, Choice) else Choice()
    joined = choice.over(earlier)
    root.obj = joined
    return joined
