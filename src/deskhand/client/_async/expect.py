"""Expectations: state what should be seen, and wait until it is.

Each is one `Wait` that the engine answers when the user interface changes, so an expectation that
holds costs one round trip and one that does not hold yet costs no polling.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, overload

from ...model.errors import Ambiguous, WaitTimeout
from ...model.operations import Wait
from ..failure import ExpectationFailed
from ..known import known_as
from ..patterns import wanted_text
from .app import App
from .locator import Locator

__tracebackhide__ = True  # pytest then shows the line of the test that failed, and nothing of ours below it

Text = str | re.Pattern[str]


@overload
def expect(subject: Locator) -> LocatorExpectation: ...


@overload
def expect(subject: App) -> AppExpectation: ...


def expect(subject: Locator | App) -> LocatorExpectation | AppExpectation:
    """What should be seen of an element or an app; a failing expectation raises an AssertionError."""
    if isinstance(subject, App):
        return AppExpectation(subject)
    if isinstance(subject, Locator):
        return LocatorExpectation(subject)
    raise TypeError(f"expect takes a locator or an app, not {type(subject).__name__}")


class _Expectation:
    def __init__(self, app: App, target: str, negated: bool = False) -> None:
        self._app = app
        self._target = target
        self._negated = negated

    if not TYPE_CHECKING:  # type checkers know `.not_`, and report every other name

        def __getattr__(self, name: str) -> Any:
            return known_as(self, name)

    async def _wait(self, wanted: str, state: str, timeout: float | None, **fields: Any) -> None:
        limit = self._app.timeout_or(timeout)
        wait = Wait(self._target, state=state, timeout=limit, negate=self._negated, **fields)
        try:
            await self._app.run(wait)
        except (WaitTimeout, Ambiguous) as error:
            if self._negated:
                wanted = f"not {wanted}"
            raise ExpectationFailed(self._target, wanted, error, limit) from None

    async def _wait_text(
        self, noun: str, state: str, text: Text, timeout: float | None, match: str = "equals"
    ) -> None:
        value, match, words = wanted_text(text, match)
        await self._wait(f"have {noun} {words}", state, timeout, value=value, match=match)


class LocatorExpectation(_Expectation):
    """What should be seen of an element. `timeout` is in seconds; None is the app's own.

    A text may be a compiled regular expression, which is searched for.
    """

    def __init__(self, locator: Locator, negated: bool = False) -> None:
        super().__init__(locator.app, locator.selector, negated)
        self._locator = locator

    @property
    def not_(self) -> LocatorExpectation:
        """The opposite: `expect(button).not_.to_be_enabled()`."""
        return LocatorExpectation(self._locator, not self._negated)

    async def to_exist(self, *, timeout: float | None = None) -> None:
        """It is there, visible or not."""
        await self._wait("exist", "exists", timeout)

    async def to_be_visible(self, *, timeout: float | None = None) -> None:
        """It is there and shown."""
        await self._wait("be visible", "visible", timeout)

    async def to_be_hidden(self, *, timeout: float | None = None) -> None:
        """It is not shown, or not there at all."""
        await self._wait("be hidden", "hidden", timeout)

    async def to_be_enabled(self, *, timeout: float | None = None) -> None:
        """It can be used."""
        await self._wait("be enabled", "enabled", timeout)

    async def to_be_disabled(self, *, timeout: float | None = None) -> None:
        """It is there and cannot be used."""
        await self._wait("be disabled", "disabled", timeout)

    async def to_be_checked(self, *, checked: bool = True, timeout: float | None = None) -> None:
        """It is ticked or switched on; with `checked=False`, it is not."""
        state = "checked" if checked else "unchecked"
        await self._wait(f"be {state}", state, timeout)

    async def to_be_selected(self, *, timeout: float | None = None) -> None:
        """It is the chosen one, or one of them."""
        await self._wait("be selected", "selected", timeout)

    async def to_be_focused(self, *, timeout: float | None = None) -> None:
        """It has the keyboard focus."""
        await self._wait("be focused", "focused", timeout)

    async def to_be_editable(self, *, timeout: float | None = None) -> None:
        """Its text or value can be changed."""
        await self._wait("be editable", "editable", timeout)

    async def to_have_text(self, text: Text, *, timeout: float | None = None) -> None:
        """It shows this text, and no other."""
        await self._wait_text("text", "text", text, timeout)

    async def to_contain_text(self, text: Text, *, timeout: float | None = None) -> None:
        """This is part of the text it shows."""
        await self._wait_text("text", "text", text, timeout, "contains")

    async def to_have_value(self, value: Text | float, *, timeout: float | None = None) -> None:
        """It holds this value: what was typed, chosen or set."""
        wanted = value if isinstance(value, (str, re.Pattern)) else f"{value:g}"
        await self._wait_text("value", "value", wanted, timeout)

    async def to_have_name(self, name: Text, *, timeout: float | None = None) -> None:
        """It is called this: by its caption, the label beside it, its title."""
        await self._wait_text("name", "name", name, timeout)

    async def to_have_count(self, count: int, *, timeout: float | None = None) -> None:
        """So many elements match."""
        await self._wait(f"have {count} matches", "count", timeout, count=count)


class AppExpectation(_Expectation):
    """What should be seen of an app. `timeout` is in seconds; None is the app's own."""

    def __init__(self, app: App, negated: bool = False) -> None:
        super().__init__(app, "path=root", negated)

    @property
    def not_(self) -> AppExpectation:
        """The opposite: `expect(app).not_.to_have_title("Untitled")`."""
        return AppExpectation(self._app, not self._negated)

    async def to_have_title(self, title: Text, *, timeout: float | None = None) -> None:
        """Its main window has this title."""
        await self._wait_text("title", "name", title, timeout)
