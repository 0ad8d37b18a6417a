"""MCP over HTTP: the SDK's own client, and raw requests for what it never sends."""

from __future__ import annotations

import asyncio
import http.client
import json
import threading
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest
from mcp import Client, ClientSession
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from deskhand.engine.session import Session
from deskhand.serving.mcp import mcp_server
from deskhand.transports.interface import AddressInUse
from deskhand.transports.mcp import McpHttpServer
from deskhand.transports.request_guard import LIMIT
from tests.wire.form import make_session

TOKEN = "s3cret"
BOTH = {"Accept": "application/json, text/event-stream"}
SENT = {**BOTH, "Content-Type": "application/json", "Authorization": f"Bearer {TOKEN}"}
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    session = make_session()
    yield session
    session.close()


@pytest.fixture(scope="module")
def server(session: Session) -> Iterator[McpHttpServer]:
    # Not about users: of a peer that leaves at once, as some here do, the user cannot be found out.
    server = McpHttpServer("127.0.0.1", 0, mcp_server(session), token=TOKEN, other_users=True)
    yield server
    server.close()


class Answer:
    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.status = response.status
        self.headers = response.headers
        self.body = response.read()

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def ask(
    server: McpHttpServer,
    message: Any = PING,
    *,
    method: str = "POST",
    path: str = "/mcp",
    **headers: str | None,
) -> Answer:
    """Send a request with a client's headers, but for those that are given; None leaves one out."""
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    sent = {name: value for name, value in {**SENT, **given}.items() if value is not None}
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    connection = http.client.HTTPConnection("127.0.0.1", urlsplit(server.url).port or 0, timeout=10)
    try:
        connection.request(method, path, body, sent)
        return Answer(connection.getresponse())
    finally:
        connection.close()


def request(method: str, params: Any = None, number: Any = 1) -> dict[str, Any]:
    message = {"jsonrpc": "2.0", "id": number, "method": method}
    return message if params is None else {**message, "params": params}


# -- the SDK's client -------------------------------------------------------------------------------------


def test_the_sdks_own_client_does_everything(server: McpHttpServer) -> None:
    async def talk() -> None:
        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {TOKEN}"}) as web,
            streamable_http_client(server.url, http_client=web) as streams,
            ClientSession(*streams[:2]) as client,
        ):
            about = await client.initialize()
            assert about.server_info.name == "deskhand"
            assert about.capabilities.tools is not None
            assert about.capabilities.prompts is not None
            assert about.capabilities.prompts.list_changed
            assert about.capabilities.logging is not None
            names = [tool.name for tool in (await client.list_tools()).tools]
            assert names[:4] == ["ui_get_snapshot", "ui_query", "ui_get_node", "ui_perform"]
            told = await client.call_tool("ui_query", {"selector": {"css": "#submit_button"}})
            assert told.structured_content is not None
            ref = told.structured_content["output"]["matches"][0]["ref"]
            done = await client.call_tool(
                "ui_perform", {"actions": [{"type": "click", "target": {"ref": ref}}]}
            )
            assert not done.is_error
            snapshot = await client.call_tool("ui_get_snapshot", {"mode": "full"})
            assert '"submitted"' in snapshot.content[0].text  # type: ignore[union-attr]
            nodes = snapshot.structured_content["output"]["stages"][0]["scene"]["root"]  # type: ignore[index]
            assert nodes["module"] is None, "a null arrives as one"
            failed = await client.call_tool("ui_get_node", {"ref": "u-none"})
            assert failed.is_error
            assert failed.structured_content["error"]["code"] == "MCP_UI_NODE_NOT_FOUND"  # type: ignore[index]
            with pytest.raises(MCPError) as unknown:
                await client.call_tool("ui_fly", {})
            assert unknown.value.code == -32602
            assert [prompt.name for prompt in (await client.list_prompts()).prompts] == [
                "inspect_ui",
                "test_click",
                "fill_form",
            ]
            prompt = await client.get_prompt("test_click", {"element": "OK"})
            assert "OK" in prompt.messages[0].content.text  # type: ignore[union-attr]
            with pytest.raises(MCPError):
                await client.get_prompt("fill_form", {})
            await client.send_ping()

    asyncio.run(talk())


