"""A program with the automation server of OrcaSlicer, for tests: what the published one does, oddities too.

It takes one request a connection and one at a time, always answers 200, gives an id only to widgets that the
program named, and puts only a code and a sentence into an error. It complains of parameters that no published
server knows.
"""

from __future__ import annotations

import base64
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

TARGET = frozenset(("id", "path", "name", "class", "label", "value", "backend"))
KEYS: dict[str, frozenset[str]] = {
    "automation.version": frozenset(),
    "tree.dump": frozenset(("root", "max_depth", "visible_only", "include_imgui")),
    "tree.find": TARGET,
    "widget.get": frozenset(("target",)),
    "input.click": frozenset(("target", "button", "double", "modifiers")),
    "input.type": frozenset(("text", "target")),
    "input.key": frozenset(("keys",)),
    "sync.wait_for": frozenset(("target", "state", "value", "timeout_ms", "poll_ms")),
    "app.state": frozenset(),
    "screenshot.window": frozenset(("target",)),
    "file.open": frozenset(("paths",)),
    "view.select": frozenset(("view",)),
}
CAPABILITIES = [
    "tree.dump", "tree.find", "widget.get", "input.click", "input.type", "input.key", "sync.wait_for",
    "app.state", "screenshot.window",
]  # fmt: skip
NAMED = frozenset((
    "enter", "return", "tab", "esc", "escape", "space", "delete", "backspace",
    *(f"f{number}" for number in range(1, 13)),
))  # fmt: skip
PNG = base64.b64decode(
    b"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGD4DwABBAEAX+XDSwAAAABJRU5ErkJggg=="
)


class Refused(Exception):
    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(eq=False)
class Widget:
    kind: str
    label: str = ""
    id: str = ""
    value: str | None = None
    at: tuple[int, int, int, int] = (0, 0, 80, 20)
    children: list[Widget] = field(default_factory=list)
    enabled: bool = True
    visible: bool = True
    imgui: str | None = None
    """The ImGui window that it is in."""
    clicked: Callable[[Widget], None] | None = None


