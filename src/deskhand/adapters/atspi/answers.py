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


@lru_cache(maxsize=8192)
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
_two = struct.Struct("<2i").unpack_from


class CacheList:
    """Takes apart what one program answers to `GetItems`, a((so)(so)(so)iiassusau).

    By hand, since the entries are many, and only those whose bytes differ from the answer before. An entry
    begins at a multiple of 8 and its bytes say where it ends, so the same bytes are the same entry.
    """

    def __init__(self, bus: str) -> None:
        self._bus = bus.encode()
        self._body = b""
        self._order: list[tuple[bytes, CacheItem]] = []
        """The entries of the last answer: their bytes, and what they say."""
        self._path = (4 + len(self._bus) + 1 + 3) & -4
        """Where in an entry its path is."""
        self.changed: dict[str, CacheItem] | None = None
        """By path, what the last list says that the one before did not; None if other objects are on it, or
        some are in another one or of another role."""

    def entries(self, body: bytes) -> list[CacheItem]:
        """What the list has of this program."""
        if body == self._body:
            self.changed = {}
            return [item for _, item in self._order]
        end = _U32(body, 0)[0] + 8
        if end > len(body):
            raise WireError("the cache ends after its message")
        before, count = self._order, len(self._order)
        known: dict[bytes, tuple[int, tuple[bytes, CacheItem]]] = {}
        order: list[tuple[bytes, CacheItem]] = []
        changed: dict[str, CacheItem] = {}
        moved = False
        same = body.startswith
        at, turn = 8, 0
        while at < end:
            at = (at + 7) & -8
            # Most entries are the same as before, in the same order.
            if turn < count and same(before[turn][0], at):
                entry = before[turn]
            else:
                known = known or {
                    self._path_in(raw, 0): (turn, (raw, was)) for turn, (raw, was) in enumerate(before)
                }
                turn, old = known.get(self._path_in(body, at), (turn, None))
                if old is not None and same(old[0], at):
                    entry = old
                else:
                    ours, item, after = _cache_item(body, at, self._bus)
                    if not ours:
                        at = after
                        continue
                    entry = (body[at:after], item)
                    changed[item[0]] = item
                    moved = moved or old is None or _structure(old[1]) != _structure(item)
            turn += 1
            order.append(entry)
            at += len(entry[0])
        self._body, self._order = body, order
        self.changed = None if moved or len(order) != count else changed
        return [item for _, item in order]

    def _path_in(self, body: bytes, at: int) -> bytes:
        start = at + self._path
        if start + 4 > len(body):
            raise WireError("the cache ends in the middle of an entry")
        return body[start + 4 : start + 4 + _U32(body, start)[0]]


def _structure(item: CacheItem) -> tuple[str, int, int, int]:
    """What an entry says of where the object is and what is in it: parent, index, children, role."""
    return item[1], item[2], item[3], item[6]


def _cache_item(body: bytes, at: int, bus: bytes) -> tuple[bool, CacheItem, int]:
    """Whether the entry that begins here is of the program, what it says, and where it ends."""
    u32 = _U32
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
    index, count = _two(body, at)
    at += 8
    size = u32(body, at)[0]
    raw = body[at + 4 : at + 4 + size]
    faces = _face_sets.get(raw)
    if faces is None:
        faces = _face_sets[raw] = set_of_faces(body[at : at + 4 + size])
    at = (at + 4 + size + 3) & -4
    size = u32(body, at)[0]
    name = body[at + 4 : at + 4 + size].decode("utf-8", "replace")
    at = (at + 4 + size + 1 + 3) & -4
    role = u32(body, at)[0]
    at += 4
    size = u32(body, at)[0]
    description = body[at + 4 : at + 4 + size].decode("utf-8", "replace")
    at = (at + 4 + size + 1 + 3) & -4
    size = u32(body, at)[0]
    states = set_of_states(body[at : at + 4 + size])
    at += 4 + size
    path, parent = references[0][1].decode(), references[2][1].decode()
    item = (path, parent, index, count, faces, name, role, description, states)
    return references[0][0] == bus, item, at
