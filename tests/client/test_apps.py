"""The apps that a chat client has open: which of them is chosen, and what is reported about them."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from deskhand.adapters.memory import Element, MemoryAdapter
from deskhand.client import apps as module
from deskhand.client.apps import OpenApps
from deskhand.client.targets import DESKTOP, Listed, Target
from deskhand.engine.session import Session
from deskhand.model import operations as ops
from deskhand.model.errors import Ambiguous, AppGone, InvalidParams, UiBusy
from deskhand.protocols.mcp.server import McpServer


class Waiting:
    """A program that does not answer until it is let."""

    def __init__(self) -> None:
        self.asked, self.let = threading.Event(), threading.Event()

    def run(self, operation: ops.Operation[Any], cancel: object = None) -> Any:
        self.asked.set()
        assert self.let.wait(10)
        return ()

    def close(self) -> None:
        pass


@pytest.fixture
def apps(monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenApps]:
    monkeypatch.setattr(module, "listed", list)
    with OpenApps() as apps:
        yield apps


def memory(title: str) -> Session:
    return Session(MemoryAdapter([Element("window", title)]))


def add(apps: OpenApps, name: str, pid: int | None, runner: Any) -> Any:
    held = contextlib.ExitStack()
    held.callback(runner.close)
    return apps._add(name, pid, runner, held)


def test_which_of_several_apps_is_meant_is_for_the_agent_to_choose(
    apps: OpenApps, monkeypatch: pytest.MonkeyPatch
) -> None:
    def several(name: str | None) -> Any:
        raise Ambiguous("2 apps run: form (pid 7), form (pid 8)", suggestions=("choose one by its pid",))

    monkeypatch.setattr(module, "app_target", several)

    error = McpServer(apps=apps).call("ui_get_snapshot", {}, threading.Event())["structuredContent"]["error"]

    assert error["code"] == "MCP_UI_NO_STAGES"
    assert "form (pid 8)" in error["message"]
    assert "app_attach" in error["message"]


def test_the_desktop_is_listed_where_it_is_what_the_tools_are_about(apps: OpenApps) -> None:
    add(apps, "form", 7, memory("Form"))
    add(apps, "desktop", None, memory("Window"))

    assert apps.listed() == [
        {"app": "form", "pid": 7, "open": True, "current": False},
        {"app": "desktop", "pid": None, "open": True, "current": True},
    ]
    assert apps.attach({"app": "form"})["windows"] == ["Form"]
    assert {app["app"]: app["current"] for app in apps.listed()} == {"form": True, "desktop": False}


def test_an_app_that_hangs_does_not_delay_calls_to_another(apps: OpenApps) -> None:
    hanging = Waiting()
    add(apps, "hangs", 7, hanging)
    add(apps, "form", 8, memory("Form"))
    choosing = threading.Thread(target=lambda: apps.attach({"app": "hangs"}))
    choosing.start()
    assert hanging.asked.wait(10)

    found: list[Any] = []
    asking = threading.Thread(target=lambda: found.append(apps.attach({"app": "form"})))
    asking.start()
    asking.join(5)

    assert found
    assert found[0]["windows"] == ["Form"]
    hanging.let.set()
    choosing.join(10)


def test_what_is_driven_from_outside_can_be_got_into(apps: OpenApps, monkeypatch: pytest.MonkeyPatch) -> None:
    add(apps, "form", 7, memory("From outside")).outside = True
    monkeypatch.setattr(apps, "_inside", lambda pid: add(apps, "form", pid, memory("From inside")))

    assert apps.attach({"pid": 7})["windows"] == ["From outside"]
    assert apps.attach({"pid": 7, "inside": True})["windows"] == ["From inside"]


class Gone(Waiting):
    """A program that has ended."""

    def run(self, operation: ops.Operation[Any], cancel: object = None) -> Any:
        raise AppGone("it has ended")


def test_an_app_that_has_ended_is_not_chosen_again_but_the_one_that_runs_now(
    apps: OpenApps, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(apps, "form", 7, Gone())
    monkeypatch.setattr(module, "app_target", lambda name, pid: Target("", name, 8))
    monkeypatch.setattr(apps, "_connect", lambda where: add(apps, where.name, where.pid, memory("Anew")))

    assert apps.attach({"app": "form"}) == {"app": "form", "pid": 8, "current": True, "windows": ["Anew"]}
    assert [app["pid"] for app in apps.listed()] == [8]


def test_an_app_of_the_desktop_that_is_chosen_by_its_pid_has_its_name(
    apps: OpenApps, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = memory("Calculator")
    own = outside.adapter.info().pid
    running = Target(f"{DESKTOP}{own}", None, own)
    monkeypatch.setattr(module, "app_target", lambda name, pid: running)
    monkeypatch.setattr(module, "open_outside", lambda where, *, confined: outside)
    monkeypatch.setattr(module, "listed", lambda: [Listed("calculator", own, "GTK 4", "accessibility")])

    assert apps.attach({"pid": own})["app"] == "calculator"


def test_which_app_is_meant_must_be_said(apps: OpenApps) -> None:
    with pytest.raises(InvalidParams, match="app_list"):
        apps.attach({})


def test_a_read_only_client_cannot_attach_to_a_process(apps: OpenApps) -> None:
    server = McpServer(apps=apps, read_only=True)
    add(apps, "form", 7, memory("Form"))

    told = server.call("app_attach", {"pid": 7, "inside": True}, threading.Event())["structuredContent"]

    assert told["error"]["code"] == "MCP_UI_ACTION_FAILED"
    assert "output" in server.call("app_attach", {"pid": 7}, threading.Event())["structuredContent"]


def test_of_two_apps_with_one_name_none_is_chosen_or_ended_by_it(apps: OpenApps) -> None:
    add(apps, "twin", 7, memory("First"))
    add(apps, "twin", 8, memory("Second"))

    for call in (apps.attach, apps.let_go):
        with pytest.raises(InvalidParams, match="7, 8"):
            call({"app": "twin"})
    assert apps.attach({"app": "twin", "pid": 7})["windows"] == ["First"]
    assert apps.let_go({})["pid"] == 7
    assert apps.attach({"app": "twin"})["windows"] == ["Second"]


class Starting(Session):
    """A program that does not answer the first question, because it is busy with its start."""

    busy = True

    def run(self, operation: ops.Operation[Any], cancel: Any = None) -> Any:
        if self.busy:
            self.busy = False
            raise UiBusy("it did not answer within 5 s")
        return super().run(operation, cancel)


def test_an_app_that_is_busy_with_its_start_has_the_time_of_its_launch_to_answer() -> None:
    adapter = MemoryAdapter([Element("window", "Main")])
    with contextlib.closing(Starting(adapter)) as runner:
        module._await_window(runner, time.monotonic() + 30)
        assert not runner.busy
    with contextlib.closing(Starting(adapter)) as runner, pytest.raises(UiBusy):
        module._await_window(runner, time.monotonic())
