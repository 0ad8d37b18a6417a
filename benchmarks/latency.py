"""How soon things happen: a ping, a click in the program's own slot, the end of a wait."""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path

import orjson

from deskhand.model import operations as ops

from .measure import Figure, Report, percentile
from .programs import Ear, Gip, Lines, program


def run(report: Report, quick: bool) -> None:
    with tempfile.TemporaryDirectory(prefix="deskhand-bench-") as folder, Ear() as ear:
        walker = str(Path(folder) / "walker")
        with program("PySide6", "--widgets", "200", "--walker", walker, "--tell", ear.path) as app:
            gip, peer = Gip(app.address, orjson.loads), Lines(walker)
            if report.wants("click"):
                _click(report, gip, ear, 200 if quick else 1000)
            if report.wants("ping"):
                _ping(report, gip, 300 if quick else 3000)
            if report.wants("wait"):
                _wait(report, app, peer, ear, 5 if quick else 25)
            gip.close()
            peer.close()


def _ping(report: Report, gip: Gip, times: int) -> None:
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        gip.call("ping")
        taken.append((time.perf_counter() - began) * 1e6)
    report.add(Figure("ping p50", percentile(taken, 0.5), "µs"))
    report.add(Figure("ping p99", percentile(taken, 0.99), "µs"))


def _click(report: Report, gip: Gip, ear: Ear, times: int) -> None:
    """The first click of a program also pays for the first read of its tree, so it is a figure of its own."""
    taken = []
    for _ in range(times + 1):
        began = time.monotonic()
        gip.call("click", ref="root/press")
        taken.append((ear.hear("clicked") - began) * 1000)
    first, *later = taken
    report.add(Figure("the first GIP click to the program's own slot", first, "ms"))
    report.add(Figure("GIP click to the program's own slot, p50", percentile(later, 0.5), "ms"))
    report.add(Figure("GIP click to the program's own slot, p99", percentile(later, 0.99), "ms"))


def _wait(report: Report, app: object, peer: Lines, ear: Ear, times: int) -> None:
    """From the change in the program to the reply here."""
    from deskhand import App

    assert isinstance(app, App)
    ours, polled = [], []
    change = 0
    for _ in range(times):
        change += 1
        app.run(ops.Press("#change"))
        app.run(ops.Wait("#label", "text", f"after {change}", timeout=30))
        ours.append((time.monotonic() - ear.hear("changed")) * 1000)
        change += 1
        app.run(ops.Press("#change"))
        while peer.ask("label") != f"after {change}":
            time.sleep(0.1)
        polled.append((time.monotonic() - ear.hear("changed")) * 1000)
    mine, theirs = statistics.median(ours), statistics.median(polled)
    figure = Figure("a wait's end after the change, p50", mine, "ms", "polling every 100 ms", theirs)
    bound = theirs / mine >= 10
    report.add(Figure(figure.what, mine, "ms", figure.peer, theirs, "at least 10 times lower", bound))
