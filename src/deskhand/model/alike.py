"""Which of the names that are there may have been meant by one that is not: one measure for every hint.

A name is alike if only its case, accents, punctuation or spacing differ, if one is a part of the other, or
if it can be a slip of the hand: about one wrong letter in three. What is less alike is never suggested.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

_LONGEST = 80
"""How much of a text is compared; a difference after that is not a typo."""
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_WORD = re.compile(r"[^\W_]+")
_SAME = 0.98
"""What a text counts that is the same but for case and the like."""
_LESS = 0.2
"""How much less alike than the best one may be to be named beside it."""
_PART = 3
"""How long a part of a word must be for a match not to be chance."""


def alike(wanted: str, known: Iterable[str], limit: int = 3) -> tuple[str, ...]:
    """The known names that may have been meant, best first."""
    likeness = Likeness((wanted,))
    scores = {name: likeness.of(name) for name in known}
    best = max(scores.values(), default=0)
    # Beside one that is very like it, those that are somewhat mislead.
    least = best if best >= _SAME else best - _LESS
    there = [name for name, score in scores.items() if score and score >= least]
    return tuple(sorted(there, key=lambda name: -scores[name])[:limit])


def did_you_mean(near: Iterable[str]) -> tuple[str, ...]:
    """The suggestion to write one of these; none if there are none."""
    listed = " or ".join(near)
    return (f"did you mean {listed}?",) if listed else ()


class Likeness:
    """How much texts are like some wanted ones: from 0, too little to mention, to 1, the same."""

    def __init__(self, wanted: Iterable[str]) -> None:
        self._wanted = [_Folded(text) for text in wanted if text]
        self._known: dict[str, float] = {}

    def of(self, text: str | None) -> float:
        """How much this text is like the one that it is most like."""
        if not text or not self._wanted:
            return 0
        score = self._known.get(text)
        if score is None:
            folded = _Folded(text)
            score = self._known[text] = max(_compare(wanted, folded) for wanted in self._wanted)
        return score


class _Folded:
    """A text without what people leave out: case, accents, the mark of a shortcut, dots, spacing."""

    __slots__ = ("letters", "raw", "words")

    def __init__(self, text: str) -> None:
        self.raw = text
        plain = text[:_LONGEST]
        if not plain.isascii():
            plain = "".join(
                mark for mark in unicodedata.normalize("NFKD", plain) if not unicodedata.combining(mark)
            )
        # Before a letter, & is the mark of a shortcut, and so may _ be, which also stands for a space.
        plain = _HUMP.sub(" ", plain.replace("&", "")).casefold()
        self.words = _WORD.findall(plain) or plain.split()
        self.letters = "".join(self.words)


def _compare(wanted: _Folded, known: _Folded) -> float:
    if wanted.raw == known.raw:
        return 1
    if not (wanted.letters and known.letters):
        return 0
    if wanted.letters == known.letters:
        return _SAME
    if part := max(_part(wanted, known), _part(known, wanted)):
        return part
    if slip := _slip(wanted.letters, known.letters):
        return slip
    if len(wanted.words) > 1 and sorted(wanted.words) == sorted(known.words):
        return 0.85
    return 0.5 if _has_all(known.words, wanted.words) else 0


def _part(short: _Folded, long: _Folded) -> float:
    """How much it is to have one text in the other: where a word begins, or as most of one."""
    letters = short.letters
    share = len(letters) / len(long.letters)
    if share > 1 or letters not in long.letters:
        return 0
    at = 0
    for number, word in enumerate(long.words):
        whole = letters == word or long.words[number : number + len(short.words)] == short.words
        if (whole and len(letters) > 1) or (len(letters) >= _PART and long.letters.startswith(letters, at)):
            return 0.85 + 0.1 * share
        at += len(word)
    return 0.75 + 0.1 * share if len(letters) >= _PART and share >= 0.5 else 0


def _slip(wanted: str, known: str) -> float:
    """How much two texts have in common that a slip of the hand can have made of each other; else 0."""
    if wanted.isdigit() or known.isdigit():
        return 0  # another number is not the same one written badly
    longest = max(len(wanted), len(known))
    # Long names differ by words rather than by letters.
    allowed = longest // 3 if longest < 12 else longest // 4
    if not allowed or abs(len(wanted) - len(known)) > allowed:
        return 0
    steps = _steps(wanted, known, allowed)
    return 0.9 * (1 - steps / longest) if steps <= allowed else 0


def _steps(text: str, other: str, allowed: int) -> int:
    """How many letters are changed, added, left out or swapped with the next; one too many if it is more."""
    # A change makes at most two letters come in other numbers, which is soon counted.
    if sum(abs(text.count(letter) - other.count(letter)) for letter in {*text, *other}) > 2 * allowed:
        return allowed + 1
    before: list[int] = []
    last = list(range(len(other) + 1))
    for row, letter in enumerate(text, 1):
        now = [row]
        for column, there in enumerate(other, 1):
            step = min(last[column] + 1, now[-1] + 1, last[column - 1] + (letter != there))
            if row > 1 and column > 1 and letter == other[column - 2] and text[row - 2] == there:
                step = min(step, before[column - 2] + 1)
            now.append(step)
        if min(now) > allowed:
            return allowed + 1
        before, last = last, now
    return last[-1]


def _has_all(known: list[str], wanted: list[str]) -> bool:
    """Whether each wanted word is among the known ones, perhaps with a slip."""
    if len(known) <= len(wanted) or max(map(len, wanted)) < 2:
        return False
    return all(any(_same_word(word, there) for there in known) for word in wanted)


@lru_cache(maxsize=1024)
def _same_word(wanted: str, known: str) -> bool:
    return wanted == known or _slip(wanted, known) > 0
