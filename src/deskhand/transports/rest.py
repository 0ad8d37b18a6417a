"""HTTP requests of any path, each answered by a function in a thread of its own. Knows no protocol.

Bodies come and go in pieces, so that a large file never stands in memory.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import CancelledError
from typing import Protocol, cast
from urllib.parse import parse_qsl

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from .asgi import AsgiServer
from .guard import Guard, Message, Receive, Refusal, Scope, Send, plain_refusal, refuse
from .interface import Cancel
from .web import in_thread

MAX_CALLS = 256
"""How many requests are answered at once."""
_SILENCE = 120.0
"""How long the next piece of a body may take, in seconds."""
_TRUNCATED = "deskhand.truncated"
_BROWSERS = frozenset(("text/plain", "multipart/form-data"))
"""Types that a page can send to another site without asking, and that no client of ours has a use for."""


class Reply(Protocol):
    """What a function answers."""

    @property
    def status(self) -> int: ...
    @property
    def body(self) -> bytes | Iterable[bytes]: ...
    @property
    def kind(self) -> str: ...
    @property
    def length(self) -> int | None: ...
    @property
    def after(self) -> Callable[[], None] | None: ...
    @property
    def allow(self) -> str | None: ...


class Request:
    """A request, for the thread that answers it."""

    def __init__(self, scope: Scope, pieces: Iterator[bytes]) -> None:
        client = scope.get("client")
        self.method: str = scope["method"]
        self.path: str = scope["path"]
        self.query: Mapping[str, str] = dict(
            parse_qsl(scope["query_string"].decode("latin-1").replace("+", "%2B"), keep_blank_values=True)
        )
        self.peer = "http" if client is None else f"http {client[0]}:{client[1]}"
        self._pieces = pieces

    def read(self, limit: int) -> bytes:
        """The whole body; ValueError if it is longer, EOFError if it ended too early."""
        body = bytearray()
        for piece in self._pieces:
            body += piece
            if len(body) > limit:
                raise ValueError(f"the body is longer than {limit} bytes")
        return bytes(body)

    def chunks(self) -> Iterator[bytes]:
        """The body as it comes; EOFError if it ends too early."""
        return self._pieces


Handler = Callable[[Request, Cancel], Reply]


class RestServer:
    """Answers HTTP/1.1 requests. One that takes long keeps up nobody else, and is cancelled when its caller
    goes away."""

    def __init__(
        self,
        host: str,
        port: int,
        handler: Handler,
        *,
        token: str | None = None,
        hosts: tuple[str, ...] = (),
        streamed: Iterable[str] = (),
        refusal: Refusal = plain_refusal,
        warn: bool = True,
    ) -> None:
        """Listen; port 0 takes a free one. Raises AddressInUse or BadAddress.

        The bodies of requests to `streamed` paths may be of any length. `hosts` are further names by which
        this machine may be called, `refusal` writes what is answered to those who are not let in, and without
        `warn` nobody is told that other machines can reach it.
        """
        self._handler = handler
        self._streamed = frozenset(streamed)
        self._refusal = refusal
        self._running: set[threading.Event] = set()
        guard = Guard(
            self._serve,
            bound_to=host,
            token=token,
            hosts=hosts,
            streamed=self._streamed,
            refusal=refusal,
            refused=_BROWSERS,
        )
        self._server = AsgiServer(guard, host, port, warn=warn and token is None, http=_Protocol)
        self.url = f"http://{host}:{self._server.port}"

    def __enter__(self) -> RestServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self, timeout: float = 2.0) -> None:
        """Stop listening, cancel what still runs, end every connection."""
        for cancel in list(self._running):
            cancel.set()
        self._server.close(timeout)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await receive()
            await send({"type": "websocket.close", "code": 1003})
            return
        if len(self._running) >= MAX_CALLS:
            await refuse(scope, receive, send, 503, f"{MAX_CALLS} requests are being answered", self._refusal)
            return
        cancel = threading.Event()
        self._running.add(cancel)
        gone: asyncio.Task[None] | None = None
        try:
            if scope["path"] in self._streamed:
                request = Request(scope, _pull(scope, receive, asyncio.get_running_loop()))
                reply = await in_thread(lambda: self._handler(request, cancel))
            else:
                request = Request(scope, await _all(scope, receive))
                # Only now, for until then it would take pieces of the body.
                gone = asyncio.ensure_future(_leaving(receive, cancel))
                reply = await in_thread(lambda: self._handler(request, cancel))
            await _send(reply, send, cancel)
        finally:
            cancel.set()
            self._running.discard(cancel)
            if gone is not None:
                gone.cancel()
        if reply.after is not None:
            threading.Thread(target=reply.after, name="http-after", daemon=True).start()


class _Protocol(H11Protocol):
    """Lets a body that ends too early be answered: who sent it may still listen."""

    def eof_received(self) -> bool | None:  # type: ignore[override]  # asyncio asks whether to stay open
        cycle: RequestResponseCycle | None = self.cycle
        if cycle is None or cycle.response_complete or not cycle.more_body:
            return None
        cast("Scope", cycle.scope)[_TRUNCATED] = True
        cycle.more_body = cycle.keep_alive = False
        cycle.message_event.set()
        return True


def _piece(scope: Scope, message: Message) -> bytes:
    if message["type"] != "http.request" or (scope.get(_TRUNCATED) and not message.get("more_body")):
        raise EOFError("the body ended too early")
    piece: bytes = message.get("body", b"")
    return piece


async def _all(scope: Scope, receive: Receive) -> Iterator[bytes]:
    """The whole body, read already; the guard has seen to its length."""
    pieces = []
    try:
        more = True
        while more:
            message = await receive()
            pieces.append(_piece(scope, message))
            more = message.get("more_body", False)
    except EOFError as error:
        return _raising(error)
    return iter(pieces)


def _raising(error: EOFError) -> Iterator[bytes]:
    yield b""
    raise error


def _pull(scope: Scope, receive: Receive, loop: asyncio.AbstractEventLoop) -> Iterator[bytes]:
    """The pieces of a body as they come, for a thread."""
    while True:
        try:
            message = asyncio.run_coroutine_threadsafe(_soon(receive), loop).result()
        except (CancelledError, RuntimeError):
            raise EOFError("the server ends") from None
        except (TimeoutError, asyncio.TimeoutError):
            raise EOFError(f"no more of the body came for {_SILENCE:g} s") from None
        yield _piece(scope, message)
        if not message.get("more_body"):
            return


async def _soon(receive: Receive) -> Message:
    return await asyncio.wait_for(receive(), _SILENCE)


async def _leaving(receive: Receive, cancel: threading.Event) -> None:
    """Cancel what runs when its caller goes away."""
    while (await receive())["type"] != "http.disconnect":
        pass
    cancel.set()


async def _send(reply: Reply, send: Send, cancel: threading.Event) -> None:
    body = reply.body
    length = len(body) if isinstance(body, bytes) else reply.length
    headers = [(b"content-type", reply.kind.encode())]
    if length is not None:
        headers.append((b"content-length", str(length).encode()))
    if reply.allow is not None:
        headers.append((b"allow", reply.allow.encode()))
    await send({"type": "http.response.start", "status": reply.status, "headers": headers})
    if isinstance(body, bytes):
        await send({"type": "http.response.body", "body": body})
        return
    pieces = iter(body)

    def pull() -> bytes | None:
        return next(pieces, None)

    piece = await in_thread(pull)
    while piece is not None and not cancel.is_set():
        # The next one is fetched while this one goes out.
        following = asyncio.ensure_future(in_thread(pull))
        await send({"type": "http.response.body", "body": piece, "more_body": True})
        piece = await following
    close = getattr(pieces, "close", None)
    if close is not None:
        close()
    await send({"type": "http.response.body", "body": b""})
