"""What `threads` is for async code, for sync code: a call in place.

The generator of the sync client swaps one for the other.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

__tracebackhide__ = True  # pytest then shows the line of the test that failed, and nothing of ours below it

P = ParamSpec("P")
R = TypeVar("R")


def in_place(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Call it here."""
    return function(*args, **kwargs)


pause = time.sleep
"""Wait for so many seconds."""


def called(function: Callable[[], Any]) -> Any:
    """What a function returns."""
    result = function()
    if inspect.iscoroutine(result):
        result.close()
        raise TypeError("an async function has to be awaited; use deskhand.aio.expect")
    return result


def assign(method: Callable[[str], object], value: str) -> None:
    """Assign to a property by its method."""
    method(value)
