"""The first lesson works when followed to the letter."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NAMED_BLOCK = re.compile(r"^```python (\S+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def test_the_first_lesson_ends_with_a_passing_test(tmp_path: Path) -> None:
    files = dict(NAMED_BLOCK.findall((ROOT / "docs/start/README.md").read_text(encoding="utf-8")))
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")

    result = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_app.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )

    assert set(files) == {"app.py", "test_app.py"}
    assert result.returncode == 0, result.stdout + result.stderr
    assert "1 passed" in result.stdout


def test_the_readme_example_runs(tmp_path: Path) -> None:
    lesson = dict(NAMED_BLOCK.findall((ROOT / "docs/start/README.md").read_text(encoding="utf-8")))
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    example = re.search(r"^```python\n(from deskhand import launch.*?)^```", readme, re.MULTILINE | re.DOTALL)
    assert example
    (tmp_path / "app.py").write_text(lesson["app.py"], encoding="utf-8")
    # The app starts with the interpreter that has a toolkit, whatever `python` is on the PATH.
    program = example[1].replace('"python"', repr(sys.executable))

    result = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )

    assert result.returncode == 0, result.stdout + result.stderr
