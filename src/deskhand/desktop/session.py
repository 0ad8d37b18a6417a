"""The desktop, or one program of it, driven from outside through the accessibility bus.

The desktop is one tree: programs that run with an engine of ours inside are asked themselves, which tells
more, and all others are read through accessibility.
"""

from __future__ import annotations

import os
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..adapters.atspi import AtspiAdapter
from ..adapters.atspi.adapter import find_bus, name_of
from ..adapters.merge import JoinedAdapter, Part
from ..engine.session import Session
from ..model.alike import alike, did_you_mean
from ..model.errors import (
    Ambiguous,
    InvalidParams,
    NotFound,
)
from ..processes import registry
from ..serving.remote import Remote

if TYPE_CHECKING:
    from ..adapters.xa11y import Xa11yAdapter

BACKENDS = ("atspi", "xa11y")
"""What can drive a desktop."""
BACKEND_VARIABLE = "DESKHAND_BACKEND"
TIMEOUT = 5.0
"""How long the accessibility bus may take to answer, in seconds."""
MOMENT = 5.0
"""How long a program that has just been started is waited for, in seconds."""

_UNSEEN = ("offscreen", "minimal", "vnc")
_LISTED = 10
_INTERPRETER = re.compile(r"(python|pypy|perl|ruby|gjs|node)[\d.]*|java|bash|sh")


@dataclass(frozen=True)
class Program:
    """A program on the desktop, as the accessibility bus knows it, or else the window manager."""

    name: str
    pid: int
    toolkit: str
    version: str
    reached: str
    """`accessibility`, `accessibility, does not answer`, or `its windows only` if it is not on the bus."""
    processes: tuple[str, ...] = ()
    """What its process is called: the program's file, and the script that an interpreter runs."""

    def __str__(self) -> str:
        return f"{self.name} (pid {self.pid})"

    def answers_to(self, name: str) -> bool:
        return name.casefold() in (known.casefold() for known in (self.name, *self.processes))


def session(
    app: str | None = None,
    *,
    pid: int | None = None,
    read_only: bool = False,
    backend: str | None = None,
    timeout: float = MOMENT,
    confined: bool = False,
    env: Mapping[str, str] | None = None,
    bus: str | None = None,
) -> Session:
    """An engine over the desktop that this process is on, or over one program of it.

    `env` is the environment of programs on another desktop, which is then driven as a whole. `bus` is what
    `reach` returned, if it was called: the session bus is then not asked again.

    A program is named as it names itself to accessibility or as its process is called. `timeout` is how long
    one is waited for that has just been started. `backend` is `atspi` or `xa11y`; without one,
    DESKHAND_BACKEND says which, and without that it is AT-SPI on Linux and xa11y elsewhere. `confined` keeps
    all input and every screenshot within the program. Raises
    AccessibilityUnavailable, MissingProgram, NotFound, Ambiguous.
    """
    if chosen_backend(backend) == "xa11y":
        return _through_xa11y(app, pid, read_only, timeout)
    if app is None and pid is None:
        parts = _Registered(os.environ if env is None else env)
        return _DesktopSession(JoinedAdapter(AtspiAdapter(env, bus=bus), parts), read_only, parts.close)
    adapter = AtspiAdapter(bus=bus)
    try:
        adapter.choose(_wait_for(adapter, app, pid, timeout).pid)
        if confined:
            adapter.confine()
    except BaseException:
        adapter.close()
        raise
    return Session(adapter, read_only=read_only)


def chosen_backend(name: str | None = None) -> str:
    """What drives the desktop: the one named here, the one that DESKHAND_BACKEND names, or the usual one."""
    name = name or os.environ.get(BACKEND_VARIABLE)
    if not name:
        return "atspi" if sys.platform == "linux" else "xa11y"
    if name not in BACKENDS:
        raise InvalidParams(
            f"no backend named '{name}'; there are: {', '.join(BACKENDS)}",
            field="backend",
            near=alike(name, BACKENDS),
        )
    return name


