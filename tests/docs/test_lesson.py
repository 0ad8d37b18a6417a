"""The first lesson works when followed to the letter."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NAMED_BLOCK = re.compile(r"^```python (\S+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


SHORT = """
import pytest

@pytest.fixture(scope="session")
def deskhand_launch_args():
    return {"default_timeout": 0.2}
"""


def test_the_first_lesson_ends_with_a_passing_test_and_with_one_that_fails_as_shown(tmp_path: Path) -> None:
    page = (ROOT / "docs/start/README.md").read_text(encoding="utf-8")
    files = dict(NAMED_BLOCK.findall(page))
    assert set(files) == {"app.py", "test_app.py"}
    for name, text in {**files, "conftest.py": SHORT}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")

    passed = run_pytest(tmp_path, "test_app.py")
    (tmp_path / "test_app.py").write_text(files["test_app.py"].replace('"Greet"', '"Gret"'), encoding="utf-8")
    failed = run_pytest(tmp_path, "test_app.py")

    assert "1 passed" in passed
    (shown,) = re.findall(r"^```text\n(> .*?)^```", page, re.MULTILINE | re.DOTALL)
    assert shown.replace("5.0 s", "0.2 s") in failed
    paths = re.findall(r"(?:shot:|tree:|log:|show) (\S+)$", shown, re.MULTILINE)
    assert [(tmp_path / path).is_file() for path in paths] == [True] * 4


def test_the_project_of_the_guide_to_pytest_passes(tmp_path: Path) -> None:
    lesson = dict(NAMED_BLOCK.findall((ROOT / "docs/start/README.md").read_text(encoding="utf-8")))
    guide = (ROOT / "docs/guides/test-with-pytest.md").read_text(encoding="utf-8")
    files = dict(re.findall(r"^```(?:python|ini) (\S+)\n(.*?)^```", guide, re.MULTILINE | re.DOTALL))
    assert set(files) == {"pytest.ini", "test_greeter.py", "conftest.py"}
    for name, text in {**files, "app.py": lesson["app.py"]}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")

    assert "3 passed" in run_pytest(tmp_path)


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


def run_pytest(folder: Path, *arguments: str) -> str:
    """What pytest shows."""
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    return result.stdout + result.stderr
