"""Blocked, crashed, killed, overrun: every caller gets a clear error in time, and the rest keeps working."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from deskhand import App, connect, expect, launch
from deskhand.model import operations as ops
from deskhand.model.errors import AppGone, NotFound, Stale, UiBusy
from deskhand.transports.open import open_channel

FRAGILE = Path(__file__).with_name("fragile.py")


@pytest.fixture(params=["PySide6", "PyQt6"])
def app(request: pytest.FixtureRequest) -> Iterator[App]:
    command = [sys.executable, str(FRAGILE), "--binding", request.param]
    with launch(command, env={**os.environ, "QT_QPA_PLATFORM": "offscreen"}) as app:
        yield app


class Raw:
    """A client that speaks plain GIP."""

    def __init__(self, app: App) -> None:
        self.channel = open_channel(app.address, 5)

    def call(self, method: str, **params: object) -> dict[str, object]:
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        reply: dict[str, object] = json.loads(self.channel.exchange(json.dumps(request).encode(), 60))
        return reply

    def close(self) -> None:
        self.channel.close()


@pytest.fixture
def raw(app: App) -> Iterator[Raw]:
    raw = Raw(app)
    yield raw
    raw.close()


def test_a_blocked_gui_thread_delays_only_its_own_callers(app: App, raw: Raw) -> None:
    app.locator("#block").activate()
    began = time.monotonic()
    with pytest.raises(UiBusy):
        app.run(ops.Wait("#report", "text", "never", timeout=1))
    assert time.monotonic() - began < 5
    assert raw.call("ping")["result"]["status"] == "ok"  # type: ignore[index]
    assert app.ping().uptime > 0
    click = raw.call("click", ref="root/count")
    assert click["error"]["code"] == 5  # type: ignore[index]
    assert time.monotonic() - began < 9.5
    expect(app.locator("#report")).to_have_text("unblocked", timeout=15)
    app.wait_idle()
    assert app.locator("#report").text_content() == "unblocked", (
        "the click that timed out must not come later"
    )
    assert raw.call("click", ref="root/count")["result"] == {"success": True}
    expect(app.locator("#report")).to_have_text("pressed 1")


@pytest.mark.parametrize(("button", "code"), [("crash", -6), ("die", -9), ("leave", 3)])
def test_an_app_that_ends_during_a_wait_is_reported_at_once(app: App, button: str, code: int) -> None:
    failures: list[BaseException] = []

    def wait() -> None:
        try:
            app.run(ops.Wait("#report", "text", "never", timeout=60))
        except AppGone as error:
            failures.append(error)

    waiting = threading.Thread(target=wait)
    waiting.start()
    with suppress(AppGone):
        # It may be gone before it can answer.
        app.locator(f"#{button}").activate()
    waiting.join(20)
    assert not waiting.is_alive()
    (error,) = failures
    assert isinstance(error, AppGone)
    assert error.details["exit_code"] == code
    with pytest.raises(AppGone):
        app.tree()
    assert app.wait_for_exit() == code


def test_a_destroyed_widget_is_stale_and_its_ref_not_found(app: App, raw: Raw) -> None:
    victim = app.locator("#victim").get()
    app.locator("#destroy").click()
    expect(app.locator("#report")).to_have_text("destroyed")
    expect(app.locator("#victim")).to_be_hidden()
    with pytest.raises(Stale, match="victim"):
        app.locator(f"uid={victim.uid}").click(timeout=0)
    reply = raw.call("click", ref="root/victim")
    assert reply["error"]["code"] == 1  # type: ignore[index]
    assert reply["error"]["message"] == "Widget not found: root/victim"  # type: ignore[index]
    with pytest.raises(NotFound):
        app.locator("#victim").click(timeout=0)


@pytest.mark.parametrize("app", ["PySide6"], indirect=True)
@pytest.mark.timeout(240)
def test_fifty_clients_work_at_once_for_a_minute(app: App) -> None:
    """Each clicks and reads, again and again; no click is lost or doubled."""
    until = time.monotonic() + 60

    def work(_: int) -> int:
        clicks = 0
        with connect(app.address) as own:
            while time.monotonic() < until:
                own.run(ops.Press("#count", timeout=30))
                clicks += 1
                assert len(own.tree()) > 5
        return clicks

    with ThreadPoolExecutor(50) as pool:
        clicks = list(pool.map(work, range(50)))
    assert min(clicks) > 0
    expect(app.locator("#report")).to_have_text(f"pressed {sum(clicks)}")


def test_a_caller_that_disconnects_during_a_wait_leaves_nothing_behind(app: App) -> None:
    def threads() -> int:
        return sum(1 for _ in Path(f"/proc/{app.pid}/task").iterdir())

    app.ping()
    before = threads()
    channels = [open_channel(app.address, 5) for _ in range(5)]
    for channel in channels:
        params = {"target": "#report", "state": "text", "value": "never", "timeout": 600}
        request = {"jsonrpc": "2.0", "id": 1, "method": "deskhand_wait", "params": params}
        channel.exchange(json.dumps(request).encode(), reply=False)
    until(lambda: threads() > before)
    for channel in channels:
        channel.close()
    until(lambda: threads() <= before)


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)  # nothing announces that threads start or end
