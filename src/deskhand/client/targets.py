"""Which app a name, process id or address stands for."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from urllib.parse import urlsplit

from .. import registry
from ..model.errors import ConnectFailed, InvalidParams, NotFound
from ..transports.address import socket_path
from ..transports.interface import CannotConnect
from ..transports.open import kind_of

AGENT = "agent://"
AGENT_PORT = 8648
"""Where an agent listens unless told otherwise."""


@dataclass(frozen=True)
class Target:
    """Where an app can be reached."""

    address: str
    name: str | None = None
    pid: int | None = None
    ours: bool = False
    """Whether one of our own engines is known to be there."""


def app_target(name: str | None = None, *, pid: int | None = None) -> Target:
    """The running app of that name or process id; the only one there is if neither is given."""
    return registered(registry.app(name, pid=pid))


def registered(entry: registry.Entry) -> Target:
    """Where an app of the registry can be reached."""
    return Target(f"unix:{entry.control}", entry.name, entry.pid, ours=True)


def agent_target(address: str) -> Target:
    """The agent at `HOST`, `HOST:PORT` or `agent://HOST:PORT`."""
    host, port = agent_address(address)
    return Target(f"{AGENT}[{host}]:{port}" if ":" in host else f"{AGENT}{host}:{port}")


def agent_address(address: str) -> tuple[str, int]:
    """Host and port of an agent; an IPv6 address that has a port stands in brackets."""
    text = address.removeprefix(AGENT).removesuffix("/")
    if text.count(":") > 1 and not text.startswith("["):
        text = f"[{text}]"
    try:
        parts = urlsplit(f"//{text}")
        host, port = parts.hostname, AGENT_PORT if parts.port is None else parts.port
    except ValueError:
        host, port = None, 0
    if not host or not port or parts.netloc != text or "@" in text or any(map(str.isspace, text)):
        raise InvalidParams(
            f"'{address}' is no address of an agent; use HOST, HOST:PORT or {AGENT}HOST:PORT",
            target=address,
            field="agent",
        )
    return host, port


def target(address: str) -> Target:
    """What `connect` was given: the name of a running app, a socket's name or path, or a URL."""
    if address.startswith(AGENT):
        return agent_target(address)
    if "/" in address or ":" in address or "\\" in address:
        _check(address)
        return Target(address)
    running = registry.apps()
    named = [entry for entry in running if entry.name == address]
    if named:
        return app_target(address)
    if socket_path(address).exists():
        return Target(address)
    names = sorted({entry.name for entry in running})
    near = tuple(get_close_matches(address, names, n=3)) or tuple(names[:10])
    seen = f"; running: {', '.join(names[:10])}" if names else "; no app runs that deskhand can drive"
    raise NotFound(
        f"no app named '{address}', and no socket {socket_path(address)}{seen}",
        target=address,
        near=near,
        suggestions=() if names else ("start one: deskhand run -- python app.py",),
    )


def _check(address: str) -> None:
    try:
        kind_of(address)
    except CannotConnect as error:
        raise ConnectFailed(str(error), target=address) from None
