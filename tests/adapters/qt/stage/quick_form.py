"""Shows the QML form, and keeps what it says. It knows nothing of deskhand."""

import importlib
import os
from functools import cache
from pathlib import Path

BINDING = os.environ["STAGE_BINDING"]
QtCore = importlib.import_module(f"{BINDING}.QtCore")
QtQml = importlib.import_module(f"{BINDING}.QtQml")
QtQuick = importlib.import_module(f"{BINDING}.QtQuick")
Slot = getattr(QtCore, "Slot", None) or QtCore.pyqtSlot


class Journal(QtCore.QObject):
    def __init__(self):
        super().__init__()
        self.lines = []

    @Slot(str)
    def add(self, what):
        self.lines.append(what)


class People(QtCore.QAbstractTableModel):
    def rowCount(self, parent=None):
        return 200

    def columnCount(self, parent=None):
        return 2

    def data(self, index, role=0):
        return f"{('name', 'age')[index.column()]} {index.row()}" if role == 0 else None


@cache
def made():
    said, people = Journal(), People()
    engine = QtQml.QQmlEngine()
    engine.rootContext().setContextProperty("journal", said)
    engine.rootContext().setContextProperty("people", people)
    form = QtCore.QUrl.fromLocalFile(str(Path(__file__).with_name("quick_form.qml")))
    return engine, QtQml.QQmlComponent(engine, form), said, people


class Form:
    def __init__(self):
        self.engine, self.component, self.said, self.people = made()
        self.said.lines.clear()
        self.window = self.component.create()

    @property
    def journal(self):
        return self.said.lines

    def item(self, name):
        return self.window.findChild(QtQuick.QQuickItem, name)

    def close(self):
        self.window.close()

    def deleteLater(self):
        self.window.deleteLater()


def main():
    return Form()
