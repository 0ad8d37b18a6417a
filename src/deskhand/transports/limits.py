"""What keeps one client from taking all there is: connections and memory. Standard library only.

Connections that ask for nothing make room for new ones, and what clients have sent and is not answered yet
has a bound for the whole process.
"""

from __future__ import annotations

import contextlib
import threading
from collections import Counter
from collections.abc import Callable, Hashable
from typing import Protocol

MAX_CONNECTIONS = 384
"""How many connections a server has at once."""
MAX_OF_PEER = 320
"""How many of them one user or one machine has."""
MAX_AT_LEAST = 32
"""How many a server may have, whatever the other servers of the process have."""
MAX_OF_STRANGER = 8
"""How many of them a user has who is refused anyway."""
MAX_HELD = 20 * 1024 * 1024
"""How much of what clients sent is held at once in this process, in bytes: a longest message and some."""


_FILES_LEFT = 384
"""How many file descriptors are left for everything else."""
_M_MMAP_THRESHOLD = -3
"""mallopt's name for the size from which a piece of memory is taken from, and given back to, the system."""


class Transport(Protocol):
    def abort(self) -> None: ...


class Crowd:
    """The connections of one server; for its event loop alone."""

    def __init__(self, most: int = MAX_CONNECTIONS) -> None:
        self._most = most
        self._peers: dict[Transport, Hashable] = {}
        self._counts: Counter[Hashable] = Counter()
        self._fresh: dict[Transport, None] = {}
        """Those that have not asked for anything yet, the oldest first."""
        self._idle: dict[Transport, None] = {}
        """Those that have been answered, and may ask again."""
        self.ended = 0
        """How many were ended to make room."""

    def enter(self, connection: Transport, peer: Hashable, most: int = MAX_OF_PEER) -> bool:
        """Let a connection in, perhaps in the place of an older one; False if all are busy."""
        if self._counts[peer] >= most and not self._make_room(peer):
            return False
        if self._is_full() and not self._make_room(None):
            return False
        _everywhere.change(1)
        self._peers[connection] = peer
        self._counts[peer] += 1
        self._fresh[connection] = None
        return True

    def busy(self, connection: Transport) -> None:
        """It has asked for something."""
        self._fresh.pop(connection, None)
        self._idle.pop(connection, None)

    def idle(self, connection: Transport) -> None:
        """It was answered."""
        if connection in self._peers:
            self._idle[connection] = None

    def leave(self, connection: Transport) -> None:
        """It has ended; does nothing for one that was not let in."""
        self.busy(connection)
        peer = self._peers.pop(connection, None)
        if peer is not None:
            _everywhere.change(-1)
            self._counts[peer] -= 1
            if not self._counts[peer]:
                del self._counts[peer]

    def _is_full(self) -> bool:
        here = len(self._peers)
        return here >= self._most or (here >= MAX_AT_LEAST and _everywhere.is_full())

    def _make_room(self, peer: Hashable | None) -> bool:
        for waiting in (self._fresh, self._idle):
            for connection in waiting:
                if peer is None or self._peers[connection] == peer:
                    self.leave(connection)
                    connection.abort()
                    self.ended += 1
                    return True
        return False


class _Everywhere:
    """The connections of all servers of this process, which share its file descriptors."""

    def __init__(self) -> None:
        self._count = 0
        self._lock = threading.Lock()

    def change(self, by: int) -> None:
        with self._lock:
            self._count += by

    def is_full(self) -> bool:
        try:
            import resource  # where there is none, there is no such limit
        except ImportError:
            return False
        files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        return files != resource.RLIM_INFINITY and self._count >= max(MAX_AT_LEAST, files - _FILES_LEFT)


_everywhere = _Everywhere()


class Memory:
    """How much is held of what clients have sent, for all threads."""

    def __init__(self, most: int = MAX_HELD) -> None:
        self._most = most
        self._held = 0
        self._lock = threading.Lock()

    def take(self, size: int) -> bool:
        """Whether so much more may be held; less if the number is negative."""
        with self._lock:
            if size > 0 and self._held + size > self._most:
                return False
            self._held += size
            return True


memory = Memory()
"""Of this process."""

TOO_MUCH = "the server holds too many unanswered requests; try again later"


class Share:
    """One client's part of the memory, for all threads; a context manager that gives all of it back."""

    def __init__(self) -> None:
        self._size = 0
        self._ended = False
        self._lock = threading.Lock()

    def __enter__(self) -> Share:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def add(self, size: int) -> bool:
        """Whether it may hold so much more; less if the number is negative."""
        with self._lock:
            return self._change(size)

    def set(self, size: int) -> bool:
        """Whether it may hold so much; if not, it has what it had."""
        if size == self._size and not self._ended:
            return True  # as for most messages; only one thread sets a share
        with self._lock:
            return self._change(size - self._size)

    def end(self) -> None:
        """Give all back, and take no more."""
        with self._lock:
            self._change(-self._size)
            self._ended = True

    def _change(self, size: int) -> bool:
        if self._ended or not memory.take(size):
            return False
        self._size += size
        return True


def return_memory() -> None:
    """Make the C library give the memory of a long message back when it is freed.

    By default it learns to keep such pieces, for each thread, and a server would grow with its messages.
    """
    with contextlib.suppress(OSError, AttributeError):  # another C library
        import ctypes

        ctypes.CDLL(None).mallopt(_M_MMAP_THRESHOLD, 1024 * 1024)


class Rarely:
    """Reports something that may happen very often: the first time, and then each time its number doubled."""

    def __init__(self, report: Callable[[int], None]) -> None:
        self._report = report
        self._count = 0

    def __call__(self) -> None:
        self._count += 1
        if self._count & (self._count - 1) == 0:
            self._report(self._count)
