"""Processes that never outlive us, and a private folder that goes with them.

A `Supervisor` is the parent's side of `supervisor.py`: a small process of its own that starts, watches and
ends programs, so that nothing stays behind however this process ends. Linux only.
"""

from __future__ import annotations

import atexit
import contextlib
import errno
import itertools
import json
import os
import secrets
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Literal

if sys.platform != "win32":
    import fcntl  # nothing here runs on Windows, where the package is imported all the same

from ..model.errors import ActionUnsupported, LaunchFailed, WaitTimeout
from . import private_tmp as rooms
from . import shortage
from . import supervisor as script

Stdio = Literal["inherit", "null"] | Path | int
"""Where a stream of a new process leads: as ours, nowhere, to the end of a file, or a descriptor of ours."""

Role = Literal["app", "service", "critical"]
"""Services end after the apps. When a critical process ends, everything does."""

_PREFIX = "deskhand-supervisor."
_OWNER = "owner"
_SHORT_BASE = Path("/tmp")  # noqa: S108 - only a private folder is made in it
_LONGEST_BASE = 40
_UNFINISHED_AFTER = 60.0
_CLOSE_TIMEOUT = script.APP_GRACE + script.SERVICE_GRACE + 2 * script.GIVE_UP_AFTER + 2
_TAIL = 4000


class Process:
    """A program started by a supervisor."""

    def __init__(self, supervisor: Supervisor, argv: Sequence[str], role: Role, log: Path | None) -> None:
        self.argv = tuple(argv)
        self.role = role
        self.pid = 0
        self.returncode: int | None = None
        """The exit code, negative for a signal; None while it runs."""
        self._supervisor = supervisor
        # Open from the start: when the end of a process is news, its log may already be removed.
        self._log: IO[bytes] | None = log.open("rb") if log else None
        self._tail = ""
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._callbacks: list[Callable[[Process], None]] = []

    def __repr__(self) -> str:
        state = "running" if self.returncode is None else f"returncode={self.returncode}"
        return f"<Process {self.argv[0]!r} pid={self.pid} {state}>"

    def poll(self) -> int | None:
        """The exit code, or None while it runs."""
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end; the exit code."""
        if not self._ended.wait(timeout) or self.returncode is None:
            raise WaitTimeout(
                f"waited {timeout:g} s for {self.argv[0]!r} (pid {self.pid}) to end; it still runs",
                target=self.argv[0],
                pid=self.pid,
            )
        return self.returncode

    def on_exit(self, callback: Callable[[Process], None]) -> None:
        """Call this when it has ended, at once if it has; on the supervisor's thread, which must not wait."""
        with self._lock:
            if self.returncode is None:
                self._callbacks.append(callback)
                return
        callback(self)

    def signal(self, number: int, *, tree: bool = False) -> None:
        """Send it a signal; with `tree`, also to everything it started."""
        if self.returncode is None or tree:
            message = {"do": "signal", "signal": int(number), "pid": self.pid, "tree": tree}
            with contextlib.suppress(OSError):  # the supervisor has ended, and this process with it
                self._supervisor._send(message)  # noqa: SLF001 - same file

    def terminate(self, grace: float = script.APP_GRACE) -> int:
        """End it and everything it started: asked first, killed after the grace. The exit code."""
        self.signal(signal.SIGTERM, tree=True)
        with contextlib.suppress(WaitTimeout):
            self.wait(grace)
        self.signal(signal.SIGKILL, tree=True)
        return self.wait(_CLOSE_TIMEOUT)

    def kill(self) -> int:
        """End it and everything it started, at once. The exit code."""
        return self.terminate(grace=0)

    def tail(self, limit: int = _TAIL) -> str:
        """The end of what it wrote to the file that its output leads to; also after that file is gone."""
        with self._lock:
            return self._tail[-limit:] if self._log is None else self._read_tail(self._log, limit)

    def ending(self) -> str:
        """In words: how it ended."""
        return _describe(self.returncode)

    def _finish(self, code: int) -> None:
        with self._lock:
            self.returncode = code
            callbacks, self._callbacks = self._callbacks, []
            if self._log is not None:
                self._tail = self._read_tail(self._log, _TAIL)
                self._log.close()
                self._log = None
        self._ended.set()
        for callback in callbacks:
            callback(self)

    @staticmethod
    def _read_tail(log: IO[bytes], limit: int) -> str:
        log.seek(max(0, log.seek(0, os.SEEK_END) - limit))
        return log.read(limit).decode(errors="replace")


