"""Where something is served: addresses read in one place, and the servers behind them, for any runner.

Used inside apps and in the process that serves one. What WebSocket and HTTP need is loaded only when asked
for.
"""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import sys
import threading
from collections.abc import Awaitable, Callable, Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from ..model.errors import ActionFailed, InvalidParams, MissingProgram
from ..model.operations import Cancel, Runner
from ..model.record import dataclass
from ..protocols.gip.server import GipServer
from ..protocols.wirelog import WireLog
from ..transports.address import socket_path, vacate
from ..transports.bearer import Bearers, bearer
from ..transports.interface import AddressInUse, BadAddress, Server
from ..transports.limits import return_memory
from ..transports.open import kind_of
from ..transports.socket import SocketServer

if TYPE_CHECKING:
    from ..engine.policy_guard import Guard
    from ..inspector.inspection import Inspection
    from ..protocols.agent.files import Machine as AnyMachine
    from ..protocols.agent.server import AgentServer
    from ..protocols.mcp.server import McpServer
    from ..protocols.webdriver.server import Opener
    from ..tracing.recorder import Recorder
    from ..tracing.trace import Trace
    from ..transports import request_guard as asgi
    from .limited import Limited
    from .tokens import Known, Scope

P = TypeVar("P")

DEFAULT_GIP = "qt_instrument"
"""The socket's name if none is given: the one that published GIP clients look for."""

DEFAULT_ORCA = 13619
DEFAULT_AGENT = 8648
DEFAULT_MCP = 8652
DEFAULT_WEBDRIVER = 4723
DEFAULT_INSPECTOR = 8650

Gip: TypeAlias = "str | bool | os.PathLike[str] | Iterable[str | os.PathLike[str]] | None"
"""Where to serve GIP: a socket's name or path, a ws:// or http:// address, several of them, or True for the
default name."""

_WEB = ("ws://", "wss://", "http://", "https://")


@dataclass(frozen=True)
class AgentSettings:
    """How the Agent contract is served."""

    token: str | None = None
    """Asked for in every request but /health."""
    exec: bool = False
    """Whether commands are run and files written and read."""
    hosts: tuple[str, ...] = ()
    """Further names by which clients may call this machine."""
    warn: bool = True
    """Whether to tell of it if other machines can reach it and no token is asked for."""


@dataclass(frozen=True)
class McpSettings:
    """How the MCP contract is served."""

    token: str | None = None
    """Asked for in every request."""
    read_only: bool = False
    """Whether the tools that act are left out."""


@dataclass(frozen=True)
class WebDriverSettings:
    """How WebDriver is served."""

    token: str | None = None
    """Required in every request but /status."""
    exec: bool = False
    """Whether files are pushed and pulled."""
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    """Whose pages may be clients, such as an inspector of another project."""
    desktop: bool = False
    """Whether the whole desktop is served and not one app."""
    opener: Opener | None = None
    """Provides the apps of sessions; without one, every session drives the app that is served."""


@dataclass(frozen=True)
class InspectorSettings:
    """How the inspector is served."""

    token: str | None = None
    """Required for the page; a part of its address."""
    whole: bool = False
    """Whether the whole screen is shown also where it is not a private desktop."""
    alone: bool = False
    """Whether nothing beyond the app may be reached."""


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


