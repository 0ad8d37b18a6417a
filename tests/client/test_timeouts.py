"""Timeouts are in seconds. One of more than an hour was probably meant as milliseconds, and is rejected."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from click.testing import CliRunner

from deskhand import App, attach, connect, expect, launch
from deskhand.cli.main import commands
from deskhand.model.errors import InvalidParams
from deskhand.model.operations import check_timeout

TOO_LONG = "'timeout' is 5000 seconds, which is more than an hour"
HINT = "it is in seconds; for 5000 milliseconds write 5"


@pytest.mark.parametrize(
    "use",
    [
        lambda app: app.locator("#name").click(timeout=5000),
        lambda app: app.locator("#name").wait_for(timeout=5000),
        lambda app: app.windows(timeout=5000),
        lambda app: app.wait_idle(timeout=5000),
        lambda app: expect(app.locator("#name")).to_be_visible(timeout=5000),
    ],
)
def test_a_locator_and_an_app_reject_a_timeout_of_more_than_an_hour(
    app: App, use: Callable[[App], object]
) -> None:
    with pytest.raises(InvalidParams) as caught:
        use(app)
    assert caught.value.message == TOO_LONG
    assert caught.value.suggestions == (HINT,)


def test_an_app_rejects_such_a_timeout_of_its_own(app: App) -> None:
    app.timeout = 5000
    with pytest.raises(InvalidParams, match=TOO_LONG):
        app.locator("#name").click()


@pytest.mark.parametrize(
    "start",
    [
        lambda **options: launch(["true"], **options),
        lambda **options: attach(1, **options),
        lambda **options: connect("nothing-of-this-name", **options),
    ],
)
@pytest.mark.parametrize("name", ["timeout", "default_timeout"])
def test_starting_and_connecting_reject_such_a_timeout(start: Callable[..., object], name: str) -> None:
    with pytest.raises(InvalidParams) as caught:
        start(**{name: 30_000})
    assert caught.value.details["field"] == name
    assert caught.value.suggestions == ("it is in seconds; for 30000 milliseconds write 30",)


@pytest.mark.parametrize(
    "arguments",
    [
        ["wait", "--app", "nothing-of-this-name", "button", "--timeout", "5000"],
        ["run", "--headless", "--timeout", "5000", "--", "true"],
        ["attach", "1", "--timeout", "5000"],
    ],
)
def test_a_command_with_such_a_timeout_ends_as_wrong_use_and_says_seconds(arguments: list[str]) -> None:
    done = CliRunner().invoke(commands, arguments)
    assert done.exit_code == 2
    assert TOO_LONG in done.stderr
    assert HINT in done.stderr


@pytest.mark.parametrize("seconds", [None, 0, 0.5, 3600])
def test_an_hour_and_less_is_a_timeout(seconds: float | None) -> None:
    check_timeout(seconds)


@pytest.mark.parametrize("seconds", [-1, 3600.5, float("inf"), float("nan")])
def test_less_than_zero_and_no_number_are_rejected(seconds: float) -> None:
    with pytest.raises(InvalidParams):
        check_timeout(seconds)
