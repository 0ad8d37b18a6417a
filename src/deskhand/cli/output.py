"""What the command says: for people by default, as one JSON value on stdout with `--json`.

An error goes to stderr in words; with `--json` it is `{"error": {...}}` on stdout instead, so that stdout
always holds exactly one JSON value.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Sequence
from typing import Any

import click

from ..model.codec import encode
from ..model.errors import DeskhandError

_LISTED = 10


def emit(value: object, as_json: bool, text: str | Iterable[str] | None) -> None:
    """Print a result: as JSON, or the text, which may be lines; nothing if it is None."""
    if as_json:
        click.echo(json.dumps(encode(value), ensure_ascii=False, indent=2))
    elif isinstance(text, str):
        click.echo(text)
    elif text is not None:
        for line in text:
            click.echo(line)


def report(error: DeskhandError, as_json: bool) -> None:
    """Print an error."""
    if as_json:
        click.echo(json.dumps({"error": encode(error.to_json())}, ensure_ascii=False, indent=2))
        return
    click.echo(f"{styled('error', fg='red', bold=True, err=True)}: {error.message}", err=True)
    for line in _hints(error):
        click.echo(f"  {line}", err=True)


def _hints(error: DeskhandError) -> Iterable[str]:
    unsaid = [entry for entry in error.near if entry not in error.message]
    said = " ".join((error.message, *error.suggestions))
    for entry in [entry for entry in unsaid if entry not in said][:_LISTED]:
        yield f"there is {entry}"
    for entry in [entry for entry in error.matches if entry not in error.message][:_LISTED]:
        yield f"matches: {entry}"
    for option in list(error.details.get("options", ()))[:_LISTED]:
        if str(option) not in error.message:
            yield f"option: {option}"
    for suggestion in error.suggestions:
        yield f"try: {suggestion}"


def styled(text: str, *, err: bool = False, **style: Any) -> str:
    """The text with colours, if a person looks at it and wants them."""
    return click.style(text, **style) if coloured(err) else text


def coloured(err: bool = False) -> bool:
    """Whether to colour: on a terminal, unless NO_COLOR says no or FORCE_COLOR yes."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    stream = sys.stderr if err else sys.stdout
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterable[str]:
    """Rows as aligned columns below their headings."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    for number, row in enumerate((head, *rows)):
        line = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        yield styled(line, bold=True) if number == 0 else line
