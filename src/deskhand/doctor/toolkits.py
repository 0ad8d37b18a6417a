"""Whether the toolkits other than Qt work here: a program of each shows a button, which is pressed."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from pathlib import Path
from typing import NamedTuple

from ..desktop.private import Desktop
from ..inject import jvm
from .driving import drive
from .report import Check
from .trying import Result, apt, run

_WX = """
import wx
app = wx.App()
frame = wx.Frame(None, title="doctor")
button = wx.Button(frame, label="0")
button.Bind(wx.EVT_BUTTON, lambda _: button.SetLabel("pressed"))
frame.Show()
app.MainLoop()
"""

_IMGUI = """
from imgui_bundle import hello_imgui, imgui
label = ["0"]
def show():
    if imgui.button(label[0] + "###button"):
        label[0] = "pressed"
hello_imgui.run(show, window_title="doctor")
"""

_JAVAFX = """
import javafx.application.Application;
import javafx.scene.Scene;
import javafx.scene.control.Button;
import javafx.stage.Stage;

public class Doctor extends Application {
    public static void main(String[] words) {
        launch(Doctor.class, words);
    }

    @Override
    public void start(Stage stage) {
        Button button = new Button("0");
        button.setOnAction(pressed -> button.setText("pressed"));
        stage.setScene(new Scene(button, 200, 100));
        stage.show();
    }
}
"""


class _Toolkit(NamedTuple):
    module: str
    source: str
    fix: str


_IN_PYTHON = {
    "wx": _Toolkit("wx", _WX, "apt install python3-wxgtk4.0, or pip install wxPython"),
    "imgui": _Toolkit("imgui_bundle", _IMGUI, "pip install imgui-bundle"),
}

_OPENJFX = "/usr/share/openjfx/lib"
"""Where Debian puts JavaFX."""

LATER = {"tk": "tk", "gtk": "gtk", "web": "cdp"}
"""Toolkits, each with the adapter that would read it."""

_ACCESSIBLE = ("gtk", "web")
"""Those whose programs are on the accessibility bus of Linux."""


def in_python(desktop: Desktop | None) -> list[Check]:
    """The toolkits of Python programs."""
    return [_in_python(name, toolkit, desktop) for name, toolkit in _IN_PYTHON.items()]


def _in_python(name: str, toolkit: _Toolkit, desktop: Desktop | None) -> Check:
    if importlib.util.find_spec(toolkit.module) is None:
        return Check("toolkits", name, None, f"not installed for {sys.executable}", toolkit.fix)
    if desktop is None:
        return Check("toolkits", name, None, "needs a private desktop to be tried on")
    return _judged(name, run(drive(toolkit.source), desktop.env))


def javafx(desktop: Desktop | None) -> Check:
    """JavaFX, with the Java that is on PATH."""

    def result(ok: bool | None, detail: str, fix: str | None = None) -> Check:
        return Check("toolkits", "javafx", ok, detail, fix)

    if not jvm.JAR.is_file():
        return result(False, f"the agent is missing: there is no {jvm.JAR}", "make setup, in a checkout")
    if shutil.which("java") is None:
        return result(
            None, "the agent is installed; no java on PATH to try it with", apt("default-jdk-headless")
        )
    jars = os.environ.get("OPENJFX", _OPENJFX)
    if not Path(jars, "javafx.controls.jar").is_file():
        where = f"the agent is installed; no JavaFX in {jars} to try it with"
        return result(None, where, f"{apt('openjfx')}, or OPENJFX=FOLDER with its jars")
    if desktop is None:
        return result(None, "needs a private desktop to be tried on")
    modules = ("--module-path", jars, "--add-modules", "javafx.controls")
    # Without a graphics card, drawing in software is quickest; so is a compiler that does not try hard.
    command = ("java", *modules, "-Dprism.order=sw", "-XX:TieredStopAtLevel=1")
    return _judged("javafx", run(drive(_JAVAFX, "Doctor.java", command), desktop.env))


def _judged(name: str, driven: Result) -> Check:
    if driven.data is None:
        return Check("toolkits", name, False, f"cannot be driven: {driven.reason}", driven.fix)
    if driven.data["toolkit"] != name:
        return Check("toolkits", name, False, f"is driven from outside only, by {driven.data['toolkit']}")
    return Check("toolkits", name, True, f"{driven.data['version']}, shows a window and drives it")


def later() -> list[Check]:
    """What this version does not get into."""
    return [_later(name, module) for name, module in LATER.items()]


def _later(name: str, module: str) -> Check:
    """A toolkit that may not be supported yet; if it has an adapter, that must be importable."""
    adapter = f"{__package__.partition('.')[0]}.adapters.{module}"
    if importlib.util.find_spec(adapter) is None:
        outside = "from outside only, in this version: see atspi"
        return Check("toolkits", name, None, outside if name in _ACCESSIBLE else "not in this version")
    tried = run(f"import {adapter}; print('{{}}')")
    detail = tried.reason if tried.data is None else "can be loaded"
    return Check("toolkits", name, tried.data is not None, detail, tried.fix)
