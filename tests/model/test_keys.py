"""What people call keys."""

import pytest

from deskhand.model.errors import InvalidKey
from deskhand.model.keys import Chord, parse


@pytest.mark.parametrize(
    ("keys", "chord"),
    [
        ("enter", Chord((), key="Return")),
        ("ESC", Chord((), key="Escape")),
        ("PAGE_UP", Chord((), key="PageUp")),
        ("f35", Chord((), key="F35")),
        ("ctrl+shift+s", Chord(("ctrl", "shift"), text="s")),
        ("Control+S", Chord(("ctrl",), text="s")),
        ("CTRL + alt + Delete", Chord(("ctrl", "alt"), key="Delete")),
        ("cmd+q", Chord(("meta",), text="q")),
        ("a", Chord((), text="a")),
        ("A", Chord(("shift",), text="A")),
        ("shift+a", Chord(("shift",), text="A")),
        ("+", Chord((), text="+")),
        ("ctrl++", Chord(("ctrl",), text="+")),
        ("ctrl+plus", Chord(("ctrl",), text="+")),
        (" ", Chord((), key="Space")),
        ("ö", Chord((), text="ö")),
        ("shift", Chord((), key="Shift")),
        ("DIGIT1", Chord((), text="1")),
    ],
)
def test_chords_are_read_as_people_write_them(keys, chord):
    assert parse(keys) == chord


@pytest.mark.parametrize(
    ("keys", "near"),
    [("entr", "enter"), ("ctrl+pagdown", "pagedown"), ("crtl+s", "ctrl")],
)
def test_an_unknown_name_suggests_similar_ones(keys, near):
    with pytest.raises(InvalidKey) as caught:
        parse(keys)
    assert near in caught.value.near


@pytest.mark.parametrize("keys", ["", "ctrl+", "+s", "ctrl+++", "f36"])
def test_what_names_no_key_is_refused(keys):
    with pytest.raises(InvalidKey):
        parse(keys)
