"""Events that our own servers of the Orca protocol push: as they come, and as a bell for those who wait."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ..model.errors import AppGone, ConnectFailed, Unauthorized
from ..protocols.jsontext import loads
from ..protocols.orca.client import EVENTS
from ..transports.interface import ChannelClosed, NotAllowed
from ..transports.web import WebSocketChannel
from .targets import orca_address

_LINGER = 5.0
"""How long to keep listening when no call waits any more, in seconds: the next one may come soon."""
_LOOK = 0.5


def events(
    address: str, *, only: Iterable[str] = (), token: str | None = None, timeout: float = 5.0
) -> Iterator[dict[str, Any]]:
    """The events of the program at `orca://HOST:PORT`, from now on, each as the server sent it.

    `only` are kinds of them: node, window, app, log. The first is `ready`; whatever happens later follows.
    `timeout` is for connecting, in seconds. Ends with AppGone when the server does; close() ends it before.
    """
    try:
        channel = _open(address, only, token, timeout)
    except NotAllowed as error:
        raise Unauthorized(str(error), target=address) from None
    except OSError as error:
        raise ConnectFailed(
            f"no events at {address}: {error}",
            target=address,
            suggestions=("servers of other makes have none; look again and again there",),
        ) from None
    return _received(channel, address)


def _received(channel: WebSocketChannel, address: str) -> Iterator[dict[str, Any]]:
    with channel:
        while True:
            try:
                event = loads(channel.receive())
            except ChannelClosed as error:
                raise AppGone(f"no more events: {error}", target=address) from None
            if isinstance(event, dict):
                yield event


class Bell:
    """Rings whenever something changed in a program, if its server pushes events; else never."""

    def __init__(self, address: str, token: str | None, timeout: float) -> None:
        self._address = address
        self._token = token
        self._timeout = timeout
        self._lock = threading.Lock()
        self._waiting: list[Callable[[], None]] = []
        self._listening = False
        self._channel: WebSocketChannel | None = None
        self._there: bool | None = None
        self._decided = threading.Event()
        self._closed = False

    def subscribe(self, changed: Callable[[], None]) -> Callable[[], None]:
        """Call it at every change; gives how to stop that. Does not wait for the connection."""
        with self._lock:
            self._waiting.append(changed)
        self._listen()

        def stop() -> None:
            with self._lock:
                self._waiting.remove(changed)

        return stop

    @property
    def there(self) -> bool:
        """Whether the server pushes events, as only ours do."""
        self._listen()
        self._decided.wait(self._timeout)
        return bool(self._there)

    def close(self) -> None:
        """Listen no more."""
        with self._lock:
            self._closed = True
            channel = self._channel
        if channel is not None:
            channel.close()

    def _listen(self) -> None:
        with self._lock:
            if self._listening or self._closed or self._there is False:
                return
            self._listening = True
        threading.Thread(target=self._run, name="orca-bell", daemon=True).start()

    def _run(self) -> None:
        try:
            channel = _open(self._address, ("node", "window", "app"), self._token, self._timeout)
        except OSError:
            # Fallback: a server of another make pushes nothing, and is looked at again and again.
            self._there = self._there or False
            self._listening = False
            self._decided.set()
            return
        with channel:
            with self._lock:
                self._channel, self._there = channel, True
                closed = self._closed
            self._decided.set()
            if not closed:
                self._ring(channel)
        with self._lock:
            self._channel, self._listening = None, False

    def _ring(self, channel: WebSocketChannel) -> None:
        """Wake waiting calls at each message, until none has waited for a while or the connection ends."""
        needed = time.monotonic()
        while True:
            reported = True
            try:
                channel.receive(_LOOK)
            except TimeoutError:
                reported = False
            except ChannelClosed:
                return
            with self._lock:
                waiting = list(self._waiting)
                if waiting:
                    needed = time.monotonic()
                elif time.monotonic() - needed > _LINGER:
                    self._listening = False  # here, so that the next call starts to listen again
                    return
            for changed in waiting if reported else ():
                changed()


def _open(address: str, only: Iterable[str], token: str | None, timeout: float) -> WebSocketChannel:
    host, port = orca_address(address)
    where = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    wanted = ",".join(only)
    return WebSocketChannel(f"ws://{where}{EVENTS}{'?only=' + wanted if wanted else ''}", timeout, token)