class _Request:
    """A message to the supervisor that waits for its answer."""

    def __init__(self, process: Process | None) -> None:
        self.process = process
        self.answered = threading.Event()
        self.answer: dict[str, Any] = {}


class Supervisor:
    """Starts programs and ends them all, with a private folder, when it is closed or this process ends.

    Safe to use from several threads. In a fork of this process it does nothing.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)
        self._requests: dict[int, _Request] = {}
        self._processes: dict[int, Process] = {}
        self._closing = False
        self._over = threading.Event()
        self._callbacks: list[Callable[[], None]] = []
        self._owner = 0
        self.failed: str | None = None
        """Why everything ended without being asked to, or None."""
        self.room: Path | None = None
        """The folder in which the /tmp of its programs is, if that is not the machine's."""
        self.room_note: str | None = None
        """Why there is none, if there was to be one."""
        self.culprit: Process | None = None
        """The critical process whose end was the reason, if it was one."""

    def start(self) -> Supervisor:
        """Make the folder and start the keeping process; also remove what was left behind by others."""
        if sys.platform != "linux":
            raise ActionUnsupported(f"keeping processes needs Linux; this is {sys.platform!r}")
        if not Path("/proc/self/stat").exists():
            raise ActionUnsupported("/proc is not mounted here; mount it: mount -t proc proc /proc")
        try:
            sweep()
            with contextlib.ExitStack() as undo:
                self._start(undo)
                undo.pop_all()
        except (OSError, RuntimeError) as error:
            if shortage.kind_of(error) is None:
                raise
            raise _lacking(error) from error
        atexit.register(self.close)
        return self

    def _start(self, undo: contextlib.ExitStack) -> None:
        """What `start` does, and in `undo` how to leave nothing of it if it fails."""
        self._token = secrets.token_hex(16)
        self.folder = _new_folder()
        self._clean: list[dict[str, Any]] = [{"paths": [str(self.folder)], "lock": None}]
        undo.callback(script.remove_all, self._clean)
        self._connection, theirs = socket.socketpair()
        undo.callback(self._connection.close)
        with theirs:
            # In memory: what the supervisor says last may be that the disk is full.
            self._log = os.fdopen(os.memfd_create("deskhand-supervisor"), "w+b")
            undo.callback(self._log.close)
            self._popen = subprocess.Popen(
                script.command(theirs.fileno(), os.getpid(), self.folder, self._token),
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                stdout=self._log,
                stderr=self._log,
                cwd="/",
                start_new_session=True,
            )
        undo.callback(self._popen.wait)
        undo.callback(self._popen.kill)
        # Only now, with a supervisor to remove it: this process may be killed at any moment.
        self._owner_file = _make_folder(self.folder)
        undo.callback(self._owner_file.close)
        self._send({"do": "own"}, [self._owner_file.fileno()])
        threading.Thread(target=self._read, name="deskhand-supervisor", daemon=True).start()
        self._owner = os.getpid()

    def __enter__(self) -> Supervisor:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def pid(self) -> int:
        """The keeping process."""
        return self._popen.pid

    @property
    def closing(self) -> bool:
        """Whether the end was asked for, or has come by itself."""
        return self._closing or self.failed is not None

    def gone(self) -> bool:
        """Whether everything has ended, the folder included; `failed` then says why. Waits while it ends."""
        # Once the supervisor removes the folder it answers no more.
        if self._ask({"do": "clean", "paths": [], "lock": None}):
            return False
        self._over.wait()
        return True

    def spawn(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        cwd: str | os.PathLike[str] | None = None,
        stdin: Stdio = "null",
        stdout: Stdio = "inherit",
        stderr: Stdio | Literal["stdout"] = "inherit",
        fds: Mapping[int, int] | None = None,
        role: Role = "app",
        room: bool = True,
    ) -> Process:
        """Start a program, in a process group of its own. `fds` maps numbers in it to descriptors of ours.

        It has the /tmp of `make_room`, if there is one, unless `room` is false.
        """
        argv = [os.fspath(part) for part in argv]
        cwd = os.fspath(cwd or Path.cwd())
        with contextlib.ExitStack() as opened:
            try:
                out = _open(stdout, 1, opened)
                error = out if stderr == "stdout" else _open(stderr, 2, opened)
                streams = {0: _open(stdin, 0, opened), 1: out, 2: error, **(fds or {})}
                log = next((where for where in (stderr, stdout) if isinstance(where, Path)), None)
                process = Process(self, argv, role, log)
            except FileNotFoundError:
                if self.gone():
                    raise self._spawn_error(argv, cwd, {}) from None
                raise
            except OSError as error:
                raise LaunchFailed(
                    f"cannot start {argv[0]!r}: {shortage.in_words(error)}",
                    target=argv[0],
                    suggestions=shortage.advice(error.errno),
                    errno=error.errno,
                ) from error
            message: dict[str, Any] = {"do": "spawn", "argv": argv, "cwd": cwd, "role": role, "room": room}
            message["fds"] = list(streams)
            environment = dict(os.environ if env is None else env)
            answer = self._ask({**message, "env": environment}, list(streams.values()), process)
        if "pid" not in answer:
            process._finish(127)  # noqa: SLF001 - same file
            raise self._spawn_error(argv, cwd, answer)
        return process

    def adopt(self, pid: int) -> Process | None:
        """The orphan that a process is or descends from, whose end is then known; None if it has ended.

        An orphan is what a program left behind that was started here and has ended.
        """
        process = Process(self, [f"process {pid}"], "app", None)
        return process if "pid" in self._ask({"do": "adopt", "pid": pid}, (), process) else None

    def apps(self) -> set[int]:
        """The processes that run of those that were started as apps, and of all that they started."""
        table = script.process_table()
        found = script.descendants(self.pid, table)
        for process in list(self._processes.values()):
            if process.role != "app":
                # By their group: what a bus starts on request becomes an orphan at once.
                grouped = {pid for pid in found if table[pid].group == process.pid}
                for pid in {process.pid} | grouped:
                    found -= {pid} | script.descendants(pid, table)
        return found

    def clean(self, paths: Iterable[str | Path], *, lock: tuple[Path, str] | None = None) -> None:
        """Remove these at the end; with `lock`, only if that file still has that text."""
        entry = {"paths": [str(path) for path in paths], "lock": lock and [str(lock[0]), lock[1]]}
        self._clean.append(entry)
        answer = self._ask({"do": "clean", **entry})
        if not answer:  # the end has been already
            script.remove_all([entry])
        elif "errno" in answer:
            where = str(self.folder / script.RECORD)
            raise _lacking(OSError(answer["errno"], os.strerror(answer["errno"]), where))

    def follow(self, pid: int) -> None:
        """Let everything end when this process has, which is not one of ours."""
        self._ask({"do": "follow", "pid": pid})

    def make_room(self, *, own_displays: bool = False) -> Process | None:
        """Give programs a /tmp and a /var/tmp of their own; what serves them, or None with a `room_note`.

        With `own_displays`, display numbers that are taken on the machine are free in there.
        """
        process = Process(self, ["the private /tmp"], "critical", None)
        answer = self._ask({"do": "room", "displays": own_displays}, (), process)
        if "pid" in answer:
            self.room = self.folder
            return process
        process._finish(1)  # noqa: SLF001 - same file
        reason = rooms.why(answer["step"], answer["errno"]) if answer else "the supervisor has ended"
        self.room_note = f"programs share /tmp and /var/tmp with this machine: {reason}"
        return None

    def enter_room(self, pid: int, folder: Path) -> bool:
        """Let programs have the /tmp of a process that another supervisor started; false if it has ended.

        `folder` is that of the other supervisor.
        """
        answer = self._ask({"do": "room", "pid": pid})
        self.room = folder
        return bool(answer) and "errno" not in answer

    def on_end(self, callback: Callable[[], None]) -> None:
        """Call this when everything has ended, for whatever reason; on the supervisor's thread."""
        with self._lock:
            if not self._over.is_set():
                self._callbacks.append(callback)
                return
        callback()

    def close(self) -> None:
        """End every process, remove every path. Returns when that is done; does nothing the second time."""
        if self._owner != os.getpid():
            return
        with self._lock:
            self._closing = True
            # All that the supervisor needs to know is that we are done.
            with contextlib.suppress(OSError):
                self._connection.shutdown(socket.SHUT_WR)
        if not self._over.wait(_CLOSE_TIMEOUT):
            self._popen.kill()
            self._over.wait()
        # Not before: if a signal interrupts the waiting, this process waits again when it exits.
        atexit.unregister(self.close)

    def _ask(
        self, message: dict[str, Any], fds: Sequence[int] = (), process: Process | None = None
    ) -> dict[str, Any]:
        """Send a message and wait for the supervisor's answer; empty if the supervisor has ended."""
        number, request = next(self._numbers), _Request(process)
        self._requests[number] = request
        try:
            self._send({**message, "number": number}, fds)
        except OSError:
            del self._requests[number]
            return {}
        request.answered.wait()
        return request.answer

    def _send(self, message: dict[str, Any], fds: Sequence[int] = ()) -> None:
        line = json.dumps(message).encode() + b"\n"
        with self._lock:
            sent = socket.send_fds(self._connection, [line], fds) if fds else 0
            self._connection.sendall(line[sent:])

    def _read(self) -> None:
        """On a thread of its own: what the supervisor says, until it ends."""
        try:
            with self._connection.makefile("rb") as lines, contextlib.suppress(ConnectionError):
                for line in lines:
                    self._hear(json.loads(line))
        finally:
            self._finish()

    def _hear(self, message: dict[str, Any]) -> None:
        if "number" in message:
            request = self._requests.pop(message["number"])
            request.answer = message
            if request.process and "pid" in message:
                request.process.pid = message["pid"]
                self._processes[message["pid"]] = request.process
            request.answered.set()
        elif "exited" in message:
            process = self._processes.pop(message["exited"])
            process._finish(message["code"])  # noqa: SLF001 - same file
            if process.role == "critical" and not self.closing:
                self.culprit = process
                self.failed = f"{process.argv[0]} (pid {process.pid}) {process.ending()}"

    def _finish(self) -> None:
        """The supervisor has ended. If it did not end well, do the rest of its work."""
        try:
            status = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT)
        except ChildProcessError:  # this program reaps its children itself
            status = None
        if status is None or status.si_code != os.CLD_EXITED or status.si_status != 0:
            # Not reaped yet, its number is still taken, so the session is surely its own.
            script.end(self._leftovers, 0, time.sleep)
            script.remove_all(reversed(self._clean))
        code = self._popen.wait()
        if not self._closing:
            self.failed = (
                self.failed or f"the supervisor (pid {self.pid}) {_describe(code)}{self._last_words()}"
            )
        with self._lock:
            self._connection.close()
        self._owner_file.close()
        self._log.close()
        for process in list(self._processes.values()):
            process._finish(-signal.SIGKILL)  # noqa: SLF001 - same file
        for request in list(self._requests.values()):
            request.answered.set()
        with self._lock:
            self._over.set()
            callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback()

    def _leftovers(self) -> set[int]:
        table = script.process_table()
        ours = {pid for pid, entry in table.items() if entry.session == self.pid}
        return ours | script.bearers(self._token)

    def _last_words(self) -> str:
        self._log.seek(0)
        said = self._log.read().decode(errors="replace").strip()
        return f"; it said: {said[-_TAIL:]}" if said else ""

    def _spawn_error(self, argv: Sequence[str], cwd: str, answer: dict[str, Any]) -> LaunchFailed:
        program, number = argv[0], answer.get("errno")
        code = None
        if number is None or answer["step"] == "supervisor":
            reason = self.failed or "the supervisor is closed"
        elif answer["step"] == "chdir":
            reason = f"its working directory {cwd!r}: {os.strerror(number)}"
        elif number == errno.ENOENT:
            reason, code = os.strerror(number) if "/" in program else "no such program on PATH", 127
        else:
            reason, code = os.strerror(number), 126
        # The code is the one that shells give.
        return LaunchFailed(
            f"cannot start {program!r}: {reason}",
            target=program,
            suggestions=shortage.advice(number) if number else (),
            errno=number,
            exit_code=code,
        )


