"""HTTP POST and WebSocket: which clients are allowed, what is cut off, which call waits for which."""

from __future__ import annotations

import http.client
import json
import logging
import socket
import threading
from contextlib import contextmanager, suppress

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from deskhand.transports import http as http_transport
from deskhand.transports.http import HttpServer
from deskhand.transports.interface import AddressInUse, BadAddress
from tests.transports.echo import Echo

JSON = {"Content-Type": "application/json"}


@pytest.fixture
def echo():
    echo = Echo()
    yield echo
    echo.release.set()


@contextmanager
def serving(echo, address="http://127.0.0.1:0", **options):
    # Not about users: of a peer that leaves at once, as some here do, the user cannot be found out.
    with HttpServer(address, echo, other_users=True, **options) as server:
        server.port = int(server.url.split(":")[2].split("/")[0])
        yield server


@pytest.fixture
def server(echo):
    with serving(echo) as server:
        yield server


@pytest.fixture
def guarded(echo):
    with serving(echo, token="s3cret") as server:
        yield server


def post(server, body=b"{}", path="/", headers=JSON, method="POST"):
    peer = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
    try:
        peer.request(method, path, body, headers)
        reply = peer.getresponse()
        return reply.status, reply.read()
    finally:
        peer.close()


def raw(server, text: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as peer:
        peer.sendall(text)
        return peer.recv(65536)


def read_until(peer, end: bytes) -> None:
    text = b""
    while not text.endswith(end):
        part = peer.recv(1000)
        assert part, f"closed after {text!r}"
        text += part


def websocket(server, **headers):
    url = server.url.replace("http://", "ws://")
    return connect(url, additional_headers=headers, max_size=None, proxy=None)


def refused_with(server, **headers) -> int:
    with pytest.raises(InvalidStatus) as caught, websocket(server, **headers):
        pass
    return caught.value.response.status_code


# -- addresses --------------------------------------------------------------------------------------


def test_port_0_is_a_free_one_and_the_url_says_which(server, echo):
    assert server.port > 0
    assert server.url == f"http://127.0.0.1:{server.port}/"
    assert post(server) == (200, b"{}")
    assert echo.opened[0][:2] == ("http", server.url)


@pytest.mark.parametrize("address", ["http://127.0.0.1:0/gip", "ws://localhost/gip"])
def test_both_are_served_at_the_path_that_was_asked_for(echo, address):
    with serving(echo, address) as server:
        assert server.url.startswith(address.split("/")[0])
        assert server.url.endswith("/gip")
        assert post(server, path="/gip") == (200, b"{}")
        assert post(server, path="/")[0] == 404
        with connect(f"ws://127.0.0.1:{server.port}/gip", proxy=None) as peer:
            peer.send("{}")
            assert peer.recv(10) == "{}"


def test_ipv6_has_its_brackets(echo):
    try:
        server = HttpServer("http://[::1]:0/", echo)
    except (BadAddress, OSError):
        pytest.skip("this machine has no IPv6")
    with server:
        assert server.url.startswith("http://[::1]:")
        peer = http.client.HTTPConnection("::1", int(server.url.split(":")[-1].strip("/")), timeout=10)
        peer.request("POST", "/", b"{}", JSON)
        assert peer.getresponse().read() == b"{}"
        peer.close()


def test_a_port_that_is_taken_is_named(server, echo):
    with pytest.raises(AddressInUse, match=f"port {server.port}"):
        HttpServer(f"http://127.0.0.1:{server.port}", echo)


@pytest.mark.parametrize(
    "address",
    [
        "http://",
        "ftp://127.0.0.1",
        "127.0.0.1:80",
        "http://127.0.0.1:x",
        "http://127.0.0.1:99999",
        "ws://a.invalid:0",
    ],
)
def test_what_is_not_an_address_is_refused(address, echo):
    with pytest.raises(BadAddress):
        HttpServer(address, echo)


def test_listening_to_other_machines_without_a_token_is_warned_of(echo, caplog):
    with caplog.at_level(logging.WARNING, "deskhand"), serving(echo, "http://0.0.0.0:0"):
        assert "can be reached from other machines" in caplog.text


# -- HTTP -------------------------------------------------------------------------------------------


def test_a_notification_is_answered_with_nothing(server):
    assert post(server, b'{"quiet":1}') == (204, b"")


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "OPTIONS"])
def test_only_post_is_answered(server, method):
    assert post(server, method=method)[0] == 405


@pytest.mark.parametrize(
    "kind", ["text/plain", "text/plain;charset=UTF-8", "multipart/form-data; boundary=x", "text/xml"]
)
def test_what_a_web_form_can_write_json_in_is_refused(server, kind):
    assert post(server, headers={"Content-Type": kind})[0] == 415


