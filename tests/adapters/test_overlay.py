"""A program of wx in whose canvas Dear ImGui draws: one tree, and each does what is its own."""

from __future__ import annotations

import struct
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from deskhand import App, Desktop, expect, launch
from deskhand.model import operations as ops
from deskhand.model.errors import ActionUnsupported, Stale

PROGRAM = Path(__file__).parent / "imgui" / "canvas_app.py"


@pytest.fixture(scope="module")
def app() -> Iterator[App]:
    with Desktop() as desktop, launch([sys.executable, str(PROGRAM)], env=dict(desktop.env)) as app:
        app.locator('window[name="Tools"]').wait_for(timeout=20)
        yield app


def says(app: App, what: str) -> None:
    expect(app.locator("#report")).to_have_value(what)


def test_what_is_drawn_hangs_below_the_canvas_where_it_is_on_the_screen(app: App) -> None:
    tree = app.tree()
    tools = next(node for node in tree if node.name == "Tools")
    canvas = tree.parent(tools)
    assert canvas is not None
    assert (canvas.native_class, canvas.backend, tools.backend) == ("wxGLCanvas", "wx", "imgui")
    assert canvas.child_count == 1
    assert tree.bounds_in_parent(tools) == (20, 30, *tools.bounds[2:])
    assert [window.title for window in tree.windows] == ["Canvas"]
    paths = {path: node.uid for node, path in tree.paths()}
    assert {path: tree.resolve(path).uid for path in paths} == paths


def test_each_toolkit_is_driven_through_the_same_tree(app: App) -> None:
    app.get_by_role("button", name="Press").click()
    says(app, "pressed 1")
    app.locator("#name").fill("Zoë")
    app.keyboard.press("backspace")
    says(app, "name Zo")
    app.locator("#volume").set_value("42")
    says(app, "volume 42")
    app.get_by_role("tab", name="Other").click()
    expect(app.get_by_role("button", name="Beside")).to_be_visible()
    app.get_by_role("tab", name="Drawing").click()
    expect(app.get_by_role("button", name="Press")).to_be_visible()


def test_a_canvas_that_is_not_shown_costs_nothing_and_shows_nothing(app: App) -> None:
    press = app.get_by_role("button", name="Press").get()
    app.get_by_role("tab", name="Other").click()
    expect(app.locator('window[name="Tools"]')).to_be_hidden()
    assert app.locator('window[name="Tools"]').count() == 0
    with pytest.raises(Stale, match="Press"):
        app.locator(f"uid={press.uid}").get(timeout=0)
    app.wait_idle()
    app.get_by_role("tab", name="Drawing").click()
    assert app.get_by_role("button", name="Press").get(timeout=5).uid == press.uid


def test_a_dialog_of_the_other_toolkit_in_the_midst_of_a_frame_is_answered(app: App) -> None:
    app.get_by_role("button", name="Ask").click()
    assert app.state().modal_dialog == "Question"
    assert app.get_by_role("button", name="Ask").count() == 1
    app.locator('dialog >> button[name="Yes"]').click()
    says(app, "yes")
    app.get_by_role("button", name="Press").click()
    expect(app.locator("#report")).not_.to_have_value("yes")


def test_a_screenshot_of_an_item_is_cut_from_that_of_the_screen(app: App) -> None:
    image = app.run(ops.Screenshot('button[name="Press"]'))
    bounds = app.get_by_role("button", name="Press").bounds()
    assert bounds is not None
    assert (image.width, image.height) == (round(bounds.width), round(bounds.height))
    assert struct.unpack(">II", image.png[16:24]) == (image.width, image.height)
    whole = app.run(ops.Screenshot())
    assert whole.width > image.width


def test_a_change_of_either_is_heard_of(app: App) -> None:
    def wait(selector: str, value: str) -> threading.Thread:
        waiter = threading.Thread(target=lambda: heard.append(app.run(ops.Wait(selector, "value", value))))
        waiter.start()
        return waiter

    heard: list[ops.Waited] = []
    waiters = [wait("#volume", "17"), wait("#report", "volume 17")]
    app.locator("#volume").set_value("17")
    for waiter in waiters:
        waiter.join(10)
    assert len(heard) == 2


def test_a_drag_from_one_toolkit_into_the_other_is_refused(app: App) -> None:
    with pytest.raises(ActionUnsupported):
        app.run(ops.Drag('button[name="Press"]', to="#report"))


def test_the_real_mouse_still_works(app: App) -> None:
    expect(app.locator("#report")).not_.to_have_value("pressed 1")
    before = app.locator("#report").input_value()
    bounds = app.get_by_role("button", name="Press").bounds()
    assert bounds is not None
    app.run(ops.Click(x=bounds.center[0], y=bounds.center[1]))
    expect(app.locator("#report")).not_.to_have_value(before)
    assert app.locator("#report").input_value().startswith("pressed")
