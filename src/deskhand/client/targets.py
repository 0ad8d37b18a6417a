"""Which app a name, process id or address stands for."""

from __future__ import annotations

import os
from dataclasses import dataclass
from urllib.parse import urlsplit

from ..engine.session import Session
from ..model.alike import alike, did_you_mean
from ..model.errors import AccessibilityUnavailable, InvalidParams, MissingProgram, NotFound, UiBusy
from ..model.operations import TIMEOUT
from ..processes import registry
from ..transports.address import socket_path
from ..transports.interface import CannotConnect
from ..transports.open import kind_of

DESKTOP = "desktop:"
"""The address of the desktop; a name or process id after it is a program of the desktop."""
AGENT = "agent://"
AGENT_PORT = 8648
"""Where an agent listens unless told otherwise."""
CDP = "cdp://"
CDP_PORT = 9222
"""Where browsers have their debugging port unless told otherwise."""
ORCA = "orca://"
ORCA_PORT = 13619
"""Where a server of the Orca protocol listens unless told otherwise."""


@dataclass(frozen=True)
class Target:
    """Where an app can be reached."""

    address: str
    name: str | None = None
    pid: int | None = None
    ours: bool = False
    """Whether one of our own engines is known to be there."""
    bus: str | None = None
    """Where the accessibility bus of the desktop is, if that was found out."""

    @property
    def outside(self) -> bool:
        """Whether it is the desktop, or a program of it that is driven from outside."""
        return self.address.startswith(DESKTOP)


@dataclass(frozen=True)
class Named:
    """An app by its name or process id, which may have yet to start."""

    name: str | None = None
    pid: int | None = None

    def find(self) -> Target:
        """Where it can be reached; NotFound if it does not run yet."""
        return app_target(self.name, pid=self.pid)


def app_target(name: str | None = None, *, pid: int | None = None) -> Target:
    """The app of that name or process id: a registered one, or else one of the desktop.

    If neither is given it is the desktop where there is one, else the only registered app.
    """
    found: _Desktop | None = None
    if name is None and pid is None:
        found = _desktop()
    if found is None or found.missing is not None:
        try:
            return registered(registry.app(name, pid=pid))
        except NotFound as error:
            found = found or _desktop()
            if found.missing:
                error.suggestions += (f"the desktop cannot be driven: {found.missing}",)
            if found.missing is not None:
                raise
    return Target(f"{DESKTOP}{pid or name or ''}", name, pid, bus=found.bus)


@dataclass(frozen=True)
class Listed:
    """An app that runs and can be driven, and how it is reached."""

    name: str
    pid: int
    framework: str
    reached: str
    """`inside`, `accessibility`, either `on another desktop`, or `its windows only`."""
    endpoints: tuple[str, ...] = ()
    control: str | None = None
    """The path of the private socket of an app that is driven from inside."""


def listed() -> list[Listed]:
    """The registered apps, and then the other programs of the desktop."""
    entries = registry.apps()
    if _desktop().missing is not None:
        return [_inside(entry) for entry in entries]
    from ..desktop import session  # only now: it takes a while to load

    away = {entry.pid for entry in session.elsewhere()}
    found = [_inside(entry, ", on another desktop" if entry.pid in away else "") for entry in entries]
    known = {entry.pid for entry in entries}
    for program in session.programs():
        if program.pid not in known:
            made = f"{program.toolkit} {program.version}".strip()
            found.append(Listed(program.name, program.pid, made, program.reached))
    return found


def _inside(entry: registry.AppEntry, where: str = "") -> Listed:
    outside = "accessibility" if entry.framework else "its windows only"
    reached = (outside if entry.outside else "inside") + where
    return Listed(entry.name, entry.pid, entry.framework, reached, entry.endpoints, entry.control)


def open_outside(where: Target, timeout: float = TIMEOUT, *, confined: bool = False) -> Session:
    """An engine over the desktop, or over a program of it, which if it has just started is waited for.

    `confined` keeps all input and every screenshot within that program.
    """
    from ..desktop import session  # only now: it takes a while to load

    chosen = where.address.removeprefix(DESKTOP)
    if chosen.isdecimal():
        return session.session(pid=int(chosen), timeout=timeout, confined=confined, bus=where.bus)
    confined = confined and bool(chosen)
    return session.session(chosen or None, timeout=timeout, confined=confined, bus=where.bus)


def registered(entry: registry.AppEntry) -> Target:
    """Where an app of the registry can be reached."""
    return Target(f"unix:{entry.control}", entry.name, entry.pid, ours=True)


