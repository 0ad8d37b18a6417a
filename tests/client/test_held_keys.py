"""Modifiers that `keyboard.down` holds are part of every click, drag and key until `keyboard.up`."""

from __future__ import annotations

from typing import Any

import pytest

from deskhand import App
from deskhand.model.errors import ActionUnsupported, InvalidKey
from deskhand.model.keys import parse
from deskhand.model.operations import Click, Done, Drag, Key, MouseDown, MouseUp, Operation, Scroll


class Recorder:
    """A link that performs nothing and keeps what it is given."""

    address = "here"

    def __init__(self) -> None:
        self.given: list[Operation[Any]] = []

    def run(self, operation: Operation[Any]) -> Any:
        self.given.append(operation)
        return Done()

    def close(self) -> None: ...


@pytest.fixture
def link() -> Recorder:
    return Recorder()


@pytest.fixture
def app(link: Recorder) -> App:
    return App(link)


def test_held_modifiers_apply_to_pointer_and_keys(app: App, link: Recorder) -> None:
    app.keyboard.down("Shift")
    app.keyboard.down("ControlOrMeta")
    app.locator("button").click(modifiers=["Shift"])
    app.mouse.drag((1, 2), (3, 4))
    app.mouse.down(1, 2)
    app.mouse.up(1, 2)
    app.keyboard.press("ArrowLeft")

    click, drag, down, up, key = link.given
    assert isinstance(click, Click)
    assert isinstance(drag, Drag)
    assert isinstance(down, MouseDown)
    assert isinstance(up, MouseUp)
    assert {each.modifiers for each in (click, drag, down, up)} == {("shift", "ctrl")}
    assert isinstance(key, Key)
    assert parse(key.keys) == parse("shift+ctrl+left")


def test_a_modifier_that_was_let_go_applies_no_longer(app: App, link: Recorder) -> None:
    app.keyboard.down("Control")
    app.keyboard.up("ctrl")
    app.mouse.dblclick(5, 6)

    assert link.given == [Click(x=5, y=6, count=2)]


def test_only_modifiers_can_be_held(app: App) -> None:
    for key in ("a", "Enter", "ctrl+a", "ctrl+shift"):
        with pytest.raises(InvalidKey, match="cannot be held"):
            app.keyboard.down(key)
    with pytest.raises(InvalidKey, match="no key named"):
        app.keyboard.down("Shft")


def test_the_wheel_is_refused_while_a_modifier_is_held(app: App, link: Recorder) -> None:
    app.keyboard.down("Control")

    with pytest.raises(ActionUnsupported, match="wheel"):
        app.mouse.wheel(1)
    app.locator("button").scroll_into_view()

    assert isinstance(link.given[-1], Scroll)
