"""Commands that act, judged by what the app holds afterwards."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import Deskhand
from tests.client.greeter import Greeter


def test_type_and_click(deskhand: Deskhand, greeter: Greeter) -> None:
    assert deskhand("type", "#name", "Ada").stdout == "typed into #name\n"
    assert deskhand("click", 'button[name="Greet"]').exit_code == 0
    assert greeter.greeting.text == "Hello, Ada!"

    deskhand("type", "--clear", "#name", "Grace")
    deskhand("type", " Hopper")  # where the focus is
    assert greeter.name.value == "Grace Hopper"


def test_a_click_waits_and_then_says_why_not(deskhand: Deskhand, greeter: Greeter) -> None:
    done = deskhand("click", "#late", "--timeout", "0.1")

    assert done.exit_code == 1
    assert "not enabled" in done.stderr

    greeter.later(0.1, lambda: setattr(greeter.late, "enabled", True))
    assert deskhand("click", "#late").exit_code == 0
    assert greeter.greeting.text == "at last"


def test_a_click_refuses_to_choose_and_lists_the_choices(deskhand: Deskhand, greeter: Greeter) -> None:
    done = deskhand("click", 'button[name="Twin"]', "--timeout", "0")

    assert done.exit_code == 5
    assert 'matches: group[name="Left"] >> button[name="Twin"]' in done.stderr


def test_a_receipt_reports_what_changed(deskhand: Deskhand, greeter: Greeter) -> None:
    told = deskhand("click", 'button[name="Greet"]', "--receipt").stdout
    assert "'Hello, !'" in told

    done = json.loads(deskhand("type", "#name", "Ada", "--receipt", "--json").stdout)
    assert done["receipt"]["changed"][0]["fields"]["value"] == "Ada"


@pytest.mark.parametrize(
    ("words", "checked"),
    [(("set", "checkbox", "on"), True), (("check", "checkbox"), True), (("uncheck", "checkbox"), False)],
)
def test_boxes_are_ticked(
    deskhand: Deskhand, greeter: Greeter, words: tuple[str, ...], checked: bool
) -> None:
    assert deskhand(*words).exit_code == 0
    assert greeter.agree.checked is checked


def test_set_replaces_a_value(deskhand: Deskhand, greeter: Greeter) -> None:
    assert deskhand("set", "#name", "Ada").exit_code == 0
    assert greeter.name.value == "Ada"
    assert deskhand("set", "checkbox", "perhaps").exit_code == 2


def test_select_by_text_index_and_value(deskhand: Deskhand, greeter: Greeter) -> None:
    assert deskhand("select", "#colour", "Green").stdout == "selected in #colour: Green\n"
    deskhand("select", "#colour", "--index", "2")
    assert greeter.colour.value == "Blue"
    deskhand("select", "#colour", "--value", "Red")
    assert greeter.colour.value == "Red"
    assert deskhand("select", "#colour").exit_code == 2


def test_select_of_what_is_not_there_lists_what_is(deskhand: Deskhand, greeter: Greeter) -> None:
    done = deskhand("select", "#colour", "Violet")

    assert done.exit_code == 3
    for option in ("Red", "Green", "Blue"):
        assert done.stderr.count(option) == 1


def test_focus_and_press(deskhand: Deskhand, greeter: Greeter) -> None:
    assert deskhand("focus", "#name").exit_code == 0
    assert greeter.adapter.focused is greeter.name
    assert deskhand("press", 'button[name="Greet"]').exit_code == 0
    assert greeter.greeting.text == "Hello, !"


def test_a_window_is_closed(deskhand: Deskhand, greeter: Greeter) -> None:
    assert deskhand("window", "close", "#name").exit_code == 0
    assert greeter.adapter.windows == []


@pytest.mark.parametrize(
    "words",
    [
        ("click", "--button", "fourth", "#name"),
        ("click", "--at", "here", "#name"),
        ("click",),
        ("type",),
        ("type", "#name", "Ada", "Lovelace"),
        ("key", "#name", "a", "b"),
        ("scroll",),
        ("window", "resize", "big"),
        ("window", "move", "1x2"),
        ("click", "button["),
        ("click", "#name", "--timeout", "-1"),
    ],
)
def test_wrong_use_ends_with_2(deskhand: Deskhand, greeter: Greeter, words: tuple[str, ...]) -> None:
    done = deskhand(*words)

    assert done.exit_code == 2
    assert done.stdout == ""


def test_a_read_only_app_allows_no_action(deskhand: Deskhand, greeter: Greeter) -> None:
    greeter.session.read_only = True

    assert deskhand("click", "#name").exit_code == 4
    assert deskhand("tree").exit_code == 0


def test_an_app_that_is_switched_off_allows_nothing(deskhand: Deskhand, greeter: Greeter) -> None:
    greeter.session.enabled = False

    assert deskhand("tree").exit_code == 4


@pytest.mark.parametrize(
    "words",
    [
        ("click",),
        ("click", "button[name="),
        ("click", "buton"),
        ("select", "#colour"),
        ("drag", "#name", "nonsense["),
        ("key", ""),
        ("scroll",),
        ("wait",),
        ("wait", "#name", "--matches", "("),
        ("get", "#"),
        ("tree", ">>"),
        ("screenshot", "one", "two"),
        ("window", "close", "buton"),
    ],
    ids=" ".join,
)
def test_wrong_usage_is_reported_before_a_missing_app(deskhand: Deskhand, words: tuple[str, ...]) -> None:
    assert deskhand(*words).exit_code == 2


def test_a_click_without_anything_says_what_it_needs(deskhand: Deskhand, greeter: Greeter) -> None:
    done = deskhand("click")

    assert done.exit_code == 2
    assert "give a SELECTOR, or a point of the screen: --at X,Y" in done.stderr


@pytest.mark.parametrize(
    ("words", "right"),
    [(("key", "ctrl+a", "#name"), "'#name' ctrl+a"), (("type", "Ada King", "#name"), "'#name' 'Ada King'")],
)
def test_what_is_given_in_the_wrong_order_is_shown_in_the_right_one(
    deskhand: Deskhand, greeter: Greeter, words: tuple[str, ...], right: str
) -> None:
    done = deskhand(*words)

    assert done.exit_code == 2
    assert "the SELECTOR comes first" in done.stderr
    assert right in done.stderr
