"""The inspector in a real Chromium: every part of the page is used as a person would."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

import pytest

from deskhand import background
from deskhand.model.errors import Refused
from deskhand.model.node import Rect
from tests.chromium import violations
from tests.inspector.conftest import Inspected

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.programs


@pytest.fixture(autouse=True)
def expecting() -> Iterator[None]:
    """Playwright's own expect waits as long as a busy machine takes."""
    from playwright.sync_api import expect

    expect.set_options(timeout=20_000)
    yield
    expect.set_options(timeout=5_000)


def see(locator: Any) -> Any:
    """What is expected of an element of the page."""
    from playwright.sync_api import expect

    return expect(locator)


def spot(page: Page, bounds: Rect | None) -> tuple[float, float]:
    """Where the middle of an element of the app is on the page, by the size of what the page shows."""
    assert bounds is not None
    screen = page.get_by_test_id("screen")
    box, shown = (
        screen.bounding_box(),
        {name: float(screen.get_attribute(f"data-{name}") or 0) for name in "xy"},
    )
    assert box is not None
    zoom = box["width"] / float(screen.get_attribute("data-width") or 0)
    x, y = bounds.x + bounds.width / 2 - shown["x"], bounds.y + bounds.height / 2 - shown["y"]
    return box["x"] + x * zoom, box["y"] + y * zoom


def row(page: Page, text: str) -> Any:
    return page.get_by_role("treeitem", name=text, exact=True)


def begin(work: Any) -> Future[Any]:
    """Do something as another client, while the test goes on."""
    return background.begin(work)


def report(inspected: Inspected) -> str | None:
    return inspected.app.locator("#report").text_content()


# -- the screen and the tree ------------------------------------------------------------------------


def test_no_request_leaves_the_server(browser: Browser, inspected: Inspected) -> None:
    page = browser.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("websocket", lambda socket: asked.append(socket.url))
    answer = page.goto(inspected.url)
    page.wait_for_selector("html[data-ready]")
    here = inspected.url.partition("?")[0].partition("//")[2]
    assert answer is not None
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert [url for url in asked if not url.partition("//")[2].startswith(here)] == []
    assert any(url.startswith("ws:") for url in asked)
    page.close()


def test_screen_shows_the_whole_private_desktop_and_follows_the_app(page: Page, inspected: Inspected) -> None:
    screen = page.get_by_test_id("screen")
    assert (screen.get_attribute("data-width"), screen.get_attribute("data-height")) == ("1280", "800")
    before = pixels(page)
    assert before[0] > 10
    inspected.app.locator("#name").fill("Ada Lovelace")
    see(row(page, 'textfield "Name" = "Ada Lovelace" [focused]')).to_be_visible()
    deadline = time.monotonic() + 20
    while pixels(page) == before:
        assert time.monotonic() < deadline
    inspected.app.locator("#name").clear()


def pixels(page: Page) -> list[int]:
    """How many colours the screen of the app has, and a sum of all."""
    return page.locator("#canvas").evaluate(  # type: ignore[no-any-return]
        """canvas => {
            const all = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
            const colours = new Uint32Array(all.buffer);
            return [new Set(colours).size, colours.reduce((sum, colour, at) => sum + colour % 251 * at, 0)];
        }"""
    )


def test_tree_has_roles_and_names_and_is_walked_by_keys(page: Page) -> None:
    tree = page.get_by_test_id("tree")
    assert tree.get_attribute("role") == "tree"
    assert 'button "Greet"' in tree.inner_text()
    row(page, 'window "Order form"').click()
    page.keyboard.press("ArrowDown")
    see(page.locator("[role=treeitem]:focus")).to_have_text("menu-bar QMenuBar")
    page.keyboard.press("ArrowLeft")
    see(row(page, "menu-bar QMenuBar")).to_have_attribute("aria-expanded", "false")
    see(row(page, 'menu-item "File"')).to_have_count(0)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    see(page.locator("[role=treeitem]:focus")).to_have_text('menu-item "File"')
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    see(page.locator("[role=treeitem]:focus")).to_have_text("menu-bar QMenuBar")
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    see(row(page, 'window "Order form"')).to_have_attribute("aria-selected", "true")
    page.keyboard.press("/")
    page.get_by_label("Search the tree").fill("button greet")
    see(tree.get_by_role("treeitem")).to_have_text(['button "Greet"'])


