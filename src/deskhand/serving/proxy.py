"""Programs that cannot serve themselves: this process reads and drives them, and serves them in their place.

Either they have an agent inside that only reads and acts, as a JVM has, or none can be put in and they are
reached through accessibility, or by their windows alone if they are not there either. This process listens on
the sockets on which an agent inside would; clients do not notice. Linux only.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import __version__
from ..adapters.companions import WithOthers
from ..adapters.scope import Scope, process_name
from ..engine.session import Session
from ..inject import chromium, diagnose, jvm
from ..model.adapter import Adapter
from ..model.errors import AccessibilityUnavailable, AppGone, ConnectFailed, UiBusy
from ..model.operations import Runner
from ..processes import registry
from ..toolkits import SWING
from .endpoints import Endpoint, serve

if TYPE_CHECKING:
    import socket

    from ..adapters.web.adapter import WebAdapter

_PAGE = 20.0
"""How long a browser that has started may take to show its first page, in seconds."""
_LOOK = 2.0
"""How long a program or the accessibility bus may take to answer, in seconds."""
_WINDOWS_ONLY = (
    "{} is not on the accessibility bus: its windows can be clicked at, typed into, placed and photographed, "
    "but what is in them cannot be read"
)


@dataclass(frozen=True)
class Outsider:
    """A program that has a window, and what drives it."""

    name: str
    pid: int
    framework: str
    session: Session
    inside: bool = False
    """Whether an agent in it does the reading and acting."""
    note: str | None = None
    """What its user should know."""
    reason: str | None = None
    """Why it has no agent, if it was expected to get one."""


def find(scope: Scope, env: Mapping[str, str], refused: Container[int] = frozenset()) -> Outsider | None:
    """The first program of an app that is on the accessibility bus, has a window and gets no agent.

    The processes that `refused` one get none, although they look as if they would. A DeskhandError if that
    cannot be found out now: accessibility may come up later.
    """
    from ..adapters.atspi import AtspiAdapter  # which takes a while to load, and a JVM does not need
    from ..adapters.atspi.adapter import name_of

    with contextlib.ExitStack() as undo:
        adapter = AtspiAdapter(env)
        undo.callback(adapter.close)
        for app in adapter.apps(_LOOK):
            expected = diagnose.gets_agent(app.pid) or chromium.has_port(app.pid)
            if not scope.has(app.pid) or (expected and app.pid not in refused):
                continue
            adapter.choose(scope.around(app.pid))
            if any(window.pid == app.pid for window in adapter.read(depth=0, timeout=_LOOK).windows):
                undo.pop_all()
                framework = f"{app.toolkit} {app.version}".strip()
                return Outsider(name_of(app), app.pid, framework, Session(adapter))
    return None


def find_windows(
    scope: Scope, env: Mapping[str, str], refused: Container[int] = frozenset(), *, patient: bool
) -> Outsider | None:
    """The same for a program that is not on the accessibility bus: only its windows can be driven.

    While `patient`, only if its toolkit cannot be on the bus: others may take a while to get there.
    """
    from ..adapters.atspi import AtspiAdapter  # as above

    with contextlib.ExitStack() as undo:
        adapter = AtspiAdapter(env)
        undo.callback(adapter.close)
        adapter.choose(scope)
        # A window that is shown until the program is there belongs to another process of it, as a rule.
        if adapter.apps(_LOOK):
            return None
        for window in adapter.strangers():
            seen = diagnose.look(window.pid)
            toolkit = None if seen is None else seen.record
            swing = toolkit is SWING
            never = toolkit is not None and (not toolkit.on_bus or (swing and not jvm.bridge()))
            gets_agent = window.pid not in refused and diagnose.gets_agent(window.pid)
            if gets_agent or (patient and not never):
                continue
            adapter.choose(scope.around(window.pid))
            undo.pop_all()
            name = process_name(window.pid)
            note = _WINDOWS_ONLY.format(name)
            if swing:
                note += f"\nnote: {diagnose.swing_hint()}"
            return Outsider(name, window.pid, "", Session(adapter), note=note)
    return None


def connected_browser(pid: int, connection: socket.socket, scope: Scope, env: Mapping[str, str]) -> Outsider:
    """The browser at the other end of its debugging pipe."""
    from ..adapters.web.adapter import WebAdapter
    from ..adapters.web.channel import Pipe

    adapter = WebAdapter(Pipe(connection), pid=pid, env=env)
    adapter.report_downloads()
    return _browser(adapter, pid, scope, env, _with_window)


def find_browser(ports: Iterable[chromium.Port], scope: Scope, env: Mapping[str, str]) -> Outsider | None:
    """The first program with a debugging port that answers there; its pages are all of it."""
    from . import devtools

    for port in ports:
        # One that ends or hangs while it starts is reported by the waiting call.
        with contextlib.suppress(AppGone, ConnectFailed, UiBusy):
            url = (
                f"ws://{port.address}{port.path}"
                if port.path
                else devtools.find(f"http://{port.address}", _LOOK)
            )
            if url is not None:
                adapter = devtools.browser(url, pid=port.pid, env=env)
                return _browser(adapter, port.pid, scope, env, WithOthers)
    return None


def _browser(
    adapter: WebAdapter,
    pid: int,
    scope: Scope,
    env: Mapping[str, str],
    whole: Callable[[WebAdapter, Scope, str, Mapping[str, str]], Adapter],
) -> Outsider:
    """The browser of an adapter for its pages; `whole` makes one of that for the whole app."""
    try:
        adapter.await_page(_PAGE)
    except BaseException:
        adapter.close()
        raise
    about = adapter.info()
    name = process_name(pid) or "browser"
    session = Session(whole(adapter, scope.around(pid), name, env))
    return Outsider(name, pid, f"{about.framework} {about.version}".strip(), session, inside=True)


def _with_window(pages: WebAdapter, scope: Scope, name: str, env: Mapping[str, str]) -> Adapter:
    """The pages of a browser in its own window, and the windows of other processes of the app."""
    from ..adapters.atspi import AtspiAdapter
    from ..adapters.web.browser import BrowserAdapter

    try:
        outer = AtspiAdapter(env, timeout=_LOOK, pages=False)
    except (AccessibilityUnavailable, ConnectFailed, UiBusy):
        # Fallback: where there is no accessibility bus, the pages are all that can be read.
        return WithOthers(pages, scope, name, env)
    outer.choose(scope)
    return BrowserAdapter(outer, pages)


def find_in_jvm(
    folder: Path, scope: Scope | None = None, env: Mapping[str, str] | None = None
) -> Outsider | None:
    """The first program with a window whose JVM has our agent, which listens in the folder.

    Its app has the windows of a scope, on the display of an environment; by default, those of all that it
    starts, on ours.
    """
    for agent in jvm.listening(folder):
        # One that ends or hangs while it starts is reported by the waiting call.
        with contextlib.suppress(AppGone, ConnectFailed, UiBusy), contextlib.ExitStack() as undo:
            from ..adapters.javafx.adapter import JavaFxAdapter

            adapter = JavaFxAdapter(agent.address, pid=agent.pid, secret=agent.secret)
            undo.callback(adapter.close)
            if adapter.read(depth=0, timeout=_LOOK).windows:
                undo.pop_all()
                about = adapter.info()
                framework = f"{about.framework} {about.version}".strip()
                owned = Scope(agent.pid) if scope is None else scope.around(agent.pid)
                name = _java_name(about.main)
                session = Session(WithOthers(adapter, owned, name, env))
                return Outsider(name, agent.pid, framework, session, inside=True)
    return None


def _java_name(main: str | None) -> str:
    """What a Java program is called: its jar, or its main class without the package."""
    if not main:
        return "java"
    return Path(main).stem if main.endswith(".jar") else main.rpartition("/")[2].rpartition(".")[2]


def take_part(
    program: Outsider,
    settings: Mapping[str, Any],
    endpoints: Iterable[Endpoint],
    log_wire: str | os.PathLike[str] | None,
    stack: contextlib.ExitStack,
    runner: Runner | None = None,
) -> dict[str, Any]:
    """Do what an agent inside would do, until the stack is closed; what it would report.

    `runner` is what clients reach, if it is not the session itself.
    """
    session, name = program.session, settings["name"] or program.name
    stack.callback(session.close)
    session.read_only = settings["read_only"]
    session.enabled = not settings["standby"]
    wanted = tuple(endpoints)
    control, unlogged = settings["control"], settings["unlogged"]
    reached = session if runner is None else runner
    served = serve(
        reached,
        (Endpoint("gip", control), *wanted),
        names=(name,),
        log_wire=log_wire,
        log_wire_text=settings.get("log_wire_text", False),
    )
    stack.enter_context(served)
    if unlogged is not None:
        stack.enter_context(serve(reached, (Endpoint("gip", unlogged),), names=(name,)))
    public = [ready for ready in served.ready if ready.url != f"unix:{control}"]
    stack.callback(registry.unregister, program.pid)
    registry.register(
        registry.AppEntry(
            name=name,
            pid=program.pid,
            control=control,
            endpoints=tuple(str(ready) for ready in public),
            started=registry.start_time(program.pid),
            framework=program.framework,
            outside=not program.inside,
        )
    )
    return {
        "name": name,
        "pid": program.pid,
        "control": control,
        "unlogged": unlogged,
        "endpoints": [[ready.kind, ready.url] for ready in public],
        "version": __version__,
        "note": program.note,
    }
