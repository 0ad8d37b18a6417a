"""A calculator in programming mode."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conversation import click, conversation, ref


@pytest.mark.programs
def test_gnome_calculator_calculates_in_programming_mode(tmp_path: Path) -> None:
    with conversation("gnome-calculator: programming mode", tmp_path, calls=5, tokens=6_000) as model:
        model.use("app_launch", command=["gnome-calculator"])
        window = model.use("ui_get_snapshot")
        modes = model.perform(click(ref(window, "button", '"Basic"')))
        model.perform(click(ref(modes, '"Programming"')))
        result = model.perform(
            {"type": "typeText", "text": "255 AND 60"}, {"type": "pressKey", "key": "ENTER"}, timeoutMs=20_000
        )
    # The calculator itself shows the result in other bases only in this mode.
    assert '"74₈ = 3C₁₆"' in result
    assert '"255AND 60 = 60"' in result.replace("255 AND", "255AND")
