"""`deskhand record`: what a person does to an app, as code."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

import click

from ..adapters.scope import process_name
from ..client.files import write_whole
from ..client.targets import app_target, open_outside
from ..desktop.private import Joined
from ..launching import launcher
from ..model.errors import ActionFailed, DeskhandError, InvalidParams
from ..model.operations import Runner
from ..processes import registry
from ..recording import EXPECTATIONS, FORMATS, Event, Recording, Secret, Source, Step
from ..recording.formats import closing, indented, opening
from ..serving.machine import session_of
from ..serving.remote import Remote
from ..video import INSTALL, Film, missing
from .choice import Choice, app_option
from .sizes import shared_tmp_option
from .sizes import size as wide_and_high

_SIZE = (1280, 800)
_UNCHANGED = 1.2
"""After how long a step is shown that might have been changed by the next gesture, in seconds."""
_LOOK = 0.1
_HELP = (
    "recording; Ctrl+C ends it. To check something, point at it and type here: "
    f"assert {'|'.join(EXPECTATIONS)} [SELECTOR]"
)


@click.command(context_settings={"allow_interspersed_args": False})
@click.option(
    "--format",
    "format_",
    type=click.Choice(FORMATS),
    default="pytest",
    show_default=True,
    help="A test, a script, or commands.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the code there, after each step.",
)
@click.option("--headless", is_flag=True, help="Give COMMAND a private desktop without a screen.")
@click.option(
    "--size",
    type=wide_and_high,
    default=f"{_SIZE[0]}x{_SIZE[1]}",
    show_default=True,
    metavar="WxH",
    help="Of the private desktop.",
)
@click.option(
    "--home",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="With --headless: the home of the programs, which is kept.",
)
@shared_tmp_option
@click.option("--desktop", metavar="NAME|PID", help="Start COMMAND on the private desktop of a running app.")
@click.option(
    "--video",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Also film the desktop into a WebM file, with each step and click.",
)
@app_option
@click.option("--pid", type=int, metavar="PID", help="The app's process id.")
@click.option(
    "--timeout",
    type=click.FloatRange(min=0),
    default=launcher.TIMEOUT,
    show_default=True,
    metavar="SECONDS",
    help="How long COMMAND may take until it can be recorded.",
)
@click.argument("command", nargs=-1, type=click.UNPROCESSED)
def record(
    format_: str,
    output: Path | None,
    headless: bool,
    size: tuple[int, int],
    home: Path | None,
    shared_tmp: bool,
    desktop: str | None,
    video: Path | None,
    app: str | None,
    pid: int | None,
    timeout: float,
    command: tuple[str, ...],
) -> None:
    """Write what a person does to an app as code, while it is done.

    Starts COMMAND, or records the app with that name, or without either everything on the current display.
    Prints `ready` when it records. Ctrl+C ends it, as does the end of the app; the code is complete then, and
    FILE is valid at any time. A password becomes a variable of the environment.

    \b
      deskhand record -- python app.py
      deskhand record --headless --format pytest -o test_form.py -- python form.py
      deskhand record --app galculator --format sh
    """
    chosen = click.get_current_context().find_root().obj
    if not command and app is None and pid is None and isinstance(chosen, Choice):
        app, pid = chosen.name, chosen.pid
    _check(command, headless=headless, home=home, desktop=desktop, chosen=app is not None or pid is not None)
    if video is not None and (reason := missing()) is not None:
        raise click.UsageError(f"--video: {reason}: {INSTALL}")
    ended = threading.Event()
    with _until_signal(ended), contextlib.ExitStack() as opened:
        if command:
            launched = opened.enter_context(
                launcher.start(
                    command,
                    headless=headless,
                    size=size,
                    home=home,
                    tmp="shared" if shared_tmp else "private",
                    desktop=None if desktop is None else _desktop_of(desktop),
                    timeout=timeout,
                    stdout=sys.stderr.fileno(),
                    stderr="inherit",
                )
            )
            runner: Runner = Remote(f"unix:{launched.control}").open()
            pid, private = launched.pid, headless or desktop is not None
            source = Source(command, headless=private, size=size if headless and size != _SIZE else None)
            owns = None if headless else _family_of(launched.pid)
        else:
            runner, pid, source = _running(app, pid)
            owns = _not_ours if pid is None else _family_of(pid)
        opened.callback(runner.close)
        env = dict(os.environ) if pid is None else session_of(pid)
        written = _Written(format_, output, source)
        film = None if video is None else opened.enter_context(Film(video, env))
        mark = None if film is None else film.mark
        written.film = film
        with Recording(
            runner, env, source=source, pid=pid, on_event=written.take, on_point=mark, owns=owns
        ) as recording:
            written.begin(recording)
            threading.Thread(target=_listen, args=(recording, ended), daemon=True).start()
            while not ended.wait(_LOOK) and recording.ended is None and written.problem is None:
                written.show_late()
            recording.stop()
        written.finish(recording)


def _check(
    command: tuple[str, ...], *, headless: bool, home: Path | None, desktop: str | None, chosen: bool
) -> None:
    """Raise UsageError if options contradict each other."""
    if command and chosen:
        raise click.UsageError("COMMAND starts an app, --app chooses one that runs; give one of them")
    if (headless or home is not None or desktop is not None) and not command:
        raise click.UsageError("--headless, --home and --desktop are for COMMAND; give it after --")
    if desktop is not None and headless:
        raise click.UsageError("--headless makes a desktop, --desktop joins one; give one of them")
    if home is not None and not headless:
        raise click.UsageError("--home is the home of a new desktop: give --headless too")


def _running(app: str | None, pid: int | None) -> tuple[Runner, int | None, Source]:
    """A runner for an app that runs, or for the desktop; the app's process, and how code names it."""
    where = app_target(app, pid=pid)
    if not where.outside:
        entry = registry.app(where.name, pid=where.pid)
        return Remote(f"unix:{entry.control}").open(), entry.pid, Source(app=entry.name)
    session = open_outside(where)
    if app is None and pid is None:
        return session, None, Source()
    about = session.adapter.info().pid
    return session, about, Source(app=app or process_name(about))


