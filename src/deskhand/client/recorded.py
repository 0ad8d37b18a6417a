"""Begins a recording of an app that a client holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..adapters.scope import process_name
from ..model.errors import ActionUnsupported
from ..model.operations import Runner
from ..processes import registry
from ..serving.machine import session_of

if TYPE_CHECKING:
    from ..recording import Event, Recording


def recording_of(runner: Runner, pid: int | None, on_event: Callable[[Event], None] | None) -> Recording:
    """A recording that reads the app by a runner, which it closes; `pid` is the app's process."""
    from ..recording import Recording, Source  # which most tests do not need

    if pid is None:
        runner.close()
        raise ActionUnsupported("what is done to an app can be recorded only on the machine that it runs on")
    known = (entry.name for entry in registry.apps() if entry.pid == pid)
    source = Source(app=next(known, process_name(pid)))
    return Recording(runner, session_of(pid), source=source, pid=pid, on_event=on_event, close_runner=True)
