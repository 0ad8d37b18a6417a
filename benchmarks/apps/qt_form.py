"""A Qt form of so many widgets: `qt_form.py COUNT FIFO [PRESSED]`, all rows side by side.

Writing to the FIFO changes one label; pressing "Press me" writes to the other. With SECTIONS=1 in the
environment, 20 rows each are in a box of their own.
"""

import os
import sys

from PySide6 import QtCore, QtWidgets

count = int(sys.argv[1])
fifo = os.open(sys.argv[2], os.O_RDWR | os.O_NONBLOCK)
app = QtWidgets.QApplication(sys.argv)
window = QtWidgets.QScrollArea(windowTitle="Qt form", widgetResizable=True)
window.resize(600, 700)
inner = QtWidgets.QWidget()
column = QtWidgets.QVBoxLayout(inner)
changing = QtWidgets.QLabel("before")
column.addWidget(changing)
button = QtWidgets.QPushButton("Press me")
column.addWidget(button)
if len(sys.argv) > 3:
    pressed = os.open(sys.argv[3], os.O_RDWR)
    button.clicked.connect(lambda: os.write(pressed, b"."))
section = column
for number in range(count // 5):
    if os.environ.get("SECTIONS") and number % 20 == 0:
        box = QtWidgets.QGroupBox(f"Section {number // 20}")
        section = QtWidgets.QVBoxLayout(box)
        column.addWidget(box)
    row = QtWidgets.QFrame()
    line = QtWidgets.QHBoxLayout(row)
    for widget in (
        QtWidgets.QLabel(f"Field {number}"),
        QtWidgets.QLineEdit(f"text {number}"),
        QtWidgets.QCheckBox(f"Check {number}"),
        QtWidgets.QPushButton(f"Button {number}"),
    ):
        line.addWidget(widget)
    section.addWidget(row)
window.setWidget(inner)
window.show()
done = 0


def change():
    global done
    os.read(fifo, 100)
    done += 1
    changing.setText(f"after {done}")


notifier = QtCore.QSocketNotifier(fifo, QtCore.QSocketNotifier.Type.Read)
notifier.activated.connect(change)
app.exec()
