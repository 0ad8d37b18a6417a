"""The apps with an engine of ours inside among other processes, as runners.

For what serves an app that has such processes. It runs inside programs: standard library only.
"""

from __future__ import annotations

import threading
from collections.abc import Collection

from ..adapters.merge import Part
from ..processes import registry
from ..serving.remote import Remote

_CONNECT = 2.0


class Peers:
    """Finds them in the registry, and keeps a connection to each. Thread-safe."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, str | None], Part] = {}
        self._lock = threading.Lock()

    def among(self, pids: Collection[int]) -> list[Part]:
        """Those of these processes that have an engine of ours inside."""
        with self._lock:
            running = {
                (entry.pid, entry.started): entry
                for entry in registry.apps()
                if entry.pid in pids and not entry.outside
            }
            for key in self._known.keys() - running.keys():
                self._known.pop(key).runner.close()
            for key, entry in running.items():
                if key not in self._known:
                    self._known[key] = Part(
                        entry.name, entry.pid, Remote(f"unix:{entry.control}", timeout=_CONNECT)
                    )
            return list(self._known.values())

    def close(self) -> None:
        with self._lock:
            for part in self._known.values():
                part.runner.close()
            self._known.clear()
