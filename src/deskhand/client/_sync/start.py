# Generated from client/_async/start.py by scripts/generate_sync.py; edit that file instead.
"""The ways to an app: start it, attach to its process, connect to its address."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Literal

from ...desktop.private import Desktop, Joined
from ...launching import launcher
from ...model.errors import ConnectFailed, InvalidParams, NotFound
from ...model.operations import TIMEOUT, check_timeout
from ...serving.endpoints import Gip, endpoints
from ...transports.interface import BadAddress, CannotConnect
from ..foreign import browser, probe
from ..place import in_place
from ..targets import AGENT, CDP, ORCA, Named, Target, app_target, open_outside, registered, target
from .app import App
from .link import AgentLink, Connection, Link, LocalEngine

if TYPE_CHECKING:
    from ...tracing.trace import Trace

__tracebackhide__ = True  # pytest then shows the line of the test that failed, and nothing of ours below it

_AGAIN = 0.05
"""How long to wait before looking again for an app that is not there yet, in seconds."""
_LEAST = 1.0
"""How long connecting to an app that is there may take in any case, in seconds."""


def launch(
    argv: Sequence[str | PathLike[str]],
    *,
    headless: bool = False,
    size: tuple[int, int] = (1280, 800),
    desktop: Desktop | App | None = None,
    home: str | PathLike[str] | None = None,
    tmp: Literal["private", "shared"] = "private",
    env: Mapping[str, str] | None = None,
    cwd: str | PathLike[str] | None = None,
    gip: Gip = None,
    name: str | None = None,
    log_wire: str | PathLike[str] | None = None,
    log_wire_text: bool = False,
    trace: Trace | str | PathLike[str] | None = None,
    video: str | PathLike[str] | None = None,
    way: Literal["inside", "outside"] | None = None,
    timeout: float = launcher.TIMEOUT,
    default_timeout: float = TIMEOUT,
) -> App:
    """Start an app, instrumented; its `App` once its event loop runs.

    One whose toolkit has an adapter gets an agent inside; others are driven through accessibility.

    `headless` gives it a private desktop of `size` pixels, which ends with it. `home` is a folder that
    keeps the profile of the programs there between launches; without one the home is empty. Programs there
    have a /tmp of their own unless `tmp` is "shared". `desktop` starts it on a desktop that is there already:
    a `Desktop`, or that of another app. `env` is added to our own environment. `gip` lets others connect as
    well, at a socket's name or path; `name` is what `deskhand apps` calls it. `log_wire` is a file for every
    request and response, in which typed text is shown by its length unless `log_wire_text`. `trace` records
    every operation: in a `Trace`, or in a file that is written when the app is closed. `way` is "inside" for
    an agent in the app or an error, or "outside" for the accessibility bus; without it the richest that works
    is taken. `video` is a WebM file for what the desktop shows until the app is closed
    (`pip install 'deskhand[video]'`). `timeout` is for the start, `default_timeout` for every use of a
    locator afterwards, both in seconds.
    """
    check_timeout(timeout)
    check_timeout(default_timeout, "default_timeout")
    served = endpoints(gip)
    if elsewhere := [endpoint.address for endpoint in served if not endpoint.in_app]:
        raise InvalidParams(
            f"an app serves GIP on sockets; for {elsewhere[0]} use `deskhand run` or `deskhand serve`",
            field="gip",
        )
    process = in_place(
        launcher.start,
        argv,
        headless=headless,
        size=size,
        desktop=in_place(_joined, desktop) if isinstance(desktop, App) else desktop,
        home=home,
        tmp=tmp,
        env=env,
        cwd=cwd,
        endpoints=served,
        name=name,
        log_wire=log_wire,
        log_wire_text=log_wire_text,
        way=way,
        timeout=timeout,
    )
    try:
        link = Connection(f"unix:{process.control}").open()
    except BaseException:
        in_place(process.close)
        raise
    app = _traced(App(link, process=process, timeout=default_timeout), trace)
    if video is not None:
        try:
            app.video.start(video)
        except BaseException:
            app.close()
            raise
    return app


def _traced(app: App, trace: Trace | str | PathLike[str] | None) -> App:
    if trace is not None:
        try:
            app.tracing.join(trace)
        except BaseException:
            app.close()
            raise
    return app


def _joined(app: App) -> Joined:
    if app.pid is None:
        raise InvalidParams(f"{app!r} is not an app of this machine, and its desktop is not here")
    return Joined(app.pid)


def attach(
    pid: int,
    *,
    trace: Trace | str | PathLike[str] | None = None,
    timeout: float = launcher.TIMEOUT,
    default_timeout: float = TIMEOUT,
) -> App:
    """The app that runs in a process; if it is not instrumented yet, that is tried first.

    `trace` is as for `launch`; `timeout` is for getting in, in seconds. Closing it leaves the process alone.
    """
    check_timeout(default_timeout, "default_timeout")
    attached = in_place(launcher.attach, pid, timeout=timeout)
    if attached.runner is not None:
        link = LocalEngine(attached.runner, f"unix:{attached.entry.control}")
        return _traced(App(link, pid=pid, timeout=default_timeout), trace)
    app = _open(registered(attached.entry), None, TIMEOUT, default_timeout)
    return _traced(app, trace)


def connect(
    address: str | Target | Named | None = None,
    *,
    token: str | None = None,
    trace: Trace | str | PathLike[str] | None = None,
    timeout: float | None = None,
    default_timeout: float = TIMEOUT,
) -> App:
    """A running app, by its name, by a GIP socket's name or path, or by a `ws://` or `http://` URL.

    Without an address it is the current desktop, as one app; where there is none, the only app that is
    instrumented. A program of the desktop that is not instrumented is driven through accessibility, by its
    name, or by its process id as `desktop:PID`; `desktop:` is the desktop itself. Also driven are a program
    with another project's GIP server, one that speaks the Orca protocol (`orca://HOST:PORT`),
    the pages of a browser or Electron-like app by the address of its debugging port, such as
    `ws://localhost:9222` or `http://localhost:9222`,
    and the desktop of another machine, by its agent: `agent://HOST:PORT`. `timeout` is how long an app that
    is not there yet is waited for, in seconds; without it, one that does not run is an error at once. `trace`
    is as for `launch`. Closing it leaves the app alone.
    """
    check_timeout(timeout)
    check_timeout(default_timeout, "default_timeout")
    began = time.monotonic()
    while True:
        left = TIMEOUT if timeout is None else max(0.0, timeout - (time.monotonic() - began))
        try:
            where = address if isinstance(address, Target) else in_place(_find, address)
            app = _open(where, token, max(left, _LEAST), default_timeout)
            return _traced(app, trace)
        except (NotFound, ConnectFailed) as error:
            if not timeout or not _may_come(error):
                raise
            if time.monotonic() - began >= timeout:
                raise _waited(error, timeout) from None
        in_place(time.sleep, _AGAIN)  # an app that is about to start announces that to no one


def _find(address: str | Named | None) -> Target:
    if isinstance(address, Named):
        return address.find()
    return app_target() if address is None else target(address)


def _may_come(error: NotFound | ConnectFailed) -> bool:
    """Whether an app may only be late: nothing was found, or nothing listens there."""
    failed = error.__context__
    return isinstance(error, NotFound) or (
        isinstance(failed, CannotConnect) and not isinstance(failed, BadAddress)
    )


def _waited(error: NotFound | ConnectFailed, timeout: float) -> NotFound | ConnectFailed:
    """The same error, saying how long the app was waited for."""
    error.message = f"{error.message} (waited {timeout:g} s)"
    error.args = (error.message,)
    return error


def _open(where: Target, token: str | None, timeout: float, default_timeout: float) -> App:
    link: Link
    if where.address.startswith(AGENT):
        from ..agent import Agent  # with HTTP, which few need

        opened = in_place(Agent, where.address, token=token, timeout=timeout)
        return App(AgentLink(opened), timeout=default_timeout)
    if where.address.startswith(ORCA):
        from ..orca import OrcaSession  # with HTTP, as above

        session = in_place(OrcaSession, where.address, token=token, timeout=timeout)
        return App(LocalEngine(session, where.address), timeout=default_timeout)
    if where.address.startswith(CDP):
        pages = in_place(browser, where.address, timeout)
        return App(LocalEngine(pages, where.address), timeout=default_timeout)
    if where.outside:
        link = LocalEngine(in_place(open_outside, where, timeout), where.address)
        return App(link, pid=where.pid, timeout=default_timeout)
    foreign = None if where.ours else in_place(probe, where.address, token, timeout)
    if foreign is None:
        link = Connection(where.address, token=token, timeout=timeout).open()
    else:
        link = LocalEngine(foreign, where.address)
    return App(link, pid=where.pid, timeout=default_timeout)
