"""Asks for files with the dialogs of Qt, and prints what was chosen."""

import sys

from PySide6 import QtWidgets

app = QtWidgets.QApplication(sys.argv[:1])
window = QtWidgets.QWidget()
window.setWindowTitle("Files")
column = QtWidgets.QVBoxLayout(window)


def add(text, ask):
    button = QtWidgets.QPushButton(text)
    column.addWidget(button)
    button.clicked.connect(lambda: print("chosen", ask(), flush=True))


add("Open", lambda: QtWidgets.QFileDialog.getOpenFileName(window)[0])
add("Save", lambda: QtWidgets.QFileDialog.getSaveFileName(window)[0])
add("Folder", lambda: QtWidgets.QFileDialog.getExistingDirectory(window))
window.show()
sys.exit(app.exec())
