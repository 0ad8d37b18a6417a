"""What all channels do alike: one exchange after the other, each with a deadline, and no late answers."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import TypeVar

from .interface import ChannelClosed, NotAllowed, Stopped, Unsent

B = TypeVar("B", bound="BlockingChannel")
A = TypeVar("A", bound="AsyncioChannel")


class BlockingChannel:
    """A connection for threads. Implements interface.Channel by what a transport says of its connection."""

    def __init__(self, url: str, *ended: type[Exception]) -> None:
        """`ended` is what it raises when the connection ends, in addition to OSError."""
        self.url = url
        self._ended: tuple[type[Exception], ...] = (OSError, *ended)
        self._lock = threading.Lock()
        self._closed = False

    def __enter__(self: B) -> B:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def exchange(
        self,
        message: bytes,
        timeout: float | None = None,
        *,
        reply: bool = True,
        patience: float | None = None,
    ) -> bytes:
        """Send a message and wait for its answer; see interface.Channel."""
        began = time.monotonic()
        deadline = None if timeout is None else began + timeout
        doubtful = None if patience is None else began + patience
        if not self._lock.acquire(timeout=-1 if timeout is None else max(0.0, timeout)):
            raise TimeoutError(f"{self.url} was busy with another request for {timeout:g} s")
        try:
            if self._closed:
                raise Unsent(f"the connection to {self.url} is closed")
            return self._exchange(message, reply, deadline, doubtful)
        except (ChannelClosed, NotAllowed, Stopped):
            self.close()
            raise
        except TimeoutError:
            self.close()
            raise TimeoutError(f"{self.url} did not answer within {timeout:g} s") from None
        except self._ended as error:
            self.close()
            said = getattr(error, "strerror", None) or error
            raise ChannelClosed(f"the connection to {self.url} ended: {said}") from None
        finally:
            self._lock.release()

    def close(self) -> None:
        """End the connection; an exchange that waits in another thread raises ChannelClosed."""
        if not self._closed:
            self._closed = True
            self._shut()

    def _exchange(self, message: bytes, reply: bool, deadline: float | None, doubtful: float | None) -> bytes:
        """Send and receive; from when it is doubtful on, only from a server whose process is not stopped."""
        raise NotImplementedError

    def _shut(self) -> None:
        """End the connection, and wake a thread that waits for an answer."""
        raise NotImplementedError


class AsyncioChannel:
    """The same for asyncio. Implements interface.AsyncChannel."""

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
