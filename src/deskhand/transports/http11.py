"""HTTP/1.1 and WebSocket on one connection, by uvicorn, with what it leaves to others.

What is not HTTP is answered in the words of the server, and written down; nothing that a peer sends makes
a line on stderr.
"""

from __future__ import annotations

import logging
import re
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from . import users
from .interface import Log
from .journal import answer, peer_of, write_down
from .limits import MAX_OF_PEER, MAX_OF_STRANGER, Crowd, Share
from .request_guard import STRANGER, Refusal, plain_refusal

_LOG = logging.getLogger("deskhand.http")
_LOG.setLevel(logging.ERROR)
# Uvicorn prints a traceback for text frames that are not UTF-8, which it answers as it should.
_LOG.addFilter(lambda record: not str(record.msg).startswith("Invalid UTF-8"))
HEADER_TIME = 10.0
"""How long the headers of a request may take, in seconds."""
BODY_TIME = 60.0
"""How long the next piece of a body may take, in seconds."""
_MAX_FRAMES = 10_000
"""How many frames a WebSocket message may be cut into."""
_FAREWELL = 1.0
"""How long an answer may take to one who sends no more, in seconds."""
_WHOLE = re.compile(rb"(?i:http)://([^/?#]*)(.*)", re.DOTALL)
"""A target with the host in it, as proxies are asked."""


class Http(H11Protocol):
    """One connection. A class of its own for each server, with what it is called by and writes to."""

    refusal: Refusal = staticmethod(plain_refusal)
    log: Log | None = None
    peers: users.Peers | None = None
    """By which other users of this machine are known, and refused; None if they may connect."""
    crowd: Crowd
    """The connections of the server."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.logger = _LOG
        self.conn = _Connection(h11.SERVER)
        self._half_closed = False

    def connection_made(self, transport: Any) -> None:
        """See who it is, once for all requests of the connection; the guard refuses each of them."""
        super().connection_made(transport)
        self._owed_since: float | None = self.loop.time()
        self._vigil = self.loop.call_later(HEADER_TIME, self._look_after)
        who = users.Visitor(self.client[0] if self.client else "", None)
        if self.peers is not None:
            who = _visitor(self.peers, transport)
            if who.refused is not None:
                self.app_state = {**self.app_state, STRANGER: who.refused}
        most = MAX_OF_PEER if who.refused is None else MAX_OF_STRANGER
        if not self.crowd.enter(transport, who.name, most):
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._vigil.cancel()
        self.crowd.leave(self.transport)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.transport.get_protocol() is not self:
            self._vigil.cancel()  # it is a WebSocket now
            return
        state = self.conn.their_state
        if state is h11.SEND_BODY:
            self._owed_since = self.loop.time()
        elif state is not h11.IDLE or not self.conn.trailing_data[0]:
            self._owed_since = None
        elif self._owed_since is None:
            self._owed_since = self.loop.time()
        if self.open_cycle is not None:
            self.crowd.busy(self.transport)

    def _look_after(self) -> None:
        """End the connection of a peer that does not send what it has begun."""
        owed = self._owed_since
        limit = HEADER_TIME if self.conn.their_state is not h11.SEND_BODY else BODY_TIME
        # Code that reads the connection itself handles this.
        if owed is not None and not self.flow.read_paused and self.loop.time() - owed >= limit:
            if self.open_cycle is None and self.conn.trailing_data[0]:
                self.send_400_response(f"the request was not complete within {limit:g} s")
            self.transport.abort() if self.open_cycle is not None else self.transport.close()
            return
        self._vigil = self.loop.call_later(HEADER_TIME / 2, self._look_after)

    @property
    def open_cycle(self) -> RequestResponseCycle | None:
        """The request that is being answered."""
        cycle: RequestResponseCycle | None = self.cycle
        return None if cycle is None or cycle.response_complete else cycle

    def send_400_response(self, msg: str) -> None:
        """Answer what is not HTTP, unless it is the rest of a request that was answered already."""
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
        cycle = self.open_cycle
        head = cycle is not None and cycle.scope["method"] == "HEAD"
        for event in (
            h11.Response(status_code=400, headers=headers, reason=b"Bad Request"),
            h11.Data(data=b"" if head else body),  # the answer to HEAD has a length, and no body
            h11.EndOfMessage(),
        ):
            self.transport.write(self.conn.send(event) or b"")
        if cycle is not None:
            # Its body is broken, and this was its answer: what the server was about to send goes nowhere.
            cycle.disconnected = True
            cycle.message_event.set()
        self.transport.close()

    def eof_received(self) -> bool | None:  # type: ignore[override]  # asyncio asks whether to stay open
        """The peer sends no more: it has left, or it listens still, which looks the same from here.

        So what it asked for has a moment to be answered, and is cancelled only then. A request whose body is
        not complete cannot be answered any more.
        """
        cycle = self.open_cycle
        if cycle is None or cycle.more_body:
            return None
        self._half_closed = True
        self._await_answer()
        return True

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.open_cycle is None:
            self.crowd.idle(self.transport)
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


def _visitor(peers: users.Peers, transport: Any) -> users.Visitor:
    here, there = transport.get_extra_info("sockname"), transport.get_extra_info("peername")
    if there is None:
        return users.Visitor("gone", "the process that connected is gone")
    try:
        return peers.visitor(here[:2], there[:2])
    except users.Unavailable as error:
        return users.Visitor("unknown", f"which user connected cannot be found out: {error}")


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
    crowd: Crowd

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.logger = _LOG
        self._share = Share()

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self.crowd.busy(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self._share.end()
        self.crowd.leave(self.transport)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        unfinished = len(self.conn.reader.buffer) + sum(map(len, self.frames))
        if len(self.frames) > _MAX_FRAMES or not self._share.set(unfinished):
            self.transport.abort()  # it would not listen before all is sent
            return
        if self.conn.handshake_exc is not None and not self.handshake_initiated:
            # Its headers are too long or too many to be read, which no other code reports.
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
