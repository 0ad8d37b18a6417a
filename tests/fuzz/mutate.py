"""Makes wrong messages of right ones: their structure is changed, and sometimes their bytes after that."""

from __future__ import annotations

import json
from random import Random
from typing import Any, NamedTuple

_RAW = "@raw@"
"""Stands for text that no JSON encoder would write."""
_NUMBERS = (
    0, -1, 1, 2, 7, 0.5, -0.0, 1e-9, 255, 65536, 2**31 - 1, 2**31, -(2**31), 2**53 + 1, 2**63, -(2**63) - 1,
    2**64, 10**30, 1e15, 1e300, -1e300, 5e-324, float("nan"), float("inf"), float("-inf"),
)  # fmt: skip
_STRINGS = (
    "", " ", "\0", "\n", "\ud800", "\udfff\ud800", "é", "😀", "\u202e", "\ufeff", "/", "//", ".", "..",
    "#", "[",
    "]", "*", ">", ">>", "#panel", "#name_edit", "#country", "button", "button:nth(1)", "button >> *",
    "uid=u-1",
    "path=0/1", 'button[name="x"]', "button[name=/(a+)+$/]", "/(.*)*x/", ":has-text(\"x\")",
    "root/panel/QPushButton[2]",
    "MainWindow/QWidget[7]", "true", "null", "1", "-1", "NaN", "1e999", "Ctrl+Shift+A", "Ctrl+", "+",
    "F99", "%s%n",
    "{}", "{0}", "${x}", "../../etc/passwd", "file:///", "enabled", "visible", "left", "Kenya", "__proto__",
    "__class__", "visible\0", "A" * 300,
)  # fmt: skip
_NAMES = (
    "id", "method", "params", "jsonrpc", "target", "ref", "selector", "timeout", "text", "value", "index",
    "x",
    "label", "role", "name", "arguments", "_meta", "uid", "state", "", "\0", "é", "__class__", "self", "cls",
)  # fmt: skip
_TEXTS = (
    "1e400", "-1e400", "1E-400", "-0", "00", "01", "+1", ".5", "1.", "0x10", "1" * 400, "1" * 5000, "'a'",
    "undefined",
    "tru", '"\\u12"', '"\\x41"', '"\\ud83d"', "[,]", "[1,]", "{,}", '{"a":1,}', '{"a":1,"a":2}', "/**/1",
    "[" * 30,
    "{}{}", '"unended',
)  # fmt: skip


class Text(NamedTuple):
    """A message as it is sent."""

    data: bytes
    sound: bool
    """Whether it is still a JSON object, for every reader of JSON."""


