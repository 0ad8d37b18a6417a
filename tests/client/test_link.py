"""Connections to an engine in another thread or process: several at a time, cancelled, cut off."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from deskhand import connect
from deskhand.engine.restricted import Restricted
from deskhand.model.deadline import lost
from deskhand.model.errors import (
    ActionsOff,
    AppGone,
    Cancelled,
    ConnectFailed,
    Disabled,
    InvalidParams,
    NotConnected,
    NotFound,
    UiBusy,
    WaitTimeout,
)
from deskhand.model.operations import Click, Find, Ping, Wait
from deskhand.model.tree import Tree
from deskhand.protocols.gip.server import GipServer
from deskhand.serving.remote import Remote
from deskhand.transports.address import listen
from deskhand.transports.socket import SocketServer
from tests.client.greeter import Greeter
from tests.traces import stopped_server


@pytest.fixture
def remote(address: str) -> Iterator[Remote]:
    remote = Remote(address)
    yield remote
    remote.close()


def test_one_thread_can_act_while_another_waits(address: str, greeter: Greeter) -> None:
    with connect(address) as app:
        waited: list[float] = []
        button = app.locator('button[name="Greet"]')
        waiting = threading.Thread(
            target=lambda: waited.append(app.run(Wait("#greeting", "text", "Hello, !")).elapsed)
        )
        waiting.start()
        button.click()
        waiting.join(5)

    assert len(waited) == 1
    assert waited[0] < 5


def test_a_cancelled_operation_ends_at_once_here_and_there(remote: Remote, greeter: Greeter) -> None:
    cancel = threading.Event()
    threading.Timer(0.2, cancel.set).start()
    began = time.monotonic()

    with pytest.raises(Cancelled):
        remote.run(Wait("#nowhere", timeout=60), cancel)

    assert time.monotonic() - began < 5
    assert remote.run(Ping(), threading.Event()).uptime > 0


def test_an_operation_of_a_caller_that_disconnected_does_not_start(remote: Remote, greeter: Greeter) -> None:
    cancel = threading.Event()
    cancel.set()

    with pytest.raises(Cancelled):
        remote.run(Click('button[name="Greet"]'), cancel)

    assert greeter.greeting.text == ""


def test_many_operations_with_callers_share_connections(remote: Remote) -> None:
    for _ in range(50):
        assert len(remote.run(Find("group"), threading.Event())) == 2


def test_no_call_waits_long_for_a_process_that_does_not_answer_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("deskhand.serving.remote.doubtful", lambda _: 0.1)
    monkeypatch.setattr("deskhand.serving.remote._PING", 0.2)
    # As a stopped process does it: the kernel lets its clients in, and that is all.
    with listen(tmp_path / "stopped"), closing(Remote(str(tmp_path / "stopped")).open()) as remote:
        began = time.monotonic()
        with pytest.raises(UiBusy, match="answers nothing at all") as caught:
            remote.run(Find("button"), threading.Event())
        assert time.monotonic() - began < lost(0) / 3
        assert "stopped" in caught.value.suggestions[0]


@pytest.mark.parametrize("operation", [Find("button", timeout=0.2), Click("button", timeout=0.2)])
def test_a_stopped_process_is_reported_as_stopped_after_the_timeout(
    tmp_path: Path, operation: Find | Click
) -> None:
    path = str(tmp_path / "stopped")
    with stopped_server(path) as pid, closing(Remote(path).open()) as remote:
        for cancel in (None, threading.Event()):
            began = time.monotonic()
            with pytest.raises(UiBusy, match=r"within 0\.2 s: process \d+ is stopped") as caught:
                remote.run(operation, cancel)
            assert time.monotonic() - began < 5
            assert caught.value.suggestions == (f"let it go on: kill -CONT {pid}",)


def test_a_slow_peer_is_waited_for(remote: Remote, greeter: Greeter, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deskhand.serving.remote.doubtful", lambda _: 0.05)
    read, answers = greeter.session.adapter.read, Remote._answers
    asked = threading.Event()

    def notice(remote: Remote) -> bool:
        there = answers(remote)
        asked.set()
        return there

    def slow(*args: Any, **options: Any) -> Tree:
        assert asked.wait(30), "no client checked whether it still answers"
        return read(*args, **options)

    monkeypatch.setattr(Remote, "_answers", notice)

    monkeypatch.setattr(greeter.session.adapter, "read", slow)
    assert len(remote.run(Find("group"), threading.Event())) == 2


def test_a_server_that_ends_during_a_wait_is_reported(greeter: Greeter, tmp_path: Path) -> None:
    server = SocketServer(tmp_path / "short", GipServer(greeter.session).conversation)
    with connect(str(tmp_path / "short")) as app:
        threading.Timer(0.2, server.close).start()

        with pytest.raises(AppGone):
            app.locator("#nowhere").wait_for(timeout=60)
        with pytest.raises(AppGone):
            app.windows()


def test_a_missing_server_is_an_error_that_names_the_address(tmp_path: Path) -> None:
    with pytest.raises(ConnectFailed) as caught:
        connect(str(tmp_path / "missing"))

    assert caught.value.target == str(tmp_path / "missing")


def test_an_unknown_name_is_not_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESKHAND_RUNTIME_DIR", str(tmp_path))

    with pytest.raises(NotFound, match="no app named 'surely_missing'"):
        connect("surely_missing")


def test_what_is_not_an_address_is_refused() -> None:
    with pytest.raises(InvalidParams, match="gopher"):
        connect("gopher://localhost")


def test_an_app_that_was_closed_says_so(address: str) -> None:
    app = connect(address)
    app.close()
    app.close()

    with pytest.raises(NotConnected, match="closed"):
        app.windows()


def test_an_app_that_is_switched_off_can_be_connected_to(address: str, greeter: Greeter) -> None:
    greeter.session.enabled = False

    with connect(address) as app:
        assert app.info().toolkit == "memory"  # and not "gip": it was seen that it is one of ours
        with pytest.raises(Disabled):
            app.windows()
        greeter.session.enabled = True
        assert app.title() == "Greeter"


def test_errors_arrive_unchanged(address: str) -> None:
    with connect(address) as app, pytest.raises(WaitTimeout) as caught:
        app.locator("#late").wait_for("enabled", timeout=0)

    assert caught.value.last_seen == {"visible": True, "enabled": False, "name": "Late"}


def test_a_restricted_runner_answers_questions_only(greeter: Greeter) -> None:
    runner = Restricted(greeter.session, read_only=True)

    assert runner.run(Find("group"))
    with pytest.raises(ActionsOff):
        runner.run(Click("#name"))


def test_a_runner_on_standby_answers_pings_only(greeter: Greeter) -> None:
    runner = Restricted(greeter.session, standby=True)

    assert runner.run(Ping())
    with pytest.raises(Disabled):
        runner.run(Find("group"))
