"""Calling what blocks from async code, in a thread; see `place` for the sync counterpart."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
from collections.abc import Callable
from typing import Any, ParamSpec, Protocol, TypeVar

from ..transports.threaded import in_thread

__tracebackhide__ = True  # pytest then shows the line of the test that failed, and nothing of ours below it

P = ParamSpec("P")
R = TypeVar("R")


class Closable(Protocol):
    """Something with a life."""

    def close(self) -> None: ...


C = TypeVar("C", bound=Closable)


async def to_thread(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Call it in a thread of its own, so that the event loop goes on, and as many can wait as want to."""
    context = contextvars.copy_context()
    return await in_thread(lambda: context.run(function, *args, **kwargs))


async def open_in_thread(function: Callable[P, C], *args: P.args, **kwargs: P.kwargs) -> C:
    """Call it in another thread; if the caller is cancelled meanwhile, close what it gives."""
    opening = asyncio.ensure_future(asyncio.to_thread(function, *args, **kwargs))
    try:
        return await asyncio.shield(opening)
    except asyncio.CancelledError:
        opening.add_done_callback(_close)
        raise


pause = asyncio.sleep
"""Wait for so many seconds."""


async def called(function: Callable[[], Any]) -> Any:
    """What a function returns, or what it gives when it is awaited."""
    result = function()
    return await result if inspect.isawaitable(result) else result


def assign(method: Callable[[str], object], value: str) -> None:
    """Refuse an assignment to a property whose method has to be awaited."""
    name = getattr(method, "__name__", "set")
    raise AttributeError(f"an assignment cannot be awaited; use the method: await ….{name}({value!r})")


def _close(opening: asyncio.Future[C]) -> None:
    if not opening.cancelled() and opening.exception() is None:
        asyncio.get_running_loop().run_in_executor(None, opening.result().close)
