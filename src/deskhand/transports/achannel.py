"""What all channels for asyncio do alike, as channel.py does for threads."""

from __future__ import annotations

import asyncio
from typing import TypeVar

from .interface import ChannelClosed, Stopped

A = TypeVar("A", bound="AsyncioChannel")


class AsyncioChannel:
    """A connection for asyncio. Implements interface.AsyncChannel."""

    def __init__(self, url: str, *ended: type[Exception]) -> None:
        self.url = url
        self._ended: tuple[type[Exception], ...] = (OSError, *ended)
        self._lock = asyncio.Lock()

    async def __aenter__(self: A) -> A:
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
        """Send a message and wait for its answer; see interface.Channel."""
        try:
            return await asyncio.wait_for(self._alone(message, reply, patience), timeout)
        except Stopped:
            raise
        except asyncio.TimeoutError:
            raise TimeoutError(f"{self.url} did not answer within {timeout:g} s") from None

    async def _alone(self, message: bytes, reply: bool, patience: float | None) -> bytes:
        async with self._lock:
            answered = False
            try:
                answer = await self._exchange(message, reply, patience)
                answered = True
            except (ChannelClosed, Stopped):
                raise
            except self._ended as error:
                said = getattr(error, "strerror", None) or error
                raise ChannelClosed(f"the connection to {self.url} ended: {said}") from None
            finally:
                # Also when cancelled: the answer may still come, and would be taken for the next one.
                if not answered:
                    self._abort()
            return answer

    async def close(self) -> None:
        raise NotImplementedError

    async def _exchange(self, message: bytes, reply: bool, patience: float | None) -> bytes:
        raise NotImplementedError

    def _abort(self) -> None:
        """End the connection without waiting for what is still to be sent."""
        raise NotImplementedError
