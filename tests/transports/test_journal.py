"""The wire log of every HTTP server has all that was asked there, also what no protocol got to see."""

from __future__ import annotations

import json
import socket

import pytest

from deskhand.transports.request_guard import LIMIT
from tests.traces import until
from tests.transports.servers import TOKEN, UPGRADE, complaints, serving


@pytest.fixture
def served(everything):
    """The server that all tests share, with an empty log."""
    everything.log.write_text("")
    return everything


def written(served, count=2):
    """The lines of the log once there are that many, without their times; all of one connection."""
    lines = until(lambda: len(served.lines()) >= count and served.lines())
    assert len(lines) == count, lines
    assert len({line["connection"] for line in lines}) == 1
    assert [line["dir"] for line in lines] == ["in", "out"][:count]
    return [line.get("message", line.get("unreadable")) for line in lines]


def said(body: bytes):
    try:
        return json.loads(body)
    except ValueError:
        return body.decode()


def test_what_a_protocol_answers_is_written_once(served):
    assert served.ask().status == 200
    assert written(served)[0]["method"] == served.written


@pytest.mark.parametrize(
    ("lines", "options", "status"),
    [
        ((), {"token": None}, 401),
        ((), {"token": "guessed-token"}, 401),
        ((), {"host": "evil.example"}, 403),
        (("Origin: https://evil.example",), {}, 403),
        (("Sec-Fetch-Site: cross-site",), {}, 403),
    ],
    ids=["no token", "a wrong token", "a foreign host", "a foreign page", "another site"],
)
def test_a_refused_client_is_logged_with_status_and_reason(served, lines, options, status):
    answer = served.ask(*lines, **options)
    assert answer.status == status
    asked, told = written(served)
    assert asked == {"method": f"POST {served.path}"}
    assert told == {"status": status, "body": json.loads(answer.body)}


def test_neither_tokens_nor_queries_are_written_down(served):
    served.ask(token="guessed-token", target=f"{served.path}?token=guessed-token")
    served.ask(host="evil.example", target=f"{served.path}?token={TOKEN}")
    until(lambda: len(served.lines()) == 4)
    text = served.log.read_text()
    assert "guessed" not in text
    assert TOKEN not in text
    assert "Bearer" not in text.replace("Authorization: Bearer TOKEN", "")


def test_a_body_that_is_too_long_is_written_down_as_such(served):
    head = f"Host: 127.0.0.1\r\nAuthorization: Bearer {TOKEN}\r\nContent-Length: {LIMIT + 1}\r\n\r\n"
    # Of the paths that protocols read themselves, however long, another one is taken.
    path = "/" if served.kind == "orca" else served.path
    assert served.send(f"POST {path} HTTP/1.1\r\n{head}".encode()).status == 413
    asked, told = written(served)
    assert asked == {"method": f"POST {path}"}
    assert told["status"] == 413


def test_a_client_that_disconnects_during_a_request_is_logged_without_a_complaint(served, caplog):
    head = f"Host: 127.0.0.1\r\nAuthorization: Bearer {TOKEN}\r\nContent-Length: 100\r\nAccept: */*\r\n\r\n"
    with socket.create_connection(("127.0.0.1", served.port), timeout=20) as peer:
        peer.sendall(f"POST {served.path} HTTP/1.1\r\n{head}hunter2".encode())
    until(lambda: len(served.lines()) == 2)
    assert "hunter2" not in served.log.read_text()
    assert served.ask().status == 200
    assert len(served.lines()) == 4
    assert complaints(caplog.records) == []


def test_a_path_where_nothing_is_is_written_down(served):
    answer = served.ask(target="/nowhere")
    assert answer.status == 404
    asked, told = written(served)
    assert asked["method"] == "POST /nowhere"
    assert (told if served.kind == "agent" else told["body"]) == said(answer.body)


def test_a_method_that_is_not_answered_is_written_down(served):
    answer = served.ask(method="PUT")
    assert answer.status in (404, 405)
    asked, told = written(served)
    assert asked["method"] == f"PUT {served.path}"
    assert (told if served.kind == "agent" else told["body"]) == said(answer.body)


