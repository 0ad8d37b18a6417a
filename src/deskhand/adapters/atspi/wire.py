"""Values and messages of D-Bus as bytes, and back. Knows no sockets.

A signature is compiled once into a function that reads it. What is written are method calls, of
which all but the path, the serial and the body is prepared once (`Method`).
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

CALL, RETURN, ERROR, SIGNAL = 1, 2, 3, 4
NO_REPLY = 1
MAXIMUM = 1 << 27
"""The most bytes a message may have, by the specification."""
_DEPTH = 64

_PATH, _INTERFACE, _MEMBER, _ERROR_NAME, _REPLY_SERIAL, _DESTINATION, _SENDER, _SIGNATURE = range(1, 9)

Reader = Callable[[bytes, int], "tuple[Any, int]"]


class WireError(ValueError):
    """Bytes that are not a D-Bus message, or a value that its signature cannot hold."""


@dataclass(frozen=True)
class Variant:
    """A value with its own signature, to be written."""

    signature: str
    value: Any


@dataclass(frozen=True)
class Header:
    """The fields of a message that are not its body."""

    kind: int
    path: str = ""
    interface: str = ""
    member: str = ""
    error: str = ""
    reply_serial: int = 0
    sender: str = ""
    signature: str = ""


# -- reading ----------------------------------------------------------------------------------

_FIXED = {
    "y": ("B", 1), "n": ("h", 2), "q": ("H", 2), "i": ("i", 4), "u": ("I", 4), "x": ("q", 8), "t": ("Q", 8),
    "d": ("d", 8), "b": ("I", 4), "h": ("I", 4),
}  # fmt: skip


def split(signature: str) -> tuple[str, ...]:
    """The complete types a signature is made of."""
    types = []
    at = 0
    while at < len(signature):
        end = _end(signature, at)
        types.append(signature[at:end])
        at = end
    return tuple(types)


@lru_cache(maxsize=512)
def reader(signature: str, order: str = "<") -> Reader:
    """What reads the values of a signature, as a tuple, beginning at an offset of a body."""
    readers = tuple(_reader(one, order, 0) for one in split(signature))

    def read(data: bytes, at: int = 0) -> tuple[Any, int]:
        values = []
        try:
            for one in readers:
                value, at = one(data, at)
                values.append(value)
        except (struct.error, IndexError, UnicodeDecodeError) as error:
            raise WireError(f"the body is no '{signature}': {error}") from error
        if at > len(data):
            raise WireError(f"the body ends in the middle of a '{signature}'")
        return tuple(values), at

    return read


def unpack(signature: str, data: bytes, order: str = "<") -> tuple[Any, ...]:
    """The values of a body."""
    values: tuple[Any, ...] = reader(signature, order)(data, 0)[0]
    return values


def _end(signature: str, at: int) -> int:
    """Where the complete type that begins here ends."""
    try:
        kind = signature[at]
        if kind == "a":
            return _end(signature, at + 1)
        if kind in "({":
            close = ")" if kind == "(" else "}"
            inside = _end(signature, at + 1)
            while signature[inside] != close:
                inside = _end(signature, inside)
            return inside + 1
    except IndexError:
        raise WireError(f"the signature '{signature}' is incomplete") from None
    if kind not in _ALIGNMENT:
        raise WireError(f"the signature '{signature}' has an unknown type '{kind}'")
    return at + 1


_ALIGNMENT = {
    **{kind: size for kind, (_, size) in _FIXED.items()},
    "s": 4, "o": 4, "g": 1, "v": 1, "a": 4, "(": 8, "{": 8,
}  # fmt: skip


def _reader(kind: str, order: str, depth: int) -> Reader:
    if depth > _DEPTH:
        raise WireError("types are nested too deeply")
    first = kind[0]
    if first in _FIXED:
        return _fixed(first, order)
    if first in "so":
        return _text(order)
    if first == "g":
        return _signature
    if first == "v":
        return _variant(order, depth)
    if first == "a":
        return _array(kind[1:], order, depth)
    return _struct(kind[1:-1], order, depth)


def _fixed(kind: str, order: str) -> Reader:
    code, size = _FIXED[kind]
    unpack_from = struct.Struct(order + code).unpack_from
    if kind == "b":
        return lambda data, at: (bool(unpack_from(data, (at + 3) & -4)[0]), ((at + 3) & -4) + 4)
    mask = size - 1

    def read(data: bytes, at: int) -> tuple[Any, int]:
        at = (at + mask) & ~mask
        return unpack_from(data, at)[0], at + size

    return read


def _text(order: str) -> Reader:
    length = struct.Struct(order + "I").unpack_from

    def read(data: bytes, at: int) -> tuple[str, int]:
        at = (at + 3) & -4
        start = at + 4
        end = start + length(data, at)[0]
        if end >= len(data):
            raise WireError("a text ends after its message")
        return data[start:end].decode("utf-8", "replace"), end + 1

    return read


def _signature(data: bytes, at: int) -> tuple[str, int]:
    end = at + 1 + data[at]
    return data[at + 1 : end].decode("ascii"), end + 1


def _variant(order: str, depth: int) -> Reader:
    def read(data: bytes, at: int) -> tuple[Any, int]:
        signature, at = _signature(data, at)
        if len(split(signature)) != 1:
            raise WireError(f"a variant holds one complete type, not '{signature}'")
        return _variant_reader(signature, order, depth + 1)(data, at)

    return read


@lru_cache(maxsize=512)
def _variant_reader(signature: str, order: str, depth: int) -> Reader:
    return _reader(signature, order, depth)


def _array(inner: str, order: str, depth: int) -> Reader:
    length = struct.Struct(order + "I").unpack_from
    mask = _ALIGNMENT[inner[0]] - 1
    element = _reader(inner, order, depth + 1)
    mapping = inner[0] == "{"

    def read(data: bytes, at: int) -> tuple[Any, int]:
        at = (at + 3) & -4
        size = length(data, at)[0]
        at = (at + 4 + mask) & ~mask
        end = at + size
        if end > len(data):
            raise WireError("an array ends after its message")
        values = []
        while at < end:
            value, at = element(data, at)
            values.append(value)
        return (dict(values) if mapping else values), end

    return read


def _struct(inner: str, order: str, depth: int) -> Reader:
    readers = tuple(_reader(one, order, depth + 1) for one in split(inner))

    def read(data: bytes, at: int) -> tuple[tuple[Any, ...], int]:
        at = (at + 7) & -8
        values = []
        for one in readers:
            value, at = one(data, at)
            values.append(value)
        return tuple(values), at

    return read


# -- writing ----------------------------------------------------------------------------------


def pack(signature: str, *values: Any) -> bytes:
    """The body that holds these values."""
    types = split(signature)
    if len(types) != len(values):
        raise WireError(f"'{signature}' is {len(types)} values, not {len(values)}")
    out = bytearray()
    for kind, value in zip(types, values, strict=True):
        _write(out, kind, value, 0)
    return bytes(out)


def _write(out: bytearray, kind: str, value: Any, depth: int) -> None:
    if depth > _DEPTH:
        raise WireError("values are nested too deeply")
    first = kind[0]
    out += bytes(-len(out) % _ALIGNMENT[first])
    if first in _FIXED:
        try:
            out += struct.pack("<" + _FIXED[first][0], value)
        except struct.error as error:
            raise WireError(f"{value!r} is no '{first}': {error}") from error
    elif first in "so":
        data = value.encode()
        out += struct.pack("<I", len(data)) + data + b"\0"
    elif first == "g":
        data = value.encode()
        out += bytes((len(data),)) + data + b"\0"
    elif first == "v":
        _write(out, "g", value.signature, depth)
        _write(out, value.signature, value.value, depth + 1)
    elif first == "a":
        _write_array(out, kind[1:], value, depth)
    else:
        for one, part in zip(split(kind[1:-1]), value, strict=True):
            _write(out, one, part, depth + 1)


def _write_array(out: bytearray, inner: str, value: Any, depth: int) -> None:
    at = len(out)
    out += bytes(4)
    out += bytes(-len(out) % _ALIGNMENT[inner[0]])
    start = len(out)
    for element in value.items() if inner[0] == "{" else value:
        _write(out, inner, element, depth + 1)
    struct.pack_into("<I", out, at, len(out) - start)


# -- messages ---------------------------------------------------------------------------------

_HEAD = struct.Struct("<cBBBIII")
_U32 = {"<": struct.Struct("<I").unpack_from, ">": struct.Struct(">I").unpack_from}


def path_field(path: str) -> bytes:
    """The header field of a path, ready to be put into calls."""
    data = path.encode()
    field = b"\x01\x01o\0" + struct.pack("<I", len(data)) + data + b"\0"
    return field + bytes(-len(field) % 8)


class Method:
    """A method call of which only the path and the serial are open.

    The path comes first among the header's fields and fills whole blocks of 8 bytes, so that what
    follows is the same for every path.
    """

    __slots__ = ("_body", "_body_size", "_flags", "_rest", "_size", "reply")

    def __init__(
        self,
        destination: str | None,
        interface: str,
        member: str,
        signature: str = "",
        *values: Any,
        reply: str = "",
        flags: int = 0,
    ) -> None:
        fields = bytearray()
        for code, kind, text in (
            (_INTERFACE, "s", interface),
            (_MEMBER, "s", member),
            (_DESTINATION, "s", destination or ""),
            (_SIGNATURE, "g", signature),
        ):
            if text:
                fields += bytes(-len(fields) % 8)
                _write(fields, "(yv)", (code, Variant(kind, text)), 0)
        self._size = len(fields)
        self._rest = bytes(fields) + bytes(-len(fields) % 8)
        self._body = pack(signature, *values)
        self._body_size = len(self._body)
        self._flags = flags
        self.reply = reply
        """The signature of the answer, for decoding it."""

    def message(self, serial: int, path: bytes) -> bytes:
        """The bytes of a call; `path` as `path_field` made it."""
        head = _HEAD.pack(b"l", CALL, self._flags, 1, self._body_size, serial, len(path) + self._size)
        return b"%b%b%b%b" % (head, path, self._rest, self._body)


def sizes(data: bytes | bytearray, at: int) -> tuple[str, int, int, int]:
    """Of the message that begins here: byte order, length of the fields, where the body begins and ends.

    Needs the first 16 bytes.
    """
    order = {0x6C: "<", 0x42: ">"}.get(data[at])
    if order is None or data[at + 3] != 1:
        raise WireError("this is not a D-Bus message")
    body, fields = _U32[order](data, at + 4)[0], _U32[order](data, at + 12)[0]
    start = at + ((16 + fields + 7) & -8)
    if start + body - at > MAXIMUM:
        raise WireError(f"a message of {start + body - at} bytes is longer than any may be")
    return order, fields, start, start + body


def header(data: bytes) -> Header:
    """The header of a whole message."""
    order = "<" if data[:1] == b"l" else ">"
    (fields,) = reader("a(yv)", order)(data, 12)[0]
    known = dict(fields)
    return Header(
        data[1],
        known.get(_PATH, ""),
        known.get(_INTERFACE, ""),
        known.get(_MEMBER, ""),
        known.get(_ERROR_NAME, ""),
        known.get(_REPLY_SERIAL, 0),
        known.get(_SENDER, ""),
        known.get(_SIGNATURE, ""),
    )
