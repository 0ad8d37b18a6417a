"""HTTP and WebSocket, the client's side: channels for threads and for asyncio."""

from __future__ import annotations

import asyncio
import http.client
import select
import socket
import time
from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from .achannel import AsyncioChannel
from .channel import BlockingChannel
from .interface import BadAddress, CannotConnect, ChannelClosed, NotAllowed

if TYPE_CHECKING:
    from websockets.asyncio.client import ClientConnection


def _headers(token: str | None) -> dict[str, str]:
    return {} if token is None else {"Authorization": f"Bearer {token}"}


def _refused(url: str, status: int, body: bytes | bytearray) -> OSError:
    said = body.decode("utf-8", "replace").strip()[:500]
    if status == 401:
        return NotAllowed(f"{url} asks for a token, or another one: {said}")
    if status == 403:
        return NotAllowed(f"{url} refuses us: {said}")
    return ChannelClosed(f"{url} answered HTTP {status}: {said}")


class HttpChannel(BlockingChannel):
    """HTTP POST, one message each, on a connection that is kept open."""

    def __init__(self, url: str, timeout: float, token: str | None = None) -> None:
        parts = urlsplit(url)
        if parts.hostname is None:
            raise BadAddress(f"'{url}' names no host")
        super().__init__(url, http.client.HTTPException)
        self._path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        self._headers = {"Content-Type": "application/json", **_headers(token)}
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        self._connection = kind(parts.hostname, parts.port, timeout=timeout)
        try:
            self._connection.connect()
        except TimeoutError:
            raise TimeoutError(f"{url} did not let us in within {timeout:g} s") from None
        except OSError as error:
            raise CannotConnect(f"cannot connect to {url}: {error.strerror or error}") from None

    def _exchange(
        self, message: bytes, reply: bool, deadline: float | None, _doubtful: float | None
    ) -> bytes:
        timeout = None if deadline is None else max(0.01, deadline - time.monotonic())
        self._connection.timeout = timeout
        if self._connection.sock is not None and _ended(self._connection.sock):
            # A server lets go of a connection that was idle for long; the next request opens a new one.
            self._connection.close()
        if self._connection.sock is not None:
            self._connection.sock.settimeout(timeout)
        self._connection.request("POST", self._path, message, self._headers)
        response = self._connection.getresponse()
        if deadline is not None and self._connection.sock is not None:
            self._connection.sock.settimeout(max(0.01, deadline - time.monotonic()))
        body = response.read()
        if response.status not in (200, 202, 204):
            # Some servers put their own failures into 500 and a JSON body, which says more than the number.
            if response.status == 500 and body.lstrip()[:1] == b"{":
                return body
            raise _refused(self.url, response.status, body)
        if reply and not body:
            raise ChannelClosed(f"{self.url} answered nothing (HTTP {response.status})")
        return body

    def _shut(self) -> None:
        connection = self._connection.sock
        if connection is not None:
            # Closing alone would not wake a thread that waits for the answer.
            with suppress(OSError):  # it was gone already
                connection.shutdown(socket.SHUT_RDWR)
        self._connection.close()


def _ended(connection: socket.socket) -> bool:
    """Whether there is something to read while nothing was asked: that can only be the end."""
    return bool(select.select([connection], [], [], 0)[0])


class WebSocketChannel(BlockingChannel):
    """A WebSocket, one message in each frame."""

    def __init__(self, url: str, timeout: float, token: str | None = None) -> None:
        from websockets.exceptions import InvalidStatus, InvalidURI, WebSocketException
        from websockets.sync.client import connect

        super().__init__(url, WebSocketException)
        try:
            # Entered and left by our own close(); newer versions warn when it is not entered at all.
            self._socket = connect(
                url,
                open_timeout=timeout,
                close_timeout=1,
                max_size=None,
                additional_headers=_headers(token),
                proxy=None,
            ).__enter__()
        except InvalidURI:
            raise BadAddress(f"'{url}' is not a WebSocket address") from None
        except InvalidStatus as error:
            raise _refused(url, error.response.status_code, error.response.body or b"") from None
        except TimeoutError:
            raise TimeoutError(f"{url} did not let us in within {timeout:g} s") from None
        except (OSError, WebSocketException) as error:
            raise CannotConnect(f"cannot connect to {url}: {error}") from None

    def _exchange(
        self, message: bytes, reply: bool, deadline: float | None, _doubtful: float | None
    ) -> bytes:
        self._socket.send(message.decode())
        if not reply:
            return b""
        answer = self._socket.recv(None if deadline is None else max(0.0, deadline - time.monotonic()))
        return answer.encode() if isinstance(answer, str) else bytes(answer)

    def receive(self, timeout: float | None = None) -> bytes:
        """The next message that the server sends by itself; TimeoutError, after which it may still come."""
        try:
            message = self._socket.recv(timeout)
        except TimeoutError:
            raise TimeoutError(f"{self.url} sent nothing for {timeout:g} s") from None
        except self._ended as error:
            self.close()
            raise ChannelClosed(f"the connection to {self.url} ended: {error}") from None
        return message.encode() if isinstance(message, str) else bytes(message)

    def _shut(self) -> None:
        self._socket.close()


class AsyncWebSocketChannel(AsyncioChannel):
    """A WebSocket for asyncio; made by `connect`."""

    def __init__(self, url: str, connection: ClientConnection) -> None:
        from websockets.exceptions import WebSocketException

        super().__init__(url, WebSocketException)
        self._socket = connection

    @classmethod
    async def connect(cls, url: str, timeout: float, token: str | None = None) -> AsyncWebSocketChannel:
        from websockets.asyncio.client import connect
        from websockets.exceptions import InvalidStatus, InvalidURI, WebSocketException

        try:
            connection = await connect(
                url,
                open_timeout=timeout,
                close_timeout=1,
                max_size=None,
                additional_headers=_headers(token),
                proxy=None,
            )
        except InvalidURI:
            raise BadAddress(f"'{url}' is not a WebSocket address") from None
        except InvalidStatus as error:
            raise _refused(url, error.response.status_code, error.response.body or b"") from None
        except (TimeoutError, asyncio.TimeoutError):
            raise TimeoutError(f"{url} did not let us in within {timeout:g} s") from None
        except (OSError, WebSocketException) as error:
            raise CannotConnect(f"cannot connect to {url}: {error}") from None
        return cls(url, connection)

    async def _exchange(self, message: bytes, reply: bool, _patience: float | None) -> bytes:
        await self._socket.send(message.decode())
        answer = await self._socket.recv() if reply else b""
        return answer.encode() if isinstance(answer, str) else bytes(answer)

    def _abort(self) -> None:
        self._socket.transport.abort()

    async def close(self) -> None:
        await self._socket.close()
