"""QML in windows that widgets contain: read below the container, and driven like any other."""

from __future__ import annotations

import pytest

from tests.adapters.qt.scene.program import BINDINGS, PLATFORMS, program


@pytest.fixture(scope="module", params=[(b, p) for b in BINDINGS for p in PLATFORMS], ids="-".join)
def app(request):
    with program("contained_quick", *request.param) as app:
        yield app


def said(app, view):
    return app.ask(f"form.{view}.rootObject().property('said')")


@pytest.mark.parametrize("view", ["first", "second"])
def test_items_are_below_the_container_and_where_they_are_shown(app, view):
    tree = app.tree()
    button = app.get(f"{view}_button")
    around = list(tree.ancestors(tree.get(button.uid)))
    assert app.get(f"{view}_container").uid in [node.uid for node in around]
    assert (button.role, button.name, button.visible) == ("button", "Gilt", True)
    left, top = app.ask(f"form.corner(form.{view})")
    assert (button.bounds.x, button.bounds.y) == (left + 10, top + 10)
    assert app.tree(button.uid).nodes[0].bounds == button.bounds
    assert [window.title for window in tree.windows] == ["Containers"]


@pytest.mark.parametrize("view", ["first", "second"])
def test_items_take_clicks_and_text(app, view):
    button, field = app.get(f"{view}_button").uid, app.get(f"{view}_field").uid
    app.here(
        f"""
from deskhand.model import operations as ops
adapter.perform(ops.Click("x"), {button!r}, None, timeout=10)
"""
    )
    app.idle()
    assert said(app, view) == "clicked"
    app.here(
        f"""
from deskhand.model import operations as ops
adapter.perform(ops.TypeText("x", text="Zoë", clear=True), {field!r}, None, timeout=10)
"""
    )
    app.idle()
    assert said(app, view) == "Zoë"
    assert app.get(f"{view}_field").value == "Zoë"


def test_a_change_inside_is_reported(app):
    assert app.here(
        """
import threading
told = threading.Event()
adapter.read(timeout=5)
stop = adapter.subscribe(told.set)
adapter.idle(timeout=5)
told.clear()
adapter.call(lambda: form.first.rootObject().setProperty("color", "red"), timeout=5)
answer = told.wait(5)
stop()
"""
    )


def test_an_item_is_photographed(app):
    button = app.get("first_button")
    wide = app.here(f"answer = adapter.screenshot({button.uid!r}, timeout=10).width")
    assert wide == button.bounds.width


@pytest.mark.parametrize("view", ["first", "second"])
def test_the_screenshot_of_the_window_has_what_the_container_shows(app, view):
    app.do(f"form.{view}.rootObject().setProperty('color', 'red')")
    left, top = app.ask(f"form.corner(form.{view})")
    x, y = app.ask("form.corner(form.windowHandle())")
    name = app.here(
        f"""
screenshot = adapter.screenshot(None, timeout=10).png
from importlib import import_module
image = import_module(BINDING + ".QtGui").QImage.fromData(screenshot)
answer = image.pixelColor({left - x + 3}, {top - y + 3}).name()
"""
    )
    assert name == "#ff0000"


def test_what_a_hidden_page_contains_is_not_there(app):
    app.do("form.tabs.setCurrentIndex(1)")
    assert not [node for node in app.tree() if node.automation_id == "first_button"]
    assert app.get("first_container").visible is False
    app.do("form.tabs.setCurrentIndex(0)")
    assert app.get("first_button").visible
