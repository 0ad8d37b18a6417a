"""HTTP requests of any path, each answered by a function in a thread of its own. Knows no protocol.

Bodies come and go in pieces, so that a large file is never completely in memory.
"""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import IO, Protocol, cast
from urllib.parse import parse_qsl

import h11

from .allowed_pages import AllowedPages
from .asgi import AsgiServer
from .bearer import Bearers
from .http11 import Http
from .interface import Cancel, Log
from .journal import peer_of, taken
from .request_guard import Guard, Message, Receive, Refusal, Scope, Send, plain_refusal, refuse
from .threaded import in_thread

MAX_CALLS = 256
"""How many requests are answered at once."""
_SILENCE = 120.0
"""How long the next piece of a body may take, in seconds."""
_LARGE = 1024 * 1024
"""From how much on the rest of a body is read from the connection itself, in bytes."""
_PIECE = 256 * 1024
_LOOK = 0.5
_LINGER = 5.0
"""How long to wait for the rest of a refused body, in seconds, before the connection ends."""
_BETWEEN = 2 * 1024 * 1024
"""How much of a body waits for the thread that takes it, in bytes."""
_CONNECTION = "deskhand.connection"
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
    def file(self) -> IO[bytes] | None:
        """What the body is made of, if that is a file."""

    @property
    def after(self) -> Callable[[], None] | None: ...
    @property
    def allow(self) -> str | None: ...


class Request:
    """A request, for the thread that answers it."""

    def __init__(self, scope: Scope, pieces: Iterator[bytes]) -> None:
        self.method: str = scope["method"]
        self.path: str = scope["path"]
        self.query: Mapping[str, str] = dict(
            parse_qsl(
                scope["query_string"].decode("latin-1").replace("+", "%2B"),
                keep_blank_values=True,
                errors="surrogateescape",  # names of files need not be UTF-8
            )
        )
        self.peer = peer_of(scope)
        self._pieces = pieces

    def read(self, limit: int) -> bytes:
        """The whole body; ValueError if it is longer, EOFError if it ended too early."""
        pieces, length = [], 0
        for piece in self._pieces:
            pieces.append(piece)
            length += len(piece)
            if length > limit:
                raise ValueError(f"the body is longer than {limit} bytes")
        return b"".join(pieces)

    def chunks(self) -> Iterator[bytes]:
        """The body as it comes; EOFError if it ends too early."""
        return self._pieces


Handler = Callable[[Request, Cancel], Reply]


