"""QML in a window of its own that a widget contains, twice: next to widgets, and in a scroll area."""

import importlib
import os
import tempfile
from pathlib import Path

BINDING = os.environ["SCENE_BINDING"]
QtCore = importlib.import_module(f"{BINDING}.QtCore")
QtWidgets = importlib.import_module(f"{BINDING}.QtWidgets")
QtQuick = importlib.import_module(f"{BINDING}.QtQuick")

QML = """
import QtQuick
import QtQuick.Controls
Rectangle {
    objectName: "NAME"
    property string said: ""
    Button { objectName: "NAME_button"; x: 10; y: 10; text: "Gilt"; onClicked: parent.said = "clicked" }
    TextField { objectName: "NAME_field"; x: 10; y: 60; width: 150; onTextEdited: parent.said = text }
}
"""


class Form(QtWidgets.QMainWindow):
    def __init__(self):
        super().__init__()
        self.setWindowTitle("Containers")
        self.resize(600, 500)
        self.tabs = QtWidgets.QTabWidget()
        self.setCentralWidget(self.tabs)
        page = QtWidgets.QWidget()
        column = QtWidgets.QVBoxLayout(page)
        column.addWidget(QtWidgets.QLabel("above"))
        self.first, holder = self.quick("first")
        holder.setMinimumHeight(150)
        column.addWidget(holder)
        area = QtWidgets.QScrollArea()
        self.second, inside = self.quick("second")
        inside.setFixedSize(300, 150)
        area.setWidget(inside)
        column.addWidget(area)
        self.tabs.addTab(page, "QML")
        self.tabs.addTab(QtWidgets.QLabel("widgets"), "Widgets")

    def quick(self, name):
        with tempfile.NamedTemporaryFile("w", suffix=".qml", delete=False) as file:
            file.write(QML.replace("NAME", name))
        view = QtQuick.QQuickView()
        view.setResizeMode(QtQuick.QQuickView.ResizeMode.SizeRootObjectToView)
        view.setSource(QtCore.QUrl.fromLocalFile(file.name))
        Path(file.name).unlink()
        holder = QtWidgets.QWidget.createWindowContainer(view)
        holder.setObjectName(f"{name}_container")
        return view, holder

    def corner(self, view):
        at = view.mapToGlobal(QtCore.QPoint(0, 0))
        return [at.x(), at.y()]


def start():
    form = Form()
    form.show()
    return form
