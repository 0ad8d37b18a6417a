"""A drawing is read without being changed; the items in it can be used."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from deskhand import App, expect, launch

FORM = str(Path(__file__).with_name("canvas_form.py"))


@pytest.fixture(params=["PySide6", "PyQt6"])
def app(request: pytest.FixtureRequest) -> Iterator[App]:
    command = [sys.executable, FORM, request.param]
    with launch(command, env={"QT_QPA_PLATFORM": "offscreen"}) as app:
        yield app


def test_looking_at_a_drawing_destroys_nothing_in_it(app: App) -> None:
    for _ in range(3):
        app.tree()
        app.get_by_role("button", name="Count").click()
        expect(app.locator("#report")).to_have_text("6 items")


def test_items_are_below_the_item_they_belong_to(app: App) -> None:
    board = app.locator('graphics-object[name="board"]')

    expect(board.locator('> graphics-object[name="piece"]')).to_have_count(1)
    expect(board.locator('> graphics-object[name="shadow"]')).to_have_count(1)
    expect(board.locator('graphics-object[name="piece"] > text[name="label"]')).to_have_count(1)
    expect(board.locator('text[name="caption"]')).to_have_count(0)


def test_a_widget_in_a_drawing_is_not_a_window_and_is_clicked_where_it_is_shown(app: App) -> None:
    assert [window.title for window in app.windows()] == ["Canvas"]

    app.get_by_role("button", name="Inside").click()

    expect(app.locator("#report")).to_have_text("pressed inside")
