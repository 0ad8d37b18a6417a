"""An app under inspection: what its clients do, whose turn it is, what a person is asked, how it looks.

`around` is put between the app and the clients of every endpoint: all of them are seen, and can be held.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import TypeVar, cast

from ..engine import compound
from ..model import operations as ops
from ..model.operations import Cancel, Compound, Operation, Runner
from ..model.policy import Ask
from .console import Console
from .live import Live
from .page_recording import PageRecording
from .real_input import RealInput
from .turns import Questions, Turn

R = TypeVar("R")

CLIENT = "inspector"
"""What the console, the policy and the audit log call the pages."""


class Inspection:
    """Everything that the pages of one server show. Thread-safe."""

    def __init__(
        self,
        runner: Runner,
        *,
        name: str | None = None,
        pid: int | None = None,
        env: Mapping[str, str] | None = None,
        private: bool = False,
        whole: bool = False,
        alone: bool = False,
    ) -> None:
        """`runner` reads the app; `env` leads to its display, which is its own if it is `private`.

        The `whole` of another display may be shown too. With `alone`, nothing beyond the app is reached.
        """
        self.runner = runner
        self.name = name
        self._env = None if env is None or env.get("WAYLAND_DISPLAY") or not env.get("DISPLAY") else env
        self._private = private
        self._alone = alone
        self._wakes: dict[object, Callable[[], None]] = {}
        self._lock = threading.Lock()
        self.live = Live(runner, self.changed, env, whole=private or whole)
        self.console = Console(self.changed, lambda: self.live.tree)
        self.turn = Turn(self.changed)
        self.questions = Questions(self.changed)
        self.recording: PageRecording | None = None
        if self._env is not None and not alone:
            self.recording = PageRecording(
                runner, self._env, self.changed, name=name, pid=pid, private=private
            )

    def around(self, runner: Runner, client: str) -> Runner:
        """The runner for clients of one kind."""
        return Watched(runner, self, client)

    def hands(self, runner: Runner) -> Runner:
        """What pages act by: real input on a private display, else the same as other clients."""
        if self._env is None or self._alone or not self._private:
            return runner
        return RealInput(runner, self._env, lambda: 1.0 if self.live.shot is None else self.live.shot.scale)

    def close(self) -> None:
        """End the recording."""
        if self.recording is not None:
            self.recording.stop()

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
