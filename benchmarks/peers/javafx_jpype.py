"""A walk over the nodes of a JavaFX program through JPype, which has to start the program itself.

Run with the class path, the folder of JavaFX's jars, and the arguments of the program. Each line on standard
input is answered by a line: the tree as JSON.
"""

import json
import sys
import threading

import jpype

classes, jars, *arguments = sys.argv[1:]
jpype.startJVM(
    f"--module-path={jars}",
    "--add-modules=javafx.controls",
    "-Dprism.order=sw",
    classpath=[classes],
    convertStrings=False,
)
Platform = jpype.JClass("javafx.application.Platform")
Window = jpype.JClass("javafx.stage.Window")
Parent = jpype.JClass("javafx.scene.Parent")
Control = jpype.JClass("javafx.scene.control.Control")
Labeled = jpype.JClass("javafx.scene.control.Labeled")
Field = jpype.JClass("javafx.scene.control.TextInputControl")
CheckBox = jpype.JClass("javafx.scene.control.CheckBox")
Slider = jpype.JClass("javafx.scene.control.Slider")


def node_of(node):
    bounds = node.localToScreen(node.getBoundsInLocal())
    told = {
        "type": str(node.getClass().getName()),
        "id": None if node.getId() is None else str(node.getId()),
        "styleClass": [str(name) for name in node.getStyleClass()],
        "visible": bool(node.isVisible()),
        "managed": bool(node.isManaged()),
        "disabled": bool(node.isDisabled()),
        "focused": bool(node.isFocused()),
        "bounds": None
        if bounds is None
        else [bounds.getMinX(), bounds.getMinY(), bounds.getWidth(), bounds.getHeight()],
    }
    if isinstance(node, Labeled):
        told["text"] = str(node.getText())
    if isinstance(node, Field):
        told["text"], told["prompt"] = str(node.getText()), str(node.getPromptText())
    if isinstance(node, CheckBox):
        told["checked"] = bool(node.isSelected())
    if isinstance(node, Slider):
        told["value"] = float(node.getValue())
    # What is inside a control is left out, as we leave it out.
    inner = isinstance(node, Parent) and not isinstance(node, Control)
    told["children"] = [node_of(child) for child in node.getChildrenUnmodifiable()] if inner else []
    return told


class Walk:
    """Runs on the JavaFX thread."""

    def __init__(self):
        self.done = threading.Event()
        self.found = []

    def run(self):
        try:
            self.found = [node_of(window.getScene().getRoot()) for window in Window.getWindows()]
        finally:
            self.done.set()


def walk():
    one = Walk()
    Platform.runLater(jpype.JProxy("java.lang.Runnable", inst=one))
    one.done.wait()
    return one.found


main = jpype.JClass("Nodes").main
threading.Thread(target=main, args=(jpype.JArray(jpype.JString)(arguments),), daemon=True).start()
for _ in sys.stdin:
    print(json.dumps(walk()), flush=True)
Platform.exit()
