"""Runs operations that are made of others, over any Runner: a session, or an engine in another process."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar, cast

from ..model import operations as ops
from ..model.compound import Batch, Outcome, Performed, Step, WaitUntil, WaitWindows, Within
from ..model.deadline import Deadline
from ..model.errors import (
    AccessibilityUnavailable,
    Cancelled,
    ConnectFailed,
    DeskhandError,
    Disabled,
    NotConnected,
    NotReady,
    NoWindows,
    UiBusy,
    WaitTimeout,
)
from ..model.node import Window
from ..model.operations import Cancel, Compound, Done, Operation, Runner, Snapshot
from ..model.policy import Asking, asking
from ..model.tree import Tree

R = TypeVar("R")
S = TypeVar("S")

_ABSENT = (AccessibilityUnavailable, NotConnected, ConnectFailed)
_AGAIN = 0.5
"""How long an app that cannot be reached, or does not answer, is left alone, in seconds."""
_EASE = 2.0
"""How long a program that changes all the time is left alone after a read, as a multiple of its duration."""
_POLL = 0.1
"""How often to read from what does not wait for a change itself, in seconds."""
_CANCEL_CHECK = 0.05
_LEAST = 0.001
"""The shortest timeout of a read, in seconds: 0 would mean the usual one."""
_PATIENCE = 1.0
"""How long a target may take to be ready for an action of a batch, in seconds; more if there is much time."""
_SHARE = 5
"""Which part of the time for a batch one action may take to begin."""
_SETTLE = 2.0
"""How long the app may take to be idle after the last action of a batch, in seconds."""
_LEAST_SETTLE = 0.05
_ENDED = (NotConnected, NoWindows)


class Composer:
    """Runs compound operations over another Runner, which runs all others. A Runner."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner

    def run(self, operation: Operation[R], cancel: Cancel | None = None) -> R:
        """Run one operation."""
        if isinstance(operation, Compound):
            return cast("R", run(self._runner, operation, cancel))
        return self._runner.run(operation, cancel)

    def close(self) -> None:
        """Let go of the app."""
        self._runner.close()


def run(runner: Runner, operation: Compound[Any], cancel: Cancel | None) -> object:
    """Run a compound operation by others that this runner runs."""
    match operation:
        case WaitUntil():
            return _wait_for_tree(runner, operation, cancel)
        case WaitWindows():
            return _wait_for_windows(runner, operation, cancel)
        case Within():
            return operation.work(_Bounded(runner, operation.timeout))
        case Batch():
            return _perform(_Bounded(runner, operation.timeout), operation, cancel)
    raise TypeError(f"{type(operation).__name__} is not a compound operation")


# -- several operations with one deadline --------------------------------------------------------


class _Bounded:
    """Runs each operation with what is left of the time for all. A Runner.

    The engine keeps to that, but a last read may take a moment longer: it finds out why there was no result.
    """

    def __init__(self, runner: Runner, timeout: float) -> None:
        self._runner = runner
        self._until = time.monotonic() + timeout
        self._busy: UiBusy | None = None

    @property
    def left(self) -> float:
        return max(self._until - time.monotonic(), 0.0)

    def run(self, operation: Operation[R], cancel: Cancel | None = None) -> R:
        """Run it; UiBusy if the app does not answer in time."""
        if self._busy is not None and not self.left:
            raise UiBusy(self._busy.message, suggestions=self._busy.suggestions)
        timed: Operation[Any] = operation
        if isinstance(timed, (ops.ReadTree, ops.Find, ops.ListWindows)):
            timed = replace(timed, timeout=max(self.left, _LEAST))
        person = Asking()
        before = asking.set(person)
        try:
            result: R = self._runner.run(timed, cancel)
            return result
        except UiBusy as error:
            error.message = f"the app does not answer in time: {error.message}"
            error.suggestions = (*error.suggestions, "try again later, or give more time")
            self._busy = error
            raise
        finally:
            asking.reset(before)
            self._until += person.spent

    def close(self) -> None:
        """Nothing: the runner belongs to the caller."""


