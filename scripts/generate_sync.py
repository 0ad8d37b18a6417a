"""Makes the folders `_sync` in src/deskhand from those named `_async`, which are written by hand.

python scripts/generate_sync.py            write it
python scripts/generate_sync.py --check    fail if the existing files differ
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import unasync

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "deskhand"
FOLDERS = ("client", "serving")
HEADER = "# Generated from {source} by scripts/generate_sync.py; edit that file instead.\n"
REPLACEMENTS = {
    "_async": "_sync",
    "threads": "place",
    "to_thread": "in_place",
    "open_in_thread": "in_place",
    "open_async_channel": "open_channel",
    "AsyncChannel": "Channel",
}


def main() -> int:
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        print(__doc__, file=sys.stderr)
        return 2
    made = {path: text for folder in FOLDERS for path, text in generate(SOURCE / folder).items()}
    existing = {
        path: path.read_text() for folder in FOLDERS for path in (SOURCE / folder / "_sync").glob("*.py")
    }
    if check:
        differing = sorted(
            path for path in made.keys() | existing.keys() if made.get(path) != existing.get(path)
        )
        for path in differing:
            print(f"{path.relative_to(SOURCE)} is not what the async code gives; run 'make generate'")
        return 1 if differing else 0
    for path in existing.keys() - made.keys():
        path.unlink()
    for path, text in made.items():
        if existing.get(path) != text:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
    return 0


def generate(folder: Path) -> dict[Path, str]:
    """The text of each sync module of a folder, by its path."""
    with tempfile.TemporaryDirectory() as scratch:
        source, target = Path(scratch, "_async"), Path(scratch, "_sync")
        source.mkdir()
        target.mkdir()
        for path in sorted((folder / "_async").glob("*.py")):
            (source / path.name).write_text(path.read_text())
        rule = unasync.Rule(f"{source}/", f"{target}/", additional_replacements=REPLACEMENTS)
        unasync.unasync_files([str(path) for path in sorted(source.iterdir())], [rule])
        for path in target.iterdir():
            path.write_text(HEADER.format(source=f"{folder.name}/_async/{path.name}") + path.read_text())
        ruff = [sys.executable, "-m", "ruff"]
        config = ["--config", str(ROOT / "pyproject.toml")]
        # Without the awaits lines get shorter and names sort differently.
        for command in (["check", "--select", "I", "--fix"], ["format"]):
            subprocess.run([*ruff, *command, "--quiet", "--no-cache", *config, str(target)], check=True)
        return {folder / "_sync" / path.name: path.read_text() for path in sorted(target.iterdir())}


if __name__ == "__main__":
    sys.exit(main())
