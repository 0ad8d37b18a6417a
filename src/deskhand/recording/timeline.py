"""What an app looked like over the last seconds, so that what a person clicked can be found afterwards.

A menu is closed by the click on its entry: the tree is read all the time, and the one before has the entry.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from dataclasses import dataclass

from ..model.errors import AppGone, ConnectFailed, DeskhandError, NotConnected
from ..model.operations import ReadTree, Runner, WaitChange
from ..model.tree import Tree

_KEPT = 12.0
"""For how long trees are kept, in seconds."""
_ROUND = 1.0
"""How long a change is waited for at a time, in seconds; closing takes that long at most."""
_POLL = 0.05
_LATE = 0.2
"""How long to wait after a read that failed, in seconds."""
_PATIENCE = 3.0


@dataclass(frozen=True)
class Moment:
    """A tree, and when it was read, on the monotonic clock."""

    tree: Tree
    began: float
    ended: float


class Timeline:
    """Follows an app by a runner, in a thread of its own."""

    def __init__(self, runner: Runner) -> None:
        self.gone: DeskhandError | None = None
        """Why the app cannot be read any more."""
        self._runner = runner
        self._lock = threading.Lock()
        self._moments: deque[Moment] = deque()
        self._closed = threading.Event()
        self.read()
        if self.gone is not None:
            raise self.gone
        self._thread = threading.Thread(target=self._follow, name="deskhand-timeline", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop following."""
        self._closed.set()
        self._thread.join(_ROUND + _PATIENCE)

    @property
    def last(self) -> Moment:
        """The latest."""
        with self._lock:
            return self._moments[-1]

    def before(self, at: float) -> Moment:
        """The last one that was complete at a time; the oldest if there is none."""
        with self._lock:
            return next((one for one in reversed(self._moments) if one.ended <= at), self._moments[0])

    def between(self, since: float, until: float) -> list[Moment]:
        """Those that were read completely in this time."""
        with self._lock:
            return [one for one in self._moments if one.began >= since and one.ended <= until]

    def begun(self, since: float, until: float) -> list[Moment]:
        """Those that began to be read in this time."""
        with self._lock:
            return [one for one in self._moments if since <= one.began <= until]

    def read(self) -> Moment | None:
        """Read it now. None if it cannot be read: it is busy, or has ended."""
        began = time.monotonic()
        try:
            snapshot = self._runner.run(ReadTree(timeout=_PATIENCE))
        except DeskhandError as error:
            self._failed(error)
            return None
        assert snapshot.tree is not None, "nothing else was asked for"
        return self._add(snapshot.tree, began)

    def _follow(self) -> None:
        since = self.last.tree.revision
        while not self._closed.is_set() and self.gone is None:
            began = time.monotonic()
            try:
                snapshot = self._runner.run(WaitChange(since, whole=True, timeout=_ROUND, poll=_POLL))
            except DeskhandError as error:
                self._failed(error)
                self._closed.wait(_LATE)
                continue
            if snapshot.tree is not None:
                # It was read at the end of the wait; when exactly that began is not known.
                self._add(snapshot.tree, max(began, time.monotonic() - _POLL))
            since = snapshot.revision

    def _add(self, tree: Tree, began: float) -> Moment:
        moment = Moment(tree, began, time.monotonic())
        with self._lock:
            if not self._moments or tree.revision >= self._moments[-1].tree.revision:
                self._moments.append(moment)
            while len(self._moments) > 1 and self._moments[0].ended < moment.ended - _KEPT:
                self._moments.popleft()
        return moment

    def _failed(self, error: DeskhandError) -> None:
        if isinstance(error, (AppGone, NotConnected, ConnectFailed)):
            self.gone = error
