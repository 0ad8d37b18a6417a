"""Starts apps with our agent inside, watches over them, and gets into apps that run already.

An app and all that is started for it end with this process, however it ends (see `processes`). Serving them
at WebSocket and HTTP addresses is `endpoints.serve`, given a connection to the control socket.
"""

from __future__ import annotations

import contextlib
import functools
import os
import select
import shlex
import signal
import socket
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from .. import __version__
from ..adapters.scope import Mark, Scope
from ..desktop.private import Desktop, Joined
from ..desktop.screen import Screen
from ..inject import chromium, diagnose, jvm, running
from ..inject.command import clean
from ..model.errors import ActionUnsupported, InvalidParams, LaunchFailed, NotFound, WaitTimeout
from ..model.operations import Cancel, Operation, Runner, check_timeout
from ..processes import private_tmp as rooms
from ..processes import registry, shortage, virtualenv
from ..processes.children import Process, Share, Stdio, Supervisor
from ..serving.endpoints import (
    AgentSettings,
    Endpoint,
    InspectorSettings,
    McpSettings,
    Ready,
    Served,
    WebDriverSettings,
    insist_on_free,
    serve,
)
from ..serving.limited import Limited, OpenApp
from ..serving.tokens import Known
from .ending import Concluded
from .first_window import Reports, Starting
from .output import Output
from .ways import Taken, Way, plan

if TYPE_CHECKING:
    from ..engine.policy_guard import Guard
    from ..tracing.trace import Trace

__tracebackhide__ = True  # pytest then shows the line of the test that failed, and nothing of ours below it

R = TypeVar("R")

TIMEOUT = 30.0
"""How long an app may take until its event loop runs, in seconds, unless another time is given."""

_GRACE = 2.0
_JVM_POLL = 0.002
"""How often to check whether an agent that was put into a JVM has found its windows, in seconds."""
_LOCK_POLL = 0.02
_STARTING = 1.0
"""How long a program that is still starting is left alone before the agent is put in again, in seconds."""
_SEEN = 5.0
"""How long a new folder may take to be seen by a program with a /tmp of its own, in seconds."""
_PLATFORMS_WITHOUT_DISPLAY = ("offscreen", "minimal", "linuxfb", "eglfs", "vnc")


_launched: weakref.WeakSet[Launched] = weakref.WeakSet()


def still_running() -> list[Launched]:
    """The apps that this process started and that still run, in the order of their process ids."""
    return sorted((one for one in set(_launched) if one.returncode is None), key=lambda one: one.pid)


