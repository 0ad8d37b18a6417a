"""The greeter form in Qt, which knows nothing of deskhand. It prints what is done to it."""

import importlib
import os
import signal
import sys

binding = sys.argv[1] if len(sys.argv) > 1 else "PySide6"
QtCore = importlib.import_module(f"{binding}.QtCore")
QtWidgets = importlib.import_module(f"{binding}.QtWidgets")

app = QtWidgets.QApplication(sys.argv[:1])
window = QtWidgets.QWidget()
window.setWindowTitle("Greeter")
form = QtWidgets.QFormLayout(window)
name = QtWidgets.QLineEdit()
form.addRow("Name", name)
greeting = QtWidgets.QLabel()
greeting.setObjectName("greeting")


def button(text, pressed):
    new = QtWidgets.QPushButton(text)
    new.clicked.connect(pressed)
    form.addRow(new)


def greet():
    greeting.setText(f"Hello, {name.text()}!")
    print(greeting.text(), flush=True)


def crash():
    print("something terrible happened", file=sys.stderr, flush=True)
    os._exit(3)


button("Greet", greet)
button("Quit", lambda: app.exit(5))
button("Crash", lambda: QtCore.QTimer.singleShot(100, crash))
button("Abort", lambda: QtCore.QTimer.singleShot(100, lambda: os.kill(os.getpid(), signal.SIGKILL)))
form.addRow(greeting)
window.show()
sys.exit(app.exec())
