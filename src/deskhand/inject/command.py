"""How to start a program so that our hook gets into it.

Changes its command and environment as little as can be. Looks at commands and files only; starts nothing.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..model.errors import LaunchFailed
from ..transports.interface import TOKEN
from . import chromium, jvm, preload
from .hook import VARIABLE

SITE = Path(__file__).parent / "site"
"""First on PYTHONPATH, it lets an interpreter run our sitecustomize."""

ISOLATED = Path(__file__).parent / "isolated.py"
PACKAGE = Path(__file__).parents[1]

_PYTHON = re.compile(r"(python|pypy)[\d.]*t?(\.exe)?")
_DEAF = frozenset("IES")
"""Options with which Python does not see PYTHONPATH (-I, -E) or runs no sitecustomize (-S, -I)."""
_WITH_VALUE = frozenset("WX")


@dataclass(frozen=True)
class Command:
    """What to run, and in which environment."""

    argv: tuple[str, ...]
    env: Mapping[str, str]


def instrumented(argv: Sequence[str], env: Mapping[str, str], settings: Mapping[str, Any]) -> Command:
    """The command that runs the same program with our hook in it, told what to serve by `settings`.

    A Java virtual machine gets our agent for those, if `settings` name a folder for it under `jvm`; a browser
    gets its debugging pipe, if they name one under `browser`.
    """
    if not argv:
        raise LaunchFailed("no command to run", suggestions=("deskhand run -- python app.py",))
    wanted = json.dumps({"package": str(PACKAGE.parent), **settings})
    path = os.pathsep.join(part for part in (str(SITE), env.get("PYTHONPATH", "")) if part)
    changed = {**env, VARIABLE: wanted, "PYTHONPATH": path}
    if "native" in settings:
        changed = preload.instrumented(changed, settings["report"], settings["native"])
    if folder := settings.get("jvm"):
        changed = jvm.instrumented(changed, Path(folder))
    if (folder := settings.get("browser")) and chromium.is_browser(argv):
        return Command(chromium.instrumented(argv, Path(folder)), changed)
    return Command(_rewritten(argv, env), changed)


def clean(env: Mapping[str, str]) -> dict[str, str]:
    """The environment as it would be without us."""
    path = [part for part in env.get("PYTHONPATH", "").split(os.pathsep) if part != str(SITE)]
    without = {name: value for name, value in env.items() if name not in (VARIABLE, TOKEN, "PYTHONPATH")}
    without = preload.clean(without)
    return jvm.clean({**without, "PYTHONPATH": os.pathsep.join(path)} if any(path) else without)


def _rewritten(argv: Sequence[str], env: Mapping[str, str]) -> tuple[str, ...]:
    """The command, through a script of ours if its interpreter would not see PYTHONPATH."""
    at = python_at(argv)
    if at is not None:
        return _through_script(argv, at + 1)
    interpreter = shebang(argv[0], env)
    at = python_at(interpreter)
    if at is None or len(interpreter) <= at + 1:
        return tuple(argv)
    found = shutil.which(argv[0], path=env.get("PATH")) or argv[0]
    rewritten = _through_script([*interpreter, found, *argv[1:]], at + 1)
    # Nothing to do for its interpreter's options: then the program is best started as it is.
    return rewritten if str(ISOLATED) in rewritten else tuple(argv)


def python_at(argv: Sequence[str]) -> int | None:
    """Where in a command the Python interpreter is: first, or after `env NAME=VALUE`."""
    at = 0
    if argv and Path(argv[0]).name == "env":
        at = 1
        while at < len(argv) and ("=" in argv[at] or argv[at] == "-S"):
            at += 1
    return at if at < len(argv) and _PYTHON.fullmatch(Path(argv[at]).name) else None


def _through_script(argv: Sequence[str], at: int) -> tuple[str, ...]:
    """Put our script before the program, if an option from there on makes Python deaf to PYTHONPATH."""
    deaf = False
    while at < len(argv) and len(argv[at]) > 1 and argv[at].startswith("-"):
        option = argv[at]
        if option.startswith("--"):
            at += 2 if option == "--check-hash-based-pycs" else 1
            continue
        letters = re.match(r"-([^cmWX]*)([cmWX]?)(.*)", option, re.DOTALL)
        assert letters is not None
        plain, last, value = letters.groups()
        deaf = deaf or bool(_DEAF.intersection(plain))
        if last and last in "cm":
            if not deaf:
                return tuple(argv)
            options = [f"-{plain}"] if plain else []
            program = [f"-{last}", value] if value else [f"-{last}"]
            return (*argv[:at], *options, str(ISOLATED), *program, *argv[at + 1 :])
        at += 2 if last in _WITH_VALUE and not value else 1
    if not deaf:
        return tuple(argv)
    if at >= len(argv) or argv[at] == "-":
        raise LaunchFailed(
            f"'{' '.join(argv)}' reads its program from standard input, with options that keep our hook out",
            target=argv[0],
            suggestions=("leave out -I, -E and -S, or put the program in a file",),
        )
    return (*argv[:at], str(ISOLATED), *argv[at:])


def shebang(program: str, env: Mapping[str, str]) -> list[str]:
    """The interpreter and options that a script names in its first line; nothing for anything else."""
    found = shutil.which(program, path=env.get("PATH"))
    if found is None:
        return []
    try:
        with Path(found).open("rb") as file:
            first = file.readline(1024)
    except OSError:
        return []
    if not first.startswith(b"#!"):
        return []
    line = first[2:].decode(errors="replace").strip()
    interpreter, _, options = line.partition(" ")
    if Path(interpreter).name == "env" and options.lstrip().startswith("-S"):
        return [interpreter, *shlex.split(options)]
    return [interpreter, *([options.strip()] if options.strip() else [])]
