"""HTTP POST and WebSocket on one port and path, by starlette and uvicorn in a thread of their own."""

from __future__ import annotations

from .interface import ConversationFactory


class HttpServer:
    """Serves conversations over HTTP POST (one message each) and WebSocket (one for each connection)."""

    url: str
    """`http://…` or `ws://…`, as the address that was asked for began; the port is the real one."""

    def __init__(
        self,
        address: str,
        conversations: ConversationFactory,
        *,
        token: str | None = None,
        limit: int = 16 * 1024 * 1024,
    ) -> None:
        """Listen at `http://HOST[:PORT][/PATH]` or `ws://…`; port 0 (or none) takes a free one.

        Raises AddressInUse, or ValueError if that is no such address.
        """
        raise NotImplementedError

    def close(self, timeout: float = 2.0) -> None: ...
