"""An app that exits because it was asked to: the action succeeded, and the next one says how it ended."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from deskhand import App, launch
from deskhand.model import operations as ops
from deskhand.model.errors import AppGone
from deskhand.processes import registry
from tests.cli.test_mcp import MCP, Stdio
from tests.traces import parent

pytestmark = pytest.mark.programs

PATIENCE = 60.0
"""How long something may take on a busy machine, in seconds."""
CLI = "from deskhand.cli import main; main()"

# Each has a button "Quit", and Ctrl+Q for the same; {quit} is what they do.
QT = """
import os, signal, sys
from PySide6 import QtGui, QtWidgets
app = QtWidgets.QApplication(sys.argv)
main = QtWidgets.QMainWindow()
button = QtWidgets.QPushButton("Quit")
def quit():
    {quit}
button.clicked.connect(quit)
QtGui.QShortcut("Ctrl+Q", main, quit)
main.setCentralWidget(button)
main.show()
sys.exit(app.exec())
"""
WX = """
import sys, wx
app, code = wx.App(), 0
main = wx.Frame(None, title="Main")
def quit(_):
    global code
    code = 3
    main.Close()
wx.Button(main, label="Quit").Bind(wx.EVT_BUTTON, quit)
main.Bind(wx.EVT_MENU, quit, id=7)
main.SetAcceleratorTable(wx.AcceleratorTable([(wx.ACCEL_CTRL, ord("Q"), 7)]))
main.Show()
app.MainLoop()
sys.exit(code)
"""
JAVA = """
import javafx.application.*; import javafx.scene.*; import javafx.scene.control.*; import javafx.stage.Stage;
public class Quits extends Application {
    public void start(Stage stage) {
        Button button = new Button("Quit");
        button.setOnAction(event -> System.exit(3));
        stage.setScene(new Scene(button, 200, 100));
        stage.show();
    }
    public static void main(String[] args) { launch(Quits.class, args); }
}
"""
FX = (
    *("--module-path", "/usr/share/openjfx/lib", "--add-modules", "javafx.controls"),
    *("-Dprism.order=sw", "-XX:TieredStopAtLevel=1"),
)
IN_APP = {"qt": QT.format(quit="app.exit(3)"), "qt at once": QT.format(quit="os._exit(3)"), "wx": WX}


def script(folder: Path, text: str) -> list[str]:
    path = folder / "program.py"
    path.write_text(text)
    return [sys.executable, str(path)]


def java(folder: Path) -> list[str]:
    (folder / "Quits.java").write_text(JAVA)
    return ["java", *FX, str(folder / "Quits.java")]


def check_the_end(app: App, done: ops.Done, code: int) -> None:
    """What the process itself ended with is what the receipt and the next operation say."""
    assert app.wait_for_exit(timeout=PATIENCE) == code
    assert done.exit == ops.Exit(code)
    assert done.receipt is not None
    assert done.receipt.exit == ops.Exit(code)
    for operation in (ops.ReadTree(), ops.Key(keys="a"), ops.Screenshot(), ops.WaitIdle()):
        with pytest.raises(AppGone, match=f"^the app exited with code {code}") as caught:
            app.run(operation)
        assert caught.value.details["exit_code"] == code


@pytest.mark.parametrize("program", [*IN_APP, "javafx"])
def test_a_click_that_ends_the_app_succeeds_with_its_exit_code(program: str, tmp_path: Path) -> None:
    command = java(tmp_path) if program == "javafx" else script(tmp_path, IN_APP[program])
    with launch(command, headless=True, timeout=PATIENCE) as app:
        done = app.get_by_role("button", name="Quit").click(receipt=True, timeout=PATIENCE)
        check_the_end(app, done, 3)


@pytest.mark.parametrize("program", IN_APP)
def test_a_key_that_ends_the_app_succeeds_with_its_exit_code(program: str, tmp_path: Path) -> None:
    with launch(script(tmp_path, IN_APP[program]), headless=True, timeout=PATIENCE) as app:
        app.wait_idle(timeout=PATIENCE)
        check_the_end(app, app.keyboard.press("ctrl+q", receipt=True), 3)


@pytest.mark.parametrize("program", ["mousepad", "gnome-text-editor --standalone", "kcalc"])
@pytest.mark.parametrize(
    "action", [ops.Key(keys="ctrl+q", receipt=True), ops.ControlWindow(do="close", receipt=True)]
)
def test_a_program_of_debian_that_is_asked_to_end_exits_with_its_code(
    program: str, action: ops.Action
) -> None:
    with launch(program.split(), headless=True, timeout=PATIENCE) as app:
        app.wait_idle(timeout=PATIENCE)
        (window,) = app.windows()
        done = app.run(action)
        check_the_end(app, done, 0)
        assert done.receipt is not None
        assert done.receipt.windows_closed == (window.uid,)


def test_a_menu_entry_that_ends_the_app_succeeds() -> None:
    with launch(["mousepad"], headless=True, timeout=PATIENCE) as app:
        app.wait_idle(timeout=PATIENCE)
        app.locator('menu-item[name="Quit"]').activate()
        assert app.wait_for_exit(timeout=PATIENCE) == 0
        with pytest.raises(AppGone, match=r"^the app exited with code 0"):
            app.windows()


def test_an_app_that_a_signal_ended_was_killed_and_did_not_exit(tmp_path: Path) -> None:
    crashes = QT.format(quit="os.kill(os.getpid(), signal.SIGSEGV)")
    with launch(script(tmp_path, crashes), headless=True, timeout=PATIENCE) as app:
        for operation in (ops.Press('button[name="Quit"]', receipt=True), ops.ReadTree()):
            with pytest.raises(AppGone, match=r"^the app was killed by SIGSEGV") as caught:
                app.run(operation)
            assert caught.value.details["exit_code"] == -11


def test_an_action_that_waits_while_the_app_exits_does_not_succeed(tmp_path: Path) -> None:
    leaves = QT.replace("main.show()", "main.show(); QtCore.QTimer.singleShot(1500, app.quit)").replace(
        "QtGui,", "QtCore, QtGui,"
    )
    with (
        launch(script(tmp_path, leaves.format(quit="pass")), headless=True, timeout=PATIENCE) as app,
        pytest.raises(AppGone, match=r"^the app exited with code 0"),
    ):
        app.get_by_role("button", name="never there").click(timeout=PATIENCE)


@pytest.mark.parametrize("program", ["mousepad", "qt"])
def test_run_ends_with_the_exit_code_and_the_command_that_ended_the_app_says_so(
    program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(registry.VARIABLE, str(tmp_path))
    command, code = ([program], 0) if program == "mousepad" else (script(tmp_path, IN_APP["qt"]), 3)
    run = [sys.executable, "-c", CLI, "run", "--headless", "--gip", str(tmp_path / "gip"), "--", *command]
    with subprocess.Popen(run, stdout=subprocess.PIPE, text=True) as hub:
        assert hub.stdout is not None
        while hub.stdout.readline() != "ready\n":
            assert hub.poll() is None
        key = [sys.executable, "-c", CLI, "key", "ctrl+q", "--receipt"]
        told = subprocess.run(key, capture_output=True, text=True, check=False, timeout=PATIENCE)
        assert hub.wait(PATIENCE) == code
    assert told.returncode == 0, told.stderr
    # What is outside of the app has its process, and with it the code.
    assert told.stdout.endswith(
        "the app exited with code 0\n" if program == "mousepad" else "the app exited\n"
    )


@pytest.mark.parametrize("program", ["mousepad", "qt"])
def test_mcp_says_in_the_receipt_that_the_app_exited(
    program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(registry.VARIABLE, str(tmp_path))
    command, code = ([program], 0) if program == "mousepad" else (script(tmp_path, IN_APP["qt"]), 3)
    with parent(MCP.format(log=str(tmp_path / "wire"))) as process:
        client = Stdio(process)
        client.call("app_launch", command=command, headless=True)
        told = client.call("ui_perform", actions=[{"type": "pressKey", "key": "Q", "modifiers": ["CTRL"]}])
        assert told["results"][0]["ok"] is True, json.dumps(told)
        assert told["receipt"] == {"exited": True, "exitCode": code}
        error = client.call("ui_get_snapshot")
        assert error["message"].startswith(f"the app exited with code {code}")
