"""The machine itself: commands run on it, files written to it and read from it. Used by the agent.

A command runs in a process group of its own, which ends at its timeout. A file is written beside its
destination and takes its place at once, or not at all.
"""

from __future__ import annotations

import contextlib
import os
import select
import selectors
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO

from ..model.errors import Cancelled, DownloadFailed, ExecFailed, UploadFailed
from ..model.operations import Cancel, Execute, Executed
from ..processes import private_tmp as room
from ..processes import shortage
from ..transports.interface import TOKEN
from .uploads import Placed

SHELL = "/bin/bash"
OUTPUT = 8 * 1024 * 1024
"""How much of each stream of a command is kept, in bytes: half from its beginning, half from its end."""
MAX_LEFT_BEHIND = 64
"""How many pipes are held open for processes that commands left behind."""
BLOCK = 3 * 256 * 1024
"""How much of a file is in memory at once, in bytes; a multiple of three, for base64."""

_LOOK = 0.1
"""How often a command's caller is looked after, in seconds."""
_PIPE = 16
"""How many reads of 64 KiB empty the largest pipe."""
_SHOWN = 500
_SESSION = (
    "DISPLAY", "XAUTHORITY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "AT_SPI_BUS_ADDRESS", "HOME",
    "XDG_RUNTIME_DIR", "XDG_SESSION_TYPE", "XDG_CURRENT_DESKTOP", "XDG_CONFIG_HOME", "XDG_CACHE_HOME",
    "XDG_DATA_HOME", "XDG_STATE_HOME", "TMPDIR",
)  # fmt: skip
"""What leads a program to a desktop."""


class Machine:
    """Runs commands and moves files, in an environment that leads to the desktop."""

    def __init__(self, env: Mapping[str, str] | None = None, *, as_seen_by: int | None = None) -> None:
        """`as_seen_by` is a process on that desktop: if it has a /tmp of its own, that one counts."""
        self._env = dict(os.environ if env is None else env)
        self._env.pop(TOKEN, None)  # commands have no use for it, and may pass it on
        self._seen_by: int | None = None
        self._room = Path(self._env.get("XAUTHORITY", "/")).parent
        if as_seen_by is not None and room.apart(as_seen_by) and (self._room / room.OWN[0]).is_dir():
            self._seen_by = as_seen_by
        self._env.setdefault("HOME", str(Path.home()))
        home = Path(self._env["HOME"])
        self._home = home if home.is_dir() else Path("/")

    def execute(self, operation: Execute, cancel: Cancel | None = None) -> Executed:
        """Run a command by bash. Raises ExecFailed if it could not be begun.

        At its timeout, or when the caller goes away, it is ended with all in its process group. Processes
        that it leaves behind keep running and delay no call.
        """
        if not operation.command.strip() or "\0" in operation.command:
            raise ExecFailed("'command' is empty, or holds a NUL", field="command")
        if operation.timeout < 0:
            raise ExecFailed("'timeout' must be 0 or more seconds", field="timeout")
        began = time.monotonic()
        output = subprocess.DEVNULL if operation.detach else subprocess.PIPE
        command = [SHELL, "-c", operation.command]
        if self._seen_by is not None:
            around = [sys.executable, "-I", "-S", room.__file__, str(self._seen_by), str(self._home)]
            command = [*around, *command]
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd=self._home,
                env=self._env,
                start_new_session=True,
            )
        except OSError as error:
            reason, advice = shortage.in_words(error), shortage.advice(error.errno)
            raise ExecFailed(f"cannot start {SHELL}: {reason}", status=500, suggestions=advice) from error
        if operation.detach:
            # Its exit code is not needed, but it must not stay a zombie.
            threading.Thread(target=process.wait, name="exec-detached", daemon=True).start()
            _log(operation.command, f"detached, pid {process.pid}")
            return Executed(0)
        try:
            result = _Running(process).result(began + operation.timeout, cancel)
        except Cancelled:
            _log(operation.command, f"ended, its caller went away after {time.monotonic() - began:.2f} s")
            raise
        ending = "timed out" if result.timed_out else f"exit {result.exit_code}"
        _log(operation.command, f"{ending}, {time.monotonic() - began:.2f} s")
        return result

    def receive(self, path: str | None) -> Incoming:
        """Begin to write a file, with the folders it is in; without a path, `finish` has to tell it."""
        return Incoming(None if path is None else self._upload_place(path), self._upload_place)

    def send(self, path: str) -> Outgoing:
        """Begin to read a file."""
        return Outgoing(self._place(path, DownloadFailed))

    def _upload_place(self, path: str) -> Path:
        if path.endswith("/"):
            raise UploadFailed(f"{path} names a folder; add the name that the file is to have", target=path)
        return self._place(path, UploadFailed)

    def _place(self, path: str, error: type[UploadFailed | DownloadFailed]) -> Path:
        if "\0" in path:
            raise error(f"{path!r} is not a path", target=path)
        wanted = Path(path)
        if wanted.parts[:1] == ("~",):
            wanted = Path(self._home, *wanted.parts[1:])
        place = self._home / wanted
        return place if self._seen_by is None else Path(room.from_outside(self._room, str(place)))


