"""A Qt program that speaks Orca on request, with buttons that open a dialog or do worse."""

import sys
import time

from PySide6 import QtCore, QtWidgets

import deskhand

app = QtWidgets.QApplication([])
window = QtWidgets.QWidget()
column = QtWidgets.QVBoxLayout(window)
report = QtWidgets.QLineEdit("ready")
report.setObjectName("report")
column.addWidget(report)


def button(name, action):
    made = QtWidgets.QPushButton(name)
    made.setObjectName(name)
    made.clicked.connect(action)
    column.addWidget(made)


def ask():
    box = QtWidgets.QMessageBox(window)
    box.setWindowTitle("Sure?")
    box.setText("Really?")
    yes = box.addButton("Yes", QtWidgets.QMessageBox.YesRole)
    yes.setObjectName("yes")
    box.exec()
    report.setText("answered")


def block():
    time.sleep(7)
    report.setText("unblocked")


button("ask", ask)
button("block", lambda: QtCore.QTimer.singleShot(0, block))
button("count", lambda: report.setText("counted"))
button("leave", lambda: QtCore.QTimer.singleShot(400, lambda: app.exit(3)))
window.setWindowTitle("Orca")
window.show()
if "--orca" in sys.argv:
    print(deskhand.enable(orca=0).endpoints[0], flush=True)
sys.exit(app.exec())
