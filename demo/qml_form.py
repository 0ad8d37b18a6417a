"""The order form in Qt Quick: `python demo/qml_form.py [--binding PyQt6]`. It knows nothing of deskhand."""

import argparse
import importlib
import json
import sys
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("--binding", default="PySide6", choices=["PySide6", "PyQt6"])
arguments = parser.parse_args()

QtCore = importlib.import_module(f"{arguments.binding}.QtCore")
QtGui = importlib.import_module(f"{arguments.binding}.QtGui")
QtQml = importlib.import_module(f"{arguments.binding}.QtQml")

Slot = getattr(QtCore, "Slot", None) or QtCore.pyqtSlot


class Journal(QtCore.QObject):
    """Keeps what the form says, and prints it at the end."""

    def __init__(self):
        super().__init__()
        self.events = []

    @Slot(str)
    def add(self, what):
        self.events.append(what)

    @Slot(str)
    def finish(self, name):
        print(json.dumps({"events": self.events, "name": name}), flush=True)


if __name__ == "__main__":
    app = QtGui.QGuiApplication(sys.argv[:1])
    journal = Journal()
    engine = QtQml.QQmlApplicationEngine()
    engine.rootContext().setContextProperty("journal", journal)
    engine.load(QtCore.QUrl.fromLocalFile(str(Path(__file__).with_name("form.qml"))))
    if not engine.rootObjects():
        sys.exit("the form could not be loaded")
    code = app.exec()
    del engine
    sys.exit(code)
