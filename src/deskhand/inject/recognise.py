"""What a command starts, and which way into it is the richest, before it is started: from its files alone."""

from __future__ import annotations

import os
import re
import shutil
import stat
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..toolkits import TOOLKITS
from . import chromium, elf, preload
from .command import python_at, shebang

_JAVA = re.compile(r"javaw?|jshell")
_TCL = re.compile(r"(wish|tclsh)[\d.]*")
_IF_ASKED = "an agent is put into it with --way inside only"
_CAPABILITIES = "security.capability"


@dataclass(frozen=True)
class Program:
    """What a command starts."""

    what: str
    """Such as `a Qt 5 program`."""
    inside: bool = True
    """Whether an agent can be put into it, or into what it starts."""
    reason: str | None = None
    """Why not, or why not unless that is asked for."""
    native: bool = False
    """Whether that may be a program written in C or C++."""
    browser: bool = False


def recognise(argv: Sequence[str], env: Mapping[str, str]) -> Program:
    """What a command starts. One that cannot be found is a matter for the system to report."""
    if python_at(argv) is not None:
        return Program("a Python program")
    found = shutil.which(_program(argv), path=env.get("PATH"))
    if found is None:
        return Program("a program that was not found", native=True)
    if chromium.is_browser([_program(argv)]):
        return Program("a Chromium browser", browser=True)
    image = elf.read(found)
    if image is not None:
        return _of_image(found, image)
    interpreter = shebang(found, env)
    if python_at(interpreter) is not None:
        return Program("a Python program")
    if interpreter and any(_TCL.fullmatch(Path(part).name) for part in interpreter):
        return _tcl()
    by = f" that {Path(interpreter[0]).name} runs" if interpreter else ""
    return Program(f"a script{by}", native=True)


def _program(argv: Sequence[str]) -> str:
    """The program of a command: the first word, or what `env NAME=VALUE` starts."""
    rest = list(argv)
    if rest and Path(rest[0]).name == "env":
        rest = rest[1:]
        while rest and "=" in rest[0]:
            rest = rest[1:]
    return rest[0] if rest else argv[0]


def _of_image(path: str, image: elf.Image) -> Program:
    name = Path(path).name
    if _JAVA.fullmatch(name):
        return Program("a Java program")
    if _TCL.fullmatch(name) or _TCL.fullmatch(Path(image.path).name):
        return _tcl()
    linked = elf.libraries(image)
    what, library = _toolkit_of(linked)
    if any(each.startswith("libjvm.so") for each in linked):
        return Program("a Java program")
    reason = _closed(path, image) or (None if library is None else _no_adapter(library))
    if reason is None and library is not None:
        try:
            preload.python()
        except preload.Unavailable as error:
            reason = str(error)
    if reason is None and any(library in each.native for each in TOOLKITS if each.native_if_asked):
        return Program(what, reason=_IF_ASKED, native=True)
    return Program(what, reason is None, reason, native=reason is None)


def _tcl() -> Program:
    return Program("a Tcl program", False, "it has no Python to put an agent into")


def _toolkit_of(linked: Mapping[str, str]) -> tuple[str, str | None]:
    """What the toolkit is called that a program is linked with, and the library that shows it."""
    for toolkit in TOOLKITS:
        for part, title in toolkit.libraries.items():
            library = next((name for name in linked if name.startswith(part)), None)
            if library is not None:
                return f"a {title} program", next(
                    (each for each in toolkit.native if each in linked), library
                )
    return "a program that is linked with no toolkit", None


def _no_adapter(library: str) -> str | None:
    """Why a program of a toolkit is not entered, by the library that it is linked with."""
    if any(library in toolkit.native for toolkit in TOOLKITS):
        return None
    return f"no agent enters programs written in C or C++ that use {library}"


def _closed(path: str, image: elf.Image) -> str | None:
    """Why a library cannot be loaded into a program."""
    if not image.linked:
        return "it is statically linked, so no library can be loaded into it"
    ours = _ours()
    if ours is not None and (image.bits, image.machine) != (ours.bits, ours.machine):
        if image.bits != ours.bits:
            return f"it is a {image.bits}-bit program, and the agent has {ours.bits} bits"
        return f"it is made for another kind of processor (number {image.machine} in ELF)"
    seen = Path(path).stat()
    other_user = seen.st_mode & stat.S_ISUID and seen.st_uid != os.getuid()
    other_group = seen.st_mode & stat.S_ISGID and seen.st_gid != os.getgid()
    if other_user or other_group:
        who = f"user {seen.st_uid}" if other_user else f"group {seen.st_gid}"
        return f"it is set to run as {who} (set-uid), and the system loads no library into such a program"
    if os.getuid() != 0 and _CAPABILITIES in _attributes(path):
        return "it has capabilities, and the system loads no library into such a program"
    return None


def _attributes(path: str) -> list[str]:
    try:
        return os.listxattr(path)
    except OSError:
        return []  # a file system without them


@cache
def _ours() -> elf.Image | None:
    return elf.read(sys.executable)
