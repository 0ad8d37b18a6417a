"""A program that has widgets and shows none. Knows nothing of deskhand."""

import importlib
import os

QtWidgets = importlib.import_module(f"{os.environ['SCENE_BINDING']}.QtWidgets")


def start():
    hidden = QtWidgets.QMainWindow()
    hidden.setObjectName("later")
    return hidden
