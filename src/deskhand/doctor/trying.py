"""Runs a small script in a process of its own, and says what came of it."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

TIMEOUT = 60.0
"""How long one check may take, in seconds."""

_TAIL = 300

# A failure is reported in one line, without a traceback.
_BRIEF = """
import sys
sys.excepthook = lambda kind, error, _: print(f"{kind.__name__}: {error}", file=sys.stderr)
"""


@dataclass(frozen=True)
class Result:
    """What a script gave: the JSON it printed, or why it did not."""

    data: dict[str, Any] | None
    reason: str = ""
    fix: str | None = None
    missing: str | None = None
    """The module that it did not find."""


def run(script: str, env: Mapping[str, str] | None = None) -> Result:
    """Run a script in a process of its own."""
    try:
        answer = subprocess.run(
            [sys.executable, "-c", _BRIEF + script],
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TIMEOUT,
        )
    except subprocess.TimeoutExpired:
        return Result(None, f"did not end within {TIMEOUT:g} s")
    if answer.returncode == 0 and answer.stdout.strip():
        return Result(json.loads(answer.stdout.splitlines()[-1]))
    said = answer.stderr.strip()
    ending = f"ended with exit code {answer.returncode}"
    if answer.returncode < 0:
        ending = f"was ended by {signal.Signals(-answer.returncode).name}"
    reason = short(said if said and answer.returncode > 0 else f"{ending}; {said}".rstrip("; "))
    if found := re.search(r"ModuleNotFoundError: No module named '([\w.]+)'", said):
        return Result(None, reason, f"pip install {found[1].partition('.')[0]}", found[1])
    if found := re.search(r"(lib\S+\.so\.\d+)\S*: cannot open shared object", said):
        return Result(None, reason, apt(package_of(found[1])))
    return Result(None, reason)


def extra(name: str) -> str:
    """How to install an optional part of deskhand."""
    return f"pip install 'deskhand[{name}]'"


def apt(*packages: str) -> str:
    return f"apt install {' '.join(sorted(set(packages)))}"


def short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _TAIL else f"{line[:_TAIL]}…"


def package_of(library: str) -> str:
    """The Debian package that brings a shared library, by the rule that its packages are named by."""
    name, _, number = library.partition(".so.")
    if name in ("libglib-2.0", "libgthread-2.0", "libgobject-2.0"):
        return "libglib2.0-0"
    name, number = name.lower().replace("_", "-"), number.partition(".")[0]
    return f"{name}-{number}" if name[-1].isdigit() else f"{name}{number}"
