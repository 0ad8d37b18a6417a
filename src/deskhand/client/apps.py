"""The apps that one caller has open, started by it or running already, of which one is chosen.

What the caller started ends with it; what ran already is left alone.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ..desktop.private import Desktop, Joined
from ..engine.compound import Composer
from ..engine.policy_guard import Guard
from ..engine.restricted import Restricted
from ..launching import launcher
from ..launching.ending import Concluded
from ..model import operations as ops
from ..model.errors import (
    Ambiguous,
    DeskhandError,
    InvalidParams,
    NotConnected,
    NotFound,
    NoWindows,
    Refused,
    UiBusy,
    WaitTimeout,
)
from ..model.operations import Runner
from ..processes import registry
from ..protocols.mcp.server import Chosen
from ..protocols.mcp.tools import HEIGHT, LAUNCH_MS, WIDTH, WITHOUT_APP
from ..serving.remote import Remote
from ..serving.traced import recorder_of, traced
from ..tracing.trace import Trace
from .targets import DESKTOP, Target, app_target, listed, open_outside, registered

_CLIENT = "mcp"
"""What the audit log calls those who use this."""
_FIRST_WINDOW = 5.0
"""How long the first window of an app is waited for once it can be driven, in seconds."""


class _SharedDesktop:
    """A private desktop that ends when the last app on it is closed."""

    def __init__(self, desktop: Desktop) -> None:
        self.desktop = desktop
        self._users = 0
        self._lock = threading.Lock()

    def hold(self, held: contextlib.ExitStack) -> None:
        """Keep it until this is closed."""
        with self._lock:
            self._users += 1
        held.callback(self._let_go)

    def _let_go(self) -> None:
        with self._lock:
            self._users -= 1
            last = self._users == 0
        if last:
            self.desktop.close()


@dataclass
class _Open:
    """An app that is open, and what ends with it."""

    number: int
    name: str
    pid: int | None
    runner: Runner
    launched: launcher.Launched | None = None
    held: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)
    outside: bool = False
    """Whether it is driven through the desktop, and more could be seen of it from inside."""
    desktop: _SharedDesktop | None = None
    """The private desktop that was made for it, or for another app here, and ends with the last of them."""

    @property
    def ended(self) -> bool:
        return self.launched is not None and self.launched.returncode is not None


class OpenApps:
    """Opens apps, and lets go of them. Thread-safe."""

    def __init__(
        self,
        first: str | None = None,
        *,
        read_only: bool = False,
        guard: Guard | None = None,
        trace: Trace | None = None,
        alone: bool = False,
    ) -> None:
        """`first` names the app that is opened when one is needed; else the desktop or the only app.

        If it is to be `alone`, no other is opened, and nothing reaches beyond it.
        """
        self._alone = alone
        self._guard = guard
        self._trace = trace
        self._first = first
        self._read_only = read_only
        self._lock = threading.RLock()
        self._open: list[_Open] = []
        self._count = 0

    def __enter__(self) -> OpenApps:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End what was started, and let go of the rest."""
        with self._lock:
            while self._open:
                self._open.pop().held.close()

    def current(self) -> Chosen:
        """The app that was chosen last; the first one is opened now. NoWindows if there is none."""
        with self._lock:
            if not self._open:
                try:
                    where = app_target(self._first)
                except NotFound as error:
                    raise NoWindows(
                        f"no app is open: {error.message}",
                        suggestions=WITHOUT_APP,
                    ) from None
                except Ambiguous as error:
                    raise NoWindows(
                        f"no app is chosen: {error.message}",
                        suggestions=("app_attach chooses one by its pid", WITHOUT_APP[1]),
                    ) from None
                self._connect(where)
            return Chosen(self._open[-1].number, self._open[-1].runner)

    def name_of(self, number: int) -> str | None:
        """The name of an app that is open, by its number."""
        with self._lock:
            return next((app.name for app in self._open if app.number == number), None)

    def listed(self) -> list[dict[str, Any]]:
        """The apps that run, and which of them are open."""
        running = listed()
        with self._lock:
            mine = {app.pid: app for app in self._open}
            entries = []
            for app in running:
                own = mine.pop(app.pid, None)
                entry: dict[str, Any] = {"app": app.name, "pid": app.pid, "toolkit": app.framework}
                entry["reached"] = app.reached
                entries.append({**entry, **self._state(own)})
            entries += [{"app": app.name, "pid": app.pid, **self._state(app)} for app in mine.values()]
            return entries

    def launch(self, wanted: Mapping[str, Any]) -> dict[str, Any]:
        """Start a program and choose it; see the tool app_launch for what may be wanted."""
        with self._permitted("app_launch", str(next(iter(wanted["command"]), ""))):
            return self._launch(wanted)

    def _launch(self, wanted: Mapping[str, Any]) -> dict[str, Any]:
        if not wanted["command"]:
            raise InvalidParams("'command' must name a program", field="command")
        env = _texts(wanted.get("env", {}))
        timeout = wanted.get("timeoutMs", LAUNCH_MS) / 1000
        deadline = time.monotonic() + timeout
        with contextlib.ExitStack() as held:
            desktop = self._desktop(wanted, env)
            if isinstance(desktop, _SharedDesktop):
                desktop.hold(held)
            launched = launcher.start(
                wanted["command"],
                desktop=desktop.desktop if isinstance(desktop, _SharedDesktop) else desktop,
                env=env,
                cwd=wanted.get("cwd"),
                name=wanted.get("name"),
                for_model=True,
                timeout=timeout,
            )
            held.callback(launched.close)
            runner = Concluded(self._reach(launched.runner, f"unix:{launched.control}", held), launched)
            _await_window(runner, deadline)
            app = self._add(launched.name, launched.pid, runner, held.pop_all(), launched)
            app.desktop = desktop if isinstance(desktop, _SharedDesktop) else None
        with contextlib.suppress(NotConnected):  # it has ended meanwhile, as the next call says
            return self._told(app, self._windows(app))
        return self._told(app, [])

    def attach(self, wanted: Mapping[str, Any]) -> dict[str, Any]:
        """Choose an app that runs; see the tool app_attach."""
        with self._permitted("app_attach", str(wanted.get("app") or wanted.get("pid") or "")):
            return self._attach(wanted)

    def _attach(self, wanted: Mapping[str, Any]) -> dict[str, Any]:
        name, pid = wanted.get("app"), wanted.get("pid")
        if name is None and pid is None:
            raise InvalidParams(
                "app_attach needs the 'app' or the 'pid' of what runs",
                field="app",
                suggestions=("app_list shows them",),
            )
        inside = wanted.get("inside", False)
        app = self._chosen(name, pid, inside=inside)
        try:
            return self._told(app, self._windows(app))
        except NotConnected:
            if app.launched is not None:
                raise  # it is listed as ended until it is closed
        # One that ran already has ended; another of its name may run by now.
        with self._lock:
            self._open = [other for other in self._open if other is not app]
        app.held.close()
        app = self._chosen(name, pid, inside=inside)
        return self._told(app, self._windows(app))

    def _chosen(self, name: str | None, pid: int | None, *, inside: bool) -> _Open:
        with self._lock:
            known = [app for app in self._named(name, pid) if not (inside and app.outside)]
            if known:
                app = _only(known)
                self._open.remove(app)
                self._open.append(app)
                return app
            if inside:
                return self._inside(pid)
            return self._connect(Target(DESKTOP) if name == "desktop" else app_target(name, pid=pid))

    def let_go(self, wanted: Mapping[str, Any]) -> dict[str, Any]:
        """End an app that was started here, or let go of another; see the tool app_close."""
        with self._permitted("app_close", str(wanted.get("app") or wanted.get("pid") or "")):
            return self._let_go(wanted)

    def _let_go(self, wanted: Mapping[str, Any]) -> dict[str, Any]:
        name, pid = wanted.get("app"), wanted.get("pid")
        with self._lock:
            found = self._open[-1:] if name is None and pid is None else self._named(name, pid, ended=True)
            if not found:
                known = ", ".join(app.name for app in self._open) or "none"
                raise NotFound(f"no app of that name or pid is open; open: {known}", target=name or str(pid))
            app = _only(found)
            self._open.remove(app)
        app.held.close()
        closed: dict[str, Any] = {"app": app.name, "pid": app.pid, "ended": app.launched is not None}
        if app.launched is not None:
            closed["exitCode"] = app.launched.returncode
        return closed

    def _permitted(self, operation: str, target: str) -> contextlib.AbstractContextManager[None]:
        if self._alone and operation != "app_close":
            raise Refused(
                f"{operation} refused: this server is for the app '{self._first}' only",
                suggestions=("start it with --allow-launch",),
            )
        if self._trace is not None:
            self._trace.log(f"{operation} {target}".rstrip(), source=_CLIENT)
        if self._guard is None:
            return contextlib.nullcontext()
        return self._guard.permitted(_CLIENT, operation, target)

    # -- below -------------------------------------------------------------------------------------

    def _desktop(self, wanted: Mapping[str, Any], env: Mapping[str, str]) -> _SharedDesktop | Joined | None:
        """Where to start an app: a new private desktop, that of another app, or None for the user's own."""
        other, home = wanted.get("desktop"), wanted.get("home")
        if other is None and wanted.get("headless", True):
            size = (wanted.get("width", WIDTH), wanted.get("height", HEIGHT))
            tmp: Literal["private", "shared"] = "shared" if wanted.get("sharedTmp") else "private"
            return _SharedDesktop(Desktop(size, env=env, home=home, tmp=tmp).start())
        if home is not None:
            raise InvalidParams("'home' is for a new private desktop", field="home")
        if other is None:
            return None
        name, pid = (None, int(other)) if other.isdecimal() else (other, None)
        with self._lock:
            # Also one that has ended: its desktop goes on until it is closed.
            if found := self._named(name, pid, ended=True):
                known = _only(found)
                if known.desktop is not None:
                    return known.desktop
                pid = known.pid
        return Joined(registry.app(name).pid if pid is None else pid)

    def _named(self, name: str | None, pid: int | None, *, ended: bool = False) -> list[_Open]:
        return [
            app
            for app in self._open
            if pid in (None, app.pid) and name in (None, app.name) and (ended or not app.ended)
        ]

    def _connect(self, where: Target) -> _Open:
        name, pid = where.name, where.pid
        runner: Runner
        if where.outside:
            runner = session = open_outside(where, confined=self._alone)
            if name is not None or pid is not None:
                pid = session.adapter.info().pid
            if name is None and pid is not None:
                name = next((app.name for app in listed() if app.pid == pid), str(pid))
        else:
            runner = Remote(where.address).open()
        held = contextlib.ExitStack()
        held.callback(runner.close)
        app = self._add(name or "desktop", pid, runner, held)
        app.outside = where.outside
        return app

    def _inside(self, pid: int | None) -> _Open:
        if pid is None:
            raise InvalidParams("'inside' needs the 'pid' of the process", field="pid")
        with contextlib.ExitStack() as held:
            attached = held.enter_context(launcher.attach(pid))
            runner = self._reach(attached.runner, registered(attached.entry).address, held)
            return self._add(attached.entry.name, attached.entry.pid, runner, held.pop_all())

    def _reach(self, own: Runner | None, address: str, held: contextlib.ExitStack) -> Runner:
        """What drives an app: this process itself if it does so already, else a connection."""
        if own is not None:
            return own
        runner = Remote(address).open()
        held.callback(runner.close)
        return runner

    def _add(
        self,
        name: str,
        pid: int | None,
        runner: Runner,
        held: contextlib.ExitStack,
        launched: launcher.Launched | None = None,
    ) -> _Open:
        recorder = None
        if self._trace is not None:
            recorder = recorder_of(self._trace, runner, pid=pid, name=name, process=launched)
            held.callback(recorder.close)
        if self._read_only or self._alone:
            runner = Restricted(runner, read_only=self._read_only, confined=self._alone)
        if self._guard is not None:
            runner = self._guard.around(runner, _CLIENT, name)
        if recorder is not None:
            runner = traced(runner, recorder, _CLIENT)
        with self._lock:
            self._count += 1
            app = _Open(self._count, name, pid, Composer(runner), launched, held)
            self._open.append(app)
            return app

    def _windows(self, app: _Open) -> list[str | None]:
        """The titles of its windows; none if it does not answer in time, NotConnected if it is gone.

        Not to be called with the lock: the app may take its time.
        """
        try:
            return [window.title for window in app.runner.run(ops.ListWindows())]
        except NotConnected:
            raise
        except DeskhandError:
            return []

    def _told(self, app: _Open, windows: list[str | None]) -> dict[str, Any]:
        return {"app": app.name, "pid": app.pid, "current": True, "windows": windows}

    def _state(self, app: _Open | None) -> dict[str, Any]:
        if app is None:
            return {}
        state: dict[str, Any] = {"open": True, "current": app is self._open[-1]}
        if app.ended and app.launched is not None:
            state["ended"] = app.launched.returncode
        return state


def _only(apps: list[_Open]) -> _Open:
    if len(apps) > 1:
        pids = ", ".join(str(app.pid) for app in apps)
        raise InvalidParams(
            f"{len(apps)} apps are called '{apps[0].name}': their pids are {pids}",
            field="app",
            suggestions=("say which by its pid",),
        )
    return apps[0]


def _await_window(runner: Runner, deadline: float) -> None:
    """Wait for its first window; one that is busy with its start has until the deadline to answer."""
    with contextlib.suppress(WaitTimeout):
        try:
            runner.run(ops.Wait(":root", "exists", timeout=_FIRST_WINDOW))
        except UiBusy:
            left = deadline - time.monotonic()
            if left <= 0:
                raise
            runner.run(ops.Wait(":root", "exists", timeout=left))


def _texts(env: Mapping[str, Any]) -> dict[str, str]:
    for name, value in env.items():
        if not isinstance(value, str):
            raise InvalidParams(f"'env.{name}' must be a string, not {value!r}", field=f"env.{name}")
    return dict(env)
