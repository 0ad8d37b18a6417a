"""Cuts the bytes of one connection into messages, and puts messages into the same form. No I/O here.

A peer that begins with a zero byte puts the length of each message before it, in four bytes, big end first.
Any other peer sends JSON objects one after the other, with white space between them or without, and is
answered with lines. What was cut is not read as JSON here: a message may still be wrong inside.

Where JSON is broken there is still a next message. One that ends in the middle is over at the end of its
line if that is inside a string, or if the next line begins with an object where none can be. Anything
that is not JSON at all is skipped up to the end of the line or to the next `{`.
"""

from __future__ import annotations

import re

LIMIT = 16 * 1024 * 1024
"""How long a message may be, in bytes, by default."""


class Unreadable(str):
    """The reason why there is no message where one was: it is too long, or none. The rest is skipped."""

    __slots__ = ()

    @property
    def reason(self) -> str:
        return str(self)


class Splitter:
    """One connection's incoming bytes. The messages do not depend on how the bytes were split.

    Every byte is looked at a fixed number of times, and never more is held than one message of the greatest
    length.
    """

    def __init__(self, *, limit: int = LIMIT, framing: str | None = None) -> None:
        """`framing` is `text` or `length`; None finds out from the first byte."""
        self.limit = limit
        self.framing = framing
        self._held = bytearray()
        """The beginning of a message whose end has not come yet."""
        self._skip = 0
        """How many bytes of a message that is too long are still to come."""
        self._text = _Text(limit)

    def feed(self, data: bytes) -> list[bytes | Unreadable]:
        """The messages that these bytes complete."""
        if self.framing is None and data:
            self.framing = "length" if data[0] == 0 else "text"
        return self._feed_lengths(data) if self.framing == "length" else self._text.feed(data)

    def end(self) -> list[bytes | Unreadable]:
        """The peer will send no more: what it left unfinished."""
        if self.framing == "text":
            return self._text.end()
        unfinished = bool(self._held or self._skip)
        self._held.clear()
        return [Unreadable("the connection ended inside a message")] if unfinished else []

    @property
    def held(self) -> int:
        """How much of an unfinished message is held, in bytes."""
        return len(self._held) + self._text.held

    def frame(self, message: bytes) -> bytes:
        """The message as this peer wants to read it."""
        if self.framing == "length":
            return len(message).to_bytes(4, "big") + message
        return message + b"\n"

    def _feed_lengths(self, data: bytes) -> list[bytes | Unreadable]:
        found: list[bytes | Unreadable] = []
        at = min(self._skip, len(data))
        self._skip -= at
        self._held += data[at:] if at else data
        at = 0
        while len(self._held) - at >= 4:
            length = int.from_bytes(self._held[at : at + 4], "big")
            if length > self.limit:
                found.append(_too_long(self.limit))
                skipped = min(length + 4, len(self._held) - at)
                self._skip = length + 4 - skipped
                at += skipped
            elif len(self._held) - at - 4 >= length:
                found.append(bytes(self._held[at + 4 : at + 4 + length]))
                at += 4 + length
            else:
                break
        del self._held[:at]
        return found


_BLOCK = 16384
_WORTH_IT = 256
_PASSES = 24
_LOOK_BACK = 64

_BETWEEN = re.compile(rb"[ \t\r\n\xef\xbb\xbf]*")  # white space, and the mark that some put before UTF-8
_NEXT = re.compile(rb"[\n{]")
_NEXT_LINE = re.compile(rb"\n")
_OUTSIDE = re.compile(rb'[{}\[\]"\\\n]')
_INSIDE = re.compile(rb'["\\\n]')
_NUMBER = re.compile(rb"[-+.eE0-9]+")
_STRING = re.compile(rb'"(?:[^"\\\n]|\\[^\n])*(?:"|\\?\n)')
_LITERALS = (b"true", b"false", b"null")
_LONGEST_SCALAR = 1024

