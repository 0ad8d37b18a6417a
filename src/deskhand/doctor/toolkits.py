"""Whether each toolkit works here: a program of it shows a button, which is pressed.

Which of the ways below is used, the record of the toolkit says.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ..desktop.private import Desktop
from ..inject import jvm
from ..toolkits import TOOLKITS, Toolkit
from . import qt
from .driving import drive
from .report import Check
from .trying import Result, apt, run

_OPENJFX = "/usr/share/openjfx/lib"
"""Where Debian puts JavaFX."""


def tried(desktop: Desktop | None, pool: ThreadPoolExecutor) -> Iterator[Check]:
    """Each toolkit that has a check, one after the other: some press with the desktop's one pointer."""
    for toolkit in TOOLKITS:
        if toolkit.doctor:
            yield from CHECKS[toolkit.doctor](toolkit, desktop, pool)


def in_python(toolkit: Toolkit, desktop: Desktop | None, _pool: ThreadPoolExecutor) -> Iterator[Check]:
    """A toolkit of Python programs, with this interpreter."""
    for binding, fix in toolkit.bindings.items():
        if importlib.util.find_spec(binding) is None:
            yield Check("toolkits", toolkit.name, None, f"not installed for {sys.executable}", fix)
        elif desktop is None:
            yield Check("toolkits", toolkit.name, None, "needs a private desktop to be tried on")
        else:
            yield _judged(toolkit.name, run(drive(toolkit.sample), desktop.env))


def in_java(toolkit: Toolkit, desktop: Desktop | None, _pool: ThreadPoolExecutor) -> Iterator[Check]:
    """A toolkit of Java programs, with the Java that is on PATH."""
    yield _in_java(toolkit, desktop)


def _in_java(toolkit: Toolkit, desktop: Desktop | None) -> Check:
    def result(ok: bool | None, detail: str, fix: str | None = None) -> Check:
        return Check("toolkits", toolkit.name, ok, detail, fix)

    if not jvm.JAR.is_file():
        return result(False, f"the agent is missing: there is no {jvm.JAR}", "make setup, in a checkout")
    if shutil.which("java") is None:
        return result(
            None, "the agent is installed; no java on PATH to try it with", apt("default-jdk-headless")
        )
    jars = os.environ.get("OPENJFX", _OPENJFX)
    if not Path(jars, "javafx.controls.jar").is_file():
        where = f"the agent is installed; no JavaFX in {jars} to try it with"
        return result(None, where, f"{apt('openjfx')}, or OPENJFX=FOLDER with its jars")
    if desktop is None:
        return result(None, "needs a private desktop to be tried on")
    modules = ("--module-path", jars, "--add-modules", "javafx.controls")
    # Without a graphics card, drawing in software is quickest; so is a compiler that does not try hard.
    command = ("java", *modules, "-Dprism.order=sw", "-XX:TieredStopAtLevel=1")
    return _judged(toolkit.name, run(drive(toolkit.sample, "Doctor.java", command), desktop.env))


def _judged(name: str, driven: Result) -> Check:
    if driven.data is None:
        return Check("toolkits", name, False, f"cannot be driven: {driven.reason}", driven.fix)
    if driven.data["toolkit"] != name:
        return Check("toolkits", name, False, f"is driven from outside only, by {driven.data['toolkit']}")
    return Check("toolkits", name, True, f"{driven.data['version']}, shows a window and drives it")


def from_outside(toolkit: Toolkit, _desktop: Desktop | None, _pool: ThreadPoolExecutor) -> Iterator[Check]:
    """A toolkit that has no adapter of its own."""
    outside = "from outside only, in this version: see atspi"
    yield Check("toolkits", toolkit.name, None, outside if toolkit.on_bus else "not in this version")


CHECKS: dict[str, Callable[[Toolkit, Desktop | None, ThreadPoolExecutor], Iterable[Check]]] = {
    "bindings": qt.bindings,
    "python": in_python,
    "java": in_java,
    "outside": from_outside,
}
"""By what the record of a toolkit names."""
