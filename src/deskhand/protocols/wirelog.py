"""A log of every message that goes in or out, for `--log-wire FILE`."""

from __future__ import annotations

from pathlib import Path


class WireLog:
    """Appends one JSON line for each message to a file that only its owner may read.

    A disk that is full or gone never disturbs a request: it is said once on stderr.
    """

    def __init__(self, path: str | Path, *, limit: int = 65536) -> None:
        """`limit` is how much of one message is kept, in characters. Raises OSError if it cannot be opened."""
        raise NotImplementedError

    def write(self, connection: str, direction: str, message: bytes) -> None:
        """Log a message; direction is `in` or `out`."""

    def close(self) -> None: ...
