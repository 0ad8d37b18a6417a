"""HTTP requests of any path, by raw connections: what is let in, and how bodies come and go."""

from __future__ import annotations

import http.client
import json
import logging
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from deskhand.transports import http11
from deskhand.transports.interface import AddressInUse, BadAddress
from deskhand.transports.request_guard import _own_names
from deskhand.transports.rest import MAX_CALLS, RestServer

LARGE = 4 * 1024 * 1024


class Reply(NamedTuple):
    status: int
    body: Any
    kind: str = "text/plain"
    length: int | None = None
    file: Any = None
    after: Any = None
    allow: str | None = None


class Site:
    """Answers by paths: /echo what was sent, /slow when it is released or its caller is gone."""

    def __init__(self):
        self.release = threading.Event()
        self.entered = threading.Semaphore(0)
        self.cancelled = threading.Event()
        self.ended = threading.Event()
        self.seen = []
        self.unwanted = False

    def __call__(self, request, cancel):
        self.seen.append((request.method, request.path, dict(request.query), request.peer))
        match request.path:
            case "/slow":
                self.entered.release()
                while not self.release.is_set() and not cancel.is_set():
                    time.sleep(0.005)
                if cancel.is_set():
                    self.cancelled.set()
                return Reply(200, b"slow")
            case "/pieces":
                return Reply(200, iter([b"one,", b"two,", b"three"]))
            case "/endless":
                return Reply(200, self._endless())
            case "/file":
                return Reply(200, iter([b"never"]), length=5, file=self._file())
            case "/after":
                return Reply(200, b"soon", after=self.ended.set)
        if self.unwanted:
            return Reply(200, b"no")
        try:
            body = b"".join(request.chunks())
        except EOFError as error:
            self.ended.set()
            return Reply(400, f"truncated: {error}".encode())
        return Reply(200, body)

    def _endless(self):
        try:
            while True:
                yield b"x" * 65536
        finally:
            self.ended.set()

    def _file(self):
        import tempfile

        file = tempfile.TemporaryFile()  # noqa: SIM115 - the server closes it
        file.write(b"12345678")
        file.flush()
        return file


@pytest.fixture
def site():
    site = Site()
    yield site
    site.release.set()


@contextmanager
def serving(site, host="127.0.0.1", **options):
    # Not about users: of a peer that leaves at once, as some here do, the user cannot be found out.
    with RestServer(host, 0, site, streamed=("/stream",), other_users=True, **options) as server:
        server.port = int(server.url.rpartition(":")[2])
        yield server


@pytest.fixture
def server(site):
    with serving(site) as server:
        yield server


def ask(server, path="/echo", body=b"", headers=None, method="POST"):
    peer = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
    try:
        peer.request(method, path, body, headers or {})
        reply = peer.getresponse()
        return reply.status, reply.read()
    finally:
        peer.close()


@contextmanager
def connected(server, text: bytes = b""):
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as peer:
        peer.sendall(text)
        yield peer


def everything(peer) -> bytes:
    text = b""
    while part := peer.recv(65536):
        text += part
    return text


def head(path: str, *lines: str, host="127.0.0.1") -> bytes:
    return "\r\n".join((f"POST {path} HTTP/1.1", f"Host: {host}", *lines, "", "")).encode()


