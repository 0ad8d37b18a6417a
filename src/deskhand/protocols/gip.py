"""The GUI Instrumentation Protocol, server side: messages become operations and back. No I/O here.

The document's own methods, `qt_*` extensions, and every operation of the core as `deskhand_<operation>`.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..model.operations import Cancel, Runner
from .wirelog import WireLog


class GipServer:
    """Speaks GIP for one runner; `conversation` fits every transport."""

    def __init__(
        self, runner: Runner | None, *, names: Iterable[str] = (), log: WireLog | None = None
    ) -> None:
        """`names` are further names that `connect` accepts as its target, such as the app's registered name.

        Without a runner every method but ping answers 4, not connected.
        """
        raise NotImplementedError

    def conversation(self, transport: str, url: str, peer: str) -> Conversation:
        """A new connection; give this method to a transport's server."""
        raise NotImplementedError


class Conversation:
    """One connection: whether it is connected, since when, and how to answer its messages."""

    def handle(self, message: bytes, cancel: Cancel) -> bytes | None:
        """Answer one message; None for a notification. Never raises."""
        raise NotImplementedError

    def refuse(self, reason: str) -> bytes:
        """The answer to a message that the transport could not read."""
        raise NotImplementedError

    def close(self) -> None: ...
