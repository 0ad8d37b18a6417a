"""What recording costs a program that draws 1,000 items a frame with Dear ImGui: off, on, and without us."""

from __future__ import annotations

import json
import subprocess
import sys

from .measure import Figure, Report

ITEMS = 1000


def run(report: Report, quick: bool) -> None:
    # In a process of its own: this one need not load Dear ImGui, nor have its functions replaced.
    frames = "60" if quick else "400"
    measured = subprocess.run(
        [sys.executable, "-m", "benchmarks.apps.imgui_frames", str(ITEMS), frames],
        check=True,
        capture_output=True,
        text=True,
    )
    figures = json.loads(measured.stdout)
    for kind in ("mixed", "buttons"):
        plain, idle, recording = figures[kind]
        what = f"{ITEMS} items of Dear ImGui ({kind}), a frame"
        for how, took, times in (("recorder off", idle, 1.5), ("recording", recording, 7.0)):
            within = took <= times * plain
            report.add(
                Figure(f"{what}, {how}", took, "ms", "plain", plain, f"within {times:g} times", within)
            )
    read, nodes = figures["read"]
    report.add(Figure(f"tree of {nodes} nodes of Dear ImGui, from a recorded frame", read, "ms"))
