"""The process of an app that we started, and what can be said when an app is gone."""

from __future__ import annotations

import os
import select
import signal
import sys
from typing import Protocol

from ..model.errors import AppGone, WaitTimeout

_LAST_LINES = 10
_REAP = 2.0
"""How long a process may take to end after it hung up, in seconds."""


class AppProcess(Protocol):
    """What the client needs of a launched process."""

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


def gone(error: AppGone, process: AppProcess | None, pid: int | None) -> AppGone:
    """The same error with what is known about the end of the app."""
    if process is None:
        if pid is None:
            return error
        ended = _ended(pid)
        what = f"process {pid} ended" if ended else f"process {pid} still runs, but closed the connection"
        return AppGone(f"the app is gone: {what}", target=error.target, **{**error.details, "pid": pid})
    try:
        code: int | None = process.wait(_REAP)
    except WaitTimeout:
        code = None
    tail = process.stderr.rstrip().splitlines()[-_LAST_LINES:]
    message = f"the app is gone: {_how(process.pid, code)}"
    if tail:
        message += "; its last words:\n" + "\n".join(f"  {line}" for line in tail)
    return AppGone(message, target=error.target, exit_code=code, pid=process.pid, stderr="\n".join(tail))


def _how(pid: int, code: int | None) -> str:
    if code is None:
        return f"process {pid} still runs, but closed the connection"
    if code < 0:
        return f"process {pid} was ended by {signal.Signals(-code).name}"
    return f"process {pid} ended with exit code {code}"


def _ended(pid: int) -> bool:
    """Whether a process has ended, or does so in a moment: its connection may be gone before it is."""
    if sys.platform != "linux":
        return False  # only there is there a cheap way to see a process end that is not one's own
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    except OSError:
        return False  # somebody else's, or a kernel that has no such thing: then it counts as there
    try:
        return bool(select.select([process], [], [], _REAP)[0])
    finally:
        os.close(process)
