"""Runs pytest as its users do: in a process of its own, in a folder with their tests and their app."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

LESSON = Path(__file__).parents[2] / "docs/start/README.md"


@dataclass(frozen=True)
class Run:
    """A run of pytest that has ended."""

    folder: Path
    code: int
    shown: str

    def left(self, test: str) -> set[str]:
        """The names of the files that a test left."""
        folder = self.folder / "test-results" / test
        return {path.name for path in folder.iterdir()} if folder.is_dir() else set()

    def read(self, test: str, name: str) -> str:
        return (self.folder / "test-results" / test / name).read_text(encoding="utf-8")


Project = Callable[..., Run]


def run(folder: Path, *options: str, env: Mapping[str, str] | None = None, **files: str) -> Run:
    """Run pytest in a folder with the greeter of the first lesson and these files, named without `.py`."""
    app = re.search(r"^```python app\.py\n(.*?)^```", LESSON.read_text(encoding="utf-8"), re.M | re.S)
    assert app
    for name, text in {"app": app[1], **files}.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    if not (folder / "pytest.ini").exists():
        (folder / "pytest.ini").write_text(
            "[pytest]\nasyncio_default_fixture_loop_scope = function\ndeskhand_command = python app.py\n"
        )
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "GITHUB_"))}
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-W", "error", *options],
        cwd=folder,
        env={**kept, "COLUMNS": "200", **(env or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=110,
        check=False,
    )
    return Run(folder, result.returncode, result.stdout)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """`run` in an empty folder."""

    def run_here(*options: str, env: Mapping[str, str] | None = None, **files: str) -> Run:
        return run(tmp_path, *options, env=env, **files)

    return run_here