def _desktop_of(app: str) -> Joined:
    return Joined(int(app) if app.isdecimal() else registry.app(app).pid)


@contextlib.contextmanager
def _until_signal(ended: threading.Event) -> Iterator[None]:
    """Set the event at Ctrl+C or SIGTERM, instead of what they do otherwise."""

    def end(_number: int, _frame: FrameType | None) -> None:
        ended.set()

    before = {number: signal.signal(number, end) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _parent(pid: int) -> int:
    """The process that started another; 0 if that is not known."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except (OSError, ValueError, IndexError):
        return 0


def _line_of(pid: int) -> Iterator[int]:
    """A process, what started it, and so on."""
    while pid > 1:
        yield pid
        pid = _parent(pid)


def _family_of(app: int) -> Callable[[int], bool]:
    """Whether a process is an app's, or was started by it."""
    return lambda pid: app in _line_of(pid)


def _not_ours(pid: int) -> bool:
    """Whether a process is none of those that we were started from, such as the terminal."""
    return pid not in _line_of(os.getpid())


def _listen(recording: Recording, ended: threading.Event) -> None:
    """Do what is typed at the terminal."""
    for line in sys.stdin:
        words = line.split(None, 2)
        if words[:1] == ["assert"]:
            words = words[1:] if len(words) < 3 else [words[1], words[2].strip()]
        if not words:
            continue
        if words[0] in ("quit", "stop"):
            ended.set()
            return
        try:
            if words[0] not in EXPECTATIONS:
                raise InvalidParams(f"'{words[0]}' is not one of {', '.join(EXPECTATIONS)}")
            recording.expect(words[0], " ".join(words[1:]).strip() or None)
        except DeskhandError as error:
            click.echo(f"error: {error}", err=True)


class _Written:
    """The code, shown as it is made, and in a file."""

    def __init__(self, format: str, output: Path | None, source: Source) -> None:
        self._format = format
        self._output = output
        self._source = source
        self._lock = threading.RLock()
        self.problem: ActionFailed | None = None
        """Why the file cannot be written."""
        self._recording: Recording | None = None
        self._waiting: tuple[Event, float] | None = None
        self._shown: list[Step] = []
        self.film: Film | None = None
        """The video in which each step is shown as well."""

    def begin(self, recording: Recording) -> None:
        """It records from now on."""
        with self._lock:
            self._recording = recording
            self._save()
            if self.problem is not None:
                raise self.problem
            click.echo(_HELP, err=True)
            click.echo("ready", err=self._output is None)
            self._print(opening(self._format, self._source))

    def take(self, event: Event) -> None:
        """A step was made, or the last one was changed."""
        with self._lock:
            before, self._waiting = self._waiting, (event, time.monotonic())
            if self.film is not None:
                self.film.caption(" ".join(indented(event.step, self._format, self._source)))
            if before is not None and before[0].number != event.number:
                self._show(before[0].step)
            self._save()

    def show_late(self) -> None:
        """Show a step that probably stays as it is."""
        with self._lock:
            if self._waiting is not None and time.monotonic() - self._waiting[1] > _UNCHANGED:
                event, self._waiting = self._waiting[0], None
                self._show(event.step)

    def finish(self, recording: Recording) -> None:
        """It has ended: nothing changes any more."""
        with self._lock:
            if self._waiting is not None:
                self._show(self._waiting[0].step)
                self._waiting = None
            self._print(closing(self._format, self._source, self._shown))
            self._save()
            if self.problem is not None:
                raise self.problem
            values = [value for step in recording.steps for value in step.arguments]
            for name in sorted({value.variable for value in values if isinstance(value, Secret)}):
                click.echo(f"note: {name} has to be in the environment when this runs: a password", err=True)
            if self._output is not None:
                click.echo(f"wrote {self._output}: {len(recording.steps)} steps", err=True)

    def _show(self, step: Step) -> None:
        self._shown.append(step)
        self._print(indented(step, self._format, self._source))

    @staticmethod
    def _print(lines: list[str]) -> None:
        with contextlib.suppress(BrokenPipeError):  # what reads the code has ended; the file is written still
            for line in lines:
                click.echo(line)

    def _save(self) -> None:
        if self._output is None or self._recording is None:
            return
        try:
            write_whole(self._output, self._recording.code(self._format).encode())
        except OSError as error:
            # It is written in a thread of the recording, which goes on until it is stopped.
            self.problem = ActionFailed(f"cannot write {self._output}: {error.strerror}")


COMMANDS = [record]