class RestServer:
    """Answers HTTP/1.1 requests. A slow one does not delay others, and is cancelled when its caller
    disconnects."""

    def __init__(
        self,
        host: str,
        port: int,
        handler: Handler,
        *,
        token: str | Bearers | None = None,
        hosts: tuple[str, ...] = (),
        origins: Iterable[str] = (),
        streamed: Iterable[str] = (),
        open_paths: Iterable[str] = (),
        refusal: Refusal = plain_refusal,
        warn: bool = True,
        other_users: bool = False,
        log: Log | None = None,
    ) -> None:
        """Listen; port 0 takes a free one. Raises AddressInUse or BadAddress.

        The bodies of requests to `streamed` paths may be of any length; `open_paths` need no token. `hosts`
        are further names by which this machine may be called, `refusal` writes the answer to requests that
        are refused, pages of `origins` may send requests, and without `warn` the log does not say that other
        machines can reach it. What the handler does not see goes to the log.
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
            origins=origins,
            streamed=self._streamed,
            open_paths=open_paths,
            refusal=refusal,
            refused=_BROWSERS,
        )
        self._server = AsgiServer(
            AllowedPages(guard, origins, refusal),
            host,
            port,
            warn=warn and token is None,
            http=_Protocol,
            refusal=refusal,
            other_users=other_users,
            log=log,
        )
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
        beside: asyncio.Task[None] | None = None
        direct: _Direct | None = None
        try:
            if scope["path"] in self._streamed:
                first = await receive()
                left = _length(scope) - len(first.get("body", b""))
                if first.get("more_body") and left >= _LARGE:
                    # The event loop would take several times as long to bring it here.
                    direct = _Direct(scope[_CONNECTION].take_over(), left)
                    pieces = direct.pieces(first["body"], cancel)
                else:
                    arriving = _Arriving()
                    pieces = arriving.pieces()
                    beside = asyncio.ensure_future(arriving.take(scope, first, receive))
            else:
                pieces = await _all(scope, receive)
                # Only now, for until then it would take pieces of the body.
                beside = asyncio.ensure_future(_leaving(receive, cancel))
            taken(scope)
            request = Request(scope, pieces)
            reply = await in_thread(lambda: self._handler(request, cancel))
            await _send(reply, scope, send, cancel)
        finally:
            cancel.set()
            self._running.discard(cancel)
            if beside is not None:
                beside.cancel()
            if direct is not None:
                direct.close()
        if reply.after is not None:
            threading.Thread(target=reply.after, name="http-after", daemon=True).start()


class _Protocol(Http):
    """HTTP/1.1, with a shorter way for large files, and an answer to bodies that end too early."""

    def handle_events(self) -> None:
        super().handle_events()
        scope: Scope | None = cast("Scope | None", self.scope)
        if scope is not None:
            scope[_CONNECTION] = self

    def eof_received(self) -> bool | None:  # type: ignore[override]  # asyncio asks whether to stay open
        """Who sent a body in part may still listen."""
        cycle = self.open_cycle
        if cycle is None or not cycle.more_body:
            return super().eof_received()
        cast("Scope", cycle.scope)[_TRUNCATED] = True
        cycle.more_body = cycle.keep_alive = False
        cycle.message_event.set()
        return True

    def take_over(self) -> socket.socket:
        """The connection itself, for the rest of a body; it cannot be kept for further requests.

        To be called in the event loop when all that came so far was received.
        """
        self.flow.pause_reading()
        self.cycle.keep_alive = False
        connection: socket.socket = self.transport.get_extra_info("socket").dup()
        return connection

    async def send_file(self, file: IO[bytes], length: int) -> None:
        """Send a file, or the first part of it, as the body of the answer."""
        # Tells the parser how much goes out; what comes back has no bytes to write.
        self.conn.send_with_data_passthrough(h11.Data(data=_Length(length)))  # type: ignore[arg-type]
        try:
            sent = await self.loop.sendfile(self.transport, file, 0, length)
        except OSError:
            sent = 0  # the peer is gone
        if sent != length:
            # The client knows how much to expect, so it can see that this is not all.
            self.transport.abort()


class _Length:
    """Stands for bytes that go out by another way."""

    def __init__(self, length: int) -> None:
        self._length = length

    def __len__(self) -> int:
        return self._length


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


def _length(scope: Scope) -> int:
    """The length of a body by its headers; 0 if they have none, or if it comes in chunks."""
    headers = dict(scope["headers"])
    return 0 if b"transfer-encoding" in headers else int(headers.get(b"content-length", b"0"))


class _Direct:
    """The rest of a body, straight from its connection."""

    def __init__(self, connection: socket.socket, left: int) -> None:
        self._connection = connection
        self._left = left

    def pieces(self, first: bytes, cancel: threading.Event) -> Iterator[bytes]:
        """In the thread: the body, whose first piece is here already, or EOFError where it ends too early."""
        yield first
        silent = 0.0
        while self._left:
            piece = self._next(_LOOK)
            if piece == b"":
                raise EOFError("the body ended too early")
            if piece is None:
                silent += _LOOK
                if cancel.is_set() or silent >= _SILENCE:
                    raise EOFError(f"no more of the body came for {silent:g} s")
                continue
            silent = 0.0
            yield piece

    def close(self) -> None:
        """Let go of the connection; once the rest was sent, for who is still sending hears no answer."""
        if self._left:
            threading.Thread(target=self._linger, name="http-linger", daemon=True).start()
        else:
            self._connection.close()

    def _linger(self) -> None:
        until = time.monotonic() + _SILENCE
        while self._left and self._next(_LINGER) and time.monotonic() < until:
            pass
        self._connection.close()

    def _next(self, timeout: float) -> bytes | None:
        """The next piece; None if there is none yet, and b"" if there will be no more."""
        self._connection.settimeout(timeout)
        try:
            piece = self._connection.recv(min(self._left, _PIECE))
        except TimeoutError:
            return None
        except OSError:
            return b""  # it was closed, here or there
        self._left -= len(piece)
        return piece


class _Arriving:
    """A body on its way from the event loop to a thread, with a bounded part of it between them."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._room = asyncio.Event()
        self._some = threading.Condition()
        self._held: list[bytes] = []
        self._size = 0
        self._end: EOFError | None = None
        self._ended = False

    async def take(self, scope: Scope, message: Message, receive: Receive) -> None:
        """In the event loop: take the body as it comes, but no more than the thread can keep up with."""
        end = None
        try:
            while True:
                piece = _piece(scope, message)
                self._room.clear()
                with self._some:
                    self._held.append(piece)
                    self._size += len(piece)
                    self._some.notify()
                    full = self._size > _BETWEEN
                if full:
                    await self._room.wait()
                if not message.get("more_body"):
                    return
                message = await asyncio.wait_for(receive(), _SILENCE)
        except EOFError as error:
            end = error
        except (TimeoutError, asyncio.TimeoutError):
            end = EOFError(f"no more of the body came for {_SILENCE:g} s")
        except asyncio.CancelledError:
            end = EOFError("the server ends")
            raise
        finally:
            with self._some:
                self._end, self._ended = end, True
                self._some.notify()

    def pieces(self) -> Iterator[bytes]:
        """In the thread: the body, or EOFError where it ends too early."""
        while True:
            with self._some:
                self._some.wait_for(lambda: self._held or self._ended)
                held, self._held, self._size = self._held, [], 0
                end, ended = self._end, self._ended
            with suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._room.set)
            if held:
                yield held[0] if len(held) == 1 else b"".join(held)
            elif ended:
                if end is not None:
                    raise end
                return


async def _leaving(receive: Receive, cancel: threading.Event) -> None:
    """Cancel what runs when its caller goes away."""
    while (await receive())["type"] != "http.disconnect":
        pass
    cancel.set()


async def _send(reply: Reply, scope: Scope, send: Send, cancel: threading.Event) -> None:
    body = reply.body
    length = len(body) if isinstance(body, bytes) else reply.length
    # WebDriver demands it, and no answer of a moving desktop is worth keeping.
    headers = [(b"content-type", reply.kind.encode()), (b"cache-control", b"no-cache")]
    if length is not None:
        headers.append((b"content-length", str(length).encode()))
    if not scope[_CONNECTION].cycle.keep_alive:
        headers.append((b"connection", b"close"))
    if reply.allow is not None:
        headers.append((b"allow", reply.allow.encode()))
    await send({"type": "http.response.start", "status": reply.status, "headers": headers})
    if isinstance(body, bytes):
        await send({"type": "http.response.body", "body": body})
        return
    if reply.file is not None and length is not None:
        with reply.file:
            await scope[_CONNECTION].send_file(reply.file, length)
        await send({"type": "http.response.body", "body": b""})
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
