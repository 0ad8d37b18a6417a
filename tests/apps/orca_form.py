"""The order form in a program that serves itself and registers what only it knows: `python orca_form.py`.

Prints where it serves itself. Its view `wedged` keeps the GUI thread busy until there is a file `go on` in
the folder of the registry.
"""

import os
import runpy
import sys
import time
from pathlib import Path

import deskhand

VIEWS = ["home", "prepare", "preview"]
opened = []
shown = ["home"]


def view_select(view):
    if view == "wedged":
        deadline = time.monotonic() + 60
        while not Path(os.environ["DESKHAND_RUNTIME_DIR"], "go on").exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        return None
    shown[0] = view
    return VIEWS.index(view)


def file_open(paths):
    for path in paths:
        opened.append(Path(path).read_text())
    return len(paths)


def tell_where():
    from PySide6.QtCore import QTimer

    if handle.running:
        print("inside", *handle.endpoints, flush=True)
    else:
        QTimer.singleShot(5, tell_where)


handle = deskhand.automation_flags(sys.argv) or deskhand.enable(orca=0)
deskhand.register(
    app_state=lambda: {"active_view": shown[0], "project_loaded": bool(opened), "progress": len(opened)},
    file_open=file_open,
    view_select=view_select,
)
from PySide6.QtCore import QTimer  # noqa: E402 - as a program would, after the flags
from PySide6.QtWidgets import QApplication  # noqa: E402

make = QApplication.__init__


def and_tell(self, *arguments):
    make(self, *arguments)
    QTimer.singleShot(0, tell_where)


QApplication.__init__ = and_tell
sys.argv = [str(Path(__file__).parents[2] / "demo" / "qt_form.py")]
runpy.run_path(sys.argv[0], run_name="__main__")
