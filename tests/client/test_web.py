"""Apps behind WebSocket and HTTP are driven like any other."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import closing

import pytest

from deskhand import aio, connect, expect
from deskhand.model.errors import AppGone, ConnectFailed, Unauthorized
from deskhand.model.operations import Ping
from deskhand.protocols.gip.server import GipServer
from deskhand.serving.remote import Remote
from deskhand.transports.http import HttpServer
from tests.client.greeter import Greeter


@pytest.fixture(params=["ws", "http"])
def url(request: pytest.FixtureRequest, greeter: Greeter) -> Iterator[str]:
    server = HttpServer(
        f"{request.param}://127.0.0.1:0/", GipServer(greeter.session).conversation, token="s3cret"
    )
    yield server.url
    server.close()


def test_it_is_driven(url: str, greeter: Greeter) -> None:
    with connect(url, token="s3cret") as app:
        app.locator("#name").fill("Ada")
        app.get_by_role("button", name="Greet").click()
        expect(app.locator("#greeting")).to_have_text("Hello, Ada!")

    assert greeter.greeting.text == "Hello, Ada!"


def test_it_is_driven_with_await(url: str) -> None:
    async def main() -> None:
        async with aio.connect(url, token="s3cret") as app:
            expected = aio.expect(app.locator("#greeting")).to_have_text("Hello, !")
            await asyncio.gather(expected, app.get_by_role("button", name="Greet").click())

    asyncio.run(main())


@pytest.mark.parametrize("token", [None, "guessed"])
def test_without_the_token_it_is_refused(url: str, token: str | None) -> None:
    with pytest.raises(Unauthorized) as caught:
        connect(url, token=token)

    assert caught.value.target == url


def test_a_runner_without_the_token_is_refused_too(url: str) -> None:
    with closing(Remote(url)) as remote, pytest.raises(Unauthorized):
        remote.run(Ping())


def test_an_address_without_a_server_is_reported(url: str) -> None:
    scheme = url.partition(":")[0]

    with pytest.raises(ConnectFailed):
        connect(f"{scheme}://127.0.0.1:9/")


def test_a_server_that_ends_is_reported(greeter: Greeter) -> None:
    server = HttpServer("http://127.0.0.1:0/", GipServer(greeter.session).conversation)
    with connect(server.url) as app:
        app.windows()
        server.close()

        with pytest.raises(AppGone):
            app.windows()
