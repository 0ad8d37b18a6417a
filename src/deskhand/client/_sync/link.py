# Generated from client/_async/link.py by scripts/generate_sync.py; edit that file instead.
"""How an app is reached: by a connection to the engine inside it, or by an engine of our own.

Both run operations, and their users need not know which one they have.
"""

from __future__ import annotations

import threading
from os import PathLike
from typing import TYPE_CHECKING, Protocol, TypeVar

from ...model.operations import Operation, Runner
from ...serving._sync.connection import EngineConnection
from ...serving.remote import Remote
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


class Connection(EngineConnection):
    """A link to one of our own engines, in another process."""

    def runner(self) -> Runner:
        """A connection of its own."""
        return Remote(self.address, token=self._token, timeout=self._timeout)


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
