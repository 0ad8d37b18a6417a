"""What `pip install deskhand` brings along."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_wheel_has_the_agent_for_javafx_and_the_page_of_traces(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        carried = archive.read("deskhand/native/deskhand-javafx.jar")
        page = {name for name in archive.namelist() if name.startswith("deskhand/tracing/page/trace.")}
    assert carried == (ROOT / "src/deskhand/native/deskhand-javafx.jar").read_bytes()
    assert page == {f"deskhand/tracing/page/trace.{kind}" for kind in ("html", "css", "js")}
