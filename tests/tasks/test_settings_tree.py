"""Settings behind a tree that the program draws itself: seen on a screenshot, walked with the keyboard."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.traces import until

from .conversation import click, conversation, ref

DOWN = 14
"""How far below the first page of the tree "Filesize format" is on the screenshot."""


@pytest.mark.programs
def test_filezilla_keeps_a_setting_of_a_page_of_its_tree(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    with conversation("FileZilla: settings tree", tmp_path, calls=10, tokens=7_000) as model:
        model.use("app_launch", command=["filezilla"], home=str(home))
        model.use("ui_wait", selector={"text": "Welcome to FileZilla"}, timeoutMs=30_000)
        welcome = model.use("ui_query", selector={"text": "OK", "match": "equals"}, scope={"stage": "all"})
        model.perform(click(ref(welcome, "button", '"OK"')))
        window = model.use("ui_get_snapshot")
        edit = model.use("ui_get_snapshot", root=ref(window, "menu", '"Edit"'))
        settings = model.perform(click(ref(edit, '"Settings..."')), timeoutMs=20_000)
        tree = ref(settings, "group", "use ui_screenshot", "focused")
        model.use("ui_screenshot", ref=tree)
        page = model.perform(
            {"type": "pressKey", "key": "HOME", "target": {"ref": tree}},
            *[{"type": "pressKey", "key": "DOWN"}] * DOWN,
            timeoutMs=30_000,
        )
        model.perform(
            click(ref(page, "radio", "IEC binary prefixes")),
            click(ref(settings, "button", '"OK"')),
            timeoutMs=20_000,
        )
        until(lambda: _setting(home, "Size format") == "1")


def _setting(home: Path, name: str) -> str | None:
    """What the program's own file says."""
    try:
        settings = ElementTree.parse(home / ".config" / "filezilla" / "filezilla.xml")
    except (OSError, ElementTree.ParseError):
        return None  # not written yet, or being written
    found = settings.find(f".//Setting[@name='{name}']")
    return None if found is None else found.text