def test_hovering_the_tree_marks_the_screen_and_the_other_way_round(page: Page, inspected: Inspected) -> None:
    row(page, 'button "Greet"').hover()
    marked = page.locator("#boxes .hovered")
    see(marked).to_have_count(1)
    see(marked).to_be_visible()
    x, y = spot(page, inspected.app.get_by_role("button", name="Greet").bounds())
    box = marked.bounding_box()
    assert box is not None
    assert (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) == pytest.approx((x, y), abs=2)
    page.mouse.move(*spot(page, inspected.app.get_by_label("Password").bounds()))
    see(page.locator("#tree .hovered")).to_contain_text('textfield "Password"')


# -- selectors ---------------------------------------------------------------------------------------


def test_picking_gives_the_selector_and_does_not_operate_the_app(page: Page, inspected: Inspected) -> None:
    before = report(inspected)
    page.get_by_test_id("pick").click()
    see(page.get_by_test_id("pick")).to_have_attribute("aria-pressed", "true")
    page.mouse.click(*spot(page, inspected.app.get_by_role("button", name="Greet").bounds()))
    field = page.get_by_test_id("selector")
    see(field).to_have_value('button[name="Greet"]')
    see(page.get_by_test_id("count")).to_have_text("1 match")
    see(page.get_by_test_id("pick")).to_have_attribute("aria-pressed", "false")
    see(row(page, 'button "Greet"')).to_have_attribute("aria-selected", "true")
    assert report(inspected) == before


def test_picking_works_while_the_element_changes(page: Page, inspected: Inspected) -> None:
    name = inspected.app.locator("#name")
    spotted = spot(page, name.bounds())
    changing = begin(lambda: [name.fill(f"change {number}") for number in range(20)])
    page.get_by_test_id("pick").click()
    page.mouse.click(*spotted)
    see(page.get_by_test_id("selector")).to_have_value("#name")
    changing.result(timeout=30)
    see(page.get_by_test_id("properties")).to_contain_text("change 19")
    name.clear()


def test_alternatives_say_how_many_nodes_they_match(page: Page) -> None:
    row(page, 'button "Greet"').click()
    rows = page.get_by_test_id("selectors").get_by_role("listitem")
    see(rows.filter(has_text="app.get_by_role(")).to_contain_text("1 match")
    every = rows.filter(has_text=".QPushButton")
    see(every).to_contain_text("6 matches")
    every.get_by_role("button").click()
    see(page.get_by_test_id("selector")).to_have_value(".QPushButton")
    see(page.get_by_test_id("count")).to_have_text("6 matches")
    see(page.locator("#boxes .match")).to_have_count(4)  # two of them are hidden


def test_properties_of_the_chosen_node_are_shown(page: Page) -> None:
    row(page, 'button "Greet"').click()
    see(page.get_by_test_id("properties")).to_contain_text("QPushButton")
    see(page.get_by_test_id("details")).to_contain_text("autoDefault")
    page.get_by_test_id("details").get_by_role("button", name='window "Order form"').click()
    see(page.get_by_test_id("properties")).to_contain_text("order_form")


