"""Clients of the other protocols, whose servers drive an app in this process."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from typing import Any, TypeVar

from deskhand import App
from deskhand.model import operations as ops
from deskhand.protocols.orca.tree import Document
from deskhand.serving.agent import agent_server
from deskhand.serving.orca import orca_server

R = TypeVar("R")


class Through:
    """An app as the runner of a protocol's server."""

    def __init__(self, app: App) -> None:
        self._app = app

    def run(self, operation: ops.Operation[R], cancel: object = None) -> R:
        return self._app.run(operation)

    def close(self) -> None:
        pass


class AgentClient:
    """A client of the Agent contract."""

    def __init__(self, app: App) -> None:
        self._server = agent_server(Through(app))

    def post(self, path: str, **body: object) -> Any:
        reply = self._server.handle(_Request(path, json.dumps(body).encode()), threading.Event())
        return json.loads(reply.body if isinstance(reply.body, bytes) else b"".join(reply.body))


class _Request:
    """A request of HTTP, without HTTP."""

    method, peer = "POST", "test"

    def __init__(self, path: str, body: bytes) -> None:
        self.path, self.body = path, body
        self.query: dict[str, str] = {}

    def read(self, limit: int) -> bytes:
        return self.body

    def chunks(self) -> Iterator[bytes]:
        yield self.body


class Orca:
    """A client of the Orca contract, whose targets are paths of its document."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._conversation = orca_server(Through(app)).conversation("", "", "")

    def call(self, method: str, **params: object) -> Any:
        message = json.dumps({"id": 1, "method": method, "params": params}).encode()
        return json.loads(self._conversation.handle(message, threading.Event()))["result"]

    def target(self, selector: str) -> dict[str, str]:
        uid = self._app.locator(selector).get().uid
        document = Document(self._app.tree())
        return {"path": next(one.path for one in (*document.items, *document.imgui) if one.node.uid == uid)}
