"""A Runner that lets through only what is allowed, around one that allows more."""

from __future__ import annotations

from typing import TypeVar

from ..model.errors import ActionsOff, Disabled
from ..model.operations import NAMES, Cancel, Operation, Runner

R = TypeVar("R")


class Restricted:
    """Refuses to act if it is read-only, and everything while it is switched off."""

    def __init__(self, runner: Runner, *, standby: bool = False, read_only: bool = False) -> None:
        self.enabled = not standby
        self.read_only = read_only
        self._runner = runner

    def run(self, operation: Operation[R], cancel: Cancel | None = None) -> R:
        """Run one operation, if that is allowed."""
        if operation.ui and not self.enabled:
            raise Disabled("this server is switched off", suggestions=("start it without --standby",))
        if operation.acts and self.read_only:
            raise ActionsOff(
                f"{NAMES[type(operation)]} refused: this server answers questions only",
                suggestions=("start it without --read-only",),
            )
        return self._runner.run(operation, cancel)

    def close(self) -> None:
        """Let go of the app."""
        self._runner.close()
