"""Reading a tkinter program from inside, against a walk with winfo_children in the same process."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from deskhand.desktop.private import Desktop

from .measure import Figure, Report

_APP = Path(__file__).parent / "apps" / "tk_widgets.py"
_BOUND = 2


def run(report: Report, quick: bool) -> None:
    counts = [count for count in (1_000, 5_000) if report.wants(f"read of {count} Tk widgets")]
    same: dict[int, float] = {}
    for count in counts:
        best = _measure(count, 10 if quick else 30)
        same[count] = best["same"]
        for what, ours in (("unchanged", best["same"]), ("after a change", best["changed"])):
            kept = best["walk"] / ours >= _BOUND
            name = f"read of {count} Tk widgets, {what}"
            bound = f"at least {_BOUND} times faster"
            report.add(Figure(name, ours, "ms", "winfo_children walk", best["walk"], bound, kept))
    if len(same) == 2:
        growth = same[5_000] / same[1_000]
        kept = growth <= 7.5
        report.add(Figure("5,000 Tk widgets cost", growth, "times 1,000", bound="at most 7.5", kept=kept))


def _measure(count: int, times: int) -> dict[str, float]:
    with Desktop() as desktop:
        command = [sys.executable, str(_APP), str(count), str(times)]
        done = subprocess.run(command, env=desktop.env, check=True, capture_output=True, timeout=300)
    found: dict[str, float] = json.loads(done.stdout)
    return found
