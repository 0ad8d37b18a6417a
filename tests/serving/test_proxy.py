"""Programs that no agent can be put into are started and driven like all others."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from deskhand import connect, expect, launch
from deskhand.adapters.atspi import windows_only
from deskhand.client.targets import listed
from deskhand.launching import first_window, launcher
from deskhand.model.errors import ActionsOff, AppGone, UiBusy, WaitTimeout
from deskhand.model.operations import Find, ListWindows, Press, TypeText, Wait
from deskhand.processes import registry
from deskhand.serving import proxy
from deskhand.serving.endpoints import endpoints
from tests.asking import ask

pytestmark = pytest.mark.programs

FIELDS = str(Path(__file__).parents[1] / "adapters" / "atspi" / "gtk3_fields.py")


@pytest.fixture(autouse=True)
def own_registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(registry.VARIABLE, str(tmp_path / "registry"))


@pytest.fixture
def calculator(tmp_path: Path) -> Iterator[launcher.Launched]:
    served = endpoints([str(tmp_path / "gip"), "http://127.0.0.1:0/"])
    with launcher.start(
        ["galculator"], headless=True, endpoints=served, log_wire=tmp_path / "wire"
    ) as launched:
        yield launched


def test_it_is_served_listed_and_driven_as_if_an_agent_were_inside(
    calculator: launcher.Launched, tmp_path: Path
) -> None:
    assert [ready.url for ready in calculator.ready] == [f"unix:{tmp_path / 'gip'}"]
    (app,) = listed()
    assert (app.name, app.pid, app.reached) == ("galculator", calculator.pid, "accessibility")
    assert app.framework.startswith("gtk 3")

    with connect("galculator") as app:
        for key in "6*7=":
            app.run(Press(f'[name="{key}"]:focusable'))
        expect(app.locator("editable-text")).to_have_text("42")
    with connect(str(tmp_path / "gip")) as app:
        assert app.title() == "galculator"
    ask(calculator.unlogged, Find("button:visible"))

    logged = (tmp_path / "wire").read_text()
    assert logged.count('"deskhand_press"') == 4
    assert "button:visible" not in logged


def test_connected_clients_see_its_end_and_nothing_is_left(
    calculator: launcher.Launched, tmp_path: Path
) -> None:
    with connect("galculator") as app:
        os.kill(calculator.pid, signal.SIGKILL)
        with pytest.raises(AppGone):
            app.run(Wait("#nowhere", "exists", timeout=30))
    assert calculator.wait(10) == -signal.SIGKILL
    calculator.close()
    assert registry.apps() == ()
    assert not (tmp_path / "gip").exists()


def test_a_python_program_with_another_toolkit_is_launched_read_only_and_under_a_name() -> None:
    command = [sys.executable, FIELDS]
    with launcher.start(command, headless=True, read_only=True, name="fields") as launched:
        assert ask(launched, Find('button[name="Off"]'))
        with pytest.raises(ActionsOff):
            ask(launched, Press("checkbox"))
        assert [entry.name for entry in registry.apps()] == ["fields"]


def test_a_test_launches_it_like_any_other_app() -> None:
    with launch([sys.executable, FIELDS], headless=True) as app:
        app.get_by_role("textfield", name="Name").fill("Ada")
        expect(app.locator('[text="name Ada"]').first).to_be_visible()


def test_a_program_without_accessibility_is_driven_by_its_windows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(first_window, "_WINDOWS_ONLY", 1.0)
    monkeypatch.setattr(windows_only, "_GROWN_UP", 0.5)
    with launcher.start(["galculator"], headless=True, env={"NO_AT_BRIDGE": "1"}) as launched:
        assert "galculator is not on the accessibility bus" in (launched.note or "")
        assert [(app.pid, app.reached) for app in listed()] == [(launched.pid, "its windows only")]
        assert [window.title for window in ask(launched, ListWindows())] == ["galculator"]
        assert ask(launched, TypeText("window", text="42")).detail == "by real input"


def test_a_program_that_accessibility_does_not_show_is_reported() -> None:
    env = {"NO_AT_BRIDGE": "1"}
    with pytest.raises(
        WaitTimeout, match=r"is not a Python program with GTK 3; .*accessibility shows no window of it"
    ):
        launcher.start(["galculator"], headless=True, env=env, timeout=2.5)


def test_why_windows_could_not_be_searched_is_in_the_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise UiBusy("the bus does not answer")

    monkeypatch.setattr(proxy, "find", fail)
    monkeypatch.setattr(proxy, "find_windows", fail)
    with pytest.raises(WaitTimeout, match="search for its windows failed: the bus does not answer"):
        launcher.start(["galculator"], headless=True, env={"NO_AT_BRIDGE": "1"}, timeout=2.5)
