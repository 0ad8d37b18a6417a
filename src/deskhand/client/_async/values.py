"""Expectations about what a function returns: it is called again until that is as expected."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ...model.operations import TIMEOUT, check_timeout
from .. import soft
from ..failure import ExpectationFailed
from ..known import known_as
from ..options import options
from ..threads import called, pause

__tracebackhide__ = True  # pytest then shows the line of the test that failed, and nothing of ours below it

_INTERVALS = (0.02, 0.05, 0.1, 0.25)
_SHOWN = 500
"""How many characters of a value an error shows."""


class ValueExpectation:
    """What a function should return, or that it should raise nothing. `timeout` is in seconds.

    An expectation without a timeout of its own waits as long as `expect.poll` says, or 5 s.
    """

    def __init__(
        self,
        function: Callable[[], Any],
        *,
        timeout: float | None = None,
        intervals: Sequence[float] | None = None,
        negated: bool = False,
        soft: bool = False,
    ) -> None:
        if not callable(function):
            raise TypeError(f"poll takes a function, which is called again, not {type(function).__name__}")
        self._function = function
        self._timeout = timeout
        self._intervals = tuple(intervals or _INTERVALS)
        self._negated = negated
        self._soft = soft

    if not TYPE_CHECKING:  # type checkers know `.not_`, and report every other name

        def __getattr__(self, name: str) -> Any:
            return known_as(self, name)

    @property
    def not_(self) -> ValueExpectation:
        """The opposite: `expect.poll(path.exists).not_.to_be(True)`."""
        return ValueExpectation(
            self._function,
            timeout=self._timeout,
            intervals=self._intervals,
            negated=not self._negated,
            soft=self._soft,
        )

    async def to_be(self, value: Any, *, timeout: float | None = None) -> None:
        """It returns this object, or an equal one of the same type: 1 is not True."""
        await self._until(
            f"be {_shown(value)}",
            lambda actual: actual is value or (type(actual) is type(value) and bool(actual == value)),
            timeout,
        )

    async def to_equal(self, value: Any, *, timeout: float | None = None) -> None:
        """It returns something that is equal to this."""
        await self._until(f"equal {_shown(value)}", lambda actual: bool(actual == value), timeout)

    async def to_be_truthy(self, *, timeout: float | None = None) -> None:
        """It returns something that counts as true."""
        await self._until("be truthy", bool, timeout)

    async def to_be_falsy(self, *, timeout: float | None = None) -> None:
        """It returns something that counts as false."""
        await self._until("be falsy", lambda actual: not actual, timeout)

    async def to_be_none(self, *, timeout: float | None = None) -> None:
        """It returns None."""
        await self._until("be None", lambda actual: actual is None, timeout)

    async def to_contain(self, item: Any, *, timeout: float | None = None) -> None:
        """It returns a text or collection that contains this."""
        await self._until(f"contain {_shown(item)}", lambda actual: item in actual, timeout)

    async def to_match(self, pattern: str | re.Pattern[str], *, timeout: float | None = None) -> None:
        """It returns a text in which this regular expression is found."""
        wanted = re.compile(pattern)
        await self._until(
            f"match /{wanted.pattern}/", lambda actual: wanted.search(actual) is not None, timeout
        )

    async def to_have_length(self, length: int, *, timeout: float | None = None) -> None:
        """It returns something with so many characters or items."""
        await self._until(f"have length {length}", lambda actual: len(actual) == length, timeout)

    async def to_be_greater_than(self, value: Any, *, timeout: float | None = None) -> None:
        """It returns more than this."""
        await self._until(f"be greater than {_shown(value)}", lambda actual: bool(actual > value), timeout)

    async def to_be_less_than(self, value: Any, *, timeout: float | None = None) -> None:
        """It returns less than this."""
        await self._until(f"be less than {_shown(value)}", lambda actual: bool(actual < value), timeout)

    async def to_be_greater_than_or_equal(self, value: Any, *, timeout: float | None = None) -> None:
        """It returns this or more."""
        await self._until(f"be {_shown(value)} or more", lambda actual: bool(actual >= value), timeout)

    async def to_be_less_than_or_equal(self, value: Any, *, timeout: float | None = None) -> None:
        """It returns this or less."""
        await self._until(f"be {_shown(value)} or less", lambda actual: bool(actual <= value), timeout)

    async def to_pass(
        self, *, timeout: float | None = None, intervals: Sequence[float] | None = None
    ) -> None:
        """It raises nothing: it is called again until a call ends without an error.

        A soft expectation that fails inside of it counts as an error of that call. The last error is the
        cause of the failure.
        """
        if self._negated:
            raise TypeError("to_pass has no opposite; expect the opposite in the function")
        limit = self._limit(timeout)
        attempts = _Attempts(limit, intervals or self._intervals)
        while True:
            with soft.apart() as collected:
                try:
                    await called(self._function)
                    soft.raise_all(collected.take())
                    return
                except Exception as error:  # noqa: BLE001 - any error means that the call did not pass
                    last = error
            if attempts.over:
                break
            await pause(attempts.next())
        message = f"{type(last).__name__}: {last}"
        failure = ExpectationFailed(
            _name(self._function),
            "pass",
            limit,
            [f"the last of {attempts.made} calls failed with", *message[:4000].splitlines()],
        )
        failure.__cause__ = last
        self._fail(failure)

    async def _until(self, wanted: str, holds: Callable[[Any], bool], timeout: float | None) -> None:
        limit = self._limit(timeout)
        attempts = _Attempts(limit, self._intervals)
        while True:
            actual = await called(self._function)
            if _holds(holds, actual) != self._negated:
                return
            if attempts.over:
                break
            await pause(attempts.next())
        words = f"not {wanted}" if self._negated else wanted
        lines = [f"the last of {attempts.made} calls returned {_shown(actual)}"]
        self._fail(ExpectationFailed(_name(self._function), words, limit, lines, last_seen={"value": actual}))

    def _limit(self, timeout: float | None) -> float:
        given = next(
            (each for each in (timeout, self._timeout, options.timeout) if each is not None), TIMEOUT
        )
        check_timeout(given)
        return given

    def _fail(self, failure: ExpectationFailed) -> None:
        if not self._soft:
            raise failure
        soft.add(failure)


class _Attempts:
    """Counts calls, and says how long to wait before the next one."""

    def __init__(self, timeout: float, intervals: Sequence[float]) -> None:
        self._deadline = time.monotonic() + timeout
        self._intervals = intervals
        self.made = 1

    @property
    def over(self) -> bool:
        return time.monotonic() >= self._deadline

    def next(self) -> float:
        """How long to wait; the last call is made when the time is over."""
        interval = self._intervals[min(self.made, len(self._intervals)) - 1]
        self.made += 1
        return max(0.0, min(interval, self._deadline - time.monotonic()))


def _holds(holds: Callable[[Any], bool], actual: Any) -> bool:
    """A value of a type that cannot be compared, such as None with a number, is not as expected yet."""
    with suppress(TypeError):
        return holds(actual)
    return False


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def _name(function: Callable[[], Any]) -> str:
    name = getattr(function, "__name__", "<lambda>")
    return "the function" if name == "<lambda>" else f"{name}()"
