"""Makes the sync client (src/deskhand/client/_sync) from the async one, which is written by hand.

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
CLIENT = ROOT / "src" / "deskhand" / "client"
HEADER = "# Generated from {source} by scripts/generate_sync.py; edit that file instead.\n"
REPLACEMENTS = {
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
    made = generate()
    target = CLIENT / "_sync"
    there = {path.name: path.read_text() for path in target.glob("*.py")} if target.is_dir() else {}
    if check:
        differing = sorted(name for name in made.keys() | there.keys() if made.get(name) != there.get(name))
        for name in differing:
            print(f"client/_sync/{name} is not what client/_async/{name} gives; run 'make generate'")
        return 1 if differing else 0
    target.mkdir(exist_ok=True)
    for name in there.keys() - made.keys():
        (target / name).unlink()
    for name, text in made.items():
        if there.get(name) != text:
            (target / name).write_text(text)
    return 0


def generate() -> dict[str, str]:
    """The text of each sync module, by file name."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "_async"), Path(folder, "_sync")
        source.mkdir()
        target.mkdir()
        for path in sorted((CLIENT / "_async").glob("*.py")):
            (source / path.name).write_text(path.read_text())
        rule = unasync.Rule(f"{source}/", f"{target}/", additional_replacements=REPLACEMENTS)
        unasync.unasync_files([str(path) for path in sorted(source.iterdir())], [rule])
        for path in target.iterdir():
            path.write_text(HEADER.format(source=f"client/_async/{path.name}") + path.read_text())
        ruff = [sys.executable, "-m", "ruff"]
        config = ["--config", str(ROOT / "pyproject.toml")]
        # Without the awaits lines get shorter and names sort differently.
        for command in (["check", "--select", "I", "--fix"], ["format"]):
            subprocess.run([*ruff, *command, "--quiet", "--no-cache", *config, str(target)], check=True)
        return {path.name: path.read_text() for path in sorted(target.iterdir())}


if __name__ == "__main__":
    sys.exit(main())
