"""HTTP requests to servers of every kind: those that keep a connection, close it, cut it, or answer early."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from deskhand.transports.calls import CHUNK, Abandoned, HttpCalls
from deskhand.transports.interface import CannotConnect, ChannelClosed

Talk = Callable[[socket.socket], None]


@contextlib.contextmanager
def serving(*talks: Talk) -> Iterator[HttpCalls]:
    """A server that has one talk on each connection, in this order."""
    server = socket.create_server(("127.0.0.1", 0))

    def accept() -> None:
        for talk in talks:
            with contextlib.suppress(OSError), server.accept()[0] as peer:
                talk(peer)

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    calls = HttpCalls("127.0.0.1", server.getsockname()[1], timeout=5)
    try:
        yield calls
    finally:
        calls.close()
        server.close()
        thread.join(10)


def request(peer: socket.socket) -> bytes:
    """One request with the body that it announces."""
    data = b""
    while b"\r\n\r\n" not in data:
        data += peer.recv(65536)
    head, _, body = data.partition(b"\r\n\r\n")
    length = int(
        next(line for line in head.split(b"\r\n") if line.lower().startswith(b"content-length"))[15:]
    )
    while len(body) < length:
        body += peer.recv(65536)
    return head + b"\r\n\r\n" + body


def says(*answers: bytes) -> Talk:
    """Answers so many requests of a connection, and then closes it."""

    def talk(peer: socket.socket) -> None:
        for answer in answers:
            request(peer)
            peer.sendall(answer)

    return talk


HELLO = b"HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: 5\r\n\r\nhello"


def ask(calls: HttpCalls) -> bytes:
    return calls.call("POST", "/x", b"{}", timeout=5).body


def test_a_connection_is_used_again() -> None:
    with serving(says(HELLO, HELLO)) as calls:
        assert [ask(calls), ask(calls)] == [b"hello", b"hello"]


def test_a_connection_that_was_closed_meanwhile_is_opened_again() -> None:
    closed = threading.Event()

    def first(peer: socket.socket) -> None:
        says(HELLO)(peer)
        peer.shutdown(socket.SHUT_RDWR)
        closed.set()

    with serving(first, says(HELLO)) as calls:
        assert ask(calls) == b"hello"
        assert closed.wait(5)
        assert ask(calls) == b"hello"


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.0 200 OK\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n",
        b"HTTP/1.1 100 Continue\r\n\r\n" + HELLO,
    ],
)
def test_every_form_of_an_answer_is_read(answer: bytes) -> None:
    with serving(says(answer)) as calls:
        assert ask(calls) == b"hello"


def test_the_head_of_an_answer_is_reported() -> None:
    with serving(says(HELLO.replace(b"200 OK", b"503 No"))) as calls:
        answer = calls.call("GET", "/x", timeout=5)

    assert (answer.status, answer.kind, answer.body) == (503, "application/json", b"hello")


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhello",
        b"SSH-2.0-OpenSSH_9.2\r\n",
    ],
)
def test_an_answer_that_is_cut_off_or_none_is_not_an_answer(answer: bytes) -> None:
    with serving(says(answer)) as calls, pytest.raises(ChannelClosed):
        ask(calls)


def test_the_token_and_the_length_are_sent() -> None:
    seen: list[bytes] = []

    def talk(peer: socket.socket) -> None:
        seen.append(request(peer))
        peer.sendall(HELLO)

    with serving(talk) as calls:
        calls._headers = {"Authorization": "Bearer s3cret"}
        ask(calls)

    assert b"\r\nAuthorization: Bearer s3cret\r\n" in seen[0]
    assert b"\r\nContent-Length: 2\r\n" in seen[0]


def test_an_answer_before_the_end_of_the_body_is_heard_and_the_rest_not_sent() -> None:
    done = threading.Event()

    def talk(peer: socket.socket) -> None:
        peer.recv(1000)
        peer.sendall(HELLO.replace(b"200 OK", b"413 Long"))
        done.wait(10)

    endless = iter(lambda: bytes(CHUNK), None)
    with serving(talk) as calls:
        with calls.exchange("POST", "/x", endless, 10**12, patience=5) as incoming:
            assert (incoming.status, incoming.body()) == (413, b"hello")
        done.set()


def test_silence_costs_the_timeout() -> None:
    done = threading.Event()
    with serving(lambda _: done.wait(10)) as calls:  # type: ignore[arg-type,return-value]  # nothing is said
        began = time.monotonic()
        with pytest.raises(TimeoutError, match="did not answer within"):
            calls.call("GET", "/x", timeout=0.3)
        done.set()

    assert time.monotonic() - began < 5


def test_an_answer_that_drips_costs_the_timeout_too() -> None:
    stop = threading.Event()

    def drip(peer: socket.socket) -> None:
        request(peer)
        peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
        while not stop.wait(0.05):
            peer.sendall(b".")

    with serving(drip) as calls:
        began = time.monotonic()
        with pytest.raises(TimeoutError):
            calls.call("GET", "/x", timeout=0.5)
        stop.set()

    assert time.monotonic() - began < 5


def test_a_caller_that_goes_away_waits_no_longer() -> None:
    done, cancel = threading.Event(), threading.Event()
    with serving(lambda _: done.wait(10)) as calls:  # type: ignore[arg-type,return-value]  # nothing is said
        threading.Timer(0.2, cancel.set).start()
        with pytest.raises(Abandoned):
            calls.call("GET", "/x", timeout=60, cancel=cancel)
        done.set()


def test_a_port_without_a_server_is_reported() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        calls = HttpCalls("127.0.0.1", taken.getsockname()[1])
        with pytest.raises(CannotConnect, match="connection refused"):
            ask(calls)


@pytest.mark.parametrize("host", ["x" * 70, "a..b"])
def test_a_host_that_cannot_exist_is_reported(host: str) -> None:
    with pytest.raises(CannotConnect):
        ask(HttpCalls(host, 80))
