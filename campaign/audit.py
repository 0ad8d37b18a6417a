"""Audits the accessibility of programs of Debian as they are after the start: `python -m campaign.audit`.

Writes campaign/audit.json, of which `make generate` makes docs/reference/audit.md.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from deskhand import DeskhandError, launch
from deskhand.audit import Audit

from .programs import PROGRAMS, Program

RESULTS = Path(__file__).parent / "audit.json"
NAMES = (
    "mousepad", "gedit", "zenity", "thunar", "evince", "gnumeric", "gnome-calculator", "gnome-text-editor",
    "baobab", "kcalc", "keepassxc", "qt6ct", "linguist", "filezilla", "writer", "chromium",
)  # fmt: skip


def audit(program: Program, output: Path | None) -> Audit:
    """Start a program on a private desktop and audit what it shows."""
    home = Path(tempfile.mkdtemp(prefix="deskhand-audit-"))
    try:
        program.prepare(home)
        with launch(program.argv(home), headless=True, home=home, env=program.env, timeout=60) as app:
            app.wait_idle(timeout=20)
            if output is not None:
                output.mkdir(parents=True, exist_ok=True)
                app.screenshot(output / "desktop.png", desktop=True)
            return app.audit(output=output)
    finally:
        shutil.rmtree(home, ignore_errors=True)


def version(program: Program) -> str:
    """Of its Debian package."""
    asked = ["dpkg-query", "-W", "-f", "${Version}", program.package or program.name]
    return subprocess.run(asked, capture_output=True, text=True, check=True).stdout


def row(program: Program, found: Audit) -> dict[str, Any]:
    """What the table says of it."""
    return {
        "toolkit": program.toolkit,
        "version": version(program),
        "elements": found.nodes,
        "rules": dict(Counter(finding.rule for finding in found)),
        "notes": list(found.notes),
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m campaign.audit", description=__doc__)
    parser.add_argument(
        "program", nargs="*", default=NAMES, help="which programs; without one, all of the table"
    )
    parser.add_argument("-o", "--output", type=Path, help="a folder for screenshots of the findings")
    parser.add_argument("--save", action="store_true", help="write campaign/audit.json")
    options = parser.parse_args()
    rows: dict[str, Any] = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for name in options.program:
        program = next(each for each in PROGRAMS if each.name == name)
        try:
            found = audit(program, options.output and options.output / name)
        except DeskhandError as error:
            print(f"{name}: {error.message}", flush=True)
            continue
        rows[name] = row(program, found)
        print(f"## {name}: {len(found)} findings in {found.nodes} elements", *found.notes, sep="\n  ")
        print(found, flush=True)
        if options.save:
            RESULTS.write_text(json.dumps(rows, ensure_ascii=False, indent=2) + "\n")


if __name__ == "__main__":
    main()
