"""Which instrumented apps run: one small file for each, in a folder that only its owner can open.

The app writes its own entry, and may have nothing but the standard library to do it with. Readers remove the
entries of processes that are gone. Nothing here connects to an app.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from ..model.alike import alike, did_you_mean
from ..model.errors import Ambiguous, DeskhandError, NotFound, Unauthorized
from ..model.record import dataclass

VARIABLE = "DESKHAND_RUNTIME_DIR"
"""Overrides where the registry lies; set for every app that we start, whatever else its environment says."""

_SOCKET_PATH_MAX = 100


@dataclass(frozen=True)
class AppEntry:
    """A running app: what it is called, and where it listens."""

    name: str
    pid: int
    control: str
    """The path of the private socket on which it speaks GIP."""
    endpoints: tuple[str, ...] = ()
    """What else it serves, such as `gip unix:/tmp/my_app`."""
    started: str | None = None
    """When the process began, in the system's own units: a process id may be used again, this is not."""
    framework: str = ""
    outside: bool = False
    """Whether it is driven through accessibility, by the process that started it."""

    @property
    def running(self) -> bool:
        """Whether that very process still runs."""
        return _runs(self.pid) and self.started in (None, start_time(self.pid))


def runtime_folder() -> Path:
    """The folder for sockets and entries, made if need be; ours alone, or Unauthorized is raised."""
    if chosen := os.environ.get(VARIABLE):
        folder = Path(chosen)
    elif shared := os.environ.get("XDG_RUNTIME_DIR"):
        folder = Path(shared) / "deskhand"
    else:
        folder = _in_temp()
    return private(folder)


def private(folder: Path) -> Path:
    """Make the folder so that only we can open it, or make sure that it is so."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if sys.platform == "win32":
        return folder  # in the user's own profile, which others cannot open
    seen = folder.lstat()
    if not stat.S_ISDIR(seen.st_mode):
        raise Unauthorized(
            f"'{folder}' must be a folder, and is a link or a file",
            target=str(folder),
            suggestions=(f"remove it, or set {VARIABLE} to a folder of your own",),
        )
    if seen.st_uid != os.geteuid():
        raise Unauthorized(
            f"'{folder}' belongs to user {seen.st_uid}, who could drive our apps; we are user {os.geteuid()}",
            target=str(folder),
            suggestions=(f"set {VARIABLE} to a folder of your own",),
        )
    if stat.S_IMODE(seen.st_mode) & 0o077:
        folder.chmod(0o700)
    return folder


def control_address(pid: int) -> str:
    """Where an app listens for us by default."""
    return f"pipe:deskhand-{pid}" if sys.platform == "win32" else str(control_path(pid))


def control_path(pid: int) -> Path:
    """Where the control socket of an app is by default."""
    path = _entries() / f"{pid}.sock"
    if len(os.fsencode(path)) > _SOCKET_PATH_MAX:
        # Fallback: the path of a socket has a limit, which a deep folder exceeds.
        path = private(_in_temp()) / f"{pid}.sock"
    return path


def entry_path(pid: int) -> Path:
    """Where the entry of a process lies, if it has one."""
    return _entries() / f"{pid}.json"


def register(entry: AppEntry) -> None:
    """Write the entry, in place of an earlier one of the same process."""
    path = entry_path(entry.pid)
    new = path.with_suffix(f".{os.getpid()}.new")
    new.write_text(json.dumps(asdict(entry)), encoding="utf-8")
    new.replace(path)


def unregister(pid: int) -> None:
    """Remove the entry of a process, if there is one."""
    with contextlib.suppress(DeskhandError, OSError):
        entry_path(pid).unlink(missing_ok=True)


def apps() -> tuple[AppEntry, ...]:
    """The apps that run, oldest process id first. Entries of processes that are gone are removed."""
    found = []
    for path in _entries().glob("*.json"):
        entry = _read(path)
        if entry is not None and entry.running:
            found.append(entry)
        else:
            _remove(path, entry)
    return tuple(sorted(found, key=lambda entry: entry.pid))


def app(name: str | None = None, *, pid: int | None = None) -> AppEntry:
    """The only app that runs, or the only one of that name or with that process id."""
    running = apps()
    wanted = [
        entry
        for entry in running
        if (name is None or entry.name == name) and (pid is None or entry.pid == pid)
    ]
    if len(wanted) == 1:
        return wanted[0]
    listed = tuple(f"{entry.name} (pid {entry.pid})" for entry in (wanted or running)[:10])
    what = " ".join(
        (*(() if name is None else (f"named '{name}'",)), *(() if pid is None else (f"with pid {pid}",)))
    )
    if wanted:
        raise Ambiguous(
            f"{len(wanted)} apps {what or 'run'}: {', '.join(listed)}",
            target=name,
            matches=listed,
            suggestions=("choose one by its pid",),
        )
    seen = f"running: {', '.join(listed)}" if listed else "no app runs that deskhand can drive"
    meant = did_you_mean(alike(name or "", [entry.name for entry in running]))
    raise NotFound(
        f"no app {what}; {seen}" if what else seen,
        target=name if pid is None else str(pid),
        near=listed,
        suggestions=meant if listed else ("start one: deskhand run -- python app.py",),
    )


def start_time(pid: int) -> str | None:
    """When the process began, in the system's own units; None where that is unknown."""
    try:
        # The program's name is in parentheses and may itself hold any character.
        return Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return None


def _in_temp() -> Path:
    owner = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "user")
    return Path(tempfile.gettempdir()) / f"deskhand-{owner}"


def _entries() -> Path:
    return private(runtime_folder() / "apps")


def _runs(pid: int) -> bool:
    if sys.platform == "win32":
        return True  # signal 0 would end the process there; the connection tells
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # another user's, but it exists
    return True


def _read(path: Path) -> AppEntry | None:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return AppEntry(**{**data, "endpoints": tuple(data.get("endpoints", ()))})
    except (OSError, ValueError, TypeError):
        return None  # half written by a process that was killed, or of another version


def _remove(path: Path, entry: AppEntry | None) -> None:
    path.unlink(missing_ok=True)
    # A socket elsewhere belongs to the process that started the app, which removes it.
    if entry is not None and Path(entry.control).name == f"{entry.pid}.sock":
        Path(entry.control).unlink(missing_ok=True)
