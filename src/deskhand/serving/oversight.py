"""A person's hold on what clients do: the policy file, the question on the terminal, the audit log.

The audit log is written by a process of its own, through a pipe that takes each line as a whole: however this
process ends, no line is cut. That process ends with this one. The space for a line is reserved on the disk
before the operation is performed, so that none is performed that cannot be recorded.
"""

from __future__ import annotations

import ctypes
import errno
import json
import logging
import os
import select
import stat
import subprocess
import sys
import threading
import time
from datetime import datetime, timezone
from importlib import import_module
from pathlib import Path
from typing import Any

from ..adapters.scope import process_name
from ..engine.policy_guard import AuditEntry, Guard
from ..model.errors import ActionFailed, InvalidParams
from ..model.operations import Cancel, Execute, Executed
from ..model.policy import Ask, Policy, read_policy
from ..transports.bearer import bearer
from .machine import Incoming, Machine, Outgoing

# Python has it from 3.11 on.
_toml: Any = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
_LONGEST_LINE = 4000
"""How long a line of the log may be, in bytes: a pipe takes up to 4096 as a whole."""
_ON_THE_WAY = 2 * 65536
"""How many bytes of lines may be on the way: those in the pipe, and those that its reader has taken."""
_KEEP_SIZE = 1
"""FALLOC_FL_KEEP_SIZE: reserve space after the end of a file, which stays where it is."""
_UNSUPPORTED = (errno.EOPNOTSUPP, errno.ENOSYS)
_YES = ("y", "yes")
_MACHINE = "agent"
"""What the log calls the clients that want commands and files."""

_WRITER = """
import fcntl, os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_IGN)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
log = int(sys.argv[1])
while lines := os.read(0, 65536):
    fcntl.flock(log, fcntl.LOCK_EX)
    before = os.fstat(log).st_size
    try:
        written = os.write(log, lines)
        if written < len(lines):
            os.write(log, lines[written:])
    except OSError as error:
        os.ftruncate(log, before)
        sys.exit(f"deskhand: the audit log cannot be written: {error.strerror}")
    fcntl.flock(log, fcntl.LOCK_UN)
"""


def guard(policy: Path | None, audit: Path | None, ask: Ask | None = None) -> Guard | None:
    """The guard that these files want; None if there are none. Raises InvalidParams, ActionFailed."""
    if policy is None and audit is None:
        return None
    read = Policy() if policy is None else load_policy(policy)
    record = None if audit is None else Audit(audit)
    return Guard(read, ask=ask or ask_on_terminal, record=record, names=names, token=_token)


def names(pid: int) -> tuple[str, ...]:
    """What a process is called, for rules about apps."""
    return (process_name(pid),)


def _token() -> str | None:
    known = bearer.get()
    return None if known is None else known.name