def agent_target(address: str) -> Target:
    """The agent at `HOST`, `HOST:PORT` or `agent://HOST:PORT`."""
    return Target(_url(AGENT, *agent_address(address)))


def agent_address(address: str) -> tuple[str, int]:
    """Host and port of an agent; an IPv6 address with a port is in brackets."""
    host, port = _host_and_port(address.removeprefix(AGENT), AGENT_PORT)
    if host is None:
        raise InvalidParams(
            f"'{address}' is not the address of an agent; use HOST, HOST:PORT or {AGENT}HOST:PORT",
            target=address,
            field="agent",
        )
    return host, port


def orca_target(address: str) -> Target:
    """The program at `PORT`, `HOST`, `HOST:PORT` or `orca://HOST:PORT`."""
    return Target(_url(ORCA, *orca_address(address)))


def orca_address(address: str) -> tuple[str, int]:
    """Host and port of a server of the Orca protocol; without a host it is this machine."""
    text = address.removeprefix(ORCA)
    host, port = _host_and_port(f"127.0.0.1:{text}" if text.isdecimal() else text, ORCA_PORT)
    if host is None:
        raise InvalidParams(
            f"'{address}' is not the address of an Orca server; use PORT, HOST:PORT or {ORCA}HOST:PORT",
            target=address,
            field="orca",
        )
    return host, port


def cdp_target(address: str) -> Target:
    """The browser at `PORT`, `HOST:PORT`, or any address of its debugging port."""
    if address.startswith(("ws://", "http://")):
        return Target(CDP + address.partition("://")[2])
    text = address.removeprefix(CDP)
    host, port = _host_and_port(f"127.0.0.1:{text}" if text.isdecimal() else text, CDP_PORT)
    if host is None:
        raise InvalidParams(
            f"'{address}' is not the address of a browser; use PORT, HOST:PORT, or its ws:// or http:// URL",
            target=address,
            field="cdp",
        )
    return Target(_url(CDP, host, port))


def _host_and_port(given: str, default: int) -> tuple[str | None, int]:
    """The parts of an address; no host if it is none."""
    text = given.removesuffix("/")
    if text.count(":") > 1 and not text.startswith("["):
        text = f"[{text}]"
    try:
        parts = urlsplit(f"//{text}")
        host, port = parts.hostname, default if parts.port is None else parts.port
    except ValueError:
        return None, 0
    if not host or not port or parts.netloc != text or "@" in text or any(map(str.isspace, text)):
        return None, 0
    return host, port


def _url(scheme: str, host: str, port: int) -> str:
    return f"{scheme}[{host}]:{port}" if ":" in host else f"{scheme}{host}:{port}"


def target(address: str) -> Target:
    """What `connect` was given: the name of a running app or program, a socket's name or path, or a URL."""
    if address.startswith(AGENT):
        return agent_target(address)
    if address.startswith(ORCA):
        return orca_target(address)
    if address.startswith(CDP):
        return cdp_target(address)
    if address.startswith(DESKTOP):
        return Target(address)
    if "/" in address or ":" in address or "\\" in address:
        _check(address)
        return Target(address)
    running = registry.apps()
    named = [entry for entry in running if entry.name == address]
    if named:
        return app_target(address)
    if socket_path(address).exists():
        return Target(address)
    desktop = _desktop()
    if desktop.missing is None:
        return Target(f"{DESKTOP}{address}", address, bus=desktop.bus)
    names = sorted({entry.name for entry in running})
    near = alike(address, names)
    seen = f"; running: {', '.join(names[:10])}" if names else "; no app runs that deskhand can drive"
    raise NotFound(
        f"no app named '{address}', and no socket {socket_path(address)}{seen}",
        target=address,
        near=near or tuple(names[:10]),
        suggestions=did_you_mean(near) if names else ("start one: deskhand run -- python app.py",),
    )


@dataclass(frozen=True)
class _Desktop:
    """The desktop that this process is on."""

    missing: str | None = None
    """Why it cannot be driven; empty if there is none, None if it can."""
    bus: str | None = None


def _desktop() -> _Desktop:
    """Find out whether the desktop can be driven."""
    if not any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "AT_SPI_BUS_ADDRESS")):
        return _Desktop("")
    from ..desktop import session  # as above, and only now: it takes a while to load

    try:
        return _Desktop(bus=session.reach())
    except (AccessibilityUnavailable, MissingProgram, UiBusy) as error:
        return _Desktop(error.message)


def _check(address: str) -> None:
    try:
        kind_of(address)
    except CannotConnect as error:
        raise InvalidParams(str(error), target=address, field="address") from None
