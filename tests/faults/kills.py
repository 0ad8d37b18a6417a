"""Kills processes of ours at random moments, and looks for what is left: `make kills`, a few in the suite.

Each round starts something on a private desktop, kills one of its processes by SIGKILL after a random time,
ends the rest in the ordinary way, and then looks for processes, files, sockets, mounts, locks and displays.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.traces import Parent, parent

ROOT = Path(__file__).parents[2]
FORM = [sys.executable, str(ROOT / "demo" / "qt_form.py")]
GONE = 30.0
"""How long all of it may take to be gone, in seconds."""
_LONGEST = 4.0
"""The latest moment, in seconds: by then the program runs."""


def _command(*words: str) -> str:
    return f"import sys; sys.argv = {['deskhand', *words]!r}; from deskhand.cli import main; main()"


SCRIPT = "two apps of one desktop"
WAYS = {
    "run, with endpoints": _command("run", "--headless", "--orca", "0", "--agent", "0", "--", *FORM),
    "run, from outside": _command("run", "--headless", "--gip", "kills", "--", "galculator"),
    "desktop": _command("desktop", "--", "sleep", "60"),
    SCRIPT: f"""
from deskhand import Desktop, launch
import sys
with Desktop() as desktop, launch({FORM!r}, desktop=desktop), launch(["galculator"], desktop=desktop):
    sys.stdin.read()
""",
}


@dataclass
class Round:
    """One kill, and what it left."""

    way: str
    after: float
    killed: str
    left: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        told = f"{self.way}: killed '{self.killed[:90]}' after {self.after:.2f} s"
        return f"{told}; left {self.left}" if self.left else told


def kill_one(way: str, chance: random.Random) -> Round:
    """Start it, kill one of its processes, end the rest; what is left."""
    with parent(WAYS[way], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as started:
        displays = _Displays(started)
        after = chance.uniform(0, _LONGEST)
        end = time.monotonic() + after
        while time.monotonic() < end:
            displays.look()
            time.sleep(0.05)  # the moment is the point
        there = started.processes(itself=True)
        victim = chance.choice(sorted(there)) if there else started.pid
        done = Round(way, after, there.get(victim, "nothing"))
        displays.look()
        with suppress(ProcessLookupError):
            os.kill(victim, signal.SIGKILL)
        displays.look()
        _end(way, started)
        deadline = time.monotonic() + GONE
        while (left := _left(started, displays)) and time.monotonic() < deadline:
            time.sleep(0.05)
        done.left = left
        return done


def _end(way: str, started: Parent) -> None:
    """End what is still there in the ordinary way."""
    assert started.popen.stdin is not None
    if way == SCRIPT:
        started.popen.stdin.close()
    elif started.popen.poll() is None:
        started.popen.send_signal(signal.SIGTERM)


def _left(started: Parent, displays: _Displays) -> dict[str, Any]:
    mounts = [line.split()[1] for line in Path("/proc/mounts").read_text().splitlines()]
    traces = {
        "running": {} if started.popen.poll() is not None else {started.pid: "the command itself"},
        "locks and sockets of displays": displays.left(),
        "mounts": [place for place in mounts if str(started.folder) in place],
        "processes": started.processes(),
        # The registry is a folder of the user, and stays; what is in it must not.
        "files": [path for path in started.files() if not re.fullmatch(r".*/deskhand-\d+(/apps)?", path)],
    }
    return {name: found for name, found in traces.items() if found}


class _Displays:
    """The displays that processes of a parent made: their locks and sockets, by the process that has them."""

    def __init__(self, started: Parent) -> None:
        self._started = started
        self._numbers: set[str] = set()
        self._since = time.time() - 1

    def look(self) -> None:
        for pid in self._started.processes():
            for lock in Path("/tmp").glob(".X*-lock"):
                with suppress(OSError, ValueError):
                    # An old one is of another process, whose number is used again.
                    if int(lock.read_text()) == pid and lock.stat().st_mtime >= self._since:
                        self._numbers.update(re.findall(r"\d+", lock.name))

    def left(self) -> list[str]:
        places = [Path(f"/tmp/.X{number}-lock") for number in self._numbers]
        places += [Path(f"/tmp/.X11-unix/X{number}") for number in self._numbers]
        return [str(place) for place in places if place.exists() and not _is_taken_again(place)]


def _is_taken_again(place: Path) -> bool:
    """Whether another display has that number by now."""
    number = re.findall(r"\d+", place.name)[-1]
    with suppress(OSError, ValueError):
        owner = int(Path(f"/tmp/.X{number}-lock").read_text())
        return Path(f"/proc/{owner}").exists()
    return False


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--count", type=int, default=200)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    chance = random.Random(given.seed)
    failed = 0
    for number in range(given.count):
        done = kill_one(chance.choice(sorted(WAYS)), chance)
        failed += bool(done.left)
        sys.stdout.write(f"{number + 1}/{given.count} {'LEFT' if done.left else 'ok'} {done}\n")
        sys.stdout.flush()
    sys.stdout.write(f"{given.count} kills (seed {given.seed}), {failed} left something behind\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
