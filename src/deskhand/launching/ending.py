"""How an app ended: what an error and an answer say of it, where its process is known."""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol, TypeVar, cast

from ..model.errors import (
    AccessibilityUnavailable,
    AppGone,
    ConnectFailed,
    DeskhandError,
    NotConnected,
    ScreenshotFailed,
    UiBusy,
    WaitTimeout,
)
from ..model.node import Window
from ..model.operations import Action, Cancel, Difference, Done, Exit, ListWindows, Operation, Runner

__tracebackhide__ = True  # pytest then shows the line of the test that failed, and nothing of ours below it

R = TypeVar("R")

BROKEN = (AppGone, NotConnected, ConnectFailed, AccessibilityUnavailable, ScreenshotFailed, UiBusy)
"""What goes wrong when an app ends in the middle of an operation."""
_LAST_LINES = 10
_LAST = 3.0
"""How long the operations that an app has ended by, or during, may take to say so, in seconds."""
_REAP = 2.0
"""How long a process may take to end after it hung up, in seconds."""


class AppProcess(Protocol):
    """What is needed of a process that we started."""

    @property
    def pid(self) -> int: ...

    @property
    def returncode(self) -> int | None:
        """None while it runs; negative for a signal."""

    @property
    def stdout(self) -> str:
        """The end of its standard output."""

    @property
    def stderr(self) -> str:
        """The end of its standard error."""

    def wait(self, timeout: float | None = None) -> int:
        """Its exit code; WaitTimeout if it is still running."""

    def close(self) -> None:
        """End it and everything that was started for it."""


class Concluded:
    """Runs operations in an app that we started, and says how it ended. A Runner."""

    def __init__(self, runner: Runner, process: AppProcess | None = None) -> None:
        self.process = process
        """May be set later, once it is known."""
        self.runner = runner
        self._running = 0
        self._changed = threading.Condition()

    def run(self, operation: Operation[R], cancel: Cancel | None = None) -> R:
        """Run one operation; raises AppGone with the exit code if the app has ended."""
        insist_on_running(self.process)
        with self._changed:
            self._running += 1
        windows: Sequence[Window] = ()
        try:
            if (first := asked_before(operation, self.process)) is not None:
                windows = self.runner.run(first, cancel)
            return concluded(self.runner.run(operation, cancel), self.process)
        except BROKEN as error:
            return after_all(operation, error, self.process, None, windows)
        finally:
            with self._changed:
                self._running -= 1
                self._changed.notify_all()

    def finish(self, timeout: float = _LAST) -> None:
        """Wait for what still runs in an app that has ended: its answer says how."""
        with self._changed:
            self._changed.wait_for(lambda: self._running == 0, timeout)

    def close(self) -> None:
        """Let go of the app."""
        self.runner.close()


def insist_on_running(process: AppProcess | None) -> None:
    """AppGone if an app has ended before anything was asked of it."""
    if process is not None and (code := process.returncode) is not None:
        raise _ended(AppGone(""), process, code)


def concluded(result: R, process: AppProcess | None) -> R:
    """The same answer, with the exit code if the app exited; AppGone if a signal ended it."""
    if not isinstance(result, Done) or result.exit is None or process is None:
        return result
    code = _code(process)
    if code is not None and code < 0:
        raise _ended(AppGone(""), process, code)
    known = Exit(code)
    receipt = None if result.receipt is None else replace(result.receipt, exit=known)
    return cast("R", replace(result, exit=known, receipt=receipt))


def asked_before(operation: Operation[R], process: AppProcess | None) -> ListWindows | None:
    """What to ask an app before an action that may end it: then it cannot say which windows that closed."""
    if process is None or not isinstance(operation, Action) or not operation.receipt:
        return None
    return ListWindows()


def after_all(
    operation: Operation[R],
    error: DeskhandError,
    process: AppProcess | None,
    pid: int | None,
    windows: Sequence[Window] = (),
) -> R:
    """The answer to an action that ended the app before that could answer; else raises what is known.

    `windows` are those that it had before.
    """
    if process is None:
        raise gone(error, pid) from None
    # One that answers late, or cannot be photographed, has not ended for that.
    doubtful = isinstance(error, (UiBusy, ScreenshotFailed))
    code = process.returncode if doubtful else _code(process)
    if doubtful and code is None:
        raise error
    if isinstance(operation, Action) and error.details.get("sent") and code is not None and code >= 0:
        known = Exit(code)
        closed = tuple(window.uid for window in windows)
        receipt = Difference(0, 0, windows_closed=closed, exit=known) if operation.receipt else None
        done = Done(receipt=receipt, detail=f"{known} before it answered", exit=known)
        return cast("R", done)
    if code is None and not isinstance(error, AppGone):
        raise error
    raise _ended(error, process, code) from None


def gone(error: DeskhandError, pid: int | None) -> DeskhandError:
    """The same error with what is known about the end of an app that we did not start."""
    if pid is None or not isinstance(error, AppGone):
        return error
    ended = _has_ended(pid)
    what = f"process {pid} ended" if ended else f"process {pid} still runs, but closed the connection"
    return AppGone(f"the app is gone: {what}", target=error.target, **{**error.details, "pid": pid})


def _ended(error: DeskhandError, process: AppProcess, code: int | None) -> AppGone:
    tail = process.stderr.rstrip().splitlines()[-_LAST_LINES:]
    message = _how(process.pid, code)
    if tail:
        message += "; its last words:\n" + "\n".join(f"  {line}" for line in tail)
    return AppGone(message, target=error.target, exit_code=code, pid=process.pid, stderr="\n".join(tail))


def _how(pid: int, code: int | None) -> str:
    if code is None:
        return f"the app is gone: process {pid} still runs, but closed the connection"
    if code < 0:
        return f"the app was killed by {signal.Signals(-code).name} (process {pid})"
    return f"{Exit(code)} (process {pid})"


def _code(process: AppProcess) -> int | None:
    """Its exit code, or None if it goes on."""
    try:
        return process.wait(_REAP)
    except WaitTimeout:
        return None


def _has_ended(pid: int) -> bool:
    """Whether a process has ended, or does so in a moment: its connection may be gone before it is."""
    if sys.platform != "linux":
        return False  # only there is there a cheap way to see a process end that is not one's own
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    except OSError:
        return False  # another user's, or a kernel that has no such thing: then it counts as there
    try:
        return bool(select.select([process], [], [], _REAP)[0])
    finally:
        os.close(process)
