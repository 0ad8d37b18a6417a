"""What `pip install deskhand` brings along."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[zipfile.ZipFile]:
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (path,) = folder.glob("*.whl")
    with zipfile.ZipFile(path) as archive:
        yield archive


def test_wheel_has_the_agent_for_javafx_and_the_page_of_traces(wheel: zipfile.ZipFile) -> None:
    carried = wheel.read("deskhand/native/deskhand-javafx.jar")
    page = {name for name in wheel.namelist() if name.startswith("deskhand/tracing/page/trace.")}
    assert carried == (ROOT / "src/deskhand/native/deskhand-javafx.jar").read_bytes()
    assert page == {f"deskhand/tracing/page/trace.{kind}" for kind in ("html", "css", "js")}


def test_wheel_has_the_shim_for_programs_written_in_c(wheel: zipfile.ZipFile) -> None:
    carried = wheel.read("deskhand/native/deskhand-preload.so")
    assert carried == (ROOT / "src/deskhand/native/deskhand-preload.so").read_bytes()


def test_wheel_has_the_inspector(wheel: zipfile.ZipFile) -> None:
    for folder in ("inspector/page", "pages"):
        files = {path.name for path in (ROOT / "src/deskhand" / folder).iterdir() if path.is_file()}
        assert {f"deskhand/{folder}/{name}" for name in files} <= set(wheel.namelist())


def test_wheel_registers_the_pytest_plugin(wheel: zipfile.ZipFile) -> None:
    (path,) = (name for name in wheel.namelist() if name.endswith("/entry_points.txt"))
    assert "[pytest11]\ndeskhand = deskhand.pytest_plugin\n" in wheel.read(path).decode()
