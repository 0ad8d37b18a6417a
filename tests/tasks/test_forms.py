"""An order form, in Qt and in JavaFX: filled in, confirmed and closed. It prints what happened to it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.traces import until

from .conversation import conversation

DEMO = Path(__file__).parents[2] / "demo"
FORMS = {
    "Qt": [sys.executable, str(DEMO / "qt_form.py")],
    "JavaFX": [str(DEMO / "javafx_form" / "run.sh")],
}
KEEP = 'exec "$@" > "$0"'


@pytest.mark.parametrize("toolkit", FORMS)
def test_an_order_is_placed_by_what_the_form_shows(toolkit: str, tmp_path: Path) -> None:
    printed = tmp_path / "printed"
    command = ["sh", "-c", KEEP, str(printed), *FORMS[toolkit]]
    with conversation(f"{toolkit} form", tmp_path, calls=5, tokens=5000) as model:
        model.use("app_launch", command=command)
        model.use("ui_get_snapshot")
        receipt = model.perform(
            {"type": "setText", "target": {"text": "Name"}, "text": "Ada"},
            {"type": "select", "target": {"text": "Country"}, "text": "Kenya"},
            {"type": "setChecked", "target": {"text": "Send me the newsletter"}, "checked": True},
            {"type": "click", "target": {"text": "Courier"}},
            {"type": "setText", "target": {"text": "Notes"}, "text": "Ring twice"},
            {"type": "click", "target": {"text": "Place order…"}},
        )
        assert "Place the order for Ada?" in receipt
        model.perform({"type": "click", "target": {"text": "Yes"}})
        model.use("ui_window", do="close")
        until(lambda: printed.read_text().endswith("}\n"))
    assert json.loads(printed.read_text().splitlines()[-1]) == {
        "events": [
            "name Ada", "country Kenya", "newsletter True", "delivery Courier", "notes 'Ring twice'",
            "ordered",
        ],
        "name": "Ada",
    }  # fmt: skip
