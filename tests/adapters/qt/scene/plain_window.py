"""A window without widgets that draws itself. Knows nothing of deskhand."""

import importlib
import os

QtGui = importlib.import_module(f"{os.environ['SCENE_BINDING']}.QtGui")


def start():
    window = QtGui.QWindow()
    window.setTitle("Plain")
    window.setObjectName("plain")
    window.resize(200, 100)
    window.show()
    return window
