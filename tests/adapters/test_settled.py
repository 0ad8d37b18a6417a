"""Idle means settled: a window that opens or closes a moment after an action is waited for.

Judged by the display, at the moment the answer came.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from deskhand import App, Desktop, connect
from deskhand.launching import launcher

pytestmark = pytest.mark.programs

PATIENCE = 60.0
"""How long something may take on a busy machine, in seconds."""

# A click on "Open" opens a second window 100 ms later, "Work" after the event loop was busy for 3 s.
QT = """
import sys, time
from PySide6 import QtCore, QtWidgets
app = QtWidgets.QApplication(sys.argv)
main, second = QtWidgets.QWidget(), QtWidgets.QLabel("here")
main.setWindowTitle("Main")
second.setWindowTitle("Second")
column = QtWidgets.QVBoxLayout(main)
for name in ("Open", "Work"):
    column.addWidget(button := QtWidgets.QPushButton(name))
    if name == "Open":
        button.clicked.connect(lambda: QtCore.QTimer.singleShot(100, second.show))
    else:
        button.clicked.connect(lambda: QtCore.QTimer.singleShot(0, lambda: (time.sleep(3), second.show())))
main.show()
app.exec()
"""
WX = """
import time, wx
app = wx.App()
main, second = wx.Frame(None, title="Main"), wx.Frame(None, title="Second")
panel = wx.Panel(main)
column = wx.BoxSizer(wx.VERTICAL)
for name in ("Open", "Work"):
    column.Add(button := wx.Button(panel, label=name))
    if name == "Open":
        button.Bind(wx.EVT_BUTTON, lambda _: wx.CallLater(100, second.Show))
    else:
        button.Bind(wx.EVT_BUTTON, lambda _: wx.CallLater(1, lambda: (time.sleep(3), second.Show())))
panel.SetSizer(column)
main.Show()
app.MainLoop()
"""
GTK = """
import sys, time, gi
gi.require_version("Gtk", "{version}.0")
from gi.repository import GLib, Gtk
def work():
    time.sleep(3)
    second.show()
def activate(app):
    global second
    main, second = (Gtk.ApplicationWindow(application=app, title=title) for title in ("Main", "Second"))
    column = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
    for name, pressed in (("Open", lambda _: GLib.timeout_add(100, second.show)), ("Work", lambda _: GLib.idle_add(work))):
        button = Gtk.Button(label=name)
        button.connect("clicked", pressed)
        (column.append if {version} == 4 else column.add)(button)
    (main.set_child if {version} == 4 else main.add)(column)
    main.present() if {version} == 4 else main.show_all()
app = Gtk.Application(application_id="org.example.settled")
app.connect("activate", activate)
app.run([])
"""  # noqa: E501 - a program of its own
FORMS = {"qt": QT, "wx": WX, "gtk3": GTK.format(version=3), "gtk4": GTK.format(version=4)}


@dataclass
class Scene:
    app: App
    desktop: Desktop

    def shown(self, title: str) -> list[str]:
        """The windows of a title that the display shows at this moment."""
        command = ["xdotool", "search", "--onlyvisible", "--name", f"^{title}$"]
        done = subprocess.run(command, env=self.desktop.env, capture_output=True, text=True, check=False)
        return done.stdout.split()


Start = Callable[..., Scene]


@pytest.fixture
def start() -> Iterator[Start]:
    with ExitStack() as stack:

        def start(*command: str) -> Scene:
            desktop = stack.enter_context(Desktop())
            started = stack.enter_context(launcher.start(command, env=desktop.env, timeout=PATIENCE))
            app = stack.enter_context(connect(f"unix:{started.control}"))
            app.wait_idle(timeout=PATIENCE)
            return Scene(app, desktop)

        yield start


@pytest.fixture(params=FORMS)
def form(request: pytest.FixtureRequest, start: Start, tmp_path: Path) -> Scene:
    script = tmp_path / "program.py"
    script.write_text(FORMS[request.param])
    return start(sys.executable, str(script))


def test_a_window_that_opens_100_ms_after_a_click_is_in_the_receipt(form: Scene) -> None:
    receipt = form.app.get_by_role("button", name="Open").click(receipt=True).receipt
    assert form.shown("Second")
    assert receipt is not None
    assert [window.title for window in receipt.windows_opened] == ["Second"]


def test_a_window_that_opens_100_ms_after_a_press_is_there_when_the_app_is_idle(form: Scene) -> None:
    form.app.get_by_role("button", name="Open").activate()
    form.app.wait_idle(timeout=PATIENCE)
    assert form.shown("Second")
    assert "Second" in [window.title for window in form.app.windows()]


def test_a_program_that_is_busy_after_a_click_is_waited_for(form: Scene) -> None:
    receipt = form.app.get_by_role("button", name="Work").click(receipt=True).receipt
    assert form.shown("Second")
    assert receipt is not None
    assert [window.title for window in receipt.windows_opened] == ["Second"]


def test_a_window_that_opens_100_ms_after_a_key_pressed_a_button_is_in_the_receipt(form: Scene) -> None:
    form.app.get_by_role("button", name="Open").focus()
    receipt = form.app.keyboard.press("space", receipt=True).receipt
    assert form.shown("Second")
    assert receipt is not None
    assert [window.title for window in receipt.windows_opened] == ["Second"]


def save_as(scene: Scene, title: str, path: Path) -> None:
    """Open the dialog for files and enter a path, without Enter."""
    scene.app.keyboard.type("hello")
    opened = scene.app.keyboard.press("ctrl+shift+s", receipt=True).receipt
    assert scene.shown(title)
    assert opened is not None
    assert title in [window.title for window in opened.windows_opened]
    scene.app.keyboard.press("ctrl+a")
    scene.app.keyboard.type(str(path))
    scene.app.wait_idle(timeout=PATIENCE)


@pytest.mark.parametrize("command", ["mousepad", "gnome-text-editor --standalone"])
def test_enter_in_a_file_dialog_is_done_when_that_has_closed(
    start: Start, tmp_path: Path, command: str
) -> None:
    scene = start(*command.split())
    path = tmp_path / "note.txt"
    save_as(scene, "Save As", path)
    (dialog,) = [window.uid for window in scene.app.windows() if window.title == "Save As"]
    receipt = scene.app.keyboard.press("Return", receipt=True).receipt
    assert not scene.shown("Save As")
    assert path.read_text().strip() == "hello"
    assert receipt is not None
    assert dialog in receipt.windows_closed


def test_the_question_that_follows_a_file_dialog_is_in_the_receipt(start: Start, tmp_path: Path) -> None:
    scene = start("soffice", "--norestore", "--nologo", "--writer")
    path = tmp_path / "note.txt"
    save_as(scene, "Save", path)
    receipt = scene.app.keyboard.press("Return", receipt=True).receipt
    assert scene.shown("Confirm File Format")
    assert receipt is not None
    assert [window.title for window in receipt.windows_opened] == ["Confirm File Format"]
    answered = scene.app.keyboard.press("Return", receipt=True).receipt
    assert not scene.shown("Confirm File Format")
    assert path.read_text("utf-8-sig").strip() == "hello"
    assert answered is not None
    assert receipt.windows_opened[0].uid in answered.windows_closed
