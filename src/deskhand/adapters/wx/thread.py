"""The way onto the GUI thread and back, with a deadline.

Other threads touch nothing of wx: they leave a job, and GLib runs it, or where there is none `wx.CallAfter`.
Every event loop serves both: that of a modal dialog, of a native one, and of a menu that is open too.
"""

from __future__ import annotations

import contextlib
import logging
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable
from typing import Any, TypeVar, cast

import wx

from ...model.errors import AppGone
from ..jobs import Job, refuse_all, take
from .gtk import gtk
from .still import Stillness

T = TypeVar("T")

_ANSWER = 1.0
"""How long the GUI thread may take to answer the last question of a wait, in seconds."""
_AGAIN = 20
"""After how many milliseconds an action that goes on is looked at again."""
_CLOSED = "deskhand was closed in this program"
_log = logging.getLogger("deskhand.wx")


class _Look(Job):
    """A job that changes nothing."""

    __slots__ = ()


class UiThread:
    """Runs functions on the GUI thread for callers on any thread. Made on the GUI thread."""

    def __init__(self) -> None:
        self.stillness = Stillness(gtk)
        self._ident = threading.get_ident()
        self._jobs: deque[Job] = deque()
        self._acting: dict[Job, object] = {}
        """Actions on the GUI thread's stack, and what waited for its user as each began."""
        self._gone: str | None = None
        self._watch_exit(wx.GetApp())

    # -- from any thread -------------------------------------------------------------------------

    def call(self, fn: Callable[[], T], timeout: float) -> T:
        """What `fn` returns or raises on the GUI thread; UiBusy at the deadline.

        If `fn` did not start by then it never will.
        """
        return fn() if self.on_gui_thread() else self._wait_for(Job(fn), timeout)

    def look(self, fn: Callable[[], T], timeout: float) -> T:
        """The same for what changes nothing."""
        return fn() if self.on_gui_thread() else self._wait_for(_Look(fn), timeout)

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
            self._send(_Look(fn))

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
            wx.Yield()
        time.sleep(seconds)  # what is waited for is not announced

    @property
    def ended(self) -> bool:
        """Whether the program's event loop has ended."""
        return self._gone is not None

    def on_gui_thread(self) -> bool:
        return threading.get_ident() == self._ident

    def close(self) -> None:
        """Let go of the program. Callers that wait get AppGone; so does everybody after."""
        self._end(_CLOSED)
        app = wx.GetApp()
        if app is not None and "OnExit" in vars(app):
            exits = vars(app)["OnExit"]
            if getattr(exits, "watched_by", None) is self:
                del app.OnExit

    # -- on the GUI thread -----------------------------------------------------------------------

    def _next(self) -> None:
        # One call, one job: what is left is still announced to an event loop that this one may open.
        job = take(self._jobs)
        if job is None:
            return
        with self.stillness.runs(look=isinstance(job, _Look)):
            job.run()
        if job.late:
            error = job.error
            _log.warning("an action failed after its caller was answered: %s", error, exc_info=error)

    def _act(self, job: Job, fn: Callable[[], T]) -> T:
        self._acting[job] = _waiting()
        try:
            return fn()
        finally:
            self._acting.pop(job, None)

    def _probe(self, job: Job) -> None:
        """In an event loop that may be an action's own: let its caller go if a user is waited for."""
        if job not in self._acting or job.left:
            return
        if _waiting() != self._acting[job]:
            job.leave()
        else:
            # The program lets its events be handled, and goes on with the action after that.
            wx.CallLater(_AGAIN, self._probe, job)

    def _watch_exit(self, app: Any) -> None:
        """Know when the event loop ends, by the method that wx calls then."""
        # The application object is never held: a program that drops it wants it to go.
        known, own = weakref.ref(app), vars(app).get("OnExit")

        def ends() -> int:
            self._end("the program ended its event loop")
            with contextlib.suppress(AssertionError):
                # Should the program begin another event loop, that one will run this.
                wx.CallAfter(self._revive)
            if own is not None:
                return int(own() or 0)
            app = known()
            return 0 if app is None else int(type(app).OnExit(app) or 0)

        ends.watched_by = self  # type: ignore[attr-defined]  # a mark, so that it is taken away by whom it is
        app.OnExit = ends

    def _revive(self) -> None:
        if self._gone != _CLOSED:
            self._gone = None

    # -- both ------------------------------------------------------------------------------------

    def _send(self, job: Job) -> None:
        if self._gone is None:
            self._jobs.append(job)
            if gtk is not None:
                gtk.call_soon(self._next)
            else:
                wx.CallAfter(self._next)
        if self._gone is not None and job.claim():
            raise AppGone(self._gone)

    def _end(self, why: str) -> None:
        """Nothing will run any more: tell those who wait."""
        self._gone = why
        refuse_all(self._jobs, why)


def _waiting() -> object:
    """What waits for its user: an event loop of its own, a window or menu that takes all input."""
    if gtk is not None:
        return gtk.main_level(), gtk.grab()
    loop = wx.EventLoopBase.GetActive()
    return None if loop is None else id(loop)
