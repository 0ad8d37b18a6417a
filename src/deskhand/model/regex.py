"""Regular expressions in selectors: where one ends, what is wrong with it, and what it compiles to.

A search holds the lock of the whole program, and cannot be interrupted. So an expression is taken only if
`backtrack` finds an upper bound for it, and is searched only as far as that allows.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import NamedTuple

from .backtrack import Cost, Unbounded, search_cost
from .errors import WaitTimeout
from .syntax import Regex

MAX_PATTERN = 500
MAX_SEARCHED = 1000
"""How much of a text a regular expression of a selector is searched in, unless its cost allows less."""
BUDGET = 20_000_000
"""How many steps one search may take at worst: about a tenth of a second."""
SEARCH_TIME = 1.0
"""How long the texts of one query may be searched, in seconds."""
_LEAST = 25
"""How many characters must be searchable within the budget."""

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


class Expression(NamedTuple):
    """A regular expression, ready to be searched with, and what a search costs at worst."""

    pattern: re.Pattern[str]
    cost: Cost


@lru_cache(maxsize=512)
def compiled(regex: Regex) -> Expression:
    """The regular expression, ready to be searched with; one that `regex_problem` has no objection to."""
    flags = _flags(regex)
    return Expression(re.compile(regex.pattern, flags), search_cost(regex.pattern, flags))


def _flags(regex: Regex) -> re.RegexFlag:
    flags = re.RegexFlag(0)
    for letter in regex.flags:
        flags |= _MEANT[letter]
    return flags


def found_in(text: str, expression: Expression, longest: int = MAX_SEARCHED) -> bool:
    """Whether the text has the expression somewhere in its first characters.

    These are `longest`, or as many as can be searched within the budget. Raises WaitTimeout once the time of
    the query is over.
    """
    if _query.until is not None and time.monotonic() > _query.until:
        raise WaitTimeout(
            f"the regular expression was searched for {SEARCH_TIME:g} s, and not all texts were looked at",
            target=expression.pattern.pattern[:200],
            suggestions=("use a simpler expression, or select fewer elements before it",),
        )
    return expression.pattern.search(text[: expression.cost.length(BUDGET, longest)]) is not None


class _Query(threading.local):
    until: float | None = None


_query = _Query()


@contextmanager
def one_query() -> Iterator[None]:
    """Limit how long this thread searches for regular expressions, all texts together."""
    if _query.until is not None:  # a query inside another one
        yield
        return
    _query.until = time.monotonic() + SEARCH_TIME
    try:
        yield
    finally:
        _query.until = None


def regex_end(text: str, start: int) -> int | None:
    """Where the regular expression that begins at a slash ends, after its last one; None if nowhere."""
    at = start + 1
    while at < len(text):
        if text[at] == "/":
            return at + 1
        at = _after(text, at)
    return None


@lru_cache(maxsize=512)
def regex_problem(regex: Regex) -> str | None:
    """What is wrong with a regular expression, if anything."""
    if len(regex.pattern) > MAX_PATTERN:
        return f"a regular expression may have {MAX_PATTERN} characters, this one has {len(regex.pattern)}"
    try:
        cost = search_cost(regex.pattern, _flags(regex))
        if cost.steps(_LEAST) > BUDGET:
            return (
                "the regular expression has too many repetitions, optional parts or choices one after the "
                "other, and can take forever"
            )
        compiled(regex)
    except Unbounded as error:
        return f"{error}: such a regular expression can take forever"
    except (re.error, OverflowError, RecursionError, Warning) as error:
        return f"the regular expression cannot be read: {error}"
    return None


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
