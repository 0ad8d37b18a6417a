"""JSON-RPC by HTTP POST at one path, a connection for each request. Knows no protocol.

Requests are read concurrently, so that one that arrives slowly does not delay others; and are answered one
after the other, in the order in which they were complete.
"""

from __future__ import annotations

import asyncio
import queue
import socket
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from contextvars import Context, copy_context
from dataclasses import dataclass
from itertools import count
from typing import cast

from .asgi import AsgiServer
from .bearer import Bearers
from .http11 import Http
from .interface import EndingConversation, Log
from .journal import taken
from .limits import TOO_MUCH, Share
from .request_guard import App, Guard, Message, Receive, Scope, Send, refuse

LIMIT = 1024 * 1024
"""How long a request may be, in bytes."""
MAX_CALLS = 256
"""How many requests may be there at once."""
_SILENCE = 120.0
"""How long the next piece of a body may take, in seconds."""
_OBJECTION = 0.05
"""How long the kernel may take to report that the peer is gone, in seconds; it is on this machine."""
_TRUNCATED = "deskhand.truncated"
_JSON = b"application/json"
_TEXT = b"text/plain"


@dataclass(frozen=True, eq=False)
class _Call:
    """A request that is complete, and where its answer goes."""

    message: bytes | None
    """None for one that cannot be taken."""
    problem: str
    conversation: EndingConversation
    cancel: threading.Event
    reply: asyncio.Future[bytes]
    context: Context


