"""Lets pages of named origins use a server, as browsers want it (CORS). Pure ASGI; knows no protocol.

The guard behind it decides which requests are taken; here a browser only learns that they would be.
"""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlsplit

from .request_guard import Guard, Message, Receive, Refusal, Scope, Send, refuse

_METHODS = b"GET, POST, DELETE"
_HEADERS = b"authorization, content-type, x-idempotency-key"
_REMEMBERED = b"600"
"""How long a browser need not ask again, in seconds."""


def is_origin(text: str) -> bool:
    """Whether a text is the origin of pages, as browsers write it: no path, no default port."""
    try:
        parts = urlsplit(text)
        default = {"http": 80, "https": 443}[parts.scheme]
        wrong = not parts.hostname or "@" in parts.netloc or parts.port == default
    except (ValueError, KeyError):
        return False
    return not wrong and f"{parts.scheme}://{parts.netloc}" == text == text.lower()


class AllowedPages:
    """In front of a guard that accepts requests from the same origins."""

    def __init__(self, guard: Guard, origins: Iterable[str], refusal: Refusal) -> None:
        self._guard = guard
        self._origins = frozenset(origins)
        self._refusal = refusal

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        origin = _origin(scope) if scope["type"] == "http" else None
        if origin is None or origin not in self._origins:
            await self._guard(scope, receive, send)
            return

        allowed = [(b"access-control-allow-origin", origin.encode()), (b"vary", b"origin")]

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], *allowed]}
            await send(message)

        if scope["method"] != "OPTIONS":
            await self._guard(scope, receive, sending)
        elif refusal := self._guard.peer_refusal(scope):
            await refuse(scope, receive, send, *refusal, self._refusal)
        else:
            allowed += [
                (b"access-control-allow-methods", _METHODS),
                (b"access-control-allow-headers", _HEADERS),
                (b"access-control-max-age", _REMEMBERED),
            ]
            await sending({"type": "http.response.start", "status": 204, "headers": []})
            await sending({"type": "http.response.body", "body": b""})


def _origin(scope: Scope) -> str | None:
    found = [value for name, value in scope["headers"] if name.lower() == b"origin"]
    return found[0].decode("latin-1") if len(found) == 1 else None
