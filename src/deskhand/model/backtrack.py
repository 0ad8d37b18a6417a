"""How long Python's regular expressions can take at worst, judged by the pattern as Python itself parses it.

Python's engine tries one way to match after the other. The number of ways from one position is bounded here
from the parts of the parsed pattern: choices add up, and parts that follow each other multiply. Where no
bound is known, the pattern is refused. Nothing is run, and no list of bad patterns is kept.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Iterable
from functools import lru_cache
from importlib import import_module
from typing import Any, NamedTuple

_PARSER = "re._parser" if sys.version_info >= (3, 11) else "sre_parse"
_MAX_DEGREE = 6
_MAX_CHOICES = 1024
"""How many ways may differ in which parts are left out or chosen; ten optional parts are as many."""
_FEW = 8
"""Up to how often a repetition counts as that many choices, and not as one of any length."""
_APART = 20
"""What parts that read the same characters cost more than those that follow each other: no binomial
coefficient of the degree above is larger."""
_CODE_POINTS = 5 * 65536
"""How many characters the ranges of all sets may have: Python looks at each when it ignores case."""
_START = frozenset(("AT_BEGINNING", "AT_BEGINNING_STRING"))


class Unbounded(ValueError):
    """No useful bound is known for a pattern."""


class Cost(NamedTuple):
    """At most `factor` times the number of ways to cut a text into `degree` + 1 parts."""

    factor: int
    degree: int

    def steps(self, length: int) -> int:
        """The bound for a text of that length."""
        return self.factor * math.comb(length + self.degree, self.degree)

    def length(self, budget: int, longest: int) -> int:
        """How long a text may be, within a budget of steps."""
        return _length(self, budget, longest)

    def plus(self, other: Cost) -> Cost:
        return Cost(self.factor + other.factor, max(self.degree, other.degree))

    def times(self, other: Cost) -> Cost:
        degree = self.degree + other.degree
        if degree > _MAX_DEGREE:
            raise Unbounded(f"it has more than {_MAX_DEGREE - 1} repetitions after each other")
        return Cost(self.factor * other.factor, degree)


class _Part(NamedTuple):
    """A part of a pattern."""

    ways: Cost
    """In how many ways it can match from one position."""
    cost: Cost
    """How many steps it takes to try them all."""


_ONE = Cost(1, 0)
_SIMPLE = _Part(_ONE, _ONE)


@lru_cache(maxsize=512)
def search_cost(pattern: str, flags: int) -> Cost:
    """What searching a text for a pattern costs at worst. Raises Unbounded, or what `re.compile` raises."""
    # Not part of the documented library, but what `re` itself uses; its tree is that of the engine.
    tree = import_module(_PARSER).parse(pattern, flags)
    items = list(tree)
    _check_sets(items)
    cost = _sequence(items).cost
    anchored = items and items[0][0].name == "AT" and items[0][1].name in _START
    if anchored and not tree.state.flags & re.MULTILINE:
        return cost.plus(Cost(1, 1))
    return cost.times(Cost(1, 1))


@lru_cache(maxsize=512)
def _length(cost: Cost, budget: int, longest: int) -> int:
    low, high = 0, longest
    while low < high:
        middle = (low + high + 1) // 2
        if cost.steps(middle) <= budget:
            low = middle
        else:
            high = middle - 1
    return low


def _sequence(items: Iterable[Any]) -> _Part:
    ways, cost = _ONE, Cost(0, 0)
    for item in items:
        part = _part(item)
        cost = cost.plus(ways.times(part.cost))
        ways = ways.times(part.ways)
        if ways.factor > _MAX_CHOICES:
            raise Unbounded(f"its optional parts and choices combine in more than {_MAX_CHOICES} ways")
    return _Part(ways, cost.plus(_ONE))


def _part(item: tuple[Any, Any]) -> _Part:
    operation, argument = item
    judge = _PARTS.get(operation.name)
    if judge is None:
        raise Unbounded(f"what {operation.name.lower()} costs is not known")
    return judge(argument)


def _choice(branches: Iterable[Any]) -> _Part:
    parts = [_sequence(branch) for branch in branches]
    ways, cost = Cost(0, 0), _ONE
    for part in parts:
        ways, cost = ways.plus(part.ways), cost.plus(part.cost)
    return _Part(ways, cost)


def _repeat(argument: tuple[int, int, Any]) -> _Part:
    least, most, body = argument
    part = _sequence(body)
    if most <= 1:
        return _Part(part.ways if least else part.ways.plus(_ONE), part.cost.plus(_ONE))
    if part.ways != _ONE:
        raise Unbounded("a repeated group may hold no repetition and no choice")
    if body.getwidth()[0] == 0:
        # The engine stops when a round matches nothing, but not before the least number of rounds.
        if least > _MAX_CHOICES:
            raise Unbounded(f"what can be empty is repeated {least} times")
        return _Part(Cost(2, 0), Cost(part.cost.factor * (least + 2), part.cost.degree))
    times = int(most) - int(least) + 1
    ways = Cost(times, 0) if times <= _FEW else Cost(1, 1)
    if most <= _FEW:
        return _Part(ways, Cost(part.cost.factor * int(most), part.cost.degree))
    factor = part.cost.factor * (_APART if part.cost.degree else 1)
    return _Part(ways, Cost(factor, part.cost.degree).times(Cost(1, 1)))


def _atomic(body: Any) -> _Part:
    return _Part(_ONE, _sequence(body).cost)


def _look(argument: tuple[int, Any]) -> _Part:
    cost = _sequence(argument[1]).cost
    return _Part(_ONE, Cost(cost.factor * (_APART if cost.degree else 1), cost.degree))


def _possessive(argument: tuple[int, int, Any]) -> _Part:
    return _Part(_ONE, _repeat(argument).cost)


def _set(members: list[Any]) -> _Part:
    return _Part(_ONE, Cost(1 + len(members) // 16, 0))


_PARTS: dict[str, Callable[[Any], _Part]] = {
    **dict.fromkeys(("LITERAL", "NOT_LITERAL", "ANY", "ANY_ALL", "AT", "FAILURE"), lambda _: _SIMPLE),
    "IN": _set,
    "SUBPATTERN": lambda argument: _sequence(argument[3]),
    "ATOMIC_GROUP": _atomic,
    "BRANCH": lambda argument: _choice(argument[1]),
    "MAX_REPEAT": _repeat,
    "MIN_REPEAT": _repeat,
    "POSSESSIVE_REPEAT": _possessive,
    "ASSERT": _look,
    "ASSERT_NOT": _look,
    "GROUPREF": lambda _: _Part(_ONE, Cost(_APART, 1)),
    "GROUPREF_EXISTS": lambda argument: _choice(branch for branch in argument[1:] if branch is not None),
}


def _check_sets(items: list[Any]) -> None:
    """Raise Unbounded if compiling alone takes long: Python goes through all characters of each range."""
    size = 0
    waiting = list(items)
    while waiting:
        entry = waiting.pop()
        if isinstance(entry, tuple) and getattr(entry[0], "name", "") == "RANGE":
            size += entry[1][1] - entry[1][0]
        elif isinstance(entry, (tuple, list)) or type(entry).__name__ == "SubPattern":
            waiting.extend(entry)
    if size > _CODE_POINTS:
        raise Unbounded(f"its sets have {size} characters, and may have {_CODE_POINTS}")
