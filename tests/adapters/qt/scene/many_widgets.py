"""More widgets than are looked into one by one in each read. Knows nothing of deskhand."""

import importlib
import os

BINDING = os.environ["SCENE_BINDING"]
QtCore = importlib.import_module(f"{BINDING}.QtCore")
QtWidgets = importlib.import_module(f"{BINDING}.QtWidgets")
Qt = QtCore.Qt


class Form(QtWidgets.QWidget):
    def __init__(self):
        super().__init__()
        self.setWindowTitle("Many")
        self.labels = [QtWidgets.QLabel(f"label {number}", self) for number in range(2_500)]
        for number, label in enumerate(self.labels):
            label.setObjectName(f"label_{number}")
            label.setGeometry(number % 50 * 20, number // 50 * 10, 20, 10)


def start():
    form = Form()
    form.show()
    return form
