"""The check that keeps threads, sleeps and waiting loops out of protocols."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

CHECK = Path(__file__).parents[2] / "scripts" / "check_protocols.py"


def checked(*paths: Path) -> tuple[int, str]:
    done = subprocess.run([sys.executable, str(CHECK), *map(str, paths)], capture_output=True, text=True)
    assert not done.stderr
    return done.returncode, done.stdout


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import threading\nthreading.Thread(target=print).start()", ":2: uses threading.Thread"),
        ("import threading\nevent = threading.Event()", ":2: uses threading.Event"),
        ("from threading import Lock, Timer", ":1: imports Timer of threading"),
        ("import threading as threads", ":1: imports threading by another name"),
        ("import time\ntime.sleep(1)", ":2: sleeps"),
        ("from time import sleep", ":1: imports sleep"),
        ("while True:\n    runner.run(operation)", ":1: waits in a loop"),
        ("for _ in range(5):\n    runner.run(operation)", ":1: waits in a loop"),
        ("def f():\n    while time.monotonic() < end:\n        pass", ":2: waits in a loop"),
    ],
)
def test_what_a_protocol_must_not_do_is_found(tmp_path: Path, source: str, found: str) -> None:
    path = tmp_path / "server.py"
    path.write_text(source)
    code, output = checked(path)
    assert code == 1
    assert f"{path}{found}" in output


def test_locks_loops_over_data_and_operations_in_order_are_allowed(tmp_path: Path) -> None:
    path = tmp_path / "server.py"
    path.write_text(
        "import threading\nlock = threading.Lock()\n"
        "while waiting:\n    waiting.pop()\n"
        "for action in actions:\n    runner.run(action)\n"
    )
    assert checked(path) == (0, "\n")
