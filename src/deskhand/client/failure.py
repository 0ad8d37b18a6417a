"""What `expect` raises: an AssertionError that carries its diagnosis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..model.errors import DeskhandError


class ExpectationFailed(AssertionError):
    """The user interface is not as expected. The fields say what was wanted and what was found."""

    def __init__(
        self,
        target: str,
        wanted: str,
        timeout: float,
        details: Sequence[str] = (),
        *,
        last_seen: Mapping[str, Any] | None = None,
        near: tuple[str, ...] = (),
        matches: tuple[str, ...] = (),
        files: tuple[Path, ...] = (),
    ) -> None:
        self.target = target
        """The selector, or what else the expectation is about."""
        self.wanted = wanted
        """The expectation in words, such as `have text 'Hello'`."""
        self.timeout = timeout
        """How long it was waited for, in seconds."""
        self.last_seen: dict[str, Any] = dict(last_seen or {})
        """The state at the end."""
        self.near = near
        """Selectors of what was found instead: similar elements first, then others of the same role."""
        self.matches = matches
        """Selectors of what matched, where that was too many."""
        self.files = files
        """The files that a failed comparison left: the expected, the actual and the difference."""
        first = f"expected {target} to {wanted} (waited {timeout:g} s)"
        super().__init__("\n".join([first, *(f"  {line}" for line in details)]))


def failed(target: str, wanted: str, error: DeskhandError, timeout: float) -> ExpectationFailed:
    """The failure of an expectation that the engine answered with an error."""
    seen = error.last_seen or {}
    lines = []
    if error.matches:
        lines.append(f"but {error.message}")
    elif seen.get("count") == 0:
        lines.append("but nothing matches")
    elif seen:
        lines.append("last seen: " + ", ".join(f"{name}={value!r}" for name, value in seen.items()))
    else:
        lines.append(f"but {error.message}")
    if error.near:
        lines.append(f"there is: {', '.join(error.near)}")
    lines += [f"hint: {hint}" for hint in error.suggestions]
    return ExpectationFailed(
        target, wanted, timeout, lines, last_seen=seen, near=error.near, matches=error.matches
    )