def session_of(pid: int) -> dict[str, str]:
    """Our own environment, but on the desktop that another process is on."""
    env = dict(os.environ)
    if pid == os.getpid():
        return env
    try:
        data = Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return env
    theirs = dict(part.split("=", 1) for part in os.fsdecode(data).split("\0") if "=" in part)
    for name in _SESSION:
        env.pop(name, None)
    env.update({name: theirs[name] for name in _SESSION if name in theirs})
    return env


# -- commands -----------------------------------------------------------------------------------


class _Running:
    """A command that runs, and what it has written so far."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        assert process.stderr is not None
        self._process = process
        self._streams = {process.stdout: _Kept(), process.stderr: _Kept()}
        self._selector = selectors.DefaultSelector()
        for stream in self._streams:
            os.set_blocking(stream.fileno(), False)
            self._selector.register(stream, selectors.EVENT_READ)

    def result(self, deadline: float, cancel: Cancel | None) -> Executed:
        try:
            with _end_of(self._process, self._selector):
                timed_out = not self._wait(deadline, cancel)
            if timed_out:
                self._kill()
            # What it wrote is in the pipes already; there is no need to wait until others close them.
            for stream in self._open():
                self._read(stream)
        except BaseException:
            self._kill()
            raise
        finally:
            self._let_go()
        out, err = (kept.text() for kept in self._streams.values())
        if not timed_out:
            return Executed(self._process.returncode, out, err)
        note = "Process timed out"
        return Executed(-1, out, f"{err.rstrip()}\n{note}".lstrip("\n"), timed_out=True)

    def _wait(self, deadline: float, cancel: Cancel | None) -> bool:
        """Take in what it writes until it ends; False if it did not in time."""
        while self._process.poll() is None:
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            if cancel is not None and cancel.is_set():
                raise Cancelled("the caller went away")
            for key, _ in self._selector.select(min(left, _LOOK)):
                if key.fileobj in self._streams:
                    self._read(key.fileobj)
        return True

    def _open(self) -> list[IO[bytes]]:
        known = self._selector.get_map()
        return [stream for stream in self._streams if stream in known]

    def _read(self, stream: IO[bytes]) -> None:
        """Take in what there is: of a process that goes on, a little at a time."""
        for _ in range(1 if self._process.returncode is None else _PIPE):
            try:
                data = os.read(stream.fileno(), 65536)
            except BlockingIOError:
                return
            if not data:
                self._selector.unregister(stream)
                return
            self._streams[stream].add(data)

    def _kill(self) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def _let_go(self) -> None:
        held = self._open()
        self._selector.close()
        for stream in self._streams:
            if stream not in held:
                stream.close()
        if held:
            # A process it left behind still writes there, and would be ended by a closed pipe.
            _drain.take(held)


class _Kept:
    """The beginning and the end of what came, and how much was between them."""

    def __init__(self) -> None:
        self._first = bytearray()
        self._last = bytearray()
        self._count = 0

    def add(self, data: bytes) -> None:
        self._count += len(data)
        room = OUTPUT // 2 - len(self._first)
        if room > 0:
            self._first += data[:room]
            data = data[room:]
        self._last += data
        if len(self._last) > OUTPUT:
            del self._last[: -OUTPUT // 2]

    def text(self) -> str:
        last = self._last[-OUTPUT // 2 :]
        missing = self._count - len(self._first) - len(last)
        first = self._first.decode(errors="replace")
        end = last.decode(errors="replace")
        return f"{first}\n[… {missing} bytes left out …]\n{end}" if missing else first + end


@contextlib.contextmanager
def _end_of(process: subprocess.Popen[bytes], selector: selectors.BaseSelector) -> Iterator[None]:
    """Let a selector wake up when a process ends."""
    try:
        number = os.pidfd_open(process.pid)
    except (AttributeError, OSError):
        # Fallback: kernels before 5.3 and some sandboxes have no pidfd; the selector's timeout does instead.
        yield
        return
    selector.register(number, selectors.EVENT_READ)
    try:
        yield
    finally:
        selector.unregister(number)
        os.close(number)


class _Drain:
    """Takes what processes write that commands left behind, for all of them in one thread, and drops it.

    Of too many, the oldest pipes are closed; a process that still writes there is ended by that.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._streams: dict[int, IO[bytes]] = {}
        """By descriptor, the oldest first."""
        self._poll: select.epoll | None = None

    def take(self, streams: list[IO[bytes]]) -> None:
        with self._lock:
            if self._poll is None:
                self._poll = select.epoll()
                threading.Thread(target=self._run, name="exec-drain", daemon=True).start()
            for stream in streams:
                self._streams[stream.fileno()] = stream
                self._poll.register(stream, select.EPOLLIN)
            while len(self._streams) > MAX_LEFT_BEHIND:
                self._close(next(iter(self._streams)))

    def _run(self) -> None:
        assert self._poll is not None
        while True:
            ready = self._poll.poll()
            with self._lock:
                for number, _ in ready:
                    if number in self._streams:
                        self._read(number)

    def _read(self, number: int) -> None:
        with contextlib.suppress(BlockingIOError):
            if not os.read(number, 65536):
                self._close(number)

    def _close(self, number: int) -> None:
        assert self._poll is not None
        self._poll.unregister(number)
        self._streams.pop(number).close()


