"""What an instrumented program costs without clients, against the same program alone."""

from __future__ import annotations

import os
import socket
import statistics
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from deskhand.inject.command import instrumented

from .measure import Figure, Report
from .programs import Ear, command, environment

_TICKS = os.sysconf("SC_CLK_TCK")


def run(report: Report, quick: bool) -> None:
    times, seconds = (3, 2.0) if quick else (9, 6.0)
    alone: list[tuple[float, float, float]] = []
    inside: list[tuple[float, float, float]] = []
    for _ in range(times):
        alone.append(_measure(environment(), seconds))
        inside.append(_measure_inside(seconds))
    (start_a, memory_a, cpu_a), (start_i, memory_i, cpu_i) = (
        [statistics.median(column) for column in zip(*rows, strict=True)] for rows in (alone, inside)
    )
    late = start_i - start_a
    report.add(
        Figure("start to the first window", start_i, "ms", "alone", start_a, "under 150 ms more", late < 150)
    )
    more = memory_i - memory_a
    report.add(Figure("memory of its own", memory_i, "MB", "alone", memory_a, "under 15 MB more", more < 15))
    noise = max(statistics.pstdev([row[2] for row in alone]) * 2, 1.0)
    within = abs(cpu_i - cpu_a) <= noise
    report.add(
        Figure(
            f"CPU in {seconds:g} s idle",
            cpu_i,
            "ms",
            "alone",
            cpu_a,
            f"within the noise of {noise:.1f} ms",
            within,
        )
    )


def _measure(env: Mapping[str, str], seconds: float) -> tuple[float, float, float]:
    """Time to the first window in ms, private memory in MB, CPU time while idle in ms."""
    with Ear() as ear:
        began = time.monotonic()
        process = subprocess.Popen(command("PySide6", "--widgets", "200", "--tell", ear.path), env=env)
        try:
            start = (ear.hear("shown") - began) * 1000
            _settle(process.pid)
            before = _cpu(process.pid)
            time.sleep(seconds)
            return start, _private(process.pid), (_cpu(process.pid) - before) * 1000
        finally:
            process.terminate()
            process.wait()


def _measure_inside(seconds: float) -> tuple[float, float, float]:
    with (
        tempfile.TemporaryDirectory(prefix="deskhand-bench-") as folder,
        socket.socket(socket.AF_UNIX) as report,
    ):
        # It reports to the process that started it; here the report is not read.
        report.bind(f"{folder}/report")
        report.listen()
        settings = {"control": f"{folder}/control", "report": f"{folder}/report"}
        return _measure(instrumented(command("PySide6"), environment(), settings).env, seconds)


def _settle(pid: int) -> None:
    """Wait until it uses no CPU any more."""
    last = -1.0
    while last != (last := _cpu(pid)):
        time.sleep(0.3)


def _cpu(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def _private(pid: int) -> float:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    kilobytes = sum(
        int(line.split()[1]) for line in lines if line.startswith(("Private_Clean", "Private_Dirty"))
    )
    return kilobytes / 1024
