"""Calling what blocks: from async code in a thread, from sync code in place.

The generator of the sync client swaps one for the other.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


async def to_thread(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Call it in another thread, so that the event loop goes on."""
    return await asyncio.to_thread(function, *args, **kwargs)


def in_place(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Call it here."""
    return function(*args, **kwargs)
