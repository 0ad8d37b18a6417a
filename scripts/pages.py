"""What the scripts that write pages of docs/reference share: writing them, or with --check only comparing."""

from __future__ import annotations

import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "reference"


def write(usage: str | None, pages: dict[str, str]) -> int:
    """Write each page, by its file's name, where it differs from the existing one; the exit code."""
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        print(usage, file=sys.stderr)
        return 2
    stale = [name for name, text in pages.items() if _current(name) != text]
    for name in stale:
        if check:
            print(f"docs/reference/{name} is out of date; run 'make generate'")
        else:
            (FOLDER / name).write_text(pages[name], encoding="utf-8")
    return 1 if check and stale else 0


def _current(name: str) -> str | None:
    path = FOLDER / name
    return path.read_text(encoding="utf-8") if path.exists() else None