class Orca:
    """The program: what it shows, what was done to it, and its server's methods."""

    def __init__(self, root: Widget, imgui: list[Widget] | None = None) -> None:
        self.root = root
        self.imgui = imgui or []
        self.state: dict[str, Any] = {
            "active_tab": root.label, "project_loaded": False, "slicing": False, "slice_progress": -1,
            "foreground": True,
        }  # fmt: skip
        self.focus: Widget | None = None
        self.selected = False
        self.done: list[tuple[str, Any]] = []
        self.complaints: list[str] = []
        self.asked = 0
        self.more = ("file.open", "view.select")
        self.fail: Refused | None = None
        self.before: Callable[[str], None] = lambda method: None
        """Called before each method, as the program goes on meanwhile."""

    # -- the tree --------------------------------------------------------------------------------------

    def nodes(self) -> list[tuple[Widget, dict[str, Any]]]:
        """Every widget with its node, parents first."""
        found: list[tuple[Widget, dict[str, Any]]] = []
        self._dump(self.root, self.root.kind, True, True, found)
        for item in self.imgui:
            path = f"ImGui/{item.imgui}/{item.label}"
            found.append((item, self._node(item, path, path, True, True)))
        return found

    def _dump(
        self, widget: Widget, path: str, enabled: bool, visible: bool, found: list[Any]
    ) -> dict[str, Any]:
        enabled, visible = enabled and widget.enabled, visible and widget.visible
        node = self._node(widget, path, widget.id, enabled, visible)
        found.append((widget, node))
        node["children"] = [
            self._dump(child, f"{path}/{child.kind}[{index}]", enabled, visible, found)
            for index, child in enumerate(widget.children)
        ]
        return node

    def _node(self, widget: Widget, path: str, id: str, enabled: bool, visible: bool) -> dict[str, Any]:
        node = {
            "backend": "wx" if widget.imgui is None else "imgui", "id": id, "path": path,
            "class": widget.kind, "label": widget.label,
            "rect": dict(zip("xywh", widget.at, strict=True)), "enabled": enabled, "visible": visible,
        }  # fmt: skip
        return node if widget.value is None else {**node, "value": widget.value}

    def find(self, target: Any) -> list[tuple[Widget, dict[str, Any]]]:
        if not isinstance(target, dict):
            return []
        every = self.nodes()
        for only in ("id", "path"):
            if isinstance(target.get(only), str):
                return [pair for pair in every if pair[1][only] == target[only]]
        wanted = {name: target[name] for name in ("class", "label", "value", "backend") if name in target}
        if not wanted.keys() - {"backend"} and "name" not in target:
            return []
        return [
            pair
            for pair in every
            if all(pair[1].get(name) == part for name, part in wanted.items())
            and ("name" not in target or target["name"] in (pair[1]["id"], pair[1]["label"]))
        ]

    def one(self, target: Any) -> tuple[Widget, dict[str, Any]]:
        found = self.find(target)
        if len(found) != 1:
            raise Refused(1001, "target not found" if not found else "target is ambiguous")
        return found[0]

    # -- the methods -----------------------------------------------------------------------------------

    def call(self, method: str, params: dict[str, Any]) -> Any:
        self.asked += 1
        self.before(method)
        if self.fail is not None:
            raise self.fail
        if method not in KEYS or (method in ("file.open", "view.select") and method not in self.more):
            raise Refused(-32601, f"method not found: {method}")
        if unknown := params.keys() - KEYS[method]:
            self.complaints.append(f"{method}: {sorted(unknown)}")
        if isinstance(target := params.get("target"), dict) and (unknown := target.keys() - TARGET):
            self.complaints.append(f"target of {method}: {sorted(unknown)}")
        name = "_" + method.replace(".", "_")
        return getattr(self, name)(params)

    def _automation_version(self, _: dict[str, Any]) -> Any:
        return {"version": "1.0.0", "protocol": "2.0", "capabilities": CAPABILITIES}

    def _tree_dump(self, params: dict[str, Any]) -> Any:
        named = [widget for widget, _ in self.nodes() if widget.id and widget.id == params.get("root")]
        top = named[0] if named else self.root
        root = self._dump(top, top.kind, True, True, [])
        root["children"] += [node for widget, node in self.nodes() if widget.imgui is not None]
        return root

    def _tree_find(self, params: dict[str, Any]) -> Any:
        return [
            {name: part for name, part in node.items() if name != "children"} for _, node in self.find(params)
        ]

    def _widget_get(self, params: dict[str, Any]) -> Any:
        if "target" not in params:
            raise Refused(-32602, "missing target")
        return self.one(params["target"])[1]

    def _input_click(self, params: dict[str, Any]) -> Any:
        if "target" not in params:
            raise Refused(-32602, "missing target")
        widget, node = self.one(params["target"])
        if not node["enabled"] or not node["visible"]:
            raise Refused(1002, "target is disabled or hidden")
        rest = {name: part for name, part in params.items() if name != "target"}
        self.done.append(("click", (widget.id or node["path"], rest)))
        self.focus, self.selected = widget, False
        if params.get("button", "left") == "left" and widget.clicked is not None:
            widget.clicked(widget)
        return {"ok": True}

    def _input_type(self, params: dict[str, Any]) -> Any:
        if not isinstance(params.get("text"), str):
            raise Refused(-32602, "missing text")
        if "target" in params:
            self._input_click({"target": params["target"]})
            self.done.pop()
        self.done.append(("type", params["text"]))
        if self.focus is not None and self.focus.value is not None:
            self.focus.value = ("" if self.selected else self.focus.value) + params["text"]
        self.selected = False
        return {"ok": True}

    def _input_key(self, params: dict[str, Any]) -> Any:
        keys = params.get("keys")
        tokens = keys.split("+") if isinstance(keys, str) else keys
        if not isinstance(tokens, list) or not [token for token in tokens if token]:
            raise Refused(-32602, "missing keys")
        if len(tokens[-1]) != 1 and tokens[-1] not in NAMED:
            return {"ok": True}
        self.done.append(("key", "+".join(tokens)))
        if tokens == ["ctrl", "a"]:
            self.selected = True
        elif tokens == ["delete"] and self.selected and self.focus is not None:
            self.focus.value, self.selected = "", False
        return {"ok": True}

    def _sync_wait_for(self, params: dict[str, Any]) -> Any:
        began = time.monotonic()
        timeout = params.get("timeout_ms", 5000) / 1000
        while True:
            found = self.find(params["target"])
            node = found[0][1] if len(found) == 1 else None
            holds = node is not None and {
                "exists": True,
                "visible": node["visible"],
                "enabled": node["enabled"] and node["visible"],
                "value": "value" in node and node["value"] == params.get("value"),
            }.get(params["state"], False)
            elapsed = time.monotonic() - began
            if holds:
                return {"ok": True, "elapsed_ms": int(elapsed * 1000)}
            if elapsed >= timeout:
                raise Refused(1003, "timed out")
            time.sleep(params.get("poll_ms", 100) / 1000)

    def _app_state(self, _: dict[str, Any]) -> Any:
        return self.state

    def _screenshot_window(self, params: dict[str, Any]) -> Any:
        if "target" in params and self.one(params["target"])[0].imgui is not None:
            raise Refused(1005, "screenshot failed")
        self.done.append(("screenshot", params.get("target")))
        return {"png_base64": base64.b64encode(PNG).decode(), "width": 1, "height": 1}

    def _file_open(self, params: dict[str, Any]) -> Any:
        if params["paths"] == ["/broken.stl"]:
            raise Refused(1007, "load failed")
        self.state["project_loaded"] = True
        return {"ok": True, "loaded": len(params["paths"])}

    def _view_select(self, params: dict[str, Any]) -> Any:
        if params["view"] not in ("prepare", "preview"):
            raise Refused(1001, f"unknown view: {params['view']}")
        return {"ok": True, "view": params["view"], "index": 1}


