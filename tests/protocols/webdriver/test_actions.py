"""Actions: what ticks become, and what is refused."""

from __future__ import annotations

import pytest

from deskhand.model import operations as ops
from deskhand.model.node import Node, Rect
from deskhand.protocols.webdriver.actions import Input, steps_of
from deskhand.protocols.webdriver.errors import WebDriverError

ORIGIN = Rect(100, 50, 400, 300)
BUTTON = Node(uid="b1", role="button", bounds=Rect(110, 60, 40, 20))
ELEMENT = {"element-6066-11e4-a52e-4f735466cecf": "x"}


def read(*sources, state=None):
    return steps_of({"actions": list(sources)}, state or Input(), lambda _: BUTTON, ORIGIN, 2.0)


def pointer(*actions, **parameters):
    return {"type": "pointer", "id": "mouse", "parameters": parameters, "actions": list(actions)}


def keys(*actions):
    return {"type": "key", "id": "keyboard", "actions": list(actions)}


def move(x, y, origin="viewport", duration=0):
    return {"type": "pointerMove", "x": x, "y": y, "origin": origin, "duration": duration}


def down(value=None, button=0):
    return {"type": "pointerDown", "button": button} if value is None else {"type": "keyDown", "value": value}


def up(value=None, button=0):
    return {"type": "pointerUp", "button": button} if value is None else {"type": "keyUp", "value": value}


PAUSE = {"type": "pause", "duration": 0}


def test_a_press_and_a_release_on_an_element_are_a_click_on_it():
    hover, click = read(pointer(move(0, 0, ELEMENT), down(), up()))

    assert hover == ops.Hover('uid="b1"', 2.0)
    assert click == ops.Click('uid="b1"', 2.0)


@pytest.mark.parametrize("kind", ["mouse", "pen", "touch"])
def test_pen_and_touch_are_pointers_and_the_viewport_is_the_window(kind):
    *_, click = read(pointer(move(7, 8), down(), up(), pointerType=kind))

    assert (click.target, click.x, click.y) == (None, 107, 58)


def test_two_clicks_at_one_point_are_a_double_click():
    *_, click = read(pointer(move(1, 1), down(button=2), up(button=2), down(button=2), up(button=2)))

    assert (click.count, click.button) == (2, "right")


def test_an_offset_is_from_the_middle_of_an_element_and_of_the_pointer():
    first, second, third = read(pointer(move(5, -5, ELEMENT), move(1, 2, "pointer"), move(90, 0, ELEMENT)))

    assert (first.target, first.x, first.y) == ('uid="b1"', 25, 5)
    assert (second.target, second.x, second.y) == (None, 136, 67)
    assert (third.target, third.x, third.y) == (None, 220, 70)


def test_a_press_one_move_and_a_release_are_a_drag_and_more_moves_stay_moves():
    *_, drag = read(pointer(move(0, 0, ELEMENT), down(), move(30, 40), up()))
    assert (drag.target, drag.to_x, drag.to_y) == ('uid="b1"', 130, 90)

    steps = read(pointer(move(0, 0), down(), move(5, 5), move(9, 9), up()))
    assert [type(step) for step in steps] == [ops.Hover, ops.MouseDown, ops.Hover, ops.Hover, ops.MouseUp]


def test_modifiers_are_held_over_ticks_sources_and_commands():
    state = Input()
    *_, click = read(
        keys(down("\ue009"), PAUSE, PAUSE, PAUSE), pointer(PAUSE, move(1, 1), down(), up()), state=state
    )
    assert click.modifiers == ("ctrl",)

    assert read(keys(down("a"), up("a"), up("\ue009"), down("b")), state=state) == [
        ops.Key(timeout=2.0, keys="ctrl+a"),
        ops.TypeText(timeout=2.0, text="b"),
    ]


def test_characters_are_typed_as_one_text_and_named_keys_are_pressed():
    typed, enter = read(keys(down("h"), up("h"), down("é"), up("é"), down("\ue007"), up("\ue007")))

    assert (typed.text, enter.keys) == ("hé", "enter")


def test_a_tick_takes_as_long_as_its_longest_pause():
    steps = read(
        {"type": "none", "id": "n", "actions": [{"type": "pause", "duration": 300}]},
        pointer(move(1, 1, duration=100)),
    )

    assert steps[1:] == [0.3]


def test_a_wheel_turns_by_notches():
    wheel = {"type": "scroll", "x": 0, "y": 0, "origin": ELEMENT, "deltaX": 0, "deltaY": -240}
    (scroll,) = read({"type": "wheel", "id": "w", "actions": [wheel]})

    assert (scroll.target, scroll.dy) == ('uid="b1"', -2)


def test_releasing_releases_what_is_held():
    state = Input()
    read(keys(down("\ue008")), pointer(move(1, 1), down()), state=state)

    (release,) = state.release(2.0)

    assert isinstance(release, ops.MouseUp)
    assert not state.held
    assert state.release(2.0) == []


@pytest.mark.parametrize(
    ("source", "code"),
    [
        (None, "invalid argument"),
        ({"type": "none"}, "invalid argument"),
        ({"type": "gesture", "id": "x", "actions": []}, "invalid argument"),
        ({"type": "none", "id": "x", "actions": [1]}, "invalid argument"),
        ({"type": "none", "id": "x", "actions": [{"type": "jump"}]}, "invalid argument"),
        ({"type": "none", "id": "x", "actions": [{"type": "pause", "duration": -1}]}, "invalid argument"),
        ({"type": "none", "id": "x", "actions": [{"type": "pause", "duration": "1"}]}, "invalid argument"),
        ({"type": "none", "id": "x", "actions": [{"type": "pause", "duration": 2**53}]}, "invalid argument"),
        ({"type": "none", "id": "x", "actions": [{"type": "pause", "duration": 10**9}]}, "invalid argument"),
        ({"type": "none", "id": "x", "actions": [PAUSE] * 10_001}, "invalid argument"),
        (keys(down("ab")), "invalid argument"),
        (keys(down("")), "invalid argument"),
        (keys({"type": "keyDown", "value": 7}), "invalid argument"),
        (keys(down("\ue040")), "unsupported operation"),
        (pointer(move(0, 0, "elsewhere")), "invalid argument"),
        (pointer(move(-1, 0)), "move target out of bounds"),
        (pointer(move(10**6, 0)), "move target out of bounds"),
        (pointer(move(None, 0)), "invalid argument"),
        (pointer(down(button=-1)), "invalid argument"),
        (pointer(down(button=9)), "unsupported operation"),
        (pointer({"type": "pointerCancel"}), "unsupported operation"),
        (pointer(pointerType="finger"), "invalid argument"),
        ({"type": "wheel", "id": "w", "actions": [{"type": "scroll", "x": 0, "y": 0}]}, "invalid argument"),
    ],
)
def test_absurd_ticks_are_refused_before_anything_is_done(source, code):
    state = Input()
    with pytest.raises(WebDriverError) as caught:
        read({**keys(down("\ue008")), "id": "first"}, source, state=state)

    assert caught.value.code == code
    assert not state.held


def test_an_input_source_keeps_its_type():
    state = Input()
    read({"type": "none", "id": "x", "actions": []}, state=state)

    with pytest.raises(WebDriverError, match="another type"):
        read({"type": "key", "id": "x", "actions": []}, state=state)
