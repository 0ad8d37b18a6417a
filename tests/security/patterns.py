"""Regular expressions made at random, of the parts that make them slow, and texts on which they are."""

from __future__ import annotations

import random
from collections.abc import Iterator

_ATOMS = (
    "a",
    "b",
    ".",
    "[ab]",
    r"\w",
    "[^b]",
    r"\s",
    "",
    "aa",
    "(?#)",
    r"\b",
    "^",
    "$",
    " ",
    r"\1",
    "(?=a)",
    "é",
)
_OPENINGS = ("(", "(?:", "(?=", "(?!", "(?<=a)(", "(?i:", "(?P<n>", "(?>", "(?s-i:")
_REPEATS = (
    "*",
    "+",
    "?",
    "*?",
    "+?",
    "??",
    "{2}",
    "{1,3}",
    "{,9}",
    "{3,}",
    "{0,500}",
    "*+",
    "++",
    "{99999}",
    "(?#)+",
)
_STARTS = ("", "", "", "", "(?x)", "(?i)", "(?s)", "(?m)", "(?x) ", "^", "(a*)?")
_ENDS = ("", "b", r"\x00", "$", "c", "(?!.)", r"\1")

TEXTS = ("a" * 5000, "ab" * 2500, "a " * 2500, "a" * 30 + "b", "aaaa\n" * 1000)


def patterns(count: int, seed: int) -> Iterator[str]:
    """So many patterns, the same for a seed; some of them are not valid."""
    chance = random.Random(seed)
    for _ in range(count):
        yield chance.choice(_STARTS) + _sequence(chance, 3) + chance.choice(_ENDS)


def _sequence(chance: random.Random, depth: int) -> str:
    return "".join(_part(chance, depth) for _ in range(chance.choice((1, 1, 2, 2, 3, 5, 8))))


def _part(chance: random.Random, depth: int) -> str:
    if depth and chance.random() < 0.3:
        inner = "|".join(_sequence(chance, depth - 1) for _ in range(chance.choice((1, 1, 1, 2, 4))))
        part = f"{chance.choice(_OPENINGS)}{inner})"
    else:
        part = chance.choice(_ATOMS)
    return part + (chance.choice(_REPEATS) if chance.random() < 0.5 else "")