@contextmanager
def served(orca: Orca) -> Iterator[int]:
    """The port of its server."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        server_version, sys_version = "OrcaSlicer/automation", ""

        def do_GET(self) -> None:
            if self.path == "/":
                self._answer(200, "text/plain", b"OrcaSlicer automation server v1.0.0")
            else:
                self._answer(404, "text/plain", b"not found")

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
            if self.path != "/jsonrpc":
                self._answer(404, "text/plain", b"not found")
                return
            request = json.loads(body)
            answer: dict[str, Any] = {"jsonrpc": "2.0", "id": request.get("id")}
            try:
                answer["result"] = orca.call(request["method"], request.get("params", {}))
            except Refused as error:
                answer["error"] = {"code": error.code, "message": str(error)}
            self._answer(200, "application/json", json.dumps(answer).encode())

        def _answer(self, status: int, kind: str, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


def slicer() -> Orca:
    """OrcaSlicer in small: some widgets with ids, most without, and a gizmo of ImGui."""
    export = Widget("Panel", "Export", "btn_export", enabled=False, at=(500, 10, 80, 20))

    def slice_plate(_: Widget) -> None:
        threading.Timer(0.1, lambda: setattr(export, "enabled", True)).start()

    def toggle(widget: Widget) -> None:
        widget.value = "false" if widget.value == "true" else "true"

    return Orca(
        Widget("MainFrame", "Untitled - OrcaSlicer", at=(0, 0, 800, 600), children=[
            Widget("Panel", children=[
                Widget("StaticText", "Printer"),
                Widget("ComboBox", "Voron", "combo_printer", value="Voron"),
                Widget("TextCtrl", value="Ada", at=(10, 40, 80, 20)),
                Widget("Button", "Add", at=(10, 70, 80, 20)),
                Widget("Button", "Add", at=(10, 100, 80, 20)),
                Widget("CheckBox", "Brim", value="false", clicked=toggle),
                Widget("Panel", "Slice plate", "btn_slice", clicked=slice_plate),
                export,
            ]),
            Widget("Notebook", visible=False, children=[Widget("Button", "Inner")]),
            Widget("GLCanvas", id="canvas_3d"),
            Widget("Panel", children=[
                Widget("Dialog", "Preferences", at=(50, 50, 300, 200), children=[Widget("Button", "OK")]),
            ]),
        ]),
        [
            Widget("slider", "X##move", value="1.5", imgui="Move"),
            Widget("button", "Reset", imgui="Move"),
            Widget("button", "Twin", imgui="Move"),
            Widget("checkbox", "Twin", value="true", imgui="Move"),
            Widget("button", "Same", imgui="Scale"),
            Widget("button", "Same", imgui="Scale"),
        ],
    )  # fmt: skip
