"""What only programs of GTK have: UI files, menus from models, popovers, header bars, recycled rows."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import PIL.Image
import pytest

from deskhand import App, expect, launch
from deskhand.model import operations as ops
from deskhand.model.errors import NotFound
from deskhand.toolkits import DEBIAN

HERE = Path(__file__).parent
FORM4 = str(HERE.parents[2] / "demo" / "gtk4_form.py")


@pytest.fixture(scope="module", params=["3", "4"])
def gallery(request: pytest.FixtureRequest) -> Iterator[App]:
    with launch([DEBIAN, str(HERE / "gallery.py"), request.param], headless=True, default_timeout=20) as app:
        yield app


def test_the_version_that_the_program_loaded_is_driven(gallery: App, request: pytest.FixtureRequest) -> None:
    info = gallery.info()
    assert info.toolkit == "gtk"
    assert info.framework == f"GTK {request.node.callspec.params['gallery']}"
    assert info.version.startswith(request.node.callspec.params["gallery"] + ".")


def test_ids_are_those_of_the_ui_file_or_of_the_program(gallery: App) -> None:
    gallery.locator("#build-button").click()
    expect(gallery.locator("#report")).to_have_text("Build pressed")
    # What has no id in a UI file gets another one each time it is saved.
    assert gallery.get_by_role("button", name="Nameless").get().automation_id is None
    own = gallery.locator("#own").get()
    assert (own.native_class, own.style_classes) == ("GtkButton", ("Row",))


def test_a_switch_and_an_expander_are_changed_and_read_back(gallery: App) -> None:
    gallery.locator("#airplane").check()
    expect(gallery.locator("#report")).to_have_text("airplane True")
    details = gallery.get_by_role("disclosure-triangle", name="Details")
    details.expand()
    expect(gallery.get_by_text("the details")).to_be_visible()
    assert details.get().expanded is True


def test_a_date_is_set_and_a_wrong_one_refused(gallery: App) -> None:
    gallery.locator("#calendar").set_value("2026-01-15")
    expect(gallery.locator("#calendar")).to_have_value("2026-01-15")


def test_a_button_without_a_text_is_called_by_its_tooltip(gallery: App) -> None:
    assert gallery.get_by_role("button", name="Refresh").get().labelled_by == "Refresh"


def test_entries_of_a_closed_menu_of_a_model_are_read_and_pressed(gallery: App) -> None:
    dark = gallery.get_by_role("menu-item-checkbox", name="Dark")
    assert dark.get().offscreen
    dark.activate()
    expect(gallery.locator("#report")).to_have_text("dark True")
    assert dark.get().checked is True


def test_an_entry_is_clicked_through_the_menus_that_lead_to_it(gallery: App) -> None:
    gallery.get_by_role("menu-item", name="About").click()
    expect(gallery.locator("#report")).to_have_text("about chosen")
    expect(gallery.locator("#main-menu")).to_be_visible()
    assert gallery.locator("#main-menu").get().expanded is False


def test_a_popover_is_opened_and_what_is_in_it_clicked(gallery: App) -> None:
    gallery.locator("#opens-extras").click()
    gallery.get_by_role("button", name="In the popover").click()
    expect(gallery.locator("#report")).to_have_text("popover pressed")
    gallery.keyboard.press("Escape")
    expect(gallery.get_by_role("button", name="In the popover")).to_be_hidden()


def test_a_screenshot_shows_the_window_without_its_shadow(gallery: App) -> None:
    image = gallery.run(ops.Screenshot())
    bounds = gallery.windows()[0].bounds
    assert bounds is not None
    assert (image.width, image.height) == (bounds.width, bounds.height)
    colours = PIL.Image.open(io.BytesIO(image.png)).convert("RGB").getcolors(100_000)
    assert len(colours) > 20  # something is drawn


def test_rows_of_a_list_of_gtk_4_keep_their_uids_when_widgets_are_recycled() -> None:
    with launch([DEBIAN, FORM4, "--rows", "1000"], headless=True, default_timeout=30) as app:
        app.get_by_role("tab", name="Items").click()
        first = app.locator('#table >> row[name="Item 1"]').get()
        app.locator("#table").scroll_to(row=900)
        shown = app.locator('#table >> row[name="Item 900"]').get()
        assert shown.properties["index"] == 900
        with pytest.raises(NotFound):
            app.locator('#table >> row[name="Item 1"]').get(timeout=0)
        app.locator("#table").scroll_to(row=0)
        assert app.locator('#table >> row[name="Item 1"]').get().uid == first.uid


def test_what_an_action_shows_has_its_place_when_it_returns() -> None:
    with launch([DEBIAN, FORM4, "--rows", "1000"], headless=True, default_timeout=30) as app:
        app.locator("#tabs").select_option(text="More")
        assert app.locator("#far").get().offscreen
        app.locator("#tabs").select_option(text="Items")
        table = app.locator("#table").get().virtualization
        assert table is not None
        assert table.visible_range is not None
        assert table.visible_range[1] > 3