@pytest.mark.parametrize(
    ("text", "told", "marked"),
    [
        ("radio", "2 matches", 2),
        ('app.get_by_role("button", name="gre")', "1 match", 1),
        ('button[name="Grete"]', 'no match; near: button "Greet"', 0),
        ("button[", "expected", 0),
        ('app.get_by_role("button").click()', "'click' does not find anything", 0),
        ('__import__("os").system("true")', "", 0),
    ],
)
def test_a_selector_or_a_line_of_python_is_tried(page: Page, text: str, told: str, marked: int) -> None:
    page.get_by_test_id("selector").fill(text)
    see(page.get_by_test_id("count")).not_to_be_empty()
    see(page.get_by_test_id("count")).to_contain_text(told)
    see(page.locator("#boxes .match")).to_have_count(marked)
    see(page.locator("#tree .match")).to_have_count(marked)


def test_matches_follow_the_app(page: Page, inspected: Inspected) -> None:
    page.get_by_test_id("selector").fill('textfield[value="Grace"]')
    see(page.get_by_test_id("count")).to_contain_text("no match")
    inspected.app.locator("#name").fill("Grace")
    see(page.get_by_test_id("count")).to_have_text("1 match")
    inspected.app.locator("#name").clear()


# -- operating ---------------------------------------------------------------------------------------


def test_clicking_through_is_off_until_it_is_switched_on(page: Page, inspected: Inspected) -> None:
    app = inspected.app
    name = spot(page, app.locator("#name").bounds())
    greet = spot(page, app.get_by_role("button", name="Greet").bounds())
    before = report(inspected)
    page.mouse.click(*greet)
    see(page.get_by_test_id("selector")).to_have_value('button[name="Greet"]')
    assert report(inspected) == before
    page.get_by_test_id("operate").click()
    see(page.get_by_test_id("operate")).to_have_attribute("aria-checked", "true")
    page.mouse.click(*name)
    page.keyboard.type("Bo")
    page.keyboard.press("Shift+Tab")
    page.mouse.click(*greet)
    see(row(page, 'text "Hello, Bo!"')).to_be_visible()
    page.keyboard.press("F8")
    see(page.get_by_test_id("operate")).to_have_attribute("aria-checked", "false")
    see(page.get_by_test_id("console").locator("li:visible").last).to_contain_text("inspector")
    app.locator("#name").clear()


def test_windows_are_listed_with_dialogs_and_picked_from_in_front(page: Page, inspected: Inspected) -> None:
    app = inspected.app
    app.get_by_role("button", name="Place order").click()
    page.get_by_role("tab", name="Windows").click()
    listed = page.get_by_test_id("windows").get_by_role("listitem")
    see(listed).to_have_count(2)
    dialog = app.locator("dialog")
    button = app.locator("dialog >> button").first
    page.get_by_test_id("pick").click()
    page.mouse.click(*spot(page, button.bounds()))
    see(page.get_by_test_id("selector")).to_have_value(app.selectors(button.get())[button.get().uid])
    listed.nth(1).get_by_role("button").first.click()
    see(page.locator('#tree [aria-selected="true"]')).to_contain_text("dialog")
    dialog.press("Escape")
    see(listed).to_have_count(1)


def test_record_turns_what_is_done_on_the_page_into_code(page: Page, inspected: Inspected) -> None:
    app = inspected.app
    name = spot(page, app.locator("#name").bounds())
    greet = spot(page, app.get_by_role("button", name="Greet").bounds())
    page.get_by_test_id("record").click()
    see(page.get_by_test_id("record")).to_have_text("Stop recording")
    see(page.get_by_test_id("operate")).to_have_attribute("aria-checked", "true")
    page.mouse.click(*name)
    page.keyboard.type("Cleo")
    see(row(page, 'textfield "Name" = "Cleo" [focused]')).to_be_visible()
    page.mouse.click(*greet)
    see(page.get_by_test_id("code")).to_contain_text('.get_by_role("button", name="Greet").click()')
    row(page, 'text "Hello, Cleo!"').click()
    page.get_by_role("group", name="Expect").get_by_role("button", name="text").click()
    see(page.get_by_test_id("code")).to_contain_text('.to_have_text("Hello, Cleo!")')
    page.get_by_test_id("record").click()
    see(page.get_by_test_id("record")).to_have_text("Record")
    code = page.get_by_test_id("code").inner_text()
    assert '.fill("Cleo")' in code
    page.get_by_label("Format").select_option("sh")
    see(page.get_by_test_id("code")).to_contain_text("deskhand type")
    app.locator("#name").clear()


