"""Unix sockets: a server made of plain threads that can live in any program, and a blocking client."""

from __future__ import annotations

import contextlib
import os
import select
import socket
import sys
import threading
import time
from contextlib import suppress
from itertools import count
from pathlib import Path

from .address import listen, peer_of, socket_path
from .channel import BlockingChannel
from .framing import LIMIT, Splitter, Unreadable
from .interface import (
    BadAddress,
    CannotConnect,
    ChannelClosed,
    Conversation,
    ConversationFactory,
    NotAllowed,
    Stopped,
    Unsent,
)
from .limits import TOO_MUCH, Rarely, Share

MAX_CONNECTIONS = 256
LONGEST_ANSWER = 1 << 30
"""What a client takes, in bytes."""
_LAST_ANSWERS = 0.25
"""How long requests that run may still take when a server closes, in seconds."""
LOOK = 0.25
"""How often a server that takes long to answer is looked after, in seconds."""
_CHUNK = 65536
_HUNG_UP = 0x2000  # POLLRDHUP, which Linux alone has; elsewhere it is not seen before something was sent
_GONE = 0x0008 | 0x0010 | 0x0020  # POLLERR, POLLHUP, POLLNVAL: told without being asked for


class SocketServer:
    """Listens on a Unix socket that only the same user may open.

    One thread accepts peers and notices when one disconnects; each peer has a thread that reads, answers and
    writes, so that one that waits or does not read does not delay others, and answers come in order.
    """

    def __init__(
        self,
        address: str | Path,
        conversations: ConversationFactory,
        *,
        limit: int = LIMIT,
        max_connections: int = MAX_CONNECTIONS,
    ) -> None:
        """Raises AddressInUse if there is a server already; a socket without one is removed."""
        self.path = socket_path(address)
        self.url = f"unix:{self.path}"
        self._conversations = conversations
        self._limit = limit
        self._max_connections = max_connections
        self._listener = listen(self.path)
        self._listener.setblocking(False)
        self._file = _identity(self.path)
        self._connections: dict[int, _Connection] = {}
        """By file descriptor; only the door's thread changes it."""
        self._numbers = count(1)
        self._closing = False
        self._reason = ""
        self._turned_away = Rarely(self._report)
        self._wake_up, self._wake = os.pipe()
        self._door = threading.Thread(target=self._let_in, name=f"gip-{self.path.name}", daemon=True)
        self._door.start()

    def __enter__(self) -> SocketServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self, timeout: float = 2.0) -> None:
        """Stop listening, end every connection, wait for their threads, remove the socket."""
        if self._closing:
            return
        self._closing = True
        deadline = time.monotonic() + timeout
        with contextlib.suppress(BrokenPipeError):  # a peer that left woke the door before
            os.write(self._wake, b"x")
        self._door.join(timeout)
        # What ends a program is often a request, such as a click on "Quit": its answer still goes out.
        self._join(min(deadline, time.monotonic() + _LAST_ANSWERS))
        for connection in self._connections.values():
            connection.gone(end=True)
        self._join(deadline)
        os.close(self._wake)

    def _join(self, deadline: float) -> None:
        for connection in self._connections.values():
            if connection.thread is not threading.current_thread():
                connection.thread.join(max(0.0, deadline - time.monotonic()))

    def abandon(self) -> None:
        """In a fork of the process, where no thread of ours runs: let go of what its parent serves on."""
        self._closing = True
        self._listener.close()
        for connection in self._connections.values():
            connection.abandon()
        os.close(self._wake_up)
        os.close(self._wake)

    def _let_in(self) -> None:
        poll = select.poll()
        poll.register(self._listener, select.POLLIN)
        poll.register(self._wake_up, select.POLLIN)
        try:
            while not self._closing:
                for handle, event in poll.poll():
                    if handle == self._listener.fileno():
                        self._accept(poll)
                    elif event & _GONE and (connection := self._connections.pop(handle, None)) is not None:
                        poll.unregister(handle)
                        connection.gone()
        finally:
            self._listener.close()
            if _identity(self.path) == self._file:
                self.path.unlink(missing_ok=True)
            for connection in self._connections.values():
                connection.finish()
            os.close(self._wake_up)

    def _accept(self, poll: select.poll) -> None:
        try:
            peer, _ = self._listener.accept()
        except BlockingIOError:
            return
        except OSError:
            time.sleep(0.05)  # out of file descriptors: the peer waits until one is free again
            return
        try:
            who = _check_user(peer, trusted=(os.geteuid(), 0))
            if len(self._connections) >= self._max_connections and not self._make_room(poll):
                raise NotAllowed(f"{self._max_connections} clients are connected already")
            name = f"unix-{next(self._numbers)} {who}".rstrip()
            conversation = self._conversations("unix", self.url, name)
            connection = _Connection(peer, conversation, Splitter(limit=self._limit), name)
            connection.thread.start()
        except (NotAllowed, RuntimeError) as error:
            self._reason = str(error)
            self._turned_away()
            peer.close()
            return
        # No event is requested: a peer that is gone is reported in any case, and only that matters here.
        poll.register(peer, 0)
        self._connections[peer.fileno()] = connection

    def _make_room(self, poll: select.poll) -> bool:
        """End the oldest connection on which nothing was ever sent; False if there is none."""
        for handle, connection in self._connections.items():
            if not connection.heard:
                del self._connections[handle]
                poll.unregister(handle)
                connection.gone(end=True)
                return True
        return False

    def _report(self, count: int) -> None:
        many = "a client" if count == 1 else f"{count} clients so far"
        sys.stderr.write(f"deskhand: {self.url} turned away {many}: {self._reason}\n")


