"""What clients do to an app, as a bounded list of lines for people. What is typed is masked
unless it is known that it went into no password field."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any

from ..model import operations as ops
from ..model.codec import encode_operation
from ..model.node import MASK
from ..model.operations import Operation
from ..model.tree import Tree
from ..tracing import describe
from ..transports.bearer import bearer

KEPT = 500
"""How many operations are kept."""


class Entry:
    """One operation, and how it ended once it has."""

    def __init__(self, number: int, client: str, operation: Operation[Any]) -> None:
        known = bearer.get()
        self.number = number
        self.version = 0
        self.client = client
        self.token = None if known is None else known.name
        self.operation = operation
        self.began = time.time()
        self.held = False
        """Whether it waits because a person has taken over."""
        self.ended: float | None = None
        self.error: str | None = None
        self.uid: str | None = None
        """The node that it was done to."""
        self.typed = _secret(operation)
        """The field that is masked."""

    def told(self) -> dict[str, Any]:
        """As plain data."""
        name, params = encode_operation(self.operation)
        if self.typed is not None:
            params[self.typed] = MASK
        described = describe.parameters(self.operation, params)
        return {
            "number": self.number,
            "client": self.client,
            "token": self.token,
            "title": describe.title(self.operation, name, described, None),
            "acts": self.operation.acts,
            "time": self.began,
            "took": None if self.ended is None else self.ended - self.began,
            "held": self.held,
            "error": self.error,
            "uid": self.uid,
        }

    def reveal(self, tree: Tree | None) -> None:
        """Show what was typed from now on, if it is known that it went into no password field."""
        node = None if tree is None else tree.get(self.uid)
        if node is not None and not node.password:
            self.typed = None


def _secret(operation: Operation[Any]) -> str | None:
    """The field that may hold a password; None if there is none."""
    if isinstance(operation, ops.SetClipboard):
        return "text"
    if isinstance(operation, ops.Key) and (len(operation.keys) > 1):
        return None  # a chord, or a key with a name
    return describe.TYPED.get(type(operation))


class Console:
    """The newest operations of all clients. Thread-safe; `changed` is called when there is something new."""

    def __init__(self, changed: Callable[[], None], tree: Callable[[], Tree | None]) -> None:
        """`tree` is the newest one that was read; it says what is a password field."""
        self._changed = changed
        self._tree = tree
        self._lock = threading.Lock()
        self._entries: deque[Entry] = deque(maxlen=KEPT)
        self._count = 0
        self._version = 0

    def begin(self, client: str, operation: Operation[Any]) -> Entry:
        """An operation begins."""
        with self._lock:
            self._count += 1
            entry = Entry(self._count, client, operation)
            self._entries.append(entry)
        self.touch(entry)
        return entry

    def touch(self, entry: Entry) -> None:
        """Something about it is different now."""
        with self._lock:
            self._version += 1
            entry.version = self._version
        self._changed()

    def end(self, entry: Entry, result: Any = None, error: BaseException | None = None) -> None:
        """An operation has ended."""
        entry.ended = time.time()
        entry.uid = getattr(result, "uid", None)
        entry.reveal(self._tree())
        if error is not None:
            failure = describe.failure(error)
            entry.error = None if failure is None else failure["message"]
        self.touch(entry)

    def since(self, version: int) -> tuple[int, list[Entry]]:
        """The version now, and what is new or different since an earlier one, oldest first."""
        with self._lock:
            return self._version, [entry for entry in self._entries if entry.version > version]
