"""Bytes in any pieces become the same messages."""

from __future__ import annotations

import json
import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deskhand.transports import framing
from deskhand.transports.framing import Splitter, Unreadable

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
OBJECTS = st.dictionaries(st.text(), VALUES, max_size=5)
TEXTS = st.builds(
    lambda value, indent, ascii_only: json.dumps(value, indent=indent, ensure_ascii=ascii_only).encode(
        "utf-8", "replace"
    ),
    OBJECTS,
    st.sampled_from([None, 1]),
    st.booleans(),
)
WHITE = st.sampled_from([b"", b"\n", b" \r\n\t"])
BROKEN = st.text(alphabet='{}[]"\\\n :,1atrue-\t', max_size=60).map(str.encode) | st.binary(max_size=40)


@pytest.fixture(params=["whole blocks", "bracket by bracket"])
def scan(request, monkeypatch):
    """Both ways of scanning, on short data."""
    monkeypatch.setattr(framing, "_WORTH_IT", 0 if request.param == "whole blocks" else 1 << 30)
    monkeypatch.setattr(framing, "_BLOCK", 7)


def split(data: bytes, cuts: list[int], **options) -> list[bytes | Unreadable]:
    splitter = Splitter(**options)
    found = []
    edges = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    for begin, end in pairwise(edges):
        found += splitter.feed(data[begin:end])
    return found + splitter.end()


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(TEXTS, WHITE), max_size=5), st.lists(st.integers(0)))
def test_objects_come_out_whole_wherever_they_were_split(texts, cuts):
    data = b"".join(text + between for text, between in texts)
    assert split(data, cuts) == [text for text, _ in texts]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.binary(max_size=300), min_size=1, max_size=5), st.lists(st.integers(0)))
def test_lengths_come_out_whole_wherever_they_were_split(messages, cuts):
    data = b"".join(len(message).to_bytes(4, "big") + message for message in messages)
    assert split(data, cuts) == messages


@pytest.mark.usefixtures("scan")
def test_nothing_depends_on_the_split_even_if_it_is_not_json():
    @settings(max_examples=1500, deadline=None)
    @given(BROKEN, st.lists(st.integers(0), max_size=10), st.sampled_from([12, 1000]))
    def check(data, cuts, limit):
        whole = split(data, [], framing="text", limit=limit)
        assert split(data, cuts, framing="text", limit=limit) == whole
        assert split(data, list(range(len(data))), framing="text", limit=limit) == whole

    check()


def test_both_ways_of_scanning_agree(monkeypatch):
    @settings(max_examples=1500, deadline=None)
    @given(BROKEN)
    def check(data):
        monkeypatch.setattr(framing, "_BLOCK", 9)
        monkeypatch.setattr(framing, "_WORTH_IT", 1 << 30)
        slow = split(data, [], framing="text")
        monkeypatch.setattr(framing, "_WORTH_IT", 0)
        assert split(data, [], framing="text") == slow

    check()


@pytest.mark.usefixtures("scan")
def test_a_character_may_be_split_between_its_bytes():
    message = '{"text":"späß 😀"}'.encode()
    assert split(message, list(range(len(message)))) == [message]


def test_two_objects_in_one_read_are_two_messages():
    assert Splitter().feed(b'{"a":1}{"b":2} {"c":') == [b'{"a":1}', b'{"b":2}']


def test_an_incomplete_message_waits_for_its_end():
    splitter = Splitter()
    assert splitter.feed(b'{"method":"ping"') == []
    assert splitter.feed(b',"id":1}') == [b'{"method":"ping","id":1}']


def test_answers_have_the_form_of_the_questions():
    text, length = Splitter(), Splitter()
    text.feed(b" {}")
    length.feed(b"\0\0\0\2{}")
    assert text.frame(b"{}") == b"{}\n"
    assert length.frame(b"{}") == b"\0\0\0\2{}"


@pytest.mark.usefixtures("scan")
def test_a_line_cut_inside_a_string_costs_only_that_line():
    data = b'{"method":"pi\n{"method":"ping"}\n'
    assert split(data, []) == [b'{"method":"pi', b'{"method":"ping"}']


@pytest.mark.usefixtures("scan")
def test_a_line_cut_after_a_value_costs_only_that_line():
    data = b'{"method":"ping","id":12\n{"method":"ping"}\n'
    assert split(data, []) == [b'{"method":"ping","id":12\n', b'{"method":"ping"}']


