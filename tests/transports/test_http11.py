"""What every HTTP server understands of HTTP/1.1, and that no peer can make it complain on stderr."""

from __future__ import annotations

import socket
from contextlib import suppress

import pytest

from tests.transports.servers import TOKEN, UPGRADE, complaints


@pytest.fixture
def served(everything, caplog):
    """The server that all tests share; whatever they send, nothing is logged."""
    yield everything
    assert complaints(caplog.get_records("call")) == []


# -- targets with a host in them ----------------------------------------------------------------------


@pytest.mark.parametrize("authority", ["http://127.0.0.1:{port}", "HTTP://localhost", "http://[::1]:80"])
def test_a_target_may_be_a_whole_address(served, authority):
    assert served.ask(target=authority.format(port=served.port) + served.path).status == 200


@pytest.mark.parametrize(
    "authority", ["http://evil.example", "http://127.0.0.1.evil.example", "http://user@127.0.0.1", "http://"]
)
def test_the_host_in_a_target_is_looked_at_as_host_is(served, authority):
    answer = served.ask(target=authority + served.path, host="127.0.0.1")
    assert answer.status == 403
    assert b"is not this machine" in answer.body


def test_of_a_host_in_the_target_and_another_in_the_header_the_target_counts(served):
    target = f"http://127.0.0.1:{served.port}{served.path}"
    assert served.ask(target=target, host="evil.example").status == 200
    # The page that asks is compared with the one that counts, too.
    assert (
        served.ask(f"Origin: http://evil.example:{served.port}", target=target, host="evil.example").status
        == 403
    )


@pytest.mark.parametrize("target", ["http://127.0.0.1", "http://127.0.0.1?x=1", "http://127.0.0.1/"])
def test_a_whole_address_without_a_path_is_the_root(served, target):
    plain = "/" + "?x=1" * ("?" in target)
    assert (
        served.ask(target=target, method="GET", body=b"").body
        == served.ask(target=plain, method="GET", body=b"").body
    )


@pytest.mark.parametrize("target", ["https://127.0.0.1/x", "ftp://127.0.0.1/x", "127.0.0.1:80", "*"])
def test_other_forms_of_targets_lead_nowhere(served, target):
    assert served.ask(target=target).status in (400, 404)


@pytest.mark.parametrize(
    ("everything", "path"), [("gip", "/gip"), ("orca", "/events")], indirect=["everything"]
)
def test_a_websocket_may_be_asked_for_by_a_whole_address(served, path):
    here = f"http://127.0.0.1:{served.port}{path}"
    assert served.ask(*UPGRADE, method="GET", target=here).status == 101
    assert served.ask(*UPGRADE, method="GET", target=f"http://evil.example{path}").status == 403


# -- HTTP/1.0 -------------------------------------------------------------------------------------------


def test_http_1_0_is_answered_and_the_connection_ends(served):
    with socket.create_connection(("127.0.0.1", served.port), timeout=20) as peer:
        said = f"GET /health HTTP/1.0\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {TOKEN}\r\n\r\n"
        peer.sendall(said.encode())
        answer = b""
        while piece := peer.recv(65536):
            answer += piece
    assert answer.split(b" ")[1] == (b"200" if served.kind in ("agent", "mcp") else b"404")


def test_a_request_that_names_no_host_is_refused_in_every_version(served):
    assert served.ask(host="", version="1.0").status == 403
    assert served.ask(host="", version="1.1").status == 400


# -- what asks to be another protocol --------------------------------------------------------------------


def test_a_client_that_prefers_http_2_is_answered_in_http_1(served):
    lines = ("Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABk")
    assert served.ask(*lines).status == 200


@pytest.mark.parametrize(("method", "version"), [("POST", "1.1"), ("POST", "1.0")])
def test_what_can_be_no_websocket_is_answered_as_what_it_is(served, method, version):
    assert served.ask(*UPGRADE[1:], "Connection: upgrade", method=method, version=version).status == 200


@pytest.mark.parametrize(
    "lines",
    [
        UPGRADE[:3],
        (*UPGRADE[:2], "Sec-WebSocket-Version: 7", UPGRADE[3]),
        (*UPGRADE, "X: " + "x" * 9000),
        (*UPGRADE, *(f"X-{number}: x" for number in range(200))),
    ],
    ids=["without a key", "an old version", "a long header", "many headers"],
)
def test_an_invalid_handshake_is_reported(served, lines):
    assert served.ask(*lines, method="GET").status in (400, 426)


@pytest.mark.parametrize("options", [{"host": "evil.example"}, {"token": None}, {"target": "/nowhere"}])
def test_a_refused_websocket_is_reported(served, options):
    for _ in range(5):
        assert served.ask(*UPGRADE, method="GET", **options).status in (401, 403, 404)


@pytest.mark.parametrize(
    "text",
    [
        b"nonsense\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nno colon\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + b"x" * 100_000,
    ],
    ids=["words", "TLS", "a line that is none", "a long line"],
)
def test_what_is_not_http_gets_the_servers_own_error(served, text):
    answer = served.send(text)
    assert answer.status == 400
    assert "content-type: application/json" in answer.head
    assert "connection: close" in answer.head


def test_a_chunk_that_is_none_ends_the_request(served):
    head = f"Host: 127.0.0.1\r\nAuthorization: Bearer {TOKEN}\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"
    assert served.send(f"POST {served.path} HTTP/1.1\r\n{head}".encode()).status == 400


def test_nonsense_after_an_answer_ends_the_connection(served):
    head = "Host: evil.example\r\nTransfer-Encoding: chunked\r\n\r\n"
    with socket.create_connection(("127.0.0.1", served.port), timeout=20) as peer:
        peer.sendall(f"POST {served.path} HTTP/1.1\r\n{head}".encode())
        assert peer.recv(65536).split(b" ")[1] == b"403"
        with suppress(ConnectionError):  # it may have ended already
            peer.sendall(b"zz\r\n")
            while peer.recv(65536):
                pass
