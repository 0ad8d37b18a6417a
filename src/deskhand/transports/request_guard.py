"""What every HTTP and WebSocket endpoint checks before it accepts a request. Pure ASGI; knows no protocol.

A web page can make its visitor's browser send requests to this machine. So the Host must be a name of this
machine that no foreign DNS can make up, an Origin must be our own, and a token can be asked for.
"""

from __future__ import annotations

import ipaddress
import json
import socket
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any, Literal
from urllib.parse import urlsplit

from .bearer import Bearer, Bearers, bearer, the_only
from .limits import TOO_MUCH, Share

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Refusal = Callable[[int, str], bytes]
"""Writes the JSON for those who are not let in: a status, and the reason."""

STRANGER = "deskhand.stranger"
"""In the state of a connection: why its peer is refused, whatever it asks for."""
LIMIT = 16 * 1024 * 1024
"""How long a request's body may be, in bytes, by default."""
JSON_KINDS = frozenset(
    (
        "",
        "application/json",
        "application/json-rpc",
        "application/jsonrequest",
        # What curl -d and urllib call every body. A form of a web page cannot write JSON that way: its quotes
        # are escaped; a script's requests are known by their Origin.
        "application/x-www-form-urlencoded",
    )
)
"""Content types of JSON."""
_LOOPBACK = frozenset(("localhost", "127.0.0.1", "::1"))
_TAKEN_IN = 1 << 30
"""How much of a refused body is still read, in bytes: a client that is still sending does not read the
answer, and would see only a broken connection."""


def plain_refusal(_status: int, reason: str) -> bytes:
    """A JSON object with the reason."""
    return json.dumps({"error": reason}).encode()


