"""Orca's tree.dump of a wx program, against a straightforward walk with GetScreenRect in the same program.

Both are asked by HTTP from another process, and answer with the same fields. And the end of a wait.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from itertools import count as numbers
from pathlib import Path
from typing import Any

from deskhand import App, launch

from .measure import Figure, Report, interleaved
from .orca import Orca, add_waits
from .programs import Lines

_APP = Path(__file__).parent / "apps" / "wx_widgets.py"
_BOUND = 8


def run(report: Report, quick: bool) -> None:
    if report.wants("tree.dump of 1000 wx windows", "tree.dump of 4000 wx windows"):
        _dumps(report, 10 if quick else 30)
    if report.wants("sync.wait_for wx"):
        _wait(report, 20 if quick else 60)


def _dumps(report: Report, times: int) -> None:
    same: dict[int, float] = {}
    for count in (1_000, 4_000):
        if not report.wants(f"tree.dump of {count} wx windows"):
            continue
        same[count], other, walk = _measure(count, times)
        for what, ours in (("unchanged", same[count]), ("after a change", other)):
            bound, kept = "", None
            if count == 1_000:
                bound, kept = f"at least {_BOUND} times faster", walk / ours >= _BOUND
            what = f"tree.dump of {count} wx windows, {what}"
            report.add(Figure(what, ours, "ms", "GetScreenRect walk", walk, bound, kept))
    if len(same) == 2:
        growth = same[4_000] / same[1_000]
        kept = growth <= 6
        report.add(Figure("4,000 wx windows cost", growth, "times 1,000", bound="at most 6", kept=kept))


@contextmanager
def _program(count: int) -> Iterator[tuple[App, Lines, Orca, Orca]]:
    """The program, the socket for commands to it, the walk, and Orca."""
    with tempfile.TemporaryDirectory(prefix="deskhand-bench-") as folder:
        walker = str(Path(folder) / "walker")
        with launch([sys.executable, str(_APP), str(count), walker], headless=True, timeout=120) as app:
            app.wait_idle(timeout=120)
            program = Lines(walker)
            walk, orca = (Orca(port) for port in program.ask("ports"))
            yield app, program, walk, orca
            program.close()


def _measure(count: int, times: int) -> tuple[float, float, float]:
    """How long a dump takes of what is as it was and of what has changed, and how long the walk does."""
    with _program(count) as (app, program, walk, orca):
        # What wx does after the walker's CallAfter, asking every window, is not to be ours to wait for.
        rest = partial(app.wait_idle, timeout=60)
        changes = numbers(1)

        def change() -> None:
            program.ask([f"Label changed {next(changes)}", 0])
            rest()

        _, other, _, same, _, theirs = interleaved(
            times, change, partial(orca.call, "tree.dump"), rest, partial(orca.call, "tree.dump"), rest,
            partial(walk.call, "tree.dump"),
        )  # fmt: skip
        _insist_on_same(orca, walk, count)
    return same, other, theirs


def _wait(report: Report, times: int) -> None:
    """From the change in the program, of a label that is out of sight, to the reply here."""
    ours: list[float] = []
    polled: list[float] = []
    with _program(1_000) as (_, program, _, orca):
        for turn in range(times):
            for taken, await_it in ((ours, orca.wait_for), (polled, orca.poll_for)):
                text = f"Label {turn} of {len(taken)} {await_it.__name__}"
                program.ask([text, 130])
                await_it(text)
                taken.append((time.monotonic() - program.ask("when")) * 1000)
    add_waits(report, "sync.wait_for's reply with 1,000 wx windows", ours, polled)


def _insist_on_same(orca: Orca, walk: Orca, count: int) -> None:
    """Both report the same windows, bounds and states."""
    ours, theirs = (list(_flat(one.call("tree.dump"))) for one in (orca, walk))
    assert len(ours) == len(theirs) >= count, (len(ours), len(theirs))
    for mine, other in zip(ours, theirs, strict=True):
        fields = ("path", "class", "enabled", "value", "rect")[: None if "/" in mine["path"] else -1]
        assert [mine.get(name) for name in fields] == [other.get(name) for name in fields], (mine, other)


def _flat(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield {name: part for name, part in node.items() if name != "children"}
    for child in node.get("children", ()):
        yield from _flat(child)
