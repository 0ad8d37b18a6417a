"""HTTP POST and WebSocket on one port and path, by starlette and uvicorn in a thread of their own."""

from __future__ import annotations

import asyncio
import queue
import threading
from contextlib import closing
from contextvars import copy_context
from itertools import count
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from .asgi import AsgiServer
from .bearer import Bearers
from .interface import BadAddress, Conversation, ConversationFactory, Log
from .journal import taken
from .limits import Share
from .request_guard import JSON_KINDS, LIMIT, Guard, refuse
from .threaded import in_thread

MAX_CALLS = 256
"""How many requests and WebSocket connections are served at once."""
_MAX_WAITING = 1000
"""How many messages of one WebSocket may wait for the ones before them."""


class HttpServer:
    """Serves conversations over HTTP POST (one message each) and WebSocket (one for each connection).

    Every call that runs has a thread, so a waiting one does not delay others, and is cancelled when its
    caller disconnects.
    """

    def __init__(
        self,
        address: str,
        conversations: ConversationFactory,
        *,
        token: str | Bearers | None = None,
        limit: int = LIMIT,
        hosts: tuple[str, ...] = (),
        other_users: bool = False,
        log: Log | None = None,
    ) -> None:
        """Listen at `http://HOST[:PORT][/PATH]` or `ws://…`; port 0 (or none) takes a free one.

        Raises AddressInUse or BadAddress. What no conversation hears of goes to the log.
        """
        scheme, host, port, path = _parts(address)
        self._conversations = conversations
        self._running: set[threading.Event] = set()
        self._numbers = count(1)
        routes = [Route(path, self._post, methods=["POST"]), WebSocketRoute(path, self._talk)]
        app = Guard(Starlette(routes=routes), bound_to=host, token=token, limit=limit, hosts=hosts)
        # Requests come only once the address is known, because url is set before it is published.
        self.url = ""
        self._server = AsgiServer(
            app, host, port, limit=limit, warn=token is None, other_users=other_users, log=log
        )
        self.url = f"{scheme}://{host}:{self._server.port}{path}"

    def __enter__(self) -> HttpServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self, timeout: float = 2.0) -> None:
        """Stop listening, cancel what still runs, end every connection."""
        for cancel in list(self._running):
            cancel.set()
        self._server.close(timeout)

    def _begin(self, transport: str, client: object) -> tuple[Conversation, threading.Event]:
        cancel = threading.Event()
        self._running.add(cancel)
        peer = f"{transport}-{next(self._numbers)} {client}"
        return self._conversations(transport, self.url, peer), cancel

    # -- HTTP ------------------------------------------------------------------------------------

    async def _post(self, request: Request) -> Response:
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind not in JSON_KINDS:
            return JSONResponse({"error": f"send application/json, not {kind[:60]}"}, 415)
        if len(self._running) >= MAX_CALLS:
            return JSONResponse({"error": f"{MAX_CALLS} requests are being answered already"}, 503)
        try:
            body = await request.body()
        except ClientDisconnect:
            return JSONResponse({"error": "the request ended too early"}, 400)  # which no client reads
        taken(request.scope)
        conversation, cancel = self._begin("http", _client(request))
        call = asyncio.ensure_future(in_thread(lambda: conversation.handle(body, cancel)))
        gone = asyncio.ensure_future(_disconnected(request))
        try:
            await asyncio.wait({call, gone}, return_when=asyncio.FIRST_COMPLETED)
            if not call.done():
                cancel.set()
            reply = await call
        finally:
            cancel.set()
            gone.cancel()
            self._running.discard(cancel)
            conversation.close()
        if reply is None:
            return Response(status_code=204)
        return Response(reply, media_type="application/json")

    # -- WebSocket -------------------------------------------------------------------------------

    async def _talk(self, websocket: WebSocket) -> None:
        if len(self._running) >= MAX_CALLS:
            reason = f"{MAX_CALLS} clients are being served already"
            await refuse(websocket.scope, websocket.receive, websocket.send, 503, reason)
            return
        taken(websocket.scope)
        await websocket.accept()
        conversation, cancel = self._begin("websocket", _client(websocket))
        loop = asyncio.get_running_loop()
        messages: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        share = Share()

        def answer_all() -> None:
            try:
                while (message := messages.get()) is not None:
                    reply = conversation.handle(message, cancel)
                    share.add(-len(message))
                    del message
                    if reply is not None:
                        sending = websocket.send_text(reply.decode())
                        with closing(sending):  # which the loop does not do if it has ended
                            asyncio.run_coroutine_threadsafe(sending, loop).result()
            except Exception:  # noqa: BLE001 - the peer or the loop is gone, which each part tells in its own way
                cancel.set()
            finally:
                conversation.close()
                while not messages.empty():
                    messages.get()
                share.end()

        answering = copy_context()
        threading.Thread(target=answering.run, args=(answer_all,), name="gip-websocket", daemon=True).start()
        try:
            while (message := await _next(websocket)) is not None:
                if messages.qsize() >= _MAX_WAITING or not share.add(len(message)):
                    await websocket.close(1013, "too many messages wait already")
                    return
                messages.put(message)
        finally:
            cancel.set()
            messages.put(None)
            self._running.discard(cancel)


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _next(websocket: WebSocket) -> bytes | None:
    """The next message; None when the peer is gone."""
    event = await websocket.receive()
    if event["type"] == "websocket.disconnect":
        return None
    text = event.get("text")
    data: bytes = text.encode("utf-8", "replace") if text is not None else event.get("bytes") or b""
    return data


def _client(connection: Request | WebSocket) -> str:
    client = connection.client
    return "" if client is None else f"{client.host}:{client.port}"


def _parts(address: str) -> tuple[str, str, int, str]:
    try:
        parts = urlsplit(address)
        port = parts.port or 0
    except ValueError:
        raise BadAddress(f"'{address}' has no port that could be one") from None
    if parts.scheme not in ("http", "ws") or not parts.hostname or parts.query or parts.username:
        raise BadAddress(
            f"'{address}' is not an address to serve at; use http://HOST:PORT/PATH or ws://HOST:PORT/PATH"
        )
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return parts.scheme, host, port, parts.path or "/"
