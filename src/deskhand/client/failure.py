"""What `expect` raises: an AssertionError that carries its diagnosis."""

from __future__ import annotations

from typing import Any

from ..model.errors import DeskhandError


class ExpectationFailed(AssertionError):
    """The user interface is not as expected. The fields say what was wanted and what was there."""

    def __init__(self, target: str, wanted: str, error: DeskhandError, timeout: float) -> None:
        self.target = target
        """The selector."""
        self.wanted = wanted
        """The expectation in words, such as `have text 'Hello'`."""
        self.timeout = timeout
        """How long it was waited for, in seconds."""
        self.last_seen: dict[str, Any] = error.last_seen or {}
        """The state at the end."""
        self.near = error.near
        """Selectors of what was found instead: similar elements first, then others of the same role."""
        self.matches = error.matches
        """Selectors of what matched, where that was too many."""
        super().__init__("\n".join(self._lines(error)))

    def _lines(self, error: DeskhandError) -> list[str]:
        lines = [f"expected {self.target} to {self.wanted} (waited {self.timeout:g} s)"]
        if self.matches:
            lines.append(f"  but {error.message}")
        elif self.last_seen.get("count") == 0:
            lines.append("  but nothing matches")
        elif self.last_seen:
            seen = ", ".join(f"{name}={value!r}" for name, value in self.last_seen.items())
            lines.append(f"  last seen: {seen}")
        else:
            lines.append(f"  but {error.message}")
        if self.near:
            lines.append(f"  there is: {', '.join(self.near)}")
        return [*lines, *(f"  hint: {hint}" for hint in error.suggestions)]
