"""Records the operations of one app in a trace: what was wanted, what it was done to, and how it ended.

A state of the app (tree and screenshot) is taken before each operation that acts. What an operation led to is
the state before the next action, or a moment later if none follows: so one state serves both, and an app that
is still drawing has had time for it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, TypeVar

from ..model import operations as ops
from ..model.codec import encode_operation
from ..model.errors import AppGone, DeskhandError, NotConnected, UiBusy
from ..model.node import MASK
from ..model.operations import Cancel, Operation, Runner
from ..model.tree import Tree
from . import describe, trees
from .capture import Camera
from .stack import Call, call
from .trace import Trace

R = TypeVar("R")

SETTLED = 0.1
"""How long after an operation its result is recorded, if no other operation begins before, in seconds."""
_OVERLAP = 200


class Recorder:
    """Records one app. Thread-safe."""

    def __init__(
        self,
        trace: Trace,
        camera: Camera,
        *,
        name: str | None = None,
        output: Callable[[], Mapping[str, str]] | None = None,
        **about: Any,
    ) -> None:
        """`output` gives what the app has written so far, by stream; `about` is recorded with the app."""
        self.trace = trace
        self._store = trace.store
        self.app = self._store.next_app()
        self._camera = camera
        self._output = output
        self._written: dict[str, str] = {}
        self._lock = threading.RLock()
        self._state: int | None = None
        self._tree: Tree | None = None
        self._frame: int | None = None
        self._pending: list[Step] = []
        self._deaf = False
        """Whether the app did not answer the last time; then it is not asked for trees."""
        self._closing = self._closed = False
        self._shots = ThreadPoolExecutor(1, "deskhand-trace-shots")
        self._wake = threading.Condition(self._lock)
        self._idle = False
        """Whether the thread that takes states later waits for something to do."""
        self._output_at = 0.0
        self._store.write("app", app=self.app, name=name, **about)
        trace.recorders.append(self)
        self._thread = threading.Thread(target=self._settle_later, name="deskhand-trace-states", daemon=True)
        self._thread.start()

    def call(self) -> Call:
        """Which line of the program this thread or task is in."""
        return call()

    def begin(self, operation: Operation[Any], by: Call | None = None, **about: Any) -> Step:
        """An operation is about to be run; `by` says which line called it, `about` what else is known."""
        with self._lock:
            taken = operation.acts and operation.ui and not self._closed
            if taken:
                self._settle()
            number, group = self._store.next_step()
            step = Step(self, number, operation)
            name, params = encode_operation(operation)
            typed = describe.TYPED.get(type(operation))
            if typed is not None and (secret := describe.is_secret(self._tree, operation)) is not False:
                # Where it is not known yet what a text is typed into, that is decided when it is known.
                step.doubtful = typed if secret is None else None
                if secret:
                    self._store.hide(str(getattr(operation, typed)))
                params[typed] = MASK
            target = self._meant(operation)
            self._store.write(
                "before",
                step=number,
                app=self.app,
                group=group,
                operation=name,
                acts=operation.acts,
                method=None if by is None else by.method,
                title=describe.title(operation, name, params, None if by is None else by.method),
                params=describe.parameters(operation, params),
                stack=None if by is None else self._store.sources(by),
                state=self._state if taken else None,
                target=target,
                **about,
            )
            return step

    def close(self) -> None:
        """Record how it is now, and no more. Does nothing the second time."""
        with self._lock:
            if self._closed:
                return
            self._closing = True
            self._settle()
            self._closed = True
            self._wake.notify_all()
        self._thread.join()
        self._shots.shutdown()
        self._camera.close()
        self._store.write("app-end", app=self.app)
        with suppress(ValueError):
            self.trace.recorders.remove(self)

    # -- for steps ---------------------------------------------------------------------------------

    def ended(self, step: Step, result: Any, error: BaseException | None, *, settle: bool = True) -> None:
        """An operation has ended."""
        if isinstance(result, ops.Done) and result.uid is not None:
            node = None if self._tree is None else self._tree.get(result.uid)
            target = {"uid": result.uid} if node is None else trees.describe(node)
        else:
            target = None
        self._store.write(
            "after",
            step=step.number,
            target=target,
            waits=list(result.waits) or None if isinstance(result, ops.Done) else None,
            point=result.point if isinstance(result, ops.Done) else None,
            result=None if error is not None else describe.outcome(result, step.operation),
            receipt=describe.receipt(result),
            error=describe.failure(error),
        )
        with self._lock:
            if error is None:
                self._deaf = False
            self._decide(step, result)
            if not _shows(step.operation) and error is None:
                return
            step.ended = time.monotonic()
            self._pending.append(step)
            if error is not None and settle:
                # What a failure looked like must not be lost by what follows.
                self._settle()
                self._store.flush()
            elif self._idle:
                self._wake.notify_all()

    # -- states ------------------------------------------------------------------------------------

    def _settle_later(self) -> None:
        with self._lock:
            while not self._closed:
                if not self._pending:
                    self._idle = True
                    self._wake.wait()
                    self._idle = False
                elif (left := self._pending[0].ended + SETTLED - time.monotonic()) > 0:
                    self._wake.wait(left)
                else:
                    self._settle()
                    self._store.flush()

    def _settle(self) -> None:
        """Take a state; it is what the operations that have ended led to."""
        pending, self._pending = self._pending, []
        if self._closed:
            return
        self._take()
        for step in pending:
            self._store.write("settled", now=False, step=step.number, state=self._state)
        self._take_output()

    def _take(self) -> None:
        if self._store.full:
            self._state = None
            return
        tree, difference, unread = None, None, None
        # The program and the display answer at the same time, so that both show the same moment.
        early = None
        if self._tree is not None and self._camera.needs_no_tree:
            early = self._shots.submit(self._shoot, self._tree)
        if not self._deaf:
            try:
                tree, difference = self._camera.tree(self._tree)
            except UiBusy as busy:
                self._deaf, unread = True, busy.message
            except (AppGone, NotConnected) as gone:
                self._deaf, unread = True, gone.message
            except DeskhandError as error:
                unread = error.message
        else:
            unread = "the app did not answer"
        frame = self._shoot(tree) if early is None else early.result()
        described: dict[str, Any] | None = None
        if tree is not None:
            described = self._described(tree, difference)
            if described == {} and frame == self._frame and self._state is not None:
                return  # nothing changed: it is the same state
        self._state, self._frame = self._store.next_state(), frame
        self._store.write(
            "state",
            now=False,
            app=self.app,
            state=self._state,
            frame=frame,
            tree=described,
            unread=unread,
        )
        if tree is not None:
            self._tree = tree

    def _shoot(self, tree: Tree | None) -> int | None:
        """Take a screenshot; its number."""
        shot = self._camera.shot(tree)
        return None if shot is None else self.trace.frames.add(self.app, shot)

    def _described(self, tree: Tree, difference: ops.Difference | None) -> dict[str, Any]:
        if self._tree is None:
            return trees.whole(tree)
        if difference is None:
            return trees.difference(self._tree, tree)
        return trees.known_difference(self._tree, tree, difference)

    def _take_output(self) -> None:
        if self._output is None or (time.monotonic() < self._output_at + SETTLED and not self._closing):
            return
        self._output_at = time.monotonic()
        with suppress(DeskhandError, OSError, ValueError):
            for stream, text in self._output().items():
                new = _continued(self._written.get(stream, ""), text)
                self._written[stream] = text
                if new:
                    self._store.write("output", now=False, app=self.app, stream=stream, text=new)

    # -- targets and passwords ----------------------------------------------------------------------

    def _meant(self, operation: Operation[Any]) -> dict[str, Any] | None:
        """What the selector of an operation matches in the newest tree."""
        target = getattr(operation, "target", None)
        if target is None or self._tree is None:
            return None
        found = describe.matches(self._tree, target)
        if found is None:
            return None
        shown = [node for node in found if node.visible] or found
        told: dict[str, Any] = {"selector": target, "matches": len(found)}
        if len(shown) == 1:
            told |= trees.describe(shown[0])
        return told

    def _decide(self, step: Step, result: Any) -> None:
        """Record what was typed after all, or leave it out everywhere."""
        typed, step.doubtful = step.doubtful, None
        if typed is None:
            return
        self._settle()
        text = str(getattr(step.operation, typed))
        if describe.is_secret(self._tree, step.operation, getattr(result, "uid", None)) is False:
            self._store.write("params", step=step.number, params={typed: describe.bounded(text)})
        else:
            self._store.hide(text)


class Step:
    """An operation that runs."""

    def __init__(self, recorder: Recorder, number: int, operation: Operation[Any]) -> None:
        self.number = number
        self.operation = operation
        self.ended = 0.0
        self.doubtful: str | None = None
        """The field of the operation that may hold a password."""
        self._recorder = recorder

    def done(self, result: Any) -> None:
        """It succeeded."""
        self._recorder.ended(self, result, None)

    def failed(self, error: BaseException) -> None:
        """It did not; what the app looks like now is recorded at once."""
        self._recorder.ended(self, None, error)

    def cancelled(self, error: BaseException) -> None:
        """Its caller was cancelled or interrupted, and does not wait."""
        self._recorder.ended(self, None, error, settle=False)


class Traced:
    """Runs the operations of one runner, and records them. A Runner."""

    def __init__(
        self, runner: Runner, recorder: Recorder, about: Callable[[], Mapping[str, Any]] = dict
    ) -> None:
        """`about` gives what else is recorded of each operation, such as which client it is for."""
        self._runner = runner
        self._recorder = recorder
        self._about = about

    def run(self, operation: Operation[R], cancel: Cancel | None = None) -> R:
        """Run one operation."""
        step = self._recorder.begin(operation, **self._about())
        try:
            result = self._runner.run(operation, cancel)
        except BaseException as error:
            step.failed(error)
            raise
        step.done(result)
        return result

    def close(self) -> None:
        """Let go of the app."""
        self._recorder.close()
        self._runner.close()


def _shows(operation: Operation[Any]) -> bool:
    """Whether the app may look different after it: it acts, or waits for something."""
    return (operation.acts and operation.ui) or isinstance(operation, (ops.Wait, ops.WaitIdle))


def _continued(before: str, now: str) -> str:
    """What was written since: only the end of an output is known."""
    if now.startswith("… ("):
        now = now.partition("\n")[2]
    if before.startswith("… ("):
        before = before.partition("\n")[2]
    if now.startswith(before):
        return now[len(before) :]
    end = before[-_OVERLAP:]
    at = now.rfind(end)
    return now if at < 0 else now[at + len(end) :]
