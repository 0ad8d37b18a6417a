"""The way onto the GUI thread of this process and back, with a deadline: the same for every toolkit inside.

Other threads touch nothing of a toolkit: they leave a job and announce it, and whatever event loop runs takes
it, that of a modal dialog too. How a job is announced, and what waits for a user, is the toolkit's to say.
"""

from __future__ import annotations

import contextlib
import logging
import math
import threading
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from typing import Any, ClassVar, TypeVar, cast

from ..model.errors import AppGone
from .jobs import Job, refuse_all, take

T = TypeVar("T")

_ANSWER = 1.0
"""How long the GUI thread may take to answer the last question of a wait, in seconds."""
_AGAIN = 20
"""After how many milliseconds an action that goes on is checked again."""
CLOSED = "deskhand was closed in this program"
_log = logging.getLogger("deskhand.adapters")


class Look(Job):
    """A job that changes nothing."""

    __slots__ = ()


class GuiThread(ABC):
    """Runs functions on the GUI thread for callers on any thread. Made on the GUI thread."""

    goes_on: ClassVar[float] = math.inf
    """After how many seconds an action that lets events be handled counts as one that waits for its user."""

    def __init__(self) -> None:
        self._ident = threading.get_ident()
        self._jobs: deque[Job] = deque()
        self._acting: dict[Job, tuple[object, float]] = {}
        """Actions on the GUI thread's stack: what waited for its user as each began, and when that was."""
        self._gone: str | None = None

    # -- what a toolkit says ---------------------------------------------------------------------

    @abstractmethod
    def announce(self) -> None:
        """Let the event loop call `next_job` once, whichever loop runs. From any thread."""

    @abstractmethod
    def after(self, milliseconds: int, fn: Callable[[], object]) -> None:
        """Let the event loop call it once, after a time. On the GUI thread."""

    @abstractmethod
    def waiting(self) -> object:
        """What waits for its user now: an event loop of its own, a window that takes all input."""

    @abstractmethod
    def turn(self) -> None:
        """Let the events be handled that are there. On the GUI thread."""

    def run(self, job: Job) -> None:
        """Run a job, on the GUI thread."""
        job.run()

    # -- from any thread -------------------------------------------------------------------------

    def call(self, fn: Callable[[], T], timeout: float) -> T:
        """What `fn` returns or raises on the GUI thread; UiBusy at the deadline.

        If `fn` did not start by then it never will.
        """
        return fn() if self.on_gui_thread() else cast("T", self._wait_for(Job(fn), timeout))

    def look(self, fn: Callable[[], T], timeout: float) -> T:
        """The same for what changes nothing."""
        return fn() if self.on_gui_thread() else cast("T", self._wait_for(Look(fn), timeout))

    def _wait_for(self, job: Job, timeout: float) -> Any:
        self._send(job)
        if not job.done.acquire(timeout=max(timeout, 0)):
            raise job.give_up(timeout, self._ident)
        return job.outcome()

    def post(self, fn: Callable[[], T], timeout: float) -> T | None:
        """The same for what may open a modal dialog or a menu: None as soon as that waits for its user."""
        if self.on_gui_thread():
            return fn()
        job = Job(lambda: self._act(job, fn))
        self._send(job)
        # Runs after the action, or in an event loop that the action began.
        with contextlib.suppress(AppGone):
            self._send(Job(lambda: self._probe(job)))
        if not job.done.acquire(timeout=max(timeout, 0)):
            raise job.give_up(timeout, self._ident)
        return cast("T | None", job.outcome())

    def later(self, fn: Callable[[], object]) -> None:
        """Run `fn`, which changes nothing, on the GUI thread some time. No call waits for it; if the program
        ends, it never runs."""
        if self.on_gui_thread():
            fn()
        else:
            self.soon(fn)

    def soon(self, fn: Callable[[], object]) -> None:
        """The same, and never at once."""
        with contextlib.suppress(AppGone):
            self._send(Look(fn))

    def wait(self, holds: Callable[[], T], timeout: float, every: float = 0.01) -> T:
        """What `holds` gives on the GUI thread once that is true, or at the deadline."""
        until = time.monotonic() + timeout
        while True:
            left = until - time.monotonic()
            value = self.call(holds, max(left, _ANSWER))
            if value or left <= 0:
                return value
            self.pause(min(every, left))

    def pause(self, seconds: float) -> None:
        """Let the event loop go on for a while."""
        if self.on_gui_thread():
            self.turn()
        time.sleep(seconds)  # what is waited for is not announced

    @property
    def ended(self) -> bool:
        """Whether the program's event loop has ended, or its last window is gone."""
        return self._gone is not None

    def on_gui_thread(self) -> bool:
        return threading.get_ident() == self._ident

    def close(self) -> None:
        """Let go of the program. Callers that wait get AppGone; so do all calls after that."""
        self.end(CLOSED)

    def end(self, why: str) -> None:
        """Nothing will run any more: refuse what waits."""
        self._gone = why
        refuse_all(self._jobs, why)

    def revive(self) -> None:
        """The program began another event loop."""
        if self._gone != CLOSED:
            self._gone = None

    # -- on the GUI thread -----------------------------------------------------------------------

    def next_job(self) -> None:
        """Run one job: what is left is still announced to an event loop that this one may open."""
        job = take(self._jobs)
        if job is None:
            return
        self.run(job)
        if job.late:
            error = job.error
            _log.warning("an action failed after its caller was answered: %s", error, exc_info=error)

    def _act(self, job: Job, fn: Callable[[], T]) -> T:
        self._acting[job] = (self.waiting(), time.monotonic())
        try:
            return fn()
        finally:
            self._acting.pop(job, None)

    def _probe(self, job: Job) -> None:
        """In an event loop that may be an action's own: let its caller go if a user is waited for."""
        if job not in self._acting or job.left:
            return
        before, began = self._acting[job]
        if self.waiting() != before or time.monotonic() - began > self.goes_on:
            job.leave()
        else:
            # The program lets its events be handled, and may go on with the action after that.
            self.after(_AGAIN, lambda: self._probe(job))

    # -- both ------------------------------------------------------------------------------------

    def _send(self, job: Job) -> None:
        if self._gone is None:
            self._jobs.append(job)
            self.announce()
        if self._gone is not None and job.claim():
            raise AppGone(self._gone)
