"""Everything that the doctor tries, in the order of its report."""

from __future__ import annotations

import contextlib
import platform
import shutil
import sys
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor

from ..desktop.private import PROGRAMS, Desktop
from ..model.errors import DeskhandError
from . import outside, protocols, toolkits
from .report import Check
from .trying import apt, short

_OLDEST_PYTHON = (3, 10)


def check(progress: Callable[[Check], None] | None = None) -> list[Check]:
    """Try everything; `progress` is called with each result as it comes."""
    checks: list[Check] = []

    def note(found: Iterable[Check]) -> None:
        for result in found:
            checks.append(result)
            if progress:
                progress(result)

    note([_python(), *map(_program, PROGRAMS)])
    with contextlib.ExitStack() as stack:
        desktop, result = _desktop(stack)
        note([result, _own_tmp(desktop)])
        with ThreadPoolExecutor(2) as pool:
            note(toolkits.tried(desktop, pool))
            note([outside.atspi(desktop), outside.own_desktop(), outside.wayland(), outside.xa11y(desktop)])
            note(pool.map(lambda transport: protocols.gip(*transport), protocols.transports()))
            note(pool.map(protocols.over_http, protocols.others()))
    return checks


def _python() -> Check:
    version = platform.python_version()
    ok = sys.version_info[:2] >= _OLDEST_PYTHON
    wanted = ".".join(map(str, _OLDEST_PYTHON))
    return Check(
        "machine",
        "python",
        ok,
        f"{version} in {sys.executable}",
        None if ok else f"use Python {wanted} or later",
    )


def _program(name: str) -> Check:
    path = shutil.which(name)
    return Check(
        "machine", name, path is not None, path or "not found on PATH", None if path else apt(PROGRAMS[name])
    )


def _desktop(stack: contextlib.ExitStack) -> tuple[Desktop | None, Check]:
    if sys.platform != "linux":
        return None, Check("machine", "private desktop", None, f"only on Linux; this is {sys.platform}")
    desktop = Desktop()
    started = time.perf_counter()
    try:
        stack.enter_context(desktop)
    except DeskhandError as error:
        fix = "; ".join(error.suggestions) or None
        return None, Check("machine", "private desktop", False, short(error.message), fix)
    seconds = time.perf_counter() - started
    return desktop, Check(
        "machine", "private desktop", True, f"up in {seconds:.2f} s, with accessibility bus"
    )


def _own_tmp(desktop: Desktop | None) -> Check:
    if desktop is None:
        return Check("machine", "own /tmp", None, "needs a private desktop to be tried on")
    if desktop.tmp_note is not None:
        return Check("machine", "own /tmp", None, desktop.tmp_note, "allow user namespaces, or run as root")
    return Check("machine", "own /tmp", True, "each private desktop has a /tmp and /var/tmp of its own")
