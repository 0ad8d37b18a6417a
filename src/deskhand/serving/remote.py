"""A Runner over a connection, for serving an app that runs in another process.

Unlike the link that an `App` holds, it notices that its caller has disconnected, and then cancels the
operation in the app. It also notices an app whose process answers nothing at all, and does not let its
callers wait for that.
"""

from __future__ import annotations

import threading
import time
from contextlib import closing
from typing import Any

from ..model.deadline import doubtful, timeout_of
from ..model.errors import Cancelled, UiBusy
from ..model.operations import Cancel, Operation
from ..model.record import dataclass
from ..protocols.gip.client import encode_call
from ..transports.interface import Channel
from ..transports.open import open_channel
from ._sync.connection import EngineConnection

_LOOK = 0.1
"""How often it checks whether callers are still there while operations run, in seconds."""
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


class Remote(EngineConnection):
    """Runs operations in another process. Thread-safe; a Runner."""

    def __init__(self, address: str, *, token: str | None = None, timeout: float = 5.0) -> None:
        super().__init__(address, token=token, timeout=timeout)
        self._running: dict[Channel, _Running] = {}
        self._changed = threading.Condition()
        self._watching = False
        self._asking = False

    def _exchange(
        self, channel: Channel, message: bytes, operation: Operation[Any], cancel: Cancel | None
    ) -> bytes:
        if cancel is None:
            return super()._exchange(channel, message, operation, None)
        if cancel.is_set():
            channel.close()
            raise Cancelled("the caller went away")
        running = _Running(cancel, time.monotonic() + doubtful(timeout_of(operation)))
        with self._changed:
            self._running[channel] = running
            if not self._watching:
                self._watching = True
                threading.Thread(target=self._watch, name="deskhand-remote", daemon=True).start()
            self._changed.notify()
        try:
            return super()._exchange(channel, message, operation, None)
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
        super().close()
        with self._changed:
            self._changed.notify()

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


def _end(channel: Channel, running: _Running, why: str) -> None:
    if not running.ended:
        running.ended = why
        channel.close()
