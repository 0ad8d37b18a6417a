"""Reading a program of GTK from inside, against a straightforward walk with PyGObject in the same process."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from deskhand.desktop.private import Desktop
from deskhand.toolkits import DEBIAN

from .measure import Figure, Report

_APP = Path(__file__).parent / "apps" / "gtk_widgets.py"
_BOUND = 4


def run(report: Report, quick: bool) -> None:
    for version in (3, 4):
        counts = [n for n in (1_000, 10_000) if report.wants(f"read of {n} GTK {version} widgets")]
        changed: dict[int, float] = {}
        for count in counts:
            best = _measure(version, count, 5 if quick else 20)
            changed[count] = best["changed"]
            name, peer = f"read of {count} GTK {version} widgets", "PyGObject walk"
            kept = best["walk"] / best["same"] >= _BOUND
            bound = f"at least {_BOUND} times faster"
            report.add(Figure(f"{name}, unchanged", best["same"], "ms", peer, best["walk"], bound, kept))
            report.add(Figure(f"{name}, after a change", best["changed"], "ms", peer, best["walk"]))
        if len(changed) == 2:
            growth = changed[10_000] / changed[1_000]
            what = f"10,000 GTK {version} widgets cost"
            report.add(Figure(what, growth, "times 1,000", bound="at most 15", kept=growth <= 15))


def _measure(version: int, count: int, times: int) -> dict[str, float]:
    with Desktop() as desktop:
        command = [DEBIAN, str(_APP), f"{version}.0", str(count), str(times)]
        done = subprocess.run(command, env=desktop.env, check=True, capture_output=True, timeout=300)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found