def load_policy(path: Path) -> Policy:
    """The policy in a TOML file. Raises InvalidParams, which says what is wrong and where."""
    try:
        data: dict[str, Any] = _toml.loads(path.read_text("utf-8"))
    except OSError as error:
        raise InvalidParams(f"cannot read the policy {path}: {error.strerror}", field="policy") from None
    except (_toml.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidParams(f"the policy {path} is not TOML: {error}", field="policy") from None
    try:
        return read_policy(data)
    except InvalidParams as error:
        error.message = f"{path}: {error.message}"
        error.args = (error.message,)
        raise


# -- asking ----------------------------------------------------------------------------------------

_asking = threading.Lock()


def ask_on_terminal(question: str, timeout: float) -> bool | None:
    """Ask on the terminal that started this process; None without one, and if no answer comes in time."""
    deadline = time.monotonic() + timeout
    try:
        terminal = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        # One question at a time; another one has what is left of its time.
        if not _asking.acquire(timeout=timeout):
            return None
        try:
            # A process in the background would be stopped by reading.
            if os.tcgetpgrp(terminal) != os.getpgrp():
                return None
            return _ask(terminal, question, deadline)
        finally:
            _asking.release()
    except OSError:
        return None
    finally:
        os.close(terminal)


def _ask(terminal: int, question: str, deadline: float) -> bool | None:
    # Names come from the program, and may hold what would move the cursor.
    shown = "".join(letter if letter.isprintable() else "?" for letter in question)
    os.write(terminal, f"deskhand: a client wants to {shown} [y/N] ".encode())
    while (left := deadline - time.monotonic()) > 0:
        if select.select([terminal], [], [], left)[0]:
            return os.read(terminal, 1000).decode(errors="replace").strip().casefold() in _YES
    os.write(terminal, b"\nno answer in time: refused\n")
    return None


# -- recording --------------------------------------------------------------------------------------


class Audit:
    """Appends a line to a file for each operation. Thread-safe."""

    def __init__(self, path: Path) -> None:
        """Raises ActionFailed if the file cannot be written."""
        self._path = path
        self._running = 0
        self._lock = threading.Lock()
        self._log = self._open()
        self._reserves = self._can_reserve()
        self._writer = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _WRITER, str(self._log)],
            stdin=subprocess.PIPE,
            pass_fds=(self._log,),
            start_new_session=True,
        )

    def __call__(self, entry: AuditEntry) -> None:
        """Write what is known of an operation, after `check`. Raises ActionFailed if that cannot be done."""
        with self._lock:
            self._running -= 1
        when = datetime.fromtimestamp(entry.time, timezone.utc).isoformat(timespec="milliseconds")
        line = {"time": when, **{name: value for name, value in vars(entry).items() if name != "time"}}
        data = json.dumps(line, ensure_ascii=False).encode()
        if len(data) > _LONGEST_LINE:
            data = json.dumps({**line, "target": "too long for the log"}, ensure_ascii=False).encode()
        assert self._writer.stdin is not None
        try:
            os.write(self._writer.stdin.fileno(), data + b"\n")
        except OSError:
            raise self._failed(f"{entry.operation} ended ({entry.outcome}) and is not recorded") from None

    def check(self) -> None:
        """Reserve the space for a line. Raises ActionFailed if nothing can be recorded any more."""
        with self._lock:
            if self._writer.poll() is not None:
                raise self._failed("nothing is done")
            if self._reserves:
                self._reserve(_ON_THE_WAY + (self._running + 1) * (_LONGEST_LINE + 1))
            self._running += 1

    def _can_reserve(self) -> bool:
        """Whether space can be reserved where the log is; the first operation finds out if there is none."""
        try:
            _reserve(self._log, _ON_THE_WAY)
        except OSError as error:
            if error.errno in _UNSUPPORTED:
                # Fallback: some network file systems cannot; then a full disk is noticed by its first line.
                logging.getLogger("deskhand").warning(
                    "no space can be reserved for %s: if its disk becomes full, one operation is done "
                    "unrecorded",
                    self._path,
                )
                return False
        return True

    def _reserve(self, size: int) -> None:
        try:
            _reserve(self._log, size)
        except OSError:
            raise self._failed("nothing is done") from None

    def close(self) -> None:
        """Wait until all is written."""
        assert self._writer.stdin is not None
        self._writer.stdin.close()
        self._writer.wait()
        with self._lock:
            if self._log >= 0:
                os.close(self._log)
            self._log = -1

    def _open(self) -> int:
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
        try:
            log = os.open(self._path, flags, 0o600)
        except OSError as error:
            raise ActionFailed(
                f"cannot write the audit log {self._path}: {error.strerror}", target=str(self._path)
            ) from error
        if not stat.S_ISREG(os.fstat(log).st_mode):
            os.close(log)
            raise ActionFailed(f"the audit log {self._path} is not a file", target=str(self._path))
        return log

    def _failed(self, consequence: str) -> ActionFailed:
        return ActionFailed(
            f"the audit log {self._path} cannot be written any more, so {consequence}",
            target=str(self._path),
            suggestions=("see whether its disk is full, and start the server again",),
        )


def _reserve(file: int, size: int) -> None:
    """Reserve so many bytes after the end of a file. Raises OSError."""
    function = getattr(ctypes.CDLL(None, use_errno=True), "fallocate", None)
    if function is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    end = os.fstat(file).st_size
    if function(file, _KEEP_SIZE, ctypes.c_long(end), ctypes.c_long(size)) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


# -- commands and files --------------------------------------------------------------------------------


class GuardedMachine:
    """Does to the machine what a guard allows, and lets it be recorded."""

    def __init__(self, machine: Machine, guard: Guard) -> None:
        self._machine = machine
        self._guard = guard

    def execute(self, operation: Execute, cancel: Cancel | None = None) -> Executed:
        """Run a command. Its arguments may be secrets: the log has the program only."""
        words = operation.command.split(maxsplit=1)
        with self._guard.permitted(_MACHINE, "execute", words[0] if words else None):
            return self._machine.execute(operation, cancel)

    def receive(self, path: str | None) -> Incoming:
        """Begin to write a file."""
        with self._guard.permitted(_MACHINE, "upload", path):
            return self._machine.receive(path)

    def send(self, path: str) -> Outgoing:
        """Begin to read a file."""
        with self._guard.permitted(_MACHINE, "download", path):
            return self._machine.send(path)
