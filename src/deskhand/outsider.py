"""A program that we started and that no agent can be put into: driven from outside, as if one were inside.

This process reads and operates it through the accessibility bus and listens on the sockets on which an agent
would. Whoever connects cannot tell, but for what accessibility does not know. Linux only.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from . import __version__, registry
from .adapters.atspi import AtspiAdapter
from .adapters.atspi.adapter import name_of
from .endpoints import Endpoint, serve
from .engine.session import Session
from .inject import diagnose
from .keeper import descendants, process_table
from .model.errors import DeskhandError

_LOOK = 2.0
"""How long the accessibility bus may take to answer, in seconds."""


@dataclass(frozen=True)
class Outsider:
    """A program that has a window, and what drives it."""

    name: str
    pid: int
    framework: str
    session: Session


def find(root: int, env: Mapping[str, str]) -> Outsider | None:
    """The program among a process and all that it started, if it has a window and no agent can come."""
    if diagnose.may_get_agent(root):
        return None
    pids = {root} | descendants(root, process_table())
    # Accessibility may come up later, and if it never does, the error says so that is raised then.
    with contextlib.suppress(DeskhandError), contextlib.ExitStack() as undo:
        adapter = AtspiAdapter(env)
        undo.callback(adapter.close)
        for app in adapter.apps(_LOOK):
            if app.pid in pids:
                adapter.choose(app.pid)
                if adapter.read(depth=0, timeout=_LOOK).windows:
                    undo.pop_all()
                    framework = f"{app.toolkit} {app.version}".strip()
                    return Outsider(name_of(app), app.pid, framework, Session(adapter))
    return None


def take_part(
    program: Outsider,
    settings: Mapping[str, Any],
    endpoints: Iterable[Endpoint],
    log_wire: str | os.PathLike[str] | None,
    stack: contextlib.ExitStack,
) -> dict[str, Any]:
    """Do what an agent inside would do, until the stack is closed; what it would report."""
    session, name = program.session, settings["name"] or program.name
    stack.callback(session.close)
    session.read_only = settings["read_only"]
    session.enabled = not settings["standby"]
    wanted = tuple(endpoints)
    control, unlogged = settings["control"], settings["unlogged"]
    served = serve(session, (Endpoint("gip", control), *wanted), names=(name,), log_wire=log_wire)
    stack.enter_context(served)
    if unlogged is not None:
        stack.enter_context(serve(session, (Endpoint("gip", unlogged),), names=(name,)))
    public = [ready for ready in served.ready if ready.url != f"unix:{control}"]
    stack.callback(registry.unregister, program.pid)
    registry.register(
        registry.Entry(
            name=name,
            pid=program.pid,
            control=control,
            endpoints=tuple(str(ready) for ready in public),
            started=registry.start_time(program.pid),
            framework=program.framework,
            outside=True,
        )
    )
    return {
        "name": name,
        "pid": program.pid,
        "control": control,
        "unlogged": unlogged,
        "endpoints": [[ready.kind, ready.url] for ready in public],
        "version": __version__,
    }