def reach() -> str | None:
    """Where the accessibility bus of the desktop is; None if another backend drives it.

    Raises AccessibilityUnavailable, MissingProgram or UiBusy if the desktop cannot be driven.
    """
    if chosen_backend() == "xa11y":
        _xa11y().close()
        return None
    return find_bus(os.environ, TIMEOUT)


def programs() -> tuple[Program, ...]:
    """The programs of the desktop. Raises AccessibilityUnavailable, MissingProgram."""
    adapter = _xa11y() if chosen_backend() == "xa11y" else AtspiAdapter()
    try:
        return tuple(_programs(adapter))
    finally:
        adapter.close()


def elsewhere() -> tuple[registry.AppEntry, ...]:
    """The registered apps that are not on this desktop."""
    return tuple(entry for entry in registry.apps() if not _is_here(entry.pid, os.environ))


# -- one program -------------------------------------------------------------------------------


def _xa11y() -> Xa11yAdapter:
    from ..adapters.xa11y import Xa11yAdapter  # needs a library that not everybody has

    return Xa11yAdapter(timeout=TIMEOUT)


def _through_xa11y(app: str | None, pid: int | None, read_only: bool, timeout: float) -> Session:
    adapter = _xa11y()
    try:
        if app is not None or pid is not None:
            adapter.choose(_wait_for(adapter, app, pid, timeout).pid)
    except BaseException:
        adapter.close()
        raise
    return Session(adapter, read_only=read_only)


def _programs(adapter: AtspiAdapter | Xa11yAdapter) -> Iterator[Program]:
    if not isinstance(adapter, AtspiAdapter):
        for pid, name in dict(adapter.programs(TIMEOUT)).items():
            yield Program(name, pid, "xa11y", "", "accessibility", _process_names(pid))
        return
    seen = set()
    for app in adapter.apps(TIMEOUT):
        if app.pid not in seen:
            seen.add(app.pid)
            reached = "accessibility, does not answer" if app.suspect else "accessibility"
            names = _process_names(app.pid)
            yield Program(name_of(app), app.pid, app.toolkit, app.version, reached, names)
    for window in adapter.strangers():
        if window.pid not in seen:
            seen.add(window.pid)
            names = _process_names(window.pid)
            title = names[0] if names else window.title
            yield Program(title, window.pid, "", "", "its windows only", names)


def _wait_for(
    adapter: AtspiAdapter | Xa11yAdapter, name: str | None, pid: int | None, timeout: float
) -> Program:
    """The only program of that name or process id; if its process runs, once it is on the bus."""
    deadline = time.monotonic() + timeout
    while True:
        found = list(_programs(adapter))
        if (program := _only(found, name, pid)) is not None:
            return program
        starting = [pid] if pid is not None else _processes_named(name or "")
        starting = [process for process in starting if _is_here(process, os.environ)]
        if not starting or time.monotonic() >= deadline:
            raise _not_found(found, name, pid, starting)
        time.sleep(0.05)  # the registry announces nothing before a program is there


def _only(programs: Sequence[Program], name: str | None, pid: int | None) -> Program | None:
    if name is None:
        return next((program for program in programs if program.pid == pid), None)
    wanted = [program for program in programs if pid in (None, program.pid)]
    exact = [program for program in wanted if program.answers_to(name)]
    found = exact or [program for program in wanted if name.casefold() in program.name.casefold()]
    if len(found) > 1:
        listed = tuple(map(str, found[:_LISTED]))
        raise Ambiguous(
            f"{len(found)} programs on the desktop are named '{name}': {', '.join(listed)}",
            target=name,
            matches=listed,
            suggestions=("choose one by its pid",),
        )
    return found[0] if found else None


