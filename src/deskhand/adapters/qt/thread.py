"""The way onto the GUI thread and back, with a deadline.

Other threads touch nothing of Qt: they put a job into a queue and a byte into a socket that the event
loop watches. So this works from any thread, in nested event loops, and at the end of the program, when
Qt's objects go away.
"""

from __future__ import annotations

import contextlib
import logging
import socket
from collections import deque
from collections.abc import Callable, Iterator
from threading import get_ident
from typing import Any, TypeVar, cast

from ...model.errors import AppGone, UiBusy
from ..jobs import Job, refuse_all, take
from .binding import Binding, as_slot
from .turns import Turns

T = TypeVar("T")

_PROBE_AFTER = 0.1
"""How long an action may go on before we ask whether it runs an event loop that never rests."""
_AWAITED = 100
"""How many jobs that wait elsewhere are remembered; far more than there are clients."""
_log = logging.getLogger("deskhand.qt")


class _Job(Job):
    """A job, and how often the event loop blocked while it was on the stack."""

    __slots__ = ("blocks",)

    def __init__(self, fn: Callable[[], Any]) -> None:
        super().__init__(fn)
        self.blocks = 0


class UiThread:
    """Runs functions on the GUI thread for callers on any thread."""

    def __init__(self, binding: Binding, first: Callable[[], None] | None = None) -> None:
        """`first` is called before each job."""
        self._binding = binding
        self._first = first
        self._jobs: deque[_Job] = deque()
        self._awaited: deque[Job] = deque(maxlen=_AWAITED)
        self._near, self._far = socket.socketpair()
        for end in (self._near, self._far):
            end.setblocking(False)
        self._ident: int | None = None
        self._notifier: Any = None
        self._dispatcher: Any = None
        self._acting: list[_Job] = []
        """Actions on the GUI thread's stack: more than one if the first opened a dialog."""
        self._depth = 0
        """How many there are, with those that an event loop of ours hides."""
        self._watching = False
        self._on_block = as_slot(self._blocks)
        self._turns = Turns(binding)
        self._gone: str | None = None
        self._closed = False
        self._hop: Any = None
        if binding.QtCore.QThread.currentThread() is binding.app.thread():
            self._open()
        else:
            self._hop = _hop(binding, self._open)

    # -- from any thread -------------------------------------------------------------------------

    def call(self, fn: Callable[[], T], timeout: float) -> T:
        """What `fn` returns or raises on the GUI thread; UiBusy at the deadline.

        If `fn` did not start by then it never will.
        """
        if get_ident() == self._ident:
            return fn()
        job = _Job(fn)
        self._send(job)
        if not job.done.acquire(timeout=max(timeout, 0)):
            raise job.give_up(timeout, self._ident)
        return cast("T", job.outcome())

    look = call

    def post(self, fn: Callable[[], T], timeout: float) -> T | None:
        """The same for what may open a modal dialog or a menu: None as soon as that waits for its user."""
        if get_ident() == self._ident:
            return fn()
        job = _Job(lambda: self._act(job, fn))
        self._send(job)
        first = min(max(timeout, 0), _PROBE_AFTER)
        if not job.done.acquire(timeout=first):
            self._send(_Job(lambda: self._probe(job)))
            if not job.done.acquire(timeout=max(timeout - first, 0)):
                raise job.give_up(timeout, self._ident)
        return cast("T | None", job.outcome())

    def later(self, fn: Callable[[], object]) -> None:
        """Run `fn` on the GUI thread some time. No call waits for it; if the program ends, it never runs."""
        if get_ident() == self._ident:
            fn()
            return
        with contextlib.suppress(AppGone):
            self._send(_Job(fn))

    def refuse_at_end(self, job: Job) -> None:
        """If the program ends before a job that waits elsewhere has run, tell its caller."""
        self._awaited.append(job)
        if self._gone is not None:
            refuse_all(self._awaited, self._gone)

    def on_gui_thread(self) -> bool:
        return get_ident() == self._ident

    def close(self, last: Callable[[], object]) -> None:
        """Do `last`, then let go of the program. Callers that wait get AppGone; so does everybody after."""
        if self._closed:
            return

        def shut() -> None:
            last()
            self._shut()

        if self._notifier is None or self.on_gui_thread():
            shut()
            return
        try:
            self.call(shut, 1.0)
        except (AppGone, UiBusy):
            # Fallback: no event loop runs any more, or it is stuck; its objects are left to Qt.
            self._end("deskhand was closed in this program")
            self._closed = True

    # -- on the GUI thread -----------------------------------------------------------------------

    @contextlib.contextmanager
    def own_loop(self) -> Iterator[None]:
        """While an action runs an event loop of its own, which is not a dialog that its caller should see."""
        acting, self._acting = self._acting, []
        self._watch()
        try:
            yield
        finally:
            self._acting = acting
            self._watch()

    def _open(self) -> None:
        if self._closed:
            return
        core = self._binding.QtCore
        self._hop = None
        self._ident = get_ident()
        self._dispatcher = core.QAbstractEventDispatcher.instance()
        self._notifier = core.QSocketNotifier(self._near.fileno(), core.QSocketNotifier.Type.Read)
        self._notifier.activated.connect(self._activated)
        self._binding.app.aboutToQuit.connect(self._quits)

    def _activated(self, *_: object) -> None:
        try:
            # One byte, one job: what is left is still announced to an event loop that this one may open.
            self._near.recv(1)
        except OSError:
            return
        if (job := take(self._jobs)) is not None:
            self._run(job)

    def _run(self, job: _Job) -> None:
        if self._first is not None:
            self._first()
        job.run()
        if job.late:
            error = job.error
            _log.warning("an action failed after its caller was answered: %s", error, exc_info=error)

    def _act(self, job: _Job, fn: Callable[[], T]) -> T:
        self._acting.append(job)
        self._depth += 1
        self._watch()
        try:
            return fn()
        finally:
            if job in self._acting:
                self._acting.remove(job)
            self._depth -= 1
            if not self._depth:
                self._turns.end()
            self._watch()

    def _watch(self) -> None:
        """Listen for a nested event loop exactly while a caller waits for one."""
        wanted = bool(self._acting) and not self._acting[-1].left
        if wanted is not self._watching:
            self._watching = wanted
            signal = self._dispatcher.aboutToBlock
            if wanted:
                signal.connect(self._on_block)
            else:
                signal.disconnect(self._on_block)

    def _blocks(self) -> None:
        """The event loop is about to rest while an action is on the stack below it."""
        if not self._acting:
            return
        job = self._acting[-1]
        job.blocks += 1
        # Under GLib the first comes as the loop begins: another round handles what is due already.
        if job.blocks == 1:
            self._dispatcher.wakeUp()
        else:
            self._let_go(job)
            self._dispatcher.wakeUp()  # it has decided how long to rest already

    def _probe(self, job: _Job) -> None:
        if job in self._acting:
            self._let_go(job)

    def _let_go(self, job: _Job) -> None:
        """Answer the caller of an action that runs an event loop; it goes on, maybe with Python's lock."""
        job.leave()
        self._turns.begin()
        self._watch()

    def _quits(self) -> None:
        if self._gone is None:
            # Should the program begin another event loop, that one will rest some time; this one will not.
            self._dispatcher.aboutToBlock.connect(self._revive)
        self._end("the program ended its event loop")

    def _revive(self) -> None:
        self._dispatcher.aboutToBlock.disconnect(self._revive)
        if not self._closed:
            self._gone = None

    def _shut(self) -> None:
        self._end("deskhand was closed in this program")
        self._closed = True
        self._acting.clear()
        if self._notifier is not None and self._binding.is_valid(self._notifier):
            self._watch()
            self._notifier.setEnabled(False)
            # The application object is never held: a program that drops it wants it to go.
            app = self._binding.app
            with contextlib.suppress(RuntimeError, TypeError):
                if app is not None:
                    app.aboutToQuit.disconnect(self._quits)
        self._notifier = None
        self._near.close()
        self._far.close()

    # -- both ------------------------------------------------------------------------------------

    def _send(self, job: _Job) -> None:
        if self._gone is None:
            self._announce(job)
        if self._gone is not None and job.claim():
            raise AppGone(self._gone)

    def _announce(self, job: _Job) -> None:
        self._jobs.append(job)
        try:
            self._far.send(b"\0")
        except BlockingIOError:
            # The bytes of jobs that were given up fill the socket; one of them does for this job.
            pass
        except OSError:
            self._gone = self._gone or "deskhand was closed in this program"

    def _end(self, why: str) -> None:
        """Nothing will run any more: tell those who wait."""
        self._gone = why
        refuse_all(self._jobs, why)
        refuse_all(self._awaited, why)


def _hop(binding: Binding, fn: Callable[[], None]) -> Any:
    """Run `fn` on the GUI thread once its event loop runs. Keep what this returns until then."""
    core = binding.QtCore

    class Hop(core.QObject):  # type: ignore[misc, name-defined]  # the class is known only at run time
        def event(self, event: Any) -> bool:
            if event.type() == core.QEvent.Type.User:
                fn()
                return True
            return bool(super().event(event))

    hop = Hop()
    hop.moveToThread(binding.app.thread())
    core.QCoreApplication.postEvent(hop, core.QEvent(core.QEvent.Type.User))
    return hop