# -- clients -----------------------------------------------------------------------------------------


def test_console_shows_what_other_clients_do_without_passwords(page: Page, inspected: Inspected) -> None:
    app = inspected.app
    app.get_by_label("Password").fill("open sesame")
    app.locator("#name").fill("Grace")
    lines = page.get_by_test_id("console").get_by_role("listitem")
    see(lines.filter(has_text='type text #name "Grace"').last).to_contain_text("gip")
    assert "open sesame" not in page.content()
    see(lines.filter(has_text="••••").last).to_be_visible()
    with pytest.raises(Exception, match="nothing matches"):
        app.get_by_role("button", name="Missing").click(timeout=0)
    see(lines.filter(has_text="Missing").last).to_contain_text("nothing matches")
    app.locator("#name").text_content()
    see(lines.filter(has_text="get #name").last).to_be_hidden()
    page.get_by_label("Show reads").check()
    see(lines.filter(has_text="get #name").last).to_be_visible()
    app.get_by_label("Password").clear()
    app.locator("#name").clear()


def test_who_takes_over_lets_clients_wait_until_they_hand_back(page: Page, inspected: Inspected) -> None:
    page.get_by_test_id("take-over").click()
    see(page.get_by_test_id("taken")).to_contain_text("You have taken over")
    filling = begin(lambda: inspected.app.locator("#name").fill("Waited"))
    held = page.get_by_test_id("console").get_by_role("listitem").filter(has_text="waits for you")
    see(held).to_have_count(1)
    assert not filling.done()
    assert inspected.app.locator("#name").input_value() == "", "reads do not wait"
    page.get_by_test_id("take-over").click()
    filling.result(timeout=20)
    see(row(page, 'textfield "Name" = "Waited" [focused]')).to_be_visible()
    see(page.get_by_test_id("taken")).to_be_hidden()
    inspected.app.locator("#name").clear()


def test_closing_the_page_hands_back(browser: Browser, inspected: Inspected) -> None:
    page = browser.new_page()
    page.goto(inspected.url)
    page.get_by_test_id("take-over").click()
    see(page.get_by_test_id("taken")).to_be_visible()
    filling = begin(lambda: inspected.app.locator("#name").fill("Closed"))
    see(page.get_by_test_id("console").locator("li.held")).to_have_count(1)
    page.close()
    filling.result(timeout=20)
    inspected.app.locator("#name").clear()


def test_questions_of_the_policy_are_answered_on_the_page(page: Page, inspected: Inspected) -> None:
    button = inspected.app.get_by_role("button", name="Load later")
    question = page.get_by_test_id("questions")
    refused = begin(button.click)
    see(question).to_contain_text('click button "Load later"')
    question.get_by_role("button", name="Refuse").click()
    with pytest.raises(Refused, match="said no"):
        refused.result(timeout=20)
    see(question).to_be_empty()
    allowed = begin(button.click)
    question.get_by_role("button", name="Allow").click()
    allowed.result(timeout=20)
    see(question).to_be_empty()


# -- for everyone ------------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 1920])
def test_page_can_be_used_by_everyone_in_both_themes(
    browser: Browser, inspected: Inspected, scheme: Any, width: int
) -> None:
    page = browser.new_page(viewport={"width": width, "height": width * 5 // 8}, color_scheme=scheme)
    page.goto(inspected.url)
    page.wait_for_selector("html[data-ready]")
    row(page, 'button "Greet"').click()
    see(page.get_by_test_id("count")).to_have_text("1 match")
    dark = "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).every(part => part < 60)"
    assert page.evaluate(dark) is (scheme == "dark")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert violations(page) == []
    page.close()