def _not_found(
    programs: Sequence[Program], name: str | None, pid: int | None, silent: Sequence[int]
) -> NotFound:
    what = f"named '{name}'" if name is not None else f"with pid {pid}"
    names = [program.name for program in programs]
    listed = [str(program) for program in programs[:_LISTED]]
    there = f"on the desktop: {', '.join(listed)}" if listed else "no program is on the accessibility bus"
    suggestions = []
    if silent:
        there = f"process {silent[0]} runs, but is not on the accessibility bus; {there}"
        suggestions.append(
            "start the program again, now that accessibility is on; Electron and Chromium need "
            "--force-renderer-accessibility"
        )
    others = elsewhere()
    if others:
        shown = ", ".join(f"{entry.name} (pid {entry.pid})" for entry in others[:_LISTED])
        suggestions.append(f"apps that run elsewhere: {shown}")
    near = alike(name or "", names)
    return NotFound(
        f"no app {what}; {there}",
        target=name if name is not None else str(pid),
        near=near or tuple(listed),
        suggestions=(*did_you_mean(near), *suggestions),
    )


def _process_names(pid: int) -> tuple[str, ...]:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return ()
    names = [Path(os.fsdecode(words[0])).name]
    if _INTERPRETER.fullmatch(names[0]):
        script = next((os.fsdecode(word) for word in words[1:] if word and not word.startswith(b"-")), "")
        names += [Path(script).name, Path(script).stem]
    return tuple(dict.fromkeys(filter(None, names)))


def _processes_named(name: str) -> list[int]:
    table = Path("/proc")
    if not table.is_dir():
        return []  # only Linux has one
    pids = [int(path.name) for path in table.iterdir() if path.name.isdigit()]
    wanted = name.casefold()
    return [pid for pid in pids if wanted in (known.casefold() for known in _process_names(pid))]


# -- registered apps ---------------------------------------------------------------------------


class _Registered:
    """The registered apps that are on this desktop, each with a connection of its own."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self._env = dict(env)
        self._known: dict[tuple[int, str | None], Part] = {}
        self._foreign: set[tuple[int, str | None]] = set()
        self._lock = threading.Lock()

    def __call__(self) -> list[Part]:
        with self._lock:
            running = {(entry.pid, entry.started): entry for entry in registry.apps() if not entry.outside}
            for key in [key for key in self._known if key not in running]:
                self._known.pop(key).runner.close()
            self._foreign &= running.keys()
            for key, entry in running.items():
                if key in self._known or key in self._foreign or entry.pid == os.getpid():
                    continue
                if _is_here(entry.pid, self._env):
                    self._known[key] = Part(entry.name, entry.pid, Remote(f"unix:{entry.control}"))
                else:
                    self._foreign.add(key)
            return list(self._known.values())

    def close(self) -> None:
        with self._lock:
            for part in self._known.values():
                part.runner.close()
            self._known.clear()


def _is_here(pid: int, env: Mapping[str, str]) -> bool:
    """Whether the windows of a process are on the desktop that an environment leads to."""
    try:
        data = Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return False
    theirs = dict(part.split("=", 1) for part in os.fsdecode(data).split("\0") if "=" in part)
    if theirs.get("QT_QPA_PLATFORM", "").partition(":")[0] in _UNSEEN:
        return False
    return _screen(theirs) == _screen(env) is not None


def _screen(env: Mapping[str, str]) -> str | None:
    """What tells one desktop from another."""
    if display := env.get("DISPLAY"):
        return re.sub(r"^unix|\.\d+$", "", display)
    if wayland := env.get("WAYLAND_DISPLAY"):
        return str(Path(env.get("XDG_RUNTIME_DIR", ""), wayland))
    return env.get("AT_SPI_BUS_ADDRESS")


class _DesktopSession(Session):
    """An engine that ends its connections to registered apps when it is closed."""

    def __init__(self, adapter: JoinedAdapter, read_only: bool, close_parts: Callable[[], None]) -> None:
        super().__init__(adapter, read_only=read_only)
        self._close_parts = close_parts

    def close(self) -> None:
        super().close()
        self._close_parts()
