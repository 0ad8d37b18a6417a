"""HTTP requests to one server: short ones, and bodies of any length in either direction.

By `http.client`, which takes a server as it is: HTTP/1.0 or 1.1, one that closes after each answer, one that
answers before it has read everything.
"""

from __future__ import annotations

import http.client
import selectors
import socket
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from .interface import Cancel, CannotConnect, ChannelClosed

CHUNK = 1024 * 1024
"""How much of a long body is held at a time, in bytes."""
LONGEST = 256 * 1024 * 1024
"""How long an answer may be that is held as a whole, in bytes."""
_KEPT = 4
"""How many idle connections are kept for the next requests."""
_LOOK = 0.1
"""How often a request that waits asks whether its caller is still there, in seconds."""


class Abandoned(Exception):
    """The caller went away; the connection is closed."""


@dataclass(frozen=True)
class Answer:
    """What the server said, as a whole."""

    status: int
    kind: str
    """Its content type, without parameters."""
    body: bytes


class Incoming:
    """An answer that is on its way: its head, and the body in pieces."""

    def __init__(
        self,
        response: http.client.HTTPResponse,
        connection: socket.socket,
        patience: float,
        cancel: Cancel | None,
    ) -> None:
        self.status = response.status
        self.kind = response.headers.get_content_type()
        self.length: int | None = response.length
        """How long the body is, where the server says so."""
        self.deadline: float | None = None
        """By when all of it must be there; else each piece may take its time."""
        self.whole = False
        """Whether all of it was read."""
        self._response = response
        self._socket = connection
        self._patience = patience
        self._cancel = cancel

    def chunks(self) -> Iterator[bytes]:
        """The body in pieces; ChannelClosed if it ends before its length, TimeoutError if it stands still."""
        read = 0
        while read != self.length:
            end = self.deadline or time.monotonic() + self._patience
            if read and not self._response.chunked:
                # The first piece may already be in a buffer, and those of a chunked body always may.
                _wait(self._socket, selectors.EVENT_READ, end, self._cancel)
            self._socket.settimeout(max(0.01, end - time.monotonic()))
            chunk = self._response.read1(CHUNK if self.length is None else min(CHUNK, self.length - read))
            if not chunk:
                if self.length is not None:
                    raise ChannelClosed(f"the connection ended after {read} of {self.length} bytes")
                break
            read += len(chunk)
            yield chunk
        self.whole = True

    def body(self) -> bytes:
        """The whole body."""
        collected = bytearray()
        for chunk in self.chunks():
            collected += chunk
            if len(collected) > LONGEST:
                raise ChannelClosed(f"the answer is longer than {LONGEST} bytes")
        return bytes(collected)