# -- bodies -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/echo", "/stream"])
@pytest.mark.parametrize("size", [0, 10, 100_000, LARGE])
def test_a_body_of_any_size_comes_in_whole(server, path, size):
    body = bytes(range(256)) * (size // 256) + b"x" * (size % 256)
    assert ask(server, path, body) == (200, body)


def test_a_connection_that_brought_a_large_body_ends_with_its_answer(server):
    text = head("/stream", f"Content-Length: {LARGE}") + b"y" * LARGE
    with connected(server, text) as peer:
        answer = everything(peer)
    assert b"connection: close" in answer[:500].lower()
    assert answer.endswith(b"y" * LARGE)


@pytest.mark.parametrize("path", ["/echo", "/stream"])
def test_a_chunked_body_is_put_together(server, path):
    text = head(path, "Transfer-Encoding: chunked") + b"5\r\nhello\r\n7;x=y\r\n, world\r\n0\r\n\r\n"
    with connected(server, text) as peer:
        assert http_reply(peer) == (200, b"hello, world")


def test_a_request_with_chunks_and_a_length_is_refused(server):
    lines = ("Transfer-Encoding: chunked", f"Content-Length: {LARGE}")
    with connected(server, head("/stream", *lines) + b"5\r\nhel") as peer:
        peer.sendall(b"lo\r\n0\r\n\r\n")
        assert http_reply(peer)[0] == 400


def test_a_large_refused_body_leaves_nothing_open(site):
    site.unwanted = True
    with serving(site) as server:
        before = open_files()
        for _ in range(5):
            with connected(server, head("/stream", f"Content-Length: {LARGE}") + b"x" * 100_000) as peer:
                assert http_reply(peer) == (200, b"no")
        deadline = time.monotonic() + 10
        while open_files() > before and time.monotonic() < deadline:
            time.sleep(0.01)
        assert open_files() <= before


def test_a_client_that_sends_too_much_still_gets_the_answer(server, site):
    site.unwanted = True
    assert ask(server, "/stream", b"x" * (8 * LARGE)) == (200, b"no")
    assert ask(server, "/echo", b"x" * (5 * LARGE))[0] == 413


def test_a_client_that_announces_too_much_is_refused_and_disconnected(server):
    lines = (f"Content-Length: {5 * LARGE}", "Expect: 100-continue")
    with connected(server, head("/echo", *lines)) as peer:
        assert everything(peer).startswith(b"HTTP/1.1 413 ")


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_a_large_chunked_body_is_put_together(server):
    def pieces():
        for number in range(64):
            yield bytes([number]) * 65536

    peer = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    peer.request("POST", "/stream", pieces(), encode_chunked=True)
    reply = peer.getresponse().read()
    peer.close()
    assert reply == b"".join(bytes([number]) * 65536 for number in range(64))


def http_reply(peer):
    reply = http.client.HTTPResponse(peer, method="POST")
    reply.begin()
    return reply.status, reply.read()


@pytest.mark.parametrize("path", ["/echo", "/stream"])
@pytest.mark.parametrize("told", [100, LARGE])
def test_a_body_that_ends_too_early_is_answered_with_that(server, path, told):
    with connected(server, head(path, f"Content-Length: {told}") + b"only this") as peer:
        peer.shutdown(socket.SHUT_WR)
        assert http_reply(peer) == (400, b"truncated: the body ended too early")
        assert peer.recv(1) == b""


@pytest.mark.parametrize("path", ["/echo", "/stream"])
def test_a_chunked_body_without_its_end_is_answered_with_that(server, path):
    with connected(server, head(path, "Transfer-Encoding: chunked") + b"5\r\nhello\r\n") as peer:
        peer.shutdown(socket.SHUT_WR)
        assert http_reply(peer) == (400, b"truncated: the body ended too early")


@pytest.mark.parametrize("told", [100, LARGE])
def test_a_client_that_vanishes_in_the_middle_of_a_body_ends_its_reading(server, site, told):
    with connected(server, head("/stream", f"Content-Length: {told}") + b"only this"):
        pass
    assert site.ended.wait(10)


def test_a_body_that_is_too_long_is_refused_unless_its_path_streams(server):
    with connected(server, head("/echo", f"Content-Length: {1 << 40}")) as peer:
        assert peer.recv(1000).startswith(b"HTTP/1.1 413 ")


def test_a_client_that_expects_100_continue_gets_it(server):
    with connected(server, head("/stream", f"Content-Length: {LARGE}", "Expect: 100-continue")) as peer:
        assert peer.recv(1000).startswith(b"HTTP/1.1 100 ")
        peer.sendall(b"y" * LARGE)
        assert http_reply(peer) == (200, b"y" * LARGE)


def test_an_answer_comes_in_pieces(server):
    assert ask(server, "/pieces") == (200, b"one,two,three")


def test_a_file_is_sent_up_to_the_announced_length(server):
    peer = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
    for _ in range(2):  # and the connection can be used again
        peer.request("POST", "/file")
        reply = peer.getresponse()
        assert (reply.getheader("content-length"), reply.read()) == ("5", b"12345")
    peer.close()


def test_an_answer_that_is_not_read_any_more_is_given_up(server, site):
    with connected(server, head("/endless", "Content-Length: 0")) as peer:
        assert peer.recv(1000)
    assert site.ended.wait(10)


def test_what_is_to_be_done_after_an_answer_is_done_after_it(server, site):
    assert ask(server, "/after") == (200, b"soon")
    assert site.ended.wait(10)


# -- connections ------------------------------------------------------------------------------------


def test_a_connection_serves_one_request_after_the_other(server):
    peer = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
    for number in range(5):
        peer.request("POST", "/echo", str(number))
        assert peer.getresponse().read() == str(number).encode()
        assert peer.sock is not None
    peer.close()


def test_requests_that_come_at_once_are_answered_in_their_order(server):
    text = b"".join(head("/echo", "Content-Length: 1") + str(number).encode() for number in range(5))
    with connected(server, text + head("/echo", "Content-Length: 1", "Connection: close") + b"5") as peer:
        answers = everything(peer).split(b"HTTP/1.1 200 OK")[1:]
    assert [answer.partition(b"\r\n\r\n")[2] for answer in answers] == [b"0", b"1", b"2", b"3", b"4", b"5"]


@pytest.mark.parametrize("path", ["/echo", "/stream"])
def test_a_client_that_closed_only_its_own_side_still_gets_its_answers(server, path, monkeypatch):
    monkeypatch.setattr(http11, "_FAREWELL", 10)
    with connected(server, b"".join(head(path, "Content-Length: 1") + one for one in (b"1", b"2"))) as peer:
        peer.shutdown(socket.SHUT_WR)
        answers = everything(peer).split(b"HTTP/1.1 200 OK")[1:]
    assert [answer.partition(b"\r\n\r\n")[2] for answer in answers] == [b"1", b"2"]


def test_the_connection_ends_where_that_is_asked_for(server):
    with connected(server, head("/echo", "Connection: close", "Content-Length: 0")) as peer:
        assert b"connection: close" in everything(peer).lower()


def test_fifty_clients_are_answered_at_once(server):
    with ThreadPoolExecutor(50) as pool:
        replies = list(pool.map(lambda number: ask(server, "/echo", str(number)), range(50)))
    assert replies == [(200, str(number).encode()) for number in range(50)]


def test_a_call_that_takes_long_does_not_delay_others(server, site):
    with ThreadPoolExecutor(8) as pool:
        slow = [pool.submit(ask, server, "/slow") for _ in range(8)]
        for _ in slow:
            assert site.entered.acquire(timeout=10)
        assert ask(server, "/echo", b"quick") == (200, b"quick")
        site.release.set()
        assert [one.result(10) for one in slow] == [(200, b"slow")] * 8


def test_a_request_is_cancelled_when_its_caller_goes_away(server, site):
    with connected(server, head("/slow", "Content-Length: 0")):
        assert site.entered.acquire(timeout=10)
    assert site.cancelled.wait(10)


def test_closing_cancels_what_runs_and_frees_the_port(site):
    with serving(site) as server:
        peer = socket.create_connection(("127.0.0.1", server.port), timeout=10)
        peer.sendall(head("/slow", "Content-Length: 0"))
        assert site.entered.acquire(timeout=10)
    assert site.cancelled.wait(10)
    peer.close()
    with RestServer("127.0.0.1", server.port, site):
        pass


def test_too_many_at_once_get_an_error(server, site, monkeypatch):
    monkeypatch.setattr("deskhand.transports.rest.MAX_CALLS", 1)
    assert MAX_CALLS > 100
    with connected(server, head("/slow", "Content-Length: 0")):
        assert site.entered.acquire(timeout=10)
        assert ask(server)[0] == 503


@pytest.mark.parametrize(
    "text",
    [b"nonsense\r\n\r\n", b"POST / HTTP/1.1\r\n\r\n", b"POST /x HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"],
)
def test_what_is_not_a_request_is_refused(server, text):
    with connected(server, text) as peer:
        assert peer.recv(1000).split(b" ")[1] in (b"400", b"403")


# -- addresses --------------------------------------------------------------------------------------


def test_a_port_that_is_taken_is_named(server, site):
    with pytest.raises(AddressInUse, match=str(server.port)):
        RestServer("127.0.0.1", server.port, site)


def test_what_is_not_an_address_is_refused(site):
    with pytest.raises(BadAddress):
        RestServer("nowhere.invalid", 0, site)


@pytest.mark.parametrize(("token", "warn"), [(None, True), ("s3cret", True), (None, False)])
def test_being_open_to_other_machines_is_warned_of_unless_that_was_done(site, caplog, token, warn):
    with caplog.at_level(logging.WARNING, "deskhand"), serving(site, "0.0.0.0", token=token, warn=warn):
        assert ("can be reached from other machines" in caplog.text) == (token is None and warn)


# -- who is let in ----------------------------------------------------------------------------------


def status(server, *lines: str, host: str, path="/echo") -> int:
    with connected(server, head(path, *lines, "Content-Length: 0", "Connection: close", host=host)) as peer:
        return int(everything(peer).split(b" ")[1])


@pytest.mark.parametrize("path", ["/echo", "/stream", "/anything"])
@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "127.0.0.1@evil.example", ""]
)
def test_a_page_that_calls_us_by_its_own_name_is_refused(server, site, host, path):
    assert status(server, host=host, path=path) == 403
    assert site.seen == []


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "LOCALHOST:99", "[::1]"])
def test_this_machine_has_some_names(server, host):
    assert status(server, host=host) == 200


