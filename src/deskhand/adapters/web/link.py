"""Calls and events of the DevTools protocol over one connection, shared by all threads.

A thread of its own reads. Callbacks run on it: they must not wait for an answer.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from importlib import import_module
from itertools import count
from json import JSONDecoder, JSONEncoder
from typing import Any

from ...model.errors import ActionFailed, AppGone, UiBusy
from .channel import Channel

_loads: Callable[[bytes], Any]
try:
    _loads = import_module("orjson").loads
except ImportError:
    # Fallback: without orjson the standard library reads the same, slower.
    _decode = JSONDecoder().decode

    def _loads(data: bytes) -> Any:
        return _decode(data.decode())


_encode = JSONEncoder(separators=(",", ":")).encode

Event = Callable[[str, str, dict[str, Any]], None]
"""Called with the session, the name of the event and its parameters."""


IN_DIALOG = "the page cannot be read while its dialog is open"
_BY_THE_PAGE = frozenset((
    "Runtime.evaluate", "Runtime.callFunctionOn", "Page.getLayoutMetrics", "Performance.getMetrics",
    "DOM.getFrameOwner", "DOM.resolveNode",
))  # fmt: skip
"""What the page itself answers, and not the browser."""


class CallRefused(ActionFailed):
    """The browser answered a call with an error."""


class Pending:
    """A call that was sent."""

    def __init__(self, link: Link, number: int, method: str) -> None:
        self._link = link
        self._number = number
        self._method = method
        self.blocked = False
        """Whether a dialog of a script keeps the page from answering."""
        self.came = threading.Event()
        self.reply: dict[str, Any] | None = None

    def result(self, until: float) -> dict[str, Any]:
        """The answer; UiBusy if it is not there by then, CallRefused if the browser refused, AppGone."""
        if not self.came.wait(max(0.0, until - time.monotonic())):
            self._link.drop(self._number)
            raise UiBusy(
                f"the page did not answer {self._method} in time",
                suggestions=("see whether a script of the page runs without end",),
            )
        return self.taken()

    def taken(self) -> dict[str, Any]:
        """The same of a call that was answered."""
        if self.reply is None and self.blocked:
            raise UiBusy(IN_DIALOG, suggestions=("answer the dialog first",))
        if self.reply is None:
            raise self._link.gone()
        if (error := self.reply.get("error")) is not None:
            raise CallRefused(f"the browser refused {self._method}: {error.get('message', 'no reason')}")
        found: dict[str, Any] = self.reply.get("result", {})
        return found


class Link:
    """One connection to a browser or page."""

    def __init__(self, channel: Channel, pid: int | None = None) -> None:
        self.pid = pid
        self.event: Event = lambda _session, _method, _params: None
        self.ended: Callable[[], None] = lambda: None
        """Called when the connection has ended."""
        self._channel = channel
        self._numbers = count(1)
        self._waiting: dict[int, tuple[Pending, Callable[[Pending], None] | None]] = {}
        self._of: dict[int, str] = {}
        """The sessions of those calls that the page itself answers."""
        self._blocked: set[str] = set()
        self.closed = False
        self._thread = threading.Thread(target=self._read, name="deskhand-devtools", daemon=True)

    def start(self) -> None:
        """Begin to read."""
        self._thread.start()

    def call(self, method: str, *, session: str = "", timeout: float, **params: Any) -> dict[str, Any]:
        """Call a method and wait for its answer."""
        return self.begin(method, session=session, **params).result(time.monotonic() + timeout)

    def begin(
        self, method: str, *, session: str = "", then: Callable[[Pending], None] | None = None, **params: Any
    ) -> Pending:
        """Call a method; `then` is called on the reading thread when it was answered."""
        number = next(self._numbers)
        pending = Pending(self, number, method)
        self._waiting[number] = (pending, then)
        if method in _BY_THE_PAGE:
            self._of[number] = session
            if session in self._blocked:
                self._block(number)
        message: dict[str, Any] = {"id": number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        try:
            if self.closed:
                raise OSError
            self._channel.send(_encode(message).encode())
        except OSError:
            self._waiting.pop(number, None)
            raise self.gone() from None
        return pending

    def drop(self, number: int) -> None:
        """Wait for an answer no longer."""
        self._waiting.pop(number, None)
        self._of.pop(number, None)

    def block(self, sessions: Iterable[str]) -> None:
        """A dialog of a script keeps these from answering: end the waiting for them."""
        self._blocked.update(sessions)
        for number, session in list(self._of.items()):
            if session in self._blocked:
                self._block(number)

    def unblock(self, sessions: Iterable[str]) -> None:
        """The dialog is closed."""
        self._blocked.difference_update(sessions)

    def _block(self, number: int) -> None:
        pending, then = self._waiting.get(number, (None, None))
        if pending is not None:
            pending.blocked = True
            pending.came.set()
            if then is not None:
                then(pending)

    def close(self) -> None:
        """Hang up."""
        self.closed = True
        self._channel.close()
        if self._thread.is_alive() and threading.current_thread() is not self._thread:
            self._thread.join(2)

    def gone(self) -> AppGone:
        """The error for a browser that has ended."""
        who = "the browser" if self.pid is None else f"the browser in process {self.pid}"
        return AppGone(
            f"{who} has ended, or closed the connection",
            suggestions=("start the program again",),
            pid=self.pid,
        )

    # -- the reading thread ----------------------------------------------------------------------

    def _read(self) -> None:
        with suppress(OSError, EOFError):  # reported to all waiting calls, below
            while True:
                self._deliver(_loads(self._channel.receive()))
        self.closed = True
        while self._waiting:
            with suppress(KeyError):
                self._waiting.popitem()[1][0].came.set()
        self.ended()

    def _deliver(self, message: dict[str, Any]) -> None:
        number = message.get("id")
        if number is None:
            # One that comes after the end finds nothing to send to.
            with suppress(AppGone):
                self.event(message.get("sessionId", ""), message.get("method", ""), message.get("params", {}))
            return
        pending, then = self._waiting.pop(number, (None, None))
        self._of.pop(number, None)
        if pending is not None:
            pending.reply = message
            pending.came.set()
            if then is not None:
                with suppress(AppGone):
                    then(pending)
