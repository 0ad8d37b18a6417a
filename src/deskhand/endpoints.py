"""Where something is served: addresses read in one place, and the servers behind them, for any runner.

Used inside apps and in the process that serves one. What WebSocket and HTTP need is loaded only when asked
for.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from .model.errors import ActionFailed, ActionUnsupported, InvalidParams, MissingProgram
from .model.operations import Runner
from .protocols.gip import GipServer
from .protocols.wirelog import WireLog
from .transports.interface import AddressInUse, BadAddress, Server
from .transports.socket import SocketServer, socket_path

DEFAULT_GIP = "qt_instrument"
"""The socket's name if none is given: the one that published GIP clients look for."""

DEFAULT_ORCA = 13619

Gip: TypeAlias = "str | bool | os.PathLike[str] | Iterable[str | os.PathLike[str]] | None"
"""Where to serve GIP: a socket's name or path, a ws:// or http:// address, several of them, or True for the
default name."""

_WEB = ("ws://", "wss://", "http://", "https://")


@dataclass(frozen=True)
class Endpoint:
    """A protocol, and the address at which it is to be served."""

    kind: str
    address: str

    @property
    def in_app(self) -> bool:
        """Whether the app itself can serve it with the standard library alone."""
        return not self.address.startswith(_WEB)


@dataclass(frozen=True)
class Ready:
    """An endpoint that accepts requests."""

    kind: str
    url: str
    token: str | None = None

    def __str__(self) -> str:
        return f"{self.kind} {self.url}"


def endpoints(gip: Gip = None, *, orca: int | bool | None = None) -> tuple[Endpoint, ...]:
    """What was asked for, checked; ActionUnsupported for what this version does not serve."""
    if orca is not None and orca is not False:
        raise ActionUnsupported(
            f"this version does not serve orca (at port {DEFAULT_ORCA if orca is True else orca}), only gip",
            target="orca",
            suggestions=("leave it out, or use gip",),
        )
    if gip is None or gip is False:
        return ()
    if gip is True:
        return (_gip_endpoint(DEFAULT_GIP),)
    several = (gip,) if isinstance(gip, (str, os.PathLike)) else tuple(gip)
    return tuple(dict.fromkeys(_gip_endpoint(os.fspath(address)) for address in several))


def _gip_endpoint(address: str) -> Endpoint:
    if not address:
        raise InvalidParams("a GIP address is a name, a path, ws://… or http://…, not empty", field="gip")
    if "://" in address:
        if not address.startswith(_WEB):
            raise InvalidParams(
                f"no transport for '{address}'; there are a name or path, ws://… and http://…", field="gip"
            )
        return Endpoint("gip", address)
    try:
        return Endpoint("gip", str(socket_path(address)))
    except BadAddress as error:
        raise InvalidParams(str(error), field="gip") from None


class Served:
    """Servers for one runner, from their making until `close`."""

    def __init__(self, gip: GipServer, log: WireLog | None = None, token: str | None = None) -> None:
        self._gip = gip
        self._log = log
        self._token = token
        self._servers: dict[Endpoint, Server] = {}
        self._urls: dict[Endpoint, str] = {}

    @property
    def ready(self) -> tuple[Ready, ...]:
        """What accepts requests, in the order in which it was asked for."""
        return tuple(
            Ready(endpoint.kind, url, None if endpoint.in_app else self._token)
            for endpoint, url in self._urls.items()
        )

    def add(self, wanted: Iterable[Endpoint]) -> None:
        """Serve these as well, all or none; what is served already is left as it is."""
        added: list[Endpoint] = []
        try:
            for endpoint in wanted:
                if endpoint not in self._urls:
                    self._urls[endpoint] = self._listen(endpoint)
                    added.append(endpoint)
        except BaseException:
            for endpoint in added:
                del self._urls[endpoint]
                if server := self._servers.pop(endpoint, None):
                    server.close()
            raise

    def close(self) -> None:
        """Stop serving; does nothing the second time."""
        servers, self._servers = self._servers, {}
        self._urls.clear()
        for server in servers.values():
            server.close()
        if self._log is not None:
            self._log.close()

    def abandon(self) -> None:
        """In a fork of the process: let go of what its parent serves on."""
        for server in self._servers.values():
            if isinstance(server, SocketServer):
                server.abandon()

    def __enter__(self) -> Served:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _listen(self, endpoint: Endpoint) -> str:
        scheme, _, place = endpoint.address.partition("://")
        for url in self._urls.values():
            # WebSocket and HTTP share a port and a path: the second of a pair is there already.
            if place and url.partition("://")[2].rstrip("/") == place.rstrip("/"):
                return f"{scheme}://{url.partition('://')[2]}"
        try:
            server = _server(endpoint, self._gip, self._token)
        except AddressInUse as error:
            raise ActionFailed(
                f"cannot serve {endpoint.kind} at {endpoint.address}: {error}",
                target=endpoint.address,
                suggestions=("end what listens there, or choose another address",),
            ) from error
        except (OSError, ValueError) as error:
            raise ActionFailed(
                f"cannot serve {endpoint.kind} at {endpoint.address}: {error}", target=endpoint.address
            ) from error
        self._servers[endpoint] = server
        return server.url


def serve(
    runner: Runner,
    wanted: Iterable[Endpoint],
    *,
    names: Iterable[str] = (),
    token: str | None = None,
    log_wire: str | os.PathLike[str] | None = None,
) -> Served:
    """Serve a runner at these endpoints. `token` is asked for over WebSocket and HTTP.

    `names` are further names that GIP's `connect` accepts. Closing leaves the runner as it is.
    """
    log = open_log(log_wire)
    served = Served(GipServer(runner, names=names, log=log), log, token)
    try:
        served.add(wanted)
    except BaseException:
        served.close()
        raise
    return served


def _server(endpoint: Endpoint, gip: GipServer, token: str | None) -> Server:
    if sys.platform == "win32" and endpoint.in_app:
        from .transports.pipe import PipeServer

        return PipeServer(endpoint.address, gip.conversation)
    if endpoint.in_app:
        return SocketServer(endpoint.address, gip.conversation)
    try:
        from .transports.http import HttpServer
    except ImportError as error:
        raise MissingProgram(
            f"serving {endpoint.address} needs {error.name}, which is not installed in {sys.executable}",
            missing=error.name,
            package="deskhand",
            suggestions=("pip install deskhand", "or serve a socket, which needs nothing"),
        ) from error
    return HttpServer(endpoint.address, gip.conversation, token=token)


def open_log(path: str | os.PathLike[str] | None) -> WireLog | None:
    """The wire log at that path, if one is wanted."""
    if path is None:
        return None
    try:
        return WireLog(Path(path))
    except OSError as error:
        raise ActionFailed(f"cannot write the wire log {path}: {error.strerror}", target=str(path)) from error
