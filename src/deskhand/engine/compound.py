"""Runs operations that are made of others, over any Runner: a session, or an engine in another process."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, TypeVar, cast

from ..model import operations as ops
from ..model.compound import Compound, WaitUntil, WaitWindows
from ..model.deadline import Deadline
from ..model.errors import (
    AccessibilityUnavailable,
    ConnectFailed,
    DeskhandError,
    NotConnected,
    NotReady,
    NoWindows,
    UiBusy,
    WaitTimeout,
)
from ..model.node import Window
from ..model.operations import Cancel, Operation, Runner
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
    raise TypeError(f"{type(operation).__name__} is not a compound operation")


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
