"""Writes down the requests that no protocol gets to see: those that are refused, and what is not for one.

An ASGI app around all others, so that every HTTP server does it alike. Neither headers nor queries are kept:
tokens may be in them.
"""

from __future__ import annotations

import json
from typing import Any

from .interface import Log
from .request_guard import App, Message, Receive, Scope, Send

_TAKEN = "deskhand.taken"
_PARAMS = "deskhand.params"
_LONGEST_PATH = 500
_KEPT = 65536
"""How much of an answer is kept, in bytes."""


def taken(scope: Scope) -> None:
    """Leave a request to its protocol, which writes down what it is asked and answers."""
    scope[_TAKEN] = True


def tell(scope: Scope, params: Any) -> None:
    """Say what a request is about that is written down here; there must be no secret in it."""
    scope[_PARAMS] = params


class Journal:
    """An ASGI app that writes down what another does, but for what is taken."""

    def __init__(self, app: App, log: Log) -> None:
        self._app = app
        self._log = log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        status, body, answered = 0, bytearray(), False

        async def sending(message: Message) -> None:
            nonlocal status, answered
            what = message["type"].rpartition(".")[2]
            if what == "start":
                status = message["status"]
            elif not answered and not scope.get(_TAKEN):
                if what == "body":
                    body.extend(message.get("body", b"")[: _KEPT - len(body)])
                else:
                    status = 101 if what == "accept" else 403
                    body.extend((message.get("reason") or "").encode())
                if not message.get("more_body"):
                    # Before it is sent, so that who was answered finds it.
                    answered = True
                    write_down(self._log, scope, status, bytes(body))
            await send(message)

        try:
            await self._app(scope, receive, sending)
        finally:
            if not answered and not scope.get(_TAKEN):
                write_down(self._log, scope)


def write_down(log: Log, scope: Scope, status: int | None = None, body: bytes = b"") -> None:
    """Write down a request, and how it was answered."""
    peer = peer_of(scope)
    asked = {"method": f"{scope.get('method', 'GET')} {scope['path'][:_LONGEST_PATH]}"}
    if scope["type"] == "websocket":
        asked["upgrade"] = "websocket"
    if _PARAMS in scope:
        asked["params"] = scope[_PARAMS]
    log.write(peer, "in", _json(asked))
    if status is not None:
        log.write(peer, "out", answer(status, body))


def peer_of(scope: Scope) -> str:
    """Whose request it is, in words for a log."""
    client = scope.get("client")
    return "http" if client is None else f"http {client[0]}:{client[1]}"


def answer(status: int, body: bytes) -> bytes:
    """An answer as it is written down."""
    said: dict[str, Any] = {"status": status}
    if body:
        try:
            said["body"] = json.loads(body)
        except (ValueError, RecursionError):
            said["body"] = body.decode("utf-8", "replace")
    return _json(said)


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
