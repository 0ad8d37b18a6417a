"""An agent of our own gives the client every operation; the tests of locators run over one too."""

from __future__ import annotations

import asyncio
import os
import resource
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from deskhand import App, aio, connect, expect
from deskhand.client import transfer
from deskhand.model.errors import (
    ActionsOff,
    AppGone,
    Disabled,
    DownloadFailed,
    NotFound,
    Unauthorized,
    UploadFailed,
    WaitTimeout,
)
from deskhand.model.tree import Tree
from deskhand.serving.agent import agent_server
from deskhand.serving.machine import Machine
from tests.client.conftest import serve_agent
from tests.client.greeter import Greeter


@pytest.fixture
def app(agent: str) -> Iterator[App]:
    with connect(agent, default_timeout=2) as app:
        yield app


def test_an_error_arrives_with_all_its_fields(app: App) -> None:
    with pytest.raises(NotFound) as caught:
        app.locator("#greetin").click(timeout=0.1)
    with pytest.raises(WaitTimeout) as waited:
        app.locator("#greeting").wait_for("disabled", timeout=0.1)

    assert caught.value.target == "#greetin"
    assert caught.value.near[0] == "#greeting"
    assert waited.value.last_seen is not None


def test_changes_are_reported(app: App) -> None:
    done = app.locator("#name").fill("Ada", receipt=True)

    assert done.receipt is not None
    assert "Ada" in done.receipt.changed[0].what


def test_commands_and_files_work_beside_it(app: App, tmp_path: Path) -> None:
    (tmp_path / "out").write_bytes(os.urandom(3 * transfer.CHUNK + 5))
    done = app.exec("printf out; printf err >&2; exit 3")
    app.upload(tmp_path / "out", str(tmp_path / "new" / "in"))
    app.download(str(tmp_path / "new" / "in"), tmp_path / "back")

    assert (done.exit_code, done.stdout, done.stderr) == (3, "out", "err")
    assert app.exec("sleep 20", timeout=0.2).timed_out
    assert (tmp_path / "back").read_bytes() == (tmp_path / "out").read_bytes()
    assert app.health().deskhand is not None


def test_a_value_that_cannot_be_sent_is_reported(app: App, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("x")
    with pytest.raises(UploadFailed):
        app.upload(tmp_path / "out", str(tmp_path))
    with pytest.raises(DownloadFailed, match="No such file"):
        app.download(str(tmp_path / "missing"), tmp_path / "back")
    with pytest.raises(DownloadFailed):
        app.download(str(tmp_path), tmp_path / "back")


def test_a_full_disk_on_the_other_machine_is_reported(app: App, tmp_path: Path) -> None:
    (tmp_path / "out").write_bytes(bytes(3_000_000))
    (tmp_path / "in").write_text("old")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, before[1]))
    try:
        with pytest.raises(UploadFailed):
            app.upload(tmp_path / "out", str(tmp_path / "in"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)

    assert (tmp_path / "in").read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in", "out"]


def test_commands_that_are_switched_off_are_reported(greeter: Greeter, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("x")
    with serve_agent(agent_server(greeter.session)) as address, connect(address) as app:
        with pytest.raises(ActionsOff, match="switched off"):
            app.exec("true")
        with pytest.raises(ActionsOff):
            app.upload(tmp_path / "out", str(tmp_path / "in"))
        with pytest.raises(ActionsOff):
            app.download("/etc/hostname", tmp_path / "in")
        assert app.title() == "Greeter"


def test_one_that_is_switched_off_is_reached_and_says_so(greeter: Greeter) -> None:
    greeter.session.enabled = False
    with serve_agent(agent_server(greeter.session, machine=Machine())) as address, connect(address) as app:
        assert not app.health().accessible
        with pytest.raises(Disabled):
            app.tree()
        assert app.exec("true").exit_code == 0


def test_a_token_is_asked_for(greeter: Greeter) -> None:
    with serve_agent(agent_server(greeter.session), "s3cret") as address:
        with connect(address, token="s3cret") as app:
            assert app.title() == "Greeter"
        for token in (None, "wrong"):
            with pytest.raises(Unauthorized):
                connect(address, token=token).windows()


def test_a_program_that_ended_is_reported(greeter: Greeter) -> None:
    with serve_agent(agent_server(greeter.session)) as address:
        app = connect(address)
        app.windows()
    with pytest.raises(AppGone):
        app.windows()


def test_many_wait_at_once_without_delaying_others(agent: str) -> None:
    async def main() -> float:
        async with aio.connect(agent) as app:
            waits = [asyncio.ensure_future(app.locator("#never").wait_for(timeout=60)) for _ in range(20)]
            await asyncio.sleep(0)
            began = time.monotonic()
            await app.locator("#name").fill("Ada")
            took = time.monotonic() - began
            for wait in waits:
                wait.cancel()
            await asyncio.gather(*waits, return_exceptions=True)
            return took

    assert asyncio.run(main()) < 5


def test_no_work_is_done_for_a_client_that_left(greeter: Greeter) -> None:
    """A wait that is cancelled here ends there."""
    running: set[object] = set()
    ended = threading.Event()

    class Watched:
        def run(self, operation, cancel=None):  # type: ignore[no-untyped-def]  # as a Runner has it
            running.add(operation)
            try:
                return greeter.session.run(operation, cancel)
            finally:
                running.discard(operation)
                ended.set()

        def close(self) -> None:
            pass

    async def main(address: str) -> None:
        async with aio.connect(address) as app:
            ended.clear()
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(app.locator("#never").wait_for(timeout=60), 0.3)

    with serve_agent(agent_server(Watched())) as address:
        asyncio.run(main(address))
        assert ended.wait(10)
        assert not running


def test_the_contract_alone_drives_it_too(
    agent: str, greeter: Greeter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Like another project's agent: none of our operations, only those of the contract."""
    from deskhand.client import agent as client

    with connect(agent) as app:
        full = app.tree()
    health = client.protocol.decode_health
    monkeypatch.setattr(
        client.protocol, "decode_health", lambda *answer: replace(health(*answer), deskhand=None)
    )
    with connect(agent, default_timeout=5) as app:
        told = app.tree()
        app.locator("#name").fill("Ada")
        app.locator('button[name="Greet"]').click()
        expect(app.locator("#greeting")).to_have_text("Hello, Ada!")
        app.locator('group[name="Right"] >> button').click()
        with pytest.raises(NotFound):
            app.locator("#missing").click(timeout=0.1)

    def outline(tree: Tree) -> list[tuple[str, str | None, str | None, bool]]:
        return [(node.role, node.name, node.automation_id, node.enabled) for node in tree if node.visible]

    # The window itself is not an element in the contract, and has no id there.
    assert outline(told)[1:] == outline(full)[1:]
