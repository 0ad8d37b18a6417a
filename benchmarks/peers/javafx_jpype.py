"""A walk over the nodes of a JavaFX program through JPype, which has to start the program itself.

Run with the class path, the folder of JavaFX's jars, and the arguments of the program. Each line on standard
input, from when the window shows, is answered by a line: the tree as JSON.
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


class Kinds:
    """The classes that the walk asks about; they want JavaFX to be running before they are loaded."""

    def __init__(self):
        self.window = jpype.JClass("javafx.stage.Window")
        self.parent = jpype.JClass("javafx.scene.Parent")
        self.control = jpype.JClass("javafx.scene.control.Control")
        self.labeled = jpype.JClass("javafx.scene.control.Labeled")
        self.field = jpype.JClass("javafx.scene.control.TextInputControl")
        self.check_box = jpype.JClass("javafx.scene.control.CheckBox")
        self.slider = jpype.JClass("javafx.scene.control.Slider")


def node_of(node, kinds):
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
    if isinstance(node, kinds.labeled):
        told["text"] = str(node.getText())
    if isinstance(node, kinds.field):
        told["text"], told["prompt"] = str(node.getText()), str(node.getPromptText())
    if isinstance(node, kinds.check_box):
        told["checked"] = bool(node.isSelected())
    if isinstance(node, kinds.slider):
        told["value"] = float(node.getValue())
    # What is inside a control is left out, as we leave it out.
    inner = isinstance(node, kinds.parent) and not isinstance(node, kinds.control)
    told["children"] = [node_of(child, kinds) for child in node.getChildrenUnmodifiable()] if inner else []
    return told


class Walk:
    """Runs on the JavaFX thread."""

    def __init__(self, kinds):
        self.kinds = kinds
        self.done = threading.Event()
        self.found = []

    def run(self):
        try:
            windows = self.kinds.window.getWindows()
            self.found = [node_of(window.getScene().getRoot(), self.kinds) for window in windows]
        finally:
            self.done.set()


def walk(kinds):
    one = Walk(kinds)
    jpype.JClass("javafx.application.Platform").runLater(jpype.JProxy("java.lang.Runnable", inst=one))
    one.done.wait()
    return one.found


def main():
    program = jpype.JClass("Nodes").class_
    jpype.JClass("javafx.application.Application").launch(program, jpype.JArray(jpype.JString)(arguments))


threading.Thread(target=main, daemon=True).start()
kinds = None
for _ in sys.stdin:
    kinds = kinds or Kinds()
    print(json.dumps(walk(kinds)), flush=True)
