"""The tree of a wx program from another process, against a straightforward walk with GetScreenRect in it."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path

import orjson

from deskhand import launch

from .measure import Figure, Report, interleaved
from .programs import Gip, Lines

_APP = Path(__file__).parent / "apps" / "wx_widgets.py"


def run(report: Report, quick: bool) -> None:
    ours: dict[int, float] = {}
    for count in (1_000, 4_000):
        ours[count], theirs = _measure(count, 5 if quick else 15)
        bound, kept = ("at least 8 times faster", theirs / ours[count] >= 8) if count == 1_000 else ("", None)
        what = f"tree of {count} wx windows"
        report.add(Figure(what, ours[count], "ms", "GetScreenRect walk", theirs, bound, kept))
    growth = ours[4_000] / ours[1_000]
    report.add(Figure("4,000 wx windows cost", growth, "times 1,000", bound="at most 6", kept=growth <= 6))


def _measure(count: int, times: int) -> tuple[float, float]:
    with tempfile.TemporaryDirectory(prefix="deskhand-bench-") as folder:
        walker = str(Path(folder) / "walker")
        command = ["/usr/bin/python3", str(_APP), str(count), walker]
        with launch(command, headless=True, timeout=120) as app:
            app.wait_idle(timeout=120)
            peer, gip = Lines(walker), Gip(app.address, orjson.loads)
            # What wx does after the walker's CallAfter, asking every window, is not to be ours to wait for.
            rest = partial(app.wait_idle, timeout=60)
            ours, _, theirs, _ = interleaved(
                times, partial(gip.call, "snapshot"), rest, partial(peer.ask, "tree"), rest
            )
            peer.close()
            gip.close()
    return ours, theirs
