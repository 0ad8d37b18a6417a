"""What blocks, for asyncio: in a thread of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from contextvars import copy_context
from typing import TypeVar

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
    """Run something that blocks in a thread of its own, with a copy of this context.

    Not in the loop's executor, whose few threads would all be taken by a few callers who wait.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def deliver(result: T | None, error: BaseException | None) -> None:
        if future.cancelled():
            return
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(result)  # type: ignore[arg-type]  # there is a result where there is no error

    def work() -> None:
        result, raised = None, None
        try:
            result = call()
        except BaseException as error:  # noqa: BLE001 - raised again in the caller's task
            raised = error
        with suppress(RuntimeError):  # the loop was closed meanwhile, so nobody waits any more
            loop.call_soon_threadsafe(deliver, result, raised)

    threading.Thread(target=copy_context().run, args=(work,), name="deskhand-call", daemon=True).start()
    return await future
