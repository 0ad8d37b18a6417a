"""A window of QML, in a program that imports nothing of Qt Quick itself. Knows nothing of deskhand."""

import importlib
import os

BINDING = os.environ["SCENE_BINDING"]
QtCore = importlib.import_module(f"{BINDING}.QtCore")
QtQml = importlib.import_module(f"{BINDING}.QtQml")

QML = b"""
import QtQuick
import QtQuick.Window
Window {
    visible: true
    width: 200
    height: 100
    title: "Quick"
    Text { objectName: "label"; text: "before" }
}
"""


def start():
    engine = QtQml.QQmlApplicationEngine()
    engine.loadData(QML)
    return engine
