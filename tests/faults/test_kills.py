"""A process of ours that is killed at a random moment leaves nothing behind; see `make kills`."""

from __future__ import annotations

import random
import signal

import pytest

from tests.faults.kills import FORM, GONE, WAYS, kill_one
from tests.traces import parent, until_nothing


@pytest.mark.parametrize("way", sorted(WAYS))
def test_a_process_that_is_killed_leaves_nothing_behind(way: str) -> None:
    done = kill_one(way, random.Random(f"{way} 1"))
    assert not done.left, str(done)


def test_an_app_whose_launcher_is_killed_before_it_reported_leaves_no_entry() -> None:
    code = f"""
import os, signal, time
from deskhand.launching import first_window, launcher
from deskhand.processes import registry
def killed(starting, *_):
    while not registry.entry_path(starting.process.pid).exists():
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGKILL)
first_window.Starting.first_window = killed
launcher.start({FORM!r}, headless=True)
"""
    with parent(code) as started:
        assert started.popen.wait(60) == -signal.SIGKILL
        until_nothing(lambda: [path for path in started.files() if path.endswith((".json", ".sock"))], GONE)
        until_nothing(started.processes, GONE)
