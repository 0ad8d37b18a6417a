"""JSON is read and written the same with orjson as without it."""

from __future__ import annotations

import json
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deskhand.model.errors import ParseError
from deskhand.model.node import Rect
from deskhand.protocols import jsontext


@pytest.fixture(params=["orjson", "stdlib"])
def _reader(request, monkeypatch):
    if request.param == "stdlib":
        monkeypatch.setattr(jsontext, "_orjson", None)
    else:
        pytest.importorskip("orjson")


pytestmark = pytest.mark.usefixtures("_reader")


@pytest.mark.parametrize(
    "text",
    [
        b"", b"{", b"[1,]", b'{"a"}', b"NaN", b"[Infinity]", b"-Infinity", b"1e999", b'"\\ud800"',
        b'"\\udc00x"', b'"\xff"', b'"\xed\xa0\x80"', b"01", b"'a'", b'"a\nb"', b"[" * 100_000,
        b'{"a":' * 100_000, b"{} {}",
    ],
)  # fmt: skip
def test_what_is_not_json_is_refused_with_a_reason(text):
    with pytest.raises(ParseError) as caught:
        jsontext.loads(text)
    assert caught.value.message


def test_a_mistake_is_pointed_at():
    with pytest.raises(ParseError) as caught:
        jsontext.loads(b'{"a": nul}')
    assert 6 <= caught.value.details["position"] <= 9


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (b'{"a":1,"a":2}', {"a": 2}),
        (b'\xef\xbb\xbf{"a":1}', {"a": 1}),
        (b'"\\ud83d\\ude00 \xc3\xa4"', "😀 ä"),
        (b" [1, -2.5e3, true, null] \n", [1, -2500.0, True, None]),
    ],
)
def test_json_is_read(text, value):
    assert jsontext.loads(text) == value


def test_numbers_that_are_none_are_written_as_null():
    value = {"a": [float("nan"), float("inf"), 1.5], "b": (float("-inf"),), "c": Rect(1, 2, float("nan"), 4)}
    assert json.loads(jsontext.dumps(value, list)) == {
        "a": [None, None, 1.5],
        "b": [None],
        "c": [1, 2, None, 4],
    }


def test_half_a_surrogate_pair_becomes_a_replacement_character():
    assert json.loads(jsontext.dumps({"a": "x\ud800y"})) == {"a": "x\ufffdy"}


def test_two_halves_become_the_character():
    assert json.loads(jsontext.dumps(["\ud83d\ude00"])) == ["😀"]


def test_large_integers_are_kept():
    assert jsontext.dumps([2**70]) == b"[1180591620717411303424]"


def test_what_json_does_not_know_is_turned_into_what_it_does():
    assert json.loads(jsontext.dumps({"r": Rect(1, 2, 3, 4), "s": {5}}, list)) == {
        "r": [1, 2, 3, 4],
        "s": [5],
    }


@settings(max_examples=200)
@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
        max_leaves=20,
    )
)
def test_what_is_written_is_read_again(value):
    text = jsontext.dumps(value)
    assert b"\n" not in text
    assert json.loads(text) == value


def test_no_package_is_needed():
    assert "orjson" not in sys.stdlib_module_names
    assert jsontext.loads(jsontext.dumps({"a": "ä"})) == {"a": "ä"}
