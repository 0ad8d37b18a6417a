"""What the runs of a campaign come to together."""

from __future__ import annotations

import subprocess
import sys
from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest

from campaign import results
from campaign.__main__ import _in_processes
from campaign.programs import BY_NAME
from campaign.visit import Failure, Outcome


@pytest.fixture(autouse=True)
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "FILE", tmp_path / "results.json")
    monkeypatch.setattr(results, "commit", lambda: "this")
    monkeypatch.setattr("campaign.__main__.FOLDER", tmp_path)


def outcome(actions: int, *failures: str) -> Outcome:
    found = [Failure(kind, "something", 1) for kind in failures]
    return Outcome("gedit", "GTK 3", actions=actions, reads=actions + 1, failures=found)


def test_runs_with_other_seeds_add_up_and_one_with_the_same_seed_is_replaced() -> None:
    results.save(outcome(50, "hit"), 1)
    results.save(outcome(60, "difference"), 2)
    results.save(outcome(70), 1)
    figures = results.total(results.load()["gedit"])
    assert (figures["actions"], figures["reads"]) == (130, 132)
    assert (figures["failures"]["difference"], figures["failures"]["hit"]) == (1, 0)


def test_each_run_names_its_commit_and_runs_of_several_commits_add_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(results, "commit", lambda: "older")
    results.save(outcome(50), 1)
    monkeypatch.setattr(results, "commit", lambda: "newer")
    results.save(outcome(60), 2)
    row = results.load()["gedit"]
    assert {seed: run["commit"] for seed, run in row["runs"].items()} == {"1": "older", "2": "newer"}
    assert results.total(row)["actions"] == 110


def test_a_failed_run_of_an_older_commit_is_done_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "commit", lambda: "older")
    results.save(outcome(50), 1)
    results.save(outcome(50, "hit"), 2)
    assert results.has("gedit", 1, 50)
    assert results.has("gedit", 2, 50)
    monkeypatch.setattr(results, "commit", lambda: "newer")
    assert results.has("gedit", 1, 50)
    assert not results.has("gedit", 2, 50)


def test_runs_of_another_version_of_a_program_are_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    results.save(outcome(50), 1)
    monkeypatch.setattr(results, "_version", lambda _: "99")
    assert not results.has("gedit", 1, 50)
    results.save(outcome(60), 2)
    assert results.total(results.load()["gedit"])["actions"] == 60


def test_a_run_with_fewer_actions_than_wanted_is_done_again() -> None:
    results.save(outcome(50), 1)
    assert results.has("gedit", 1, 50)
    assert not results.has("gedit", 1, 51)
    assert not results.has("gedit", 2, 50)
    assert not results.has("thunar", 1, 50)


class _Run:
    """A run in place of one that explores a program: what its process does is a line of Python."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
        begin = subprocess.Popen

        def instead(argv: list[str], **options: Any) -> subprocess.Popen[str]:
            return begin([sys.executable, "-c", script, *argv[3:]], **options)

        monkeypatch.setattr(subprocess, "Popen", instead)


def test_a_run_whose_process_ends_early_is_recorded_and_the_next_one_begins(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _Run(monkeypatch, "import sys; sys.exit(7 if 'gedit' in sys.argv else 0)")
    arguments = Namespace(workers=1, actions=50, save=True, verbose=False)
    runs = [(BY_NAME["gedit"], 3), (BY_NAME["thunar"], 3)]
    assert _in_processes(runs, arguments, float("inf")) == 7
    assert results.load()["gedit"]["runs"]["3"]["failures"]["error"] == 1
    assert "thunar" not in results.load()


def test_a_run_that_does_not_end_is_killed_and_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    _Run(monkeypatch, "import time; time.sleep(600)")
    monkeypatch.setattr("campaign.__main__._STUCK", 0.01)
    arguments = Namespace(workers=1, actions=1, save=True, verbose=False)
    assert _in_processes([(BY_NAME["gedit"], 3)], arguments, float("inf")) == 1
    assert results.load()["gedit"]["runs"]["3"]["failures"]["error"] == 1
