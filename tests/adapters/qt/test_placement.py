"""Windows are settled when the window manager and the program agree, and not before."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from deskhand import App, Desktop, connect
from deskhand.launching import launcher
from deskhand.model import operations as ops
from deskhand.model.errors import UiBusy
from deskhand.model.node import Rect
from deskhand.x11 import Connection, as_area, geometry, parse_display, read_cookie, translate
from tests.traces import manager_of, stopped

pytestmark = pytest.mark.programs

SCRIPT = """
import sys
from {binding} import QtWidgets
app = QtWidgets.QApplication(sys.argv)
main, second = QtWidgets.QWidget(), QtWidgets.QLabel("here")
main.setWindowTitle("Main")
second.setWindowTitle("Second")
second.resize(300, 200)
button = QtWidgets.QPushButton("Open", main)
button.clicked.connect(second.show)
main.resize(200, 100)
main.show()
app.exec()
"""


@dataclass
class Scene:
    app: App
    desktop: Desktop
    manager: int

    def xdotool(self, *arguments: str) -> str:
        command = ["xdotool", *arguments]
        done = subprocess.run(command, env=self.desktop.env, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    def area_of(self, title: str) -> Rect | None:
        """Where the display has a window."""
        window = int(self.xdotool("search", "--name", title))
        host, number = parse_display(self.desktop.env["DISPLAY"])
        with Connection(number, read_cookie(self.desktop.env, number), host=host) as display:
            return as_area(*display.ask(geometry(window), translate(window, display.root)))


@pytest.fixture(params=["PySide6", "PyQt6"])
def scene(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Scene]:
    script = tmp_path / "program.py"
    script.write_text(SCRIPT.format(binding=request.param))
    with ExitStack() as stack:
        desktop = stack.enter_context(Desktop())
        started = stack.enter_context(launcher.start([sys.executable, str(script)], env=desktop.env))
        app = stack.enter_context(connect(f"unix:{started.control}"))
        app.locator("button").wait_for()
        app.wait_idle()
        yield Scene(app, desktop, manager_of(desktop.env))


def test_a_program_whose_window_is_not_placed_yet_is_not_idle(scene: Scene) -> None:
    with stopped(scene.manager):
        scene.app.locator("button").activate()
        with pytest.raises(UiBusy, match=r"were not settled after 0\.5 s: whether window 0x"):
            scene.app.wait_idle(timeout=0.5)
    scene.app.wait_idle()
    (second,) = [window for window in scene.app.windows() if window.title == "Second"]
    assert second.bounds == scene.area_of("Second")
    assert second.focused
    assert scene.xdotool("getwindowfocus", "getwindowname") == "Second"


def test_a_window_manager_that_does_nothing_is_reported(scene: Scene) -> None:
    with stopped(scene.manager):
        done = scene.app.run(ops.ControlWindow(do="minimize"))
    assert done.detail is not None
    assert done.detail.startswith("requested, but the display does not show it yet: whether window 0x")


def test_a_window_that_was_minimized_has_the_focus_when_that_is_reported(scene: Scene) -> None:
    for _ in range(5):
        scene.app.run(ops.ControlWindow(do="minimize"))
        assert not scene.app.windows()[0].focused
        scene.app.run(ops.ControlWindow(do="focus"))
        assert scene.xdotool("getwindowfocus", "getwindowname") == "Main"
