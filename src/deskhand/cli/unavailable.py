"""Commands whose names are reserved and that are not in this version: they refuse, clearly."""

from __future__ import annotations

from typing import Any

import click

_UNAVAILABLE = {
    "bench": "measuring an app",
}


def _refusing(name: str, what: str) -> click.Command:
    def callback(**_: Any) -> None:
        raise click.UsageError(f"deskhand {name} ({what}) is not in this version")

    return click.Command(
        name,
        callback=callback,
        params=[click.Argument(["arguments"], nargs=-1, type=click.UNPROCESSED)],
        context_settings={"ignore_unknown_options": True},
        help=f"Not in this version: {what}.",
        hidden=True,
    )


COMMANDS = [_refusing(name, what) for name, what in _UNAVAILABLE.items()]
