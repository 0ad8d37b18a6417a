"""A walk over the nodes of a JavaFX program through JPype, which has to start the program itself.

Run with the class path, the folder of JavaFX's jars, and the arguments of the program. Each line on standard
input, from when the window shows, is answered by a line: `walk` by the tree as JSON, with what our agent
reads of each node, and `serve` by the URL of an MCP server, made with the official SDK, that walks whenever
its one tool is called and answers as our compact snapshot does.
"""

import asyncio
import itertools
import json
import socket
import sys
import threading

import jpype
import uvicorn
from mcp.server.lowlevel import Server
from mcp_types import CallToolResult, ListToolsResult, TextContent, Tool

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


def compact(node, path):
    """What our compact snapshot includes for a node; a box without a text is replaced by what is in it."""
    told = {"ref": {"path": path, "uid": node["uid"]}, "type": simple(node)}
    if node["id"] is not None:
        told["id"] = node["id"]
    told["styleClass"] = node["styleClass"]
    told |= {"visible": node["visible"], "managed": True, "disabled": node["disabled"]}
    if "prompt" in node:
        told["text"], told["value"] = {"prompt": node["prompt"]}, {"text": node["text"]}
    elif node.get("text"):
        told["text"] = {"label": node["text"]}
    if "checked" in node:
        told["value"] = {"selected": node["checked"], "checked": node["checked"]}
    elif "value" in node:
        told["value"] = {"text": str(node["value"])}
    told["children"] = []
    counts = {}
    for child in node["children"]:
        kind = simple(child)
        number = counts[kind] = counts.get(kind, -1) + 1
        inner = compact(child, f"{path}/{kind}[{number}]")
        told["children"] += inner["children"] if child["children"] and not child.get("text") else [inner]
    return told


def simple(node):
    return node["type"].rpartition(".")[2]


def serve():
    """The URL of an MCP server with one tool."""

    async def list_tools(_, __):
        schema = {"type": "object"}
        tool = Tool(name="ui_get_snapshot", inputSchema=schema, outputSchema=schema)
        return ListToolsResult(tools=[tool])

    async def call_tool(_, __):
        found = await asyncio.to_thread(walk, Kinds())
        stages = [
            {"scene": {"root": compact(root, f"/stages[{at}]/scene/root")}} for at, root in enumerate(found)
        ]
        return CallToolResult(
            content=[TextContent(text="see the structured content")],
            structured_content={"output": {"stages": stages}},
        )

    server = Server("jpype", on_list_tools=list_tools, on_call_tool=call_tool)
    app = server.streamable_http_app(json_response=True, stateless_http=True)
    listening = socket.create_server(("127.0.0.1", 0))
    web = uvicorn.Server(uvicorn.Config(app, log_level="error"))
    threading.Thread(target=web.run, args=([listening],), daemon=True).start()
    return f"http://127.0.0.1:{listening.getsockname()[1]}/mcp"


threading.Thread(target=main, daemon=True).start()
kinds = None
for question in sys.stdin:
    if question == "serve\n":
        print(serve(), flush=True)
        continue
    kinds = kinds or Kinds()
    print(json.dumps(walk(kinds)), flush=True)
