"""A page for browsers of this machine: its files, and a WebSocket to each that is open. Knows no protocol.

A browser cannot send a header with the address that a person opens, so the token is in the address's query.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import parse_qs

from .asgi import AsgiServer
from .bearer import Bearers
from .interface import Log
from .journal import taken
from .request_guard import App, Guard, Receive, Scope, Send, refuse
from .threaded import in_thread

LIVE = "/live"
"""Where the WebSocket of a page is."""
MAX_PAGES = 16
"""How many pages are open at once."""
_LIMIT = 256 * 1024
"""How long a message of a page may be, in bytes."""
_STALLED = 30.0
"""How long a message to a page may take, in seconds."""
_GOING_AWAY, _TOO_SLOW = 1001, 1008
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


@dataclass(frozen=True)
class File:
    """A file of the page."""

    kind: str
    content: bytes


class Page(Protocol):
    """A page that is open."""

    ended: str | None
    """Why it is over; None while it is not."""

    def take(self) -> list[str | bytes]:
        """The messages for it, as of now. Called in a thread, whenever it was woken."""

    def handle(self, message: str) -> None:
        """What it sends: one message at a time, in a thread."""

    def close(self) -> None:
        """It was closed."""


class PageServer:
    """Serves a page, from its making until `close`."""

    def __init__(
        self,
        host: str,
        port: int,
        files: Mapping[str, File],
        join: Callable[[Callable[[], None]], Page],
        *,
        token: str | Bearers | None = None,
        other_users: bool = False,
        log: Log | None = None,
    ) -> None:
        """Listen; port 0 takes a free one. Raises AddressInUse or BadAddress.

        `files` are by path, and that of `/` is the page itself: it and the WebSocket need the token, the rest
        holds nothing of the app. `join` makes a page, and gets what wakes the one who sends its messages.
        """
        self._files = dict(files)
        self._join = join
        self._pages: set[Page] = set()
        guard = Guard(
            self._serve,
            bound_to=host,
            token=token,
            limit=_LIMIT,
            open_paths=[path for path in files if path != "/"],
        )
        self._server = AsgiServer(
            _token_of_address(guard),
            host,
            port,
            limit=_LIMIT,
            warn=token is None,
            other_users=other_users,
            log=log,
        )
        self.url = f"http://{host}:{self._server.port}/"

    def __enter__(self) -> PageServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self, timeout: float = 2.0) -> None:
        """Stop listening, and end the connection of every page."""
        self._server.close(timeout)
        for page in list(self._pages):
            self._leave(page)

    def _leave(self, page: Page) -> None:
        if page in self._pages:
            self._pages.discard(page)
            page.close()

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            if scope["path"] != LIVE:
                await refuse(scope, receive, send, 404, f"no WebSocket at {scope['path'][:100]}")
            elif len(self._pages) >= MAX_PAGES:
                await refuse(scope, receive, send, 503, f"{MAX_PAGES} pages are open already")
            else:
                taken(scope)
                await self._talk(receive, send)
        elif scope["type"] == "http":
            await self._give(scope, receive, send)

    async def _give(self, scope: Scope, receive: Receive, send: Send) -> None:
        file = self._files.get(scope["path"])
        if file is None:
            await refuse(scope, receive, send, 404, f"no page at {scope['path'][:100]}")
            return
        if scope["method"] not in ("GET", "HEAD"):
            await refuse(scope, receive, send, 405, "a page is read with GET")
            return
        taken(scope)
        headers = {
            "content-type": file.kind,
            "content-length": str(len(file.content)),
            "cache-control": "no-store",
            "content-security-policy": _POLICY,
            "cross-origin-opener-policy": "same-origin",
            "cross-origin-resource-policy": "same-origin",
            "referrer-policy": "no-referrer",
            "x-content-type-options": "nosniff",
            "x-frame-options": "DENY",
        }
        pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
        await send({"type": "http.response.start", "status": 200, "headers": pairs})
        body = b"" if scope["method"] == "HEAD" else file.content
        await send({"type": "http.response.body", "body": body})

    # -- an open page ----------------------------------------------------------------------------

    async def _talk(self, receive: Receive, send: Send) -> None:
        loop = asyncio.get_running_loop()
        some = asyncio.Event()
        some.set()

        def wake() -> None:
            with suppress(RuntimeError):  # the loop has ended, so there are no pages
                loop.call_soon_threadsafe(some.set)

        await receive()  # the request to connect
        await send({"type": "websocket.accept"})
        page = await in_thread(lambda: self._join(wake))
        self._pages.add(page)
        try:
            listening = asyncio.ensure_future(_listen(page, receive))
            telling = asyncio.ensure_future(_tell(page, some, send))
            await asyncio.wait({listening, telling}, return_when=asyncio.FIRST_COMPLETED)
            for task in (listening, telling):
                task.cancel()
                with suppress(
                    asyncio.CancelledError, OSError
                ):  # the page was closed in the middle of a message
                    await task
        finally:
            await in_thread(lambda: self._leave(page))


async def _listen(page: Page, receive: Receive) -> None:
    """Hand on what a page sends, until it is closed. The next message is read once one is done with."""
    while (message := await receive())["type"] != "websocket.disconnect":
        if (text := message.get("text")) is not None:
            await in_thread(lambda text=text: page.handle(text))  # type: ignore[misc]


async def _tell(page: Page, some: asyncio.Event, send: Send) -> None:
    """Send what there is for a page, until it is over or takes no more."""
    while True:
        await some.wait()
        some.clear()
        ended = page.ended
        try:
            for message in await in_thread(page.take):
                kind = "text" if isinstance(message, str) else "bytes"
                await asyncio.wait_for(send({"type": "websocket.send", kind: message}), _STALLED)
        except (TimeoutError, asyncio.TimeoutError):
            await send({"type": "websocket.close", "code": _TOO_SLOW, "reason": "nothing was read"})
            return
        if ended is not None:
            await send({"type": "websocket.close", "code": _GOING_AWAY, "reason": ended[:100]})
            return


def _token_of_address(app: App) -> App:
    """An ASGI app that takes the token of the query for that of a header."""

    async def called(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] in ("http", "websocket"):
            given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [])
            if given and not any(name == b"authorization" for name, _ in scope["headers"]):
                bearing = [
                    (b"authorization", f"Bearer {token}".encode("latin-1", "replace")) for token in given
                ]
                scope["headers"] = [*scope["headers"], *bearing]
        await app(scope, receive, send)

    return called
