"""What the doctor found, as data and for people."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Check:
    """One thing that was tried."""

    group: str
    name: str
    ok: bool | None
    """Whether it works; None if it was not tried: an optional part that is not installed, one that is not in
    this version, or one that is not for this machine."""
    detail: str
    fix: str | None = None


def exit_code(checks: Iterable[Check]) -> int:
    """0 if all that is installed works here, whichever optional parts are missing, else 1."""
    return int(any(one.ok is False for one in checks))


def to_json(checks: Iterable[Check]) -> list[dict[str, Any]]:
    """The results as plain data."""
    return [asdict(one) for one in checks]


def render(checks: Iterable[Check], paint: Callable[[str, str], str] = lambda text, _: text) -> str:
    """The results for people. `paint` colours a text: green, red, or dim."""
    lines: list[str] = []
    group = None
    for one in checks:
        if one.group != group:
            lines += [""] * bool(lines) + [one.group]
            group = one.group
        mark, colour = {True: ("ok  ", "green"), False: ("FAIL", "red"), None: ("-   ", "dim")}[one.ok]
        lines.append(f"  {paint(mark, colour)}  {one.name:<18} {one.detail}")
        if one.fix:
            lines.append(f"        {'':<18} {'to add it' if one.ok is None else 'fix'}: {one.fix}")
    return "\n".join(lines)
