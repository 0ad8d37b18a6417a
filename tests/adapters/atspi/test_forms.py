"""What is reported for the fields of GTK 3, GTK 4, Qt 5 and Qt 6 beyond what every adapter must report."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack

import pytest

from deskhand import App, expect
from deskhand.model import operations as ops
from deskhand.model.errors import ActionUnsupported, NotEditable, NotReady
from deskhand.model.node import MASK, Font
from tests.conformance.matrix import reports_ids
from tests.conformance.outside_form import OUTSIDE, OutsideForm, seen_as


@pytest.fixture(scope="module", params=OUTSIDE)
def form(request: pytest.FixtureRequest) -> Iterator[OutsideForm]:
    way = OUTSIDE[request.param]
    with ExitStack() as stack:
        yield OutsideForm(way, {} if reports_ids(way) else seen_as(way), stack)


@pytest.fixture
def app(form: OutsideForm) -> App:
    return form.start_over()


def toolkit(app: App) -> str:
    return app.address


def test_the_font_of_a_text_is_reported_with_its_details(app: App) -> None:
    notes = app.locator('[name="Notes"]:editable')
    notes.set_value("written")
    font = notes.get().font
    expected = {
        "gtk3": Font("Sans", 10.0, "normal", "#000000"),
        "gtk4": Font("Sans", 13.0, "normal"),
        "qt5": Font("Sans Serif", 9.0),
        "pyside6": Font("Sans Serif", 9.0),
    }
    assert font == expected[toolkit(app)]
    assert all(node.font is None for node in app.tree()), "fonts are read for one node at a time"
    assert app.locator("#secret").get().font is None


def test_a_long_text_is_set_at_once_and_reported_with_its_beginning_and_length(app: App) -> None:
    notes = app.locator('[name="Notes"]:editable')
    assert notes.set_value("abcd" * 5000).detail == "through accessibility"
    seen = notes.get()
    assert seen.text == "abcd" * 2500
    assert seen.properties["text_length"] == 20_000


def test_details_have_the_names_of_at_spi(app: App) -> None:
    field = app.locator("#name").get()
    assert {"editable", "focusable"} <= set(field.properties["states"])
    assert field.properties["path"].startswith("/org/")
    assert field.platform_role == "text"
    assert field.backend == "atspi"


def test_a_password_is_masked_also_in_the_details(app: App) -> None:
    app.locator("#secret").set_value("hunter2")
    expect(app.locator("#secret")).to_have_value(MASK)
    seen = app.locator("#secret").get()
    assert (seen.value, seen.text, seen.password) == (MASK, MASK, True)
    assert "hunter2" not in repr(seen.fields)
    assert "text_length" not in seen.properties


def test_of_a_password_only_its_presence_is_reported(app: App) -> None:
    secret = app.locator("#secret")
    assert (secret.get().value, secret.get().password) == ("", True)
    secret.type("a")
    expect(secret).to_have_value(MASK)
    secret.press("backspace")
    expect(secret).to_have_value("")


def test_elements_behind_a_modal_dialog_are_refused_until_it_is_answered(app: App) -> None:
    greet = app.get_by_role("button", name="Greet")
    app.locator("#order").activate()
    expect(app.locator("dialog")).to_be_visible()
    for act in (greet.activate, greet.click, greet.focus, lambda: app.locator("#name").set_value("Eve")):
        with pytest.raises(NotReady, match="behind the modal dialog 'Confirm'") as caught:
            act()
        assert caught.value.details["blocked_by"] == "Confirm"
    app.locator('dialog >> button[name="No"]').click()
    expect(app.locator("#report")).to_have_text("order cancelled")
    greet.activate()
    expect(app.locator("#report")).to_have_text("Hello, !")


def test_a_field_that_is_set_says_how(app: App) -> None:
    assert app.locator("#name").set_value("Ada").detail == "through accessibility"
    # GTK 3 would run the handler inside the call, where a dialog could hang the program.
    pressed = "by real input" if toolkit(app) == "gtk3" else "through accessibility"
    assert app.get_by_role("button", name="Greet").activate().detail == pressed
    expect(app.locator("#report")).to_have_text("Hello, Ada!")
    assert app.get_by_role("button", name="Greet").click().detail == "by real input"


def test_values_have_their_limits(app: App) -> None:
    app.locator("#tabs").select_option(text="More")
    volume = app.locator("#volume").get()
    assert (volume.number, volume.minimum, volume.maximum) == (0, 0, 100)


def test_a_cell_that_opens_no_field_cannot_be_edited(app: App) -> None:
    app.get_by_role("tab", name="Items").click()
    # The cells of GTK 4 do not offer to be edited, so the engine refuses it before anything is tried.
    fixed = 'cell[name="Item 1"]' if toolkit(app) == "gtk4" else '#tree >> tree-item[name="Europe"]'
    app.locator(fixed).wait_for("visible")
    with pytest.raises(NotEditable):
        app.run(ops.SetValue(fixed, value="Asia", timeout=0))
    assert app.locator(fixed).count() == 1


@pytest.mark.parametrize("expanded", [True, False])
def test_what_cannot_be_expanded_is_left_alone_and_said_so(app: App, expanded: bool) -> None:
    with pytest.raises(ActionUnsupported, match="cannot be opened or closed"):
        app.run(ops.Expand('button[name="Greet"]', expanded=expanded, timeout=0))
    app.wait_idle()
    assert app.locator("#report").get().text == "ready"


def test_what_has_nothing_to_choose_from_says_so(app: App) -> None:
    for target in ("#name", "#report"):
        with pytest.raises(NotEditable, match="no options to choose from"):
            app.locator(target).select_option(index=0)


def test_what_has_no_place_on_the_screen_is_waited_for(app: App) -> None:
    save = app.get_by_role("menu-item", name="Save")
    with ThreadPoolExecutor() as pool:
        hovering = pool.submit(save.hover, timeout=30)
        wait([hovering], 0.3)
        assert not hovering.done(), "its menu is closed"
        app.locator('menu-bar >> [name="File"]').first.click()
        hovering.result(30)
    app.keyboard.press("escape")


def test_the_entries_of_an_open_menu_work(app: App) -> None:
    file = app.locator('menu-bar >> [name="File"]').first
    save = app.get_by_role("menu-item", name="Save")
    for act, detail in ((save.click, "by real input"), (save.activate, None)):
        app.locator("#name").set_value("")
        file.click()
        done = act()
        if toolkit(app) != "gtk4":  # which reports wrong positions for the entries of a menu
            assert detail in (None, done.detail)
        expect(app.locator("#report")).to_have_text("saved")
        # No menu is left open that would take the next click.
        app.get_by_role("button", name="Greet").click()
        expect(app.locator("#report")).to_have_text("Hello, !")


def test_a_click_on_an_entry_of_a_closed_menu_opens_the_menu(app: App) -> None:
    if toolkit(app) == "gtk4":  # which has no entries while a menu is closed
        app.locator('menu-bar >> [name="File"]').first.click()
    done = app.get_by_role("menu-item", name="Save").click()
    assert done.detail == ("through accessibility" if toolkit(app) == "gtk4" else "by real input")
    expect(app.locator("#report")).to_have_text("saved")
    # No menu is left open that would take the next click.
    app.get_by_role("button", name="Greet").click()
    expect(app.locator("#report")).to_have_text("Hello, !")


def test_the_entries_of_a_menu_that_was_open_are_there_still(app: App) -> None:
    def entries() -> list[tuple[str | None, str | None]]:
        return [(node.name, node.parent) for node in app.tree() if node.role.startswith("menu")]

    before = entries()
    app.locator('menu-bar >> [name="File"]').first.click()
    app.get_by_role("menu-item", name="Save").wait_for()
    app.keyboard.press("escape")
    app.keyboard.press("escape")
    app.wait_idle()
    assert entries() == before
