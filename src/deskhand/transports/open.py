"""Connect to a server by its address, whatever the transport."""

from __future__ import annotations

from .interface import AsyncChannel, CannotConnect, Channel

TIMEOUT = 5.0
"""How long connecting may take unless told otherwise, in seconds."""


def open_channel(
    address: str, timeout: float = TIMEOUT, token: str | None = None, *, framing: str = "text"
) -> Channel:
    """Connect to `unix:PATH`, a path, a bare NAME, `ws://…`, `http://…` or `pipe:NAME`.

    `framing` is for sockets: `text` with any server, `length` (faster for long answers) with ours.
    Raises CannotConnect, NotAllowed or TimeoutError.
    """
    raise NotImplementedError


async def open_async_channel(
    address: str, timeout: float = TIMEOUT, token: str | None = None, *, framing: str = "text"
) -> AsyncChannel:
    """The same, for asyncio."""
    raise NotImplementedError


def kind_of(address: str) -> str:
    """The transport of an address: unix, websocket, http or pipe."""
    if address.startswith(("ws://", "wss://")):
        return "websocket"
    if address.startswith(("http://", "https://")):
        return "http"
    if address.startswith(("pipe:", "\\\\.\\pipe\\")):
        return "pipe"
    if "://" in address:
        raise CannotConnect(
            f"'{address}' is no address; use a socket path, a name, unix:PATH, ws://… or http://…"
        )
    return "unix"