class Launched:
    """An app that we started. Closing it ends it, with all that was started for it."""

    def __init__(
        self,
        process: Process,
        supervisor: Supervisor | Share,
        report: Mapping[str, Any],
        output: tuple[Output, Output],
        taken: Taken,
        runner: _InItsPlace | None = None,
        mark: Path | None = None,
    ) -> None:
        """`mark` is the file that says that it was launched on a private desktop."""
        self.name: str = report["name"]
        self.pid: int = report["pid"]
        """The process with the windows; not always the one that the command started."""
        self.control: str = report["control"]
        """The path of the socket on which it speaks GIP."""
        self.unlogged: str = report.get("unlogged") or self.control
        """The same for one that logs itself what it passes on."""
        self.ready = tuple(Ready(kind, url) for kind, url in report["endpoints"])
        self.version: str | None = report.get("version")
        """The version of deskhand inside: the app's own, if it has one."""
        self.note: str | None = report.get("note")
        """What its user should know about how it is driven."""
        self.taken = taken
        """The way in, and why that one."""
        self.tmp_note: str | None = supervisor.room_note
        """Why it shares /tmp with the machine, if it was to have its own."""
        self.runner = runner
        """What drives and serves it, if this process does; to be closed as well."""
        self._life = _Life(supervisor, process, self.pid)
        self._supervisor = supervisor
        self._mark = mark
        self._stdout, self._stderr = output
        traces = [registry.entry_path(self.pid), registry.control_path(self.pid)]
        sockets = [Path(ready.url.partition(":")[2]) for ready in self.ready if ready.url.startswith("unix:")]
        # An app that is killed cannot remove them itself.
        supervisor.clean([*traces, *sockets])
        if supervisor.room is not None:
            _show(sockets, supervisor.room)
        _launched.add(self)

    def __repr__(self) -> str:
        return f"<Launched {self.name!r} pid={self.pid} {self._life.ending()}>"

    def __enter__(self) -> Launched:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def private(self) -> bool:
        """Whether it is on a private desktop."""
        return self._mark is not None

    @property
    def returncode(self) -> int | None:
        """The exit code, negative for a signal; None while it runs."""
        return self._life.returncode

    @property
    def stdout(self) -> str:
        """The end of what it wrote to its standard output, unless that leads elsewhere."""
        return self._stdout.end

    @property
    def stderr(self) -> str:
        """The end of what it wrote to its standard error, unless that leads elsewhere."""
        return self._stderr.end

    def log(self) -> tuple[str, str]:
        """What it wrote to its standard output and its standard error: the last megabyte of each."""
        return self._stdout.log, self._stderr.log

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end; the exit code, negative for a signal. WaitTimeout if it still runs."""
        return self._life.wait(timeout)

    def close(self) -> None:
        """End it, asked first and then killed; does nothing the second time."""
        self._life.terminate(_GRACE)
        if self._mark is not None:
            self._mark.unlink(missing_ok=True)
        if self.runner is not None:
            self.runner.close()
        self._supervisor.close()

    def warn(self) -> None:
        """Name on standard error the files that go with its own /tmp when it is closed."""
        if self._supervisor.room is not None and (lost := rooms.lost(self._supervisor.room)):
            sys.stderr.write(f"note: {lost}\n")

    def tell_end(self, by: socket.socket) -> None:
        """Let the other end of this connection be readable when it has ended."""

        def tell() -> None:
            with contextlib.suppress(OSError):  # no process waits any more
                by.send(b".")

        self._life.on_exit(tell)

    def watch(self) -> None:
        """From now on, let clients that are connected see when it has ended by itself."""
        self._life.on_exit(self._ended)

    def _ended(self) -> None:
        if self.runner is not None:
            # On a thread of its own: this one has to hear the supervisor's answers.
            threading.Thread(target=self._let_go, name="deskhand-ended", daemon=True).start()

    def _let_go(self) -> None:
        if self.runner is not None:
            self.runner.finish()
            self.runner.close()


def _show(sockets: Iterable[Path], room: Path) -> None:
    """Let others reach the sockets that an app made in a /tmp of its own, under the same names."""
    for path in sockets:
        own = Path(rooms.from_outside(room, str(path)))
        if own.exists() and not path.exists():
            path.unlink(missing_ok=True)  # a link that leads nowhere any more
            path.symlink_to(own)


class _Life:
    """How long an app runs: as the process that was started, and then as what that left behind.

    A command may end while the program with the windows, which it started, goes on.
    """

    def __init__(self, supervisor: Supervisor | Share, process: Process, pid: int) -> None:
        """`pid` is the process with the windows."""
        self._supervisor = supervisor
        self._process = process
        self._pid = pid
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._callbacks: list[Callable[[], None]] = []
        process.on_exit(self._ended)

    @property
    def returncode(self) -> int | None:
        return self._process.returncode if self._over.is_set() else None

    def ending(self) -> str:
        """In words: how it ended."""
        return self._process.ending() if self._over.is_set() else "still runs"

    def wait(self, timeout: float | None) -> int:
        if not self._over.wait(timeout):
            raise WaitTimeout(
                f"waited {timeout:g} s for {self._process.argv[0]!r} (pid {self._pid}) to end; it still runs",
                target=self._process.argv[0],
                pid=self._pid,
            )
        return self._process.wait(0)

    def terminate(self, grace: float) -> None:
        """End it, asked first and then killed."""
        if not self._over.is_set():
            with contextlib.suppress(WaitTimeout):
                self._process.terminate(grace)

    def on_exit(self, callback: Callable[[], None]) -> None:
        """Call this when it has ended, at once if it has; on a thread where nothing may wait."""
        with self._lock:
            if not self._over.is_set():
                self._callbacks.append(callback)
                return
        callback()

    def _ended(self, process: Process) -> None:
        if process.pid == self._pid or self._supervisor.closing:
            self._finish()
        else:
            # On a thread of its own: this one has to hear the supervisor's answer.
            threading.Thread(target=self._go_on, name="deskhand-life", daemon=True).start()

    def _go_on(self) -> None:
        left = self._supervisor.adopt(self._pid)
        if left is None:
            self._finish()
        else:
            self._process = left
            left.on_exit(lambda _: self._finish())

    def _finish(self) -> None:
        with self._lock:
            self._over.set()
            callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback()


def start(
    argv: Sequence[str | os.PathLike[str]],
    *,
    env: Mapping[str, str] | None = None,
    cwd: str | os.PathLike[str] | None = None,
    headless: bool = False,
    size: tuple[int, int] = (1280, 800),
    desktop: Desktop | Joined | None = None,
    home: str | os.PathLike[str] | None = None,
    tmp: Literal["private", "shared"] = "private",
    endpoints: Iterable[Endpoint] = (),
    standby: bool = False,
    read_only: bool = False,
    log_wire: str | os.PathLike[str] | None = None,
    log_wire_text: bool = False,
    name: str | None = None,
    children: bool = True,
    way: Way | None = None,
    for_model: bool = False,
    timeout: float = TIMEOUT,
    stdin: Stdio = "null",
    stdout: Stdio | None = None,
    stderr: Stdio | None = None,
) -> Launched:
    """Start an app with our agent inside; returns when its event loop runs and it can be driven.

    A program that no agent can be put into is driven through accessibility (see `serving.proxy`).

    `env` is added to our own environment. `headless` gives it a private desktop of `size` pixels, with the
    home folder `home` if that is given, and a /tmp of its own unless `tmp` is "shared"; `desktop` is one that
    is there already, which goes on when the app has ended. `endpoints` are those that the app serves itself;
    others are left to the caller. `way` is "inside" or "outside", where the richest one
    is not wanted; `for_model` says that a model operates the app (see `ways.Plan`). Without `children`,
    programs that the app starts are left alone. Output that leads nowhere else is kept, and its end can be
    read.
    """
    check_timeout(timeout)
    if isinstance(argv, str):
        raise InvalidParams(
            f"a command is a list of words; this is the text '{argv}'",
            field="argv",
            suggestions=(f"write {shlex.split(argv)!r}",),
        )
    command = [os.fspath(part) for part in argv]
    wanted = tuple(endpoints)
    in_app = [endpoint for endpoint in wanted if endpoint.in_app]
    insist_on_free(wanted)
    if isinstance(desktop, Screen):
        # As without a desktop: what else is on a screen has nothing to do with the app.
        env, desktop = {**desktop.env, **(env or {})}, None
    supervisor, base = _place(command, env, headless, size, desktop, home, tmp)
    base = virtualenv.for_command(command, base, env)
    try:
        planned = plan(command, base, way, for_model=for_model)
        mark = _mark(supervisor, base if headless or desktop is not None else None)
        with (
            Reports(supervisor.folder / "report") as reports,
            chromium.Awaited(supervisor.folder / "browser") as browsers,
            contextlib.ExitStack() as opened,
        ):
            settings: dict[str, Any] = {
                "control": str(supervisor.folder / "control"),
                "report": str(reports.path),
                "gip": [endpoint.address for endpoint in in_app],
                "standby": standby,
                "read_only": read_only,
                "log_wire": None if log_wire is None else str(Path(log_wire).absolute()),
                "log_wire_text": log_wire_text,
                # The server of the others logs their messages; the app would log them a second time.
                "unlogged": str(supervisor.folder / "unlogged")
                if log_wire and wanted != tuple(in_app)
                else None,
                "name": name,
                "windows": asdict(mark),
                "children": children,
                "jvm": str(supervisor.folder / "jvm"),
                "browser": str(supervisor.folder / "browser"),
            }
            (supervisor.folder / "jvm").mkdir(0o700)
            if log_wire is not None and supervisor.room is not None:
                # What exists here is the same file in its own /tmp.
                Path(settings["log_wire"]).touch()
            changed = planned.changed(base, settings)
            output = (
                Output(supervisor.folder / "stdout"),
                Output(supervisor.folder / "stderr", jvm.without_notice),
            )
            for stream in output:
                opened.callback(stream.finish)
            process = supervisor.spawn(
                changed.argv,
                env={**changed.env, registry.VARIABLE: str(registry.runtime_folder())},
                cwd=cwd,
                stdin=stdin,
                stdout=output[0].path if stdout is None else stdout,
                stderr=output[1].path if stderr is None else stderr,
            )
            # It may have made them when this process is killed, and be killed before it removes them.
            supervisor.clean([registry.entry_path(process.pid), registry.control_path(process.pid)])
            process.on_exit(lambda _: reports.wake())
            marked = None if mark.apps is None else Path(mark.apps, str(process.pid))
            if marked is not None:
                marked.touch()
                opened.callback(marked.unlink, missing_ok=True)
            scope = Scope(process.pid, mark)
            starting = Starting(
                command,
                process,
                supervisor,
                output,
                base,
                Path(settings["jvm"]),
                browsers,
                scope,
                way == "outside",
            )
            found = starting.first_window(reports, timeout)
            if isinstance(found, dict):
                taken = planned.taken(inside=True)
            else:
                with contextlib.ExitStack() as closing:
                    closing.callback(found.session.close)
                    taken = planned.taken(inside=found.inside, reason=found.reason)
                    closing.pop_all()
            opened.pop_all()
        for stream in output:
            process.on_exit(stream.finished)
        if isinstance(found, dict):
            return Launched(process, supervisor, found, output, taken, mark=marked)
        from ..serving import proxy  # loaded already, by what found it

        with contextlib.ExitStack() as serving:
            runner = Concluded(found.session)
            report = proxy.take_part(found, settings, in_app, log_wire, serving, runner)
            ours = _InItsPlace(found.session, serving.pop_all(), runner)
            launched = Launched(process, supervisor, report, output, taken, ours, marked)
        runner.process = launched
        launched.watch()
        return launched
    except FileNotFoundError as error:
        # The folder is removed when everything ends, as it does when a private desktop fails.
        ended = supervisor.gone()
        supervisor.close()
        if ended:
            shown = " ".join(command)
            raise LaunchFailed(
                f"'{shown}' was ended before it had a window: {supervisor.failed}", target=command[0]
            ) from error
        raise
    except (OSError, RuntimeError) as error:
        kind = shortage.kind_of(error)
        advice = shortage.advice(kind)
        supervisor.close()
        if kind is None:
            raise
        shown = " ".join(command)
        raise LaunchFailed(
            f"'{shown}' cannot be started: {shortage.in_words(error)}",
            target=command[0],
            suggestions=advice,
            errno=kind,
        ) from error
    except BaseException:
        supervisor.close()
        raise


def run(
    argv: Sequence[str | os.PathLike[str]],
    *,
    endpoints: Iterable[Endpoint] = (),
    connect: Callable[[str], Runner],
    ready: Callable[[tuple[Ready, ...]], None],
    token: str | None = None,
    log_wire: str | os.PathLike[str] | None = None,
    log_wire_text: bool = False,
    agent: AgentSettings | None = None,
    mcp: McpSettings | None = None,
    webdriver: WebDriverSettings | None = None,
    inspector: InspectorSettings | None = None,
    other_users: bool = False,
    guard: Guard | None = None,
    trace: Trace | None = None,
    **options: Any,
) -> int:
    """Start an app, serve it until it ends, and give its exit code; 128 and more for a signal, as shells do.

    `connect` gives a runner for a control socket; `ready` is called once, with all that accepts requests.
    With a `guard`, a `trace` or the inspector every endpoint is served by this process; the latter two see
    what other commands do to the app, too. The other options are those of `start`. SIGINT and SIGTERM end
    the app.
    """
    wanted = tuple(endpoints)
    seen = trace is not None or any(endpoint.kind == "inspector" for endpoint in wanted)
    watched = guard is not None or seen
    options = {"stdout": "inherit", "stderr": "inherit", **options}
    try:
        with _signals() as woken, contextlib.ExitStack() as stack:
            if watched:
                insist_on_free(wanted)
            # An app that serves itself would know nothing of the guard, the trace and the inspector.
            in_app = () if watched else tuple(each for each in wanted if each.in_app)
            launched = start(
                argv,
                endpoints=() if watched else wanted,
                log_wire=log_wire,
                log_wire_text=log_wire_text,
                **options,
            )
            stack.callback(launched.close)
            stack.callback(launched.warn)
            sys.stderr.write(f"{launched.name}: driven from {launched.taken.way}: {launched.taken.reason}\n")
            if launched.version != __version__:
                sys.stderr.write(
                    f"note: the app uses its own deskhand {launched.version}; this is {__version__}\n"
                )
            for note in filter(None, (launched.note, launched.tmp_note)):
                sys.stderr.write(f"note: {note}\n")
            here = [endpoint for endpoint in wanted if endpoint not in in_app]
            settings: dict[str, Any] = {
                "token": token,
                "log_wire": log_wire,
                "log_wire_text": log_wire_text,
                "agent": agent,
                "mcp": mcp,
                "webdriver": webdriver,
                "inspector": inspector,
                "other_users": other_users,
                "pid": launched.pid,
                "guard": guard,
                "trace": trace,
            }
            # What this process drives it serves itself, without the way round by the control socket.
            driven = launched.runner
            reached: list[Concluded] = []

            def reach(control: str) -> Runner:
                if driven is not None:
                    return driven
                reached.append(Concluded(connect(control), launched))
                return reached[-1]

            if seen:
                here.append(Endpoint("gip", f"{launched.control}.seen"))
            served = _serve_here(launched.unlogged, here, launched.name, reach, stack, **settings)
            if seen:
                # Other commands find the app in the registry, and are seen too.
                served = served[:-1]
                entry = registry.app(pid=launched.pid)
                registry.register(replace(entry, control=f"{launched.control}.seen"))
            ready((*launched.ready, *served))
            ended, tell = _pair(stack)
            launched.tell_end(tell)
            select.select([ended, woken], [], [])
            code = launched.wait()
            if driven is not None:
                driven.finish()
            for runner in reached:
                runner.finish()
    except _Signalled as signalled:
        return 128 + signalled.number
    return code if code >= 0 else 128 - code


class Attached:
    """An app that ran already and can be driven now. Closing it lets go of it; the app goes on."""

    def __init__(self, entry: registry.AppEntry, runner: Runner | None = None) -> None:
        self.entry = entry
        self.runner = runner
        """What drives and serves it, if this process does; to be closed as well."""

    def __enter__(self) -> Attached:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End what this process does for it; does nothing the second time."""
        if self.runner is not None:
            self.runner.close()


