"""Which app a name, process id or address stands for."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches

from .. import registry
from ..model.errors import ConnectFailed, NotFound
from ..transports.address import socket_path
from ..transports.interface import CannotConnect
from ..transports.open import kind_of


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


def target(address: str) -> Target:
    """What `connect` was given: the name of a running app, a socket's name or path, or a URL."""
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
