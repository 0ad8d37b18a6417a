"""`make fuzz-patterns`: no regular expression that is taken exceeds its deadline, however it is made up."""

from __future__ import annotations

import argparse
import faulthandler
import sys
import time
import warnings
from typing import NamedTuple

from deskhand.model.regex import compiled, found_in, regex_problem
from deskhand.model.syntax import Regex
from tests.security.patterns import TEXTS, patterns

DEADLINE = 1.0
"""How long judging a pattern, or searching one text with it, may take, in seconds of the processor."""
_LONGEST = (1000, 100_000)
"""As selectors and as waits search."""
_STUCK = 60.0


class Seen(NamedTuple):
    tried: int
    taken: int
    slowest: float
    pattern: str
    """The one that was slowest."""


def fuzz(count: int, seed: int) -> Seen:
    """Judge so many patterns, and search with those that are taken."""
    taken, slowest, slow = 0, 0.0, ""
    for pattern in patterns(count, seed):
        regex = Regex(pattern, "i")
        began = time.thread_time()
        problem = regex_problem(regex)
        spent = [time.thread_time() - began]
        if problem is None:
            taken += 1
            expression = compiled(regex)
            for longest in _LONGEST:
                for text in TEXTS:
                    # A search holds the lock of the whole process: only another thread of C can report it.
                    faulthandler.dump_traceback_later(_STUCK, exit=True)
                    began = time.thread_time()
                    found_in(text, expression, longest)
                    spent.append(time.thread_time() - began)
                    faulthandler.cancel_dump_traceback_later()
        if max(spent) > slowest:
            slowest, slow = max(spent), pattern
    return Seen(count, taken, slowest, slow)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=7)
    given = parser.parse_args()
    warnings.simplefilter("ignore")  # Python's own, about patterns that will mean something else one day
    seen = fuzz(given.count, given.seed)
    print(
        f"{seen.tried} patterns, {seen.taken} taken; the slowest took {seen.slowest:.3f} s: {seen.pattern!r}"
    )
    sys.exit(seen.slowest > DEADLINE)


if __name__ == "__main__":
    main()
