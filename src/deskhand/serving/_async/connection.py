"""Runs operations in an engine of another process. The only loop that does: links and `Remote` share it."""

from __future__ import annotations

from typing import Any, TypeVar

from ...model.deadline import lost, stopped, timeout_of
from ...model.errors import AppGone
from ...model.operations import Cancel, Operation
from ...protocols.gip.client import decode_result, encode_operation
from ...transports.interface import AsyncChannel
from ...transports.open import open_async_channel
from ..failures import failure, unreached

__tracebackhide__ = True  # pytest then shows the line of the test that failed, and nothing of ours below it

R = TypeVar("R")
C = TypeVar("C", bound="EngineConnection")

_KEPT = 4
"""How many idle channels are kept for the next operations."""


class EngineConnection:
    """A connection to one of our own engines, in another process.

    A server answers the requests of a channel in their order, and cancels what it runs when the channel
    ends. So each operation that runs at a time has a channel of its own.
    """

    def __init__(self, address: str, *, token: str | None = None, timeout: float = 5.0) -> None:
        self.address = address
        self._token = token
        self._timeout = timeout
        self._idle: list[AsyncChannel] = []
        self._kept = _KEPT
        self._reached = False
        self._closed = False

    async def open(self: C) -> C:
        """Make sure that the app can be reached."""
        self._idle.append(await self._open())
        return self

    async def run(self, operation: Operation[R], cancel: Cancel | None = None) -> R:
        """Run one operation there; raises what it raised there."""
        request = encode_operation(operation)
        try:
            channel = self._idle.pop()
        except IndexError:
            channel = await self._open()
        try:
            reply = await self._exchange(channel, request.data, operation, cancel)
        except OSError as error:
            failed = failure(error, self.address, operation)
            if isinstance(failed, AppGone):
                await self._drop()
            raise failed from None
        except BaseException:
            # Cancelled: the answer still to come must not be taken for that of the next operation.
            await channel.close()
            raise
        if self._closed or len(self._idle) >= self._kept:
            await channel.close()
        else:
            self._idle.append(channel)
        return decode_result(operation, request, reply)

    async def close(self) -> None:
        """Let go of the app."""
        self._closed = True
        await self._drop()

    async def release(self) -> None:
        """Keep no channel between operations from now on: each opens and closes its own."""
        self._kept = 0
        await self._drop()

    async def _drop(self) -> None:
        idle, self._idle = self._idle, []
        for channel in idle:
            await channel.close()

    async def _exchange(
        self, channel: AsyncChannel, message: bytes, operation: Operation[Any], cancel: Cancel | None
    ) -> bytes:
        """The answer to a message. A subclass that can be cancelled heeds `cancel`."""
        assert cancel is None, "a task is cancelled, and a thread has a Remote"
        return await channel.exchange(message, lost(timeout_of(operation)), patience=stopped(operation))

    async def _open(self) -> AsyncChannel:
        try:
            channel = await open_async_channel(self.address, self._timeout, self._token, framing="length")
        except OSError as error:
            raise unreached(error, self.address, reached=self._reached) from None
        self._reached = True
        return channel
