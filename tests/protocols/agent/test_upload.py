"""An upload in JSON, read piece by piece, however it is cut."""

from __future__ import annotations

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskhand.model.errors import ParseError, UploadFailed
from deskhand.protocols.agent.upload import UploadReader


def feed(text: bytes, size: int) -> tuple[str, bytes]:
    reader = UploadReader()
    content = b"".join(reader.feed(text[at : at + size]) for at in range(0, len(text), size))
    return reader.finish(), content


BODIES = {
    "as the contract prints it": '{ "path": "/tmp/file.bin", "content": "aGVsbG8sIHdvcmxk" }',
    "content first": '{"content":"aGVsbG8sIHdvcmxk","path":"/tmp/file.bin"}',
    "escaped slashes and lines": r'{"path":"\/tmp\/file.bin","content":"aGVsbG8s\nIHdvcmxk\u003d"}'.replace(
        r"\u003d", ""
    ),
    "escaped letters": r'{"path":"/tmp/file.bin","content":"\u0061GVsbG8sIHdvcmxk"}',
    "more keys": '{"mode":{"content":"no","x":[{"content":"no"}]},"path":"/tmp/file.bin",'
    '"content":"aGVsbG8sIHdvcmxk","n":null}',
    "a value that reads content": '{"note":"content","path":"/tmp/file.bin","content":"aGVsbG8sIHdvcmxk"}',
    "quotes": r'{"note":"\"content\":\"x","path":"/tmp/file.bin","content":"aGVsbG8sIHdvcmxk"}',
    "lines within": '{"path":"/tmp/file.bin",\n"content"\t:\r\n"aGVs\nbG8sIHdv\ncmxk"}',
}


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, 1000])
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_path_and_content_are_found_wherever_the_body_is_cut(body, size):
    assert feed(body.encode(), size) == ("/tmp/file.bin", b"hello, world")


@given(content=st.binary(max_size=300), size=st.integers(1, 50), first=st.booleans())
def test_any_content_comes_out_unchanged(content, size, first):
    body = {"path": "/tmp/ü", "content": base64.b64encode(content).decode()}
    if not first:
        body = dict(reversed(body.items()))
    assert feed(json.dumps(body).encode(), size) == ("/tmp/ü", content)


@pytest.mark.parametrize("size", [1, 4, 1000])
@pytest.mark.parametrize(
    "content",
    ["a", "ab", "abc", "abcde", "ab=c", "a===", "====", "YQ==YQ==", "YQ==Y", "ab-_", "äöü1", "ab cd*", r"\q"],
)
def test_what_is_not_base64_is_refused(content, size):
    with pytest.raises(UploadFailed):
        feed(b'{"path":"x","content":"%b"}' % content.encode(), size)


@pytest.mark.parametrize(
    "body",
    [
        "[]",
        '"content"',
        "{}",
        '{"path":"x"}',
        '{"content":"YQ=="}',
        '{"path":"","content":""}',
        '{"path":5,"content":""}',
        '{"path":"x","content":5}',
        '{"path":"x","content":"YQ==","content":"YQ=="}',
    ],
)
def test_what_is_missing_or_of_the_wrong_type_is_named(body):
    with pytest.raises(UploadFailed):
        feed(body.encode(), 1000)


@pytest.mark.parametrize(
    "body", ["", "{", '{"path":"x","content":"YQ=="', '{"path":"x","content":"YQ=', "nope"]
)
def test_what_is_not_json_is_refused(body):
    with pytest.raises((ParseError, UploadFailed)):
        feed(body.encode(), 1000)


def test_all_but_the_content_is_bounded():
    reader = UploadReader()
    reader.feed(b'{"note":"' + b"x" * 1_000_000)
    with pytest.raises(UploadFailed, match="in addition to its content"):
        reader.feed(b"x" * 100_000)


def test_the_path_is_known_as_soon_as_the_content_begins():
    reader = UploadReader()
    reader.feed(b'{"path":"/tmp/x", "content": "aaaa')
    assert reader.path == "/tmp/x"
    late = UploadReader()
    late.feed(b'{"content":"aaaa","path":"/tmp/x"}')
    assert late.path is None
