"""What the bodies of answers say, taken apart fast; those that repeat are known by their bytes."""

from __future__ import annotations

import struct
from functools import lru_cache
from typing import Any

from . import wire
from .vocabulary import FACE_BITS
from .wire import WireError

_U32 = struct.Struct("<I").unpack_from
_I32 = struct.Struct("<i").unpack_from
_VARIANT = wire.reader("v")
_PAIRS = wire.reader("a{ss}")
_ACTIONS = wire.reader("a(sss)")


def text_of(body: bytes) -> str:
    """The text in a variant."""
    if body[:3] != b"\x01s\0":
        return ""
    return body[8:-1].decode("utf-8", "replace")


def int_of(body: bytes) -> int:
    """The number in a variant."""
    return int(_I32(body, 4)[0]) if body[:2] in (b"\x01i", b"\x01u") else 0


@lru_cache(maxsize=4096)
def set_of_states(body: bytes) -> int:
    values = wire.unpack("au", body)[0]
    return sum(value << (32 * number) for number, value in enumerate(values[:2]))


@lru_cache(maxsize=1024)
def set_of_faces(body: bytes) -> int:
    return sum({FACE_BITS.get(name, 0) for name in wire.unpack("as", body)[0]})


@lru_cache(maxsize=1024)
def actions_of(body: bytes) -> tuple[str, ...]:
    return tuple(action[0] for action in _ACTIONS(body, 0)[0][0])


@lru_cache(maxsize=1024)
def attributes_of(body: bytes) -> dict[str, str]:
    known: dict[str, str] = _PAIRS(body, 0)[0][0]
    return known


def properties_of(body: bytes) -> dict[str, Any]:
    """The properties in an answer of `GetAll`; texts and numbers are read by hand since they are many."""
    known: dict[str, Any] = {}
    end = _U32(body, 0)[0] + 8
    if end > len(body):
        raise WireError("the properties end after their message")
    at = 8
    while at < end:
        at = (at + 7) & -8
        key = body[at + 4 : at + 4 + _U32(body, at)[0]]
        at += 5 + len(key)
        if body[at : at + 3] == b"\x01s\0":
            at = (at + 6) & -4
            size = _U32(body, at)[0]
            known[key.decode()] = body[at + 4 : at + 4 + size].decode("utf-8", "replace")
            at += 5 + size
        elif body[at : at + 3] == b"\x01i\0":
            at = (at + 6) & -4
            known[key.decode()] = _I32(body, at)[0]
            at += 4
        else:
            (known[key.decode()],), at = _VARIANT(body, at)
    return known


CacheItem = tuple[str, str, int, int, int, str, int, str, int]
_face_sets: dict[bytes, int] = {}


def cache_items(body: bytes, bus: str) -> list[CacheItem]:
    """The entries of `GetItems`, a((so)(so)(so)iiassusau), read by hand since they are many."""
    u32 = _U32
    two = struct.Struct("<2i").unpack_from
    end = u32(body, 0)[0] + 8
    if end > len(body):
        raise WireError("the cache ends after its message")
    at = 8
    items: list[CacheItem] = []
    add = items.append
    texts: dict[bytes, str] = {}

    def text(data: bytes) -> str:
        known = texts.get(data)
        if known is None:
            known = texts[data] = data.decode("utf-8", "replace")
        return known

    while at < end:
        at = (at + 7) & -8
        references = []
        for _ in range(3):
            at = (at + 7) & -8
            size = u32(body, at)[0]
            sender = body[at + 4 : at + 4 + size]
            at = (at + 4 + size + 1 + 3) & -4
            size = u32(body, at)[0]
            references.append((sender, body[at + 4 : at + 4 + size]))
            at += 4 + size + 1
        at = (at + 3) & -4
        index, count = two(body, at)
        at += 8
        size = u32(body, at)[0]
        raw = body[at + 4 : at + 4 + size]
        faces = _face_sets.get(raw)
        if faces is None:
            faces = _face_sets[raw] = set_of_faces(body[at : at + 4 + size])
        at = (at + 4 + size + 3) & -4
        size = u32(body, at)[0]
        name = text(body[at + 4 : at + 4 + size])
        at = (at + 4 + size + 1 + 3) & -4
        role = u32(body, at)[0]
        at += 4
        size = u32(body, at)[0]
        description = text(body[at + 4 : at + 4 + size])
        at = (at + 4 + size + 1 + 3) & -4
        size = u32(body, at)[0]
        states = set_of_states(body[at : at + 4 + size])
        at += 4 + size
        path = references[0][1].decode()
        if references[0][0].decode() == bus:
            add((path, text(references[2][1]), index, count, faces, name, role, description, states))
    return items