@pytest.mark.usefixtures("scan")
@pytest.mark.parametrize("shift", range(8))
def test_a_cut_line_is_separated_from_the_next_wherever_the_blocks_end(shift):
    begin = b'{"a":"' + b"x" * shift + b'","id":12\n'
    data = begin + b'{"method":"ping"}\n'
    for cuts in ([], [len(begin)], [len(begin) - 1], [len(begin) + 1]):
        assert split(data, cuts) == [begin, b'{"method":"ping"}']


@pytest.mark.usefixtures("scan")
@pytest.mark.parametrize(
    "text", ["C:\\", '"', '\\"', '\\\\"{', '"}', "{", "}]", "\\\\\\", 'a"b\\"c{"', "\n}", "\\u007b", "]" * 20]
)
def test_brackets_quotes_and_backslashes_in_strings_mean_nothing(text):
    for shift in range(8):
        message = json.dumps({"x" * shift: text, "b": [text, {"c": text}]}).encode()
        assert split(message + message, []) == [message, message]


@pytest.mark.usefixtures("scan")
def test_an_object_over_many_lines_is_one_message():
    message = json.dumps({"a": [{"b": 1}, {"c": [2]}, "x"], "d": {"e": {}}}, indent=4).encode()
    assert split(message + b"\n" + message, []) == [message, message]


def test_what_is_not_json_is_reported_at_once_and_skipped_to_the_end_of_the_line():
    splitter = Splitter()
    (told,) = splitter.feed(b"hel")
    assert "'h'" in told.reason
    assert splitter.feed(b'lo\n{"a":1}') == [b'{"a":1}']


def test_a_lone_value_is_a_message_too():
    assert split(b'null 12 "a{b"\ntrue', []) == [b"null", b"12", b'"a{b"', b"true"]


def test_what_a_peer_left_unfinished_is_handed_over_when_it_ends():
    splitter = Splitter()
    splitter.feed(b'{"method":')
    assert splitter.end() == [b'{"method":']


@pytest.mark.parametrize("form", ["text", "length"])
def test_a_message_over_the_limit_is_refused_once_and_the_next_one_is_read(form):
    long = b'{"a":"' + b"x" * 100 + b'"}'
    splitter = Splitter(limit=50, framing=form)
    data = splitter.frame(long) + splitter.frame(b'{"b":1}')
    found = [part for at in range(0, len(data), 10) for part in splitter.feed(data[at : at + 10])]
    assert found == [Unreadable("a message may be 50 bytes long, and this is longer"), b'{"b":1}']


def test_a_message_of_exactly_the_limit_is_read():
    assert split(b'{"a":12345}', [], limit=11) == [b'{"a":12345}']


def test_a_refused_message_is_not_kept():
    splitter = Splitter(limit=1000, framing="text")
    splitter.feed(b"{")
    for _ in range(1000):
        splitter.feed(b'"xxxxxxxx",' * 10)
    assert len(splitter._text._held) < 200


def seconds_to_read(message: bytes, chunk: int, form: str) -> float:
    times = []
    for _ in range(3):  # the quickest: what else the machine does makes a process slower, never faster
        splitter = Splitter(limit=1 << 30, framing=form)
        data = splitter.frame(message)
        begin = time.process_time()
        found = [part for at in range(0, len(data), chunk) for part in splitter.feed(data[at : at + chunk])]
        times.append(time.process_time() - begin)
        assert [len(part) for part in found] == [len(message)]
    return min(times)


@pytest.mark.parametrize("form", ["text", "length"])
def test_64_megabytes_in_small_pieces_are_read_in_linear_time(form):
    one = b'{"text":"a \\" quote","list":[1,2,{"x":null}]},'
    short, long = (b"[" + one * (size // len(one)) + b"0]" for size in (4 << 20, 64 << 20))
    # Sixteen times as long, and out of reach of the processor's cache; quadratic would be 256 times as slow.
    assert seconds_to_read(long, 4096, form) < 64 * max(seconds_to_read(short, 4096, form), 0.01)


def test_100_000_brackets_are_one_message():
    deep = b"[" * 100_000 + b"]" * 100_000
    assert split(deep, []) == [deep]