def test_what_curl_calls_a_body_by_itself_is_taken_but_not_from_a_page(server):
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    assert post(server, headers=kind) == (200, b"{}")
    assert post(server, headers={**kind, "Origin": "https://evil.example"})[0] == 403
    assert post(server, headers={**kind, "Origin": "null"})[0] == 403


@pytest.mark.parametrize(
    "kind", ["application/json; charset=utf-8", "APPLICATION/JSON", "application/json-rpc"]
)
def test_json_may_be_called_by_its_other_names(server, kind):
    assert post(server, headers={"Content-Type": kind}) == (200, b"{}")


def test_a_body_without_a_type_is_taken_for_json(server):
    request = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}"
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as peer:
        peer.sendall(request)
        read_until(peer, b"{}")


def test_a_connection_is_kept_for_many_requests(server):
    peer = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
    for number in range(20):
        message = b'{"n":%d}' % number
        peer.request("POST", "/", message, JSON)
        assert peer.getresponse().read() == message
    peer.close()


@pytest.mark.parametrize("length", ["told", "chunked"])
def test_a_body_that_is_too_long_is_refused(echo, length):
    with serving(echo, limit=1000) as server:
        body = b"x" * 1001
        status, text = post(server, body if length == "told" else iter([body[:500], body[500:]]))
        assert status == 413
        assert json.loads(text) == {"error": "a request may be 1000 bytes long"}
        assert post(server, b"x" * (1 << 25))[0] == 413, "who is still sending hears it too"
        assert post(server, iter([b'{"a"', b":1}"])) == (200, b'{"a":1}')


def test_a_caller_that_disconnects_cancels_its_wait(server, echo):
    peer = socket.create_connection(("127.0.0.1", server.port), timeout=10)
    peer.sendall(b'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{"wait":1}')
    assert echo.waiting.acquire(timeout=10)
    peer.close()
    echo.until(lambda echo: echo.cancelled == 1)
    echo.until(lambda echo: echo.closed == 1)


def test_many_waiting_calls_do_not_delay_others(server, echo):
    peers = [socket.create_connection(("127.0.0.1", server.port), timeout=10) for _ in range(40)]
    for peer in peers:
        peer.sendall(b'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{"wait":1}')
        assert echo.waiting.acquire(timeout=10)
    assert post(server) == (200, b"{}")
    echo.release.set()
    for peer in peers:
        with peer:
            read_until(peer, b'{"wait":1}')


def test_more_callers_than_allowed_get_an_error(server, echo, monkeypatch):
    monkeypatch.setattr(http_transport, "MAX_CALLS", 1)
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as peer:
        peer.sendall(b'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{"wait":1}')
        assert echo.waiting.acquire(timeout=10)
        assert post(server)[0] == 503
        echo.release.set()
        read_until(peer, b'{"wait":1}')


# -- the guard --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "10.0.0.1",
        "",
        "user@localhost",
        "localhost:x",
    ],
)
def test_a_host_that_is_not_this_machine_is_refused(server, host):
    """A page can make its own name lead here (DNS rebinding); then the browser sends that name."""
    assert post(server, headers={**JSON, "Host": host})[0] in (400, 403)
    assert raw(
        server,
        b"GET / HTTP/1.1\r\nHost: " + host.encode() + b"\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n",
    ).split(b" ")[1] in (b"400", b"403")


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1", "127.0.0.1:99", "[::1]:7"])
def test_every_name_of_this_machine_is_taken(server, host):
    assert post(server, headers={**JSON, "Host": host}) == (200, b"{}")


def test_no_host_and_two_hosts_are_refused(server):
    assert b" 400 " in raw(server, b"POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}")
    two = b"POST / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}"
    assert raw(server, two).split(b" ")[1] in (b"400", b"403")
    assert b" 403 " in raw(server, b"POST / HTTP/1.0\r\nContent-Length: 2\r\n\r\n{}")


@pytest.mark.parametrize(
    "origin",
    ["https://evil.example", "null", "http://localhost", "http://127.0.0.1:1", "file://", "http://[", "x"],
)
def test_a_page_of_another_origin_is_refused(server, origin):
    assert post(server, headers={**JSON, "Origin": origin})[0] == 403
    assert refused_with(server, Origin=origin) == 403


def test_a_page_of_our_own_origin_is_let_in(server):
    own = f"http://127.0.0.1:{server.port}"
    assert post(server, headers={**JSON, "Origin": own}) == (200, b"{}")
    with websocket(server, Origin=own) as peer:
        peer.send("{}")
        assert peer.recv(10) == "{}"


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_browser_that_says_it_comes_from_another_site_is_refused(server, site):
    assert post(server, headers={**JSON, "Sec-Fetch-Site": site})[0] == 403


