"""What runs came to, kept in a file from which the page in docs/reference is made."""

from __future__ import annotations

import fcntl
import json
import os
import platform
import subprocess
from pathlib import Path
from typing import Any

from .programs import BY_NAME, PROGRAMS
from .visit import Outcome

FILE = Path(__file__).with_name("results.json")
KINDS = ("difference", "hit", "success", "window", "hang", "error", "left behind", "start")
"""The kinds of failure, in the order in which they are shown."""


def save(outcome: Outcome, seed: int) -> None:
    """Take the row of one program into the file, in place of an earlier one."""
    row = _row(outcome, seed)
    folder = os.open(FILE.parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)  # several runs may go on at the same time
        rows = {**load(), outcome.program: row}
        ordered = {program.name: rows[program.name] for program in PROGRAMS if program.name in rows}
        FILE.write_text(json.dumps(ordered, indent=1) + "\n", encoding="utf-8")
    finally:
        os.close(folder)


def _row(outcome: Outcome, seed: int) -> dict[str, Any]:
    return {
        "version": _version(BY_NAME[outcome.program].package or outcome.program),
        "system": platform.freedesktop_os_release().get("PRETTY_NAME", ""),
        "seed": seed,
        "actions": outcome.actions,
        "refused": outcome.refused,
        "reads": outcome.reads,
        "nodes": outcome.nodes,
        "points": outcome.points,
        "restarts": outcome.restarts,
        "failures": {kind: outcome.count(kind) for kind in KINDS},
        "excepted": dict(sorted(outcome.excepted.items())),
    }


def load() -> dict[str, dict[str, Any]]:
    """The rows by program."""
    if not FILE.exists():
        return {}
    rows: dict[str, dict[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))
    return rows


def _version(package: str) -> str:
    answer = subprocess.run(
        ["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True, text=True, check=False
    )
    return answer.stdout.strip()