class HttpCalls:
    """Requests to one server. Thread-safe: each that runs at a time has a connection of its own."""

    def __init__(
        self, host: str, port: int, *, token: str | None = None, timeout: float = 5.0, keep: bool = True
    ) -> None:
        """`timeout` is for connecting, in seconds. Nothing is sent yet.

        Without `keep` each connection is for one request, and the request says so.
        """
        self._host = host
        self._port = port
        self._where = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        self._timeout = timeout
        self._headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        if not keep:
            self._headers["Connection"] = "close"
        self._keep = keep
        self._idle: list[http.client.HTTPConnection] = []
        self._lock = threading.Lock()
        self._closed = False

    def call(
        self, method: str, path: str, body: bytes = b"", *, timeout: float, cancel: Cancel | None = None
    ) -> Answer:
        """Send a request and return the whole answer, which must come within `timeout` seconds.

        Raises CannotConnect, ChannelClosed, TimeoutError or Abandoned. No status of an answer is an error.
        """
        deadline = time.monotonic() + timeout
        pieces = (body,) if body else ()
        with self.exchange(method, path, pieces, len(body), patience=timeout, cancel=cancel) as incoming:
            incoming.deadline = deadline
            return Answer(incoming.status, incoming.kind, incoming.body())

    @contextmanager
    def exchange(
        self,
        method: str,
        path: str,
        body: Iterable[bytes] = (),
        length: int = 0,
        *,
        kind: str = "application/json",
        patience: float,
        cancel: Cancel | None = None,
    ) -> Iterator[Incoming]:
        """Send a body in pieces and have the answer in pieces; each step may take `patience` seconds."""
        connection = self._connect()
        response = None
        kept = False
        try:
            assert connection.sock is not None
            raw: socket.socket = connection.sock
            raw.settimeout(patience)
            headers = {"Content-Type": kind, "Content-Length": str(length), **self._headers}
            complete = self._send(connection, raw, method, path, headers, body, length, patience, cancel)
            _wait(raw, selectors.EVENT_READ, time.monotonic() + patience, cancel)
            response = connection.getresponse()
            incoming = Incoming(response, raw, patience, cancel)
            yield incoming
            kept = self._keep and complete and incoming.whole and not response.will_close
        except TimeoutError:
            raise TimeoutError(f"{self._where} did not answer within {patience:.3g} s") from None
        except ChannelClosed as error:
            raise ChannelClosed(f"{self._where}: {error}") from None
        except http.client.RemoteDisconnected:
            raise ChannelClosed(f"{self._where} hung up without an answer") from None
        except (ConnectionError, http.client.HTTPException) as error:
            said = str(error) or type(error).__name__
            raise ChannelClosed(f"the connection to {self._where} ended: {said}") from None
        finally:
            if response is not None:
                response.close()
            self._release(connection, kept)

    def close(self) -> None:
        """End the idle connections; those in use end with their requests."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _connect(self) -> http.client.HTTPConnection:
        while True:
            with self._lock:
                if not self._idle:
                    break
                connection = self._idle.pop()
            if connection.sock is not None and not _readable(connection.sock):
                return connection
            # A server lets go of a connection that was idle for long.
            connection.close()
        connection = http.client.HTTPConnection(self._host, self._port, timeout=self._timeout)
        try:
            connection.connect()
        except TimeoutError:
            raise TimeoutError(f"{self._where} did not let us in within {self._timeout:g} s") from None
        except socket.gaierror:
            raise CannotConnect(f"there is no host '{self._host}'") from None
        except (OSError, UnicodeError) as error:
            said = getattr(error, "strerror", None) or str(error)
            raise CannotConnect(f"cannot connect to {self._where}: {said.lower()}") from None
        return connection

    def _send(
        self,
        connection: http.client.HTTPConnection,
        raw: socket.socket,
        method: str,
        path: str,
        headers: dict[str, str],
        body: Iterable[bytes],
        length: int,
        patience: float,
        cancel: Cancel | None,
    ) -> bool:
        """Send the request; False if the server answered, or left, before it had all of it."""
        connection.putrequest(method, path, skip_accept_encoding=True)
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders()
        sent = 0
        both = selectors.EVENT_READ | selectors.EVENT_WRITE
        for chunk in body:
            left = memoryview(chunk)
            while left:
                if _wait(raw, both, time.monotonic() + patience, cancel) & selectors.EVENT_READ:
                    return False
                try:
                    count = raw.send(left)
                except ConnectionError:
                    # It stopped listening; why that is may have been said before.
                    return False
                left, sent = left[count:], sent + count
        assert sent == length, f"announced {length} bytes and sent {sent}"
        return True

    def _release(self, connection: http.client.HTTPConnection, keep: bool) -> None:
        with self._lock:
            if keep and not self._closed and len(self._idle) < _KEPT:
                self._idle.append(connection)
                return
        raw = connection.sock
        if raw is not None:
            with suppress(OSError):  # it was gone already
                raw.shutdown(socket.SHUT_RDWR)
        connection.close()


def _readable(connection: socket.socket) -> bool:
    """Whether there is something to read while nothing was asked: that can only be the end."""
    with selectors.DefaultSelector() as selector:
        selector.register(connection, selectors.EVENT_READ)
        return bool(selector.select(0))


def _wait(connection: socket.socket, events: int, deadline: float, cancel: Cancel | None) -> int:
    """Wait until one of the events; which of them. TimeoutError at the deadline, Abandoned if cancelled."""
    with selectors.DefaultSelector() as selector:
        selector.register(connection, events)
        while True:
            if cancel is not None and cancel.is_set():
                raise Abandoned
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            for _, seen in selector.select(left if cancel is None else min(left, _LOOK)):
                return seen
