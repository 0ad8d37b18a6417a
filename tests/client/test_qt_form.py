"""What a locator can do, on the demo's order form in Qt: the form itself says what it was made to do."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from deskhand import App, Locator, expect, launch
from deskhand.model.errors import NotReady

FORM = [sys.executable, str(Path(__file__).parents[2] / "demo" / "qt_form.py")]


@pytest.fixture
def app() -> Iterator[App]:
    with launch(FORM, headless=True, size=(900, 700)) as app:
        yield app


@pytest.fixture
def report(app: App) -> Locator:
    return app.locator("#report")


def test_fields_boxes_and_choices(app: App, report: Locator) -> None:
    app.get_by_placeholder("Full name").fill("Ada Łovelace")
    expect(report).to_have_text("name Ada Łovelace")
    app.locator("#name").press("Enter")
    expect(report).to_have_text("submitted Ada Łovelace")
    app.locator("#secret").fill("s3cret")
    expect(report).to_have_text("secret of 6")
    assert app.locator("#secret").input_value() == "••••"
    app.get_by_role("checkbox", name="newsletter").check()
    expect(app.get_by_role("checkbox", name="newsletter")).to_be_checked()
    app.get_by_role("radio", name="Courier").check()
    expect(report).to_have_text("delivery Courier")
    assert app.locator("#country").select_option("KE").selected == {
        "value": "KE",
        "index": 1,
        "text": "Kenya",
    }
    expect(app.locator("#country")).to_have_value("Kenya")
    app.locator("#notes").type("two\nlines")
    expect(app.locator("#notes")).to_have_value("two\nlines")
    app.locator("#notes").clear()
    expect(app.locator("#notes")).to_have_value("")


def test_keys_menus_and_the_context_menu(app: App, report: Locator) -> None:
    app.keyboard.press("ctrl+s")
    expect(report).to_have_text("saved")
    app.get_by_role("menu-item", name="File").click()
    with pytest.raises(NotReady, match='textfield "Full name" is covered by menu "File"'):
        app.locator("#name").fill("Ada", timeout=0)
    app.get_by_role("menu-item", name="Save").click()
    expect(report).to_have_text("saved")
    app.get_by_role("menu-item-checkbox", name="Show grid").activate()
    expect(report).to_have_text("grid True")
    app.locator("#tabs").select_option(text="More")
    app.locator("#pad").right_click()
    app.get_by_role("menu-item", name="Copy").click()
    expect(report).to_have_text("copied")
    app.locator("#pad").show_menu()
    app.get_by_role("menu-item", name="Copy").click()
    expect(report).to_have_text("copied")


def test_views_with_many_rows(app: App, report: Locator) -> None:
    app.get_by_role("tab", name="Items").click()
    table = app.locator("#table")
    table.scroll_to(row=500)
    expect(app.locator('cell[name="Item 500"]')).to_be_visible()
    table.scroll_to(text="Item 900")
    app.locator('cell[name="Item 900"]').click()
    expect(report).to_have_text("selected 900,0")
    table.select_option(index=3, column=1)
    expect(report).to_have_text("selected 3,1")
    app.locator("#tree").get_by_role("tree-item", name="Europe").expand()
    expect(report).to_have_text("expanded Europe")
    app.get_by_role("tree-item", name="Paris").click()
    expect(report).to_have_text("place Paris")
    app.get_by_role("tree-item", name="Europe").collapse()
    expect(app.get_by_role("tree-item", name="Paris")).to_be_hidden()


def test_values_and_scrolling(app: App, report: Locator) -> None:
    app.locator("#tabs").select_option(index=2)
    app.locator("#amount").set_value(7)
    expect(report).to_have_text("amount 7")
    expect(app.locator("#amount")).to_have_value(7)
    app.locator("#volume").set_value(70)
    expect(report).to_have_text("volume 70")
    app.locator("#day").set_value("2026-02-28")
    expect(report).to_have_text("day 2026-02-28")
    app.locator("#amount").focus()
    expect(app.locator("#amount")).to_be_focused()
    app.locator("#amount").press("Up")
    expect(report).to_have_text("amount 8")
    assert app.locator("#far").get().offscreen
    app.locator("#far").scroll_into_view()
    assert not app.locator("#far").get().offscreen
    app.locator("#far").click()
    expect(report).to_have_text("far pressed")


def test_the_mouse(app: App, report: Locator) -> None:
    bounds = app.locator("#later").bounds()
    assert bounds is not None
    app.mouse.move(*bounds.center)
    app.mouse.click(*bounds.center)
    expect(report).to_have_text("loaded")
    app.locator("#name").fill("one two")
    app.locator("#name").dblclick(position=(5, 10))
    app.keyboard.type("three")
    expect(app.locator("#name")).to_have_value("three two")
    app.locator("#send").hover()
    app.locator("#send").click(position=(5, 5))
    expect(report).to_have_text("sent")
    app.locator("#tabs").select_option(text="Items")
    start, end = app.locator('cell[name="Item 0"]'), app.locator('cell[name="1.50"]')
    start.drag_to(end)
    expect(report).to_have_text("selected 0,0 0,1 1,0")


def test_windows(app: App, report: Locator) -> None:
    app.locator("#report").control_window("resize", width=700, height=600)
    expect(app.locator("window[width=700]")).to_exist()
    app.locator("#order").click()
    assert [window.title for window in app.windows()] == ["Order form", "Confirm"]
    assert app.state().modal_dialog == "Confirm"
    app.get_by_role("dialog").get_by_role("button", name="No").click()
    expect(report).to_have_text("order cancelled")
    app.locator("#report").control_window("close")
    assert app.wait_for_exit(timeout=20) == 0
    assert json.loads(app.stdout)["events"] == ["order cancelled"]


def test_screenshots_of_an_element(app: App, tmp_path: Path) -> None:
    image = app.locator("#order").screenshot(tmp_path / "button.png")
    bounds = app.locator("#order").bounds()

    assert bounds is not None
    assert (image.width, image.height) == (bounds.width * image.scale, bounds.height * image.scale)
    assert (tmp_path / "button.png").read_bytes() == image.png


def test_revisions_report_what_changed(app: App) -> None:
    revision = app.tree().revision
    app.locator("#name").fill("Ada")
    changes = app.changes(revision).difference

    assert changes is not None
    assert any("Ada" in change.what for change in changes.changed)
    assert app.wait_idle().elapsed < 5
