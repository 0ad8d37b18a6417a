"""What blocks, for asyncio: in a thread of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import TypeVar

from .. import background
from .interface import Channel

T = TypeVar("T")


class ThreadedChannel:
    """A blocking channel, for asyncio."""

    def __init__(self, channel: Channel) -> None:
        self.url = channel.url
        self._channel = channel
        self._lock = asyncio.Lock()

    async def __aenter__(self) -> ThreadedChannel:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def exchange(
        self,
        message: bytes,
        timeout: float | None = None,
        *,
        reply: bool = True,
        patience: float | None = None,
    ) -> bytes:
        """Send a message and wait for its answer; see interface.AsyncChannel."""
        async with self._lock:
            try:
                return await in_thread(
                    lambda: self._channel.exchange(message, timeout, reply=reply, patience=patience)
                )
            except asyncio.CancelledError:
                self._channel.close()
                raise

    async def close(self) -> None:
        self._channel.close()


async def in_thread(call: Callable[[], T]) -> T:
    """Run something that blocks in a thread of its own, with a copy of this context."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def deliver(done: Future[T]) -> None:
        if future.cancelled():
            return
        if (error := done.exception()) is not None:
            future.set_exception(error)
        else:
            future.set_result(done.result())

    def finished(done: Future[T]) -> None:
        with suppress(RuntimeError):  # the loop was closed meanwhile, so that no task waits any more
            loop.call_soon_threadsafe(deliver, done)

    background.begin(call).add_done_callback(finished)
    return await future
