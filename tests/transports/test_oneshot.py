"""One request for each connection, by raw connections: what is let in, and in which order it is answered."""

from __future__ import annotations

import http.client
import json
import resource
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any

import pytest

from deskhand.transports.interface import AddressInUse
from deskhand.transports.oneshot import LIMIT, OneShotServer
from tests.traces import until

LONG = 64 * 1024 * 1024


class Site:
    """Echoes what it gets; `slow` when it is released or its caller is gone."""

    def __init__(self):
        self.release = threading.Event()
        self.entered = threading.Semaphore(0)
        self.cancelled = threading.Event()
        self.seen = []
        self.running = 0
        self.at_once = 0

    def conversation(self, transport, url, peer):
        return self

    def handle(self, message, cancel):
        self.running += 1
        self.at_once = max(self.at_once, self.running)
        self.seen.append(message)
        if message.startswith(b"slow"):
            self.entered.release()
            while not self.release.is_set() and not cancel.is_set():
                time.sleep(0.002)
            if cancel.is_set():
                self.cancelled.set()
        self.running -= 1
        return json.dumps({"echo": message[:100].decode("latin-1")}).encode()

    def refuse(self, reason):
        return json.dumps({"refused": reason}).encode()

    def end(self, message):
        return b'"' + message + b' ended"'

    def close(self):
        pass


@pytest.fixture
def site(shared):
    """The site of the server that all tests share, as if it were new."""
    site = shared[0]
    site.__init__()
    yield site
    site.release.set()


@contextmanager
def serving(site, **options):
    # Not about users: of a peer that leaves at once, as some here do, the user cannot be found out.
    named = {"health": "all is well", "server": "site/1", "other_users": True, **options}
    with OneShotServer("127.0.0.1", 0, "/rpc", site.conversation, **named) as server:
        server.port = int(server.url.split("/")[2].rpartition(":")[2])
        yield server


@pytest.fixture(scope="module")
def shared():
    site = Site()
    with serving(site) as server:
        yield site, server


@pytest.fixture
def server(shared, site):
    return shared[1]


def ask(
    server, body=b"hello", method="POST", path="/rpc", **headers
) -> tuple[int, Any, http.client.HTTPMessage]:
    peer = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    try:
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        peer.request(method, path, body, names)
        reply = peer.getresponse()
        text = reply.read()
        is_json = reply.getheader("content-type") == "application/json"
        return reply.status, json.loads(text) if is_json else text.decode(), reply.headers
    finally:
        peer.close()


