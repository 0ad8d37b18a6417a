"""`deskhand trace`: shows, packs and exports traces."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path
from types import FrameType

import click

from ..model.errors import ActionFailed

_FILE = click.argument("file", type=click.Path(path_type=Path))


@click.group()
def trace() -> None:
    """Open what `--trace`, `launch(trace=…)` or a failed test recorded.

    FILE is the zip, or the folder FILE.recording that a killed process left.

    \b
      deskhand trace show trace.zip
      deskhand trace html trace.zip -o trace.html
      deskhand trace export trace.zip -o playwright.zip
    """


@trace.command()
@_FILE
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Of the page.  [any that is free]")
@click.option("--open/--no-open", "opened", default=True, help="Whether to open it in the browser.")
def show(file: Path, port: int, opened: bool) -> None:
    """Show a trace in the browser, until Ctrl+C.

    Prints the address of the page, which only this machine can reach. `#step=5` at its end leads to a step.

    \b
      deskhand trace show trace.zip
    """
    import webbrowser  # like the others below, for this command alone

    from ..tracing.reader import Recorded
    from ..tracing.serve import PageServer

    ended = threading.Event()

    def end(_number: int, _frame: FrameType | None) -> None:
        ended.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)
    with Recorded(file) as recorded:
        try:
            server = PageServer(recorded, port)
        except OSError as error:
            raise ActionFailed(f"cannot serve the page at port {port}: {error.strerror}") from error
        with server:
            click.echo(server.url)
            if opened and (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
                webbrowser.open(server.url)
            ended.wait()


@trace.command()
@_FILE
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="The page.  [FILE with .html]"
)
def html(file: Path, output: Path | None) -> None:
    """Write a trace as one HTML file, which opens without a server or a network.

    \b
      deskhand trace html trace.zip -o trace.html
    """
    from ..tracing.page import html as page_of
    from ..tracing.reader import Recorded

    with Recorded(file) as recorded:
        _write(output or file.with_suffix(".html"), page_of(recorded).encode())


@trace.command()
@_FILE
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The exported trace.  [FILE with .playwright.zip]",
)
def export(file: Path, output: Path | None) -> None:
    """Write a trace for Playwright's viewer (a trace of version 8).

    \b
      deskhand trace export trace.zip -o playwright.zip
      playwright show-trace playwright.zip
    """
    from ..tracing.playwright import export as exported
    from ..tracing.reader import Recorded

    with Recorded(file) as recorded:
        _write(output or file.with_suffix(".playwright.zip"), exported(recorded))


def _write(path: Path, data: bytes) -> None:
    from ..client.files import write_whole

    try:
        write_whole(path, data)
    except OSError as error:
        raise ActionFailed(f"cannot write {path}: {error.strerror}", target=str(path)) from error
    click.echo(str(path))


COMMANDS = [trace]
