"""A Runner that is used but not owned."""

from __future__ import annotations

from typing import TypeVar

from ..model.operations import Cancel, Operation, Runner

R = TypeVar("R")


class Borrowed:
    """Runs operations by another runner. Closing it leaves that open."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner

    def run(self, operation: Operation[R], cancel: Cancel | None = None) -> R:
        return self._runner.run(operation, cancel)

    def close(self) -> None:
        pass
