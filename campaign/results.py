"""What runs came to, kept in a file from which the page in docs/reference is made."""

from __future__ import annotations

import fcntl
import json
import os
import platform
import subprocess
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from .programs import BY_NAME, PROGRAMS
from .visit import Outcome

FILE = Path(__file__).with_name("results.json")
KINDS = ("difference", "hit", "success", "window", "hang", "error", "left behind", "start")
"""The kinds of failure, in the order in which they are shown."""
FIGURES = ("actions", "refused", "reads", "nodes", "points", "restarts")
"""What is counted of each run."""


def save(outcome: Outcome, seed: int) -> None:
    """Add one run to the row of its program, in place of an earlier run with the same seed.

    Each run names the commit that it was made on. Runs add up as long as they are of the same version of
    the program on the same system. The file is replaced at once, so that an interruption leaves a whole one.
    """
    folder = os.open(FILE.parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)  # several runs may be in progress at the same time
        rows = load()
        row = _about(outcome.program)
        earlier = rows.get(outcome.program, {})
        same = all(earlier.get(name) == value for name, value in row.items())
        runs = {**(earlier["runs"] if same else {}), str(seed): _run(outcome)}
        rows[outcome.program] = {**row, "runs": dict(sorted(runs.items(), key=lambda run: int(run[0])))}
        ordered = {program.name: rows[program.name] for program in PROGRAMS if program.name in rows}
        new = FILE.with_suffix(".new")
        new.write_text(json.dumps(ordered, indent=1) + "\n", encoding="utf-8")
        new.replace(FILE)
    finally:
        os.close(folder)


def has(program: str, seed: int, actions: int) -> bool:
    """Whether a run with so many actions is in the file; one that failed counts only for its own commit."""
    row = load().get(program, {})
    if not all(row.get(name) == value for name, value in _about(program).items()):
        return False
    run = row["runs"].get(str(seed))
    if run is None or run["actions"] < actions:
        return False
    return run["commit"] == commit() or not any(run["failures"].values())


def total(row: Mapping[str, Any]) -> dict[str, Any]:
    """What the runs of a row come to together."""
    runs = list(row["runs"].values())
    figures: dict[str, Any] = {name: sum(run[name] for run in runs) for name in FIGURES}
    for name in ("failures", "excepted"):
        kinds = dict.fromkeys(kind for run in runs for kind in run[name])
        figures[name] = {kind: sum(run[name].get(kind, 0) for run in runs) for kind in kinds}
    return figures


def _about(program: str) -> dict[str, str]:
    """What has to be the same for runs to add up."""
    return {
        "version": _version(BY_NAME[program].package or program),
        "system": platform.freedesktop_os_release().get("PRETTY_NAME", ""),
    }


def _run(outcome: Outcome) -> dict[str, Any]:
    return {
        "commit": commit(),
        **{name: getattr(outcome, name) for name in FIGURES},
        "failures": {kind: outcome.count(kind) for kind in KINDS},
        "excepted": dict(sorted(outcome.excepted.items())),
    }


@cache
def commit() -> str:
    """The commit that is explored with; a plus sign says that deskhand has changes on top of it."""
    changed = _git("status", "--porcelain", "--", "src")
    return _git("rev-parse", "--short=10", "HEAD") + ("+" if changed else "")


def _git(*arguments: str) -> str:
    argv = ["git", "-C", str(FILE.parent), *arguments]
    return subprocess.run(argv, capture_output=True, text=True, check=True).stdout.strip()


def load() -> dict[str, dict[str, Any]]:
    """The rows by program."""
    if not FILE.exists():
        return {}
    rows: dict[str, dict[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))
    return rows


@cache
def _version(package: str) -> str:
    answer = subprocess.run(
        ["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True, text=True, check=False
    )
    return answer.stdout.strip()
