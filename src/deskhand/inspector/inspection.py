"""An app under inspection: what its clients do, whose turn it is, what a person is asked, how it looks.

`around` is put between the app and the clients of every endpoint: all of them are seen, and can be held.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Protocol, TypeVar, cast

from ..engine import compound
from ..model import operations as ops
from ..model.operations import Cancel, Compound, Operation, Runner
from ..model.policy import Ask
from .console import Console
from .live import Live
from .turns import Questions, Turn

R = TypeVar("R")

CLIENT = "inspector"
"""What the console, the policy and the audit log call the pages."""


class Recording(Protocol):
    """Writes down what a person does to the app, as code."""

    @property
    def active(self) -> bool:
        """Whether it does so now."""

    @property
    def code(self) -> str:
        """What was written so far."""

    def start(self) -> None: ...
    def stop(self) -> None: ...


class Inspection:
    """Everything that the pages of one server show. Thread-safe."""

    def __init__(
        self,
        runner: Runner,
        *,
        name: str | None = None,
        env: Mapping[str, str] | None = None,
        whole: bool = False,
        recording: Recording | None = None,
    ) -> None:
        """`runner` reads the app; `env` leads to its display, of which the `whole` may be shown."""
        self.runner = runner
        self.name = name
        self.recording = recording
        self._wakes: dict[object, Callable[[], None]] = {}
        self._lock = threading.Lock()
        self.live = Live(runner, self.changed, env, whole=whole)
        self.console = Console(self.changed, lambda: self.live.tree)
        self.turn = Turn(self.changed)
        self.questions = Questions(self.changed)

    def around(self, runner: Runner, client: str) -> Runner:
        """The runner for clients of one kind."""
        return Watched(runner, self, client)

    def ask(self) -> Ask | None:
        """How a person who looks at a page is asked; None if there is none."""
        with self._lock:
            return self.questions.ask if self._wakes else None

    def changed(self) -> None:
        """Let every page see what is new."""
        with self._lock:
            wakes = list(self._wakes.values())
        for wake in wakes:
            wake()

    def join(self, page: object, wake: Callable[[], None]) -> None:
        """A page was opened."""
        with self._lock:
            self._wakes[page] = wake
        self.live.hold()

    def leave(self, page: object) -> None:
        """A page was closed. A person who had taken over hands back with it."""
        with self._lock:
            if self._wakes.pop(page, None) is None:
                return
        self.turn.give_back(page)
        self.live.let_go()


class Watched:
    """Runs the operations of clients of one kind, shown and in turn. A Runner."""

    def __init__(self, runner: Runner, inspection: Inspection, client: str) -> None:
        self._runner = runner
        self._inspection = inspection
        self._client = client

    def run(self, operation: Operation[R], cancel: Cancel | None = None) -> R:
        """Run one operation; one that acts waits while a person has taken over."""
        if isinstance(operation, Compound):
            return cast("R", compound.run(self, operation, cancel))  # each operation of it is shown
        if isinstance(operation, (ops.MayRead, ops.MayAct)):
            return cast("R", self._runner.run(operation, cancel))
        inspection = self._inspection
        entry = inspection.console.begin(self._client, operation)
        try:
            if operation.acts and not inspection.turn.is_mine():
                entry.held = True
                inspection.console.touch(entry)
                inspection.turn.wait(cancel)
                entry.held = False
                inspection.console.touch(entry)
            result = self._runner.run(operation, cancel)
        except BaseException as error:
            inspection.console.end(entry, error=error)
            raise
        inspection.console.end(entry, result)
        if operation.acts:
            inspection.live.stir()
        return result

    def close(self) -> None:
        """Let go of the app."""
        self._runner.close()
