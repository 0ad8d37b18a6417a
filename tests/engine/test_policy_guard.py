"""What a policy lets through, asks about and refuses, over plain Python objects."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from deskhand.adapters.memory import Element, MemoryAdapter
from deskhand.engine.policy_guard import AuditEntry, Guard, Guarded
from deskhand.engine.session import Session
from deskhand.model import operations as ops
from deskhand.model.errors import InvalidParams, Refused
from deskhand.model.node import Rect
from deskhand.model.policy import read_policy


class Recorded(list[AuditEntry]):
    """What would be in the audit log."""

    def __call__(self, entry: AuditEntry) -> None:
        self.append(entry)

    def check(self) -> None:
        """It can always be kept."""

    def close(self) -> None:
        """Nothing has to be written."""


class Shop:
    """A window with buttons that count, a field, and a second window over the same place."""

    def __init__(self) -> None:
        self.pressed: list[str] = []
        self.pay = self.button("Pay now", 0)
        self.help = self.button("Help", 1)
        self.field = Element("textfield", "Name", "name", value="", bounds=Rect(0, 40, 100, 20))
        self.ship = Element("combo-box", "Shipping", "ship", options=["Slow", "Delete everything"])
        self.bar = Element("toolbar", "Tools", "bar", children=[self.pay, self.help])
        self.window = Element("window", "Shop", children=[self.bar, self.field, self.ship])
        self.adapter = MemoryAdapter([self.window])
        self.session = Session(self.adapter)
        self.recorded = Recorded()
        self.questions: list[str] = []

    def button(self, name: str, row: int) -> Element:
        shown = Element("text", text=name)
        bounds = Rect(0, row * 20, 100, 20)
        press: Callable[[], object] = lambda: self.pressed.append(name)  # noqa: E731 - one for each button
        return Element("button", name, children=[shown], bounds=bounds, on_press=press)

    def under(self, *rules: dict[str, Any], answer: bool | None = None, **policy: Any) -> Guarded:
        """What a client reaches under these rules."""

        def ask(question: str, _: float) -> bool | None:
            self.questions.append(question)
            return answer

        policy_read = read_policy({"rule": list(rules), **policy})
        return Guard(policy_read, ask=ask, record=self.recorded).around(self.session, "test", "shop")


@pytest.fixture
def shop() -> Iterator[Shop]:
    shop = Shop()
    yield shop
    shop.session.close()


NO_PAYING = {"role": "button", "name": "/^(Pay|Send)/", "decide": "deny"}


def test_a_rule_about_a_name_refuses_that_button_and_no_other(shop: Shop) -> None:
    client = shop.under(NO_PAYING)
    client.run(ops.Press('button[name="Help"]'))
    with pytest.raises(Refused, match=r"rule 1 .*deny") as refused:
        client.run(ops.Press('button[name="Pay now"]'))
    assert shop.pressed == ["Help"]
    assert refused.value.details["rule"].startswith("rule 1")


def test_a_part_of_a_button_and_what_is_around_it_are_refused_like_the_button(shop: Shop) -> None:
    client = shop.under(NO_PAYING)
    for target in ('button[name="Pay now"] >> text', "#bar"):
        with pytest.raises(Refused):
            client.run(ops.Click(target))
    assert shop.pressed == []


def test_a_point_counts_for_all_that_is_there(shop: Shop) -> None:
    client = shop.under(NO_PAYING)
    with pytest.raises(Refused):
        client.run(ops.Click(x=50, y=10))
    with pytest.raises(Refused):
        client.run(ops.Click("#name", x=50, y=-30))
    with pytest.raises(Refused):
        client.run(ops.Drag("#name", to_x=50, to_y=10))


def test_letters_go_to_a_field_and_enter_may_press_anything_in_the_window(shop: Shop) -> None:
    client = shop.under(NO_PAYING)
    client.run(ops.TypeText("#name", text="Ada"))
    assert shop.field.value == "Ada"
    for refused in (ops.TypeText("#name", text="a\t "), ops.TypeText("#name", text="a", submit=True)):
        with pytest.raises(Refused):
            client.run(refused)
    for keys in ("enter", "tab", "alt+p", "ctrl+s", "space"):
        with pytest.raises(Refused):
            client.run(ops.Key(keys=keys))
    assert shop.field.value == "Ada"


def test_an_option_is_an_element_of_its_own(shop: Shop) -> None:
    client = shop.under({"name": "/^Delete/", "decide": "deny"})
    for by in ({"text": "Delete everything"}, {"index": 1}):
        with pytest.raises(Refused):
            client.run(ops.Select("#ship", **by))  # type: ignore[arg-type]
    assert client.run(ops.Select("#ship", text="Slow")).selected is not None


def test_the_first_rule_that_matches_decides(shop: Shop) -> None:
    client = shop.under({"name": "Pay now", "decide": "allow"}, {"role": "button", "decide": "deny"})
    client.run(ops.Press('button[name="Pay now"]'))
    with pytest.raises(Refused, match="rule 2"):
        client.run(ops.Press('button[name="Help"]'))
    assert shop.pressed == ["Pay now"]


def test_what_is_allowed_must_be_all_that_may_be_reached(shop: Shop) -> None:
    client = shop.under({"name": "Help", "decide": "allow"}, default="deny")
    client.run(ops.Click('button[name="Help"]'))
    with pytest.raises(Refused, match='default = "deny"'):
        client.run(ops.Click("#bar"))
    assert shop.pressed == ["Help"]


def test_the_operation_runs_if_the_person_says_yes(shop: Shop) -> None:
    asked = {**NO_PAYING, "decide": "ask"}
    shop.under(asked, answer=True).run(ops.Press('button[name="Pay now"]'))
    assert shop.pressed == ["Pay now"]
    assert shop.questions == ['press button "Pay now" in "Shop" of shop?']
    for answer, why in ((False, "said no"), (None, "in time")):
        with pytest.raises(Refused, match=why):
            shop.under(asked, answer=answer).run(ops.Press('button[name="Pay now"]'))
    assert shop.pressed == ["Pay now"]


def test_what_became_something_else_while_a_person_was_asked_is_decided_again(shop: Shop) -> None:
    def ask(_: str, __: float) -> bool:
        shop.adapter.call(lambda: setattr(shop.help, "name", "Send"), timeout=5)
        return True

    policy = read_policy({"rule": [NO_PAYING, {"name": "Help", "decide": "ask"}]})
    client = Guard(policy, ask=ask).around(shop.session, "test")
    with pytest.raises(Refused, match="rule 1"):
        client.run(ops.Press("button:nth(1)"))
    assert shop.pressed == []


def test_questions_are_refused_only_by_rules_that_name_them(shop: Shop) -> None:
    client = shop.under({"app": "shop", "decide": "deny"}, default="deny")
    assert client.run(ops.ReadTree()).tree is not None
    with pytest.raises(Refused):
        client.run(ops.Press('button[name="Help"]'))
    blind = shop.under({"operation": ["tree", "find"], "app": "/^SHOP$/i", "decide": "deny"})
    for question in (ops.ReadTree(), ops.Find("button")):
        with pytest.raises(Refused):
            blind.run(question)


def test_every_operation_is_recorded_and_no_value(shop: Shop) -> None:
    client = shop.under(NO_PAYING)
    client.run(ops.SetValue("#name", value="s3cret"))
    client.run(ops.Find('[value="s3cret"]'))
    with pytest.raises(Refused):
        client.run(ops.Press('button[name="Pay now"]'))
    seen = [(entry.operation, entry.target, entry.decision, entry.outcome) for entry in shop.recorded]
    assert seen == [
        ("set_value", 'textfield "Name" in "Shop" of shop', "allow", "done"),
        ("find", '[value="…"]', "allow", "done"),
        ("press", 'button "Pay now" in "Shop" of shop', "deny", "refused"),
    ]
    assert (shop.recorded[2].rule or "").startswith("rule 1")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"defualt": "deny"}, "did you mean default"),
        ({"default": "maybe"}, 'default is "allow", "ask" or "deny"'),
        ({"rule": [{"role": "button"}]}, "rule 1 decides nothing"),
        ({"rule": [{"decide": "deny"}, {"rol": "x", "decide": "deny"}]}, "rule 2 has no 'rol'"),
        ({"rule": [{"role": "buton", "decide": "deny"}]}, "did you mean button"),
        ({"rule": [{"operation": ["clik"], "decide": "deny"}]}, "did you mean click"),
        ({"rule": [{"name": "/(a+)+$/", "decide": "deny"}]}, "cannot be used"),
        ({"rule": [{"name": "/unfinished", "decide": "deny"}]}, "must end like one"),
        ({"rule": [{"name": 3, "decide": "deny"}]}, "is a text, not 3"),
        ({"rule": {"decide": "deny"}}, "begin each rule with"),
        ({"ask_timeout": 0}, "ask_timeout"),
    ],
)
def test_a_policy_with_a_mistake_says_where_it_is(data: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidParams) as wrong:
        read_policy(data)
    assert message in str(wrong.value)
