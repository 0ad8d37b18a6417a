"""The client library for asyncio: the same names as in `deskhand`, with methods that are awaited.

async with aio.launch(["python", "app.py"], headless=True) as app:
    await app.get_by_role("button", name="Greet").click()
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Generator
from functools import wraps
from types import TracebackType
from typing import Any, ParamSpec

from .client._async import start
from .client._async.app import App
from .client._async.expect import expect
from .client._async.locator import Locator
from .client.failure import ExpectationFailed
from .client.soft import SoftFailures

__all__ = ["App", "ExpectationFailed", "Locator", "SoftFailures", "attach", "connect", "expect", "launch"]

P = ParamSpec("P")


class Opening(Awaitable[App]):
    """An app on its way: await it to have the app, or use `async with` to close it at the end too."""

    def __init__(self, opening: Coroutine[Any, Any, App]) -> None:
        self._opening = opening

    def __await__(self) -> Generator[Any, Any, App]:
        return self._opening.__await__()

    async def __aenter__(self) -> App:
        self._app = await self._opening
        return self._app

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._app.__aexit__(kind, error, trace)


def _opening(start_app: Callable[P, Coroutine[Any, Any, App]]) -> Callable[P, Opening]:
    @wraps(start_app)
    def begin(*args: P.args, **kwargs: P.kwargs) -> Opening:
        return Opening(start_app(*args, **kwargs))

    return begin


launch = _opening(start.launch)
attach = _opening(start.attach)
connect = _opening(start.connect)
