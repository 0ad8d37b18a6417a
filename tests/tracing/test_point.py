"""The point that an action hit, in a trace of a real app."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from deskhand import launch
from deskhand.tracing.reader import Recorded


@pytest.mark.parametrize("toolkit", ["qt", "tk"])
def test_trace_has_the_point_that_was_hit(toolkit: str, tmp_path: Path) -> None:
    form = [sys.executable, f"tests/audit/{toolkit}_faults.py", "--fixed"]
    with launch(form, headless=True, size=(640, 480), trace=tmp_path / "trace.zip") as app:
        bounds = app.locator("#mouse").bounds()
        clicked = app.locator("#mouse").click()
        typed = app.locator("textfield >> nth=0").fill("x")

    assert bounds is not None
    assert clicked.point == pytest.approx(bounds.center, abs=1)
    assert typed.point is None
    with Recorded(tmp_path / "trace.zip") as trace:
        step = next(step for step in trace.steps if step["operation"] == "click")
        assert step["point"] == pytest.approx(bounds.center, abs=1)
        assert trace.states[step["before"]]["frame"]
