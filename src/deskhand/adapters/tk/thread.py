"""The way onto the GUI thread and back, with a deadline.

Other threads touch nothing of Tk: they leave a job and write a byte into a pipe, which every event loop of
Tcl watches: `mainloop`, the `vwait` of a modal dialog, and `update`.
"""

from __future__ import annotations

import contextlib
import logging
import os
import threading
import time
import tkinter
from collections import deque
from collections.abc import Callable
from typing import Any, TypeVar, cast

from ...model.errors import AppGone, UiBusy
from ..jobs import Job, refuse_all, take
from .native import Native
from .roots import Registry

T = TypeVar("T")

_ANSWER = 1.0
"""How long the GUI thread may take to answer the last question of a wait, in seconds."""
_AGAIN = 20
"""After how many milliseconds an action that goes on is looked at again."""
_GOES_ON = 0.3
"""After how long an action that lets events be handled counts as one that waits for its user, in seconds."""
_CLOSED = "deskhand was closed in this program"
_ENDED = "the program has closed its last window"
_log = logging.getLogger("deskhand.tk")


class UiThread:
    """Runs functions on the GUI thread for callers on any thread. Made on the GUI thread."""

    def __init__(self, registry: Registry) -> None:
        self.native = Native()
        self.ours = False
        """Whether a job of ours ran since the event loop had nothing left to do."""
        self._registry = registry
        self._ident = threading.get_ident()
        self._jobs: deque[Job] = deque()
        self._acting: dict[Job, tuple[object, float]] = {}
        """Actions on the GUI thread's stack: what waited for its user as each began, and when that was."""
        self._gone: str | None = None
        self._reader, self._writer = os.pipe()
        for end in (self._reader, self._writer):
            os.set_blocking(end, False)
        self._watched: list[Any] = []

    def watch(self, root: Any) -> None:
        """Let the event loop of an interpreter run jobs; one is enough for a thread, and may be destroyed."""
        if not self._watched:
            root.app.createfilehandler(self._reader, tkinter.READABLE, self._next)
            self._watched.append(root)

    # -- from any thread -------------------------------------------------------------------------

    def call(self, fn: Callable[[], T], timeout: float) -> T:
        """What `fn` returns or raises on the GUI thread; UiBusy at the deadline.

        If `fn` did not start by then it never will.
        """
        if self.on_gui_thread():
            return fn()
        job = Job(fn)
        self._send(job)
        if not job.done.acquire(timeout=max(timeout, 0)):
            raise job.give_up(timeout, self._ident)
        return cast("T", job.outcome())

    def post(self, fn: Callable[[], T], timeout: float) -> T | None:
        """The same for what may open a modal dialog: None as soon as that waits for its user."""
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
        """Run `fn` on the GUI thread some time. No call waits for it; if the program ends, it never runs."""
        if self.on_gui_thread():
            fn()
        else:
            with contextlib.suppress(AppGone):
                self._send(Job(fn))

    def wait(self, holds: Callable[[], T], timeout: float, every: float = 0.01) -> T:
        """What `holds` gives on the GUI thread once that is true, or at the deadline."""
        until = time.monotonic() + timeout
        while True:
            left = until - time.monotonic()
            value = self.call(holds, max(left, _ANSWER))
            if value or left <= 0:
                return value
            self.pause(min(every, left))

    def idle(self, timeout: float) -> None:
        """Return once the event loop has nothing left to do; UiBusy if it always has."""
        if self.on_gui_thread():
            self._update()
            return
        done = Job(lambda: None)

        def begin() -> None:
            # Tcl runs it when there is no event left, after what was to be drawn before.
            self._root().tk.after_idle(finish)

        def finish() -> None:
            if done.claim():
                done.run()

        self.call(begin, timeout)
        if not done.done.acquire(timeout=max(timeout, 0)):
            done.claim()
            raise UiBusy(f"the program was not idle after {timeout:.3g} s", started=True)

    def pause(self, seconds: float) -> None:
        """Let the event loop go on for a while."""
        if self.on_gui_thread():
            self._update()
        time.sleep(seconds)  # what is waited for is not announced

    @property
    def ended(self) -> bool:
        """Whether the program has no window left, and will have none."""
        return self._gone is not None

    def on_gui_thread(self) -> bool:
        return threading.get_ident() == self._ident

    def end(self) -> None:
        """The last interpreter is gone: callers that wait get AppGone."""
        self._end(_ENDED)

    def close(self) -> None:
        """Let go of the program. Callers that wait get AppGone; so do all calls after that."""
        self._end(_CLOSED)
        os.close(self._writer)
        os.close(self._reader)

    def let_go(self) -> None:
        """Stop watching; on the GUI thread."""
        self.native.close()
        for root in self._watched:
            with contextlib.suppress(tkinter.TclError, RuntimeError):
                root.app.deletefilehandler(self._reader)
        self._watched.clear()

    # -- on the GUI thread -----------------------------------------------------------------------

    def _next(self, *_: object) -> None:
        # One byte, one job: what is left is still announced to an event loop that this one may open.
        with contextlib.suppress(BlockingIOError, OSError):
            os.read(self._reader, 1)
        job = take(self._jobs)
        if job is None:
            return
        self.ours = True
        job.run()
        if job.late:
            error = job.error
            _log.warning("an action failed after its caller was answered: %s", error, exc_info=error)

    def _act(self, job: Job, fn: Callable[[], T]) -> T:
        self._acting[job] = (self._waiting(), time.monotonic())
        try:
            return fn()
        finally:
            self._acting.pop(job, None)

    def _probe(self, job: Job) -> None:
        """In an event loop that may be an action's own: let its caller go if a user is waited for."""
        if job not in self._acting or job.left:
            return
        before, began = self._acting[job]
        if self._waiting() != before or time.monotonic() - began > _GOES_ON:
            job.leave()
        else:
            # The program lets its events be handled, and may go on with the action after that.
            self._root().tk.after(_AGAIN, self._probe, job)

    def _waiting(self) -> object:
        """What may wait for its user: the windows that are shown, and the one that takes all input."""
        found = []
        for root in self._registry.roots:
            with contextlib.suppress(tkinter.TclError):
                found.append(
                    (root.words(root.call("::deskhand::tops", ".")), str(root.call("::deskhand::grabbed")))
                )
        return tuple(found)

    def _update(self) -> None:
        for root in self._registry.roots:
            with contextlib.suppress(tkinter.TclError):
                root.call("update")

    def ask_display(self) -> None:
        """Ask the display something, which brings all events that it sent before."""
        self._root().call("winfo", "pointerxy", ".")

    def _root(self) -> Any:
        if not self._registry.roots:
            raise AppGone(_ENDED)
        return self._registry.roots[0]

    # -- both ------------------------------------------------------------------------------------

    def _send(self, job: Job) -> None:
        if self._gone is None:
            self._jobs.append(job)
            with contextlib.suppress(BlockingIOError):  # a full pipe wakes the event loop all the same
                os.write(self._writer, b"\0")
        if self._gone is not None and job.claim():
            raise AppGone(self._gone)

    def _end(self, why: str) -> None:
        self._gone = why
        refuse_all(self._jobs, why)
