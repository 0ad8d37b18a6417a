"""A Runner over a connection, for those who serve an app that runs in another process.

Unlike the link that an `App` holds, it can be told that the caller went away, and then lets the app know.
"""

from __future__ import annotations

import threading

from ..model.errors import Cancelled
from ..model.operations import Cancel
from ..transports.interface import Channel
from ._sync.link import Connection

_LOOK = 0.1
"""How often callers are looked after while operations run, in seconds."""


class Remote(Connection):
    """Runs operations in another process. Thread-safe; a Runner."""

    def __init__(self, address: str, *, token: str | None = None, timeout: float = 5.0) -> None:
        super().__init__(address, token=token, timeout=timeout)
        self._running: dict[Channel, Cancel | None] = {}
        """None for a channel that was closed because its caller went away."""
        self._changed = threading.Condition()
        self._watching = False

    def _exchange(self, channel: Channel, message: bytes, timeout: float, cancel: Cancel | None) -> bytes:
        if cancel is None:
            return channel.exchange(message, timeout)
        if cancel.is_set():
            channel.close()
            raise Cancelled("the caller went away")
        with self._changed:
            self._running[channel] = cancel
            if not self._watching:
                self._watching = True
                threading.Thread(target=self._watch, name="deskhand-remote", daemon=True).start()
            self._changed.notify()
        try:
            return channel.exchange(message, timeout)
        finally:
            with self._changed:
                ended = self._running.pop(channel) is None
            if ended:
                raise Cancelled("the caller went away") from None

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
                for channel, cancel in self._running.items():
                    if cancel is not None and cancel.is_set():
                        self._running[channel] = None
                        channel.close()
            threading.Event().wait(_LOOK)
