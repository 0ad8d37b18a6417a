"""Messages are pushed over a WebSocket to allowed listeners, and a slow one does not delay others."""

from __future__ import annotations

import base64
import json
import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

import pytest

from deskhand.transports.events import EventSocket
from deskhand.transports.interface import CannotConnect, ChannelClosed, NotAllowed
from deskhand.transports.oneshot import OneShotServer
from deskhand.transports.web import WebSocketChannel


class Feed:
    def __init__(self, wanted: str, wake: Callable[[], None]) -> None:
        self.wanted = wanted
        self.ended: str | None = None
        self.wake = wake
        self.messages: list[str] = []

    def put(self, message: str) -> None:
        self.messages.append(message)
        self.wake()

    def end(self, reason: str) -> None:
        self.ended = reason
        self.wake()

    def take(self) -> list[str]:
        taken, self.messages = self.messages, []
        return taken


class Source:
    def __init__(self) -> None:
        self.feeds: list[Feed] = []
        self.changed = threading.Condition()

    def join(self, wanted: str, wake: Callable[[], None]) -> Feed | str:
        if wanted == "nothing":
            return "there is no nothing"
        with self.changed:
            self.feeds.append(Feed(wanted, wake))
            self.changed.notify_all()
            return self.feeds[-1]

    def leave(self, feed: Feed) -> None:
        with self.changed:
            self.feeds.remove(feed)
            self.changed.notify_all()

    def until(self, count: int) -> None:
        with self.changed:
            assert self.changed.wait_for(lambda: len(self.feeds) == count, 10)


class Silent:
    def handle(self, message: bytes, cancel: object) -> bytes:
        return message

    def refuse(self, reason: str) -> bytes:
        return reason.encode()

    def end(self, message: bytes) -> bytes:
        return message

    def close(self) -> None:
        pass


@contextmanager
def serving(source: Source, token: str | None = None, stalled: float = 30) -> Iterator[str]:
    sockets = {"/events": EventSocket(source, stalled=stalled)}
    with OneShotServer(
        "127.0.0.1",
        0,
        "/jsonrpc",
        lambda *_: Silent(),
        health="here",
        server="x",
        token=token,
        sockets=sockets,
    ) as server:
        yield server.url.replace("http://", "ws://").replace("/jsonrpc", "/events")


@pytest.fixture
def source() -> Source:
    return Source()


@pytest.fixture
def url(source: Source) -> Iterator[str]:
    with serving(source) as url:
        yield url


def test_each_message_is_a_frame_and_the_end_has_its_reason(source: Source, url: str) -> None:
    with closing(WebSocketChannel(f"{url}?only=log", 5)) as channel:
        source.until(1)
        (feed,) = source.feeds
        assert feed.wanted == "log"
        for number in range(3):
            feed.put(json.dumps(number))
        assert [channel.receive(5) for _ in range(3)] == [b"0", b"1", b"2"]
        feed.put('"last"')
        feed.end("the program is gone")
        assert channel.receive(5) == b'"last"'
        with pytest.raises(ChannelClosed, match="the program is gone"):
            channel.receive(5)


def test_a_client_that_disconnects_is_forgotten(source: Source, url: str) -> None:
    with closing(WebSocketChannel(url, 5)):
        source.until(1)
    source.until(0)


def test_what_a_listener_sends_is_not_minded(source: Source, url: str) -> None:
    with closing(WebSocketChannel(url, 5)) as channel:
        channel.exchange(b"hello", reply=False)
        source.until(1)
        source.feeds[0].put("1")
        assert channel.receive(5) == b"1"


def test_what_cannot_be_listened_to_is_refused(url: str) -> None:
    with pytest.raises(ChannelClosed, match="there is no nothing"):
        WebSocketChannel(f"{url}?only=nothing", 5)
    with pytest.raises((ChannelClosed, CannotConnect)):
        WebSocketChannel(url.replace("/events", "/other"), 5)


def test_the_token_is_asked_for_here_too(source: Source) -> None:
    with serving(source, token="secret") as url:
        with pytest.raises(NotAllowed):
            WebSocketChannel(url, 5)
        with pytest.raises(NotAllowed):
            WebSocketChannel(url, 5, "wrong")
        WebSocketChannel(url, 5, "secret").close()


def handshake(url: str, *headers: str) -> tuple[socket.socket, bytes]:
    """A connection, and the first line of the answer to a request to listen."""
    host, port = url.split("/")[2].split(":")
    peer = socket.create_connection((host, int(port)), 5)
    key = base64.b64encode(os.urandom(16)).decode()
    lines = ["GET /events HTTP/1.1", "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13"]
    lines += [f"Sec-WebSocket-Key: {key}", *headers, "", ""]
    peer.sendall("\r\n".join(lines).encode())
    return peer, peer.recv(4096).split(b"\r\n")[0]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        (["Host: 127.0.0.1:{port}"], b"101"),
        (["Host: localhost:{port}"], b"101"),
        (["Host: evil.example"], b"403"),
        (["Host: 127.0.0.1:{port}", "Origin: https://evil.example"], b"403"),
        (["Host: 127.0.0.1:{port}", "Origin: null"], b"403"),
        (["Host: 127.0.0.1:{port}", "Origin: http://127.0.0.1:{port}"], b"101"),
        (["Host: 127.0.0.1:{port}", "Sec-Fetch-Site: cross-site"], b"403"),
    ],
)
def test_a_page_of_another_site_cannot_listen(
    source: Source, url: str, headers: list[str], status: bytes
) -> None:
    port = url.split("/")[2].split(":")[1]
    peer, line = handshake(url, *(header.format(port=port) for header in headers))
    with peer:
        assert status in line
        assert status == b"101" or source.feeds == []


def test_a_client_that_does_not_read_is_disconnected_and_others_continue(source: Source) -> None:
    with serving(source, stalled=0.3) as url, closing(WebSocketChannel(url, 5)) as other:
        source.until(1)
        peer, line = handshake(url, f"Host: {url.split('/')[2]}")
        with peer:
            assert b"101" in line
            source.until(2)
            reads, stuck = source.feeds
            big = json.dumps("x" * 1_000_000)
            for _ in range(20):
                stuck.put(big)
            reads.put("1")
            assert other.receive(5) == b"1"
            source.until(1)
            assert source.feeds == [reads]
