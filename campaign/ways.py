"""Starts each program of the campaign twice, with and without an agent inside, and writes down what differs.

`python -m campaign.ways [--save] [NAME...]`. The same windows have to come up, the program must not crash,
and nothing of ours may be on its output. docs/guides/what-can-deskhand-drive.md is made of the results.
Not for exploring what the programs do: that is `visit`.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from deskhand import App, launch
from deskhand.model.errors import DeskhandError
from deskhand.model.operations import ControlWindow

from .programs import PROGRAMS, Program

RESULTS = Path(__file__).with_name("ways.json")
START = 60.0
_STEADY = 10.0
_OURS = re.compile(r"deskhand|Traceback|LD_PRELOAD|Fatal Python|sip\.")
"""What would show that something of ours is on a program's output."""


_FOLDER = re.compile(r"(/tmp/)?ways\.\w+")
"""The folder of a start, in the titles of windows."""


@dataclass(frozen=True)
class Seen:
    """What was seen of a program that was started one way."""

    way: str
    reason: str
    seconds: float
    """From the start until it could be driven."""
    nodes: int
    ids: int
    windows: tuple[str, ...]
    stderr: tuple[str, ...]
    """Lines that look as if they were ours."""
    ended: int | None
    """Its exit code, negative for a signal, after its window was asked to close; None if it went on."""


@dataclass(frozen=True)
class Row:
    """A program, with an agent inside if it gets one and without."""

    name: str
    toolkit: str
    best: Seen
    outside: Seen

    @property
    def differences(self) -> list[str]:
        """What an agent inside changes, that it must not."""
        found = []
        if self.best.windows != self.outside.windows:
            found.append(f"windows {list(self.best.windows)} instead of {list(self.outside.windows)}")
        if self.best.stderr:
            found.append(f"on its output: {self.best.stderr[0]}")
        if self.best.ended is not None and self.best.ended < 0:
            found.append(f"it was ended by signal {-self.best.ended}")
        return found


def visit(program: Program) -> Row:
    """Start a program both ways."""
    return Row(program.name, program.toolkit, _start(program, None), _start(program, "outside"))


def _start(program: Program, way: Literal["outside"] | None) -> Seen:
    with tempfile.TemporaryDirectory(prefix="ways.") as folder:
        home = Path(folder)
        program.prepare(home)
        began = time.monotonic()
        with launch(
            program.argv(home), headless=True, home=home, env=program.env, cwd=home, way=way, timeout=START
        ) as app:
            seconds = time.monotonic() - began
            assert app.process is not None
            windows = tuple(_FOLDER.sub("~", title) for title in _steady(app))
            tree = app.tree()
            ids = sum(1 for node in tree if node.automation_id)
            ended = _close(app)
            lines = app.process.stderr.splitlines() if way is None else []
            ours = tuple(line[:200] for line in lines if _OURS.search(line) and folder not in line)
            taken = app.process.taken
            return Seen(taken.way, taken.reason, round(seconds, 1), len(tree), ids, windows, ours, ended)


def _steady(app: App) -> tuple[str, ...]:
    """The titles of its windows, once they have been the same for a while."""
    end = time.monotonic() + _STEADY
    last: tuple[str, ...] = ()
    since = time.monotonic()
    while time.monotonic() < end:
        titles = tuple(sorted(window.title or "" for window in app.windows() if window.kind != "popup"))
        if titles != last:
            last, since = titles, time.monotonic()
        elif time.monotonic() - since > 1.0:
            break
        time.sleep(0.1)
    return last


def _close(app: App) -> int | None:
    """Ask it to end by closing its first window; its exit code."""
    try:
        app.run(ControlWindow(do="close"))
        return app.wait_for_exit(timeout=5)
    except DeskhandError:
        return app.process.returncode if app.process is not None else None


def main() -> int:
    """Visit the programs that are named, or all that are installed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--save", action="store_true")
    arguments = parser.parse_args()
    rows = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    failed = 0
    for program in PROGRAMS:
        if arguments.names and program.name not in arguments.names:
            continue
        if shutil.which(program.command[0]) is None:
            print(f"{program.name}: not installed", file=sys.stderr)
            continue
        try:
            row = visit(program)
        except DeskhandError as error:
            failed += 1
            print(f"{program.name}: {error}", flush=True)
            continue
        rows[row.name] = asdict(row)
        failed += bool(row.differences)
        told = "; ".join(row.differences) or "no difference"
        print(
            f"{row.name}: {row.best.way}, {row.best.nodes} nodes ({row.outside.nodes} outside): {told}",
            flush=True,
        )
        if arguments.save:
            RESULTS.write_text(json.dumps(rows, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
