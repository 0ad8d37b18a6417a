"""Runs an ASGI app in a thread of its own, by uvicorn, from its making until `close`."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import socket
import threading
import time
from typing import Any

import uvicorn

from . import users
from .http11 import Http, WebSocket
from .interface import AddressInUse, BadAddress, Log
from .journal import Journal
from .limits import Crowd, Rarely
from .request_guard import LIMIT, App, Refusal, is_loopback, plain_refusal

_LOG = logging.getLogger("deskhand")
_FULL = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
_AT_ONCE = 16
"""How many connections asyncio accepts before it looks at any of them."""
_BACKLOG = 1024
"""How many connections wait to be accepted; one more waits a second until it tries again."""


class AsgiServer:
    """Listens at a host and port; port 0 takes a free one."""

    def __init__(
        self,
        app: App,
        host: str,
        port: int,
        *,
        limit: int = LIMIT,
        warn: bool = True,
        http: type[Http] = Http,
        refusal: Refusal = plain_refusal,
        other_users: bool = False,
        log: Log | None = None,
    ) -> None:
        """Raises AddressInUse or BadAddress.

        `limit` is how long a WebSocket message may be; with `warn` it logs that other machines can reach it.
        `refusal` writes the answer to what is not HTTP. Unless `other_users` may connect, the guard refuses
        those of this machine. What the app does not declare `taken` goes to the log.
        """
        self._socket = _bind(host, port)
        self.port: int = self._socket.getsockname()[1]
        if warn and not is_loopback(host):
            _LOG.warning(
                "%s port %d can be reached from other machines, and asks for no token", host, self.port
            )
        crowd = Crowd()
        self._peers = None if other_users else _peers()
        config = uvicorn.Config(
            app if log is None else Journal(app, log),
            log_config=None,
            access_log=False,
            lifespan="off",
            http=type(
                "_Http",
                (http,),
                {
                    "refusal": staticmethod(refusal),
                    "log": log,
                    "peers": self._peers,
                    "crowd": crowd,
                },
            ),
            ws=type("_WebSocket", (WebSocket,), {"log": log, "crowd": crowd}),
            ws_max_size=limit,
            # On one machine, compressing takes far longer than sending.
            ws_per_message_deflate=False,
            backlog=_AT_ONCE,
            timeout_keep_alive=75,
            timeout_graceful_shutdown=1,
            server_header=False,
            # The client is the connected peer, whatever its headers say.
            proxy_headers=False,
        )
        self._server = _Server(config)
        self._thread = threading.Thread(target=self._run, name=f"http-{self.port}", daemon=True)
        self._thread.start()
        # The socket already listens, so every client from now on is answered; only a failure must be noticed.
        while not self._server.started and self._thread.is_alive():
            time.sleep(0.002)  # uvicorn has no event for it
        with contextlib.suppress(OSError):  # it was not started, as is seen below
            self._socket.listen(_BACKLOG)  # asyncio has made it as many as it accepts at once
        if not self._server.started:
            self._socket.close()
            raise OSError(f"the HTTP server at {host}:{self.port} could not be started")

    def close(self, timeout: float = 2.0) -> None:
        """Stop listening, and end what still runs."""
        self._server.end()
        if threading.current_thread() is not self._thread:
            self._thread.join(timeout)
        self._socket.close()

    def _run(self) -> None:
        with self._peers or contextlib.nullcontext():
            asyncio.run(self._serve())

    async def _serve(self) -> None:
        asyncio.get_running_loop().set_exception_handler(_Failures(self.port))
        await self._server.serve(sockets=[self._socket])


class _Failures:
    """What an event loop reports, without a traceback for what a peer or a full machine causes."""

    def __init__(self, port: int) -> None:
        self._reason = ""
        self._refused = Rarely(
            lambda count: _LOG.warning(
                "port %d could not accept %d connections so far: %s", port, count, self._reason
            )
        )

    def __call__(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if isinstance(error, OSError) and error.errno in _FULL:
            self._reason = str(error.strerror)
            self._refused()
        elif not isinstance(error, ConnectionError):
            loop.default_exception_handler(context)


class _Server(uvicorn.Server):
    """Ends as soon as requested: uvicorn itself notices at its next tick, and pauses before it ends."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._ended = asyncio.Event()

    def end(self) -> None:
        """Stop; from any thread, and after the start."""
        self.should_exit = True
        with contextlib.suppress(RuntimeError):  # it has ended already
            self._loop.call_soon_threadsafe(self._ended.set)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        self._loop = asyncio.get_running_loop()
        await super().startup(sockets)

    async def main_loop(self) -> None:
        # The tenth ticks are those on which it has something to do.
        while not await self.on_tick(0):
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._ended.wait(), 1)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for listening in (*self.servers, *(sockets or ())):
            listening.close()
        state = self.server_state
        for connection in list(state.connections):
            connection.shutdown()
        deadline = self._loop.time() + (self.config.timeout_graceful_shutdown or 0)
        while (state.connections or state.tasks) and self._loop.time() < deadline:
            await asyncio.sleep(0.005)  # uvicorn has no event for it
        for task in list(state.tasks):
            task.cancel()


def _peers() -> users.Peers | None:
    peers = users.Peers()
    try:
        peers.check_available()
    except users.Unavailable as error:
        # Fallback: if the kernel does not say, every client would have to be refused; the log says so.
        _LOG.warning(
            "other users of this machine are not kept out: which user connects is unknown (%s)", error
        )
        return None
    return peers


def _bind(host: str, port: int) -> socket.socket:
    name = host.strip("[]")
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(name, port, type=socket.SOCK_STREAM)[0]
    except (socket.gaierror, OverflowError, UnicodeError):
        raise BadAddress(f"there is no host '{host}' with a port {port}") from None
    server = socket.socket(family, kind, protocol)
    try:
        if hasattr(socket, "SO_REUSEADDR"):
            server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        server.bind(address)
        server.listen(_BACKLOG)
    except OSError as error:
        server.close()
        if error.errno == errno.EADDRINUSE:
            raise AddressInUse(error.errno, f"port {port} of {host} is already in use") from None
        if error.errno == errno.EADDRNOTAVAIL:
            raise BadAddress(f"'{host}' is not an address of this machine") from None
        if error.errno == errno.EACCES:
            raise BadAddress(f"port {port} may be used by root only; take one above 1023") from None
        raise
    return server
