"""The order form in Qt Quick: `python demo/qml_form.py [--binding PyQt6]`. It knows nothing of deskhand."""

import argparse
import importlib
import json
import sys
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("--binding", default="PySide6", choices=["PySide6", "PyQt6"])
parser.add_argument("--again", action="store_true", help="show a fresh form for each line that is read")
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


class Forms:
    """The form on the screen, and a fresh one for each line that is read."""

    def __init__(self):
        self.journal = Journal()
        self.engine = QtQml.QQmlApplicationEngine()
        self.engine.rootContext().setContextProperty("journal", self.journal)
        self.show()
        self.lines = QtCore.QSocketNotifier(0, QtCore.QSocketNotifier.Type.Read) if arguments.again else None
        if self.lines:
            self.lines.activated.connect(self.start_over)

    def show(self):
        before = len(self.engine.rootObjects())
        self.engine.load(QtCore.QUrl.fromLocalFile(str(Path(__file__).with_name("form.qml"))))
        if len(self.engine.rootObjects()) == before:
            sys.exit("the form could not be loaded")

    def start_over(self, *_):
        if not sys.stdin.readline():
            self.lines.setEnabled(False)
            return
        old = list(self.engine.rootObjects())
        self.show()
        for form in old:
            form.deleteLater()
        print("ready", flush=True)


if __name__ == "__main__":
    app = QtGui.QGuiApplication(sys.argv[:1])
    forms = Forms()
    code = app.exec()
    del forms
    sys.exit(code)
