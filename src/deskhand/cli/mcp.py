"""`deskhand mcp`: the MCP contract on standard input and output, for a chat client."""

from __future__ import annotations

import logging
import os
import signal
import sys
from pathlib import Path
from types import FrameType
from typing import NoReturn

import click

from ..images.marks import cut, draw
from ..serving import oversight
from ..serving.endpoints import cannot_load, open_log
from ..tracing import Trace
from .choice import Choice, app_option
from .serve import guard_options, log_wire_options, report_trace, trace_option


@click.command()
@app_option
@log_wire_options
@guard_options
@trace_option
@click.option(
    "--allow-launch", is_flag=True, help="With --app: let the client also start and choose other apps."
)
@click.option("--read-only", is_flag=True, help="Only answer reads: perform no actions, start nothing.")
@click.option(
    "--structured",
    is_flag=True,
    help="Also answer with structuredContent, for programs; answers become 3 to 7 times as large.",
)
@click.pass_context
def mcp(
    context: click.Context,
    app: str | None,
    log_wire: Path | None,
    log_wire_text: bool,
    policy: Path | None,
    audit: Path | None,
    trace: Path | None,
    allow_launch: bool,
    read_only: bool,
    structured: bool,
) -> None:
    """Let a chat client see and operate programs: MCP on stdin and stdout.

    The client starts this command itself. It can list the apps that run, choose one, and start programs on a
    private desktop; all that it started ends when the client goes away. Without --app the tools begin with
    the desktop, or with the only app that runs with deskhand inside; with --app they reach that app and
    nothing else, unless --allow-launch is given.

    \b
      claude mcp add deskhand -- deskhand mcp
      deskhand mcp --app my_app
    """
    chosen = context.find_root().obj
    if app is None and isinstance(chosen, Choice):
        app = chosen.name
    # Here, because no other command needs them.
    from ..client.apps import OpenApps
    from ..protocols.mcp.results import Parts
    from ..protocols.mcp.server import McpServer

    try:
        from ..transports.mcp import serve_stdio  # needs a library that not everybody has
    except ImportError as error:
        raise cannot_load("deskhand mcp", True, error) from error
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    log = open_log(log_wire, log_wire_text)
    guard = oversight.guard(policy, audit)
    recording = None if trace is None else Trace(trace)
    alone = app is not None and not allow_launch
    apps = OpenApps(app, read_only=read_only, guard=guard, trace=recording, alone=alone)

    def finish() -> None:
        """End what was started, and write the trace."""
        apps.close()
        if recording is not None:
            report_trace(recording.save())

    def end(number: int, _: FrameType | None) -> NoReturn:
        """The client ended us by a signal: what it started ends too, at once."""
        signal.signal(number, signal.SIG_IGN)
        finish()
        os._exit(128 + number)

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, end)
    with apps:
        parts: Parts = "both" if structured else "content"
        server = McpServer(apps=apps, read_only=read_only, log=log, draw=draw, cut=cut, parts=parts)
        serve_stdio(server, log)
    finish()
    if log is not None:
        log.close()
    sys.stdout.flush()
    # A thread may still be in a call whose client is gone, and would delay the end.
    os._exit(0)


COMMANDS = [mcp]