def endpoints(
    gip: Gip = None,
    *,
    orca: int | bool | None = None,
    agent: int | bool | None = None,
    mcp: int | bool | None = None,
    webdriver: int | bool | None = None,
    inspector: int | bool | None = None,
    bind: str = "127.0.0.1",
) -> tuple[Endpoint, ...]:
    """The requested endpoints, checked. `bind` is for the agent and WebDriver; the others are for this
    machine alone."""
    several: tuple[str | os.PathLike[str], ...]
    if gip is None or gip is False:
        several = ()
    elif gip is True:
        several = (DEFAULT_GIP,)
    else:
        several = (gip,) if isinstance(gip, (str, os.PathLike)) else tuple(gip)
    wanted = dict.fromkeys(_gip_endpoint(os.fspath(address)) for address in several)
    if orca is not None and orca is not False:
        wanted[_http_endpoint("orca", DEFAULT_ORCA if orca is True else orca, "127.0.0.1")] = None
    if agent is not None and agent is not False:
        wanted[_http_endpoint("agent", DEFAULT_AGENT if agent is True else agent, bind)] = None
    if mcp is not None and mcp is not False:
        wanted[_http_endpoint("mcp", DEFAULT_MCP if mcp is True else mcp, "127.0.0.1")] = None
    if webdriver is not None and webdriver is not False:
        port = DEFAULT_WEBDRIVER if webdriver is True else webdriver
        wanted[_http_endpoint("webdriver", port, bind)] = None
    if inspector is not None and inspector is not False:
        port = DEFAULT_INSPECTOR if inspector is True else inspector
        wanted[_http_endpoint("inspector", port, "127.0.0.1")] = None
    return tuple(wanted)


def _http_endpoint(kind: str, port: int, bind: str) -> Endpoint:
    if not 0 <= port <= 65535:
        raise InvalidParams(f"a port is 0 to 65535, not {port}", field=kind)
    host = f"[{bind}]" if ":" in bind and not bind.startswith("[") else bind
    return Endpoint(kind, f"http://{host}:{port}")


def _gip_endpoint(address: str) -> Endpoint:
    if not address:
        raise InvalidParams("a GIP address is a name, a path, ws://… or http://…, not empty", field="gip")
    try:
        return Endpoint("gip", str(socket_path(address)) if kind_of(address) == "unix" else address)
    except BadAddress as error:
        raise InvalidParams(str(error), field="gip") from None


def load_early(module: str) -> None:
    """Load what takes a second in a thread, while the app starts.

    An error is left to the server that needs it. The servers load nothing until this is done: two threads
    that load packages which import each other (uvicorn imports uvicorn.main, and one of mcp's packages
    imports that directly) see them half loaded.
    """

    def load() -> None:
        with contextlib.suppress(ImportError):
            import_module(module)

    thread = threading.Thread(target=load, name="load-early", daemon=True)
    _loading.append(thread)
    thread.start()


_loading: list[threading.Thread] = []


def _finish_loading() -> None:
    for thread in _loading:
        thread.join()


def cannot_load(what: str, mcp: bool, error: ImportError) -> MissingProgram:
    """The error for what needs a library that is not installed, or that is not the version we need."""
    found = "which is not installed in" if isinstance(error, ModuleNotFoundError) else f"but {error}, in"
    return MissingProgram(
        f"{what} needs {error.name}, {found} {sys.executable}",
        missing=error.name,
        package="deskhand[mcp]" if mcp else "deskhand",
        suggestions=(
            ("pip install 'deskhand[mcp]'",)
            if mcp
            else ("pip install deskhand", "or serve a socket, which needs nothing")
        ),
    )


