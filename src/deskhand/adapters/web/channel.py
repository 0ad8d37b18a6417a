"""The bytes of the DevTools protocol: a WebSocket, or a pair of pipes whose messages end with a zero byte.

No meaning of a message is known here. Written with the standard library alone, because an in-app agent may
read the pages of its own app.
"""

from __future__ import annotations

import base64
import hashlib
import http.client
import json
import os
import socket
import struct
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Protocol
from urllib.parse import urlsplit

from ...model.errors import ConnectFailed

_CONNECTS = 5.0
_LONGEST = 1 << 30
_MAGIC = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_TEXT, _BINARY, _CLOSE, _PING, _PONG = 1, 2, 8, 9, 10
_CHUNK = 1 << 18

Check = Callable[[socket.socket], None]
"""Raises an error if what answers at the other end may not be used."""


class Channel(Protocol):
    """A connection that carries whole messages. One thread receives, any thread sends."""

    def send(self, message: bytes) -> None:
        """Send a message; OSError if the connection is gone."""

    def receive(self) -> bytes:
        """The next message; EOFError or OSError at the end."""

    def close(self) -> None:
        """End it; a thread that receives gets an error."""


class Pipe:
    """A stream on which each message ends with a zero byte, as `--remote-debugging-pipe` has it."""

    def __init__(self, stream: socket.socket) -> None:
        self._stream = stream
        self._lock = threading.Lock()
        self._held = bytearray()
        self._searched = 0

    def send(self, message: bytes) -> None:
        with self._lock:
            self._stream.sendall(message + b"\0")

    def receive(self) -> bytes:
        while (end := self._held.find(b"\0", self._searched)) < 0:
            self._searched = len(self._held)
            received = self._stream.recv(_CHUNK)
            if not received:
                raise EOFError
            self._held += received
        message = bytes(self._held[:end])
        del self._held[: end + 1]
        self._searched = 0
        return message

    def close(self) -> None:
        _close(self._stream)


class WebSocket:
    """The client's side of a WebSocket, without extensions."""

    def __init__(self, url: str, check: Check | None = None, timeout: float = _CONNECTS) -> None:
        parts = urlsplit(url)
        if parts.scheme != "ws" or parts.hostname is None:
            raise ConnectFailed(f"'{url}' is not a ws:// address", target=url)
        host, port = parts.hostname, parts.port or 80
        self._lock = threading.Lock()
        self._held = bytearray()
        try:
            self._stream = socket.create_connection((host, port), timeout=timeout)
        except OSError as error:
            raise ConnectFailed(f"cannot connect to {url}: {error.strerror or error}", target=url) from None
        try:
            self._stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._shake_hands(url, f"{host}:{port}", parts.path or "/")
            if check is not None:
                check(self._stream)
        except OSError as error:
            self._stream.close()
            raise ConnectFailed(f"{url} did not answer: {error.strerror or error}", target=url) from None
        except BaseException:
            self._stream.close()
            raise
        self._stream.settimeout(None)

    def _shake_hands(self, url: str, host: str, path: str) -> None:
        key = base64.b64encode(os.urandom(16))
        lines = (
            f"GET {path} HTTP/1.1",
            f"Host: {host}",
            "Upgrade: websocket",
            "Connection: Upgrade",
            f"Sec-WebSocket-Key: {key.decode()}",
            "Sec-WebSocket-Version: 13",
        )
        self._stream.sendall("\r\n".join((*lines, "", "")).encode())
        while (end := self._held.find(b"\r\n\r\n")) < 0:
            received = self._stream.recv(_CHUNK)
            if not received or len(self._held) > _CHUNK:
                raise ConnectFailed(f"{url} ended the connection instead of opening a WebSocket", target=url)
            self._held += received
        head = bytes(self._held[:end])
        del self._held[: end + 4]
        status, *fields = head.split(b"\r\n")
        wanted = base64.b64encode(hashlib.sha1(key + _MAGIC, usedforsecurity=False).digest())
        accepted = any(
            name.strip().lower() == b"sec-websocket-accept" and value.strip() == wanted
            for name, _, value in (field.partition(b":") for field in fields)
        )
        if status.split(b" ")[1:2] != [b"101"] or not accepted:
            said = status.decode("latin-1")[:200]
            raise ConnectFailed(
                f"{url} refused the WebSocket: {said}",
                target=url,
                suggestions=("see whether the address is that of a browser that is still running",),
            )

    def send(self, message: bytes) -> None:
        self._send(_TEXT, message)

    def receive(self) -> bytes:
        whole = bytearray()
        while True:
            final, kind, payload = self._frame()
            if kind == _PING:
                self._send(_PONG, bytes(payload))
            elif kind == _CLOSE:
                with suppress(OSError):
                    self._send(_CLOSE, bytes(payload[:2]))
                raise EOFError
            elif kind != _PONG:
                whole += payload
                if len(whole) > _LONGEST:
                    raise EOFError
                if final:
                    return bytes(whole)

    def close(self) -> None:
        with suppress(OSError):
            self._send(_CLOSE, struct.pack("!H", 1000))
        _close(self._stream)

    def _send(self, kind: int, payload: bytes) -> None:
        size = len(payload)
        length = (
            struct.pack("!B", 0x80 | size)
            if size < 126
            else struct.pack("!BH", 0xFE, size)
            if size < 1 << 16
            else struct.pack("!BQ", 0xFF, size)
        )
        mask = os.urandom(4)
        whole = int.from_bytes(payload, "big") ^ int.from_bytes((mask * (size // 4 + 1))[:size], "big")
        with self._lock:
            self._stream.sendall(bytes((0x80 | kind,)) + length + mask + whole.to_bytes(size, "big"))

    def _frame(self) -> tuple[bool, int, bytes]:
        first, second = self._take(2)
        size = second & 0x7F
        if size == 126:
            size = int.from_bytes(self._take(2), "big")
        elif size == 127:
            size = int.from_bytes(self._take(8), "big")
        if size > _LONGEST or second & 0x80:
            raise EOFError
        return bool(first & 0x80), first & 0x0F, self._take(size)

    def _take(self, size: int) -> bytes:
        while len(self._held) < size:
            received = self._stream.recv(max(_CHUNK, size - len(self._held)))
            if not received:
                raise EOFError
            self._held += received
        taken = bytes(self._held[:size])
        del self._held[:size]
        return taken


def _close(stream: socket.socket) -> None:
    # Closing alone would not wake a thread that receives.
    with suppress(OSError):
        stream.shutdown(socket.SHUT_RDWR)
    stream.close()


def ask_version(address: str, timeout: float) -> dict[str, Any] | None:
    """What the browser at `HOST:PORT` says of itself; None if something else answers there.

    ConnectFailed if nothing does.
    """
    connection = http.client.HTTPConnection(address, timeout=timeout)
    try:
        connection.connect()
    except OSError as error:
        raise ConnectFailed(
            f"cannot connect to {address}: {error.strerror or error}", target=address
        ) from None
    try:
        connection.request("GET", "/json/version")
        answer = connection.getresponse()
        found = json.loads(answer.read(1 << 16)) if answer.status == 200 else None
    except (OSError, http.client.HTTPException, ValueError):
        return None  # whatever listens there, it is not a browser
    finally:
        connection.close()
    return found if isinstance(found, dict) and "webSocketDebuggerUrl" in found else None
