"""Commands for another machine, through its agent: exec, upload, download."""

from __future__ import annotations

import functools
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any

import click

from ..client import App
from .choice import HOST_VARIABLE, Choice, agent_option, json_option, remember, token_options
from .exits import TIMED_OUT
from .output import emit

EXEC_TIMEOUT = 30.0
_SHOWN_AFTER = 0.5
"""How long a transfer goes on until its progress is shown, in seconds."""


def on_agent(function: Callable[..., None]) -> Callable[..., None]:
    """Make a command about an agent: called with it, what was chosen, and its own parameters."""

    @agent_option
    @token_options
    @json_option
    @click.pass_context
    @functools.wraps(function)
    def command(
        context: click.Context,
        /,
        agent: str | None,
        token: str | None,
        token_file: Path | None,
        as_json: bool | None,
        **params: Any,
    ) -> None:
        given = Choice(agent=agent, token=token, token_file=token_file, as_json=as_json)
        choice = remember(context, given)
        host = choice.agent or os.environ.get(HOST_VARIABLE)
        if not host:
            raise click.UsageError(f"name the machine: --agent HOST[:PORT], or {HOST_VARIABLE}=HOST[:PORT]")
        with replace(choice, app=None, pid=None, gip=None, orca=None, cdp=None, agent=host).open() as app:
            function(app, choice, **params)

    return command


@click.command("exec", context_settings={"allow_interspersed_args": False})
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help=f"How long it may run before it is killed.  [default: {EXEC_TIMEOUT:g}]",
)
@click.option("--detach", is_flag=True, help="Start it, and do not wait for it.")
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
@on_agent
def execute(app: App, choice: Choice, timeout: float | None, detach: bool, command: tuple[str, ...]) -> None:
    """Run a command on another machine, and end with its exit code.

    A single argument is a command line for the remote shell; several are a program and its arguments, passed
    on unchanged. Ends with 7 if the --timeout passed. The output is shown when the command has ended.

    \b
      deskhand exec --agent vm -- uname -a
      deskhand exec --agent vm 'ps aux | grep editor'
      deskhand exec --agent vm --detach -- gnome-calculator
    """
    limit = next(given for given in (timeout, choice.timeout, EXEC_TIMEOUT) if given)
    done = app.exec(_line(app, command), timeout=limit, detach=detach)
    if choice.json:
        emit(done, True, None)
    else:
        _write(done.stdout, sys.stdout)
        _write(done.stderr, sys.stderr)
        if done.timed_out:
            apart = "\n" if done.stderr and not (done.stderr.endswith("\n") or sys.stderr.isatty()) else ""
            click.echo(f"{apart}error: it was not done within {limit:g} s, and was ended", err=True)
    code = done.exit_code if done.exit_code >= 0 else 128 - done.exit_code
    click.get_current_context().exit(TIMED_OUT if done.timed_out else code)


@click.command()
@click.argument("local", type=click.Path())
@click.argument("remote")
@on_agent
def upload(app: App, choice: Choice, local: str, remote: str) -> None:
    """Send a file to another machine.

    REMOTE is a path on that machine, or a directory if it ends with a slash. The file replaces an existing
    one only when all of it has arrived.

    \b
      deskhand upload --agent vm app.deb /tmp/
    """
    _carry(choice, "upload", local, remote, lambda tell: app.upload(local, remote, progress=tell))


@click.command()
@click.argument("remote")
@click.argument("local", type=click.Path())
@on_agent
def download(app: App, choice: Choice, remote: str, local: str) -> None:
    """Fetch a file from another machine.

    LOCAL is a path on this machine, or a directory. The file replaces an existing one only when all of it has
    arrived.

    \b
      deskhand download --agent vm /var/log/syslog .
    """
    _carry(choice, "download", local, remote, lambda tell: app.download(remote, local, progress=tell))


def _line(app: App, command: tuple[str, ...]) -> str:
    """The arguments as one command line for the remote shell."""
    if len(command) == 1:
        return command[0]
    windows = app.health().platform == "windows"
    return subprocess.list2cmdline(command) if windows else shlex.join(command)


def _write(text: str, stream: Any) -> None:
    """The output unchanged; on a terminal, what follows starts on a new line."""
    if text:
        click.echo(text, nl=stream.isatty() and not text.endswith("\n"), file=stream)


def _carry(
    choice: Choice, what: str, local: str, remote: str, carry: Callable[[Callable[..., None]], int]
) -> None:
    began = time.monotonic()
    with _Bar(f"{what} {Path(local if what == 'upload' else remote).name}") as bar:
        size = carry(bar.tell)
    took = time.monotonic() - began
    ends = (local, remote) if what == "upload" else (remote, local)
    answer = {"local": local, "remote": remote, "bytes": size, "seconds": round(took, 3)}
    emit(answer, choice.json, f"{ends[0]} → {ends[1]} ({_amount(size)}, {_amount(size / max(took, 1e-3))}/s)")


class _Bar:
    """Shows the progress of a transfer, if it takes long and stderr is a terminal."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._shown_from = time.monotonic() + _SHOWN_AFTER
        self._wanted = sys.stderr.isatty()
        self._bar: Any = None

    def __enter__(self) -> _Bar:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.render_finish()

    def tell(self, done: int, total: int | None) -> None:
        """Show how much of the total is done."""
        if not self._wanted or time.monotonic() < self._shown_from:
            return
        if self._bar is None:
            self._bar = click.progressbar(
                length=total or 0,
                label=self._label,
                file=sys.stderr,
                show_percent=total is not None,
                show_eta=total is not None,
                item_show_func=lambda text: text,
                update_min_steps=1,
            )
        shown = _amount(done) if total is None else f"{_amount(done)} of {_amount(total)}"
        # An agent that knows only the older form makes a transfer begin anew.
        self._bar.update(done - self._bar.pos, shown)


def _amount(size: float) -> str:
    """Bytes for people."""
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.2f} GB"


COMMANDS = [execute, upload, download]
