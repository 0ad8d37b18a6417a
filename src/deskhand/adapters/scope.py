"""Which processes' windows belong to an app.

On a private desktop these are all, but for those of other apps that were launched there. Elsewhere they are
those of its process and of everything that was started by it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from ..model.record import dataclass

_YOUNG = 3.0
"""For how long a process that was started may take until it shows its window, in seconds."""
_LOADS = 1.0
"""The same until it is connected to the display, if it has loaded what is needed for that."""
_UNKNOWN = 0.15
"""The same while it has loaded nothing yet."""
_STARTS = 0.3
"""How much of a processor's time a program needs to start, in seconds."""
_GRAPHICAL = (b"/libX11.so", b"/libxcb.so", b"/libwayland-client.so")
_ON_BUS = (b"/libatk-bridge-2.0.so", b"/libgtk-4.so", b"/libQt5Gui.so", b"/libQt6Gui.so")
"""The libraries that bring a program onto the accessibility bus."""
_TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100


class Process(NamedTuple):
    """What the system says of a process."""

    parent: int
    group: int
    started: int
    """When it began, in the system's own units: a process id may be used again, this is not."""
    runs: bool
    """Whether it has something to do now, rather than waits for something."""
    used: float
    """For how long it has had a processor, in seconds."""


@dataclass(frozen=True)
class Mark:
    """Whose windows an app has: the settings that an agent inside it gets."""

    root: int
    """The process whose descendants belong to the app, itself included."""
    apps: str | None = None
    """On a private desktop: a folder with a file for each app launched there, named by its first process."""


class Scope:
    """The processes of one app. For any thread."""

    def __init__(self, main: int, mark: Mark | None = None, *, first: int | None = None) -> None:
        """`main` is the process whose windows come first; `first` the one that was started."""
        self.main = main
        self.mark = mark or Mark(main)
        self._first = main if first is None else first
        self._members: dict[tuple[int, int], bool] = {}

    def around(self, main: int) -> Scope:
        """The same processes, with another one as the main one."""
        return Scope(main, self.mark, first=self._first)

    def has(self, pid: int) -> bool:
        """Whether the windows of a process belong to the app."""
        if pid == self.main:
            return True
        seen = look(pid)
        if seen is None:
            # A window whose process the display does not know is on a private desktop nevertheless.
            return self.mark.apps is not None
        key = (pid, seen.started)
        if self.mark.apps is not None:
            return not self._of_another(pid)
        # Asked once: what descended from the app does so also when the process in between has ended.
        if key not in self._members:
            self._members[key] = self.mark.root in (pid, *ancestors(pid))
        return self._members[key]

    @property
    def shares_desktop(self) -> bool:
        """Whether other apps were launched on the same private desktop."""
        return self.mark.apps is not None and len(self._launched()) > 1

    def lives(self) -> bool:
        """Whether the app goes on: its main process, or the one that was started, still runs."""
        return any(look(pid) is not None for pid in {self.main, self._first})

    def young(self) -> list[int]:
        """The processes of the app that were started just now."""
        started = {pid for root in {self.main, self._first} for pid in descendants(root)}
        return [pid for pid in started if age(pid) < _YOUNG]

    def _of_another(self, pid: int) -> bool:
        """Whether a process belongs to another app that was launched on the same private desktop."""
        launched = self._launched()
        if len(launched) < 2:
            return False
        mine = _root_of(self.main, launched)
        return _root_of(pid, launched) not in (None, mine)

    def _launched(self) -> set[int]:
        try:
            return {int(name) for name in os.listdir(self.mark.apps or "") if name.isdigit()}  # noqa: PTH208 - cheap
        except OSError:
            return set()


def look(pid: int) -> Process | None:
    """What the system says of a process; None if it has ended."""
    try:
        # The program's name is in parentheses and may itself hold any character.
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        if fields[0] in (b"Z", b"X"):
            return None
        used = (int(fields[11]) + int(fields[12])) / _TICKS
        return Process(int(fields[1]), int(fields[2]), int(fields[19]), fields[0] in (b"R", b"D"), used)
    except (OSError, IndexError, ValueError):
        return None


def ancestors(pid: int) -> Iterator[int]:
    """The process that started a process, the one that started that, and so on."""
    seen = {pid}
    while (process := look(pid)) is not None and process.parent > 1 and process.parent not in seen:
        pid = process.parent
        seen.add(pid)
        yield pid


def children(pid: int) -> list[int]:
    """The processes that a process has started, as far as they still run and are its children."""
    found: list[int] = []
    with suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208 - cheap
            with suppress(OSError, ValueError):
                found += map(int, Path(f"/proc/{pid}/task/{thread}/children").read_bytes().split())
    return found


def descendants(pid: int) -> list[int]:
    """The processes that a process has started, those that they have started, and so on."""
    found: list[int] = []
    waiting = [pid]
    while waiting:
        new = [child for child in children(waiting.pop()) if child not in found]
        found += new
        waiting += new
    return found


def age(pid: int) -> float:
    """For how long a process has been running, in seconds; endless if that is not known."""
    process = look(pid)
    if process is None:
        return float("inf")
    return time.clock_gettime(time.CLOCK_BOOTTIME) - process.started / _TICKS


def may_show_window(pid: int, connected: Collection[int]) -> bool:
    """Whether a process that was started just now is likely to show a window soon.

    `connected` are those that have a connection to the display. Helpers that a program makes of itself, as
    browsers do, load the same libraries and never connect.
    """
    since, process = age(pid), look(pid)
    if process is None or since > _YOUNG:
        return False
    # On a busy machine it may not have come to anything yet.
    begins = since < _UNKNOWN or (process.runs and process.used < _STARTS)
    if pid in connected or begins:
        return True
    another = _program(process.parent) != _program(pid)
    return since < _LOADS and another and _has_loaded(pid, _GRAPHICAL)


def may_join_bus(pid: int) -> bool:
    """Whether a process has loaded what brings a program onto the accessibility bus."""
    return _has_loaded(pid, _ON_BUS)


def process_name(pid: int) -> str:
    """The name of a process's program; empty where it is not known."""
    with suppress(OSError):
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        return os.fsdecode(words[0].rpartition(b"/")[2])
    return ""


def _program(pid: int) -> str:
    with suppress(OSError):
        return str(Path(f"/proc/{pid}/exe").readlink())
    return ""


def _has_loaded(pid: int, libraries: tuple[bytes, ...]) -> bool:
    with suppress(OSError):
        mapped = Path(f"/proc/{pid}/maps").read_bytes()
        return any(library in mapped for library in libraries)
    return False


def _root_of(pid: int, launched: set[int]) -> int | None:
    """The app that a process belongs to: by descent, or by its group if the process in between has ended."""
    for ancestor in (pid, *ancestors(pid)):
        if ancestor in launched:
            return ancestor
    process = look(pid)
    return process.group if process is not None and process.group in launched else None
