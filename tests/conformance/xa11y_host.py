"""Serves one program through xa11y, as a process of its own: xa11y is on one desktop for its life.

Given a process id and an address, it prints where it serves, and runs until its input ends.
"""

from __future__ import annotations

import sys
import time

from deskhand.adapters.xa11y import Xa11yAdapter
from deskhand.engine.session import Session
from deskhand.model.errors import AppGone
from deskhand.serving.endpoints import endpoints, serve


def main(pid: int, address: str) -> None:
    session = Session(_once_there(pid))
    with serve(session, endpoints(address)) as served:
        print(served.ready[0].url, flush=True)
        sys.stdin.read()
    session.close()


def _once_there(pid: int, timeout: float = 30.0) -> Xa11yAdapter:
    """The adapter, once the program has a window."""
    adapter = Xa11yAdapter(pid=pid)
    deadline = time.monotonic() + timeout
    while True:
        try:
            if adapter.read(timeout=timeout).windows:
                return adapter
        except AppGone:
            pass
        if time.monotonic() > deadline:
            raise TimeoutError(f"program {pid} has no window after {timeout:g} s")
        time.sleep(0.05)  # the registry announces nothing before a program is there


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
