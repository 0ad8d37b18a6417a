"""What the plugin costs a whole suite, and what it leaves: 40 tests over five toolkits with `-n 2`.

Each test starts a form on a private desktop of its own, types a name, presses Greet and expects the answer.
Run twice: with what the plugin keeps by default (traces, screenshots of failures), and with all of that off.
Afterwards it counts the processes, desktops and temporary files that are left. `python -m benchmarks suite`.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from .measure import Figure, Report

_DEMO = Path(__file__).parents[1] / "demo"
_TESTS = 40
_FORMS = {
    "qt": [sys.executable, str(_DEMO / "qt_form.py")],
    "tk": [sys.executable, str(_DEMO / "tk_form.py")],
    "wx": [sys.executable, str(_DEMO / "wx_form.py")],
    "gtk3": ["/usr/bin/python3", str(_DEMO / "gtk3_form.py")],
    "gtk4": ["/usr/bin/python3", str(_DEMO / "gtk4_form.py")],
}
_MARK = "DESKHAND_SUITE"
_OFF = ("--deskhand-trace", "off", "--deskhand-screenshot", "off")
_MORE = 0.3
"""How much more time everything that is kept by default may take."""
_SUITE = """
import pytest
from deskhand import expect

@pytest.mark.parametrize("number", range({each}))
@pytest.mark.parametrize("form", {forms!r}, ids=str)
def test_greeting(deskhand_launch, form, number):
    app = deskhand_launch({commands!r}[form])
    app.locator('textfield[name="Name"]').fill(f"Ada {{number}}")
    app.get_by_role("button", name="Greet").click()
    expect(app.locator(f'text[name="Hello, Ada {{number}}!"]')).to_be_visible()
"""


def run(report: Report, quick: bool) -> None:
    if not report.wants("suite"):
        return
    with tempfile.TemporaryDirectory(prefix="deskhand-bench-") as name:
        folder = Path(name)
        each = 2 if quick else _TESTS // len(_FORMS)
        text = _SUITE.format(each=each, forms=list(_FORMS), commands=_FORMS)
        (folder / "test_suite.py").write_text(text)
        (folder / "pytest.ini").write_text("[pytest]\n")
        temporary = folder / "tmp"
        temporary.mkdir()
        count = each * len(_FORMS)
        with_all = _timed(folder, temporary, count)
        without = _timed(folder, temporary, count, *_OFF)
        left = [*_processes(), *_files(temporary)]
        for what in left:
            print(f"left: {what}")
    ours, plain = with_all / count * 1000, without / count * 1000
    bound = f"at most {_MORE:.0%} more"
    name = f"a test of {count}, -n 2"
    report.add(Figure(name, ours, "ms", "nothing kept", plain, bound, ours <= plain * (1 + _MORE)))
    report.add(Figure("processes and files left", len(left), "", bound="none", kept=not left))


def _timed(folder: Path, temporary: Path, count: int, *options: str) -> float:
    """How long the suite takes, in seconds. All tests must pass."""
    command = [sys.executable, "-m", "pytest", "-n", "2", "-q", "-p", "no:cacheprovider", *options]
    env = {**os.environ, _MARK: "1", "TMPDIR": str(temporary), "PYTHONDONTWRITEBYTECODE": "1"}
    began = time.monotonic()
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    took = time.monotonic() - began
    if not re.search(rf"\b{count} passed", done.stdout):
        raise SystemExit(done.stdout[-4000:])
    return took


def _files(temporary: Path) -> list[str]:
    """What is in the folder for temporary files, but for pytest's own and the empty registry."""
    own = [path for path in temporary.iterdir() if not path.name.startswith("pytest-of-")]
    return [str(path) for path in own if not path.is_dir() or any(path.iterdir())]


def _processes() -> list[str]:
    """Those of the suite that are still there, shortly after its end."""
    deadline = time.monotonic() + 3
    while True:
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            try:
                if f"{_MARK}=1".encode() in (process / "environ").read_bytes().split(b"\0"):
                    found.append((process / "cmdline").read_bytes().replace(b"\0", b" ").decode())
            except OSError:
                continue  # it has ended, or is another user's
        if not found or time.monotonic() > deadline:
            return found
        time.sleep(0.1)