class _InItsPlace:
    """Runs operations in an app that this process serves, and ends the serving when it is closed."""

    def __init__(
        self, session: Runner, serving: contextlib.ExitStack, runner: Concluded | None = None
    ) -> None:
        """`runner` says how the app ended, where its process is known."""
        self.session = session
        self._runner = runner
        self._serving = serving

    def run(self, operation: Operation[R], cancel: Cancel | None = None) -> R:
        return (self.session if self._runner is None else self._runner).run(operation, cancel)

    def finish(self) -> None:
        """The app has ended: let what still runs be answered."""
        if self._runner is not None:
            self._runner.finish()

    def close(self) -> None:
        self._serving.close()


def attach(
    pid: int,
    *,
    timeout: float = TIMEOUT,
    standby: bool = False,
    read_only: bool = False,
    name: str | None = None,
) -> Attached:
    """Get into the app that runs in a process, if it has no agent yet.

    In a Python program the agent stays for as long as that runs, reachable as if it had called `enable`. A
    JavaFX program is served by this process, until what is returned is closed.
    """
    check_timeout(timeout)
    with contextlib.suppress(NotFound):
        return Attached(registry.app(pid=pid))
    settings = {
        "control": str(registry.control_path(pid)),
        "unlogged": None,
        "standby": standby,
        "read_only": read_only,
        "name": name,
    }
    seen = running.look_into(pid)
    if seen.gets_java_agent:
        return _attach_jvm(pid, settings, timeout)
    with _one_at_a_time(pid, timeout):
        with contextlib.suppress(NotFound):
            return Attached(registry.app(pid=pid))  # another one was quicker
        return Attached(_attach_python(pid, settings, timeout, native=seen.native))


