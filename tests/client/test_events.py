"""Changes in an app are reported as they happen, through every way in."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator

import pytest

from deskhand import aio, connect, expect
from deskhand.client.orca_events import events
from deskhand.engine.session import Session
from deskhand.model import operations as ops
from deskhand.model.errors import AppGone, ConnectFailed, Unauthorized
from deskhand.serving.endpoints import endpoints, serve
from tests.client.foreign_orca import served, slicer
from tests.wire.form import make_session


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    session = make_session()
    yield session
    session.close()


@pytest.fixture(scope="module")
def addresses(session: Session, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    path = tmp_path_factory.mktemp("events") / "app"
    with serve(session, endpoints(str(path), orca=0)) as where:
        urls = {ready.kind: ready.url for ready in where.ready}
        yield {"gip": urls["gip"], "orca": urls["orca"].replace("http", "orca").removesuffix("/jsonrpc")}


@pytest.mark.parametrize("way", ["gip", "orca"])
def test_changes_are_reported_and_silence_ends_the_iteration(
    session: Session, addresses: dict[str, str], way: str
) -> None:
    session.run(ops.SetValue("#name_edit", value=""))
    with connect(addresses[way]) as app:
        tree = app.tree()
        session.run(ops.SetValue("#name_edit", value=way))
        changes = app.events(since=tree.revision, timeout=5)
        (change,) = next(changes).changed
        assert change.fields["value"] == way
        changes.close()
        assert list(app.events(timeout=0.1)) == []


def test_what_changes_is_awaited(session: Session, addresses: dict[str, str]) -> None:
    async def main() -> str:
        async with aio.connect(addresses["gip"]) as app:
            tree = await app.tree()
            session.run(ops.SetValue("#name_edit", value="later"))
            async for difference in app.events(since=tree.revision):
                return str(difference.changed[0].fields["value"])
        raise AssertionError("nothing came")

    assert asyncio.run(main()) == "later"


def test_a_revision_that_is_not_known_any_more_is_not_a_silence(addresses: dict[str, str]) -> None:
    with connect(addresses["gip"]) as app:
        assert next(app.events(since=10**9)).left_out == len(app.tree())


def test_a_wait_through_orca_hears_the_change(session: Session, addresses: dict[str, str]) -> None:
    """With polling alone it would take ten seconds."""
    session.run(ops.SetValue("#name_edit", value="before"))
    with connect(addresses["orca"]) as app:
        timer = threading.Timer(0.3, lambda: session.run(ops.SetValue("#name_edit", value="after")))
        began = time.monotonic()
        timer.start()
        app.run(ops.Wait("#name_edit", "value", "after", timeout=20, poll=10))
        assert time.monotonic() - began < 5
        expect(app.locator("#name_edit")).to_have_value("after")


def test_the_events_of_the_server_itself_can_be_read(session: Session, addresses: dict[str, str]) -> None:
    told = events(addresses["orca"], only=("node",))
    assert next(told)["event"] == "ready"
    session.run(ops.SetValue("#name_edit", value="raw"))
    assert next(told)["node"]["value"] == "raw"
    told.close()


def test_a_key_that_only_our_servers_know_is_sent_to_them(addresses: dict[str, str]) -> None:
    with connect(addresses["orca"]) as app, pytest.raises(Exception, match="memory adapter cannot key"):
        app.keyboard.press("Home")


def test_a_server_of_another_make_has_none_and_says_so() -> None:
    with served(slicer()) as port, pytest.raises(ConnectFailed, match="no events"):
        events(f"orca://127.0.0.1:{port}")


def test_the_end_of_the_server_and_a_token_are_reported() -> None:
    session = make_session()
    with serve(session, endpoints(orca=0), token="secret") as where:
        address = where.ready[0].url.replace("http", "orca").removesuffix("/jsonrpc")
        with pytest.raises(Unauthorized):
            events(address)
        with pytest.raises(Unauthorized):
            connect(address)
        told = events(address, token="secret")
        assert next(told)["event"] == "ready"
        with connect(address, token="secret") as app:
            assert app.title() == "Order form"
    with pytest.raises(AppGone):
        list(told)
    session.close()
