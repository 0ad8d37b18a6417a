"""A Qt window with many widgets, or one big table; reports to a datagram socket when things happen.

With `--walker` it also serves the peer: a straightforward walker as one writes it in an afternoon
(`property()` by name, `mapToGlobal`, recursive, `json`), on a Unix socket, a line for each request.
"""

import argparse
import importlib
import json
import socket
import sys
import threading
import time
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("--binding", default="PySide6")
parser.add_argument("--widgets", type=int, default=0)
parser.add_argument("--rows", type=int)
parser.add_argument("--walker")
parser.add_argument("--tell")
arguments = parser.parse_args()

QtCore = importlib.import_module(f"{arguments.binding}.QtCore")
QtWidgets = importlib.import_module(f"{arguments.binding}.QtWidgets")
Signal = getattr(QtCore, "Signal", None) or QtCore.pyqtSignal


def tell(what):
    """Say what happened, and when, on the clock that all processes share."""
    if arguments.tell:
        message = json.dumps({"what": what, "at": time.monotonic()}).encode()
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as out:
            out.sendto(message, arguments.tell)


class Window(QtWidgets.QMainWindow):
    def __init__(self):
        super().__init__()
        self.setWindowTitle("Many widgets")
        page = QtWidgets.QWidget()
        column = QtWidgets.QVBoxLayout(page)
        self.label = QtWidgets.QLabel("before")
        self.label.setObjectName("label")
        column.addWidget(self.label)
        press = QtWidgets.QPushButton("Press")
        press.setObjectName("press")
        press.clicked.connect(lambda: tell("clicked"))
        column.addWidget(press)
        change = QtWidgets.QPushButton("Change")
        change.setObjectName("change")
        change.clicked.connect(self.change_soon)
        column.addWidget(change)
        self.changes = 0
        if arguments.rows is not None:
            column.addWidget(self.make_table(arguments.rows))
        if arguments.widgets:
            column.addWidget(self.make_widgets(arguments.widgets))
        self.setCentralWidget(page)

    def make_table(self, rows):
        table = QtWidgets.QTableView()
        table.setObjectName("table")
        table.setModel(Numbers(rows))
        return table

    def make_widgets(self, count):
        """Groups of ten: labels, buttons, edits, boxes, in a scroll area as in a long form."""
        area = QtWidgets.QScrollArea()
        inner = QtWidgets.QWidget()
        grid = QtWidgets.QGridLayout(inner)
        made = 0
        while made < count:
            group = QtWidgets.QGroupBox(f"Group {made // 10}")
            row = QtWidgets.QHBoxLayout(group)
            made += 1
            for kind in range(min(9, count - made)):
                row.addWidget(self.make_widget(kind, made))
                made += 1
            grid.addWidget(group, (made // 10) // 4, (made // 10) % 4)
        area.setWidget(inner)
        return area

    def make_widget(self, kind, number):
        if kind % 4 == 0:
            widget = QtWidgets.QLabel(f"Label {number}")
        elif kind % 4 == 1:
            widget = QtWidgets.QPushButton(f"Button {number}")
        elif kind % 4 == 2:
            widget = QtWidgets.QLineEdit(f"text {number}")
            widget.setPlaceholderText("type here")
        else:
            widget = QtWidgets.QCheckBox(f"Box {number}")
        if number % 2:
            widget.setObjectName(f"widget_{number}")
        return widget

    def change_soon(self):
        QtCore.QTimer.singleShot(130, self.change)

    def change(self):
        self.changes += 1
        tell("changed")
        self.label.setText(f"after {self.changes}")


class Numbers(QtCore.QAbstractTableModel):
    def __init__(self, rows):
        super().__init__()
        self.rows = rows

    def rowCount(self, _parent=None):
        return self.rows

    def columnCount(self, _parent=None):
        return 5

    def data(self, index, role=0):
        return f"{index.row()}:{index.column()}" if role == 0 else None


class Walker(QtCore.QObject):
    """The peer."""

    asked = Signal(object)

    def __init__(self, path, window):
        super().__init__()
        self.window = window
        self.asked.connect(self.answer)
        self.server = socket.socket(socket.AF_UNIX)
        self.server.bind(path)
        self.server.listen()
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            connection, _ = self.server.accept()
            with connection, connection.makefile("rwb") as lines:
                for line in lines:
                    box = {"request": json.loads(line), "done": threading.Event()}
                    self.asked.emit(box)
                    box["done"].wait()
                    lines.write(json.dumps(box["answer"]).encode() + b"\n")
                    lines.flush()

    def answer(self, box):
        if box["request"] == "label":
            box["answer"] = self.window.label.property("text")
        else:
            box["answer"] = self.walk(self.window, "root")
        box["done"].set()

    def walk(self, widget, ref):
        at = widget.mapToGlobal(QtCore.QPoint(0, 0))
        properties = {}
        for name in ("text", "checked", "value", "placeholderText", "currentText", "title", "windowTitle"):
            value = widget.property(name)
            if isinstance(value, (str, bool, int, float)):
                properties[name] = value
        properties["focused"] = widget.property("focus")
        node = {
            "ref": ref,
            "type": widget.metaObject().className(),
            "objectName": widget.property("objectName") or None,
            "visible": widget.property("visible"),
            "enabled": widget.property("enabled"),
            "geometry": {
                "x": at.x(),
                "y": at.y(),
                "width": widget.property("width"),
                "height": widget.property("height"),
            },
            "properties": properties,
            "children": [],
        }
        counts = {}
        for child in widget.children():
            if child.isWidgetType():
                kind = child.metaObject().className()
                index = counts[kind] = counts.get(kind, -1) + 1
                segment = child.property("objectName") or f"{kind}[{index}]"
                node["children"].append(self.walk(child, f"{ref}/{segment}"))
        return node


if __name__ == "__main__":
    app = QtWidgets.QApplication(sys.argv[:1])
    window = Window()
    window.resize(900, 700)
    window.show()
    walker = Walker(arguments.walker, window) if arguments.walker else None
    QtCore.QTimer.singleShot(0, lambda: tell("shown"))
    code = app.exec()
    if walker:
        Path(arguments.walker).unlink()
    sys.exit(code)
