"""HTTP/1.1 and WebSocket on one connection, by uvicorn, with what it leaves to others.

What is no HTTP is answered in the words of the server, and written down; nothing that a peer sends makes
a line on stderr.
"""

from __future__ import annotations

import logging
import re
import socket
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from . import users
from .guard import STRANGER, Refusal, plain_refusal
from .interface import Log
from .journal import answer, peer_of, write_down

_LOG = logging.getLogger("deskhand.http")
_LOG.setLevel(logging.ERROR)
_FAREWELL = 1.0
"""How long an answer may take to one who sends no more, in seconds."""
_WHOLE = re.compile(rb"(?i:http)://([^/?#]*)(.*)", re.DOTALL)
"""A target with the host in it, as proxies are asked."""


class Http(H11Protocol):
    """One connection. A class of its own for each server, with what it is called by and writes to."""

    refusal: Refusal = staticmethod(plain_refusal)
    log: Log | None = None
    check_user = False
    """Whether other users of this machine are refused."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.logger = _LOG
        self.conn = _Connection(h11.SERVER)
        self._half_closed = False

    def connection_made(self, transport: Any) -> None:
        """See who it is, once for all requests of the connection; the guard refuses each of them."""
        super().connection_made(transport)
        if self.check_user and (reason := _stranger(transport.get_extra_info("socket"))) is not None:
            self.app_state = {**self.app_state, STRANGER: reason}

    @property
    def open_cycle(self) -> RequestResponseCycle | None:
        """The request that is being answered."""
        cycle: RequestResponseCycle | None = self.cycle
        return None if cycle is None or cycle.response_complete else cycle

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP, unless it is the rest of a request that was answered already."""
        if self.conn.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            self.transport.close()
            return
        body = self.refusal(400, msg)
        if self.log is not None and self.open_cycle is None:
            peer = peer_of({"client": self.client})
            self.log.note(peer, "in", msg)
            self.log.write(peer, "out", answer(400, body))
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(body)).encode()),
            (b"connection", b"close"),
        ]
        for event in (
            h11.Response(status_code=400, headers=headers, reason=b"Bad Request"),
            h11.Data(data=body),
            h11.EndOfMessage(),
        ):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def eof_received(self) -> bool | None:  # type: ignore[override]  # asyncio asks whether to stay open
        """The peer sends no more: it has left, or it listens still, which looks the same from here.

        So what it asked for has a moment to be answered, and is cancelled only then.
        """
        if self.open_cycle is None:
            return None
        self._half_closed = True
        self._await_answer()
        return True

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self._half_closed and not self.transport.is_closing():
            self._await_answer()

    def _await_answer(self) -> None:
        cycle = self.open_cycle
        if cycle is None:
            self.transport.close()
        else:
            self.loop.call_later(_FAREWELL, self._end, cycle)

    def _end(self, cycle: RequestResponseCycle) -> None:
        if cycle is self.open_cycle:
            self.transport.close()

    def _should_upgrade(self) -> bool:
        # What else asks for it is answered as if it had not, which is what the standard says.
        plain = self.scope["method"] == "GET" and self.scope["http_version"] == "1.1"
        return plain and super()._should_upgrade()

    def _unsupported_upgrade_warning(self) -> None:
        """Some clients ask for HTTP/2 each time, and are content without."""


def _stranger(connection: socket.socket) -> str | None:
    try:
        return users.refusal(connection)
    except users.Unavailable as error:
        return f"which user connected cannot be found out: {error}"
    except OSError:
        return "the process that connected is gone"


class _Connection(h11.Connection):
    """Takes `GET http://HOST/PATH` too, where the host that counts is the one in it."""

    def next_event(self) -> Any:
        event = super().next_event()
        if not isinstance(event, h11.Request) or (whole := _WHOLE.match(event.target)) is None:
            return event
        host, rest = whole.groups()
        others = [(name, value) for name, value in event.headers if name != b"host"]
        return h11.Request(
            method=event.method,
            headers=[(b"host", host), *others],
            target=rest if rest.startswith(b"/") else b"/" + rest,
            http_version=event.http_version,
        )


class WebSocket(WebSocketsSansIOProtocol):
    """A connection that has asked to be a WebSocket."""

    log: Log | None = None

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.logger = _LOG

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.handshake_exc is not None and not self.handshake_initiated:
            # Its headers are too long or too many to be read, which nobody else tells.
            self.transport.write(
                b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
            )
            self.transport.close()
            self._note("", 400, b"")

    def handle_connect(self, event: Any) -> None:
        super().handle_connect(event)
        if self.response.status_code != 101:
            self._note(event.path, self.response.status_code, bytes(self.response.body or b""))

    async def send(self, message: Any) -> None:
        await super().send(message)
        if message["type"] == "websocket.http.response.body":
            self.handshake_complete = True  # or it complains that it was not

    def _note(self, target: str, status: int, body: bytes) -> None:
        """Write down a handshake that was refused before the server saw it."""
        if self.log is not None:
            scope = {"type": "websocket", "client": self.client, "path": target.partition("?")[0]}
            write_down(self.log, scope, status, body)
