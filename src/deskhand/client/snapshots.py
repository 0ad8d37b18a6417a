"""Where trees and screenshots that tests compare with are stored, and how they get there."""

from __future__ import annotations

import re
from pathlib import Path

from ..model.errors import InvalidParams
from ..model.template import FILE, Template, parse
from .files import write_whole
from .options import test_file


def tree_file(tree: str) -> Path | None:
    """The file that a text names, next to the test; None if the text is the description itself."""
    name = tree.strip()
    if "\n" in name or not name.endswith(FILE):
        return None
    return test_file().parent / name


def described(tree: str, file: Path | None) -> Template | None:
    """The description in a text or a file; None if there is no such file yet."""
    if file is None:
        return parse(tree)
    try:
        return parse(file.read_text(encoding="utf-8"), str(file))
    except FileNotFoundError:
        return None


def baseline_file(name: str) -> Path:
    """The stored screenshot of that name, in a folder next to the test."""
    if not name.endswith(".png") or Path(name).is_absolute() or ".." in Path(name).parts:
        raise InvalidParams(
            f"a screenshot has a name such as 'greeting.png', not '{name}'", field="name", target=name
        )
    test = test_file()
    return test.parent / f"{test.name}-snapshots" / name


def store(file: Path, data: bytes) -> None:
    """Write a file, with the folders that it is in."""
    file.parent.mkdir(parents=True, exist_ok=True)
    write_whole(file, data)


def stem(name: str) -> str:
    """What the files of a failed comparison are called by."""
    return re.sub(r"[^\w.-]+", "-", name.removesuffix(".png"))