class Guard:
    """Lets requests through to an ASGI app, or answers them with 400, 401, 403, 413 or 415 and the reason."""

    def __init__(
        self,
        app: App,
        *,
        bound_to: str = "127.0.0.1",
        token: str | Bearers | None = None,
        limit: int = LIMIT,
        hosts: Iterable[str] = (),
        open_paths: Iterable[str] = (),
        streamed: Iterable[str] = (),
        refused: Iterable[str] = (),
        local_origins: bool = False,
        origins: Iterable[str] = (),
        json_only: Literal["always", "browsers"] | None = None,
        refusal: Refusal = plain_refusal,
    ) -> None:
        """`token` is what is asked for, or says who bears which; `open_paths` need none. `hosts` are further
        names by which this machine may be called.

        Bodies at `streamed` paths may be of any length; those of `refused` content types are not taken.
        With `local_origins` and a token, programs that name an Origin of this machine may ask, whatever its
        port; pages of `origins` may in any case. `json_only` says of whom only content types for JSON are
        taken.
        """
        self._app = app
        self._bearers = the_only(token) if isinstance(token, str) else token
        self._limit = limit
        self._any_ip = not is_loopback(bound_to)
        self._hosts = _LOOPBACK | {bound_to.lower().strip("[]"), *(host.lower() for host in hosts)}
        if self._any_ip:
            self._hosts |= _own_names(socket.gethostname())
        self._open_paths = frozenset(open_paths)
        self._streamed = frozenset(streamed)
        self._refused = frozenset(refused)
        self._local_origins = local_origins and token is not None
        self._origins = frozenset(origins)
        self._json_only = json_only
        self._refusal_text = refusal

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = _headers(scope)
        refusal, known = self._refusal(scope, headers)
        if known is not None and scope["type"] == "websocket":
            receive, send = _while_valid(known, receive, send)
        # Also where it is None: a task may have begun with the context of the request before.
        before = bearer.set(known)
        try:
            await self._pass_on(scope, receive, send, headers, refusal)
        finally:
            bearer.reset(before)

    async def _pass_on(
        self,
        scope: Scope,
        receive: Receive,
        send: Send,
        headers: dict[str, list[str]],
        refusal: tuple[int, str] | None,
    ) -> None:
        with Share() as share:
            if refusal is None and scope["type"] == "http" and scope["path"] not in self._streamed:
                refusal, receive = await self._limited(headers, receive, share)
            if refusal is None:
                await self._app(scope, receive, send)
            else:
                await refuse(scope, receive, send, *refusal, self._refusal_text)

    def _refusal(
        self, scope: Scope, headers: dict[str, list[str]]
    ) -> tuple[tuple[int, str] | None, Bearer | None]:
        """Why a request is refused, if it is, and whose token it bears."""
        refusal = self._wrong_peer(scope, headers) or self._foreign(headers)
        known: Bearer | None = None
        if refusal is None and self._bearers is not None and scope["path"] not in self._open_paths:
            found = self._bearer(self._bearers, headers.get("authorization", []))
            if isinstance(found, str):
                return (401, found), None
            known = found
        return refusal or self._unreadable(headers), known

    def _foreign(self, headers: dict[str, list[str]]) -> tuple[int, str] | None:
        """Why a request is not taken from the page that sent it."""
        hosts, origins = headers["host"], headers.get("origin", [])
        if len(origins) == 1 and origins[0] in self._origins:
            return None
        for origin in origins:
            if not (_same_origin(origin, hosts[0]) or (self._local_origins and _is_local(origin))):
                return 403, f"requests from the page {_shown([origin])} are not allowed"
        for site in headers.get("sec-fetch-site", []):
            if site not in ("same-origin", "none"):
                return 403, "requests from pages of other sites are not allowed"
        return None

    def _unreadable(self, headers: dict[str, list[str]]) -> tuple[int, str] | None:
        """Why a request is not read."""
        if "content-length" in headers and "transfer-encoding" in headers:
            return 400, "a request has Content-Length or Transfer-Encoding, not both"
        browser = any(name == "origin" or name.startswith("sec-fetch-") for name in headers)
        json_only = self._json_only == "always" or (self._json_only == "browsers" and browser)
        for kind in headers.get("content-type", []):
            name = kind.partition(";")[0].strip().lower()
            if name in self._refused or (json_only and name not in JSON_KINDS):
                return 415, f"send application/json, not {name[:60]}"
        return None

    def peer_refusal(self, scope: Scope) -> tuple[int, str] | None:
        """Why its peer, or the name by which it calls this machine, rules a request out, whatever it is."""
        return self._wrong_peer(scope, _headers(scope))

    def _wrong_peer(self, scope: Scope, headers: dict[str, list[str]]) -> tuple[int, str] | None:
        if (reason := scope.get("state", {}).get(STRANGER)) is not None:
            return 403, f"{reason}; --allow-other-users lets them in"
        hosts = headers.get("host", [])
        if len(hosts) != 1 or not self._is_here(hosts[0]):
            return 403, f"the host {_shown(hosts)} is not this machine; use 127.0.0.1 or localhost"
        return None

    def _bearer(self, bearers: Bearers, given: list[str]) -> Bearer | str:
        """Whose token it is; the reason if it is not accepted."""
        if len(given) != 1:
            return "a token is needed: Authorization: Bearer TOKEN"
        scheme, _, token = given[0].partition(" ")
        found = bearers(token.strip())
        return "the token is wrong" if found is None or scheme.lower() != "bearer" else found

    def _is_here(self, host: str) -> bool:
        name = _name_of(host)
        return name is not None and (name in self._hosts or (self._any_ip and _is_ip(name)))

    async def _limited(
        self, headers: dict[str, list[str]], receive: Receive, share: Share
    ) -> tuple[tuple[int, str] | None, Receive]:
        """Refuse a body that is too long, and read any other, as far as there is memory for all of them."""
        too_long = (413, f"a request may be {self._limit} bytes long")
        lengths = headers.get("content-length", [])
        if not all(length.isascii() and length.isdigit() for length in lengths):
            return (400, "Content-Length is not a number"), receive
        if lengths and max(map(int, lengths)) > self._limit:
            return too_long, receive
        if not lengths and "transfer-encoding" not in headers:
            return None, receive
        body = bytearray()
        while True:
            message = await receive()
            if message["type"] != "http.request":
                return (400, "the request ended too early"), receive
            piece = message.get("body", b"")
            if not share.add(len(piece)):
                return (503, TOO_MUCH), receive
            body += piece
            if len(body) > self._limit:
                return too_long, receive
            if not message.get("more_body"):
                return None, replay(bytes(body), receive)


