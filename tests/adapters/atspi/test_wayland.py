"""Programs on Wayland: read and operated through accessibility; what is impossible there is reported."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from deskhand import App, Locator, expect
from deskhand.adapters.atspi import AtspiAdapter
from deskhand.client._sync.link import LocalEngine
from deskhand.engine.session import Session
from deskhand.model.errors import ActionUnsupported, ScreenshotFailed
from deskhand.model.node import Node

from .wayland import wayland_session

pytestmark = pytest.mark.programs

DEMO = Path(__file__).parents[3] / "demo"
FORMS = {
    "gtk3": ["/usr/bin/python3", str(DEMO / "gtk3_form.py")],
    "gtk4": ["/usr/bin/python3", str(DEMO / "gtk4_form.py")],
    "qt6": [sys.executable, str(DEMO / "qt_form.py"), "--rows", "30"],
}
ON_WAYLAND = {"GDK_BACKEND": "wayland", "QT_QPA_PLATFORM": "wayland"}


@pytest.fixture(scope="module")
def session() -> Iterator[dict[str, str]]:
    with wayland_session() as env:
        yield env


@pytest.fixture(scope="module", params=list(FORMS))
def form(session: dict[str, str], request: pytest.FixtureRequest) -> Iterator[App]:
    adapter = AtspiAdapter(session)  # which turns accessibility on for programs that start after it
    with subprocess.Popen(
        FORMS[request.param], env={**session, **ON_WAYLAND}, stderr=subprocess.DEVNULL
    ) as process:
        engine = Session(adapter)
        try:
            with App(LocalEngine(engine, request.param)) as app:
                app.locator('button[name="Greet"]').wait_for(timeout=60)
                app.wait_idle(timeout=30)
                yield app
        finally:
            engine.close()
            process.kill()


def report(app: App) -> Locator:
    return app.locator('[description="What happened last"]')


def says(app: App, what: str) -> None:
    """The program reports that this is what happened last."""
    expect(report(app)).to_have_text(what)


def greet(app: App) -> Locator:
    return app.get_by_role("button", name="Greet")


def field(app: App) -> Node:
    return next(node for node in app.tree() if node.name == "Name" and node.editable)


def test_everything_except_the_position_is_reported(form: App) -> None:
    tree = form.tree()
    assert [window.title for window in form.windows()] == ["Order form"]
    assert field(form).visible
    assert form.get_by_role("button", name="Send").get().enabled is False
    assert [node for node in tree if node.bounds is not None] == []
    x, y, width, height = greet(form).get().properties["bounds_in_window"]
    assert x > 0
    assert y > 0
    assert 10 < width < 640
    assert 10 < height < 100


def test_a_text_is_put_in_and_a_button_pressed_without_any_input(form: App) -> None:
    name = form.locator(f"uid={field(form).uid}")
    name.fill("Zoë 日本")
    name.type(" L.")
    greet(form).activate()
    says(form, "Hello, Zoë 日本 L.!")


REFUSED: dict[str, Callable[[App], object]] = {
    "click": lambda app: greet(app).click(),
    "hover": lambda app: greet(app).hover(),
    "key": lambda app: greet(app).press("ctrl+s"),
    "wheel": lambda app: greet(app).scroll(dy=1),
    "move": lambda app: app.locator("window").control_window("move", x=1, y=1),
    "resize": lambda app: app.locator("window").control_window("resize", width=500, height=400),
    "minimize": lambda app: app.locator("window").control_window("minimize"),
}


@pytest.mark.parametrize("what", list(REFUSED))
def test_what_needs_x11_is_refused_at_once_with_what_to_do_instead(form: App, what: str) -> None:
    before = report(form).text_content()
    began = time.monotonic()
    with pytest.raises(ActionUnsupported, match="X11") as caught:
        REFUSED[what](form)
    assert time.monotonic() - began < 3
    assert any("press, set-value" in hint for hint in caught.value.suggestions)
    assert any("deskhand run" in hint for hint in caught.value.suggestions)
    assert report(form).text_content() == before


def test_there_is_no_screenshot_and_no_point_on_the_screen(form: App) -> None:
    with pytest.raises(ScreenshotFailed, match="X11") as caught:
        form.screenshot()
    assert caught.value.suggestions
    with pytest.raises(ActionUnsupported, match="X11"):
        form.keyboard.press("enter")


def test_a_dialog_is_answered_or_says_why_not(form: App, request: pytest.FixtureRequest) -> None:
    form.locator('button[name="Place order…"]').activate()
    dialog = form.locator("dialog")
    expect(dialog).to_be_visible()
    assert dialog.get().bounds is None
    no = dialog.locator('button[name="No"]')
    if "gtk3" in request.node.name:
        with pytest.raises(ActionUnsupported, match="GTK puts further actions off"):
            no.activate()
    else:
        no.activate()
        says(form, "order cancelled")