@pytest.mark.parametrize(
    "headers",
    [{}, {"Authorization": "Bearer wrong"}, {"Authorization": "s3cret"}, {"Authorization": "Basic s3cret"}],
)
def test_clients_without_the_token_are_refused(guarded, headers, echo):
    status, body = post(guarded, headers={**JSON, **headers})
    assert status == 401
    assert "token" in json.loads(body)["error"]
    assert refused_with(guarded, **headers) == 401
    assert echo.opened == []


def test_with_the_token_both_are_let_in(guarded):
    assert post(guarded, headers={**JSON, "Authorization": "bearer s3cret"}) == (200, b"{}")
    with websocket(guarded, Authorization="Bearer s3cret") as peer:
        peer.send("{}")
        assert peer.recv(10) == "{}"


def test_a_server_for_other_machines_takes_addresses_but_no_foreign_names(echo):
    with serving(echo, "http://0.0.0.0:0", token="t", hosts=("build.example",)) as server:
        headers = {**JSON, "Authorization": "Bearer t"}
        for host in ("192.168.1.5", "[fe80::1]:80", socket.gethostname(), "build.example"):
            assert post(server, headers={**headers, "Host": host}) == (200, b"{}")
        assert post(server, headers={**headers, "Host": "evil.example"})[0] == 403


# -- WebSocket --------------------------------------------------------------------------------------


def test_websocket_messages_are_answered_in_order(server, echo):
    with websocket(server) as peer:
        for number in range(300):
            peer.send('{"n":%d}' % number)  # noqa: UP031 - a plain number
        assert [json.loads(peer.recv(10))["n"] for _ in range(300)] == list(range(300))
    assert echo.opened[0][0] == "websocket"
    assert len(echo.opened) == 1


def test_websocket_bytes_are_a_message_too(server):
    with websocket(server) as peer:
        peer.send(b'{"a":1}')
        assert peer.recv(10) == '{"a":1}'


def test_a_notification_over_websocket_is_not_answered(server):
    with websocket(server) as peer:
        peer.send('{"quiet":1}')
        peer.send('{"a":1}')
        assert peer.recv(10) == '{"a":1}'


def test_a_websocket_that_is_closed_cancels_what_it_waits_for(server, echo):
    with websocket(server) as peer:
        peer.send('{"wait":1}')
        assert echo.waiting.acquire(timeout=10)
    echo.until(lambda echo: echo.cancelled == 1)
    echo.until(lambda echo: echo.closed == 1)


def test_a_websocket_that_breaks_off_cancels_what_it_waits_for(server, echo):
    with websocket(server) as peer:
        peer.send('{"wait":1}')
        assert echo.waiting.acquire(timeout=10)
        peer.socket.shutdown(socket.SHUT_RDWR)
        echo.until(lambda echo: echo.cancelled == 1)


def test_a_websocket_message_that_is_too_long_ends_the_connection(echo):
    with serving(echo, limit=1000) as server, websocket(server) as peer:
        peer.send("x" * 1001)
        with pytest.raises(ConnectionClosed) as caught:
            peer.recv(10)
        assert caught.value.rcvd.code == 1009


def test_too_many_waiting_messages_end_the_connection(server, echo, monkeypatch):
    monkeypatch.setattr(http_transport, "_MAX_WAITING", 5)
    with websocket(server) as peer:
        for _ in range(20):
            try:
                peer.send('{"wait":1}')
            except ConnectionClosed:
                break
        with pytest.raises(ConnectionClosed) as caught:
            peer.recv(10)
        assert caught.value.rcvd.code == 1013


def test_fifty_websockets_at_once_are_all_answered(server):
    failures = []

    def talk(number):
        try:
            with websocket(server) as peer:
                for turn in range(10):
                    message = f'{{"client":{number},"turn":{turn}}}'
                    peer.send(message)
                    assert peer.recv(30) == message
        except (OSError, AssertionError, ConnectionClosed) as error:
            failures.append(error)

    threads = [threading.Thread(target=talk, args=(number,)) for number in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


# -- the end ----------------------------------------------------------------------------------------


def test_closing_ends_every_connection_and_leaves_no_thread(echo):
    threads = set(threading.enumerate())
    server = HttpServer("http://127.0.0.1:0", echo)
    server.port = int(server.url.split(":")[2].strip("/"))
    with websocket(server) as peer, socket.create_connection(("127.0.0.1", server.port), timeout=10) as waits:
        peer.send('{"wait":1}')
        waits.sendall(b'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{"wait":1}')
        assert echo.waiting.acquire(timeout=10)
        assert echo.waiting.acquire(timeout=10)
        server.close(timeout=10)
        # What was cancelled may still be answered; then the connection ends.
        with suppress(ConnectionClosed):
            peer.recv(10)
        with pytest.raises(ConnectionClosed):
            peer.recv(10)
    echo.until(lambda echo: echo.cancelled == 2)
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", server.port), timeout=10)
    for thread in set(threading.enumerate()) - threads:
        thread.join(10)
    assert set(threading.enumerate()) <= threads
