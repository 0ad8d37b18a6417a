"""How soon a private desktop is up, against xvfb-run, which gives a display and nothing else."""

from __future__ import annotations

import shutil
import subprocess
import time

from deskhand import Desktop

from .measure import Figure, Report, interleaved


def run(report: Report, quick: bool) -> None:
    times = 3 if quick else 11
    peer = shutil.which("xvfb-run")
    if peer is None:
        raise SystemExit("xvfb-run is missing; it is in Debian's package xvfb, with xauth")
    ups: list[float] = []

    def ours() -> None:
        began = time.perf_counter()
        with Desktop() as desktop:
            ups.append(time.perf_counter() - began)
            desktop.spawn(["true"]).wait(10)

    def theirs() -> None:
        subprocess.run([peer, "-a", "true"], check=True)

    whole, other = interleaved(times, ours, theirs)
    up = sorted(ups)[len(ups) // 2]
    report.add(Figure("a private desktop is up after", up, "s", bound="under 1 s", kept=up < 1))
    report.add(Figure("a private desktop, a command on it, and its end", whole, "ms", "xvfb-run", other))