_drain = _Drain()


def _log(command: str, ending: str) -> None:
    shown = command if len(command) <= _SHOWN else f"{command[:_SHOWN]}…"
    with contextlib.suppress(OSError, ValueError):  # it is not read any more
        sys.stderr.write(f"deskhand: exec {shown!r}: {ending}\n")
        sys.stderr.flush()


# -- files --------------------------------------------------------------------------------------


class Incoming:
    """A file that is being written next to its destination; `finish` puts it in its place."""

    def __init__(self, path: Path | None, find: Callable[[str], Path]) -> None:
        """Without a path it waits in the folder for temporary files until `finish` is given one."""
        self._find = find
        self._asked = path
        with _reasons(UploadFailed, path):
            self._placed = None if path is None else Placed(path)
            self._waiting = tempfile.TemporaryFile(prefix=".deskhand.") if path is None else None  # noqa: SIM115 - closed by __exit__

    def __enter__(self) -> Incoming:
        return self

    def __exit__(self, *_: object) -> None:
        if self._placed is not None:
            self._placed.close()
        if self._waiting is not None:
            self._waiting.close()

    def write(self, data: bytes) -> None:
        with _reasons(UploadFailed, self._asked):
            if self._placed is not None:
                self._placed.write(data)
            elif self._waiting is not None:
                self._waiting.write(data)

    def finish(self, path: str | None = None) -> None:
        """Put it in its place; `path` says where, if that was not known before."""
        wanted = self._asked if path is None else self._find(path)
        if self._placed is None:
            assert wanted is not None
            self._hand_over(wanted)
            return
        if wanted != self._asked:
            raise UploadFailed(f"two paths are given, {self._asked} and {wanted}", target=str(wanted))
        with _reasons(UploadFailed, self._asked):
            self._placed.finish()

    def _hand_over(self, path: Path) -> None:
        assert self._waiting is not None
        self._waiting.seek(0)
        with Incoming(path, self._find) as target:
            while block := self._waiting.read(BLOCK):
                target.write(block)
            target.finish()


class Outgoing:
    """A file that is being read."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with _reasons(DownloadFailed, path):
            # Not to open a file that would block us, such as a pipe.
            if not stat.S_ISREG(path.stat().st_mode):
                kind = "a folder" if path.is_dir() else "no file"
                raise DownloadFailed(f"{path} is {kind}", target=str(path))
            # It may have been exchanged since: then it must still not block.
            self.file: IO[bytes] = os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb", buffering=0)
            found = os.fstat(self.file.fileno())
            if not stat.S_ISREG(found.st_mode):
                self.file.close()
                raise DownloadFailed(f"{path} is not a file", target=str(path))
            size = found.st_size
        # Files that the kernel makes up as they are read say 0.
        self.size: int | None = size or None

    def __iter__(self) -> Iterator[bytes]:
        left = self.size
        while left != 0:
            block = _full_block(self.file, BLOCK if left is None else min(BLOCK, left))
            if not block:
                if left is None:
                    return
                raise DownloadFailed(f"{self._path} became shorter while it was read", target=str(self._path))
            left = None if left is None else left - len(block)
            yield block

    def close(self) -> None:
        self.file.close()


def _full_block(file: IO[bytes], size: int) -> bytes:
    """As much as that, but for the end of the file: base64 is made of whole threes."""
    parts = []
    while size > 0 and (part := file.read(size)):
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


@contextlib.contextmanager
def _reasons(kind: type[UploadFailed | DownloadFailed], path: Path | None) -> Iterator[None]:
    """Tell why a file could not be had."""
    try:
        yield
    except OSError as error:
        where = "" if path is None else f"{path}: "
        target, advice = None if path is None else str(path), shortage.advice(error.errno)
        raise kind(f"{where}{error.strerror or error}", target=target, suggestions=advice) from error
