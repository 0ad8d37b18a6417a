"""A Qt app that drives itself over its socket, and prints the modules of deskhand that each call entered."""

from __future__ import annotations

import json
import os
import sys
import threading
from pathlib import Path
from types import FrameType
from typing import Any

from PySide6.QtCore import QMetaObject, Qt, QTimer
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QVBoxLayout, QWidget

import deskhand

ROOT = str(Path(deskhand.__file__).parent) + os.sep

app = QApplication(sys.argv)
window = QWidget()
layout = QVBoxLayout(window)
button, label = QPushButton("Greet"), QLabel("-")
layout.addWidget(button)
layout.addWidget(label)
button.clicked.connect(lambda: label.setText("greeted"))
window.show()
handle = deskhand.enable()

entered: list[str] = []
tracing = threading.Event()


def note(frame: FrameType, event: str, _argument: Any) -> None:
    """Note the module of a function that is called, the first time."""
    file = frame.f_code.co_filename
    if event == "call" and tracing.is_set() and file.startswith(ROOT):
        module = file.removeprefix(ROOT)
        if module not in entered:
            entered.append(module)


def drive() -> None:
    try:
        with deskhand.connect(f"unix:{handle.control}") as client:
            greet = client.get_by_role("button", name="Greet")
            client.tree()
            paths = {}
            for name, call in (("click", greet.click), ("read", client.tree)):
                entered.clear()
                tracing.set()
                call()
                tracing.clear()
                paths[name] = list(entered)
        print(json.dumps({**paths, "label": label.text()}))
    finally:
        # Not app.quit(): here it would hold the interpreter's lock while it waits for the GUI thread.
        QMetaObject.invokeMethod(app, "quit", Qt.ConnectionType.QueuedConnection)


threading.setprofile(note)
sys.setprofile(note)
test = threading.Thread(target=drive)
# Once the event loop runs: to quit before that would have no effect.
QTimer.singleShot(0, test.start)
app.exec()
test.join()
