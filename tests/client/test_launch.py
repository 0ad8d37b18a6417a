"""Launched apps: driven, read, ended, and reported when they end by themselves."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from deskhand import App, aio, attach, connect, expect, launch
from deskhand.model.errors import AppGone, InvalidParams, LaunchFailed, NotConnected, WaitTimeout

GREETER = [sys.executable, str(Path(__file__).with_name("qt_greeter.py"))]
OFFSCREEN = {"QT_QPA_PLATFORM": "offscreen"}


@pytest.fixture(autouse=True)
def _own_registry(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with tempfile.TemporaryDirectory(prefix="dh") as folder:
        monkeypatch.setenv("DESKHAND_RUNTIME_DIR", folder)
        yield


@pytest.fixture
def app() -> Iterator[App]:
    with launch(GREETER, env=OFFSCREEN, name="test greeter") as app:
        yield app


@pytest.mark.parametrize("binding", ["PySide6", "PyQt6"])
def test_an_unmodified_program_is_driven_and_says_so_itself(binding: str) -> None:
    with launch([*GREETER, binding], env=OFFSCREEN) as app:
        app.get_by_label("Name").fill("Ada")
        app.get_by_role("button", name="Greet").click()
        expect(app.locator("#greeting")).to_have_text("Hello, Ada!")
        expect(app).to_have_title("Greeter")
        assert app.stdout == "Hello, Ada!\n"
        assert app.info().framework


def test_a_headless_app_has_a_screen_of_its_own(tmp_path: Path) -> None:
    with launch(GREETER, headless=True, size=(800, 600)) as app:
        app.locator("textfield").fill("Grace")
        image = app.screenshot(tmp_path / "window.png")
        (window,) = app.windows()

    assert (tmp_path / "window.png").read_bytes() == image.png
    assert image.png.startswith(b"\x89PNG")
    assert window.bounds is not None
    assert (image.width, image.height) == (window.bounds.width, window.bounds.height)


def test_an_app_that_ends_by_itself_has_an_exit_code(app: App) -> None:
    assert app.returncode is None

    app.get_by_role("button", name="Quit").click()

    assert app.wait_for_exit(timeout=20) == 5
    assert app.returncode == 5


def test_a_crash_during_a_wait_is_reported_with_exit_code_and_last_output(app: App) -> None:
    app.get_by_role("button", name="Crash").click()

    with pytest.raises(AppGone) as caught:
        app.locator("#nowhere").wait_for(timeout=60)

    assert caught.value.details["exit_code"] == 3
    assert "something terrible happened" in caught.value.details["stderr"]
    assert "something terrible happened" in str(caught.value)


def test_a_killed_app_is_reported_by_its_signal(app: App) -> None:
    app.get_by_role("button", name="Abort").click()

    with pytest.raises(AppGone, match="SIGKILL"):
        app.locator("#nowhere").wait_for(timeout=60)
    with pytest.raises(AppGone, match="SIGKILL"):
        app.windows()


def test_an_app_that_does_not_end_is_reported_after_the_timeout(app: App) -> None:
    with pytest.raises(WaitTimeout):
        app.wait_for_exit(timeout=0.1)


def test_closing_ends_the_app(app: App) -> None:
    pid = app.pid
    assert pid is not None
    app.close()

    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    with pytest.raises(NotConnected):
        app.windows()


def test_a_second_client_connects_by_name_and_by_pid_and_leaves_it_running(app: App) -> None:
    assert app.pid is not None
    with connect("test greeter") as second:
        second.locator("textfield").fill("by name")
        assert second.pid == app.pid
    with attach(app.pid) as third:
        assert third.locator("textfield").input_value() == "by name"
        with pytest.raises(InvalidParams):
            third.wait_for_exit()

    assert app.locator("textfield").input_value() == "by name"


def test_the_end_of_an_app_that_was_connected_to_is_reported_by_its_pid(app: App) -> None:
    with connect("test greeter") as second:
        second.windows()
        app.close()

        with pytest.raises(AppGone, match=f"process {app.pid} ended"):
            second.windows()


def test_a_program_without_a_window_is_a_failure_with_its_last_words() -> None:
    with pytest.raises(LaunchFailed) as caught:
        launch([sys.executable, "-c", "import sys; sys.exit('no window today')"], env=OFFSCREEN)

    assert "no window today" in str(caught.value)


def test_gip_for_others_is_on_sockets(tmp_path: Path) -> None:
    with launch(GREETER, env=OFFSCREEN, gip=str(tmp_path / "gip")), connect(str(tmp_path / "gip")) as second:
        assert second.title() == "Greeter"
    with pytest.raises(InvalidParams):
        launch(GREETER, env=OFFSCREEN, gip="http://127.0.0.1:0/")


def test_it_is_launched_with_await() -> None:
    async def main() -> str:
        async with aio.launch(GREETER, env=OFFSCREEN) as app:
            await app.get_by_role("button", name="Greet").click()
            await aio.expect(app.locator("#greeting")).to_have_text("Hello, !")
            return app.stdout

    assert asyncio.run(main()) == "Hello, !\n"


def test_a_cancelled_launch_leaves_no_app(tmp_path: Path) -> None:
    marker, cancelled = tmp_path / "pid", tmp_path / "cancelled"
    slow = f"""
import os, pathlib, runpy, sys, time
pathlib.Path({str(marker)!r}).write_text(str(os.getpid()))
while not os.path.exists({str(cancelled)!r}):
    time.sleep(0.01)
sys.argv = {GREETER[1:]!r}
runpy.run_path({GREETER[1]!r})
"""

    async def main() -> None:
        opening = asyncio.ensure_future(aio.launch([sys.executable, "-c", slow], env=OFFSCREEN))
        await until(lambda: marker.exists() and marker.read_text() != "")
        opening.cancel()
        with pytest.raises(asyncio.CancelledError):
            await opening
        cancelled.touch()
        pid = int(marker.read_text())
        await until(lambda: not runs(pid))

    asyncio.run(main())


async def until(condition: Callable[[], bool]) -> None:
    """Poll until it holds; nothing reports the end of another process's child."""
    for _ in range(600):
        if condition():
            return
        await asyncio.sleep(0.05)
    raise AssertionError("it never held")


def runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