class Share:
    """One program's part of a supervisor that has several: a folder and processes that end by themselves.

    Everything else of the supervisor goes on; when that ends, so does this.
    """

    def __init__(self, supervisor: Supervisor) -> None:
        self._supervisor = supervisor
        self._processes: list[Process] = []
        self._paths: list[Path] = []
        self._before = supervisor.apps()
        try:
            self.folder = Path(tempfile.mkdtemp(prefix="app.", dir=supervisor.folder))
        except FileNotFoundError:
            raise LaunchFailed(f"the desktop has ended: {supervisor.failed or 'it was closed'}") from None
        except OSError as error:
            raise _lacking(error) from error

    @property
    def failed(self) -> str | None:
        """Why everything ended without being asked to, or None."""
        return self._supervisor.failed

    @property
    def room(self) -> Path | None:
        """The folder in which the /tmp of its programs is, if that is not the machine's."""
        return self._supervisor.room

    @property
    def room_note(self) -> str | None:
        """Why there is none, if there was to be one."""
        return self._supervisor.room_note

    def gone(self) -> bool:
        """Whether the whole supervisor has ended."""
        return self._supervisor.gone()

    def spawn(self, argv: Sequence[str], **options: Any) -> Process:
        """Start a program; the options are those of `Supervisor.spawn`."""
        process = self._supervisor.spawn(argv, **options)
        self._processes.append(process)
        return process

    @property
    def pid(self) -> int:
        """The keeping process."""
        return self._supervisor.pid

    @property
    def closing(self) -> bool:
        """Whether the end of the whole supervisor was asked for, or has come by itself."""
        return self._supervisor.closing

    def adopt(self, pid: int) -> Process | None:
        """The orphan that a process is or descends from; None if it has ended. See `Supervisor.adopt`."""
        process = self._supervisor.adopt(pid)
        if process is not None:
            self._processes.append(process)
        return process

    def apps(self) -> set[int]:
        """The processes that run of those that were started here, and of all that they started."""
        return self._supervisor.apps() - self._before

    def clean(self, paths: Iterable[str | Path]) -> None:
        """Remove these at the end."""
        new = [Path(path) for path in paths]
        self._paths += new
        # If this process is killed, nothing but the supervisor can remove them.
        self._supervisor.clean(new)

    def close(self) -> None:
        """End its processes, remove its paths; does nothing the second time."""
        for process in self._processes:
            if process.returncode is None:
                process.terminate()
            else:
                process.signal(signal.SIGKILL, tree=True)  # what it left running
        self._processes.clear()
        script.remove_all([{"paths": map(str, self._paths), "lock": None}], quiet=True)
        script.remove(str(self.folder), quiet=True)


