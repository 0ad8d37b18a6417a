"""The apps with an engine of ours inside among other processes, as runners.

For what serves an app that has such processes. It runs inside programs: standard library only.
"""

from __future__ import annotations

import threading
from collections.abc import Collection
from typing import TypeVar

from . import registry
from .adapters.joined import Part
from .model.errors import AppGone, ConnectFailed, UiBusy
from .model.operations import TIMEOUT, Cancel, Operation
from .protocols.gip_client import decode_result, encode_operation
from .transports.interface import Channel
from .transports.open import open_channel

R = TypeVar("R")

_CONNECT = 2.0
_GRACE = 5.0
"""How much longer than its own timeout an operation may take before the app counts as hung, in seconds."""


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
                    self._known[key] = Part(entry.name, entry.pid, Peer(f"unix:{entry.control}"))
            return list(self._known.values())

    def close(self) -> None:
        with self._lock:
            for part in self._known.values():
                part.runner.close()
            self._known.clear()


class Peer:
    """Runs operations in one of them. Thread-safe; a Runner."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._idle: list[Channel] = []

    def run(self, operation: Operation[R], cancel: Cancel | None = None) -> R:  # noqa: ARG002 - not waited for
        """Run one operation there; raises what it raised there."""
        request = encode_operation(operation)
        timeout = getattr(operation, "timeout", None) or TIMEOUT
        channel = self._open()
        try:
            reply = channel.exchange(request.data, timeout + _GRACE, patience=timeout)
        except TimeoutError:
            channel.close()
            raise UiBusy(
                f"the app did not answer within {timeout + _GRACE:g} s", target=self._address
            ) from None
        except OSError as error:
            channel.close()
            raise AppGone(f"the app is gone: {error}", target=self._address) from None
        except BaseException:
            channel.close()
            raise
        self._idle.append(channel)
        return decode_result(operation, request, reply)

    def close(self) -> None:
        """Let go of the app."""
        while self._idle:
            self._idle.pop().close()

    def _open(self) -> Channel:
        try:
            return self._idle.pop()
        except IndexError:
            pass
        try:
            return open_channel(self._address, _CONNECT, framing="length")
        except OSError as error:
            raise ConnectFailed(str(error) or "the app did not answer", target=self._address) from None
