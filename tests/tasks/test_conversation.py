"""The harness of the tasks: a model cannot use what it has not read, and a budget is kept."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from . import conversation as harness
from .conversation import conversation, ref

FORM = [sys.executable, str(Path(__file__).parents[2] / "demo" / "qt_form.py")]


@pytest.fixture(autouse=True)
def costs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The cost of these is not in the table."""
    monkeypatch.setattr(harness, "FOLDER", tmp_path / "costs")


def test_a_node_can_be_named_only_after_an_answer_contained_it(tmp_path: Path) -> None:
    with conversation("a form", tmp_path, calls=4, tokens=50_000) as model:
        model.use("app_launch", command=FORM)
        with pytest.raises(AssertionError, match="no answer contained 'u-none'"):
            model.use("ui_get_node", ref="u-none")
        with pytest.raises(AssertionError, match="only from a screenshot"):
            model.perform({"type": "click", "x": 1, "y": 1})
        model.use("ui_get_node", ref=ref(model.use("ui_get_snapshot"), '"Greet"'))
        before = model.read
        model.use("ui_screenshot")
    assert model.read - before > 500
    assert [(cost.task, cost.calls) for cost in harness.costs()] == [("a form", 4)]


@pytest.mark.parametrize(("calls", "tokens", "more"), [(0, 50_000, "0 calls"), (1, 100, "100 tokens")])
def test_a_task_that_takes_more_than_it_may_fails(calls: int, tokens: int, more: str, tmp_path: Path) -> None:
    with (
        pytest.raises(AssertionError, match=f"more than {more}"),
        conversation("a list", tmp_path, calls=calls, tokens=tokens) as model,
    ):
        model.use("app_list")