def test_the_sdks_client_gets_the_contracts_json_also_where_an_action_fails(session: Session) -> None:
    async def talk(url: str) -> None:
        async with Client(url) as client:

            async def output(tool: str, **arguments: Any) -> Any:
                told = (await client.call_tool(tool, arguments)).structured_content
                assert told is not None
                return told.get("output")

            both = {"css": "QPushButton", "text": "Two"}
            (match,) = (await output("ui_query", selector=both))["matches"]
            assert (await output("ui_query", selector={**both, "css": "QCheckBox"}))["matches"] == []
            node = await output("ui_get_node", ref=match["ref"], properties=["nonsense"])
            assert node["fx"] == {"properties": {}}
            actions = [
                {"type": "click", "target": {"text": "nonsense"}},
                {"type": "click", "target": {"role": "button", "name": "Submit"}},
            ]
            stopped = await client.call_tool("ui_perform", {"actions": actions})
            assert stopped.is_error
            told = stopped.structured_content
            assert told is not None
            assert told["error"]["code"] == "MCP_UI_ACTION_FAILED"
            assert told["error"]["details"]["results"] == told["output"]["results"]
            assert [result.get("skipped", False) for result in told["output"]["results"]] == [False, True]
            went_on = await output("ui_perform", actions=actions, onError="continue")
            assert [result["ok"] for result in went_on["results"]] == [False, True]

    server = McpHttpServer("127.0.0.1", 0, mcp_server(session))
    try:
        asyncio.run(talk(server.url))
    finally:
        server.close()


def test_the_newest_version_of_the_protocol_needs_no_handshake(session: Session) -> None:
    async def talk(url: str) -> None:
        async with Client(url) as client:
            assert client.protocol_version >= "2026-07-28"
            assert len((await client.list_tools()).tools) == 8
            told = await client.call_tool("ui_get_snapshot", {"mode": "full"})
            assert told.structured_content is not None
            assert told.structured_content["output"]["stages"][0]["scene"]["root"]["module"] is None
            assert (await client.call_tool("ui_get_node", {"ref": "u-none"})).is_error
            assert len((await client.list_prompts()).prompts) == 3
            assert (await client.get_prompt("inspect_ui", {})).messages

    server = McpHttpServer("127.0.0.1", 0, mcp_server(session))
    try:
        asyncio.run(talk(server.url))
    finally:
        server.close()


# -- requests -----------------------------------------------------------------------------------------------


def test_a_request_is_answered_by_one_json_text_and_no_session(server: McpHttpServer) -> None:
    answer = ask(server, request("tools/list"), mcp_session_id="from-elsewhere")

    assert answer.status == 200
    assert answer.headers.get_content_type() == "application/json"
    assert answer.headers["mcp-session-id"] is None
    first = answer.json["result"]["tools"][0]
    assert {"name", "title", "description", "inputSchema", "outputSchema", "_meta"} <= first.keys()
    assert first["_meta"]["schemaVersion"] == "2"


