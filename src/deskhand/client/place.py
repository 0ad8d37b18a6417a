"""What `threads` is for async code, for sync code: a call in place.

The generator of the sync client swaps one for the other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


def in_place(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Call it here."""
    return function(*args, **kwargs)


def assign(method: Callable[[str], object], value: str) -> None:
    """Assign to a property by its method."""
    method(value)
