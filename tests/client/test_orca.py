"""Programs that speak the Orca protocol are driven by the same client, OrcaSlicer for one."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Iterator

import pytest

from deskhand import App, aio, connect, expect
from deskhand.client.targets import orca_address
from deskhand.model import operations as ops
from deskhand.model.errors import (
    ActionUnsupported,
    AppGone,
    ConnectFailed,
    Disabled,
    InvalidParams,
    LoadFailed,
    NotFound,
    UiBusy,
    WaitTimeout,
)
from tests.client.foreign_orca import PNG, Orca, Refused, served, slicer


@pytest.fixture
def orca() -> Iterator[Orca]:
    orca = slicer()
    yield orca
    assert orca.complaints == []


@pytest.fixture
def port(orca: Orca) -> Iterator[int]:
    with served(orca) as port:
        yield port


@pytest.fixture
def app(port: int) -> Iterator[App]:
    with connect(f"orca://127.0.0.1:{port}", default_timeout=2) as app:
        yield app


def test_it_is_found_clicked_typed_into_and_waited_for(orca: Orca, app: App) -> None:
    app.locator("#btn_slice").click()
    expect(app.locator("#btn_export")).to_be_enabled()
    app.locator("textfield").fill("Eve")
    assert app.locator("textfield").get().value == "Eve"
    app.locator('checkbox[name="Brim"]').check()
    expect(app.locator('checkbox[name="Brim"]')).to_be_checked()
    app.keyboard.press("ctrl+s")
    assert orca.done[-1] == ("key", "ctrl+s")
    assert app.title() == "Untitled - OrcaSlicer"
    assert app.screenshot().png == PNG


def test_the_address_of_its_requests_will_do(port: int) -> None:
    with connect(f"http://127.0.0.1:{port}/jsonrpc") as app:
        assert len(app.windows()) == 2


def test_it_is_driven_with_await(orca: Orca, port: int) -> None:
    async def main() -> None:
        async with aio.connect(f"orca://127.0.0.1:{port}") as app:
            expected = aio.expect(app.locator("#btn_export")).to_be_enabled()
            await asyncio.gather(expected, app.locator("#btn_slice").click())

    asyncio.run(main())
    assert orca.done == [("click", ("btn_slice", {}))]


def test_what_is_not_there_is_waited_for_and_near_misses_are_named(app: App) -> None:
    with pytest.raises(NotFound) as caught:
        app.locator("#btn_slize").click(timeout=0.1)
    assert "#btn_slice" in caught.value.near
    with pytest.raises(WaitTimeout):
        app.locator("#btn_slice").wait_for("disabled", timeout=0.1)


def test_files_are_opened_and_views_shown_where_the_server_offers_that(orca: Orca, app: App) -> None:
    app.open_files("/cube.stl")
    assert app.state().project_loaded
    with pytest.raises(LoadFailed):
        app.open_files("/broken.stl")
    with pytest.raises(InvalidParams, match="not list"):
        app.open_files(["/cube.stl"])  # type: ignore[arg-type]
    app.select_view("preview")
    with pytest.raises(NotFound):
        app.select_view("nowhere")
    orca.more = ()
    with pytest.raises(ActionUnsupported, match=r"does not know view\.select"):
        app.select_view("preview")


def test_a_program_that_does_not_answer_in_time_is_busy(orca: Orca, app: App) -> None:
    let_go = threading.Event()
    orca.before = lambda _: let_go.wait(10) and None
    began = time.monotonic()
    with pytest.raises(UiBusy):
        app.run(ops.Wait("#nowhere", "exists", timeout=0.3))
    assert time.monotonic() - began < 5
    let_go.set()


@pytest.mark.parametrize(("code", "kind"), [(1004, UiBusy), (1006, Disabled)])
def test_what_the_server_says_about_itself_is_reported(
    orca: Orca, app: App, code: int, kind: type[Exception]
) -> None:
    orca.fail = Refused(code, "as it is")
    with pytest.raises(kind, match="as it is"):
        app.tree()


def test_the_end_of_the_program_is_reported() -> None:
    with served(slicer()) as port:
        app = connect(f"orca://127.0.0.1:{port}")
        app.windows()
    with pytest.raises(AppGone):
        app.windows()
    app.close()


def test_the_error_for_an_address_without_a_server_says_what_to_start() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        with pytest.raises(ConnectFailed) as caught:
            connect(f"orca://127.0.0.1:{taken.getsockname()[1]}")
    assert "--automation-server" in str(caught.value)


def test_what_speaks_something_else_is_refused(orca: Orca, port: int) -> None:
    orca.fail = Refused(-32601, "no such method")
    with pytest.raises(ConnectFailed, match="no server of the Orca protocol"):
        connect(f"orca://127.0.0.1:{port}")
    with pytest.raises(ConnectFailed, match="does not speak GIP"):
        connect(f"http://127.0.0.1:{port}/jsonrpc")


@pytest.mark.parametrize(
    ("address", "parts"),
    [
        ("orca://127.0.0.1:5", ("127.0.0.1", 5)), ("orca://localhost", ("localhost", 13619)),
        ("13620", ("127.0.0.1", 13620)), ("[::1]:7", ("::1", 7)), ("::1", ("::1", 13619)),
    ],
)  # fmt: skip
def test_an_address_is_a_host_and_a_port(address: str, parts: tuple[str, int]) -> None:
    assert orca_address(address) == parts


@pytest.mark.parametrize(
    "address", ["orca://", "orca://x:y", "a b", "host:0", "host:99999", "u@host", "host/x"]
)
def test_what_is_not_an_address_is_refused(address: str) -> None:
    with pytest.raises(InvalidParams, match="is not the address of an Orca server"):
        orca_address(address)
