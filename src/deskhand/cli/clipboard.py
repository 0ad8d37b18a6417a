"""The command that reads and sets the clipboard."""

from __future__ import annotations

import contextlib
import subprocess
import sys

import click

from ..adapters.clipboard import HELD
from ..adapters.clipboard import __name__ as holder
from ..model.errors import ActionFailed
from ..model.operations import GetClipboard, SetClipboard
from .choice import Chosen, on_app
from .output import emit

_STDIN = "-"


@click.command()
@click.argument("text", required=False)
@on_app
def clipboard(app: Chosen, as_json: bool, text: str | None) -> None:
    """Print the text on the clipboard, or put TEXT there.

    It is the clipboard of the desktop that the app is on; all programs there share it. A line break is
    printed after the text; --json has the text alone.

    With `-` as TEXT, standard input is put there unchanged, with its last line break if it has one. It is not
    read otherwise, also if it is not a terminal. Other texts that begin with a dash come after `--`.

    A text can be pasted until another one is copied. If the app has no deskhand inside and was not started by
    `deskhand run`, a process in the background holds the text until then, as xclip's does.

    \b
      deskhand clipboard
      deskhand clipboard 'Ada Lovelace'
      deskhand clipboard - < letter.txt
    """
    if text is None:
        found = app.run(GetClipboard(timeout=app.timeout))
        emit({"text": found}, as_json, found)
        return
    if text == _STDIN:
        text = _from_stdin()
    done = app.run(SetClipboard(text, timeout=app.timeout))
    if app.ends_with_us:
        _hold(text)
    emit(done, as_json, "set the clipboard")


def _from_stdin() -> str:
    try:
        return sys.stdin.buffer.read().decode()
    except UnicodeDecodeError as error:
        raise click.UsageError(f"standard input is not text in UTF-8: {error.reason}") from None


def _hold(text: str) -> None:
    """Leave a process that holds the text: X asks the program that copied, and this one is about to end."""
    with subprocess.Popen(
        [sys.executable, "-m", holder],
        cwd="/",
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(text.encode())
            process.stdin.close()
        if process.stdout.readline() != HELD:
            *_, reason = process.stderr.read().decode(errors="replace").splitlines() or ["it ended"]
            raise ActionFailed(f"the process that is to hold the text failed: {reason}", target="clipboard")


COMMANDS = [clipboard]