class _Connection:
    """One peer: its socket, its conversation, and the thread that answers it."""

    def __init__(
        self, peer: socket.socket, conversation: Conversation, splitter: Splitter, name: str
    ) -> None:
        self.thread = threading.Thread(target=self._answer_all, name=f"gip-{name}", daemon=True)
        self._peer = peer
        self._conversation = conversation
        self._splitter = splitter
        self.heard = False
        """Whether anything was ever sent."""
        self._cancel = threading.Event()
        self._lock = threading.Lock()
        self._users = 2
        """The door, which watches the socket, and our thread. The last one to leave closes it, for its number
        must not be given to another connection while either still uses it."""

    def gone(self, *, end: bool = False) -> None:
        """The peer went away, or (`end`) has to: whatever it waits for is cancelled."""
        self._cancel.set()
        if end:
            _shut(self._peer)
        self._leave()

    def finish(self) -> None:
        """Answer what was asked, and take no more."""
        _shut(self._peer, socket.SHUT_RD)

    def abandon(self) -> None:
        """In a fork: let go of the socket, without ending the connection of the parent."""
        self._peer.close()

    def _leave(self) -> None:
        with self._lock:
            self._users -= 1
            if self._users == 0:
                self._peer.close()

    def _answer_all(self) -> None:
        with Share() as share:
            self._answer_until_gone(share)

    def _answer_until_gone(self, share: Share) -> None:
        try:
            while data := self._peer.recv(_CHUNK):
                self.heard = True
                messages = self._splitter.feed(data)
                size = self._splitter.held + sum(map(_size, messages))
                # One chunk for each connection need not be counted, and most messages are less.
                if not share.set(size if size > _CHUNK else 0):
                    self._answer(Unreadable(TOO_MUCH))
                    break
                for message in messages:
                    self._answer(message)
                del messages
                share.set(self._splitter.held if self._splitter.held > _CHUNK else 0)
            # The peer may have ended only its own side, and still wait for answers.
            for message in self._splitter.end():
                self._answer(message)
        except OSError:
            pass  # The peer is gone, which is how every conversation ends.
        finally:
            self._conversation.close()
            _shut(self._peer)
            self._leave()

    def _answer(self, message: bytes | Unreadable) -> None:
        if isinstance(message, Unreadable):
            reply: bytes | None = self._conversation.refuse(message.reason)
        else:
            reply = self._conversation.handle(message, self._cancel)
        if reply is not None:
            self._peer.sendall(self._splitter.frame(reply))


