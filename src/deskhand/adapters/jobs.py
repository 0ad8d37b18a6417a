"""Work for a GUI thread, with a caller on another thread that waits for it up to a deadline."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

from ..model.errors import AppGone, UiBusy


class Job:
    """Something to do on the GUI thread, and what became of it."""

    __slots__ = ("done", "error", "fn", "late", "left", "token", "value")

    def __init__(self, fn: Callable[[], Any]) -> None:
        self.fn: Callable[[], Any] | None = fn
        self.token = [None]
        """The thread that pops it decides: the GUI thread to run the job, its caller to give it up."""
        self.done = Lock()
        self.done.acquire()
        self.value: Any = None
        self.error: BaseException | None = None
        self.left = False
        """Whether its caller was let go."""
        self.late = False
        """Whether it failed after that, so that no caller got the error."""

    def claim(self) -> bool:
        """Whether it is ours to decide about."""
        try:
            self.token.pop()
        except IndexError:
            return False
        return True

    def run(self) -> None:
        """Do it, and let the caller go. On the GUI thread, by who claimed it."""
        fn, self.fn = self.fn, None
        try:
            self.value = fn() if fn is not None else None
        except BaseException as error:  # noqa: BLE001 - raised again in the caller's thread
            self.error, self.late = error, self.left
        self.leave()

    def leave(self) -> None:
        """Let the caller go."""
        if not self.left:
            self.left = True
            self.done.release()

    def outcome(self) -> Any:
        """What it returned; raises what it raised. For the caller, once it was let go."""
        error = self.error
        if error is None:
            return self.value
        try:
            raise error
        finally:
            # The traceback leads to this frame, and this frame to the error.
            del error, self

    def give_up(self, timeout: float, thread: int | None) -> UiBusy:
        """The error for a caller whose deadline passed. A job that did not start never will."""
        state = "did not start it" if self.claim() else "is not done with it"
        where = line_of(thread)
        return UiBusy(
            f"the program's GUI thread {state} after {timeout:.3g} s{f'; it is in {where}' if where else ''}",
            where=where,
            started=state.startswith("is"),
        )


J = TypeVar("J", bound=Job)


def take(jobs: deque[J]) -> J | None:
    """The first job whose caller still wants it, for who takes it to run; None if there is none."""
    while jobs:
        try:
            job = jobs.popleft()
        except IndexError:  # another thread was faster
            break
        if job.claim():
            return job
    return None


def refuse_all(jobs: deque[J], why: str) -> None:
    """Tell those who wait that nothing will run any more."""
    while (job := take(jobs)) is not None:
        job.error = AppGone(why)
        job.leave()


def line_of(thread: int | None) -> str | None:
    """The line of Python that a thread is at."""
    frame = sys._current_frames().get(thread or 0)  # noqa: SLF001 - the only way to see another thread
    if frame is None:
        return None
    return f"{frame.f_code.co_name} ({Path(frame.f_code.co_filename).name}:{frame.f_lineno})"