def sweep() -> None:
    """Remove what a supervisor and its parent left behind when both were killed at once, or the power failed.

    Silently: leftovers that cannot be removed do not concern a new start.
    """
    for base in {_temporary(), _SHORT_BASE}:
        with contextlib.suppress(FileNotFoundError, PermissionError):
            for folder in base.glob(f"{_PREFIX}*"):
                with contextlib.suppress(OSError):
                    info = folder.lstat()
                    if stat.S_ISDIR(info.st_mode) and info.st_uid == os.geteuid():
                        _sweep(folder, info.st_mtime)


def _sweep(folder: Path, modified: float) -> None:
    try:
        owner = (folder / _OWNER).open()
    except FileNotFoundError:
        # A folder without its owner file is either one second old or was never finished.
        if time.time() - modified > _UNFINISHED_AFTER:
            script.remove(str(folder), quiet=True)
        return
    with owner:
        try:
            fcntl.flock(owner, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return
        with contextlib.suppress(FileNotFoundError):
            record = json.loads((folder / script.RECORD).read_text())
            script.end(lambda: script.bearers(record["token"]), 0, time.sleep)
            script.remove_all(reversed(record["clean"]), quiet=True)
        script.remove(str(folder), quiet=True)


def _new_folder() -> Path:
    """A path for a private folder, at which there is nothing yet."""
    base = _temporary()
    if len(os.fsencode(base)) > _LONGEST_BASE:
        # Fallback: a socket's path has at most 107 bytes, and programs make theirs below this folder.
        base = _SHORT_BASE
    while (folder := base / f"{_PREFIX}{secrets.token_hex(4)}").exists():
        pass
    return folder


def _make_folder(folder: Path) -> IO[str]:
    """Make it; a lock on it that lasts as long as this process or the supervisor lives.

    A lock rather than a process number: numbers are used again, and mean nothing in another container.
    """
    folder.mkdir(mode=0o700)
    owner = (folder / f"{_OWNER}.new").open("w")
    try:
        fcntl.flock(owner, fcntl.LOCK_EX)
        print(os.getpid(), file=owner, flush=True)  # for people who look into the folder
        # It has its lock before it has this name, so that a sweep never sees it without.
        (folder / f"{_OWNER}.new").rename(folder / _OWNER)
    except BaseException:
        owner.close()
        raise
    return owner


def _lacking(error: BaseException) -> LaunchFailed:
    kind = shortage.kind_of(error)
    return LaunchFailed(
        f"no program can be started: {shortage.in_words(error)}",
        suggestions=shortage.advice(kind),
        errno=kind,
    )


def _temporary() -> Path:
    """The folder for temporary files. Raises LaunchFailed if none can be written."""
    try:
        return Path(tempfile.gettempdir())
    except FileNotFoundError as error:
        raise LaunchFailed(
            f"no program can be started: {error.strerror}",
            suggestions=(
                "free space in one of them, make one writable, or set TMPDIR to a folder that can be written",
            ),
        ) from None


def _open(where: Stdio, number: int, opened: contextlib.ExitStack) -> int:
    if isinstance(where, int):
        return where
    if where == "inherit":
        with contextlib.suppress(OSError):
            os.fstat(number)
            return number
        where = "null"  # Fallback: ours is closed, so there is nothing to inherit
    path = Path(os.devnull) if where == "null" else where
    return opened.enter_context(path.open("rb" if number == 0 else "ab")).fileno()


def _describe(code: int | None) -> str:
    """In words: how a process ended."""
    if code is None:
        return "still runs"
    if code >= 0:
        return f"ended with exit code {code}"
    with contextlib.suppress(ValueError):
        return f"was ended by {signal.Signals(-code).name}"
    return f"was ended by signal {-code}"
