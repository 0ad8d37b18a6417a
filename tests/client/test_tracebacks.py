"""What pytest shows of a failure: the line of the test, and nothing of ours below it."""

from __future__ import annotations

import asyncio

import pytest

from deskhand import aio, connect, expect
from deskhand.model.errors import NotFound


def test_an_action_that_fails_is_shown_at_the_line_of_the_test(address: str) -> None:
    with connect(address) as app, pytest.raises(NotFound) as caught:
        app.locator("#nothing").click(timeout=0)

    assert shown(caught) == [__file__]


def test_an_expectation_that_fails_is_shown_at_the_line_of_the_test(address: str) -> None:
    with connect(address) as app, pytest.raises(AssertionError) as caught:
        expect(app.locator("#greeting")).to_have_text("Bye", timeout=0)

    assert shown(caught) == [__file__]


def test_so_it_is_with_asyncio(address: str) -> None:
    async def fail() -> None:
        async with aio.connect(address) as app:
            await app.locator("#nothing").click(timeout=0)

    with pytest.raises(NotFound) as caught:
        asyncio.run(fail())

    assert shown(caught)[-1] == __file__


def shown(caught: pytest.ExceptionInfo[BaseException]) -> list[str]:
    return [str(entry.path) for entry in caught.traceback.filter(caught)]