@contextlib.contextmanager
def _one_at_a_time(pid: int, timeout: float) -> Iterator[None]:
    """Let other attaches to the same process wait: two Pythons cannot be started in it at once."""
    import fcntl  # which Windows does not have

    deadline = time.monotonic() + timeout
    with contextlib.ExitStack() as stack:
        # The folder that the system has for the process, which goes with it.
        folder = os.open(f"/proc/{pid}", os.O_RDONLY)
        stack.callback(os.close, folder)
        while True:
            try:
                fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    raise WaitTimeout(
                        f"another attach to process {pid} was not done within {timeout:g} s", target=str(pid)
                    ) from None
            time.sleep(_LOCK_POLL)
        yield


def detach(pid: int, *, timeout: float = TIMEOUT) -> None:
    """Take the agent out of an app that goes on: no thread, filter or patch of ours is left in it.

    NotFound if there is none; calls that are under way end with app_gone.
    """
    check_timeout(timeout)
    entry = registry.app(pid=pid)
    if entry.outside or not running.look_into(pid).python:
        raise ActionUnsupported(
            f"'{entry.name}' (pid {pid}) has no agent of ours that could be taken out of it",
            target=str(pid),
            suggestions=("end the command that serves it",),
        )
    with tempfile.TemporaryDirectory(prefix="deskhand.") as folder:
        rooms.await_seen(pid, folder, _SEEN)
        running.withdraw(pid, Path(folder), timeout)
    registry.unregister(pid)


