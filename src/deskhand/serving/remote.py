"""A Runner over a connection, for serving an app that runs in another process.

Unlike the link that an `App` holds, it learns that its caller went away, and then lets the app know. And it
notices an app whose process answers nothing at all, and does not let its callers wait for that.
"""

from __future__ import annotations

import threading
import time
from contextlib import closing
from typing import Any, TypeVar

from ..model.deadline import doubtful, lost, stopped, timeout_of
from ..model.errors import AppGone, Cancelled, ConnectFailed, DeskhandError, UiBusy, Unauthorized
from ..model.operations import Cancel, Operation
from ..model.record import dataclass
from ..protocols.gip.client import decode_result, encode_call, encode_operation
from ..transports.interface import Channel, ChannelClosed, NotAllowed, Stopped, Unsent
from ..transports.open import open_channel

R = TypeVar("R")

KEPT = 4
"""How many idle connections are kept for the next operations."""

_LOOK = 0.1
"""How often callers are looked after while operations run, in seconds."""
_PING = 3.0
"""How long the answer to that may take, in seconds: threads of their own give it, whatever the app does."""


@dataclass(frozen=False)
class _Running:
    """An operation that is under way."""

    cancel: Cancel
    doubtful: float
    """When to ping the app."""
    ended: str = ""
    """Why its channel was closed: `gone`, as its caller is, or `hung`, as the app is."""


class Remote:
    """Runs operations in another process. Thread-safe; a Runner.

    A server answers the requests of a connection in their order, and cancels what it runs when the connection
    ends. So each operation that runs at a time has a connection of its own.
    """

    def __init__(self, address: str, *, token: str | None = None, timeout: float = 5.0) -> None:
        self.address = address
        self._token = token
        self._timeout = timeout
        self._idle: list[Channel] = []
        self._reached = False
        self._closed = False
        self._running: dict[Channel, _Running] = {}
        self._changed = threading.Condition()
        self._watching = False
        self._asking = False

    def open(self) -> Remote:
        """Make sure that the app can be reached."""
        self._idle.append(self._open())
        return self

    def run(self, operation: Operation[R], cancel: Cancel | None = None) -> R:
        """Run one operation there; raises what it raised there."""
        request = encode_operation(operation)
        try:
            channel = self._idle.pop()
        except IndexError:
            channel = self._open()
        try:
            reply = self._exchange(channel, request.data, operation, cancel)
        except OSError as error:
            failed = failure(error, self.address, operation)
            if isinstance(failed, AppGone):
                self._drop()
            raise failed from None
        except BaseException:
            # Cancelled: the answer still to come must not be taken for that of the next operation.
            channel.close()
            raise
        if self._closed or len(self._idle) >= KEPT:
            channel.close()
        else:
            self._idle.append(channel)
        return decode_result(operation, request, reply)

    def _exchange(
        self, channel: Channel, message: bytes, operation: Operation[Any], cancel: Cancel | None
    ) -> bytes:
        timeout = timeout_of(operation)
        if cancel is None:
            return channel.exchange(message, lost(timeout), patience=stopped(operation))
        if cancel.is_set():
            channel.close()
            raise Cancelled("the caller went away")
        running = _Running(cancel, time.monotonic() + doubtful(timeout))
        with self._changed:
            self._running[channel] = running
            if not self._watching:
                self._watching = True
                threading.Thread(target=self._watch, name="deskhand-remote", daemon=True).start()
            self._changed.notify()
        try:
            return channel.exchange(message, lost(timeout), patience=stopped(operation))
        finally:
            with self._changed:
                del self._running[channel]
            if running.ended == "gone":
                raise Cancelled("the caller went away") from None
            if running.ended == "hung":
                raise UiBusy(
                    f"the app answers nothing at all, not even a ping within {_PING:g} s",
                    target=self.address,
                    suggestions=("see whether its process is stopped or swapped out",),
                ) from None

    def close(self) -> None:
        """Let go of the app."""
        self._closed = True
        self._drop()
        with self._changed:
            self._changed.notify()

    def _open(self) -> Channel:
        try:
            channel = open_channel(self.address, self._timeout, self._token, framing="length")
        except OSError as error:
            raise unreached(error, self.address, reached=self._reached) from None
        self._reached = True
        return channel

    def _drop(self) -> None:
        idle, self._idle = self._idle, []
        for channel in idle:
            channel.close()

    def _watch(self) -> None:
        """Close the channel of each caller that went away: the engine cancels what it runs for it."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._running or self._closed)
                if self._closed and not self._running:
                    return
                now = time.monotonic()
                for channel, running in self._running.items():
                    if running.cancel.is_set():
                        _end(channel, running, "gone")
                    elif now > running.doubtful and not self._asking:
                        self._asking = True
                        threading.Thread(target=self._ask, name="deskhand-ping", daemon=True).start()
            threading.Event().wait(_LOOK)

    def _ask(self) -> None:
        """Ping the app; calls to one that does not answer end."""
        began = time.monotonic()
        there = self._answers()
        with self._changed:
            self._asking = False
            for channel, running in self._running.items():
                if running.doubtful < began:
                    if there:
                        running.doubtful = time.monotonic() + doubtful(0.0)
                    else:
                        _end(channel, running, "hung")

    def _answers(self) -> bool:
        try:
            with closing(open_channel(self.address, _PING, self._token, framing="length")) as channel:
                channel.exchange(encode_call("ping").data, _PING)
        except TimeoutError:
            return False
        except OSError:
            return True  # it has ended, or turns us away: the waiting call gets that error, or its answer
        return True


def failure(error: OSError, address: str, operation: Operation[Any]) -> DeskhandError:
    """The error for an exchange with an app that failed."""
    if isinstance(error, Stopped):
        return UiBusy(
            f"the app did not answer within {stopped(operation):g} s: process {error.pid} is stopped",
            target=address,
            suggestions=(f"let it go on: kill -CONT {error.pid}",),
        )
    if isinstance(error, TimeoutError):
        return UiBusy(
            f"the app did not answer within {lost(timeout_of(operation)):g} s",
            target=address,
            suggestions=("see whether its process hangs or is swapped out",),
        )
    if isinstance(error, NotAllowed):
        return Unauthorized(str(error), target=address)
    gone = AppGone(f"the app is gone: {error}", target=address)
    if isinstance(error, ChannelClosed) and not isinstance(error, Unsent):
        gone.details["sent"] = True
    return gone


def unreached(error: OSError, address: str, *, reached: bool) -> DeskhandError:
    """The error for a connection that could not be made, to an app that was or was not reached before."""
    if isinstance(error, NotAllowed):
        return Unauthorized(str(error), target=address)
    if reached:
        return AppGone(f"the app is gone: {error}", target=address)
    return ConnectFailed(str(error) or "the app did not answer", target=address)


def _end(channel: Channel, running: _Running, why: str) -> None:
    if not running.ended:
        running.ended = why
        channel.close()
