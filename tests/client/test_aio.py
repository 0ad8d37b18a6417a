"""The async client: the same names, and several things at a time."""

from __future__ import annotations

import asyncio
import inspect

import pytest

import deskhand.client
from deskhand import aio
from deskhand.model.errors import AppGone
from deskhand.protocols.gip.server import GipServer
from deskhand.transports.socket import SocketServer
from tests.client.greeter import Greeter


def test_the_lesson_reads_the_same_with_await(address: str, greeter: Greeter) -> None:
    async def main() -> None:
        async with aio.connect(address) as app:
            await app.locator("#name").fill("Ada")
            await app.get_by_role("button", name="Greet").click()
            await aio.expect(app.locator("#greeting")).to_have_text("Hello, Ada!")
            await aio.expect(app).to_have_title("Greeter")
            assert await app.locator("group").count() == 2

    asyncio.run(main())
    assert greeter.greeting.text == "Hello, Ada!"


def test_an_app_can_be_awaited_too(address: str) -> None:
    async def main() -> str | None:
        app = await aio.connect(address)
        try:
            return await app.title()
        finally:
            await app.close()

    assert asyncio.run(main()) == "Greeter"


def test_an_expectation_waits_while_another_task_acts(address: str) -> None:
    async def main() -> None:
        async with aio.connect(address) as app:
            expected = aio.expect(app.locator("#greeting")).to_have_text("Hello, !")
            await asyncio.gather(expected, app.get_by_role("button", name="Greet").click())

    asyncio.run(main())


def test_a_cancelled_wait_leaves_the_app_usable(address: str) -> None:
    async def main() -> str | None:
        async with aio.connect(address) as app:
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(app.locator("#nowhere").wait_for(timeout=60), 0.2)
            return await app.title()

    assert asyncio.run(main()) == "Greeter"


def test_a_failed_expectation_is_an_assertion_error(address: str) -> None:
    async def main() -> None:
        async with aio.connect(address) as app:
            await aio.expect(app.locator("#greeting")).to_have_text("Bye", timeout=0)

    with pytest.raises(aio.ExpectationFailed, match="have text 'Bye'"):
        asyncio.run(main())


def test_an_app_that_ends_is_reported(greeter: Greeter, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("s") / "s"
    server = SocketServer(path, GipServer(greeter.session).conversation)

    async def main() -> None:
        async with aio.connect(str(path)) as app:
            asyncio.get_running_loop().call_later(
                0.2, lambda: asyncio.create_task(asyncio.to_thread(server.close))
            )
            await app.locator("#nowhere").wait_for(timeout=60)

    with pytest.raises(AppGone):
        asyncio.run(main())


def test_sync_and_async_have_the_same_methods() -> None:
    for name in ("App", "Locator"):
        ours, theirs = getattr(deskhand.client, name), getattr(aio, name)
        public = [each for each in dir(theirs) if not each.startswith("_")]
        assert public == [each for each in dir(ours) if not each.startswith("_")]
        for each in public:
            if inspect.isfunction(getattr(theirs, each)):
                # What is iterated over with `async for` there is iterated over with `for` here.
                signature = str(inspect.signature(getattr(theirs, each))).replace("AsyncIterator", "Iterator")
                assert signature == str(inspect.signature(getattr(ours, each)))


def test_a_released_app_can_be_used_in_another_event_loop(address: str) -> None:
    async def first() -> aio.App:
        app = await aio.connect(address)
        await app.release()
        await app.title()
        return app

    async def second(app: aio.App) -> str | None:
        title = await app.title()
        await app.close()
        return title

    app = asyncio.run(first())
    assert asyncio.run(second(app)) == "Greeter"
