"""The whole tree from another process, over a socket, JSON included, against a straightforward walker."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path

import orjson

from .measure import Figure, Report, interleaved
from .programs import Gip, Lines, program

_BINDINGS = ("PySide6", "PyQt6")


def run(report: Report, quick: bool) -> None:
    times = 5 if quick else 15
    for binding in _BINDINGS:
        if report.wants(f"{binding} widgets"):
            _widgets(report, binding, times)
    for binding in _BINDINGS:
        if report.wants(f"{binding} table"):
            _table(report, binding, times)


def _widgets(report: Report, binding: str, times: int) -> None:
    ours: dict[int, float] = {}
    for count in (1_000, 10_000):
        with tempfile.TemporaryDirectory(prefix="deskhand-bench-") as folder:
            walker = str(Path(folder) / "walker")
            with program(binding, "--widgets", str(count), "--walker", walker) as app:
                peer, gip = Lines(walker), Gip(app.address, orjson.loads)
                ours[count], theirs, tree = interleaved(
                    times, partial(gip.call, "snapshot"), partial(peer.ask, "tree"), app.tree
                )
                peer.close()
                gip.close()
        bound, kept = (
            ("at least 4 times faster", theirs / ours[count] >= 4) if count == 10_000 else ("", None)
        )
        what = f"snapshot of {count} {binding} widgets"
        report.add(Figure(what, ours[count], "ms", "walker", theirs, bound, kept))
        report.add(Figure(f"{what}, as nodes of the library", tree, "ms", "walker", theirs))
    growth = ours[10_000] / ours[1_000]
    report.add(
        Figure(f"10,000 {binding} widgets cost", growth, "times 1,000", bound="at most 11", kept=growth <= 11)
    )


def _table(report: Report, binding: str, times: int) -> None:
    with program(binding, "--rows", "0") as empty, program(binding, "--rows", "100000") as full:
        none, many = Gip(empty.address, orjson.loads), Gip(full.address, orjson.loads)
        theirs, ours = interleaved(times, partial(none.call, "snapshot"), partial(many.call, "snapshot"))
        none.close()
        many.close()
    what = f"snapshot with a {binding} table of 100,000 rows"
    report.add(Figure(what, ours, "ms", "empty table", theirs, "under 3 times", ours / theirs < 3))
