r"""Windows named pipes, behind the same interface as sockets.

Built on multiprocessing's pipes, which carry plain bytes there: any program can talk to them. Importable
everywhere; elsewhere than on Windows, making one says so.
"""

from __future__ import annotations

import errno
import sys
import threading
import time
from contextlib import suppress
from itertools import count
from multiprocessing.connection import Client, Connection, Listener, Pipe, wait
from typing import Any

from .channel import BlockingChannel
from .framing import LIMIT, Splitter, Unreadable
from .interface import (
    AddressInUse,
    BadAddress,
    CannotConnect,
    ChannelClosed,
    Conversation,
    ConversationFactory,
)

_PREFIX = "\\\\.\\pipe\\"
_LONGEST_ANSWER = 1 << 30
_LOOK = 0.2
"""How often to see whether the peer of a call that takes long is still there, in seconds."""


def pipe_name(address: str) -> str:
    r"""The full name of `pipe:NAME`, `\\.\pipe\NAME`, a bare name, or a path that ends with it."""
    name = address.removeprefix("pipe:").replace("\\", "/").rpartition("/")[2]
    if not name or "\0" in name:
        raise BadAddress(f"'{address}' names no pipe; use pipe:NAME")
    return _PREFIX + name


class PipeServer:
    r"""Listens on `\\.\pipe\NAME`: a thread that lets peers in, and one for each peer."""

    def __init__(
        self, address: str, conversations: ConversationFactory, *, limit: int = LIMIT, family: str = "AF_PIPE"
    ) -> None:
        """Raises AddressInUse, or BadAddress on a system that has no named pipes."""
        _check_system(family)
        name = pipe_name(address) if family == "AF_PIPE" else address
        self.url = f"pipe:{name.removeprefix(_PREFIX)}"
        self._conversations = conversations
        self._limit = limit
        self._family = family
        self._name = name
        self._numbers = count(1)
        self._closing = False
        self._peers: set[_Peer] = set()
        try:
            self._listener = Listener(name, family)
        except PermissionError:
            raise AddressInUse(errno.EADDRINUSE, f"{name} is already in use") from None
        self._door = threading.Thread(target=self._let_in, name="gip-pipe", daemon=True)
        self._door.start()

    def __enter__(self) -> PipeServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self, timeout: float = 2.0) -> None:
        """Stop listening, end every connection, wait for their threads."""
        if self._closing:
            return
        self._closing = True
        with suppress(OSError):  # it does not wait
            # What waits for a peer is woken by one.
            Client(self._name, self._family).close()
        deadline = time.monotonic() + timeout
        self._door.join(timeout)
        self._listener.close()
        for peer in list(self._peers):
            peer.end()
            if peer.thread is not threading.current_thread():
                peer.thread.join(max(0.0, deadline - time.monotonic()))

    def _let_in(self) -> None:
        while not self._closing:
            try:
                connection = self._listener.accept()
            except OSError:
                time.sleep(0.05)  # that one went away again, or there is no handle left
                continue
            conversation = self._conversations("pipe", self.url, f"pipe-{next(self._numbers)}")
            peer = _Peer(connection, conversation, Splitter(limit=self._limit), self._peers)
            peer.thread.start()


class _Peer:
    def __init__(
        self,
        connection: Connection[Any, Any],
        conversation: Conversation,
        splitter: Splitter,
        peers: set[_Peer],
    ) -> None:
        self.thread = threading.Thread(target=self._answer_all, name="gip-pipe-peer", daemon=True)
        self._connection = connection
        self._conversation = conversation
        self._splitter = splitter
        self._cancel = threading.Event()
        self._peers = peers
        # Closing a connection does not wake its reader; a message on a second one does.
        self._stopped, self._stop = Pipe(duplex=False)
        peers.add(self)

    def end(self) -> None:
        self._cancel.set()
        with suppress(OSError):  # it has ended by itself
            self._stop.send_bytes(b"end")

    def _answer_all(self) -> None:
        try:
            while self._stopped not in wait([self._connection, self._stopped]):
                for message in self._splitter.feed(self._connection.recv_bytes()):
                    self._answer(message)
        except (EOFError, OSError):
            pass  # The peer is gone, which is how every conversation ends.
        finally:
            self._cancel.set()
            self._conversation.close()
            for end in (self._connection, self._stopped, self._stop):
                end.close()
            self._peers.discard(self)

    def _answer(self, message: bytes | Unreadable) -> None:
        if isinstance(message, Unreadable):
            reply: bytes | None = self._conversation.refuse(message.reason)
        else:
            done = threading.Event()
            watch = threading.Thread(target=self._watch, args=(done,), name="gip-pipe-watch", daemon=True)
            watch.start()
            reply = self._conversation.handle(message, self._cancel)
            done.set()
        if reply is not None:
            self._connection.send_bytes(self._splitter.frame(reply))

    def _watch(self, done: threading.Event) -> None:
        """Cancel a call whose peer went away; looking costs nothing unless the call takes long."""
        while not done.wait(_LOOK):
            try:
                self._connection.poll(0)
            except (EOFError, OSError):
                self._cancel.set()
                return


class PipeChannel(BlockingChannel):
    """A connection to a named pipe, for threads."""

    def __init__(
        self,
        address: str,
        timeout: float,  # noqa: ARG002 - the system gives a pipe at once or not at all
        *,
        framing: str = "text",
        family: str = "AF_PIPE",
    ) -> None:
        _check_system(family)
        name = pipe_name(address) if family == "AF_PIPE" else address
        super().__init__(f"pipe:{name.removeprefix(_PREFIX)}", EOFError)
        self._splitter = Splitter(limit=_LONGEST_ANSWER, framing=framing)
        try:
            self._connection = Client(name, family)
        except OSError as error:
            raise CannotConnect(f"cannot connect to {self.url}: {error.strerror or error}") from None

    def _exchange(
        self, message: bytes, reply: bool, deadline: float | None, _doubtful: float | None
    ) -> bytes:
        self._connection.send_bytes(self._splitter.frame(message))
        while reply:
            if not wait(
                [self._connection], None if deadline is None else max(0.0, deadline - time.monotonic())
            ):
                raise TimeoutError
            for found in self._splitter.feed(self._connection.recv_bytes()):
                if isinstance(found, bytes):
                    return found
                raise ChannelClosed(f"the answer of {self.url} cannot be read: {found.reason}")
        return b""

    def _shut(self) -> None:
        self._connection.close()


def _check_system(family: str) -> None:
    if family == "AF_PIPE" and sys.platform != "win32":
        raise BadAddress("named pipes are there on Windows only; use a Unix socket")
