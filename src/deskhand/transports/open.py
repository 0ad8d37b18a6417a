"""Connect to a server by its address, whatever the transport."""

from __future__ import annotations

import sys

from .interface import AsyncChannel, BadAddress, Channel

TIMEOUT = 5.0
"""How long connecting may take unless another time is given, in seconds."""


def open_channel(
    address: str, timeout: float = TIMEOUT, token: str | None = None, *, framing: str = "text"
) -> Channel:
    """Connect to `unix:PATH`, a path, a bare NAME, `ws://…`, `http://…` or `pipe:NAME`.

    `framing` is for sockets and pipes: `text` with any server, `length` (faster for long answers) with ours.
    Raises CannotConnect (BadAddress, if it is none), NotAllowed or TimeoutError.
    """
    kind = kind_of(address)
    if kind == "websocket":
        from .web import WebSocketChannel

        return WebSocketChannel(address, timeout, token)
    if kind == "http":
        from .web import HttpChannel

        return HttpChannel(address, timeout, token)
    if kind == "pipe":
        from .pipe import PipeChannel

        return PipeChannel(address, timeout, framing=framing)
    from .socket import SocketChannel

    return SocketChannel(address, timeout, framing=framing)


async def open_async_channel(
    address: str, timeout: float = TIMEOUT, token: str | None = None, *, framing: str = "text"
) -> AsyncChannel:
    """The same, for asyncio."""
    kind = kind_of(address)
    if kind == "websocket":
        from .web import AsyncWebSocketChannel

        return await AsyncWebSocketChannel.connect(address, timeout, token)
    if kind in ("http", "pipe"):
        from .threaded import ThreadedChannel, in_thread

        return ThreadedChannel(
            await in_thread(lambda: open_channel(address, timeout, token, framing=framing))
        )
    from .asocket import AsyncSocketChannel

    return await AsyncSocketChannel.connect(address, timeout, framing=framing)


def kind_of(address: str) -> str:
    """The transport of an address: unix, websocket, http or pipe."""
    if address.startswith(("ws://", "wss://")):
        return "websocket"
    if address.startswith(("http://", "https://")):
        return "http"
    if address.startswith(("pipe:", "\\\\.\\pipe\\")):
        return "pipe"
    if "://" in address and not address.startswith("unix://"):
        raise BadAddress(
            f"'{address}' is not an address; use a socket path, a name, unix:PATH, ws://… or http://…"
        )
    return "pipe" if sys.platform == "win32" else "unix"