def _attach_python(
    pid: int, settings: Mapping[str, Any], timeout: float, *, native: bool
) -> registry.AppEntry:
    with (
        tempfile.TemporaryDirectory(prefix="deskhand.") as folder,
        Reports(Path(folder) / "report") as reports,
    ):
        rooms.await_seen(pid, folder, _SEEN)
        wanted = {**settings, "report": str(reports.path), "runtime": str(registry.runtime_folder())}
        if native:
            running.inject_native(pid, wanted, Path(folder), str(reports.path), timeout)
            message = reports.next(timeout)
        else:
            message = _injected(pid, wanted, Path(folder), reports, timeout)
    if message is None:
        raise WaitTimeout(
            f"the agent is in process {pid}, but did not start within {timeout:g} s; its GUI thread is busy",
            target=str(pid),
        )
    if "outside" in message:
        raise ActionUnsupported(
            f"no agent can be put into process {pid}: {message['outside']}",
            target=str(pid),
            suggestions=(f"drive it through accessibility: deskhand tree --pid {pid}",),
        )
    if "error" in message:
        raise LaunchFailed(f"process {pid} cannot be driven: {message['error']}", target=str(pid), pid=pid)
    return registry.app(pid=pid)


def _injected(
    pid: int, settings: Mapping[str, Any], folder: Path, reports: Reports, timeout: float
) -> dict[str, Any] | None:
    """What the agent reports that is put into a Python program; None if that is nothing.

    A program that is still starting has time to make its application object. The agent waits for that by
    itself, but cannot while a toolkit is just being loaded: so it is put in again.
    """
    deadline = time.monotonic() + timeout
    while True:
        running.inject(pid, settings, folder, timeout)
        message = reports.next(deadline - time.monotonic())
        waiting = None if message is None else message.get("waiting")
        while message is not None and "waiting" in message:
            message = reports.next(min(_STARTING, deadline - time.monotonic()))
        if message is not None or waiting is None:
            return message
        if time.monotonic() >= deadline:
            return {"error": waiting}


