"""One client of each protocol, all with the same few verbs."""

from __future__ import annotations

import base64
import http.client
import json
import socket
from contextlib import suppress
from typing import Any, Protocol
from urllib.parse import urlsplit

from deskhand import App, connect, expect

PATIENCE = 60.0
"""How long anything may take on a busy machine, in seconds."""
_MILLISECONDS = int(PATIENCE * 1000)
ENDPOINTS = (
    *("--gip", "ws://127.0.0.1:0/", "--gip", "http://127.0.0.1:0/"),
    *("--orca", "0", "--agent", "0", "--mcp", "0"),
)
_NEVER = "button[name='never there']"


class Wrong(Exception):
    """The app or an endpoint did not do what it should."""


class Driver(Protocol):
    """A connected client."""

    def read(self) -> int:
        """Read everything; how many nodes there are."""

    def count(self, selector: str) -> int: ...
    def text(self, selector: str) -> str: ...
    def click(self, selector: str) -> None: ...
    def fill(self, selector: str, text: str) -> None: ...
    def type(self, selector: str, text: str) -> None: ...
    def wait_for_text(self, selector: str, text: str) -> None: ...
    def screenshot(self) -> bytes: ...
    def close(self) -> None: ...


def driver(protocol: str, url: str, token: str) -> Driver:
    """A new connection."""
    if protocol == "mcp":
        return Mcp(url, token)
    where = urlsplit(url)
    return Client({"orca": f"orca://{where.netloc}", "agent": f"agent://{where.netloc}"}.get(protocol, url))


class Client:
    """Our own client, which speaks GIP, the Orca contract or the Agent contract."""

    def __init__(self, url: str) -> None:
        self._app: App = connect(url, default_timeout=PATIENCE)

    def read(self) -> int:
        return len(self._app.tree().nodes)

    def count(self, selector: str) -> int:
        return self._app.locator(selector).count()

    def text(self, selector: str) -> str:
        node = self._app.locator(selector).first.get()
        return node.text or node.value or ""

    def click(self, selector: str) -> None:
        self._app.locator(selector).click()

    def fill(self, selector: str, text: str) -> None:
        self._app.locator(selector).fill(text)

    def type(self, selector: str, text: str) -> None:
        self._app.locator(selector).type(text)

    def wait_for_text(self, selector: str, text: str) -> None:
        expect(self._app.locator(selector).first).to_have_text(text, timeout=PATIENCE)

    def screenshot(self) -> bytes:
        return self._app.screenshot().png

    def close(self) -> None:
        self._app.close()


class Mcp:
    """A plain client of MCP over HTTP, on one connection."""

    def __init__(self, url: str, token: str) -> None:
        self._token = token
        where = urlsplit(url)
        self._path = where.path
        self._connection = http.client.HTTPConnection(where.hostname or "", where.port, timeout=PATIENCE)
        self._call("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=_WHO)

    def read(self) -> int:
        snapshot = self._use("ui_get_snapshot", stage="all", mode="full", maxTokens=100_000)
        waiting = [stage["scene"]["root"] for stage in snapshot["stages"]]
        found = 0
        while waiting:
            found += 1
            waiting += waiting.pop().get("children") or ()
        return found

    def count(self, selector: str) -> int:
        return len(self._matches(selector))

    def text(self, selector: str) -> str:
        node = self._use("ui_get_node", ref=self._matches(selector)[0]["ref"])
        said = node.get("text") or {}
        return said.get("label") or (node.get("value") or {}).get("text") or ""

    def click(self, selector: str) -> None:
        self._perform(type="click", target=self._target(selector))

    def fill(self, selector: str, text: str) -> None:
        self._perform(type="setText", target=self._target(selector), text=text)

    def type(self, selector: str, text: str) -> None:
        self._perform(type="typeText", target=self._target(selector), text=text)

    def wait_for_text(self, selector: str, text: str) -> None:
        self._use(
            "ui_wait", selector={"css": selector}, until="text", value=text, match="equals",
            timeoutMs=_MILLISECONDS,
        )  # fmt: skip

    def screenshot(self) -> bytes:
        return base64.b64decode(self._use("ui_screenshot")["dataBase64"])

    def close(self) -> None:
        self._connection.close()

    def _matches(self, selector: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self._use(
            "ui_query", selector={"css": selector}, scope={"stage": "all"}
        )["matches"]
        return found

    def _target(self, selector: str) -> dict[str, Any]:
        return {"ref": self._matches(selector)[0]["ref"]}

    def _perform(self, **action: Any) -> None:
        self._use("ui_perform", actions=[action], timeoutMs=_MILLISECONDS)

    def _use(self, tool: str, **arguments: Any) -> Any:
        answer = self._call("tools/call", name=tool, arguments=arguments)
        if answer.get("isError"):
            raise Wrong(f"{tool} {arguments}: {answer['structuredContent']['error']}")
        return answer["structuredContent"]["output"]

    def _call(self, method: str, **params: Any) -> Any:
        self._connection.request("POST", self._path, *_mcp(method, params, self._token))
        answer = json.loads(self._connection.getresponse().read())
        if "error" in answer:
            raise Wrong(f"{method}: {answer['error']}")
        return answer["result"]


_WHO = {"name": "soak", "version": "1"}


def _mcp(method: str, params: dict[str, Any], token: str) -> tuple[str, dict[str, str]]:
    headers = {
        "Authorization": f"Bearer {token}", "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
    }  # fmt: skip
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}), headers


def abandon(protocol: str, url: str, token: str) -> None:
    """Wait for something that never comes, and leave without the answer."""
    where = urlsplit(url)
    if protocol == "gip-unix":
        _leave_socket(url.removeprefix("unix:"))
        return
    path, body, headers = "/", "", {"Content-Type": "application/json"}
    wait = {"target": _NEVER, "state": "exists", "timeout": 20}
    if protocol == "gip-http":
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "deskhand_wait", "params": wait})
    elif protocol == "orca":
        params = {"target": {"id": "never_there"}, "state": "exists", "timeout_ms": 20_000}
        path = where.path
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "sync.wait_for", "params": params})
    elif protocol == "agent":
        path, body = "/wait", json.dumps({"window": "never there", "timeout": 20})
    elif protocol == "mcp":
        path = where.path
        arguments = {"selector": {"css": _NEVER}, "until": "exists", "timeoutMs": 20_000}
        body, headers = _mcp("tools/call", {"name": "ui_wait", "arguments": arguments}, token)
    else:
        return
    connection = http.client.HTTPConnection(where.hostname or "", where.port, timeout=PATIENCE)
    connection.request("POST", path, body, headers)
    connection.sock.settimeout(0.05)
    with suppress(TimeoutError):
        raise Wrong(f"{protocol} answered a wait for what is not there: {connection.sock.recv(1000)!r}")
    connection.close()


def _leave_socket(path: str) -> None:
    wait = {"target": _NEVER, "state": "exists", "timeout": 20}
    with socket.socket(socket.AF_UNIX) as channel:
        channel.connect(path)
        request = {"jsonrpc": "2.0", "id": 1, "method": "deskhand_wait", "params": wait}
        channel.sendall(json.dumps(request).encode() + b"\n")
        channel.settimeout(0.05)
        with suppress(TimeoutError):
            raise Wrong(f"gip answered a wait for what is not there: {channel.recv(1000)!r}")
