"""Values of D-Bus to bytes and back, and invalid messages."""

from __future__ import annotations

import contextlib
import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskhand.adapters.atspi import wire
from deskhand.adapters.atspi.wire import Method, Variant, WireError

_TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",)), max_size=20)
_BASIC: dict[str, st.SearchStrategy[Any]] = {
    "y": st.integers(0, 255),
    "b": st.booleans(),
    "n": st.integers(-(2**15), 2**15 - 1),
    "q": st.integers(0, 2**16 - 1),
    "i": st.integers(-(2**31), 2**31 - 1),
    "u": st.integers(0, 2**32 - 1),
    "x": st.integers(-(2**63), 2**63 - 1),
    "t": st.integers(0, 2**64 - 1),
    "d": st.floats(allow_nan=False),
    "s": _TEXTS,
    "o": st.just("/org/a11y/atspi/accessible/1"),
    "g": st.sampled_from(["", "s", "a(so)", "a{sv}"]),
}


@st.composite
def _typed(draw: st.DrawFn, depth: int = 3) -> tuple[str, Any, Any]:
    """A type, a value of it to write, and what is read back."""
    kinds = ["basic", "basic", "array", "struct", "dict", "variant"] if depth else ["basic"]
    match draw(st.sampled_from(kinds)):
        case "array":
            kind, *_ = draw(_typed(depth - 1))
            values = [draw(_value_of(kind)) for _ in range(draw(st.integers(0, 4)))]
            return f"a{kind}", [value for value, _ in values], [back for _, back in values]
        case "struct":
            parts = [draw(_typed(depth - 1)) for _ in range(draw(st.integers(1, 4)))]
            kind = "".join(part[0] for part in parts)
            return f"({kind})", tuple(part[1] for part in parts), tuple(part[2] for part in parts)
        case "dict":
            kind, *_ = draw(_typed(depth - 1))
            pairs = {draw(_TEXTS): draw(_value_of(kind)) for _ in range(draw(st.integers(0, 3)))}
            written = {key: value for key, (value, _) in pairs.items()}
            return f"a{{s{kind}}}", written, {key: back for key, (_, back) in pairs.items()}
        case "variant":
            kind, value, back = draw(_typed(depth - 1))
            return "v", Variant(kind, value), back
    kind = draw(st.sampled_from(sorted(_BASIC)))
    value = draw(_BASIC[kind])
    return kind, value, value


@st.composite
def _value_of(draw: st.DrawFn, kind: str) -> tuple[Any, Any]:
    first = kind[0]
    if first in _BASIC:
        value = draw(_BASIC[first])
        return value, value
    if kind.startswith("a{"):
        return {}, {}
    if first == "a":
        return [], []
    if first == "v":
        return Variant("s", "inside"), "inside"
    parts = [draw(_value_of(part)) for part in wire.split(kind[1:-1])]
    return tuple(value for value, _ in parts), tuple(back for _, back in parts)


@given(st.lists(_typed(), min_size=1, max_size=4))
def test_what_is_written_is_read_back(parts: list[tuple[str, Any, Any]]) -> None:
    signature = "".join(kind for kind, _, _ in parts)
    body = wire.pack(signature, *(value for _, value, _ in parts))
    assert wire.unpack(signature, body) == tuple(back for _, _, back in parts)


@given(
    st.binary(max_size=200), st.sampled_from(["s", "as", "a(so)", "a{sv}", "v", "(iiii)", "au", "siiva{sv}"])
)
def test_bytes_that_are_not_a_value_are_refused_and_nothing_worse(data: bytes, signature: str) -> None:
    with contextlib.suppress(WireError):
        wire.unpack(signature, data)


@given(_typed(), st.integers(0, 40))
def test_a_body_that_was_cut_short_is_refused(typed: tuple[str, Any, Any], keep: int) -> None:
    kind, value, back = typed
    body = wire.pack(kind, value)
    cut = body[: min(keep, max(0, len(body) - 1))]
    if not body or kind in ("g", "v"):
        return
    try:
        read = wire.unpack(kind, cut)
    except WireError:
        return
    # What is left may hold the value still, if only its padding is gone.
    assert read == (back,)


def test_a_call_is_a_whole_message_with_its_path() -> None:
    method = Method("org.example", "org.example.Face", "Do", "si", "text", 7)
    for path in ("/", "/a", "/org/a11y/atspi/accessible/1234567"):
        message = method.message(42, wire.path_field(path))
        order, _, start, end = wire.sizes(message, 0)
        assert (order, end) == ("<", len(message))
        header = wire.header(message)
        assert (header.kind, header.path, header.interface, header.member) == (
            1,
            path,
            "org.example.Face",
            "Do",
        )
        assert header.signature == "si"
        assert wire.unpack("si", message[start:end]) == ("text", 7)


def test_numbers_in_the_other_byte_order_are_read() -> None:
    assert wire.unpack("iu", struct.pack(">iI", -5, 6), ">") == (-5, 6)


@pytest.mark.parametrize("signature", ["(", "a", "a{s", "()", "z", "(s"])
def test_a_signature_that_is_none_is_refused(signature: str) -> None:
    with pytest.raises(WireError):
        wire.unpack(signature, b"")


def test_a_value_that_does_not_fit_is_refused() -> None:
    with pytest.raises(WireError, match="300"):
        wire.pack("y", 300)