def _attach_jvm(pid: int, settings: Mapping[str, Any], timeout: float) -> Attached:
    from ..serving import proxy  # which takes a while to load, and most programs do not need

    deadline = time.monotonic() + timeout
    # The agent stops listening when the folder goes; the connection that it has by then stays.
    with tempfile.TemporaryDirectory(prefix="deskhand.") as folder, contextlib.ExitStack() as serving:
        serving.callback(jvm.forget, pid)
        rooms.await_seen(pid, folder, _SEEN)
        jvm.inject(pid, Path(folder), timeout)
        while (program := proxy.find_in_jvm(Path(folder))) is None:
            if time.monotonic() > deadline or not Path(f"/proc/{pid}").exists():
                verdict = diagnose.judge(diagnose.look(pid))
                raise WaitTimeout(
                    f"the agent is in process {pid}, but found no window within {timeout:g} s; "
                    f"{verdict.reason}",
                    target=str(pid),
                    suggestions=verdict.suggestions,
                )
            time.sleep(_JVM_POLL)  # it cannot report to us; its socket is simply there
        proxy.take_part(program, settings, (), None, serving)
        return Attached(registry.app(pid=pid), _InItsPlace(program.session, serving.pop_all()))


def serve_attached(
    entry: registry.AppEntry,
    *,
    endpoints: Iterable[Endpoint] = (),
    connect: Callable[[str], Runner],
    ready: Callable[[tuple[Ready, ...]], None],
    token: str | None = None,
    log_wire: str | os.PathLike[str] | None = None,
    log_wire_text: bool = False,
    agent: AgentSettings | None = None,
    mcp: McpSettings | None = None,
    webdriver: WebDriverSettings | None = None,
    inspector: InspectorSettings | None = None,
    other_users: bool = False,
    guard: Guard | None = None,
    trace: Trace | None = None,
    confined: bool = False,
    open_app: OpenApp | None = None,
) -> int:
    """Serve an app that runs already until it ends or a signal comes; 0, or 128 and more for a signal.

    Every endpoint is served by this process, so that none is left when it ends; and it ends when a client has
    ended the last of them. The app goes on. `confined` and `open_app` are as for `Limited`.
    """
    try:
        with _signals() as woken, contextlib.ExitStack() as stack:
            stopped, tell = _pair(stack)
            settings: dict[str, Any] = {
                "token": token,
                "log_wire": log_wire,
                "log_wire_text": log_wire_text,
                "agent": agent,
                "mcp": mcp,
                "webdriver": webdriver,
                "inspector": inspector,
                "other_users": other_users,
                "pid": entry.pid,
                "guard": guard,
                "trace": trace,
                "confined": confined,
                "open_app": open_app,
            }
            ended = functools.partial(tell.send, b".")
            ready(
                _serve_here(
                    entry.control, list(endpoints), entry.name, connect, stack, **settings, ended=ended
                )
            )
            _await_end(entry.pid, [stopped, woken])
    except _Signalled as signalled:
        return 128 + signalled.number
    return 0


