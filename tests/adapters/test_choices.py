"""Options that several toolkits share: which is meant, and what is said when none is."""

from __future__ import annotations

import pytest

from deskhand.adapters.choices import Choice, insist, worth
from deskhand.model.errors import OptionNotFound
from deskhand.model.operations import Select

COUNTRIES = (Choice(0, "Kenya", "KE"), Choice(1, "Peru", "PE"))


@pytest.mark.parametrize(
    ("asked", "hint"),
    [
        (Select(value="Kenya"), "it is the text of one: choose that by its text"),
        (Select(text="KE"), "it is the value of one: choose that by its value"),
        (Select(text="Kenia"), "did you mean 'Kenya'?"),
        (Select(text="Norway"), "there are 'Kenya', 'Peru'"),
    ],
)
def test_unknown_option_error_suggests_similar_options(asked: Select, hint: str) -> None:
    with pytest.raises(OptionNotFound) as caught:
        insist(asked, "the combo box", COUNTRIES)
    assert hint in caught.value.message


@pytest.mark.parametrize("asked", [Select(text="option 61"), Select(text="Norway"), Select(index=60)])
def test_an_unknown_option_error_lists_fifty_options_and_how_many_more_there_are(asked: Select) -> None:
    with pytest.raises(OptionNotFound) as caught:
        insist(asked, "the list", [Choice(number, f"option {number}") for number in range(60)])
    listed = ", ".join(repr(f"option {number}") for number in range(50))
    assert caught.value.message.endswith(f"; there are {listed} and 10 more")
    assert len(caught.value.details["options"]) == 50
    assert caught.value.details["options_count"] == 60


def test_a_long_option_is_shortened_in_the_message_only() -> None:
    with pytest.raises(OptionNotFound) as caught:
        insist(Select(text="b"), "the list", [Choice(0, "a" * 500)])
    assert caught.value.message.endswith(f"; there are {'a' * 80 + '…'!r}")
    assert caught.value.details["options"] == ["a" * 500]


def test_a_whole_number_is_a_value_without_a_point() -> None:
    assert [worth(data) for data in (2.0, 2, 2.5, "2.0", None)] == ["2", "2", "2.5", "2.0", None]