def _while_valid(known: Bearer, receive: Receive, send: Send) -> tuple[Receive, Send]:
    """The two ends of a WebSocket that is closed when its token is not accepted any more."""

    async def closed() -> bool:
        if known.valid:
            return False
        await send({"type": "websocket.close", "code": 1008, "reason": "the token is not accepted any more"})
        return True

    async def receiving() -> Message:
        message = await receive()
        if message["type"] == "websocket.receive" and await closed():
            return {"type": "websocket.disconnect", "code": 1008}
        return message

    async def sending(message: Message) -> None:
        if message["type"] == "websocket.send" and await closed():
            raise ConnectionError("the token is not accepted any more")
        await send(message)

    return receiving, sending


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server bound to that address."""
    name = host.lower().strip("[]")
    return name == "localhost" or (_is_ip(name) and ipaddress.ip_address(name).is_loopback)


def _own_names(host: str) -> set[str]:
    """The names of this machine: no foreign DNS server can make these point to it."""
    name = host.lower().rstrip(".")
    return {name, name.partition(".")[0], f"{name.partition('.')[0]}.local"}


def _is_ip(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _name_of(host: str) -> str | None:
    """The host without its port; None if it is none."""
    try:
        parts = urlsplit(f"//{host}")
        _ = parts.port  # raises if that is not a port
    except ValueError:
        return None
    return parts.hostname if parts.netloc == host and "@" not in host else None


def _same_origin(origin: str, host: str) -> bool:
    try:
        parts = urlsplit(origin)
        default = {"http": 80, "https": 443}[parts.scheme]
        mine = urlsplit(f"//{host}")
        return (parts.hostname, parts.port or default) == (mine.hostname, mine.port or default)
    except (ValueError, KeyError):
        return False


def _is_local(origin: str) -> bool:
    try:
        parts = urlsplit(origin)
        _ = parts.port  # raises if that is not a port
    except ValueError:
        return False
    plain = f"{parts.scheme}://{parts.netloc}" == origin and "@" not in parts.netloc
    return plain and parts.scheme in ("http", "https") and parts.hostname in _LOOPBACK


def _headers(scope: Scope) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in scope["headers"]:
        found.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    return found


def _shown(values: list[str]) -> str:
    return " and ".join(f"'{value[:100]}'" for value in values) or "(none given)"


def replay(body: bytes, receive: Receive) -> Receive:
    """A body that was read already, for who is to read it; what comes after it follows."""
    sent = False

    async def again() -> Message:
        nonlocal sent
        if sent:
            return await receive()
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


def _arrives(scope: Scope) -> bool:
    """Whether what is left of a body may come, so that the connection can be kept for the next request."""
    headers = _headers(scope)
    announced = max((int(text) for text in headers.get("content-length", []) if text.isdecimal()), default=0)
    return "expect" not in headers and announced <= _TAKEN_IN


async def refuse(
    scope: Scope, receive: Receive, send: Send, status: int, reason: str, refusal: Refusal = plain_refusal
) -> None:
    """Answer a request with a status and the reason."""
    body = refusal(status, reason)
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    if not _arrives(scope):
        headers.append((b"connection", b"close"))
    prefix = "http.response"
    if scope["type"] == "websocket":
        await receive()
        if "websocket.http.response" not in (scope.get("extensions") or {}):
            await send({"type": "websocket.close", "code": 1008, "reason": reason[:100]})
            return
        prefix = "websocket.http.response"
    await send({"type": f"{prefix}.start", "status": status, "headers": headers})
    await send({"type": f"{prefix}.body", "body": body})