class SocketChannel(BlockingChannel):
    """A connection to a Unix socket, for threads."""

    def __init__(
        self, address: str | Path, timeout: float, *, framing: str = "text", limit: int = LONGEST_ANSWER
    ) -> None:
        path = socket_path(address)
        super().__init__(f"unix:{path}")
        self._splitter = Splitter(limit=limit, framing=framing)
        self._socket = _connect(path, timeout)
        try:
            check_server(self._socket)
        except NotAllowed:
            self._socket.close()
            raise
        self._peer = server_pid(self._socket)

    def _exchange(self, message: bytes, reply: bool, deadline: float | None, doubtful: float | None) -> bytes:
        if has_ended(self._socket):
            raise Unsent(f"{self.url} closed the connection")
        self._limit_to(deadline)
        self._socket.sendall(self._splitter.frame(message))
        if not reply:
            return b""
        return self._receive(deadline, None if self._peer is None else doubtful)

    def _shut(self) -> None:
        _shut(self._socket)
        self._socket.close()

    def _receive(self, deadline: float | None, doubtful: float | None) -> bytes:
        while True:
            data = self._recv(deadline, doubtful)
            if not data:
                raise ChannelClosed(f"{self.url} closed the connection")
            for found in self._splitter.feed(data):
                if isinstance(found, Unreadable):
                    raise ChannelClosed(f"the answer of {self.url} cannot be read: {found.reason}")
                return found

    def _recv(self, deadline: float | None, doubtful: float | None) -> bytes:
        """What comes next; from when it is doubtful on, only of a server that is not stopped."""
        while True:
            try:
                self._limit_to(min((each for each in (deadline, doubtful) if each is not None), default=None))
                return self._socket.recv(4 * _CHUNK)
            except TimeoutError:
                now = time.monotonic()
                if doubtful is None or (deadline is not None and now >= deadline):
                    raise
                if self._peer is not None and is_stopped(self._peer):
                    raise Stopped(self.url, self._peer) from None
                doubtful = now + LOOK

    def _limit_to(self, deadline: float | None) -> None:
        left = None if deadline is None else deadline - time.monotonic()
        if left is not None and left <= 0:
            raise TimeoutError
        self._socket.settimeout(left)


def _connect(path: Path, timeout: float) -> socket.socket:
    if not hasattr(socket, "AF_UNIX"):
        raise BadAddress("this system has no Unix sockets; use http://… or ws://…")
    deadline = time.monotonic() + timeout
    while True:
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(timeout)
        try:
            connection.connect(str(path))
        except BlockingIOError:
            connection.close()
            if time.monotonic() > deadline:
                raise TimeoutError(f"unix:{path} accepted no connection for {timeout:g} s") from None
            time.sleep(0.01)  # its queue is full; the kernel does not report when that changes
        except OSError as error:
            connection.close()
            raise connect_error(path, error) from None
        else:
            return connection


def connect_error(path: Path, error: OSError) -> OSError:
    """Why a socket could not be connected to, and what to do."""
    if isinstance(error, FileNotFoundError):
        return CannotConnect(
            f"there is no socket {path}; does the program run, and serve GIP under that name?"
        )
    if isinstance(error, ConnectionRefusedError):
        return CannotConnect(f"no program serves {path}; the one that created it has ended")
    if isinstance(error, PermissionError):
        return NotAllowed(f"{path} belongs to another user")
    if isinstance(error, TimeoutError):
        return TimeoutError(f"unix:{path} did not let us in in time")
    return CannotConnect(f"cannot connect to {path}: {error.strerror or error}")


def has_ended(connection: socket.socket) -> bool:
    """Whether the other end of a connection has hung up already."""
    poll = select.poll()
    poll.register(connection, _HUNG_UP)
    return bool(poll.poll(0))


def server_pid(connection: socket.socket) -> int | None:
    """The pid of the process that serves a socket; None where the system does not report it."""
    known = peer_of(connection)
    return None if known is None else known[0]


def is_stopped(pid: int) -> bool:
    """Whether a process is stopped by a signal; False where that cannot be seen."""
    try:
        # The program's name is in parentheses and may itself hold any character.
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b") ")[2][:1] == b"T"
    except OSError:
        return False


def check_server(connection: socket.socket) -> None:
    """NotAllowed if another user, who is not root, serves the socket: the name may be a trap in /tmp.

    That is so for root as well, who would act on what another user answers.
    """
    _check_user(connection, trusted=(os.geteuid(), 0))


def _check_user(connection: socket.socket, trusted: tuple[int, ...]) -> str:
    """Who is at the other end, for a log; NotAllowed if it is none of the trusted users."""
    known = peer_of(connection)
    if known is None:
        return ""
    pid, user = known
    if user not in trusted:
        raise NotAllowed(f"process {pid} belongs to user {user}")
    return f"pid {pid}"


def _size(message: bytes | Unreadable) -> int:
    return len(message) if isinstance(message, bytes) else 0


def _shut(connection: socket.socket, how: int = socket.SHUT_RDWR) -> None:
    with suppress(OSError):  # it is shut already
        connection.shutdown(how)


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.lstat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