class Mutator:
    """Changes messages at random."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self._raw = ""

    def message(self, seed: str) -> Text:
        """The JSON text of a message, made wrong in up to three ways, or once in a while not at all."""
        random = self.random
        self._raw = ""
        data = json.loads(seed)
        for _ in range(random.choice((0, 1, 1, 1, 2, 3))):
            data = self._changed(data)
        text = json.dumps(
            data, ensure_ascii=random.random() < 0.5, separators=random.choice(((",", ":"), (" , ", " : ")))
        )
        if self._raw:
            text = text.replace(f'"{_RAW}"', self._raw)
        if random.random() < 0.03 and text.startswith("{") and len(text) > 2:
            text = f'{{"{random.choice(_NAMES[:7])}":{json.dumps(self._scalar())},{text[1:]}'
        sent = text.encode("utf-8", "surrogatepass")
        if random.random() < 0.08:
            sent = self.broken(sent)
        return Text(sent, _is_sound(sent))

    def broken(self, data: bytes) -> bytes:
        """The same bytes with some cut, doubled, added or changed."""
        random = self.random
        at = random.randrange(len(data) + 1)
        to = min(len(data), at + random.choice((1, 2, 8, 100)))
        match random.randrange(8):
            case 0:
                return data[:at]
            case 1:
                return data[at:]
            case 2:
                return data[:at] + data[to:]
            case 3:
                return data[:to] + data[at:]
            case 4:
                return data[:at] + random.randbytes(random.choice((1, 4, 64))) + data[at:]
            case 5:
                return (
                    data[:at] + bytes(byte ^ (1 << random.randrange(8)) for byte in data[at:to]) + data[to:]
                )
            case 6:
                return random.choice((b"\xef\xbb\xbf", b"\0", b"\xff\xfe", b"\r\n", b",", b"[", b"{")) + data
            case _:
                return data + random.choice(
                    (b"\0", b"}", b"]", b"{}", b"\xc3", b"\xed\xa0\x80", b"\n\n", data)
                )

    def _changed(self, data: Any) -> Any:
        random = self.random
        containers = [each for each in _containers(data) if each]
        if not containers or random.random() < 0.03:
            return self._value(data)
        inside = random.choice(containers)
        key = random.choice(list(inside)) if isinstance(inside, dict) else random.randrange(len(inside))
        match random.randrange(10):
            case 0:
                del inside[key]
            case 1 if isinstance(inside, dict):
                inside[random.choice(_NAMES)] = self._value(inside[key])
            case 2 if isinstance(inside, dict):
                inside[random.choice(_NAMES)] = inside.pop(key)
            case 1 | 2:
                inside.extend([inside[key]] * random.choice((1, 2, 50)))
            case 3:
                inside[key] = [inside[key]]
            case 4:
                inside[key] = {random.choice(_NAMES): inside[key]}
            case 5:
                inside[key] = _twisted(inside[key])
            case _:
                inside[key] = self._value(inside[key])
        return data

    def _value(self, before: Any) -> Any:
        """Another value, mostly of another type."""
        random = self.random
        match random.randrange(12):
            case 0:
                return [before] * random.choice((0, 1, 3, 40))
            case 1:
                return {random.choice(_NAMES): before}
            case 2 if not self._raw:
                self._raw = random.choice(_TEXTS) if random.random() < 0.5 else self._deep()
                return _RAW
            case 3:
                return random.choice((None, True, False, [], {}, [[]], [None], {"": None}))
            case 4:
                return self._long()
            case _:
                return self._scalar()

    def _scalar(self) -> Any:
        return self.random.choice(self.random.choice((_NUMBERS, _STRINGS)))

    def _long(self) -> str:
        """Rarely very long, for those take long to make and to send."""
        random = self.random
        length = (
            random.choice((100, 300, 1000, 3000))
            if random.random() < 0.998
            else random.choice((70_000, 1_200_000))
        )
        return random.choice(("x", "é", "😀", "\\", '"', "\0", "[", "button ", "#")) * length

    def _deep(self) -> str:
        depth = self.random.choice((20, 70, 300, 1100, 5000))
        return self.random.choice(("[" * depth + "]" * depth, '{"a":' * depth + "1" + "}" * depth))


def _containers(data: Any) -> list[Any]:
    found: list[Any] = []
    left = [data]
    while left:
        each = left.pop()
        if isinstance(each, (dict, list)):
            found.append(each)
            left.extend(each.values() if isinstance(each, dict) else each)
    return found


def _twisted(value: Any) -> Any:
    """Nearly the same, of another type."""
    if isinstance(value, str):
        return int(value) if value.isascii() and value.isdigit() else list(value)[:20]
    return str(value) if isinstance(value, (bool, int, float)) else json.dumps(value)


def _is_sound(sent: bytes) -> bool:
    try:
        data = json.loads(sent.decode(), parse_constant=_refuse)
    except (ValueError, RecursionError):
        return False
    return isinstance(data, dict) and not is_deep(sent)


def is_deep(sent: bytes) -> bool:
    """Whether it is nested deeper than some readers go."""
    return b"[" * 50 in sent or b'{"a":' * 50 in sent


def _refuse(constant: str) -> None:
    raise ValueError(constant)
