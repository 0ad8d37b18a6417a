"""What the pytest plugin costs a run that does not use it, against the same run without the plugin."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from .measure import Figure, Report

_BOUND = 10.0
"""In milliseconds."""


def run(report: Report, quick: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "test_nothing.py").write_text("def test_nothing():\n    pass\n")
        ours, bare = [], []
        for _ in range(5 if quick else 25):
            ours.append(_spent(folder, "-p", "deskhand.pytest_plugin"))
            bare.append(_spent(folder))
    # The least of each: whatever else the machine does can only add to it.
    cost = min(ours) - min(bare)
    report.add(Figure("a run of pytest with the plugin", min(ours), "ms of CPU", "without", min(bare)))
    kept = cost < _BOUND
    report.add(
        Figure("the plugin, in a run that does not use it", cost, "ms", bound="under 10 ms", kept=kept)
    )


def _spent(folder: str, *options: str) -> float:
    """The CPU time of a run of one test that does nothing, in milliseconds."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options]
    env = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=folder, env=env, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000
