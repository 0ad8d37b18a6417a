"""Lets programs written in C and C++ start a Python inside, in which our agent runs: the environment of that.

The shim `native/preload` is loaded by LD_PRELOAD, and decides in each process whether it is one to enter.
What it starts there is the distribution's Python with the distribution's binding, which shares the toolkit's
library with the program; `boot` takes over then. Starts nothing itself. Linux only.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from ..toolkits import TOOLKITS
from . import elf

SHIM = Path(__file__).parents[1] / "native" / "deskhand-preload.so"
VARIABLE = "DESKHAND_NATIVE"
_PRELOAD = "LD_PRELOAD"
BOOT = Path(__file__).with_name("boot.py")
_PYTHON = "/usr/bin/python3"
"""The interpreter that has the distribution's bindings."""


class Unavailable(Exception):
    """Why no program written in C or C++ can be entered on this machine, and what to do."""


@cache
def python() -> tuple[str, str]:
    """The distribution's Python as a library and as a program. Raises Unavailable."""
    if sys.platform != "linux":
        raise Unavailable(f"programs are entered on Linux only; this is {sys.platform!r}")
    if not SHIM.is_file():
        raise Unavailable(f"there is no {SHIM}: in a checkout, make setup builds it with gcc")
    program = os.path.realpath(_PYTHON)
    version = Path(program).name.removeprefix("python")
    library = elf.library(f"libpython{version}.so.1.0")
    if not Path(program).is_file() or library is None:
        raise Unavailable(f"there is no library of {program}: apt install libpython{version or '3'}")
    return library, program


def available() -> bool:
    """Whether programs written in C or C++ can be entered on this machine."""
    try:
        python()
    except Unavailable:
        return False
    return True


def system_libraries(*, unasked: bool = False) -> dict[str, str]:
    """The libraries of toolkits whose programs can be entered, where the distribution has them.

    With `unasked` only those whose programs are entered without being asked to.
    """
    known = [toolkit for toolkit in TOOLKITS if not (unasked and toolkit.native_if_asked)]
    wanted = [library for toolkit in known for library in toolkit.native]
    found = {library: elf.library(library) for library in wanted}
    return {library: os.path.realpath(path) for library, path in found.items() if path is not None}


def instrumented(env: Mapping[str, str], report: str, entered: Iterable[str]) -> dict[str, str]:
    """The environment in which programs load the shim, which reports to a socket. Raises Unavailable.

    Only those that are linked with one of the libraries `entered` get more than that.
    """
    before = clean(env).get(_PRELOAD, "")
    return {
        **env,
        VARIABLE: _settings(BOOT, report, entered),
        _PRELOAD: f"{before}:{SHIM}" if before else str(SHIM),
    }


def prepare(folder: Path, boot: Path, report: str) -> Path:
    """Put into a folder what a tracer loads into a process that runs, to start `boot` there; its path."""
    library = folder / SHIM.name
    settings = _settings(boot, report, system_libraries())
    # A copy for each time: what is loaded already is not loaded again, and finds its settings next to it.
    shutil.copyfile(SHIM, library)
    library.chmod(0o755)
    (folder / "native").write_text(settings, encoding="utf-8")
    return library


def _settings(boot: Path, report: str, entered: Iterable[str]) -> str:
    library, program = python()
    return "\n".join((library, program, str(boot), report, " ".join(entered)))


def entered(environment: bytes) -> tuple[str, ...]:
    """The libraries with which the shim enters a program, by the environment of that as the system has it."""
    start = f"{VARIABLE}=".encode()
    found = next((each for each in environment.split(b"\0") if each.startswith(start)), b"")
    return tuple(os.fsdecode(found).rpartition("\n")[2].split()) if found else ()


def clean(env: Mapping[str, str]) -> dict[str, str]:
    """The environment as it would be without us."""
    without = {name: value for name, value in env.items() if name != VARIABLE}
    rest = [
        part for part in without.pop(_PRELOAD, "").replace(" ", ":").split(":") if part and part != str(SHIM)
    ]
    return {**without, _PRELOAD: ":".join(rest)} if rest else without