def test_what_is_not_http_is_noted_and_not_shown(served):
    answer = served.send(b"my password is hunter2\r\n\r\n")
    assert answer.status == 400
    noted, told = written(served)
    assert noted == "Invalid HTTP request received."
    assert told == {"status": 400, "body": json.loads(answer.body)}
    assert "hunter2" not in served.log.read_text()


@pytest.mark.parametrize("options", [{"host": "evil.example"}, {"token": None}], ids=["host", "token"])
def test_a_websocket_that_is_refused_is_written_down(served, options):
    answer = served.ask(*UPGRADE, method="GET", **options)
    assert answer.status in (401, 403)
    asked, told = written(served)
    assert asked == {"method": f"GET {served.path}", "upgrade": "websocket"}
    assert told == {"status": answer.status, "body": json.loads(answer.body)}


def test_a_websocket_where_there_is_none_is_written_down(served):
    answer = served.ask(*UPGRADE, method="GET", target="/nowhere")
    assert answer.status in (403, 404)
    asked, told = written(served)
    assert asked == {"method": "GET /nowhere", "upgrade": "websocket"}
    assert told["status"] == answer.status


def test_a_handshake_that_is_none_is_written_down(served):
    answer = served.ask(*UPGRADE[:3], method="GET", target="/x?token=guessed")
    assert answer.status == 400
    asked, told = written(served)
    assert asked == {"method": "GET /x", "upgrade": "websocket"}
    assert told["status"] == 400


@pytest.mark.parametrize(
    ("everything", "path"), [("gip", "/gip"), ("orca", "/events")], indirect=["everything"]
)
def test_a_websocket_that_is_let_in_is_left_to_its_protocol_if_it_has_one(served, path):
    assert served.ask(*UPGRADE, method="GET", target=path).status == 101
    if served.kind == "gip":
        assert served.lines() == []
    else:
        assert written(served) == [{"method": "GET /events", "upgrade": "websocket"}, {"status": 101}]


@pytest.mark.parametrize(
    ("everything", "path"), [("agent", "/health"), ("orca", "/"), ("mcp", "/health")], indirect=["everything"]
)
def test_pages_about_the_servers_health_are_written_down(served, path):
    answer = served.ask(method="GET", target=path, body=b"")
    assert answer.status == 200
    asked, told = written(served)
    assert asked["method"] == f"GET {path}"
    assert (told if served.kind == "agent" else told["body"]) == said(answer.body)


def test_a_body_that_is_not_json_is_written_down_but_not_shown(served):
    answer = served.ask(body=b'{"password": "hunter2"')
    assert written(served)[1] in (said(answer.body), {"status": answer.status, "body": said(answer.body)})
    assert "hunter2" not in served.log.read_text()


# -- what only one of them has ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def mcp(session, tmp_path_factory):
    with serving("mcp", session, tmp_path_factory.mktemp("mcp")) as served:
        yield served


@pytest.mark.parametrize("method", ["ping", "tools/list", "prompts/list", "nothing/like-it"])
def test_mcp_requests_that_are_not_tool_calls_are_written_down_whole(mcp, method):
    mcp.log.write_text("")
    message = {"jsonrpc": "2.0", "id": 7, "method": method, "params": {}}
    answer = mcp.ask(body=json.dumps(message).encode())
    assert written(mcp) == [
        {"method": "POST /mcp", "params": message},
        {"status": answer.status, "body": json.loads(answer.body)},
    ]


@pytest.mark.parametrize("arguments", [{}, None], ids=["as ours", "as the SDK's"])
def test_an_mcp_tool_call_is_logged_once_whichever_part_answers_it(mcp, arguments):
    def call(name):
        mcp.log.write_text("")
        params = {"name": name, "arguments": arguments}
        return mcp.ask(body=json.dumps({**mcp.message, "params": params}).encode())

    call("ui_get_snapshot")
    assert written(mcp)[0] == {
        "method": "tools/call",
        "params": {"name": "ui_get_snapshot", "arguments": {}},
    }
    answer = call("ui_fly")
    assert written(mcp) == [
        {"method": "POST /mcp"},
        {"status": answer.status, "body": json.loads(answer.body)},
    ]
