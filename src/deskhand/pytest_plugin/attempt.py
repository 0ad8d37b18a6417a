"""One attempt at a test: the desktop and apps that its fixtures started, and what it leaves at its end."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
import os
import shlex
import shutil
import sys
from collections.abc import Callable, Coroutine, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from .. import aio, background
from ..audit import Finding
from ..client import App, launch
from ..client._sync.link import Connection
from ..desktop.private import Desktop
from ..desktop.screen import Screen
from ..launching.launcher import Launched, still_running
from ..model.errors import DeskhandError, InvalidParams
from ..model.operations import ReadTree, Screenshot, Selectors
from ..model.outline import outline
from ..tracing.trace import Trace
from ..video import Film

if TYPE_CHECKING:
    from . import Command

__tracebackhide__ = True  # pytest then shows the line of the test that failed, and nothing of ours below it

T = TypeVar("T")

_OF_DESKTOP = ("size", "home", "tmp")
"""Arguments of `launch` that are about the desktop, and not about one app."""
_NODES = 2000
"""How many elements of an app the file with the tree lists."""
_FINDINGS = 20
"""How many findings of an audit an error lists."""
_READ = 5.0
"""How long an app may take to answer what is asked when its test has ended, in seconds."""
_PYTHON = ("python", "python3")


@dataclass(frozen=True)
class Left:
    """What an attempt left."""

    folder: Path
    files: tuple[Path, ...] = ()
    soft: tuple[str, ...] = ()
    """The soft expectations that failed before the test did."""
    notes: tuple[str, ...] = ()
    """What is worth knowing as well: apps that ended, what could not be written and why."""


class AuditFailed(AssertionError):
    """The apps of a test have accessibility faults."""

    def __init__(self, findings: list[Finding], path: Path) -> None:
        shown = [f"{finding}\n    {finding.remedy}" for finding in findings[:_FINDINGS]]
        if len(findings) > _FINDINGS:
            shown.append(f"… {len(findings) - _FINDINGS} more in {path.name}")
        count = "1 accessibility finding" if len(findings) == 1 else f"{len(findings)} accessibility findings"
        super().__init__("\n  ".join([f"{count}:", *shown]))
        self.files = [path]


@dataclass(frozen=True)
class _Started:
    """An app, or what is known of one that could not be started."""

    command: str
    process: Launched | None = None
    error: DeskhandError | None = None

    def __str__(self) -> str:
        if self.process is None:
            return self.command
        return f"{self.process.name} (process {self.process.pid}): {self.command}"


class Attempt:
    """What fixtures of one test started, and how that is written down when the test ends."""

    def __init__(self, item: pytest.Item, folder: Path) -> None:
        """`folder` is made when there is something to put into it."""
        self.folder = folder
        self._item = item
        self._desktops: list[Desktop] = []
        self._films: dict[Desktop, Film] = {}
        self._started: list[_Started] = []
        self._trace: Trace | None = None
        self._soft: list[AssertionError] = []
        self._left: Left | None = None

    # -- what the fixtures do --------------------------------------------------------------------

    @contextlib.contextmanager
    def desktop(self, arguments: Mapping[str, Any]) -> Iterator[Desktop]:
        """The desktop of this test, until the test has ended."""
        marker = self._marker()
        given = {**arguments, **({} if marker is None else marker.kwargs)}
        wanted = {name: given[name] for name in _OF_DESKTOP if name in given}
        with _in_one_line():
            desktop = Screen(home=wanted.get("home")) if self._option("headed") else Desktop(**wanted)
            desktop.start()
        with contextlib.closing(desktop), contextlib.ExitStack() as filmed:
            self._desktops.append(desktop)
            if self._option("video") != "off":
                number = f"-{len(self._desktops)}" if len(self._desktops) > 1 else ""
                film = Film(self.folder / f"video{number}.webm", desktop.env)
                filmed.callback(film.stop, discard=True)
                self._films[desktop] = film
            yield desktop

    @contextlib.contextmanager
    def launcher(self, desktop: Desktop, arguments: Mapping[str, Any]) -> Iterator[Callable[..., App]]:
        """Starts apps on this desktop, and ends them with the test."""
        common = {name: value for name, value in arguments.items() if name not in _OF_DESKTOP}
        with contextlib.ExitStack() as started:

            def deskhand_launch(command: Command, **own: Any) -> App:
                with self._starting(command):
                    app = launch(_found(command), **self._merged(desktop, common, own))
                    started.callback(app.close)
                    app.video.film = self._films.get(desktop)
                    self._register(command, app)
                    return app

            yield deskhand_launch

    @contextlib.contextmanager
    def aio_launcher(
        self, desktop: Desktop, arguments: Mapping[str, Any]
    ) -> Iterator[Callable[..., aio.Opening]]:
        """The same, for async tests."""
        common = {name: value for name, value in arguments.items() if name not in _OF_DESKTOP}
        with contextlib.ExitStack() as started:

            async def start(command: Command, own: Mapping[str, Any]) -> aio.App:
                with self._starting(command):
                    app = await aio.launch(_found(command), **self._merged(desktop, common, own))
                    started.callback(lambda: _in_own_loop(app.close()))
                    # Tests and async fixtures may have different event loops, which end before the app does.
                    await app.release()
                    app.video.film = self._films.get(desktop)
                    self._register(command, app)
                    return app

            def deskhand_aio_launch(command: Command, **own: Any) -> aio.Opening:
                return aio.Opening(start(command, own))

            yield deskhand_aio_launch

    def start_declared(self, start: Callable[..., T]) -> T:
        """Start what the marker of this test or the ini key names.

        It runs in the root folder, wherever pytest was started.
        """
        command, arguments = self._declared()
        with _in_one_line():
            return start(command, **arguments)

    def _declared(self) -> tuple[Command, dict[str, Any]]:
        marker = self._marker()
        command = marker.args[0] if marker is not None and marker.args else None
        command = command or self._item.config.getini("deskhand_command")
        if not command:
            pytest.fail(
                "deskhand_app has no command: mark the test with @pytest.mark.deskhand(['python', 'app.py']) "
                "or set it in the ini file: deskhand_command = python app.py",
                pytrace=False,
            )
        given = {} if marker is None else marker.kwargs
        own = {name: value for name, value in given.items() if name not in _OF_DESKTOP}
        declared = shlex.split(command) if isinstance(command, str) else command
        return declared, {"cwd": self._item.config.rootpath, **own}

    def _merged(self, desktop: Desktop, common: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments of one launch: those of every launch, and its own."""
        given = {"desktop": desktop, **common, **own}
        for name in _OF_DESKTOP:
            if name in own:
                raise InvalidParams(
                    f"'{name}' is not for one launch: the desktop exists before its apps; "
                    "give it in deskhand_launch_args or the marker",
                    field=name,
                )
        if given.pop("headless", not self._option("headed")) is bool(self._option("headed")):
            raise InvalidParams(
                "the option --deskhand-headed decides between your screen and a private desktop",
                field="headless",
            )
        if self._trace is None and self._option("trace") != "off":
            self._trace = Trace(self.folder / "trace.zip", title=self._item.nodeid)
        return {"trace": self._trace, **given, "env": {**common.get("env", {}), **own.get("env", {})}}

    def _marker(self) -> pytest.Mark | None:
        return self._item.get_closest_marker("deskhand")

    def _option(self, name: str) -> Any:
        return self._item.config.getoption(f"--deskhand-{name}")

    @contextlib.contextmanager
    def _starting(self, command: Command) -> Iterator[None]:
        try:
            yield
        except DeskhandError as error:
            self._started.append(_Started(_shown(command), error=error))
            raise

    def _register(self, command: Command, app: App | aio.App) -> None:
        app.slow_mo = self._option("slowmo") / 1000
        assert isinstance(app.process, Launched)
        self._started.append(_Started(_shown(command), app.process))

    # -- the end ---------------------------------------------------------------------------------

    def keep_soft(self, failures: list[AssertionError]) -> None:
        """Keep the soft expectations that failed before the test itself did, to report them with it."""
        self._soft = failures

    def audit(self) -> None:
        """Audit the apps that still run, if that is wanted; AssertionError with the findings."""
        baseline = self._item.config.getoption("--deskhand-audit-baseline")
        if not self._option("audit") and baseline is None:
            return
        known = None if baseline is None else Path(self._item.config.invocation_params.dir, baseline)
        found: list[Finding] = []
        for number, one in enumerate(self._started, 1):
            if one.process is None or one.process.returncode is not None:
                continue
            shots = self.folder / ("audit" if number == 1 else f"audit-{number}")
            with _connected(one.process) as app:
                found += app.audit(baseline=known, output=shots)
        if not found:
            return
        path = self.folder / "audit.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps([each.to_json() for each in found], ensure_ascii=False, indent=2) + "\n")
        raise AuditFailed(found, path)

    def end(self, *, failed: bool, error: BaseException | None) -> Left:
        """Write what this test leaves, while its apps still run; the second time, what the first wrote."""
        if self._left is None:
            self._left = self._write(failed, error)
        return self._left

    def _write(self, failed: bool, error: BaseException | None) -> Left:
        files = [path for each in (error, *self._soft) for path in _compared(each)]
        notes: list[str] = []

        def write(name: str, content: Callable[[], bytes | str]) -> None:
            path = self.folder / name
            try:
                made = content()
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(made.encode(errors="replace") if isinstance(made, str) else made)
                files.append(path)
            except (DeskhandError, OSError) as reason:
                # The test's own failure is what matters; it is reported, with this next to it.
                notes.append(f"{name} could not be written: {reason}")

        others = self._others() if failed else []
        apps = [*self._started, *others]
        wanted = self._option("screenshot")
        if wanted == "on" or (failed and wanted == "only-on-failure"):
            takes = [desktop.screenshot for desktop in self._desktops]
            takes += [functools.partial(_screenshot, one.process) for one in others if one.process]
            for number, take in enumerate(takes, 1):
                write(f"test-{'failed' if failed else 'finished'}-{number}.png", take)
        if failed and apps:
            write("tree.txt", lambda: _parts((str(one), _tree(one)) for one in apps))
            write("app.log", lambda: _parts((str(one), _log(one)) for one in apps))
        if failed:
            notes += (f"{one.command}: {end}" for one in apps if (end := _ended(one)))
            notes += (f"the desktop ended: {one.failed}" for one in self._desktops if one.failed)
        for film in self._films.values():
            try:
                files += self._end_film(film, failed)
            except DeskhandError as reason:
                notes.append(f"{film.path.name} could not be written: {reason}")
            notes += [f"{film.path.name} ended early: {film.failed}"] if film.failed else []
        try:
            files += self._end_trace(failed, error)
        except DeskhandError as reason:
            notes.append(f"trace.zip could not be written: {reason}")
        return Left(self.folder, tuple(files), tuple(map(str, self._soft)), tuple(notes))

    def _others(self) -> list[_Started]:
        """Apps that run and that no fixture of ours started, such as one that several tests share."""
        own = [one.process for one in self._started]
        return [_Started("by launch()", one) for one in still_running() if one not in own]

    def _end_film(self, film: Film, failed: bool) -> Iterator[Path]:
        """Finish a video, if it is wanted."""
        if failed or self._option("video") == "on":
            if (path := film.stop()) is not None:
                yield path
            return
        film.stop(discard=True)
        with contextlib.suppress(OSError):  # something else is in it
            self.folder.rmdir()

    def _end_trace(self, failed: bool, error: BaseException | None) -> Iterator[Path]:
        """Save the trace, if it is wanted."""
        if self._trace is None:
            return
        for each in (*self._soft, error):
            if failed and each is not None:
                self._trace.error(each)
        if failed or self._option("trace") == "on":
            yield self._trace.save()
            return
        self._trace.discard()
        with contextlib.suppress(OSError):  # something else is in it
            self.folder.rmdir()