# -- below --------------------------------------------------------------------------------------


def _place(
    command: Sequence[str],
    env: Mapping[str, str] | None,
    headless: bool,
    size: tuple[int, int],
    desktop: Desktop | Joined | None,
    home: str | os.PathLike[str] | None,
    tmp: Literal["private", "shared"],
) -> tuple[Supervisor | Share, dict[str, str]]:
    """Where the app runs: what owns its processes, and its environment."""
    if home is not None and (desktop is not None or not headless):
        where = "one that is there already has its own" if desktop is not None else "add headless"
        raise InvalidParams(f"a home is given to a new private desktop; {where}", field="home")
    if desktop is not None:
        return desktop.share(), clean({**desktop.env, **(env or {})})
    if headless:
        own = Desktop(size, env=env, home=home, tmp=tmp).start()
        return own.supervisor, clean(own.env)
    base = clean({**os.environ, **(env or {})})
    _need_display(command, base)
    return Supervisor().start(), base


def _mark(supervisor: Supervisor | Share, desktop: Mapping[str, str] | None) -> Mark:
    """Whose windows belong to an app of this supervisor; on a private desktop, with its environment."""
    if desktop is None:
        return Mark(supervisor.pid)
    # Where every program on that desktop finds it, whichever process it is started by.
    folder = Path(desktop["XAUTHORITY"]).parent / "apps"
    folder.mkdir(0o700, exist_ok=True)
    return Mark(supervisor.pid, str(folder))


