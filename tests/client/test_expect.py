"""Expectations wait, and say what was there when they fail."""

from __future__ import annotations

import re
from operator import attrgetter
from typing import Any

import pytest

from deskhand import App, expect
from deskhand.client import ExpectationFailed
from tests.client.greeter import Greeter


def test_an_expectation_waits_until_it_holds(app: App, greeter: Greeter) -> None:
    greeter.later(0.2, lambda: setattr(greeter.greeting, "text", "Hello, Ada!"))

    expect(app.locator("#greeting")).to_have_text("Hello, Ada!")


APP = "app"
NOTHING = object()

HOLD = [
    ("#greeting", "to_have_text", ""),
    ("button >> nth=0", "to_have_text", "Greet"),
    ("button >> nth=0", "to_contain_text", "ree"),
    ("button >> nth=0", "to_contain_text", re.compile("gre+t", re.IGNORECASE)),
    ("#colour", "to_have_value", "Red"),
    ("#colour", "to_have_text", "Red"),
    ("#colour", "to_have_name", "Colour"),
    ("#name", "to_be_visible", NOTHING),
    ("#hidden", "to_be_hidden", NOTHING),
    ("#nowhere", "to_be_hidden", NOTHING),
    ("#hidden", "to_exist", NOTHING),
    ("#name", "to_be_enabled", NOTHING),
    ("#late", "to_be_disabled", NOTHING),
    ("checkbox", "to_be_checked", False),
    ("#name", "to_be_editable", NOTHING),
    ("#name", "to_be_empty", NOTHING),
    ("#greeting", "to_be_empty", NOTHING),
    ("#colour", "not_.to_be_empty", NOTHING),
    ("group >> nth=0", "not_.to_be_empty", NOTHING),
    ("group", "to_have_count", 2),
    (APP, "to_have_title", "Greeter"),
    (APP, "to_have_title", re.compile("^Greet")),
    ("#greeting", "not_.to_have_text", "Hello"),
    ("#greeting", "not_.to_contain_text", "Hello"),
    ("#colour", "not_.to_have_value", "Blue"),
    ("#hidden", "not_.to_be_visible", NOTHING),
    ("#nowhere", "not_.to_be_visible", NOTHING),
    ("#name", "not_.to_be_hidden", NOTHING),
    ("#nowhere", "not_.to_exist", NOTHING),
    ("#late", "not_.to_be_enabled", NOTHING),
    ("#name", "not_.to_be_disabled", NOTHING),
    ("checkbox", "not_.to_be_checked", NOTHING),
    ("#name", "not_.to_be_focused", NOTHING),
    ("checkbox", "not_.to_be_selected", NOTHING),
    ("#greeting", "not_.to_be_editable", NOTHING),
    ("group", "not_.to_have_count", 3),
    ("#name", "not_.to_have_name", "Colour"),
    (APP, "not_.to_have_title", "Untitled"),
    ("#name", "not_.not_.to_be_visible", NOTHING),
    ("#hidden", "not_to_be_visible", NOTHING),
    ("#greeting", "not_to_have_text", "Hello"),
    ("#hidden", "to_be_attached", NOTHING),
    (APP, "not_to_have_title", "Untitled"),
]

FAIL = [
    ("#greeting", "to_have_text", "Hello"),
    ("#greeting", "to_contain_text", "Hello"),
    ("#colour", "to_have_value", "Blue"),
    ("#hidden", "to_be_visible", NOTHING),
    ("#name", "to_be_hidden", NOTHING),
    ("#nowhere", "to_exist", NOTHING),
    ("#late", "to_be_enabled", NOTHING),
    ("#name", "to_be_disabled", NOTHING),
    ("checkbox", "to_be_checked", NOTHING),
    ("#name", "to_be_focused", NOTHING),
    ("#greeting", "to_be_editable", NOTHING),
    ("checkbox", "to_be_selected", NOTHING),
    ("#colour", "to_be_empty", NOTHING),
    ("#nowhere", "to_be_empty", NOTHING),
    ("#name", "not_.to_be_empty", NOTHING),
    ("group", "to_have_count", 1),
    ("#name", "to_have_name", "Colour"),
    (APP, "to_have_title", "Untitled"),
    ("#greeting", "not_.to_have_text", ""),
    ("#name", "not_.to_be_visible", NOTHING),
    ("#name", "not_.to_exist", NOTHING),
    ("#name", "not_.to_be_enabled", NOTHING),
    ("checkbox", "not_.to_be_checked", False),
    ("group", "not_.to_have_count", 2),
    ("#nowhere", "not_.to_be_focused", NOTHING),
    ("#name", "not_to_be_visible", NOTHING),
]


@pytest.mark.parametrize(("subject", "expectation", "wanted"), HOLD)
def test_an_expectation_that_holds_passes(app: App, subject: str, expectation: str, wanted: object) -> None:
    state(app, subject, expectation, wanted, timeout=2)


@pytest.mark.parametrize(("subject", "expectation", "wanted"), FAIL)
def test_an_expectation_that_does_not_hold_fails(
    app: App, subject: str, expectation: str, wanted: object
) -> None:
    with pytest.raises(AssertionError):
        state(app, subject, expectation, wanted, timeout=0)


def state(app: App, subject: str, expectation: str, wanted: Any, timeout: float) -> None:
    """What a test would write as `expect(subject).expectation(wanted)`."""
    expected = attrgetter(expectation)(expect(app) if subject == APP else expect(app.locator(subject)))
    if wanted is NOTHING:
        expected(timeout=timeout)
    elif isinstance(wanted, bool):
        expected(checked=wanted, timeout=timeout)
    else:
        expected(wanted, timeout=timeout)


def test_a_failure_says_what_was_wanted_and_what_was_there(app: App) -> None:
    with pytest.raises(ExpectationFailed) as caught:
        expect(app.locator("#colour")).to_have_value("Blue", timeout=0.1)

    assert caught.value.wanted == "have value 'Blue'"
    assert caught.value.last_seen["value"] == "Red"
    assert caught.value.timeout == 0.1
    assert "value='Red'" in str(caught.value)


def test_a_failure_for_want_of_the_element_names_near_misses(app: App) -> None:
    with pytest.raises(ExpectationFailed) as caught:
        expect(app.locator("#greetin")).to_be_visible(timeout=0)

    assert caught.value.near[0] == "#greeting"
    assert "nothing matches" in str(caught.value)
    assert "#greeting" in str(caught.value)


def test_a_failure_for_too_many_elements_lists_them(app: App) -> None:
    with pytest.raises(ExpectationFailed) as caught:
        expect(app.get_by_role("button", name="Twin")).to_be_enabled(timeout=0)

    assert len(caught.value.matches) == 2


def test_only_apps_and_locators_can_be_expected(app: App) -> None:
    with pytest.raises(TypeError, match="not str"):
        expect("#greeting")  # type: ignore[call-overload]


def test_an_expectation_that_does_not_exist_names_the_one_that_does(app: App) -> None:
    with pytest.raises(AttributeError, match="did you mean to_have_text"):
        attrgetter("not_to_have_txt")(expect(app.locator("#greeting")))