@contextlib.contextmanager
def _in_one_line() -> Iterator[None]:
    """Let an error be shown without a traceback, which in a fixture of ours has no line of the test."""
    try:
        yield
    except DeskhandError as error:
        raise pytest.fail.Exception(f"{type(error).__name__}: {error}", pytrace=False) from None


def opened_now(opening: aio.Opening) -> aio.App:
    """The app, once it runs."""

    async def opened() -> aio.App:
        return await opening

    return _in_own_loop(opened())


def _in_own_loop(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run it to its end, in a thread: the one that calls may have an event loop that runs."""
    return background.begin(lambda: asyncio.run(coroutine)).result()


def _compared(error: BaseException | None) -> Iterator[Path]:
    """The files of failed comparisons: expected, actual and difference."""
    yield from getattr(error, "files", ())
    for each in getattr(error, "exceptions", ()):
        yield from _compared(each)


def _found(command: Command) -> Command:
    """The command, with programs of the environment that pytest runs in, whether or not it is active."""
    if isinstance(command, str) or not command:
        return command  # launch says what is wrong with it
    program = os.fspath(command[0])
    if program in _PYTHON:
        return [sys.executable, *command[1:]]
    own = shutil.which(program, path=str(Path(sys.executable).parent)) if os.sep not in program else None
    return [own or program, *command[1:]]


def _shown(command: Command) -> str:
    return command if isinstance(command, str) else shlex.join(os.fspath(part) for part in command)


def _parts(parts: Iterator[tuple[str, str]]) -> str:
    return "\n".join(f"# {title}\n{text.rstrip()}\n" for title, text in parts)


def _tree(started: _Started) -> str:
    process = started.process
    if process is None:
        return "(it was not started)"
    if process.returncode is not None:
        return f"({_ended(started)})"
    try:
        with _connected(process) as app:
            tree = app.run(ReadTree(max_nodes=_NODES, timeout=_READ)).tree
            assert tree is not None
            return outline(tree, dict(app.run(Selectors(()))))
    except DeskhandError as error:
        return f"(it could not be read: {error})"


def _screenshot(process: Launched) -> bytes:
    """Its private desktop; on the screen of a person, its main window only."""
    with _connected(process) as app:
        return app.run(Screenshot(desktop=process.private, timeout=_READ)).png


@contextlib.contextmanager
def _connected(process: Launched) -> Iterator[App]:
    """Over a connection of our own: that of the test may wait for an answer, or belong to an event loop."""
    connection = Connection(f"unix:{process.control}", timeout=_READ)
    try:
        yield App(connection.open())
    finally:
        connection.close()


def _log(started: _Started) -> str:
    process = started.process
    if process is None:
        assert started.error is not None
        reason = started.error.message.splitlines()[0].removesuffix("; its last words:")
        return f"{started.error.details.get('stderr') or ''}\n(it was not started: {reason})"
    streams = zip(("standard output", "standard error"), process.log(), strict=True)
    parts = [f"## {name}\n{text}" for name, text in streams if text]
    if end := _ended(started):
        parts.append(f"({end})")
    return "\n".join(parts) or "(it wrote nothing)"


def _ended(started: _Started) -> str:
    """How an app ended; empty while it runs, and if it never did."""
    process = started.process
    if process is None or process.returncode is None:
        return ""
    return (
        f"ended with exit code {process.returncode}"
        if process.returncode >= 0
        else (f"was killed by signal {-process.returncode}")
    )
