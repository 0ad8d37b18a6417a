"""What the command says: for people by default, as one JSON value on stdout with `--json`.

An error goes to stderr in words; with `--json` it is `{"error": {...}}` on stdout instead, so that stdout
always holds exactly one JSON value.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import click

from ..model.codec import encode
from ..model.errors import DeskhandError
from ..model.node import Rect

_LISTED = 10
_COMPARED = 40
"""How many characters of an option say whether a message lists it; the message may have cut it."""


def emit(value: object, as_json: bool, text: str | Iterable[str] | None) -> None:
    """Print a result: as JSON, or the text, which may be lines; nothing if it is None."""
    if as_json:
        click.echo(json.dumps(plain(value), ensure_ascii=False, indent=2))
    elif isinstance(text, str):
        click.echo(text)
    elif text is not None:
        for line in text:
            click.echo(line)


def report(error: DeskhandError, as_json: bool, *, short: bool = False) -> None:
    """Print an error; as `short` JSON in one line, where each line of stdout is a value."""
    if as_json:
        shown = {"error": plain(error.to_json())}
        click.echo(json.dumps(shown, ensure_ascii=False, indent=None if short else 2))
        return
    message = error.message
    if error.matches and len(error.matches) > 1:
        # The list is easier to read below.
        message = message.partition(f": {error.matches[0]}")[0]
    click.echo(f"{styled('error', fg='red', bold=True, err=True)}: {message}", err=True)
    for line in _hints(error):
        click.echo(f"  {line}", err=True)


def plain(value: object) -> Any:
    """A value as JSON data for scripts: every field by its name, but those that hold nothing."""
    if is_dataclass(value) and not isinstance(value, type):
        named = {row.name: getattr(value, row.name) for row in fields(value) if not row.name.startswith("_")}
        return {
            name: plain(part) for name, part in named.items() if part is not None and part not in ((), {})
        }
    if isinstance(value, Rect):
        return value._asdict()
    if isinstance(value, Mapping):
        return {str(name): plain(part) for name, part in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(part) for part in value]
    return encode(value)


def _hints(error: DeskhandError) -> Iterable[str]:
    for entry in error.matches[:_LISTED]:
        if len(error.matches) > 1 or entry not in error.message:
            yield f"matches: {entry}"
    said = " ".join((error.message, *error.suggestions))
    for entry in [entry for entry in error.near if entry not in said][:_LISTED]:
        yield f"there is {entry}"
    options = [str(option) for option in error.details.get("options", ())][:_LISTED]
    if not all(f"'{option[:_COMPARED]}" in error.message for option in options):
        yield from (f"there is {option}" for option in options if option not in error.near)
    for hint in error.hints:
        yield f"hint: {hint}"


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