class OneShotServer:
    """Listens at a host and port; port 0 takes a free one."""

    def __init__(
        self,
        host: str,
        port: int,
        path: str,
        conversations: Callable[[str, str, str], EndingConversation],
        *,
        health: str,
        server: str,
        token: str | Bearers | None = None,
        limit: int = LIMIT,
        sockets: Mapping[str, App] | None = None,
        waits: Callable[[bytes], bool] = lambda _: False,
        other_users: bool = False,
        log: Log | None = None,
    ) -> None:
        """Raises AddressInUse or BadAddress.

        `health` is the page at `/`, which asks for no token; `server` is what it calls itself. `sockets` are
        ASGI apps for WebSockets, by their path. A message that `waits` does not delay those after it. What no
        conversation hears of goes to the log.
        """
        self._path = path.encode()
        self._conversations = conversations
        self._health = health.encode()
        self._headers = [(b"connection", b"close"), (b"server", server.encode())]
        self._limit = limit
        self._waits = waits
        self._sockets = dict(sockets or {})
        self._calls: queue.SimpleQueue[_Call | None] = queue.SimpleQueue()
        self._open: set[_Call] = set()
        self._reading = 0
        self._numbers = count(1)
        self._closing = False
        # Bodies are limited here, so that one that is too long is read to its end: who has not yet sent all
        # of a request mostly does not hear an answer.
        guard = Guard(
            self._serve,
            bound_to=host,
            token=token,
            open_paths=("/",),
            streamed=(path,),
            json_only="browsers",
        )
        # Requests come only once the address is known, because url is set before it is published.
        self.url = ""
        self._server = AsgiServer(
            self._one_shot(guard),
            host,
            port,
            warn=token is None,
            http=_Protocol,
            other_users=other_users,
            log=log,
        )
        self.url = f"http://{host}:{self._server.port}{path}"
        self._worker = threading.Thread(
            target=self._answer_all, name=f"http-{self._server.port}-calls", daemon=True
        )
        self._worker.start()

    def __enter__(self) -> OneShotServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self, timeout: float = 2.0) -> None:
        """Stop listening, cancel what still runs, end every connection."""
        self._closing = True
        for call in list(self._open):
            if (reply := _ended(call)) is not None:
                self._deliver(call, reply)
            call.cancel.set()
        self._calls.put(None)
        self._server.close(timeout)

    # -- in the event loop ---------------------------------------------------------------------

    def _one_shot(self, app: App) -> App:
        """The app, whose every answer says who it is from and ends the connection, also a refusal."""

        async def answer_and_end(scope: Scope, receive: Receive, send: Send) -> None:
            async def ending(message: Message) -> None:
                if message["type"] == "http.response.start":
                    others = [(name, value) for name, value in message["headers"] if name != b"connection"]
                    message = {**message, "headers": [*others, *self._headers]}
                await send(message)

            await app(scope, receive, ending)

        return answer_and_end

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            app = self._sockets.get(scope["path"])
            if app is None:
                await refuse(scope, receive, send, 404, "there is no WebSocket here")
            else:
                await app(scope, receive, send)
            return
        target = scope["raw_path"] + (b"?" + scope["query_string"] if scope["query_string"] else b"")
        if scope["method"] == "GET" and target == b"/":
            await self._send(send, 200, self._health, _TEXT)
        elif scope["method"] != "POST" or target != self._path:
            await self._send(send, 404, b"not found", _TEXT)
        elif self._reading >= MAX_CALLS:
            await self._send(send, 503, b"%d requests are being answered" % MAX_CALLS, _TEXT)
        else:
            await self._take(scope, receive, send)

    async def _take(self, scope: Scope, receive: Receive, send: Send) -> None:
        with Share() as share:
            await self._take_in(scope, receive, send, share)

    async def _take_in(self, scope: Scope, receive: Receive, send: Send, share: Share) -> None:
        taken(scope)
        self._reading += 1
        try:
            message, problem = await self._read(scope, receive, share)
            client = scope.get("client")
            peer = f"http-{next(self._numbers)} " + ("" if client is None else f"{client[0]}:{client[1]}")
            future = asyncio.get_running_loop().create_future()
            conversation = self._conversations("http", self.url, peer)
            call = _Call(message, problem, conversation, threading.Event(), future, copy_context())
            gone = asyncio.ensure_future(_leaving(receive, call.cancel))
            self._open.add(call)
            try:
                self._calls.put(call)
                reply = _ended(call) if self._closing else None
                await self._send(send, 200, await call.reply if reply is None else reply, _JSON)
            finally:
                call.cancel.set()
                gone.cancel()
                self._open.discard(call)
        finally:
            self._reading -= 1

    async def _read(self, scope: Scope, receive: Receive, share: Share) -> tuple[bytes | None, str]:
        """The body; None and the reason if it cannot be taken."""
        body = bytearray()
        held = True
        length = 0
        while True:
            try:
                message = await asyncio.wait_for(receive(), _SILENCE)
            except (TimeoutError, asyncio.TimeoutError):
                return None, f"no more of the request came for {_SILENCE:g} s"
            if message["type"] != "http.request" or (scope.get(_TRUNCATED) and not message.get("more_body")):
                return None, "the request ended too early"
            piece = message.get("body", b"")
            length += len(piece)
            held = held and (length > self._limit or share.add(len(piece)))
            if held and length <= self._limit:
                body += piece
            if not message.get("more_body"):
                break
        if length > self._limit:
            return None, f"the request is {length} bytes long; it may have {self._limit}"
        return (bytes(body), "") if held else (None, TOO_MUCH)

    async def _send(self, send: Send, status: int, body: bytes, kind: bytes) -> None:
        headers = [(b"content-type", kind), (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    # -- in the thread that answers ------------------------------------------------------------

    def _answer_all(self) -> None:
        while (call := self._calls.get()) is not None:
            if call.cancel.is_set():  # who went away before its turn wants nothing done any more
                continue
            if call.message is not None and self._waits(call.message):
                threading.Thread(
                    target=call.context.run, args=(self._finish, call), name="http-wait", daemon=True
                ).start()
            else:
                call.context.run(self._finish, call)

    def _finish(self, call: _Call) -> None:
        self._deliver(call, self._answer(call))

    def _answer(self, call: _Call) -> bytes:
        if call.message is None:
            return call.conversation.refuse(call.problem)
        try:
            return call.conversation.handle(call.message, call.cancel) or b""
        finally:
            call.conversation.close()

    def _deliver(self, call: _Call, reply: bytes) -> None:
        def set_result() -> None:
            if not call.reply.done():
                call.reply.set_result(reply)

        with suppress(RuntimeError):  # the loop has ended, so no call waits any more
            call.reply.get_loop().call_soon_threadsafe(set_result)


def _ended(call: _Call) -> bytes | None:
    """The answer to a call that the server ends before; None if it is answered already."""
    if call.message is None:
        return call.conversation.refuse(call.problem)
    return call.conversation.end(call.message)


class _Protocol(Http):
    """HTTP/1.1 for peers that end their own side once they have asked, and listen on."""

    def eof_received(self) -> bool | None:  # type: ignore[override]  # asyncio asks whether to stay open
        cycle = self.open_cycle
        if cycle is None:
            return None
        cycle.keep_alive = False
        if cycle.more_body:
            cast("Scope", cycle.scope)[_TRUNCATED] = True
            cycle.more_body = False
            cycle.message_event.set()
        elif not cycle.response_started:
            # Who is gone altogether looks the same, until something is sent to it: then it objects.
            self.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            self.loop.call_later(_OBJECTION, self._end_if_gone)
        return True

    def _end_if_gone(self) -> None:
        connection: socket.socket | None = self.transport.get_extra_info("socket")
        if connection is None or connection.fileno() < 0:
            return
        if connection.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
            self.transport.abort()


async def _leaving(receive: Receive, cancel: threading.Event) -> None:
    """Cancel what runs when its caller goes away."""
    while (await receive())["type"] != "http.disconnect":
        pass
    cancel.set()