def test_for_this_machine_only_another_address_is_not_a_name_of_it(server):
    assert status(server, host="192.168.1.7") == 403


@pytest.mark.parametrize(
    ("host", "wanted"),
    [
        ("192.168.64.7:8648", 200),
        ("[fe80::1]", 200),
        ("127.0.0.1", 200),
        ("localhost", 200),
        ("agent-vm", 200),
        ("evil.example", 403),
        ("192.168.64.7.evil.example", 403),
        ("0x7f.1", 403),
        ("another-machine", 403),
    ],
)
def test_open_to_other_machines_any_address_is_a_name_and_no_name_of_others(site, host, wanted):
    with serving(site, "0.0.0.0", warn=False, hosts=("agent-vm",)) as server:
        assert status(server, host=host) == wanted


def test_a_machine_is_called_by_its_name_short_whole_and_local():
    assert _own_names("Build-7.lab.example.") == {"build-7.lab.example", "build-7", "build-7.local"}
    with_name = {"build-7", "build-7.local"}
    assert _own_names("build-7") == with_name


@pytest.mark.parametrize("bound", ["127.0.0.1", "0.0.0.0"])
@pytest.mark.parametrize(
    "lines",
    [
        ("Origin: http://evil.example",),
        ("Origin: null",),
        ("Origin: http://127.0.0.1:1",),
        ("Origin: https://127.0.0.1",),
        ("Origin: file://",),
        ("Sec-Fetch-Site: cross-site",),
        ("Sec-Fetch-Site: same-site",),
        ("Origin: http://evil.example", "Content-Type: text/plain"),
    ],
)
def test_a_page_of_another_site_is_refused(site, lines, bound):
    with serving(site, bound, warn=False) as server:
        assert status(server, *lines, host=f"127.0.0.1:{server.port}") == 403
        assert site.seen == []


