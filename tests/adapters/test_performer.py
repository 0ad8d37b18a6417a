"""What is the same for every toolkit, over a toolkit that writes down what it is asked to do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from deskhand.adapters import performer
from deskhand.adapters.choices import Choice
from deskhand.adapters.performer import Offer, Options, State, Steps, at_once, perform
from deskhand.model import operations as ops
from deskhand.model.errors import (
    ActionFailed,
    ActionUnsupported,
    DeskhandError,
    InvalidParams,
    NotEditable,
    NotEnabled,
    OptionNotFound,
    Stale,
)

Point = tuple[float, float]


class Written:
    """A toolkit with one node, which is in one of some states."""

    title = "a list"

    def __init__(self, *states: State, choices: list[Choice] | None = None) -> None:
        self.states = list(states) or [State()]
        self.choices = choices
        self.done: list[Any] = []

    def describe(self, handle: str) -> str:
        return f"node {handle}"

    def state(self, handle: str) -> State:
        return self.states[0]

    def until(self, so: Callable[[], bool]) -> bool:
        return so()

    def aim(self, handle: str | None, x: float | None, y: float | None) -> Steps[Point]:
        yield
        return self.point(handle, x, y)

    def point(self, handle: str | None, x: float | None, y: float | None) -> Point:
        if handle is None and x is None:
            raise performer.no_point()
        return performer.spot((0, 0, 100, 20), x, y)

    def on_screen(self, at: Point) -> Point:
        return at

    def toggle(self, handle: str, checked: bool) -> None:
        self.done.append("toggle")
        if len(self.states) > 1:
            self.states.pop(0)

    def drag(self, start: Point, end: Point, action: ops.Drag) -> None:
        self.done.append(("drag", start, end))

    def offer(self, handle: str, action: ops.Select) -> Offer | None:
        return None if self.choices is None else Options("node", self.choices, self.take)

    def take(self, choice: Choice, extend: bool) -> None:
        self.done.append((choice.index, extend))

    def __getattr__(self, name: str) -> Callable[..., None]:
        """Every other primitive."""
        return lambda *given: self.done.append((name, *given))


def act(
    toolkit: Any, action: ops.Action, handle: str | None = "one", to: str | None = None
) -> Mapping[str, object]:
    steps = perform(toolkit, action, handle, to)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            answer: Mapping[str, object] = end.value
            return answer


OFF, ON, MIXED = State(False, takes="tick"), State(True, takes="tick"), State(False, mixed=True)


@pytest.mark.parametrize(
    ("action", "point"),
    [
        (ops.Click("node"), (50, 10)),
        (ops.Click("node", x=3, y=4), (3, 4)),
        (ops.Hover("node"), (50, 10)),
        (ops.MouseDown("node", x=3, y=4), (3, 4)),
        (ops.MouseUp(x=7, y=8), (7, 8)),
        (ops.MouseUp(), None),
        (ops.Drag("node", to="other", to_x=5, to_y=6), (5, 6)),
        (ops.Focus("node"), None),
    ],
)
def test_pointer_actions_say_where_the_pointer_was(action: ops.Action, point: Point | None) -> None:
    handle = "one" if action.target else None
    assert act(Written(), action, handle, "two").get("point") == point


def test_what_is_so_already_is_left_alone() -> None:
    opened = State(expanded=True)
    for state, action in ((ON, ops.SetChecked(checked=True)), (opened, ops.Expand(expanded=True))):
        toolkit = Written(state)
        assert act(toolkit, action) == {"detail": performer.ALREADY}
        assert toolkit.done == []


def test_something_with_three_states_is_pressed_until_it_is_in_the_wanted_one() -> None:
    toolkit = Written(OFF, MIXED, ON)
    act(toolkit, ops.SetChecked(checked=True))
    assert toolkit.done == ["toggle", "toggle"]


def test_a_tick_that_does_not_change_is_an_error() -> None:
    with pytest.raises(ActionFailed, match="node one was pressed, and is ticked still") as caught:
        act(Written(ON), ops.SetChecked(checked=False))
    assert caught.value.suggestions == ("if it is one of a group, tick another one instead",)


def test_an_element_that_its_tick_took_away_was_ticked() -> None:
    class Gone(Written):
        def state(self, handle: str) -> State:
            if self.done:
                raise Stale("it is gone")
            return OFF

    assert act(Gone(), ops.SetChecked(checked=True)) == {}


def test_a_value_goes_where_the_element_takes_it() -> None:
    toolkit = Written(OFF, ON)
    act(toolkit, ops.SetValue(value="on"))
    assert toolkit.done == ["toggle"]
    toolkit = Written(State(takes="option"), choices=[Choice(0, "Red"), Choice(1, "Blue")])
    act(toolkit, ops.SetValue(value="Blue"))
    assert toolkit.done == [(1, False)]
    toolkit = Written(State(takes="value"))
    act(toolkit, ops.SetValue(value="abc"))
    assert toolkit.done == [("set_value", "one", "abc")]


def test_options_are_chosen_by_text_index_and_value() -> None:
    choices = [Choice(0, "Red", "r"), Choice(1, "Blue")]
    for action in (ops.Select(text="Blue"), ops.Select(index=1), ops.Select(value="Blue", extend=True)):
        toolkit = Written(choices=choices)
        answer = act(toolkit, action)
        assert answer == {"selected": {"value": "Blue", "index": 1, "text": "Blue"}}
        assert toolkit.done == [(1, action.extend)]


@pytest.mark.parametrize(
    ("toolkit", "action", "kind"),
    [
        (Written(), ops.SetChecked(checked=True), ActionUnsupported),
        (Written(), ops.SetValue(value="1"), NotEditable),
        (Written(OFF), ops.SetValue(value="maybe"), InvalidParams),
        (Written(), ops.Select(text="Red"), NotEditable),
        (Written(choices=[]), ops.Select(text="Red"), OptionNotFound),
        (Written(choices=[Choice(0, "Red", enabled=False)]), ops.Select(index=0), NotEnabled),
    ],
)
def test_each_situation_has_one_kind_of_error(
    toolkit: Written, action: ops.Action, kind: type[DeskhandError]
) -> None:
    with pytest.raises(kind) as caught:
        act(toolkit, action)
    assert type(caught.value) is kind
    assert toolkit.done == []


def test_an_action_on_an_element_needs_one() -> None:
    for action in (ops.Press(), ops.Click()):
        with pytest.raises(ActionUnsupported):
            act(Written(), action, None)


def test_a_drag_goes_from_an_offset_in_one_element_to_the_middle_of_another() -> None:
    toolkit = Written()
    act(toolkit, ops.Drag(x=1), "one", "other")
    assert toolkit.done == [("drag", (1, 10), (50, 10))]
    assert performer.path((1, 10), (50, 10), 2) == [(25.5, 10), (50, 10)]


def test_the_wheel_turns_only_so_far() -> None:
    toolkit = Written()
    act(toolkit, ops.Scroll(dy=1e9))
    assert toolkit.done == [("wheel", "one", 0.0, performer.MOST_NOTCHES)]


def test_numbers_and_times_are_read_alike_everywhere() -> None:
    assert performer.number_within(" 4.5 ", 0, 10, "it") == 4.5
    assert performer.whole_number(4.0, "it") == 4
    assert performer.time_of_day("13:45", "it") == (13, 45, 0)
    for wrong in (
        lambda: performer.number("many", "it"),
        lambda: performer.number("nan", "it"),
        lambda: performer.number_within("11", 0, 10, "it"),
        lambda: performer.whole_number(4.5, "it"),
        lambda: performer.time_of_day("25:00", "it"),
        lambda: performer.time_of_day("noon", "it"),
    ):
        with pytest.raises(InvalidParams):
            wrong()


def test_primitives_that_are_done_at_once_need_no_steps() -> None:
    assert at_once(perform(Written(ON), ops.SetChecked(checked=True), "one", None))
    with pytest.raises(AssertionError):
        at_once(perform(Written(), ops.Click(), "one", None))
