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
    return int(any(check.ok is False for check in checks))


def to_json(checks: Iterable[Check]) -> list[dict[str, Any]]:
    """The results as plain data."""
    return [asdict(check) for check in checks]


def render(checks: Iterable[Check], paint: Callable[[str, str], str] = lambda text, _: text) -> str:
    """The results for people. `paint` colours a text: green, red, or dim."""
    lines: list[str] = []
    group = None
    for check in checks:
        if check.group != group:
            lines += [""] * bool(lines) + [check.group]
            group = check.group
        mark, colour = {True: ("ok  ", "green"), False: ("FAIL", "red"), None: ("-   ", "dim")}[check.ok]
        lines.append(f"  {paint(mark, colour)}  {check.name:<18} {check.detail}")
        if check.fix:
            lines.append(f"        {'':<18} {'to add it' if check.ok is None else 'fix'}: {check.fix}")
    return "\n".join(lines)
