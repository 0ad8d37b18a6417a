"""Which names are taken to mean another, and which never are."""

import time

import pytest

from deskhand.model.alike import Likeness, alike, did_you_mean


@pytest.mark.parametrize(
    ("wanted", "known"),
    [
        # slips of the hand
        ("Sevn", "Seven"),
        ("Svae", "Save"),
        ("Cancle", "Cancel"),
        ("Opne", "Open"),
        ("Kenia", "Kenya"),
        ("Frist name", "First name:"),
        ("submit_button", "submit_btn"),
        ("tree.dmp", "tree.dump"),
        # the same but for case, accents, marks of shortcuts, dots and spacing
        ("ok", "OK"),
        ("datei offnen", "Datei öffnen"),
        ("Strasse", "Straße"),
        ("File", "&File"),
        ("Exit", "E&xit"),
        ("Exit", "E_xit"),
        ("Save as", "Save as…"),
        ("Save as…", "Save as..."),
        ("first-name", "first_name"),
        ("firstname", "First name"),
        ("btn_greet", "btnGreet"),
        ("7", "7:"),
        # a part of the other
        ("Save", "Save as…"),
        ("Save file", "Save"),
        ("as", "Save as"),
        ("Sav", "Save"),
        ("greet", "btnGreet"),
        ("Zoom in", "Zoom in (Ctrl++)"),
        ("name", "surname"),
        # the same words, perhaps more of them
        ("name, first", "First name"),
        ("Sarch", "Search (Ctrl+F)"),
        ("日本", "日本語"),
    ],
)
def test_a_name_that_may_have_been_meant_is_alike(wanted: str, known: str) -> None:
    assert alike(wanted, ["qqqq", known]) == (known,)


@pytest.mark.parametrize(
    ("wanted", "known"),
    [
        ("Sevn", "Undo"),
        ("Sevn", "7"),
        ("7", "8"),
        ("7", "77"),
        ("100", "200"),
        ("2025", "2026"),
        ("+", "-"),
        ("OK", "On"),
        ("OK", "Look"),
        ("on", "Open anyway"),
        ("Yes", "No"),
        ("Undo", "Redo"),
        ("Open", "Close"),
        ("Cancel", "Close"),
        ("Add", "Edit"),
        ("Delete", "Select"),
        ("Sav", "Unsaved changes"),
        ("Preferences", "Settings"),
        ("submit_button", "cancel_button"),
        ("tree.nothing", "tree.dump"),
        ("a", "a b"),
        ("x", ""),
        ("", "x"),
    ],
)
def test_a_name_that_means_something_else_is_not(wanted: str, known: str) -> None:
    assert alike(wanted, [known]) == ()


def test_the_best_come_first_and_weak_ones_not_beside_them() -> None:
    assert alike("save", ["Save as…", "Safe", "Save"]) == ("Save",)
    assert alike("Sav", ["Save all of these", "Save", "Solve"]) == ("Save", "Save all of these")
    assert alike("buton", ["spin-button", "button"]) == ("button",)


def test_not_more_are_named_than_asked_for() -> None:
    assert alike("Option", [f"Option {number}" for number in range(10)], 2) == ("Option 0", "Option 1")


def test_a_suggestion_names_all_of_them() -> None:
    assert did_you_mean(("Save", "Save as")) == ("did you mean Save or Save as?",)
    assert did_you_mean(()) == ()


def test_of_several_wanted_texts_the_best_counts() -> None:
    assert Likeness(("Save", "Undo")).of("Undo") == 1
    assert Likeness(("",)).of("Undo") == 0
    assert Likeness(("Undo",)).of(None) == 0


def test_long_texts_are_the_same_only_if_they_are_to_the_end() -> None:
    long = "word " * 40
    assert Likeness((long + "one",)).of(long + "two") < 1


def test_ten_thousand_names_are_compared_at_once() -> None:
    known = [f"Element number {number} of a long list with much text" for number in range(10_000)]
    begin = time.process_time()
    alike("Elemnt nmuber 77 of the lnog list", known)
    assert time.process_time() - begin < 5