def _perform(runner: _Bounded, batch: Batch, cancel: Cancel | None) -> Performed:
    before: Tree | None = None
    if batch.receipt:
        before = runner.run(ops.ReadTree(), cancel).tree
    elif not batch.steps:
        runner.run(ops.MayRead(), cancel)  # a server that is switched off says so, whatever it is to do
    outcomes: list[Outcome] = []
    failed: int | None = None
    for at, step in enumerate(batch.steps):
        if failed is not None and (batch.stop or isinstance(outcomes[failed].error, NotConnected)):
            outcomes.append(Outcome(after=failed))
            continue
        # Where one that fails does not end the batch, it leaves the others their part of the time.
        sharing = 1 if batch.stop else len(batch.steps) - at
        try:
            outcomes.append(Outcome(done=_act(runner, step, sharing, cancel)))
        except (Disabled, ConnectFailed, Cancelled):
            raise
        except DeskhandError as error:
            if isinstance(error, NotConnected) and not outcomes:
                raise
            failed = at
            outcomes.append(Outcome(error=error))
    ended = next(
        (outcome.done.exit for outcome in outcomes if outcome.done is not None and outcome.done.exit), None
    )
    idle = _settle(runner, cancel) if batch.settle and runner.left else None
    after: Snapshot | None = None
    unknown: DeskhandError | None = None
    if before is not None:
        try:
            after = runner.run(ops.ReadTree(since=before.revision, whole=True), cancel)
        except (*_ENDED, UiBusy) as error:
            unknown = error
    return Performed(tuple(outcomes), idle, before, after, unknown, ended)


def _act(runner: _Bounded, step: Step, sharing: int, cancel: Cancel | None) -> Done:
    """Perform an action, the first of so many that share the time that is left."""
    left = runner.left
    # With more time for all, a program may also be busy for longer between two actions.
    patience = min(left / sharing, max(_PATIENCE, left / _SHARE))
    try:
        # Also without time left: a wrong target is the reason to report.
        action = step(runner, patience)
    except UiBusy:
        if left:
            raise
        raise _no_time() from None
    if not left:
        raise _no_time()
    return runner.run(action, cancel)


def _settle(runner: _Bounded, cancel: Cancel | None) -> bool:
    """Whether the app is idle, within the time that is left."""
    try:
        runner.run(ops.WaitIdle(timeout=min(_SETTLE, max(runner.left, _LEAST_SETTLE))), cancel)
    except UiBusy:
        return False
    except _ENDED:
        pass  # an action ended it
    return True


def _no_time() -> UiBusy:
    return UiBusy("no time was left for it", suggestions=("give more time, or fewer actions",))


# -- waiting -------------------------------------------------------------------------------------


def _wait_for_tree(runner: Runner, operation: WaitUntil[R], cancel: Cancel | None) -> R:
    def read(last: Tree | None, left: float) -> Tree | None:
        if last is None:
            return runner.run(ops.ReadTree(), cancel).tree
        return runner.run(ops.WaitChange(last.revision, True, left, operation.poll), cancel).tree

    return _wait(read, operation.met, operation.what, Deadline(operation.timeout, cancel))


def _wait_for_windows(runner: Runner, operation: WaitWindows[R], cancel: Cancel | None) -> R:
    def read(last: tuple[Window, ...] | None, left: float) -> tuple[Window, ...] | None:
        try:
            found = runner.run(ops.ListWindows(left or None, since=last if left else None), cancel)
        except NoWindows:
            found = ()
        return None if found == last else found

    tolerated = (UiBusy, *_ABSENT) if operation.absent else (UiBusy,)
    deadline = Deadline(operation.timeout, cancel)
    return _wait(read, operation.met, operation.what, deadline, tolerated)


def _wait(
    read: Callable[[S | None, float], S | None],
    met: Callable[[S], R],
    what: str,
    deadline: Deadline,
    tolerated: tuple[type[DeskhandError], ...] = (),
) -> R:
    """Read until a condition is met.

    `read` gets the last state and the seconds that are left; it returns the next state once it differs, or
    None if it does not in time. `tolerated` errors pass: the last of them is raised if nothing could be read.
    """
    last: S | None = None
    seen: NotReady | None = None
    trouble: DeskhandError | None = None
    first: float | None = None
    rest = 0.0
    while True:
        began = time.monotonic()
        try:
            state = read(last, deadline.remaining)
        except tolerated as error:
            trouble, state, rest = error, None, _AGAIN
        else:
            took = time.monotonic() - began
            if first is None:
                first = took
            elif state is None:
                rest = _POLL
            else:
                # It changes all the time, and needs time for itself; nothing is missed meanwhile. The first
                # read may have taken long because the program was busy, or had never been read before.
                rest = min(first, took) * _EASE if took < first * 2 else 0.0
        if state is not None:
            try:
                return met(state)
            except NotReady as error:
                last, seen = state, error
        if deadline.passed:
            if seen is None and trouble is not None:
                raise trouble
            instead = "nothing was read" if seen is None else seen.message
            raise WaitTimeout(
                f"waited {deadline.timeout:g} s for {what}; {instead}", last_seen={"instead": instead}
            )
        _pause(rest, deadline)


def _pause(seconds: float, deadline: Deadline) -> None:
    """Leave the program alone for that long, or until the deadline."""
    until = time.monotonic() + min(seconds, deadline.remaining)
    while (left := until - time.monotonic()) > 0:
        deadline.check()
        time.sleep(min(left, _CANCEL_CHECK))
