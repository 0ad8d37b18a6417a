"""A file manager: a new folder, and another name for a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.traces import until

from .conversation import click, conversation, ref


@pytest.mark.programs
def test_thunar_makes_a_folder_and_renames_a_file(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "notes.txt").write_text("kept\n")
    with conversation("Thunar: folder and rename", tmp_path, calls=10, tokens=6_000) as model:
        model.use("app_launch", command=["thunar", str(folder)])
        window = model.use("ui_get_snapshot")
        menu = model.perform(click(ref(window, "menu ", '"File"')))
        dialog = model.perform(click(ref(menu, '"Create Folder..."')))
        model.perform(
            {"type": "setText", "target": {"ref": ref(dialog, '"New Folder"')}, "text": "Reports"},
            click(ref(dialog, '"Create"')),
        )
        # Files in the icon view are not in the tree; those of the list are.
        menu = model.perform(click(ref(window, "menu ", '"View"')))
        rows = model.perform(click(ref(menu, '"List View"')))
        menu = model.perform(click(ref(rows, '"notes.txt"')), click(ref(window, "menu ", '"Edit"')))
        dialog = model.perform(click(ref(menu, '"Rename..."')))
        model.perform(
            {"type": "pressKey", "key": "A", "modifiers": ["CTRL"]},
            {"type": "typeText", "text": "summary.txt"},
            click(ref(dialog, '"Rename"')),
        )
        until(lambda: sorted(path.name for path in folder.iterdir()) == ["Reports", "summary.txt"])
    assert (folder / "Reports").is_dir()
    assert (folder / "summary.txt").read_text() == "kept\n"
