"""One of each HTTP server, as it is served, and requests written by hand."""

from __future__ import annotations

import json
import logging
import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from deskhand.engine.session import Session
from deskhand.protocols.agent.errors import refusal
from deskhand.protocols.gip.server import GipServer
from deskhand.protocols.orca.server import HEALTH, OrcaServer
from deskhand.protocols.wirelog import WireLog
from deskhand.serving.agent import agent_server
from deskhand.serving.mcp import mcp_server
from deskhand.serving.orca import OrcaEvents
from deskhand.transports.events import EventSocket
from deskhand.transports.http import HttpServer
from deskhand.transports.mcp import McpHttpServer
from deskhand.transports.oneshot import OneShotServer
from deskhand.transports.rest import RestServer

KINDS = ("gip", "agent", "orca", "mcp")
TOKEN = "s3cret-token"
UPGRADE = (
    "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
)  # fmt: skip
_SENT = ("Content-Type: application/json", "Accept: application/json, text/event-stream")
_PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


def complaints(records: list[logging.LogRecord]) -> list[str]:
    """What an HTTP server said of its peers, and nothing that others say in the same process."""
    return [
        record.getMessage()
        for record in records
        if record.name.startswith(("uvicorn", "deskhand.http", "websockets"))
        or (record.name == "asyncio" and "Fatal error" in record.getMessage())
    ]


class Answer(NamedTuple):
    status: int
    head: str
    body: bytes


class Served(NamedTuple):
    """A server and its log. `path` is where `message` is asked, and `written` what the log calls that."""

    kind: str
    port: int
    path: str
    message: dict[str, Any]
    written: str
    log: Path

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log.read_text().splitlines()]

    def send(self, text: bytes) -> Answer:
        """What is answered to some bytes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=20) as peer:
            peer.sendall(text)
            answer = b""
            while b"\r\n\r\n" not in answer and (piece := peer.recv(65536)):
                answer += piece
            head, _, body = answer.partition(b"\r\n\r\n")
            names = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
            length = int(names.get(b"content-length", b"0"))
            while len(body) < length and (piece := peer.recv(65536)):
                body += piece
        return Answer(int(head.split(b" ")[1]), head.decode().lower(), body)

    def ask(
        self,
        *lines: str,
        method: str = "POST",
        target: str | None = None,
        host: str = "127.0.0.1",
        token: str | None = TOKEN,
        body: bytes | None = None,
        version: str = "1.1",
    ) -> Answer:
        """What is answered to a request; without a body of its own, the one that this server understands."""
        sent = json.dumps(self.message).encode() if body is None else body
        said = [
            f"{method} {target or self.path} HTTP/{version}",
            *([f"Host: {host}"] if host else []),
            *lines,
        ]
        if token is not None:
            said.append(f"Authorization: Bearer {token}")
        if UPGRADE[0] not in lines:
            said += [*_SENT, f"Content-Length: {len(sent)}"]
        else:
            sent = b""
        return self.send("\r\n".join((*said, "", "")).encode() + sent)


@contextmanager
def serving(kind: str, session: Session, folder: Path, *, text: bool = True) -> Iterator[Served]:
    """A server that asks for a token and writes down what happens."""
    log = WireLog(folder / kind, text=text)
    # Not about users: of a peer that leaves at once, as some here do, the user cannot be found out.
    here: dict[str, Any] = {"token": TOKEN, "other_users": True, "log": log}
    server: Any
    match kind:
        case "gip":
            gip = GipServer(session, log=log).conversation
            server = HttpServer("http://127.0.0.1:0/gip", gip, **here)
            path, message, written = "/gip", _PING, "ping"
        case "agent":
            agent = agent_server(session, log=log)
            server = RestServer("127.0.0.1", 0, agent.handle, refusal=refusal, **here)
            path, message, written = "/windows", {}, "POST /windows"
        case "orca":
            orca = OrcaServer(session, log=log).conversation
            events = {"/events": EventSocket(OrcaEvents(session))}
            names = {"health": HEALTH, "server": "test", "sockets": events}
            server = OneShotServer("127.0.0.1", 0, "/jsonrpc", orca, **names, **here)
            path, message, written = (
                "/jsonrpc",
                {**_PING, "method": "automation.version"},
                "automation.version",
            )
        case _:
            call = {"name": "ui_query", "arguments": {"selector": {"css": "button"}}}
            server = McpHttpServer("127.0.0.1", 0, mcp_server(session, log=log), **here)
            path, message, written = "/mcp", {**_PING, "method": "tools/call", "params": call}, "tools/call"
    with closing(server), closing(log):
        port = int(server.url.split("/")[2].rpartition(":")[2])
        yield Served(kind, port, path, message, written, log.path)
