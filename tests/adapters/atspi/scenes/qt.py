"""A window of Qt widgets: `qt.py PySide6|PyQt5 FIFO ANSWERS`."""

import importlib
import os
import sys

QtCore = importlib.import_module(f"{sys.argv[1]}.QtCore")
QtWidgets = importlib.import_module(f"{sys.argv[1]}.QtWidgets")
fifo = os.open(sys.argv[2], os.O_RDWR | os.O_NONBLOCK)
answers = os.open(sys.argv[3], os.O_RDWR)
app = QtWidgets.QApplication(sys.argv[:1])
window = QtWidgets.QWidget()
window.setWindowTitle("scene")
window.resize(500, 420)
column = QtWidgets.QVBoxLayout(window)
label = QtWidgets.QLabel("a label")
entry = QtWidgets.QLineEdit("some text")
button = QtWidgets.QPushButton("a button")
check = QtWidgets.QCheckBox("a check box")
slider = QtWidgets.QSlider(QtCore.Qt.Orientation.Horizontal)
bar = QtWidgets.QProgressBar()
combo = QtWidgets.QComboBox()
combo.addItems(["one", "two", "three"])
tabs = QtWidgets.QTabWidget()
for number in range(2):
    page = QtWidgets.QWidget()
    inside = QtWidgets.QVBoxLayout(page)
    inside.addWidget(QtWidgets.QLabel(f"on page {number}"))
    inside.addWidget(QtWidgets.QPushButton(f"button {number}"))
    tabs.addTab(page, f"tab {number}")
box = QtWidgets.QGroupBox("a box")
QtWidgets.QVBoxLayout(box).addWidget(QtWidgets.QPushButton("in the box"))
area = QtWidgets.QScrollArea()
area.setWidgetResizable(True)
inner = QtWidgets.QWidget()
rows = QtWidgets.QVBoxLayout(inner)
for number in range(30):
    rows.addWidget(QtWidgets.QPushButton(f"row {number}"))
area.setWidget(inner)
for widget in (label, entry, button, check, slider, bar, combo, tabs, box, area):
    column.addWidget(widget)
window.show()


def grow():
    rows.insertWidget(0, QtWidgets.QPushButton("a new row"))


def shrink():
    gone = rows.itemAt(0).widget()
    rows.removeWidget(gone)
    gone.deleteLater()


DO = {
    "label": lambda: label.setText("another label, which is longer"),
    "entry": lambda: entry.setText("another text"),
    "button": lambda: button.setText("another button"),
    "describe": lambda: button.setAccessibleDescription("what it is for"),
    "disable": lambda: button.setEnabled(False),
    "disable all": lambda: box.setEnabled(False),
    "lock": lambda: entry.setReadOnly(True),
    "check": lambda: check.setChecked(True),
    "slide": lambda: slider.setValue(42),
    "progress": lambda: bar.setValue(70),
    "choose": lambda: combo.setCurrentIndex(1),
    "turn": lambda: tabs.setCurrentIndex(1),
    "hide": lambda: box.setVisible(False),
    "show": lambda: box.setVisible(True),
    "add": grow,
    "remove": shrink,
    "scroll": lambda: area.verticalScrollBar().setValue(300),
    "focus": lambda: check.setFocus(),
    "rename": lambda: window.setWindowTitle("another scene"),
}


def told():
    for word in os.read(fifo, 1000).decode().splitlines():
        DO[word]()
        # Once what that made is done, and what follows from it.
        QtCore.QTimer.singleShot(60, lambda word=word: os.write(answers, f"{word}\n".encode()))


notifier = QtCore.QSocketNotifier(fifo, QtCore.QSocketNotifier.Type.Read)
notifier.activated.connect(told)
(getattr(app, "exec", None) or app.exec_)()
