"""Unix sockets: a server made of plain threads that can live in any program, and a blocking client."""

from __future__ import annotations

from pathlib import Path

from .interface import ConversationFactory

LIMIT = 16 * 1024 * 1024
"""How long one message may be, in bytes, unless told otherwise."""


def socket_path(address: str | Path) -> Path:
    """The path that an address stands for: `unix:PATH`, a path, or a bare name in the temp directory."""
    raise NotImplementedError


class SocketServer:
    """Listens on a Unix socket that only the same user may open."""

    url: str
    path: Path

    def __init__(
        self, address: str | Path, conversations: ConversationFactory, *, limit: int = LIMIT
    ) -> None:
        """Raises AddressInUse if somebody listens there already; a socket that nobody serves is removed."""
        raise NotImplementedError

    def close(self, timeout: float = 2.0) -> None:
        """Stop listening, end every connection, wait for their threads, remove the socket."""


class SocketChannel:
    """A connection to a Unix socket."""

    url: str

    def __init__(
        self, address: str | Path, timeout: float, *, framing: str = "text", limit: int | None = None
    ) -> None:
        raise NotImplementedError

    def exchange(self, message: bytes, timeout: float | None = None, *, reply: bool = True) -> bytes:
        raise NotImplementedError

    def close(self) -> None: ...
