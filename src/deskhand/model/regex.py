"""Regular expressions in selectors: where one ends, what is wrong with it, and what it compiles to.

Whoever searches with one holds the lock of the whole program meanwhile, so the known ways to
take forever are refused.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from .syntax import Regex

MAX_PATTERN = 500
MAX_SEARCHED = 1000
"""How much of a text a regular expression is searched in."""
_SEARCHED = (MAX_SEARCHED, MAX_SEARCHED, 250, 90, 40, 25)
"""The same by how many repetitions it has: each of them may try every character, for each of the others."""
_MAX_OPTIONAL = 10

_MEANT = {"i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL}
REGEX_FLAGS = frozenset((*_MEANT, "g", "u"))
"""What may follow the closing slash; g and u, as JavaScript has them, change nothing."""
_PAIR = re.compile(r"\\(.)", re.DOTALL)


def make_regex(written: str, flags: str) -> Regex:
    """The regular expression that stands between two slashes."""
    pattern = _PAIR.sub(lambda pair: "/" if pair[1] == "/" else pair[0], written)
    return Regex(pattern, "".join(letter for letter in _MEANT if letter in flags))


def from_pattern(pattern: re.Pattern[str]) -> Regex:
    """The same regular expression as Python's."""
    return Regex(pattern.pattern, "".join(letter for letter, flag in _MEANT.items() if pattern.flags & flag))


@lru_cache(maxsize=512)
def compiled(regex: Regex) -> re.Pattern[str]:
    """The regular expression, ready to be searched with."""
    flags = re.RegexFlag(0)
    for letter in regex.flags:
        flags |= _MEANT[letter]
    return re.compile(regex.pattern, flags)


def found_in(text: str, pattern: re.Pattern[str], searched: Sequence[int] = ()) -> bool:
    """Whether the text has the pattern somewhere, as far as it is searched.

    `searched` is how far that is, by how many repetitions it has; where it ends, as everywhere.
    """
    repeated = _repetitions(pattern.pattern)[0]
    end = searched[repeated] if repeated < len(searched) else _SEARCHED[repeated]
    return pattern.search(text[:end]) is not None


def regex_end(text: str, start: int) -> int | None:
    """Where the regular expression that begins at a slash ends, after its last one; None if nowhere."""
    at = start + 1
    while at < len(text):
        if text[at] == "/":
            return at + 1
        at = _after(text, at)
    return None


def regex_problem(regex: Regex) -> str | None:
    """What is wrong with a regular expression, if anything."""
    if len(regex.pattern) > MAX_PATTERN:
        return f"a regular expression may have {MAX_PATTERN} characters, this one has {len(regex.pattern)}"
    if _may_take_forever(regex.pattern):
        return (
            "a repeated group may hold no repetition and no '|': such a regular expression can take forever"
        )
    repeated, optional = _repetitions(regex.pattern)
    if repeated >= len(_SEARCHED) or optional > _MAX_OPTIONAL:
        return (
            f"a regular expression may have {len(_SEARCHED) - 1} repetitions and {_MAX_OPTIONAL} optional "
            f"parts; this one has {repeated} and {optional}, and can take forever"
        )
    try:
        compiled(regex)
    except (re.error, OverflowError, RecursionError, Warning) as error:
        return f"the regular expression cannot be read: {error}"
    return None


@lru_cache(maxsize=512)
def _repetitions(pattern: str) -> tuple[int, int]:
    """How many parts may be repeated, and how many may be left out."""
    repeated = optional = at = 0
    before = ""
    while at < len(pattern):
        char = pattern[at]
        if char in "*+{":
            repeated += 1
        elif char == "?" and before not in ("", "(", "*", "+", "?", "}"):
            optional += 1
        before = char
        at = _after(pattern, at)
    return repeated, optional


def _may_take_forever(pattern: str) -> bool:
    """Whether a group that is repeated can match the same text in several ways."""
    varied = [False]
    at = 0
    while at < len(pattern):
        char = pattern[at]
        if char == "(":
            varied.append(False)
            at += 1 if pattern[at + 1 : at + 2] == "?" else 0
        elif char == ")" and len(varied) > 1:
            inner = varied.pop()
            if inner and pattern[at + 1 : at + 2] in ("*", "+", "{"):
                return True
            varied[-1] |= inner
        elif char in "*+?{|":
            varied[-1] = True
        at = _after(pattern, at)
    return False


def _after(pattern: str, at: int) -> int:
    """The position after a character, an escaped one or a whole set such as `[^/]]`."""
    if pattern[at] == "\\":
        return at + 2
    if pattern[at] != "[":
        return at + 1
    at += 2 if pattern[at + 1 : at + 2] == "^" else 1
    at += 1 if pattern[at : at + 1] == "]" else 0
    while at < len(pattern) and pattern[at] != "]":
        at += 2 if pattern[at] == "\\" else 1
    return at + 1