_OPEN, _CLOSE, _QUOTE, _ESCAPE, _NEWLINE = b'{}"\\\n'
_OPENERS, _CLOSERS = b"{[", b"}]"
_TO_BRACES = bytes.maketrans(b"[]", b"{}")
_NO_BRACES = bytes(set(range(256)) - set(b"{}[]"))


class _Text:
    """JSON objects one after the other, found by counting brackets outside strings."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._held = bytearray()
        self._mode = "between"
        """between, inside (an object or array), scalar, garbage, or line (garbage that may hold braces)."""
        self._skipping = False
        """Inside a message that is too long: only its end is looked for."""
        self._depth = 0
        self._in_string = False
        self._escaped = False
        """A backslash was the last byte, so the next one means nothing."""
        self._line_ended = False
        """A line ended after a value, so an object can only be a new message."""

    @property
    def held(self) -> int:
        return len(self._held)

    def feed(self, data: bytes) -> list[bytes | Unreadable]:
        found: list[bytes | Unreadable] = []
        at = 0
        while at < len(data):
            if self._mode == "inside":
                at = self._inside(data, at, found)
            elif self._mode == "between":
                at = self._between(data, at, found)
            elif self._mode == "scalar":
                at = self._scalar(data, at, found)
            else:
                end = (_NEXT if self._mode == "garbage" else _NEXT_LINE).search(data, at)
                at = len(data) if end is None else end.start()
                self._mode = self._mode if end is None else "between"
        return found

    def end(self) -> list[bytes | Unreadable]:
        left = [] if self._skipping or not self._held else [bytes(self._held)]
        self._begin()
        return list(left)

    def _begin(self) -> None:
        self._held.clear()
        self._mode = "between"
        self._skipping = self._in_string = self._escaped = self._line_ended = False
        self._depth = 0

    def _between(self, data: bytes, at: int, found: list[bytes | Unreadable]) -> int:
        white = _BETWEEN.match(data, at)
        at = white.end() if white else at
        if at == len(data):
            return at
        first = data[at]
        if first in _OPENERS:
            self._mode = "inside"
        elif first in b'"-0123456789tfn':
            self._mode = "scalar"
        else:
            self._garbage(data[at : at + 1], found)
        return at

    def _garbage(self, first: bytes, found: list[bytes | Unreadable]) -> None:
        self._begin()
        self._mode = "line" if first == b'"' else "garbage"
        shown = first.decode("ascii", "backslashreplace")
        found.append(Unreadable(f"a message is a JSON object, and this begins with '{shown}'"))

    def _scalar(self, data: bytes, at: int, found: list[bytes | Unreadable]) -> int:
        """A JSON text that is neither object nor array: no request, but one message all the same."""
        before = len(self._held)
        text = bytes(self._held) + data[at : at + _LONGEST_SCALAR + 1 - before]
        length = _scalar_length(text)
        if length is None and len(text) <= _LONGEST_SCALAR:
            self._held[:] = text
            return at + len(text) - before
        if not length:
            self._garbage(text[:1], found)
            return at
        found.append(text[:length])
        self._begin()
        return at + length - before

    def _inside(self, data: bytes, start: int, found: list[bytes | Unreadable]) -> int:
        """Go on to the end of the message, if it is in here; gives where to go on after it."""
        at = start
        if self._depth == 0:
            self._depth = 1
            at += 1
        while at < len(data):
            stop = min(at + _BLOCK, len(data))
            if stop - at < _WORTH_IT or not self._pass_over(data, at, stop):
                end = self._step(data, start, at, stop)
                if end is not None:
                    self._finish(data[start : end[0]], found)
                    return end[1]
            at = stop
        self._hold(data[start:] if start else data, found)
        return at

    def _hold(self, part: bytes, found: list[bytes | Unreadable]) -> None:
        self._held += part
        if not self._skipping and len(self._held) > self._limit:
            self._skipping = True
            found.append(_too_long(self._limit))
        if self._skipping:
            del self._held[:-_LOOK_BACK]

    def _finish(self, part: bytes, found: list[bytes | Unreadable]) -> None:
        if not self._skipping:
            if len(self._held) + len(part) > self._limit:
                found.append(_too_long(self._limit))
            else:
                found.append(bytes(self._held) + part if self._held else part)
        self._begin()

    def _pass_over(self, data: bytes, at: int, stop: int) -> bool:
        """Count the brackets of a block at once; False, and nothing done, if the message may end in it.

        The same as `_step` does, by a few operations on the whole block instead of some for each bracket.
        """
        block = data[at:stop]
        if self._line_ended or _NEWLINE in block:
            return False
        escaped = False
        if self._escaped:
            block = block[1:]
        if _ESCAPE in block:
            block = block.replace(b"\\\\", b"")
            escaped = block.endswith(b"\\")
            block = block.replace(b'\\"', b"")
        if b"\\" in block:
            # What else is escaped matters only if it is a bracket outside strings, which is not JSON.
            block = re.sub(rb"\\[{}\[\]]", b"", block)
        parts = block.split(b'"')
        braces = b"".join(parts[1 if self._in_string else 0 :: 2]).translate(_TO_BRACES, _NO_BRACES)
        for _ in range(_PASSES):
            shorter = braces.replace(b"{}", b"")
            if len(shorter) == len(braces):
                break
            braces = shorter
        else:
            return False
        closers = braces.count(b"}")
        if closers >= self._depth:
            return False
        self._depth += len(braces) - 2 * closers
        self._in_string ^= len(parts) % 2 == 0
        self._escaped = escaped
        return True

    def _step(self, data: bytes, start: int, at: int, stop: int) -> tuple[int, int] | None:
        """Go from bracket to bracket; where the message ends and where the next may begin, if it ends."""
        if self._escaped:
            self._escaped = False
            at += 1
        while (match := (_INSIDE if self._in_string else _OUTSIDE).search(data, at, stop)) is not None:
            at = match.end()
            byte = data[at - 1]
            if byte == _ESCAPE:
                at += 1
                self._escaped = at > stop
            elif byte == _QUOTE:
                self._in_string = not self._in_string
                self._line_ended = False
            elif byte == _NEWLINE:
                if self._in_string:
                    return at - 1, at
                self._line_ended = self._line_ended or self._value_before(data, start, at - 1)
            elif byte in _OPENERS:
                if self._line_ended and byte == _OPEN and self._begins_line(data, start, at - 1):
                    return at - 1, at - 1
                self._line_ended = False
                self._depth += 1
            else:
                self._line_ended = False
                self._depth -= 1
                if self._depth == 0:
                    return at, at
        return None

    def _before(self, data: bytes, start: int, at: int) -> bytes:
        """The last bytes of this message before a place in the data."""
        near = data[max(start, at - _LOOK_BACK) : at]
        return bytes(self._held[len(near) - _LOOK_BACK :]) + near if len(near) < _LOOK_BACK else near

    def _value_before(self, data: bytes, start: int, at: int) -> bool:
        before = self._before(data, start, at).rstrip(b" \t\r\n")
        return bool(before) and before[-1] not in b":,[{"

    def _begins_line(self, data: bytes, start: int, at: int) -> bool:
        before = self._before(data, start, at)
        newline = before.rfind(b"\n")
        return newline >= 0 and not before[newline:].strip(b" \t\r\n")


def _scalar_length(text: bytes) -> int | None:
    """How long the JSON text at the beginning is; None if more must be seen, 0 if it is none."""
    if text[:1] == b'"':
        string = _STRING.match(text)
        return None if string is None else string.end()
    if text[:1] in b"tfn":
        literal = next(known for known in _LITERALS if known[:1] == text[:1])
        if text.startswith(literal):
            return len(literal)
        return None if literal.startswith(text) else 0
    number = _NUMBER.match(text)
    return number.end() if number is not None and number.end() < len(text) else None


def _too_long(limit: int) -> Unreadable:
    return Unreadable(f"a message may be {limit} bytes long, and this is longer")
