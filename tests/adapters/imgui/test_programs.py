"""Programs that draw with Dear ImGui, by the ways in that the conformance suite does not take."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from deskhand import App, Desktop, attach, connect, expect, launch
from deskhand.model.errors import ActionFailed, ConnectFailed

HERE = Path(__file__).parent

IMMAPP = """
from imgui_bundle import hello_imgui, immapp
from imgui_bundle.imgui import button, label_text

pressed = 0

def gui():
    global pressed
    pressed += button("Press")
    label_text("##report", f"pressed {pressed}")

params = hello_imgui.RunnerParams()
params.app_window_params.window_title = "By immapp"
params.app_window_params.window_geometry.size = (300, 200)
params.callbacks.show_gui = gui
params.ini_disable = True
# Idle as soon as it can be: then a frame comes every two seconds.
params.fps_idling.fps_idle = 0.5
params.fps_idling.time_active_after_last_event = 0.0
immapp.run(params)
"""


@pytest.fixture
def enabled(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    address = str(tmp_path / "gip")
    env = {**os.environ, "DESKHAND_RUNTIME_DIR": str(tmp_path)}
    process = subprocess.Popen(
        [sys.executable, str(HERE / "enabled_app.py"), address],
        env=env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield process, address
    finally:
        process.communicate(timeout=20)
        assert process.returncode == 0


def ask(process: subprocess.Popen[str], line: str) -> dict[str, object]:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(f"{line}\n")
    process.stdin.flush()
    told: dict[str, object] = json.loads(process.stdout.readline())
    return told


def reach(address: str) -> App:
    deadline = time.monotonic() + 20
    while True:
        try:
            return connect(address)
        except ConnectFailed:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)  # it says nothing when its socket is there


def test_a_program_that_enables_it_is_driven_and_left_unchanged(
    enabled: tuple[subprocess.Popen[str], str],
) -> None:
    process, address = enabled
    with reach(address) as app:
        app.locator("#btn_save").click()
        assert app.info().framework == "Dear ImGui"
        assert ask(process, "tell") == {"saved": 1, "running": True, "wrapped": True}
    assert ask(process, "close") == {"saved": 1, "running": False, "wrapped": False}


def test_an_unmodified_script_of_immapp_is_driven_until_its_window_is_closed(tmp_path: Path) -> None:
    script = tmp_path / "by_immapp.py"
    script.write_text(IMMAPP)
    with (
        Desktop() as desktop,
        launch([sys.executable, str(script)], cwd=tmp_path, env=dict(desktop.env)) as app,
    ):
        began = time.monotonic()
        app.get_by_role("button", name="Press").click()
        expect(app.locator("#report")).to_have_text("pressed 1")
        assert time.monotonic() - began < 4, "it was not woken from its idling for each frame"
        (window,) = app.windows()
        assert (window.title, window.app_name) == ("By immapp", "by_immapp.py")
        app.locator('window[name="By immapp"]').control_window("close")
        assert app.process is not None
        assert app.process.wait(20) == 0


def test_a_program_that_keeps_its_window_open_is_not_reported_as_closed(tmp_path: Path) -> None:
    script = tmp_path / "stays.py"
    script.write_text(IMMAPP.replace("def gui():", "def gui():\n    params.app_shall_exit = False"))
    with launch([sys.executable, str(script)], cwd=tmp_path, headless=True) as app:
        with pytest.raises(ActionFailed, match="keeps the window open"):
            app.locator('window[name="By immapp"]').control_window("close")
        app.get_by_role("button", name="Press").click()
        expect(app.locator("#report")).to_have_text("pressed 1")


def test_a_program_that_draws_already_is_got_into() -> None:
    form = HERE.parents[2] / "demo" / "imgui_form.py"
    command = [sys.executable, str(form), "--bare", "--again"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write("again\n")
            process.stdin.flush()
            assert process.stdout.readline() == "ready\n", "then it draws"
            with attach(process.pid) as app:
                app.get_by_role("button", name="Greet").click()
                expect(app.locator("#report")).to_have_text("Hello, !")
                app.get_by_role("menu-item", name="File").click()
                app.get_by_role("menu-item", name="Quit").click()
            told, _ = process.communicate(timeout=20)
        finally:
            process.kill()
    assert json.loads(told)["events"] == ["Hello, !"]