@pytest.mark.parametrize(
    "kind", ["text/plain", "text/plain;charset=UTF-8", "multipart/form-data; boundary=x"]
)
def test_what_pages_send_without_asking_is_not_a_request(server, site, kind):
    assert ask(server, headers={"Content-Type": kind})[0] == 415
    assert site.seen == []


@pytest.mark.parametrize(
    "kind", ["application/json", "application/octet-stream", "application/x-www-form-urlencoded"]
)
def test_what_clients_send_is_taken(server, kind):
    assert ask(server, headers={"Content-Type": kind})[0] == 200


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({}, 401),
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Authorization": "Bearer "}, 401),
        ({"Authorization": "Basic s3cret"}, 401),
        ({"Authorization": "Bearer s3cret"}, 200),
        ({"Authorization": "bearer s3cret"}, 200),
    ],
)
def test_a_token_is_asked_for_everywhere(site, given, wanted):
    with serving(site, token="s3cret") as server:
        for path in ("/echo", "/stream", "/file"):
            assert ask(server, path, headers=given)[0] == wanted
        assert bool(site.seen) == (wanted == 200)


def test_a_refused_client_gets_an_error_of_the_protocol(site):
    def refusal(status: int, reason: str) -> bytes:
        return json.dumps({"no": status, "why": reason}).encode()

    with serving(site, token="s3cret", refusal=refusal) as server:
        number, body = ask(server)
        assert (number, json.loads(body)["no"]) == (401, 401)
        with connected(server, b"nonsense\r\n\r\n") as peer:
            number, body = http_reply(peer)
        assert (number, json.loads(body)["no"]) == (400, 400)


def test_a_websocket_is_not_taken(server, site):
    lines = (
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
    )
    with connected(server, head("/echo", *lines).replace(b"POST", b"GET")) as peer:
        assert peer.recv(1000).split(b" ")[1] == b"403"
    assert site.seen == []
