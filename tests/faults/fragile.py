"""A Qt program with everything that can go wrong behind a button: `fragile.py [--binding PyQt6]`."""

import argparse
import importlib
import os
import signal
import sys
import time
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("--binding", default="PySide6")
arguments = parser.parse_args()
QtCore = importlib.import_module(f"{arguments.binding}.QtCore")
QtWidgets = importlib.import_module(f"{arguments.binding}.QtWidgets")

app = QtWidgets.QApplication([])
window = QtWidgets.QWidget()
window.setWindowTitle("Fragile")
column = QtWidgets.QVBoxLayout(window)
report = QtWidgets.QLabel("ready")
report.setObjectName("report")
column.addWidget(report)
pressed = 0


def button(name, action):
    made = QtWidgets.QPushButton(name)
    made.setObjectName(name)
    made.clicked.connect(action)
    column.addWidget(made)
    return made


def count():
    global pressed
    pressed += 1
    report.setText(f"pressed {pressed}")


def block():
    """For 10 s, or until there is the file that GO_ON names."""
    end, go_on = time.monotonic() + 10, os.environ.get("GO_ON", "")
    while time.monotonic() < end and not (go_on and Path(go_on).exists()):
        time.sleep(0.01)
    report.setText("unblocked")


def destroy():
    victim.deleteLater()
    report.setText("destroyed")


button("count", count)
button("block", lambda: QtCore.QTimer.singleShot(0, block))
button("crash", lambda: QtCore.QTimer.singleShot(0, os.abort))
button("die", lambda: QtCore.QTimer.singleShot(0, lambda: os.kill(os.getpid(), signal.SIGKILL)))
button("leave", lambda: QtCore.QTimer.singleShot(0, lambda: app.exit(3)))
button("destroy", destroy)
victim = button("victim", count)
window.show()
sys.exit(app.exec())
