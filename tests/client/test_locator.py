"""Locators find, wait, act and read, each time afresh."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import pytest

from deskhand import App
from deskhand.adapters.memory import Element
from deskhand.client._sync.link import LocalEngine
from deskhand.model.errors import Ambiguous, InvalidParams, NotEnabled, NotFound, OptionNotFound
from deskhand.model.operations import Select
from tests.client.greeter import Greeter


def test_making_a_locator_reads_nothing(app: App) -> None:
    locator = app.locator("!!! no selector at all").first

    assert "no selector" in repr(locator)


def test_fill_replaces_and_type_adds(app: App, greeter: Greeter) -> None:
    app.locator("#name").fill("Ada")
    app.locator("#name").type(" Lovelace")

    assert greeter.name.value == "Ada Lovelace"
    assert app.locator("#name").input_value() == "Ada Lovelace"

    app.locator("#name").fill("Grace")
    assert greeter.name.value == "Grace"

    app.locator("#name").clear()
    assert greeter.name.value == ""


def test_click_presses_the_button(app: App, greeter: Greeter) -> None:
    app.get_by_label("name").fill("Ada")
    done = app.get_by_role("button", name="Greet").click()

    assert greeter.greeting.text == "Hello, Ada!"
    assert done.receipt is None


def test_a_receipt_says_what_changed(app: App) -> None:
    done = app.get_by_role("button", name="Greet").click(receipt=True)

    assert done.receipt is not None
    assert [change.fields["text"] for change in done.receipt.changed if "text" in change.fields] == [
        "Hello, !"
    ]


def test_a_click_waits_until_the_button_is_enabled(app: App, greeter: Greeter) -> None:
    greeter.later(0.2, lambda: setattr(greeter.late, "enabled", True))

    app.locator("#late").click()

    assert greeter.greeting.text == "at last"


def test_a_button_that_stays_disabled_is_an_error_that_says_so(app: App) -> None:
    with pytest.raises(NotEnabled) as caught:
        app.locator("#late").click(timeout=0.1)

    assert caught.value.target == "#late"
    assert caught.value.last_seen == {"visible": True, "enabled": False}


def test_a_locator_finds_what_was_rebuilt(app: App, greeter: Greeter) -> None:
    locator = app.locator("#name")
    locator.fill("Ada")
    new = Element("textfield", "Name", "name", value="new")
    greeter.adapter.post(lambda: greeter.window.children.__setitem__(0, new)).result()

    assert locator.input_value() == "new"


def test_a_locator_refuses_to_choose_between_two(app: App) -> None:
    with pytest.raises(Ambiguous) as caught:
        app.get_by_role("button", name="Twin").click(timeout=0)

    assert len(caught.value.matches) == 2


def test_first_last_and_nth_choose_among_the_matches(app: App) -> None:
    twins = app.get_by_role("button", name="Twin")
    uids = [node.uid for node in twins.nodes()]

    assert twins.count() == 2
    assert [twins.first.get().uid, twins.last.get().uid] == uids
    assert twins.nth(1).get().uid == uids[1]
    assert [each.get().uid for each in twins.all()] == uids


def test_a_locator_inside_a_locator(app: App) -> None:
    left, right = app.get_by_role("group", name="Left"), app.get_by_role("group", name="Right")

    assert left.get_by_text("Twin").get().uid != right.locator("button").get().uid
    assert app.locator("group").filter(has_text="Twin").count() == 2
    assert app.locator("window, group").filter(has=app.locator("#greeting")).count() == 1
    assert left.or_(right).count() == 2


def test_get_by_matches_parts_in_any_case_unless_exact(app: App) -> None:
    assert app.get_by_role("button", name="gree").count() == 1
    assert app.get_by_role("button", name="gree", exact=True).count() == 0
    assert app.get_by_role("button", name=re.compile("^G.*t$")).count() == 1
    assert app.get_by_text("AGREE").count() == 1
    assert app.get_by_test_id("greeting").count() == app.get_by_id("greeting").count() == 1


def test_no_match_lists_similar_elements(app: App) -> None:
    with pytest.raises(NotFound) as caught:
        app.locator('button[name="Gret"]').click(timeout=0)

    assert any("Greet" in near for near in caught.value.near)


def test_boxes_are_ticked_and_unticked_once(app: App, greeter: Greeter) -> None:
    box = app.get_by_label("I agree")
    box.check()
    box.check()
    assert greeter.agree.checked
    assert box.is_checked()

    box.uncheck()
    assert not greeter.agree.checked
    box.set_checked(True)
    assert greeter.agree.checked


def test_options_are_selected_by_value_index_and_text(app: App, greeter: Greeter) -> None:
    combo = app.locator("#colour")

    assert combo.select_option("Green").selected == {"value": "Green", "index": 1, "text": "Green"}
    combo.select_option(index=2)
    assert greeter.colour.value == "Blue"
    combo.select_option(text="Red")
    assert greeter.colour.value == "Red"


def test_a_value_that_no_option_has_may_be_its_text(
    app: App, greeter: Greeter, monkeypatch: pytest.MonkeyPatch
) -> None:
    select = greeter.adapter._select

    def by_text(element: Element, action: Select) -> Any:
        if action.value is not None:
            raise OptionNotFound("its values are numbers")
        return select(element, action)

    monkeypatch.setattr(greeter.adapter, "_select", by_text)
    app.locator("#colour").select_option("Green")

    assert greeter.colour.value == "Green"
    with pytest.raises(OptionNotFound):
        app.locator("#colour").select_option("Grey")


def test_an_option_that_is_not_there_lists_those_that_are(app: App) -> None:
    with pytest.raises(OptionNotFound) as caught:
        app.locator("#colour").select_option(text="Gren")

    assert caught.value.details["options"] == ["Red", "Green", "Blue"]


def test_states_can_be_asked_for(app: App) -> None:
    assert app.locator("#name").is_visible()
    assert app.locator("#name").is_editable()
    assert not app.locator("#hidden").is_visible()
    assert not app.locator("#nowhere").is_visible()
    assert app.locator("#nowhere").is_hidden()
    assert not app.locator("#name").is_hidden()
    assert not app.locator("#late").is_enabled()
    assert app.locator("#late").is_disabled()
    assert not app.locator("#name").is_disabled()
    app.locator("#name").focus()
    assert app.locator("#name").is_focused()
    assert app.locator("#name").name() == "Name"
    assert app.locator("#main").role() == "window"
    assert app.locator("#main").bounds() == (0, 0, 400, 300)
    assert app.locator("#name").get().automation_id == "name"


def test_wait_for_ends_when_the_state_is_there(app: App, greeter: Greeter) -> None:
    greeter.later(0.1, lambda: greeter.window.children.remove(greeter.late))

    waited = app.locator("#late").wait_for("gone")

    assert 0 < waited.elapsed < 2


def test_an_operation_can_be_run_directly(app: App) -> None:
    from deskhand.model.operations import Find

    assert len(app.run(Find("button"))) == 5


def test_what_two_locators_both_find(app: App) -> None:
    button = app.get_by_role("button")

    assert button.and_(app.locator("#late")).get().automation_id == "late"
    assert button.and_(app.locator("group >> *")).count() == app.locator("group button").count() > 0
    assert button.and_(app.locator("#name")).count() == 0


def test_the_texts_of_all_matches_can_be_had_at_once(app: App) -> None:
    assert app.get_by_role("button", name="Twin").all_text_contents() == ["Twin", "Twin"]
    assert app.locator("#nowhere").all_text_contents() == []


def test_a_field_shows_what_it_holds(app: App) -> None:
    app.locator("#name").fill("Ada")

    assert app.locator("#name").text_content() == "Ada"
    assert app.get_by_role("button", name="Greet").text_content() == "Greet"


def test_modifiers_have_the_names_that_keys_have(app: App) -> None:
    app.locator("#name").click(modifiers=["Control", "shift"])
    app.locator("#name").click(modifiers="Alt")
    with pytest.raises(InvalidParams, match="no modifier 'ctl'"):
        app.locator("#name").click(modifiers="ctl")


def test_a_timeout_that_is_not_a_number_is_refused(app: App) -> None:
    with pytest.raises(InvalidParams, match="number of seconds, not '5'"):
        app.locator("#name").click(timeout="5")  # type: ignore[arg-type]


def test_names_that_people_know_from_playwright_work(app: App) -> None:
    name: Any = app.locator("#name")
    name.press_sequentially("Ada")

    assert name.input_value() == "Ada"
    assert [text.inner_text() for text in name.app.get_by_role("button", name="Greet").all()] == ["Greet"]


@pytest.mark.parametrize(
    ("name", "hint"),
    [("bounding_box", "bounds()"), ("clik", "did you mean click"), ("zzzz", "has no 'zzzz'")],
)
def test_a_name_that_a_locator_does_not_have_is_explained(app: App, name: str, hint: str) -> None:
    with pytest.raises(AttributeError, match=re.escape(hint)):
        getattr(app.locator("#name"), name)
    assert not hasattr(app, name)


def test_with_slow_mo_each_action_is_followed_by_a_pause(
    greeter: Greeter, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr("deskhand.client._sync.app.time", SimpleNamespace(sleep=pauses.append))
    app = App(LocalEngine(greeter.session, "here"))
    app.slow_mo = 0.25
    app.locator("#name").fill("Ada")
    app.get_by_role("button", name="Greet").click()
    assert app.locator("#greeting").text_content() == "Hello, Ada!"
    assert pauses == [0.25, 0.25]
