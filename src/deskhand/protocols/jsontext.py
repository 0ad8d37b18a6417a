"""JSON out of bytes and into bytes, the same with orjson as without it.

Both ways are strict where JSON is: no NaN, no half surrogate pairs, nothing nested deeper than can be read.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from importlib import import_module
from json.encoder import encode_basestring as quote
from typing import Any, cast

from ..model.errors import ParseError

_orjson: Any
try:
    _orjson = import_module("orjson")
except ImportError:
    # Fallback: in an app that has no orjson, the standard library does the same, slower.
    _orjson = None

__all__ = ["Raw", "dumps", "id_of", "loads", "loads_request", "quote", "raw", "to_bytes"]

MAX_VALUES = 100_000
_MAX_WIDE = 4 * 1024 * 1024
_WIDE = re.compile(rb"[\xc4-\xff]|\\u")
"""Of a text with one such character, Python may keep every character in four bytes."""
_STRUCTURE = (b",", b":", b"[", b"{")
_MARK = b"\xef\xbb\xbf"
"""What some put before UTF-8."""


class Raw:
    """A value that is JSON text already, for `dumps(…, raw)`: a large one is faster written than built."""

    def __init__(self, text: str) -> None:
        self.data = to_bytes(text)


def raw(value: Any) -> Any:
    """What `Raw` stands for; anything else as text."""
    if not isinstance(value, Raw):
        return str(value)
    return _orjson.Fragment(value.data) if _orjson is not None else json.loads(value.data)


def loads(data: bytes) -> Any:
    """Read one JSON text; ParseError says what is wrong with it, and at which character."""
    data = data.removeprefix(_MARK)
    try:
        return _orjson.loads(data) if _orjson is not None else _stdlib_loads(data)
    except RecursionError:
        raise ParseError("it is nested too deeply to be read") from None
    except json.JSONDecodeError as error:
        raise ParseError(f"{error.msg} at position {error.pos}", position=error.pos) from None
    except UnicodeDecodeError as error:
        raise ParseError(f"no UTF-8 at byte {error.start}", position=error.start) from None
    except ValueError as error:
        raise ParseError(str(error)) from None


def loads_request(data: bytes) -> Any:
    """The same for what a client sends: as data of Python, a short text can be hundreds of times as long."""
    if len(data) > _MAX_WIDE and _WIDE.search(data):
        raise ParseError(f"it may have {_MAX_WIDE} bytes if it has characters beyond Latin-1, or \\u")
    if (count := sum(map(data.count, _STRUCTURE))) > MAX_VALUES:
        raise ParseError(f"it has {count} values and brackets, and may have {MAX_VALUES}")
    return loads(data)


def id_of(request: Any, message: bytes) -> Any:
    """The id of a request that was read from a message, as it was sent; None if it has none.

    A whole number may be too long for orjson, which then makes a fraction of it.
    """
    number = request.get("id") if isinstance(request, dict) else None
    return json.loads(message.removeprefix(_MARK))["id"] if isinstance(number, float) else number


def dumps(value: Any, default: Callable[[Any], Any] | None = None) -> bytes:
    """Write one JSON text in UTF-8 on one line; `default` turns what JSON does not know into what it does."""
    if _orjson is not None:
        try:
            return cast("bytes", _orjson.dumps(value, default, _OPTIONS))
        except TypeError:
            # Fallback: large integers and half surrogate pairs, which only the standard library writes.
            pass
    try:
        text = _stdlib_dumps(value, default)
    except ValueError:
        text = _stdlib_dumps(_finite(value, default), default)
    return to_bytes(text)


def to_bytes(text: str) -> bytes:
    """UTF-8; half of a surrogate pair, which a toolkit's string may hold, becomes U+FFFD."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()


_OPTIONS = 0
if _orjson is not None:
    _OPTIONS = _orjson.OPT_PASSTHROUGH_DATACLASS | _orjson.OPT_NON_STR_KEYS


def _stdlib_loads(data: bytes) -> Any:
    value = json.loads(data.decode(), parse_constant=_no_constant, parse_float=_finite_float)
    if b"\\u" in data and _has_half_pair(value):
        raise ParseError("a string holds half of a surrogate pair")
    return value


def _has_half_pair(value: Any) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False


def _no_constant(name: str) -> Any:
    raise ParseError(f"{name} is not JSON")


def _finite_float(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ParseError(f"the number {text[:40]} is too large")
    return number


def _stdlib_dumps(value: Any, default: Callable[[Any], Any] | None) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=default, allow_nan=False)


def _finite(value: Any, default: Callable[[Any], Any] | None) -> Any:
    """The same with null for what is not a number, as orjson writes it."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: _finite(part, default) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(part, default) for part in value]
    if value is None or isinstance(value, (str, int, float)) or default is None:
        return value
    return _finite(default(value), default)