def test_no_initialize_is_needed_before_a_call(server: McpHttpServer) -> None:
    told = ask(server, request("tools/call", {"name": "ui.getSnapshot", "arguments": {}}, "seven")).json

    assert told["id"] == "seven"
    assert told["result"]["isError"] is False
    assert told["result"]["structuredContent"]["output"]["schema"] == "mcp-javafx-ui/1.0"
    assert told["result"]["content"][0]["text"].startswith("Stage[0] Order form")


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_initialize_echoes_a_version_that_is_known(server: McpHttpServer, version: str) -> None:
    params = {
        "protocolVersion": version,
        "capabilities": {"elicitation": {"form": {}, "url": {}}},
        "clientInfo": {"name": "x", "version": "1"},
    }

    told = ask(server, request("initialize", params)).json["result"]
    assert told["protocolVersion"] == version
    assert told["serverInfo"]["name"] == "deskhand"
    called = ask(
        server,
        request("tools/call", {"name": "ui_wait", "arguments": {"until": "idle"}}),
        mcp_protocol_version=version,
    )
    assert called.json["result"]["structuredContent"]["output"]["ok"] is True


def test_an_unknown_version_is_answered_with_the_newest_and_refused_in_the_header(
    server: McpHttpServer,
) -> None:
    params = {
        "protocolVersion": "1999-01-01",
        "capabilities": {},
        "clientInfo": {"name": "x", "version": "1"},
    }

    assert ask(server, request("initialize", params)).json["result"]["protocolVersion"] >= "2025-11-25"
    assert ask(server, request("tools/list"), mcp_protocol_version="1999-01-01").status == 400


def test_a_notification_is_accepted_without_a_body(server: McpHttpServer) -> None:
    answer = ask(server, {"jsonrpc": "2.0", "method": "notifications/initialized"})

    assert (answer.status, answer.body) == (202, b"")


def test_ping_and_set_level_answer_with_nothing(server: McpHttpServer) -> None:
    assert ask(server).json == {"jsonrpc": "2.0", "id": 1, "result": {}}
    assert ask(server, request("logging/setLevel", {"level": "debug"})).json["result"] == {}


@pytest.mark.parametrize(
    ("message", "code"),
    [
        (request("ui/fly"), -32601),
        (request("tools/call", {"name": "ui_fly"}), -32602),
        (request("tools/call", {"arguments": {}}), -32602),
        (request("tools/call", {"name": "ui_query", "arguments": [1]}), -32602),
        (request("prompts/get", {"name": "sing"}), -32602),
    ],
)
def test_what_the_protocol_does_not_know_is_its_own_error(
    server: McpHttpServer, message: Any, code: int
) -> None:
    answer = ask(server, message)

    assert answer.status == 200
    assert answer.json["error"]["code"] == code
    assert answer.json["id"] == 1


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b'"x"', b"7", b"\xff", b"[" * 100_000, json.dumps([PING]).encode(), b"{}"]
)
def test_a_body_that_is_not_a_message_is_refused(server: McpHttpServer, body: bytes) -> None:
    answer = ask(server, body)

    assert answer.status == 400
    assert "error" in answer.json


@pytest.mark.parametrize("accept", [None, "application/json", "text/event-stream", "text/html"])
def test_both_kinds_of_answers_must_be_acceptable(server: McpHttpServer, accept: str | None) -> None:
    answer = ask(server, Accept=accept)

    assert answer.status == 400
    assert "Both application/json and text/event-stream required" in answer.json["error"]["message"]


def test_a_body_that_is_too_long_is_refused(server: McpHttpServer) -> None:
    assert ask(server, b"", Content_Length=str(LIMIT + 1)).status == 413


def test_the_older_form_of_a_call_is_answered_in_its_own_form(server: McpHttpServer) -> None:
    told = ask(server, {"tool": "ui.query", "input": {"selector": {"css": "#report"}}}).json

    assert told["output"]["matches"][0]["id"] == "report"
    assert (
        ask(server, {"tool": "ui_get_node", "input": {"ref": "u-none"}}).json["error"]["code"]
        == "MCP_UI_NODE_NOT_FOUND"
    )


# -- who may ask ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "OPTIONS", "HEAD"])
def test_only_post_is_answered_for_any_client(server: McpHttpServer, method: str) -> None:
    answer = ask(server, b"", method=method, Authorization=None, Origin="http://evil.example")

    assert answer.status == 405
    assert answer.headers["allow"] == "POST"


