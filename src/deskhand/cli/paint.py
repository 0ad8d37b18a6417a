"""Colours for one line of a tree."""

from __future__ import annotations

from ..model.outline import Line
from .output import styled

_WARNING = frozenset(("disabled", "hidden", "offscreen"))


def paint(line: Line) -> str:
    """The line, coloured if a person looks at it."""
    parts = [styled(line.role, fg="cyan")]
    if line.name:
        parts.append(styled(line.name, bold=True))
    if line.value:
        parts.append(f"= {styled(line.value, fg='green')}")
    if line.states:
        states = ", ".join(
            styled(state, fg="yellow") if state in _WARNING else styled(state, fg="magenta")
            for state in line.states
        )
        parts.append(f"[{states}]")
    if line.note:
        parts.append(styled(f"({line.note})", dim=True))
    if line.selector:
        parts.append(f" {styled(line.selector, fg='blue')}")
    return "  " * line.depth + " ".join(parts)
