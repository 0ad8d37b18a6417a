"""Messages pushed to the listeners of a WebSocket. An ASGI app; knows no protocol.

A reader that is slow has its messages held for it, as many as the feed allows, and one that does not read at
all is let go of.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol, TypeVar
from urllib.parse import parse_qs

from .request_guard import Receive, Scope, Send, refuse

_STALLED = 30.0
"""How long a message may take to be sent, in seconds."""
_GOING_AWAY, _TOO_SLOW = 1001, 1008


class Feed(Protocol):
    """One listener's messages."""

    ended: str | None
    """Why no more will come; None while more may."""

    def take(self) -> list[str]:
        """The messages that wait."""


F = TypeVar("F", bound=Feed)


class Source(Protocol[F]):
    """Where feeds come from."""

    def join(self, wanted: str, wake: Callable[[], None]) -> F | str:
        """A feed of what is wanted; `wake` is called when it has messages. The reason if there is none."""

    def leave(self, feed: F) -> None:
        """The listener is gone."""


class EventSocket:
    """Sends each message of a feed as one text frame. What the listener sends is not read.

    The query `only` says what is wanted.
    """

    def __init__(self, source: Source[F], *, stalled: float = _STALLED) -> None:
        self._source = source
        self._stalled = stalled

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        loop = asyncio.get_running_loop()
        some = asyncio.Event()

        def wake() -> None:
            with suppress(RuntimeError):  # the loop has ended, so there are no listeners
                loop.call_soon_threadsafe(some.set)

        wanted = parse_qs(scope["query_string"].decode("latin-1")).get("only", [""])[-1]
        feed = self._source.join(wanted, wake)
        if isinstance(feed, str):
            await refuse(scope, receive, send, 400, feed)
            return
        leaving = asyncio.ensure_future(_leaving(receive))
        try:
            await send({"type": "websocket.accept"})
            pumping = asyncio.ensure_future(self._pump(feed, some, send))
            await asyncio.wait({leaving, pumping}, return_when=asyncio.FIRST_COMPLETED)
            pumping.cancel()
            with suppress(asyncio.CancelledError, OSError):  # the listener left in the middle of a message
                await pumping
        finally:
            leaving.cancel()
            self._source.leave(feed)

    async def _pump(self, feed: Feed, some: asyncio.Event, send: Send) -> None:
        """Send until there is no more, or the listener does not take it."""
        while True:
            await some.wait()
            some.clear()
            ended = feed.ended
            try:
                for message in feed.take():
                    await asyncio.wait_for(send({"type": "websocket.send", "text": message}), self._stalled)
            except (TimeoutError, asyncio.TimeoutError):
                await _close(send, _TOO_SLOW, f"nothing was read for {self._stalled:g} s")
                return
            if ended is not None:
                await _close(send, _GOING_AWAY, ended)
                return


async def _close(send: Send, code: int, reason: str) -> None:
    closing = send({"type": "websocket.close", "code": code, "reason": reason[:120]})
    with suppress(TimeoutError, asyncio.TimeoutError):  # who does not read does not read this either
        await asyncio.wait_for(closing, 1)


async def _leaving(receive: Receive) -> None:
    while (await receive())["type"] != "websocket.disconnect":
        pass
