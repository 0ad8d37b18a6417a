"""Peers that talk to a GIP server by each transport, made of nothing of ours but the servers."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any

from websockets.sync.client import connect

from deskhand.protocols.gip.server import GipServer
from deskhand.transports.http import HttpServer
from deskhand.transports.socket import SocketServer

Say = Callable[[bytes], Any]
"""Sends a message and gives the reply; None if there is none."""

_PROBE = b'{"jsonrpc":"2.0","method":"ping","id":"probe"}'


@contextmanager
def no_transport(gip: GipServer, folder: Path) -> Iterator[Say]:
    conversation = gip.conversation("memory", "memory:", "test")

    def say(message: bytes) -> Any:
        reply = conversation.handle(message, Event())
        return None if reply is None else json.loads(reply)

    yield say


@contextmanager
def unix_socket(gip: GipServer, folder: Path, form: str) -> Iterator[Say]:
    with SocketServer(folder / "my_app", gip.conversation) as server, socket.socket(socket.AF_UNIX) as peer:
        peer.settimeout(10)
        peer.connect(str(server.path))
        stream = peer.makefile("rb")

        def send(message: bytes) -> None:
            if form == "length":
                message = len(message).to_bytes(4, "big") + message
            peer.sendall(message + b"\n" if form == "lines" else message)

        def receive() -> Any:
            if form == "length":
                return json.loads(stream.read(int.from_bytes(stream.read(4), "big")))
            line = stream.readline()
            assert line.endswith(b"\n")
            return json.loads(line)

        with stream:
            yield _stream(send, receive)


@contextmanager
def websocket(gip: GipServer, folder: Path) -> Iterator[Say]:
    with (
        HttpServer("ws://127.0.0.1:0/my_app", gip.conversation) as server,
        connect(server.url, max_size=None) as peer,
    ):
        yield _stream(lambda message: peer.send(message, text=True), lambda: json.loads(peer.recv(10)))


@contextmanager
def http_post(gip: GipServer, folder: Path) -> Iterator[Say]:
    with HttpServer("http://127.0.0.1:0/my_app", gip.conversation) as server:
        host = server.url.split("/")[2]

        def say(message: bytes) -> Any:
            peer = http.client.HTTPConnection(host, timeout=10)
            try:
                peer.request("POST", "/my_app", message, {"Content-Type": "application/json"})
                reply = peer.getresponse()
                body = reply.read()
                assert reply.status in (200, 204)
                assert (reply.status == 204) == (body == b"")
                return json.loads(body) if body else None
            finally:
                peer.close()

        yield say


def _stream(send: Callable[[bytes], None], receive: Callable[[], Any]) -> Say:
    """Where nothing signals that there is no reply, one more request shows it by being answered first."""

    def say(message: bytes) -> Any:
        send(message)
        send(_PROBE)
        reply = receive()
        if reply["id"] == "probe":
            return None
        assert receive()["id"] == "probe"
        return reply

    return say


TRANSPORTS: dict[str, Callable[[GipServer, Path], Any]] = {
    "no transport": no_transport,
    "unix lines": lambda gip, folder: unix_socket(gip, folder, "lines"),
    "unix without newlines": lambda gip, folder: unix_socket(gip, folder, "bare"),
    "unix lengths": lambda gip, folder: unix_socket(gip, folder, "length"),
    "websocket": websocket,
    "http": http_post,
}
