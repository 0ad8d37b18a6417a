"""What all channels do alike: one exchange after the other, each with a deadline, and no late answers."""

from __future__ import annotations

import threading
import time
from typing import TypeVar

from .interface import ChannelClosed, NotAllowed, Stopped, Unsent

B = TypeVar("B", bound="BlockingChannel")


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
