"""Soft expectations, expectations about functions, and the options of all expectations."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from deskhand import App, aio, expect
from deskhand.client import ExpectationFailed, SoftFailures
from deskhand.client._sync.link import LocalEngine
from deskhand.client.options import options
from tests.client.greeter import Greeter


@pytest.fixture
def app(greeter: Greeter) -> App:
    return App(LocalEngine(greeter.session, "here"), timeout=0)


@pytest.fixture(autouse=True)
def _own_options() -> Iterator[None]:
    """Each test has the options that a script without a test runner has, and leaves nothing collected."""
    before = vars(options).copy()
    options.__init__()  # type: ignore[misc] - back to the defaults
    expect.take_soft()
    yield
    expect.take_soft()
    vars(options).update(before)


# -- soft --------------------------------------------------------------------------------------


def test_a_soft_failure_is_raised_at_the_end_as_itself(app: App) -> None:
    expect.soft(app.locator("#colour")).to_have_value("Blue")
    expect.soft(app.locator("#colour")).to_have_value("Red")

    with pytest.raises(ExpectationFailed, match="have value 'Blue'"):
        expect.raise_soft()
    expect.raise_soft()  # it is raised once


def test_several_soft_failures_are_raised_as_a_group(app: App) -> None:
    expect.soft(app.locator("#colour")).to_have_value("Blue")
    expect.soft(app).not_.to_have_title("Greeter")
    expect.soft(lambda: 1).to_be(2, timeout=0)

    with pytest.raises(SoftFailures) as caught:
        expect.raise_soft()

    assert len(caught.value.exceptions) == 3
    assert isinstance(caught.value, AssertionError)
    assert [failure.wanted for failure in caught.value.exceptions] == [
        "have value 'Blue'", "not have title 'Greeter'", "be 2",
    ]  # fmt: skip


def test_leaving_the_app_raises_soft_failures(app: App) -> None:
    with pytest.raises(ExpectationFailed), app:
        expect.soft(app.locator("#colour")).to_have_value("Blue")


def test_leaving_the_app_leaves_soft_failures_to_the_test_runner(app: App) -> None:
    expect.set_options(test_file=__file__)
    with app:
        expect.soft(app.locator("#colour")).to_have_value("Blue")

    assert len(expect.take_soft()) == 1
    assert expect.take_soft() == []


def test_another_error_is_not_hidden_by_soft_failures(app: App) -> None:
    expect.soft(app.locator("#colour")).to_have_value("Blue")

    with pytest.raises(KeyError), app:
        raise KeyError("other")
    assert len(expect.take_soft()) == 1


def test_soft_failures_that_no_code_raised_are_printed_when_python_exits() -> None:
    program = "from deskhand import expect; expect.soft(lambda: 1).to_be(2, timeout=0)"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)

    assert "1 soft expectations failed" in ended.stderr
    assert "to be 2" in ended.stderr


def test_async_soft_failures_are_collected_too(greeter: Greeter, address: str) -> None:
    async def main() -> None:
        async with aio.connect(address, default_timeout=0) as app:
            await aio.expect.soft(app.locator("#colour")).to_have_value("Blue")
            await aio.expect.soft(app.locator("#colour")).to_have_value("Green")

    with pytest.raises(SoftFailures):
        asyncio.run(main())


# -- functions ---------------------------------------------------------------------------------


def test_poll_calls_until_the_value_is_as_expected(tmp_path: Path, greeter: Greeter) -> None:
    file = tmp_path / "file"
    greeter.later(0.1, file.touch)

    expect.poll(file.exists, timeout=30).to_be(True)


@pytest.mark.parametrize(
    ("value", "expectation", "arguments"),
    [
        (True, "to_be", [True]),
        ("a", "to_be", ["a"]),
        ([1], "to_equal", [[1]]),
        (1, "to_equal", [True]),
        ([0], "to_be_truthy", []),
        ("", "to_be_falsy", []),
        (None, "to_be_none", []),
        ("Hello", "to_contain", ["ell"]),
        ([1, 2], "to_contain", [2]),
        ("Hello", "to_match", ["^H.*o$"]),
        ("Hello", "to_have_length", [5]),
        (3, "to_be_greater_than", [2]),
        (3, "to_be_less_than", [4]),
        (3, "to_be_greater_than_or_equal", [3]),
        (3, "to_be_less_than_or_equal", [3]),
    ],
)
def test_a_value_that_is_as_expected_passes_and_its_opposite_fails(
    value: object, expectation: str, arguments: list[object]
) -> None:
    getattr(expect.poll(lambda: value), expectation)(*arguments)
    with pytest.raises(ExpectationFailed, match="not "):
        getattr(expect.poll(lambda: value, timeout=0).not_, expectation)(*arguments)


@pytest.mark.parametrize(
    ("value", "expectation", "arguments"),
    [
        (1, "to_be", [True]),
        (None, "to_be_greater_than", [2]),
        (None, "to_contain", ["a"]),
        ("Hello", "to_match", ["x"]),
    ],
)
def test_a_value_that_is_not_as_expected_fails_with_what_was_returned(
    value: object, expectation: str, arguments: list[object]
) -> None:
    with pytest.raises(ExpectationFailed) as caught:
        getattr(expect.poll(lambda: value, timeout=0), expectation)(*arguments)

    assert caught.value.last_seen == {"value": value}
    assert f"returned {value!r}" in str(caught.value)


def test_poll_does_not_go_on_after_an_exception() -> None:
    with pytest.raises(ZeroDivisionError):
        expect.poll(lambda: 1 / 0, timeout=60).to_be(1)


def test_poll_needs_a_function() -> None:
    with pytest.raises(TypeError, match="poll takes a function"):
        expect.poll(3)  # type: ignore[arg-type]


def test_to_pass_goes_on_until_a_call_raises_nothing() -> None:
    calls = []

    def third_time() -> None:
        calls.append(len(calls))
        assert len(calls) == 3

    expect(third_time).to_pass(timeout=30, intervals=[0.01])
    assert calls == [0, 1, 2]


def test_to_pass_that_never_passes_fails_with_the_last_error() -> None:
    def never() -> None:
        raise ValueError("too early")

    with pytest.raises(ExpectationFailed, match="expected never\\(\\) to pass") as caught:
        expect(never).to_pass(timeout=0)

    assert "ValueError: too early" in str(caught.value)
    assert isinstance(caught.value.__cause__, ValueError)


def test_a_soft_failure_in_to_pass_fails_that_attempt_only() -> None:
    values = iter([1, 2])

    expect(lambda: expect.soft(lambda: next(values)).to_be(2, timeout=0)).to_pass(timeout=30)

    assert expect.take_soft() == []


def test_functions_may_be_async_with_asyncio() -> None:
    async def value() -> int:
        await asyncio.sleep(0)
        return 3

    async def main() -> None:
        await aio.expect.poll(value).to_be(3)
        await aio.expect(value).to_pass()
        await aio.expect.poll(lambda: 3).not_.to_be(4)

    asyncio.run(main())
    with pytest.raises(TypeError, match="aio"):
        expect.poll(value).to_be(3)


# -- options -----------------------------------------------------------------------------------


def test_the_timeout_of_all_expectations_can_be_set(app: App) -> None:
    expect.set_options(timeout=0.01)

    with pytest.raises(ExpectationFailed, match=r"waited 0.01 s"):
        expect(app.locator("#colour")).to_have_value("Blue")
    with pytest.raises(ExpectationFailed, match=r"waited 0.01 s"):
        expect.poll(lambda: 1).to_be(2)
    with pytest.raises(ExpectationFailed, match=r"waited 0.02 s"):
        expect(app.locator("#colour")).to_have_value("Blue", timeout=0.02)


def test_an_option_that_does_not_exist_names_the_one_that_does() -> None:
    with pytest.raises(TypeError, match="did you mean timeout"):
        expect.set_options(timeot=3)
