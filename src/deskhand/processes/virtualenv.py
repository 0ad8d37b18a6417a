"""Keeps the caller's virtual environment out of programs that do not belong to it.

An activated environment is first on PATH. An installed program that calls `python3`, or has Python built in,
would then run in it, without the packages that it was installed with. It runs as from the menu of a desktop
instead. A command that names a program of the environment, such as `python`, keeps it, and so does everything
that is not installed as a program of its own: shells, `make`, the scripts of a project.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping, Sequence, Set
from pathlib import Path

_INSTALLED = ("/usr", "/bin", "/sbin", "/opt", "/snap", "/var/lib")
"""Folders of programs that come with the system or for all of its users."""
_VARIABLES = ("VIRTUAL_ENV", "VIRTUAL_ENV_PROMPT")
_MENU = "/usr/local/share:/usr/share"
"""Where the entries of menus are, unless XDG_DATA_DIRS says otherwise."""


def for_command(
    argv: Sequence[str], env: Mapping[str, str], given: Mapping[str, str] | None = None
) -> dict[str, str]:
    """The variables for a command: without the virtual environment if the command does not belong to it.

    `given` are those of them that the caller chose for this command. A PATH that is not ours is kept.
    """
    folders = _folders(env)
    if given and given.get("PATH", os.environ.get("PATH")) != os.environ.get("PATH"):
        return dict(env)
    if not _is_active(env, folders) or _belongs(argv, env, folders):
        return dict(env)
    found = shutil.which(argv[0], path=env.get("PATH"))
    if found is None or not found.startswith(tuple(f"{folder}/" for folder in _INSTALLED)):
        return dict(env)
    # Others, such as sh, env and make, run what the caller names, who may count on the environment.
    if not _is_script(found) and not _is_in_menu(found, env):
        return dict(env)
    return without(env)


def without(env: Mapping[str, str]) -> dict[str, str]:
    """The environment variables without the virtual environment, if one is active."""
    folders = _folders(env)
    if not _is_active(env, folders):
        return dict(env)
    bins = _bins(folders)
    path = [part for part in env.get("PATH", "").split(os.pathsep) if part.rstrip("/") not in bins]
    left = {name: value for name, value in env.items() if name not in _VARIABLES}
    if left.get("PYTHONHOME", "").rstrip("/") in folders:
        del left["PYTHONHOME"]
    return {**left, "PATH": os.pathsep.join(path)}


def _folders(env: Mapping[str, str]) -> tuple[str, ...]:
    """The virtual environments of the caller: the active one, and that of the Python that runs us."""
    own = sys.prefix if sys.prefix != sys.base_prefix else ""
    return tuple(dict.fromkeys(folder.rstrip("/") for folder in (env.get("VIRTUAL_ENV", ""), own) if folder))


def _bins(folders: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"{folder}/bin" for folder in folders)


def _is_active(env: Mapping[str, str], folders: Sequence[str]) -> bool:
    path = [part.rstrip("/") for part in env.get("PATH", "").split(os.pathsep)]
    return any(each in path for each in _bins(folders))


def _belongs(argv: Sequence[str], env: Mapping[str, str], folders: Sequence[str]) -> bool:
    """Whether a command is or names a program of the virtual environment."""
    inside = tuple(f"{folder}/" for folder in folders)
    return any(
        part.startswith(inside) or (shutil.which(part, path=env.get("PATH")) or "").startswith(inside)
        for part in argv
        if part
    )


def _is_script(path: str) -> bool:
    try:
        with Path(path).open("rb") as file:
            return file.read(2) == b"#!"
    except OSError:
        return False


def _is_in_menu(path: str, env: Mapping[str, str]) -> bool:
    """Whether the menus of desktops have an entry for a program."""
    programs = {Path(path).name, Path(path).resolve().name}
    for folder in (env.get("XDG_DATA_DIRS") or _MENU).split(os.pathsep):
        for entry in Path(folder, "applications").glob("*.desktop"):
            try:
                lines = entry.read_text(encoding="utf-8", errors="replace").splitlines()
            except OSError:
                continue
            if any(_runs(line, programs) for line in lines if line.startswith("Exec=")):
                return True
    return False


def _runs(line: str, programs: Set[str]) -> bool:
    """Whether the line of a menu entry runs one of these programs; `env NAME=VALUE` may come before it."""
    words = (word.strip('"') for word in line.removeprefix("Exec=").split())
    names = (Path(word).name for word in words if "=" not in word)
    return next((name for name in names if name != "env"), None) in programs
