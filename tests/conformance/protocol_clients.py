"""Clients of the other protocols, whose servers drive an app in this process."""

from __future__ import annotations

import json
import threading
from typing import Any, TypeVar

from deskhand import App
from deskhand.model import operations as ops
from deskhand.protocols.orca.server import OrcaServer
from deskhand.protocols.orca.tree import Document

R = TypeVar("R")


class Through:
    """An app as the runner of a protocol's server."""

    def __init__(self, app: App) -> None:
        self._app = app

    def run(self, operation: ops.Operation[R], cancel: object = None) -> R:
        return self._app.run(operation)

    def close(self) -> None:
        pass


class Orca:
    """A client of the Orca contract, whose targets are paths of its document."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._conversation = OrcaServer(Through(app)).conversation("", "", "")

    def call(self, method: str, **params: object) -> Any:
        message = json.dumps({"id": 1, "method": method, "params": params}).encode()
        return json.loads(self._conversation.handle(message, threading.Event()))["result"]

    def target(self, selector: str) -> dict[str, str]:
        uid = self._app.locator(selector).get().uid
        document = Document(self._app.tree())
        return {"path": next(one.path for one in (*document.items, *document.imgui) if one.node.uid == uid)}
