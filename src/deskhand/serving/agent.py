"""The Agent contract for a runner: its server, and whether the runner can be worked with.

That is found out in a thread, so that a request for the health never waits long.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import wait as wait_for

from ..background import begin
from ..engine.compound import Composer
from ..model import operations as ops
from ..model.errors import (
    AccessibilityUnavailable,
    ConnectFailed,
    DeskhandError,
    Disabled,
    NotConnected,
    UiBusy,
)
from ..model.operations import Runner
from ..protocols.agent.files import Machine
from ..protocols.agent.server import AgentServer
from ..protocols.wirelog import WireLog

_PATIENCE = 0.5
"""How long a request for the health waits for the runner, in seconds."""
_FIRST_PATIENCE = 1.5
"""The same until it has answered for the first time: a desktop that has just begun takes a moment."""


def agent_server(
    runner: Runner,
    *,
    machine: Machine | None = None,
    shutdown: Callable[[], None] | None = None,
    log: WireLog | None = None,
    early: bool = False,
) -> AgentServer:
    """A server of the contract. `early` begins at once to find out whether the runner answers."""
    health = Health(runner)
    if early:
        health.begin()
    return AgentServer(Composer(runner), health=health, machine=machine, shutdown=shutdown, log=log)


class Health:
    """The health of one runner. Call it for what is wrong, or None."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self._lock = threading.Lock()
        self._running: Future[None] | None = None
        self._patience = _FIRST_PATIENCE
        self._error: DeskhandError | None = AccessibilityUnavailable("accessibility has not answered yet")

    def begin(self) -> Future[None]:
        """Begin to find out, unless that is under way: an early request then need not wait for it."""
        with self._lock:
            if self._running is None:
                self._running = begin(self._find_out, "agent-health")
            return self._running

    def __call__(self) -> DeskhandError | None:
        """What is wrong; None if nothing is. A runner that is busy with a long answer stays healthy."""
        wait_for([self.begin()], self._patience)
        return self._error

    def _find_out(self) -> None:
        found: DeskhandError | None = None
        try:
            self._runner.run(ops.ListWindows())
        except (AccessibilityUnavailable, NotConnected, ConnectFailed, Disabled) as error:
            found = error
        except UiBusy:
            found = None  # its program is busy; accessibility answers
        except Exception as error:  # noqa: BLE001 - reported to the caller
            found = AccessibilityUnavailable(f"{type(error).__name__}: {error}")
        with self._lock:
            self._error, self._patience, self._running = found, _PATIENCE, None
