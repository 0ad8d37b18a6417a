"""A text editor: find, replace and save."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.traces import until

from .conversation import conversation, ref


@pytest.mark.programs
def test_mousepad_replaces_every_match_and_saves(tmp_path: Path) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text("the cat sat\na cat ran\n")
    with conversation("mousepad: find, replace, save", tmp_path, calls=7, tokens=5_000) as model:
        model.use("app_launch", command=["mousepad", str(notes)])
        window = model.use("ui_get_snapshot")
        search = model.use("ui_get_snapshot", root=ref(window, "menu", '"Search"'))
        dialog = model.perform({"type": "click", "target": {"ref": ref(search, '"Find and Replace..."')}})
        model.perform(
            {"type": "setText", "target": {"ref": ref(dialog, "combo-box", "Search for:")}, "text": "cat"},
            {"type": "setText", "target": {"ref": ref(dialog, "combo-box", "Replace with:")}, "text": "dog"},
            {"type": "setChecked", "target": {"ref": ref(dialog, "Replace all in:")}, "checked": True},
            {"type": "click", "target": {"ref": ref(dialog, "button", '"Replace"')}},
            {"type": "click", "target": {"ref": ref(dialog, "button", '"Close"')}},
        )
        file = model.use("ui_get_snapshot", root=ref(window, "menu", '"File"'))
        model.perform({"type": "click", "target": {"ref": ref(file, '"Save"')}})
        until(lambda: notes.read_text() == "the dog sat\na dog ran\n")
