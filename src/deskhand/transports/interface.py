"""What all transports have in common: what they serve, and the interface of servers and connections.

A message is the bytes of one JSON text, without any framing; framing is the transport's own matter.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

TOKEN = "DESKHAND_TOKEN"  # noqa: S105 - where a token may be, not one
"""The environment variable with the token of our servers and clients. What we start does not inherit it."""


class Cancel(Protocol):
    """Says whether the peer went away; a `threading.Event` will do."""

    def is_set(self) -> bool: ...


class Conversation(Protocol):
    """One peer's dialogue with a protocol. A transport calls it from one thread at a time."""

    def handle(self, message: bytes, cancel: Cancel) -> bytes | None:
        """Answer one message; None if it wants no answer. Never raises."""

    def refuse(self, reason: str) -> bytes:
        """The answer to a message that could not even be read, such as one that is too long."""

    def close(self) -> None:
        """The peer is gone."""


class EndingConversation(Conversation, Protocol):
    """One whose peer is answered also when the server ends before the protocol has."""

    def end(self, message: bytes) -> bytes | None:
        """Answer a message, from any thread, as the server ends; None if `handle` has answered it."""


ConversationFactory = Callable[[str, str, str], Conversation]
"""Called with the kind of transport (`unix`, `websocket`, `http`, `pipe`), the URL of the server, and who
the peer is, in words for a log."""


class Server(Protocol):
    """Something that listens, from its making until `close`."""

    url: str
    """The address for clients."""

    def close(self) -> None:
        """Stop listening, end every connection, leave nothing behind."""


class Log(Protocol):
    """Where the messages that go in and out are written down; `connection` says whose they are."""

    def write(self, connection: str, direction: str, message: bytes) -> None:
        """A message, as JSON; direction is `in` or `out`."""

    def note(self, connection: str, direction: str, about: str) -> None:
        """That something came that cannot be shown."""


class Channel(Protocol):
    """A connection to a server, for threads. Thread-safe: exchanges wait for each other."""

    url: str

    def exchange(
        self,
        message: bytes,
        timeout: float | None = None,
        *,
        reply: bool = True,
        patience: float | None = None,
    ) -> bytes:
        """Send a message and wait for its answer; with reply=False (a notification) answer b"" at once.

        After `patience` seconds a server whose process is stopped is waited for no longer, where that can
        be seen, as with Unix sockets.

        Raises TimeoutError (Stopped is one), or ChannelClosed if the server went away. After either the
        channel is closed, for an answer that comes later would be taken for that of the next message.
        """

    def close(self) -> None:
        """End the connection; an exchange that waits in another thread raises ChannelClosed."""


class AsyncChannel(Protocol):
    """The same, for asyncio. Cancelling an exchange closes the channel."""

    url: str

    async def exchange(
        self,
        message: bytes,
        timeout: float | None = None,
        *,
        reply: bool = True,
        patience: float | None = None,
    ) -> bytes: ...

    async def close(self) -> None: ...


class Stopped(TimeoutError):
    """The server's process is stopped, and does not answer until it continues."""

    def __init__(self, url: str, pid: int) -> None:
        super().__init__(f"{url} does not answer: process {pid} is stopped")
        self.pid = pid


class ChannelClosed(ConnectionError):
    """The connection ended, on either side."""


class Unsent(ChannelClosed):
    """It had ended before the message was sent."""


class CannotConnect(ConnectionError):
    """There is no server, or it is not an address; the message says what to do."""


class BadAddress(CannotConnect, ValueError):
    """It is not an address that this transport can use."""


class NotAllowed(ConnectionError):
    """The server is there and refuses us: a wrong token, a foreign user."""


class AddressInUse(OSError):
    """Another server already listens there."""