def _need_display(command: Sequence[str], env: Mapping[str, str]) -> None:
    platform = env.get("QT_QPA_PLATFORM", "")
    if "-platform" in command[:-1]:
        platform = command[command.index("-platform") + 1]
    if env.get("DISPLAY") or env.get("WAYLAND_DISPLAY") or sys.platform != "linux":
        return
    if platform.partition(":")[0] not in _PLATFORMS_WITHOUT_DISPLAY:
        raise LaunchFailed(
            "there is no display here: neither DISPLAY nor WAYLAND_DISPLAY is set",
            target=command[0] if command else None,
            suggestions=(
                "run it on a private desktop: --headless, in Python headless=True",
                "or without any screen: QT_QPA_PLATFORM=offscreen",
            ),
        )


def _serve_here(
    control: str,
    wanted: Sequence[Endpoint],
    name: str,
    connect: Callable[[str], Runner],
    stack: contextlib.ExitStack,
    *,
    confined: bool = False,
    open_app: OpenApp | None = None,
    **settings: Any,
) -> tuple[Ready, ...]:
    """Serve what the app does not serve itself, over a connection to it."""
    if not wanted:
        return ()
    runner = connect(control)
    stack.callback(runner.close)
    limited = Limited(runner, name, confined=confined, open_app=open_app)
    stack.callback(limited.close)
    tokens = stack.enter_context(Known(name, desktop=open_app is not None))
    served: Served = stack.enter_context(
        serve(runner, wanted, names=(name,), tokens=tokens, limited=limited, **settings)
    )
    return served.ready


class _Signalled(BaseException):
    """SIGINT or SIGTERM came."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@contextlib.contextmanager
def _signals() -> Iterator[socket.socket]:
    """Let SIGINT and SIGTERM raise _Signalled, once: nothing may interrupt what is done about it.

    The socket can be read as soon as one came. A wait must include it: a signal that comes just
    before the waiting begins does not end it.
    """
    numbers = (signal.SIGINT, signal.SIGTERM)
    with contextlib.ExitStack() as stack:
        came_in, wake = _pair(stack)
        if threading.current_thread() is not threading.main_thread():
            yield came_in  # signals are a matter of the main thread
            return
        wake.setblocking(False)
        stack.callback(signal.set_wakeup_fd, signal.set_wakeup_fd(wake.fileno(), warn_on_full_buffer=False))
        with _handled(numbers):
            yield came_in


@contextlib.contextmanager
def _handled(numbers: Sequence[int]) -> Iterator[None]:
    """Let the first of these signals raise _Signalled, and ignore those that follow."""

    def came(number: int, _frame: object) -> None:
        for each in numbers:
            signal.signal(each, signal.SIG_IGN)
        raise _Signalled(number)

    before = {number: signal.signal(number, came) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _pair(stack: contextlib.ExitStack) -> tuple[socket.socket, socket.socket]:
    """Two ends of a connection: one to wait for, one to tell by."""
    waited, tell = socket.socketpair()
    return stack.enter_context(waited), stack.enter_context(tell)


def _await_end(pid: int, ends: Sequence[socket.socket]) -> None:
    """Wait until a process that is not our child ends, or until the wait is ended."""
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    except (AttributeError, OSError):
        # Fallback: kernels before 5.3 and some sandboxes have no pidfd, and nothing else tells.
        while registry.start_time(pid) is not None and not select.select(ends, [], [], 0.5)[0]:
            pass
        return
    try:
        select.select([process, *(each.fileno() for each in ends)], [], [])
    finally:
        os.close(process)
