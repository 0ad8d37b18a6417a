# Generated from client/_async/link.py by scripts/generate_sync.py; edit that file instead.
"""How an app is reached: by a connection to the engine inside it, or by an engine of our own.

Both run operations, and their users need not know which one they have.
"""

from __future__ import annotations

import threading
from os import PathLike
from typing import TYPE_CHECKING, Protocol, TypeVar

from ...model.deadline import lost, stopped, timeout_of
from ...model.errors import AppGone
from ...model.operations import Operation, Runner
from ...protocols.gip.client import decode_result, encode_operation
from ...serving.remote import KEPT, Remote, failure, unreached
from ...transports.interface import Channel
from ...transports.open import open_channel
from ..borrowed import Borrowed
from ..place import in_place

if TYPE_CHECKING:
    from ...protocols.agent.client import Health
    from ..agent import Agent
    from ..transfer import Progress

__tracebackhide__ = True  # pytest then shows the line of the test that failed, and nothing of ours below it

R = TypeVar("R")


class Link(Protocol):
    """Runs operations in an app."""

    address: str

    def run(self, operation: Operation[R]) -> R: ...

    def runner(self) -> Runner:
        """Another way to the same app, for a thread of its own. Closing it leaves the link open."""

    def release(self) -> None: ...

    def close(self) -> None: ...


class Connection:
    """A link to one of our own engines, in another process.

    A server answers the requests of a connection in their order, and cancels what it runs when the
    connection ends. So each operation that runs at a time has a connection of its own.
    """

    def __init__(self, address: str, *, token: str | None = None, timeout: float = 5.0) -> None:
        self.address = address
        self._token = token
        self._timeout = timeout
        self._idle: list[Channel] = []
        self._reached = False
        self._closed = False

    def open(self) -> Connection:
        """Make sure that the app can be reached."""
        self._idle.append(self._open())
        return self

    def run(self, operation: Operation[R]) -> R:
        """Run one operation there; raises what it raised there."""
        request = encode_operation(operation)
        try:
            channel = self._idle.pop()
        except IndexError:
            channel = self._open()
        try:
            limit = lost(timeout_of(operation))
            reply = channel.exchange(request.data, limit, patience=stopped(operation))
        except OSError as error:
            failed = failure(error, self.address, operation)
            if isinstance(failed, AppGone):
                self.release()
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

    def runner(self) -> Runner:
        """A connection of its own."""
        return Remote(self.address, token=self._token, timeout=self._timeout)

    def close(self) -> None:
        """Let go of the app."""
        self._closed = True
        self.release()

    def release(self) -> None:
        """Close the idle connections; the next operation opens another one."""
        idle, self._idle = self._idle, []
        for channel in idle:
            channel.close()

    def _open(self) -> Channel:
        try:
            channel = open_channel(self.address, self._timeout, self._token, framing="length")
        except OSError as error:
            raise unreached(error, self.address, reached=self._reached) from None
        self._reached = True
        return channel


class LocalEngine:
    """A link to a runner in this process, which drives the app by other means."""

    def __init__(self, engine: Runner, address: str) -> None:
        self.address = address
        self._engine = engine

    def run(self, operation: Operation[R]) -> R:
        """Run one operation here."""
        cancel = threading.Event()
        try:
            return in_place(self._engine.run, operation, cancel)
        finally:
            cancel.set()

    def runner(self) -> Runner:
        """The same engine, which any thread may use."""
        return Borrowed(self._engine)

    def release(self) -> None:
        """Nothing is kept open between operations."""

    def close(self) -> None:
        """Let go of the app."""
        in_place(self._engine.close)


class AgentLink(LocalEngine):
    """A link to an agent on another machine, which also carries files."""

    def __init__(self, agent: Agent) -> None:
        super().__init__(agent, agent.address)
        self._agent = agent

    def health(self) -> Health:
        """How the agent is."""
        return in_place(self._agent.health)

    def upload(self, local: str | PathLike[str], remote: str, progress: Progress | None) -> int:
        """Send a file there."""
        cancel = threading.Event()
        try:
            return in_place(self._agent.upload, local, remote, progress, cancel)
        finally:
            cancel.set()

    def download(self, remote: str, local: str | PathLike[str], progress: Progress | None) -> int:
        """Fetch a file from there."""
        cancel = threading.Event()
        try:
            return in_place(self._agent.download, remote, local, progress, cancel)
        finally:
            cancel.set()