def talk(server, data: bytes, *, end: bool = False) -> bytes:
    """All that is answered to some bytes until the connection ends."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as peer:
        peer.sendall(data)
        if end:
            peer.shutdown(socket.SHUT_WR)
        answer = b""
        while piece := peer.recv(65536):
            answer += piece
        return answer


# -- what is where ------------------------------------------------------------------------------


def test_a_request_is_answered_and_the_connection_ends(server):
    status, body, headers = ask(server)
    assert (status, body) == (200, {"echo": "hello"})
    assert (headers["connection"], headers["server"]) == ("close", "site/1")
    answer = talk(server, b"POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\nhi")
    assert answer.startswith(b"HTTP/1.1 200 OK\r\n")
    assert answer.endswith(b'{"echo": "hi"}')


def test_the_health_page_is_text(server):
    assert ask(server, None, "GET", "/")[:2] == (200, "all is well")
    assert ask(server, None, "GET", "/")[2]["content-type"] == "text/plain"


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/rpc"), ("POST", "/"), ("POST", "/rpc?x=1"), ("POST", "/rp%63"), ("POST", "/rpc/"),
        ("PUT", "/rpc"), ("OPTIONS", "/rpc"), ("OPTIONS", "/"), ("GET", "/x"), ("POST", "//rpc"),
    ],
)  # fmt: skip
def test_anything_else_is_not_found(server, site, method, path):
    assert ask(server, b"x", method, path)[:2] == (404, "not found")
    assert site.seen == []


def test_a_websocket_is_let_in_only_where_there_is_one(site):
    asked = []

    async def events(scope, receive, send):
        asked.append(scope["path"])
        await receive()
        await send({"type": "websocket.close"})

    upgrade = {
        "Connection": "Upgrade", "Upgrade": "websocket", "Sec_WebSocket_Version": "13",
        "Sec_WebSocket_Key": "dGhlIHNhbXBsZSBub25jZQ==",
    }  # fmt: skip
    with serving(site, sockets={"/events": events}) as server:
        assert ask(server, None, "GET", "/other", **upgrade)[0] == 404
        assert ask(server, None, "GET", "/events", **upgrade, Origin="http://evil.example")[0] == 403
        assert asked == []
        ask(server, None, "GET", "/events", **upgrade)
        assert asked == ["/events"]


# -- who is let in ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"}, {"Host": "evil.example:13619"}, {"Host": "127.0.0.1.evil.example"},
        {"Origin": "http://evil.example"}, {"Origin": "null"}, {"Origin": "http://127.0.0.1:1"},
        {"Origin": "http://localhost"}, {"Sec_Fetch_Site": "cross-site"}, {"Sec_Fetch_Site": "same-site"},
        {"Origin": "https://evil.example", "Content_Type": "text/plain"},
    ],
)  # fmt: skip
def test_a_page_in_a_browser_cannot_ask(server, site, headers):
    for method, path in (("POST", "/rpc"), ("GET", "/"), ("OPTIONS", "/rpc")):
        status, _, answered = ask(server, b"x", method, path, **headers)
        assert (status, answered["connection"], answered["server"]) == (403, "close", "site/1")
        assert not [name for name in answered if name.lower().startswith("access-control")]
    assert site.seen == []


@pytest.mark.parametrize("kind", ["application/json", "text/plain", "application/x-www-form-urlencoded", ""])
def test_clients_other_than_browsers_may_send_any_content_type(server, kind):
    assert ask(server, Content_Type=kind)[0] == 200


def test_a_token_is_asked_for_but_for_the_health_page(site):
    with serving(site, token="secret") as server:
        assert ask(server)[0] == 401
        status, _, headers = ask(server, Authorization="Bearer wrong")
        assert (status, headers["connection"]) == (401, "close")
        assert ask(server, None, "GET", "/")[:2] == (200, "all is well")
        assert site.seen == []
        assert ask(server, Authorization="Bearer secret")[0] == 200


def test_a_port_is_served_once(server):
    with pytest.raises(AddressInUse, match=str(server.port)):
        OneShotServer("127.0.0.1", server.port, "/rpc", Site().conversation, health="", server="")


# -- one after the other ------------------------------------------------------------------------


def test_requests_are_answered_one_at_a_time_in_the_order_they_came(server, site):
    with ThreadPoolExecutor(30) as pool:
        first = pool.submit(ask, server, b"slow")
        assert site.entered.acquire(timeout=20)
        peers = []
        for number in range(20):
            peer = socket.create_connection(("127.0.0.1", server.port), timeout=20)
            peer.sendall(b"POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n%02d" % number)
            peers.append(peer)
            until(lambda: server._calls.qsize() == len(peers))
        assert site.seen == [b"slow"]
        site.release.set()
        assert first.result(20)[0] == 200
        for number, peer in enumerate(peers):
            with peer, peer.makefile("rb") as stream:
                assert stream.read().endswith(b'{"echo": "%02d"}' % number)
    assert site.seen == [b"slow", *(b"%02d" % number for number in range(20))]
    assert site.at_once == 1


def test_a_client_that_sends_slowly_does_not_delay_others(server, site):
    request = b"POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\nslug"
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as peer:
        for at in range(len(request)):
            if at % 8 == 0:
                assert ask(server, b"%d" % at)[:2] == (200, {"echo": str(at)})
            peer.sendall(request[at : at + 1])
        answer = b""
        while piece := peer.recv(65536):
            answer += piece
    assert answer.endswith(b'{"echo": "slug"}')


def test_closing_lets_the_protocol_answer_waiting_calls(site):
    with ThreadPoolExecutor(2) as pool, serving(site) as server:
        running = pool.submit(ask, server, b"slow")
        assert site.entered.acquire(timeout=20)
        queued = pool.submit(ask, server, b"later")
        until(server._calls.qsize)
        started = time.monotonic()
        server.close()
        assert running.result(20)[1] == "slow ended"
        assert queued.result(20)[1] == "later ended"
        assert time.monotonic() - started < 3
    assert site.cancelled.wait(10)
    assert site.seen == [b"slow"]
    with pytest.raises(OSError):
        ask(server)


def test_no_work_is_done_for_a_client_that_disconnected(server, site):
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as peer:
        peer.sendall(b"POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\nslow")
        assert site.entered.acquire(timeout=20)
        with socket.create_connection(("127.0.0.1", server.port), timeout=20) as waiting:
            waiting.sendall(b"POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nnever")
            until(server._calls.qsize)
            (never,) = [call for call in server._open if call.message == b"never"]
        assert never.cancel.wait(10)
    assert site.cancelled.wait(10)
    assert ask(server, b"next")[1] == {"echo": "next"}
    assert site.seen == [b"slow", b"next"]


# -- what is not a request -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        b"hello\r\n\r\n", b"POST /rpc\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(600),
        b"POST /rpc HTTP/1.1\r\nContent-Length: 2\r\n\r\nhi",
        b"POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\nhi",
        b"POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\nhi",
        b"POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nhi!",
        b"POST /rpc HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhi",
        b"POST /rpc HTTP/1.1\r\nHost: localhost\r\nno colon\r\n\r\n",
        b"POST /rpc HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 200_000 + b"\r\n\r\n",
    ],
)  # fmt: skip
def test_what_is_not_http_is_refused_and_harms_no_other_client(server, site, data):
    with suppress(ConnectionResetError):  # refused before all of it was read
        assert talk(server, data).startswith(b"HTTP/1.1 4")
    assert site.seen == []
    assert ask(server)[0] == 200


def test_a_client_that_sent_a_body_that_is_too_long_gets_the_refusal(server, site):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    piece = b"x" * 65536

    status, body, _ = ask(server, (piece for _ in range(LONG // len(piece))), Content_Length=str(LONG))

    assert status == 200
    assert body == {"refused": f"the request is {LONG} bytes long; it may have {LIMIT}"}
    assert site.seen == []
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 32 * 1024
    assert ask(server, b"x" * LIMIT)[0] == 200


def test_a_body_in_chunks_is_taken(server, site):
    assert ask(server, iter([b"in ", b"chunks"]))[1] == {"echo": "in chunks"}


def test_a_client_that_closes_its_side_is_still_answered(server):
    request = b"POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\n"
    assert talk(server, request + b"done", end=True).endswith(b'{"echo": "done"}')
    assert talk(server, request + b"do", end=True).endswith(b'{"refused": "the request ended too early"}')
