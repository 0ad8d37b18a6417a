"""Whatever answers at an address of the Orca protocol, the client says what is wrong, and in time."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from deskhand import connect
from deskhand.model.errors import ActionFailed, AppGone, ConnectFailed, InvalidRequest, UiBusy

VERSION = {"version": "1.0.0", "protocol": "2.0", "capabilities": ["tree.dump"]}


def answer(body: bytes, status: str = "200 OK", *headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", "Connection: close", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


class Server:
    """Answers each request with the next of some bytes, or hangs up, or falls silent."""

    def __init__(self, *answers: bytes | None) -> None:
        self.answers = list(answers)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.ending = threading.Event()
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def serve(self) -> None:
        while True:
            try:
                peer, _ = self.listener.accept()
            except OSError:
                return
            with peer:
                request = b""
                while b"\r\n\r\n" not in request or not request.endswith(b"}"):
                    piece = peer.recv(65536)
                    if not piece:
                        break
                    request += piece
                if b"/events" in request or not request:
                    continue
                number = json.loads(request.partition(b"\r\n\r\n")[2])["id"]
                reply = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
                if reply is None:
                    self.ending.wait(10)
                else:
                    peer.sendall(reply.replace(b"NUMBER", str(number).encode()))

    def close(self) -> None:
        self.ending.set()
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.thread.join(5)


@contextmanager
def serving(*answers: bytes | None) -> Iterator[str]:
    server = Server(*answers)
    try:
        yield f"orca://127.0.0.1:{server.port}"
    finally:
        server.close()


def result(value: object) -> bytes:
    body = (
        json.dumps({"jsonrpc": "2.0", "id": "NUMBER", "result": value}).replace('"NUMBER"', "NUMBER").encode()
    )
    # As long as the number will be is not known; without a length the body ends with the connection.
    return b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + body


@pytest.mark.parametrize(
    "reply",
    [
        b"", b"SSH-2.0-OpenSSH_9.2\r\n", b"HTTP/1.1\r\n\r\n", b"HTTP/1.1 abc OK\r\n\r\n",
        answer(b"<html>hello</html>"), answer(b"[]"), answer(b"5"), answer(b"{}"), answer(b"\xff"),
        answer(b"not found", "404 Not Found"), answer(b"", "500 Oops"), answer(b"", "204 No Content"),
        answer(b"", "302 Found", "Location: http://example.invalid/"),
        answer(b'{"jsonrpc":"2.0","id":-1,"result":{}}'),
        answer(b'{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}'),
        answer(b'{"jsonrpc":"2.0","id":1,"error":"no"}'), answer(b"[" * 100_000),
        b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        result({"version": "1.0.0", "capabilities": "all"}), result(None), result({}),
    ],
    ids=range(22),
)  # fmt: skip
def test_another_kind_of_server_cannot_be_connected_to(reply: bytes) -> None:
    began = time.monotonic()
    with serving(reply) as address, pytest.raises(ConnectFailed):
        connect(address, timeout=3)
    assert time.monotonic() - began < 3


def test_a_peer_that_does_not_answer_costs_the_timeout() -> None:
    began = time.monotonic()
    with serving(None) as address:
        with pytest.raises(ConnectFailed):
            connect(address, timeout=0.2)
        assert time.monotonic() - began < 4


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (answer(b"<html>"), InvalidRequest), (answer(b"", "500 Oops"), InvalidRequest),
        (result(None), ActionFailed), (result([1, 2]), ActionFailed), (result("x" * 10_000), ActionFailed),
        (b"", AppGone), (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}", AppGone),
        (answer(b'{"jsonrpc":"2.0","id":-1,"result":{}}'), InvalidRequest),
        (answer(b'{"jsonrpc":"2.0","id":1,"error":{"code":1004,"message":"hangs"}}'), UiBusy),
        (answer(b'{"jsonrpc":"2.0","id":1,"error":{"code":"x"}}'), ActionFailed),
    ],
    ids=range(10),
)  # fmt: skip
def test_an_invalid_answer_is_reported(reply: bytes, kind: type[Exception]) -> None:
    with serving(result(VERSION), reply) as address, connect(address, timeout=3) as app, pytest.raises(kind):
        app.tree()
