"""Serves the inspector: makes what it shows of an app, and the server of its page."""

from __future__ import annotations

import os
from urllib.parse import quote

from ..engine.policy_guard import Guard
from ..inspector.inspection import Inspection
from ..inspector.page import files
from ..inspector.viewer import Viewer
from ..model.operations import Runner
from ..transports.bearer import Bearer, Bearers
from ..transports.interface import Log
from ..transports.pages import PageServer
from .endpoints import InspectorSettings
from .machine import session_of


def inspection_of(
    runner: Runner,
    pid: int | None,
    name: str | None,
    settings: InspectorSettings | None,
    guard: Guard | None,
) -> Inspection:
    """What the inspector shows of an app, which is on the screen of `pid`. Its pages answer for the guard."""
    env = session_of(os.getpid() if pid is None else pid)
    private = env.get("DISPLAY") != os.environ.get("DISPLAY")
    settings = settings or InspectorSettings()
    inspection = Inspection(
        runner, name=name, pid=pid, env=env, private=private, whole=settings.whole, alone=settings.alone
    )
    if guard is not None:
        guard.watched_by = inspection.ask
    return inspection


def inspector_server(
    host: str,
    port: int,
    inspection: Inspection,
    runner: Runner,
    *,
    token: str | None,
    bearers: str | Bearers | None,
    other_users: bool,
    log: Log | None,
) -> PageServer:
    """The server of the page. Its address has the token; pages act by that runner."""
    server = PageServer(
        host,
        port,
        files(),
        lambda wake: Viewer(inspection, runner, wake),
        token=bearers if bearers is None or isinstance(bearers, str) else _unlimited(bearers),
        other_users=other_users,
        log=log,
    )
    if token is not None:
        server.url += f"?token={quote(token, safe='')}"
    return server


def _unlimited(bearers: Bearers) -> Bearers:
    """Only tokens without limits: the page shows what all clients do, and lets them wait."""

    def who(given: str) -> Bearer | None:
        found = bearers(given)
        return None if getattr(getattr(found, "scope", None), "limited", False) else found

    return who
