"""Whether Qt works here: each binding shows a window, which is then driven."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import platform
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from ..desktop.private import Desktop
from ..toolkits import Toolkit
from .driving import drive
from .report import Check
from .trying import TIMEOUT, apt, package_of, run

_VERSION = """
import json
from {binding} import QtCore
print(json.dumps({{"version": getattr(QtCore, "PYQT_VERSION_STR", None) or QtCore.__version__}}))
"""

# Shows a window by itself, to see whether the toolkit works here at all.
_SHOW = """
import json
from {binding} import QtCore, QtGui, QtWidgets
app = QtWidgets.QApplication([])
label = QtWidgets.QLabel("doctor")
label.show()
QtCore.QTimer.singleShot(0, app.quit)
app.exec() if hasattr(app, "exec") else app.exec_()
platform = QtGui.QGuiApplication.platformName()
fonts = QtGui.QFontDatabase if QtCore.qVersion() > "6" else QtGui.QFontDatabase()
print(json.dumps({{"platform": platform, "fonts": len(fonts.families())}}))
"""


def bindings(toolkit: Toolkit, desktop: Desktop | None, pool: ThreadPoolExecutor) -> list[Check]:
    """Every binding of Qt."""
    return list(pool.map(lambda binding: binding_works(toolkit, binding, desktop), toolkit.bindings))


def binding_works(toolkit: Toolkit, binding: str, desktop: Desktop | None) -> Check:
    def result(ok: bool | None, detail: str, fix: str | None = None) -> Check:
        return Check("toolkits", f"{toolkit.name}: {binding}", ok, detail, fix)

    loaded = run(_VERSION.format(binding=binding))
    if loaded.missing == binding:
        return result(None, f"not installed for {sys.executable}", toolkit.bindings[binding])
    if loaded.data is None:
        return result(False, f"cannot be loaded: {loaded.reason}", loaded.fix)
    version = loaded.data["version"]
    if binding == "PySide6" and loses_none(version, sys.version_info[:2]):
        broken = f"{version} crashes on Python {platform.python_version()}: it loses references to None"
        return result(False, broken, "pip install 'PySide6<6.12'")
    env = desktop.env if desktop else {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    shown = run(_SHOW.format(binding=binding), env)
    if shown.data is None:
        return result(
            False, f"{version} shows no window: {shown.reason}", shown.fix or _missing_libraries(binding)
        )
    where = f"on {shown.data['platform']}"
    if not shown.data["fonts"]:
        return result(False, f"{version} finds no fonts, so no text is shown", apt("fonts-dejavu-core"))
    driven = run(drive(toolkit.sample.format(binding=binding)), env)
    if driven.data is None:
        return result(
            False, f"{version} shows a window {where}, which cannot be driven: {driven.reason}", driven.fix
        )
    return result(True, f"{version}, shows a window {where} and drives it")


def loses_none(version: str, python: tuple[int, int]) -> bool:
    """Whether this PySide6 crashes on this Python: from 6.12 on it loses references to None."""
    # Since Python 3.12 there are no references to None to be lost.
    numbers = [int(part) for part in re.findall(r"\d+", version)[:2]]
    return numbers >= [6, 12] and python < (3, 12)


def _missing_libraries(binding: str) -> str | None:
    """How to install what the binding's plugin for X11 links against and does not find."""
    spec = importlib.util.find_spec(binding)
    folders = list(spec.submodule_search_locations or ()) if spec else []
    for folder in folders:
        for plugin in ("Qt/plugins/platforms/libqxcb.so", "Qt6/plugins/platforms/libqxcb.so"):
            with contextlib.suppress(OSError, subprocess.TimeoutExpired):
                answer = subprocess.run(
                    ["ldd", f"{folder}/{plugin}"], capture_output=True, text=True, timeout=TIMEOUT
                )
                missing = re.findall(r"(lib\S+) => not found", answer.stdout)
                if missing:
                    return apt(*map(package_of, missing))
    return None