def test_a_foreign_page_is_refused_before_the_token_is_looked_at(server: McpHttpServer) -> None:
    for origin in ("http://evil.example", "null", "https://127.0.0.1.evil.example", "file://"):
        assert ask(server, Origin=origin, Authorization=None).status == 403
        assert ask(server, Origin=origin).status == 403


@pytest.mark.parametrize("origin", ["http://localhost:6274", "http://127.0.0.1", "http://[::1]:9"])
def test_programs_of_this_machine_may_name_their_origin(server: McpHttpServer, origin: str) -> None:
    assert ask(server, Origin=origin).status == 200


def test_a_foreign_host_is_refused(server: McpHttpServer) -> None:
    for host in ("evil.example", "evil.example:80", "127.0.0.1.evil.example"):
        assert ask(server, Host=host).status == 403
    assert ask(server, Host="localhost:1234").status == 200


@pytest.mark.parametrize("given", [None, "Bearer wrong", "Bearer", "Basic czNjcmV0", f"bearer{TOKEN}", ""])
def test_without_the_token_nothing_is_answered(server: McpHttpServer, given: str | None) -> None:
    answer = ask(server, Authorization=given)

    assert answer.status == 401
    assert answer.headers["www-authenticate"] == "Bearer"
    assert TOKEN.encode() not in answer.body


def test_health_needs_no_token_and_lists_the_tools(server: McpHttpServer) -> None:
    answer = ask(server, b"", method="GET", path="/health", Authorization=None, Accept=None)

    assert answer.status == 200
    assert answer.json["ok"] is True
    assert answer.json["schema"] == "mcp-javafx-ui/1.0"
    assert answer.json["transport"] == "streamable-http-stateless"
    assert "ui_perform" in answer.json["tools"]
    assert ask(server, b"", method="GET", path="/health", Host="evil.example").status == 403
    assert ask(server, path="/health").status == 405


@pytest.mark.parametrize("path", ["/", "/mcpx", "/mcp/more", "/sse", "/health/x"])
def test_there_is_nothing_elsewhere(server: McpHttpServer, path: str) -> None:
    assert ask(server, path=path).status == 404


def test_a_taken_port_is_reported(server: McpHttpServer, session: Session) -> None:
    with pytest.raises(AddressInUse):
        McpHttpServer("127.0.0.1", urlsplit(server.url).port or 0, mcp_server(session))


# -- several at once ----------------------------------------------------------------------------------------


def test_a_waiting_call_does_not_delay_others_and_ends_when_its_caller_disconnects(
    server: McpHttpServer,
) -> None:
    waiting = request(
        "tools/call",
        {"name": "ui_wait", "arguments": {"selector": {"css": "#never"}, "timeoutMs": 60_000}},
    )
    connection = http.client.HTTPConnection("127.0.0.1", urlsplit(server.url).port or 0)
    connection.request("POST", "/mcp", json.dumps(waiting), SENT)
    _until(lambda: _calls() > 0)
    began = time.monotonic()
    assert ask(server, request("tools/call", {"name": "ui_get_snapshot"})).status == 200
    assert time.monotonic() - began < 3

    connection.close()

    _until(lambda: _calls() == 0)


def _calls() -> int:
    return sum(thread.name == "deskhand-call" for thread in threading.enumerate())


def _until(condition: Any, timeout: float = 10) -> None:
    deadline = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_many_calls_at_once_are_all_answered(server: McpHttpServer) -> None:
    found: list[int] = []

    def one(number: int) -> None:
        told = ask(
            server,
            request("tools/call", {"name": "ui_query", "arguments": {"selector": {"css": "#twin"}}}, number),
        )
        found.append(told.json["id"] if told.json["result"]["structuredContent"]["output"]["matches"] else -1)

    threads = [threading.Thread(target=one, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)

    assert sorted(found) == list(range(12))
