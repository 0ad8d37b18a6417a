"""A walk over the nodes of a JavaFX program through JPype, which has to start the program itself.

Run with the class path, the folder of JavaFX's jars, and the arguments of the program. Each line on standard
input, from when the window shows, is answered by a line: the tree as JSON, with what our agent reads of each
node.
"""

import itertools
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
numbers = itertools.count()


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
    properties = node.getProperties()
    if not properties.containsKey("peer.uid"):
        properties.put("peer.uid", f"u-{next(numbers)}")
    told = {
        "uid": str(properties.get("peer.uid")),
        "type": str(node.getClass().getName()),
        "module": str(node.getClass().getModule().getName()),
        "role": str(node.getAccessibleRole()),
        "id": None if node.getId() is None else str(node.getId()),
        "styleClass": [str(name) for name in node.getStyleClass()],
        "accessibleText": None if node.getAccessibleText() is None else str(node.getAccessibleText()),
        "help": None if node.getAccessibleHelp() is None else str(node.getAccessibleHelp()),
        "focusable": bool(node.isFocusTraversable()),
        "focused": bool(node.isFocused()),
        "hover": bool(node.isHover()),
        "pressed": bool(node.isPressed()),
        "visible": bool(node.isVisible()),
        "disabled": bool(node.isDisabled()),
        "bounds": box(node.localToScreen(node.getBoundsInLocal())),
    }
    if isinstance(node, kinds.labeled):
        told["text"] = str(node.getText())
    if isinstance(node, kinds.field):
        told["text"], told["prompt"] = str(node.getText()), str(node.getPromptText())
        told["editable"] = bool(node.isEditable())
    if isinstance(node, kinds.check_box):
        told["checked"], told["mixed"] = bool(node.isSelected()), bool(node.isIndeterminate())
    if isinstance(node, kinds.slider):
        told["value"], told["from"], told["to"] = node.getValue(), node.getMin(), node.getMax()
    if isinstance(node, kinds.control):
        told["tooltip"] = None if node.getTooltip() is None else str(node.getTooltip().getText())
    # What is inside a control is left out, as we leave it out.
    inner = isinstance(node, kinds.parent) and not isinstance(node, kinds.control)
    told["children"] = [node_of(child, kinds) for child in node.getChildrenUnmodifiable()] if inner else []
    return told


def box(bounds):
    if bounds is None:
        return None
    return [float(part()) for part in (bounds.getMinX, bounds.getMinY, bounds.getWidth, bounds.getHeight)]


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