class Served:
    """Servers for one runner, from their making until `close`."""

    def __init__(
        self,
        gip: GipServer,
        log: WireLog | None = None,
        token: str | None = None,
        agent: AgentSettings | None = None,
        mcp: McpSettings | None = None,
        webdriver: WebDriverSettings | None = None,
        inspector: InspectorSettings | None = None,
        *,
        inspection: Inspection | None = None,
        other_users: bool = False,
        pid: int | None = None,
        ended: Callable[[], None] | None = None,
        runner_for: Callable[[str, Scope | None], Runner] | None = None,
        guard: Guard | None = None,
        recorder: Recorder | None = None,
        tokens: Known | None = None,
    ) -> None:
        """`token` is for GIP and Orca; `other_users` of this machine may connect over TCP too. `pid` is of
        the program, on whose desktop the agent's commands run; `ended` is called when a client has ended the
        last of the servers. `runner_for` gives what clients of a kind of endpoint reach with a token, if that
        differs; `guard` is for commands and files; `recorder` is closed with the servers;
        `tokens` are accepted wherever one is asked for; `inspection` is what the inspector shows."""
        self._gip = gip
        self._log = log
        self._token = token
        self._agent = agent or AgentSettings(token)
        self._mcp = mcp or McpSettings(token)
        self._webdriver = webdriver
        self._inspector = inspector or InspectorSettings(token)
        self._inspection = inspection
        self._other_users = other_users
        self._pid = pid
        self._ended = ended
        self._guard = guard
        self._recorder = recorder
        self._runner_for = runner_for
        self._tokens = tokens
        self._servers: dict[Endpoint, Server] = {}
        self._urls: dict[Endpoint, str] = {}

    @property
    def ready(self) -> tuple[Ready, ...]:
        """What accepts requests, in the order in which it was asked for."""
        return tuple(
            Ready(endpoint.kind, url, self._token_of(endpoint)) for endpoint, url in self._urls.items()
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
        if self._recorder is not None:
            self._recorder.close()
        if self._inspection is not None:
            self._inspection.close()
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
        for known, url in self._urls.items():
            # WebSocket and HTTP share a port and a path: the second of a pair is there already.
            if (
                known.kind == endpoint.kind
                and place
                and url.partition("://")[2].rstrip("/") == place.rstrip("/")
            ):
                return f"{scheme}://{url.partition('://')[2]}"
        try:
            server = self._server(endpoint)
        except AddressInUse as error:
            raise _in_use(endpoint, error) from error
        except (OSError, ValueError) as error:
            raise ActionFailed(
                f"cannot serve {endpoint.kind} at {endpoint.address}: {error}", target=endpoint.address
            ) from error
        self._servers[endpoint] = server
        return server.url

    def _server(self, endpoint: Endpoint) -> Server:
        if endpoint.in_app:
            return listen(endpoint.address, self._gip)
        _finish_loading()
        try:
            if endpoint.kind == "agent":
                return self._agent_server(endpoint)
            if endpoint.kind == "orca":
                return self._orca_server(endpoint)
            if endpoint.kind == "mcp":
                return self._mcp_server(endpoint)
            if endpoint.kind == "webdriver":
                return self._webdriver_server(endpoint)
            if endpoint.kind == "inspector":
                return self._inspector_server(endpoint)
            from ..transports.http import HttpServer
        except ImportError as error:
            raise cannot_load(f"serving {endpoint.address}", endpoint.kind == "mcp", error) from error
        gip = _ByScope(
            lambda scope: (
                self._gip
                if scope is None
                else GipServer(self._runner(endpoint, scope), names=self._gip.names, log=self._log)
            )
        )
        return HttpServer(
            endpoint.address,
            lambda *about: gip().conversation(*about),
            token=self._bearers(self._token),
            other_users=self._other_users,
            log=self._log,
        )

    def _agent_server(self, endpoint: Endpoint) -> Server:
        from ..protocols.agent.errors import refusal
        from ..transports.rest import RestServer
        from .agent import agent_server

        machine: AnyMachine | None = None

        def make(scope: Scope | None) -> AgentServer:
            if scope is not None:
                # Commands and files are neither read-only nor about one app, and the server is others' too.
                return agent_server(self._runner(endpoint, scope), log=self._log)
            return agent_server(
                self._runner(endpoint),
                machine=machine,
                shutdown=lambda: self._end(endpoint),
                log=self._log,
                early=True,
            )

        if self._agent.exec:
            from .machine import Machine, session_of

            env = None if self._pid is None else session_of(self._pid)
            machine = Machine(env, as_seen_by=self._pid)
            if self._guard is not None:
                from .oversight import GuardedMachine

                machine = GuardedMachine(machine, self._guard)
        protocol = _ByScope(make)
        host, _, port = endpoint.address.partition("://")[2].rpartition(":")
        server = RestServer(
            host,
            int(port),
            lambda request, cancel: protocol().handle(request, cancel),
            token=self._bearers(self._agent.token),
            hosts=self._agent.hosts,
            streamed=("/upload",),
            open_paths=("/health",),
            refusal=refusal,
            warn=self._agent.warn,
            other_users=self._other_users,
            log=self._log,
        )
        protocol()  # which begins to find out whether accessibility answers
        return server

    def _orca_server(self, endpoint: Endpoint) -> Server:
        import logging

        from ..protocols.orca.server import HEALTH, may_wait
        from ..transports.events import EventSocket
        from ..transports.oneshot import OneShotServer
        from .orca import OrcaEvents, orca_server

        protocol = _ByScope(lambda scope: orca_server(self._runner(endpoint, scope), self._log))
        events = _ByScope(lambda scope: EventSocket(OrcaEvents(self._runner(endpoint, scope))))

        def send_events(scope: asgi.Scope, receive: asgi.Receive, send: asgi.Send) -> Awaitable[None]:
            return events()(scope, receive, send)

        host, _, port = endpoint.address.partition("://")[2].rpartition(":")
        server = OneShotServer(
            host,
            int(port),
            "/jsonrpc",
            lambda *about: protocol().conversation(*about),
            health=HEALTH,
            server="OrcaSlicer/automation",
            token=self._bearers(self._token),
            sockets={"/events": send_events},
            waits=may_wait,
            other_users=self._other_users,
            log=self._log,
        )
        logging.getLogger("deskhand").warning(
            "UI automation server ENABLED at %s: input injection is active", server.url
        )
        return server

    def _mcp_server(self, endpoint: Endpoint) -> Server:
        from ..images.marks import cut, draw
        from ..transports.mcp import McpHttpServer
        from .mcp import mcp_server

        def make(scope: Scope | None) -> McpServer:
            read_only = self._mcp.read_only or (scope is not None and scope.read_only)
            runner = self._runner(endpoint, scope)
            return mcp_server(runner, read_only=read_only, log=self._log, draw=draw, cut=cut)

        host, _, port = endpoint.address.partition("://")[2].rpartition(":")
        return McpHttpServer(
            host,
            int(port),
            _Tools(_ByScope(make)),
            token=self._bearers(self._mcp.token),
            other_users=self._other_users,
            log=self._log,
        )

    def _webdriver_server(self, endpoint: Endpoint) -> Server:
        from ..protocols.webdriver.server import WebDriverServer
        from .webdriver import Files, Only, Tools, WebDriverEndpoint

        settings = self._webdriver or WebDriverSettings(self._token)
        name = next(iter(self._gip.names), "desktop")
        files: Files | None = None
        if settings.exec:
            from .machine import Machine, session_of

            env = None if self._pid is None else session_of(self._pid)
            machine = Machine(env, as_seen_by=self._pid)
            if self._guard is not None:
                from .oversight import GuardedMachine

                files = Files(GuardedMachine(machine, self._guard))
            else:
                files = Files(machine)

        def make(tools: Tools) -> Callable[[], WebDriverServer]:
            def serve(scope: Scope | None) -> WebDriverServer:
                if scope is None and settings.opener is not None:
                    return WebDriverServer(settings.opener, tools, files=files, log=self._log)
                opener = Only(self._runner(endpoint, scope), name, desktop=settings.desktop)
                # Files are neither read-only nor about one app.
                return WebDriverServer(opener, tools, files=None if scope else files, log=self._log)

            return _ByScope(serve)

        host, _, port = endpoint.address.partition("://")[2].rpartition(":")
        return WebDriverEndpoint(
            host,
            int(port),
            make,
            token=self._bearers(settings.token),
            hosts=settings.hosts,
            origins=settings.origins,
            other_users=self._other_users,
            log=self._log,
        )

    def _inspector_server(self, endpoint: Endpoint) -> Server:
        from .inspector import inspector_server

        assert self._inspection is not None, "it is made where an inspector is wanted"
        host, _, port = endpoint.address.partition("://")[2].rpartition(":")
        return inspector_server(
            host,
            int(port),
            self._inspection,
            self._runner(endpoint),
            token=self._inspector.token,
            bearers=self._bearers(self._inspector.token),
            other_users=self._other_users,
            log=self._log,
        )

    def _runner(self, endpoint: Endpoint, scope: Scope | None = None) -> Runner:
        """What clients of an endpoint reach, with a token of that scope."""
        assert self._gip.runner is not None
        return self._gip.runner if self._runner_for is None else self._runner_for(endpoint.kind, scope)

    def _bearers(self, token: str | None) -> str | Bearers | None:
        """What is accepted where that token is asked for."""
        return token if token is None or self._tokens is None else self._tokens.bearers(token)

    def _token_of(self, endpoint: Endpoint) -> str | None:
        if endpoint.kind == "agent":
            return self._agent.token
        if endpoint.kind == "mcp":
            return self._mcp.token
        if endpoint.kind == "webdriver":
            return None if self._webdriver is None else self._webdriver.token
        if endpoint.kind == "inspector":
            return self._inspector.token
        return None if endpoint.in_app else self._token

    def _end(self, endpoint: Endpoint) -> None:
        """A client asked a server to end."""
        server = self._servers.pop(endpoint, None)
        self._urls.pop(endpoint, None)
        if server is not None:
            server.close()
        if not self._servers and self._ended is not None:
            self._ended()


class _ByScope(Generic[P]):
    """What answers requests: one for clients without limits, and one for each scope of limited tokens.

    So a client with a limited token is answered from nothing that another client's requests have left.
    """

    def __init__(self, make: Callable[[Scope | None], P]) -> None:
        self._make = make
        self._made: dict[Scope | None, P] = {}
        self._lock = threading.Lock()

    def __call__(self) -> P:
        """The one for the client that is served now."""
        scope: Scope | None = getattr(bearer.get(), "scope", None)
        if scope is not None and not scope.limited:
            scope = None
        with self._lock:
            if scope not in self._made:
                self._made[scope] = self._make(scope)
            return self._made[scope]


class _Tools:
    """The tools of MCP for each client: those that its token is good for."""

    def __init__(self, server: _ByScope[McpServer]) -> None:
        self._server = server
        self.name = server().name
        self.version = server().version
        self.instructions = server().instructions

    def tools(self) -> list[dict[str, Any]]:
        return self._server().tools()

    def prompts(self) -> list[dict[str, Any]]:
        return self._server().prompts()

    def prompt(self, name: str, arguments: Mapping[str, str]) -> dict[str, Any]:
        return self._server().prompt(name, arguments)

    def health(self) -> dict[str, Any]:
        return self._server().health()

    def read(self, message: bytes) -> Any:
        return self._server().read(message)

    def call_json(self, name: str, arguments: Any, cancel: Cancel) -> bytes:
        return self._server().call_json(name, arguments, cancel)


def insist_on_free(wanted: Iterable[Endpoint]) -> None:
    """Raise ActionFailed if one of these is in use: better before an app starts than after."""
    for endpoint in wanted:
        try:
            if not endpoint.in_app:
                _try_port(endpoint.address)
            elif kind_of(endpoint.address) == "unix":
                vacate(socket_path(endpoint.address))
        except AddressInUse as error:
            raise _in_use(endpoint, error) from error


def _try_port(address: str) -> None:
    from urllib.parse import urlsplit  # which an app that serves sockets alone need not load

    parts = urlsplit(address)
    if parts.hostname is None or not parts.port:
        return
    try:
        socket.create_server((parts.hostname, parts.port)).close()
    except OSError as error:
        # Other faults of an address are reported by its server.
        if error.errno == errno.EADDRINUSE:
            where = f"port {parts.port} of {parts.hostname}"
            raise AddressInUse(error.errno, f"{where} is already in use") from None


def _in_use(endpoint: Endpoint, error: AddressInUse) -> ActionFailed:
    return ActionFailed(
        f"cannot serve {endpoint.kind} at {endpoint.address}: {error.strerror}",
        target=endpoint.address,
        suggestions=("end what listens there, or choose another address",),
    )


def serve(
    runner: Runner,
    wanted: Iterable[Endpoint],
    *,
    names: Iterable[str] = (),
    token: str | None = None,
    log_wire: str | os.PathLike[str] | None = None,
    log_wire_text: bool = False,
    agent: AgentSettings | None = None,
    mcp: McpSettings | None = None,
    webdriver: WebDriverSettings | None = None,
    inspector: InspectorSettings | None = None,
    other_users: bool = False,
    pid: int | None = None,
    ended: Callable[[], None] | None = None,
    guard: Guard | None = None,
    trace: Trace | None = None,
    tokens: Known | None = None,
    limited: Limited | None = None,
) -> Served:
    """Serve a runner at these endpoints. `token` is asked for over WebSocket and HTTP.

    `names` are further names that GIP's `connect` accepts, the first of which is the app's; `guard` decides
    what clients may do; `trace` records it; `limited` gives what those with limited `tokens` reach; the rest
    is as for `Served`. Closing leaves the runner open.
    """
    return_memory()
    log = open_log(log_wire, log_wire_text)
    known = tuple(names)
    wanted = tuple(wanted)
    recorder: Recorder | None = None
    inspection: Inspection | None = None
    if any(endpoint.kind == "inspector" for endpoint in wanted):
        from .inspector import inspection_of

        inspection = inspection_of(runner, pid, next(iter(known), None), inspector, guard)
    if trace is not None:
        from .traced import recorder_of, traced

        recorder = recorder_of(trace, runner, pid=pid, name=next(iter(known), None))

    def runner_for(kind: str, scope: Scope | None) -> Runner:
        assert scope is None or limited is not None, "tokens with limits come with what they reach"
        reached = runner if scope is None or limited is None else limited(scope)
        if inspection is not None and kind == "inspector":
            reached = inspection.hands(reached)
        name = next(iter(known), None) if scope is None or scope.app is None else scope.app
        allowed = reached if guard is None else guard.around(reached, kind, name)
        recorded = allowed if recorder is None else traced(allowed, recorder, kind)
        return recorded if inspection is None else inspection.around(recorded, kind)

    gip = GipServer(runner_for("gip", None), names=known, log=log)
    served = Served(
        gip,
        log,
        token,
        agent,
        mcp,
        webdriver,
        inspector,
        inspection=inspection,
        other_users=other_users,
        pid=pid,
        ended=ended,
        runner_for=runner_for,
        guard=guard,
        recorder=recorder,
        tokens=tokens,
    )
    try:
        served.add(wanted)
    except BaseException:
        served.close()
        raise
    return served


def listen(address: str, gip: GipServer) -> Server:
    """Serve at a socket or, on Windows, a named pipe; AddressInUse if another server has it."""
    if kind_of(address) == "pipe":
        from ..transports.pipe import PipeServer

        return PipeServer(address, gip.conversation)
    return SocketServer(address, gip.conversation)


def open_log(path: str | os.PathLike[str] | None, text: bool = False) -> WireLog | None:
    """The wire log at that path, if one is wanted; `text` shows what is typed."""
    if path is None:
        return None
    try:
        return WireLog(Path(path), text=text)
    except OSError as error:
        raise ActionFailed(f"cannot write the wire log {path}: {error.strerror}", target=str(path)) from error
