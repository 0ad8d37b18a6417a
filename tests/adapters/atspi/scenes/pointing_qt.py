"""A window of Qt widgets that are hard to hit: `pointing_qt.py BINDING STATE`; STATE says what happened."""

import importlib
import json
import sys
from pathlib import Path

QtCore = importlib.import_module(f"{sys.argv[1]}.QtCore")
QtWidgets = importlib.import_module(f"{sys.argv[1]}.QtWidgets")
app = QtWidgets.QApplication(sys.argv[:1])
window = QtWidgets.QDialog()
window.setWindowTitle("pointing")
window.resize(420, 400)
column = QtWidgets.QVBoxLayout(window)
counts = dict.fromkeys(("save", "hidden", "wide", "far", "inside", "group"), 0)


def write(*_):
    state = {
        **counts,
        "values": [one.value() for one in values] + [combo.currentIndex() for combo in combos],
        "scrolled": [area.verticalScrollBar().value(), nested.verticalScrollBar().value()],
        "aside": area.horizontalScrollBar().value(),
        "name": name.text(),
    }
    new = Path(f"{sys.argv[2]}.new")
    new.write_text(json.dumps(state))
    new.replace(sys.argv[2])


def count(what):
    counts[what] += 1
    write()


def button(text, what, box):
    made = QtWidgets.QPushButton(text)
    made.clicked.connect(lambda: count(what))
    box.addWidget(made)
    return made


values, combos = [], []
name = QtWidgets.QLineEdit()
completer = QtWidgets.QCompleter(["existing", "existing too"])
name.setCompleter(completer)
name.setAccessibleName("Name")
column.addWidget(name)
save = button("Save", "save", column)
row = QtWidgets.QHBoxLayout()
column.addLayout(row)
menu = QtWidgets.QMenu()
menu.addAction("An entry")
opener = QtWidgets.QPushButton("Menu")
opener.setMenu(menu)
opener.setAutoDefault(False)
row.addWidget(opener)
hidden = button("Hidden", "hidden", row)
cover = QtWidgets.QCheckBox("Cover")
row.addWidget(cover)
overlay = QtWidgets.QFrame(window)
overlay.setObjectName("overlay")
overlay.setAccessibleName("An overlay")
overlay.setAutoFillBackground(True)
overlay.hide()


def toggle(on):
    overlay.setGeometry(hidden.geometry().adjusted(-4, -4, 4, 4))
    overlay.setVisible(bool(on))
    overlay.raise_()


cover.toggled.connect(toggle)
area = QtWidgets.QScrollArea()
area.setWidgetResizable(True)
inner = QtWidgets.QWidget()
rows = QtWidgets.QVBoxLayout(inner)
rows.setContentsMargins(0, 0, 0, 0)
rows.setSpacing(0)
button("Wide", "wide", rows).setMinimumWidth(1500)
for _ in range(10):
    spin = QtWidgets.QSpinBox()
    spin.setRange(-50, 50)
    slider = QtWidgets.QSlider(QtCore.Qt.Orientation.Horizontal)
    slider.setRange(-50, 50)
    for one in (spin, slider):
        values.append(one)
        one.valueChanged.connect(write)
        rows.addWidget(one)
    combo = QtWidgets.QComboBox()
    combo.addItems([str(choice) for choice in range(9)])
    combo.setCurrentIndex(4)
    combo.currentIndexChanged.connect(write)
    combos.append(combo)
    rows.addWidget(combo)
group = QtWidgets.QGroupBox("A group")
group.setCheckable(True)
group.toggled.connect(lambda _: count("group"))
QtWidgets.QVBoxLayout(group).addWidget(QtWidgets.QLabel("in the group"))
nested = QtWidgets.QScrollArea()
nested.setFixedHeight(90)
deep = QtWidgets.QWidget()
deep.setFixedSize(300, 600)
inside = QtWidgets.QPushButton("Inside", deep)
inside.move(20, 500)
inside.clicked.connect(lambda: count("inside"))
nested.setWidget(deep)
rows.addWidget(nested)
rows.addWidget(group)
button("Far away", "far", rows)
area.setWidget(inner)
column.addWidget(area)
for bar in (area.verticalScrollBar(), area.horizontalScrollBar(), nested.verticalScrollBar()):
    bar.valueChanged.connect(write)
for one in window.findChildren(QtWidgets.QPushButton):
    one.setAutoDefault(False)
name.textChanged.connect(write)
window.show()
write()
(getattr(app, "exec", None) or app.exec_)()
