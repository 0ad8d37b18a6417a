"""What the runs of a campaign come to together."""

from __future__ import annotations

from pathlib import Path

import pytest

from campaign import results
from campaign.visit import Failure, Outcome


@pytest.fixture(autouse=True)
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "FILE", tmp_path / "results.json")


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


def test_runs_of_other_code_are_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    results.save(outcome(50), 1)
    assert results.has("gedit", 1, 50)
    monkeypatch.setattr(results, "_code", lambda: "other")
    assert not results.has("gedit", 1, 50)
    results.save(outcome(60), 2)
    assert results.total(results.load()["gedit"])["actions"] == 60


def test_a_run_with_fewer_actions_than_wanted_is_done_again() -> None:
    results.save(outcome(50), 1)
    assert results.has("gedit", 1, 50)
    assert not results.has("gedit", 1, 51)
    assert not results.has("gedit", 2, 50)
    assert not results.has("thunar", 1, 50)
