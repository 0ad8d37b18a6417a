"""An agent of another make, for tests: what published ones do, on a desktop that is made up.

It answers HTTP/1.0, one request at a time, and closes after each. It takes an unknown mode for `full`, finds
labels by a part of them, and complains of what no published agent would understand.
"""

from __future__ import annotations

import base64
import json
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

QUERY = frozenset(("role", "label", "window", "id", "index"))
KEYS = {
    "/windows": frozenset[str](),
    "/snapshot": frozenset(("mode", "window", "role", "label", "depth")),
    "/inspect": QUERY,
    "/press": QUERY,
    "/focus": QUERY,
    "/show-menu": QUERY,
    "/set-value": QUERY | {"value"},
    "/window-focus": frozenset(("window",)),
    "/window-close": frozenset(("window",)),
    "/window-minimize": frozenset(("window",)),
    "/window-resize": frozenset(("window", "width", "height")),
    "/window-move": frozenset(("window", "x", "y")),
    "/exec": frozenset(("command", "timeout", "detach")),
    "/shutdown": frozenset(),
    "/upload": frozenset(("path", "content")),
    "/download": frozenset(("path",)),
}


@dataclass
class Element:
    role: str
    label: str | None = None
    id: str | None = None
    value: str | None = None
    at: tuple[int, int, int, int] | None = (0, 0, 80, 20)
    actions: tuple[str, ...] = ()
    children: list[Element] = field(default_factory=list)
    enabled: bool = True
    focused: bool = False
    showing: bool | None = None
    platform_role: str | None = None

    def walk(self) -> Iterator[Element]:
        yield self
        for child in self.children:
            yield from child.walk()


@dataclass
class Window:
    title: str | None
    app: str
    elements: list[Element]
    kind: str = "standard"
    at: tuple[int, int, int, int] = (100, 100, 640, 480)
    focused: bool = False


class Refusal(Exception):
    def __init__(self, error: str, details: str | None = None, status: int = 400) -> None:
        self.status = status
        self.body = {"error": error} if details is None else {"error": error, "details": details}


class ForeignAgent:
    """The desktop, and what is asked of it. The options are ways in which published agents differ."""

    def __init__(
        self,
        windows: list[Window],
        *,
        nulls: bool = False,
        first_index: int = 0,
        errors_with_200: bool = False,
        old_files: bool = False,
        health: tuple[int, bytes] = (200, b'{"accessible": true, "platform": "linux"}'),
    ) -> None:
        self.windows = windows
        self.nulls = nulls
        self.first_index = first_index
        self.errors_with_200 = errors_with_200
        self.old_files = old_files
        self.health = health
        self.done: list[tuple[str, dict[str, Any]]] = []
        """The actions that were asked for."""
        self.complaints: list[str] = []
        self.token: str | None = None
        self.cut_after: int | None = None
        """Hang up after so many bytes of a file."""
        self.stopped = threading.Event()

    def acted(self, path: str) -> list[dict[str, Any]]:
        return [params for asked, params in self.done if asked == path]

    # -- what it says --------------------------------------------------------------------------------

    def _plain(self, data: dict[str, Any]) -> dict[str, Any]:
        return data if self.nulls else {name: value for name, value in data.items() if value is not None}

    def _window(self, window: Window, depth: int | None) -> dict[str, Any]:
        x, y, width, height = window.at
        told = self._plain({
            "title": window.title, "windowType": window.kind, "appName": window.app,
            "focused": window.focused, "positionX": x, "positionY": y, "sizeWidth": width,
            "sizeHeight": height,
        })  # fmt: skip
        if depth is not None:
            told["elements"] = [self._element(element, depth) for element in window.elements]
        return told

    def _element(self, element: Element, depth: int) -> dict[str, Any]:
        x, y, width, height = element.at or (None, None, None, None)
        told = self._plain({
            "role": element.role, "label": element.label, "value": element.value, "description": None,
            "id": element.id, "enabled": element.enabled, "focused": element.focused,
            "showing": element.showing, "positionX": x, "positionY": y, "sizeWidth": width,
            "sizeHeight": height, "childCount": len(element.children), "actions": list(element.actions),
            "platformRole": element.platform_role,
        })  # fmt: skip
        if depth > 1 and element.children:
            told["children"] = [self._element(child, depth - 1) for child in element.children]
        return told

    # -- what it finds -------------------------------------------------------------------------------

    def _windows_of(self, words: str | None) -> list[Window]:
        if words is None:
            return self.windows
        lower = words.lower()
        found = [w for w in self.windows if lower in (w.title or "").lower() or lower in w.app.lower()]
        if not found:
            raise Refusal("window_not_found", f"No window matching '{words}'")
        return found

    def _find(self, query: dict[str, Any]) -> Element:
        found = [
            element
            for window in self._windows_of(query.get("window"))
            if window.kind != "menuBar"
            for top in window.elements
            for element in top.walk()
            if query.get("role") in (None, element.role)
            and query.get("id") in (None, element.id)
            and query.get("label", "").lower() in (element.label or "").lower()
        ]
        if "index" in query:
            number = query["index"] - self.first_index
            if not 0 <= number < len(found):
                raise Refusal("not_found", "Index out of range")
            return found[number]
        if not found:
            raise Refusal("not_found", "No element matches")
        if len(found) > 1:
            lines = [f"{e.role} label={e.label} id={e.id} pos={e.at}" for e in found[:10]]
            raise Refusal("ambiguous", "\n".join(lines))
        return found[0]

    # -- what it does --------------------------------------------------------------------------------

    def answer(self, path: str, params: dict[str, Any]) -> dict[str, Any]:
        if path not in KEYS:
            raise Refusal(f"Not found: {path}", status=404)
        if unknown := params.keys() - KEYS[path]:
            self.complaints.append(f"{path} knows no {unknown}")
        if path == "/windows":
            return {"windows": [self._window(w, None) for w in self.windows if w.kind != "menuBar"]}
        if path == "/snapshot":
            if params.get("mode") not in ("full", "interact", "layout"):
                self.complaints.append(f"{params.get('mode')} is not a mode that agents know")
            return {"windows": [self._window(w, params.get("depth", 3)) for w in self.windows]}
        if path == "/inspect":
            element = self._find(params)
            font = {"fontFamily": "Sans", "fontSize": 11, "fontWeight": "bold", "textColor": "#102030"}
            return {"element": self._element(element, 1), **font}
        self.done.append((path, params))
        if path.startswith("/window-"):
            return self._control(path, params)
        if path == "/exec":
            return self._execute(params)
        if path == "/shutdown":
            self.stopped.set()
            return {"success": True}
        element = self._find(params)
        if path == "/set-value":
            if not isinstance(params.get("value"), str):
                raise Refusal("invalid_json", "value must be a string")
            element.value = params["value"]
        elif path == "/press" and not element.actions:
            return {"success": False, "message": ""}
        elif path == "/press":
            self.pressed(element)
        elif path == "/focus":
            element.focused = True
        return {"success": True}

    def pressed(self, element: Element) -> None:
        if element.role == "checkbox":
            element.value = "0" if element.value == "1" else "1"
        for window in self.windows:
            for label in (e for top in window.elements for e in top.walk() if e.id == "greeting"):
                label.label = f"{element.label}!"

    def _control(self, path: str, params: dict[str, Any]) -> dict[str, Any]:
        window = self._windows_of(params["window"])[0]
        if path == "/window-close":
            self.windows.remove(window)
        x, y, width, height = window.at
        if path == "/window-move":
            window.at = (params["x"], params["y"], width, height)
        if path == "/window-resize":
            window.at = (x, y, params["width"], params["height"])
        return {"success": True}

    def _execute(self, params: dict[str, Any]) -> dict[str, Any]:
        command = ["/bin/bash", "-c", params["command"]]
        if params.get("detach"):
            subprocess.Popen(command, start_new_session=True, stdout=subprocess.DEVNULL).wait()
            return {"exitCode": 0, "stdout": "", "stderr": ""}
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=params.get("timeout", 30), check=False
            )
        except subprocess.TimeoutExpired:
            return {"exitCode": -1, "stdout": "", "stderr": "Process timed out"}
        return {"exitCode": done.returncode, "stdout": done.stdout.rstrip(), "stderr": done.stderr.rstrip()}


@contextmanager
def served(agent: ForeignAgent) -> Iterator[str]:
    """The agent at an address; complains at the end of what it did not understand."""

    class Handler(BaseHTTPRequestHandler):
        timeout = 20

        def log_message(self, *_: object) -> None:
            pass

        def do_GET(self) -> None:
            if self.path == "/health":
                self.say(*agent.health)
            else:
                self.say(404, json.dumps({"error": f"Not found: {self.path}"}).encode())

        def do_POST(self) -> None:
            if "Transfer-Encoding" in self.headers or "Content-Length" not in self.headers:
                agent.complaints.append("no Content-Length")
                return self.say(411, b'{"error": "upload_failed"}')
            if agent.token and self.headers.get("Authorization") != f"Bearer {agent.token}":
                return self.say(401, b'{"error": "unauthorized"}')
            parts = urlsplit(self.path)
            try:
                if parts.path in ("/upload", "/download"):
                    return self.files(parts.path, parts.query)
                body = self.rfile.read(int(self.headers["Content-Length"]))
                return self.say(200, json.dumps(agent.answer(self.path, self.parsed(body))).encode())
            except Refusal as refusal:
                status = 200 if agent.errors_with_200 else refusal.status
                return self.say(status, json.dumps(refusal.body).encode())

        def parsed(self, body: bytes) -> dict[str, Any]:
            try:
                params = json.loads(body or b"{}")
            except ValueError:
                raise Refusal("Invalid JSON in request body") from None
            return params if isinstance(params, dict) else {}

        def files(self, path: str, query: str) -> None:
            length = int(self.headers["Content-Length"])
            given = parse_qs(query).get("path")
            if "+" in query:
                agent.complaints.append("a plus in a path is %2B")
            if agent.old_files and query:
                self.parsed(self.rfile.read(length))
                raise Refusal(f"Not found: {self.path}", status=404)
            if not agent.old_files and not given:
                raise Refusal(f"{path[1:]}_failed", "missing path query parameter")
            kind = self.headers["Content-Type"]
            if path == "/upload":
                if not agent.old_files and kind != "application/octet-stream":
                    agent.complaints.append(f"files are no {kind}")
                self.upload(length, given)
            else:
                self.download(self.rfile.read(length), given)

        def upload(self, length: int, given: list[str] | None) -> None:
            if agent.cut_after is not None:
                self.rfile.read(agent.cut_after)
                return
            if given is None:
                params = self.parsed(self.rfile.read(length))
                given, content = [params["path"]], base64.b64decode(params["content"], validate=True)
            else:
                content = self.rfile.read(length)
            try:
                Path(given[0]).write_bytes(content)
            except OSError as error:
                raise Refusal("upload_failed", str(error)) from None
            self.say(200, json.dumps({"success": True, "message": f"Uploaded to {given[0]}"}).encode())

        def download(self, body: bytes, given: list[str] | None) -> None:
            path = given[0] if given else self.parsed(body)["path"]
            try:
                content = Path(path).read_bytes()
            except OSError as error:
                raise Refusal("download_failed", str(error)) from None
            if given is None:
                # As some agents do, with every slash escaped.
                text = json.dumps({"content": base64.b64encode(content).decode()}).replace("/", "\\/")
                self.say(200, text.encode())
            else:
                self.say(200, content, "application/octet-stream", agent.cut_after)

        def say(
            self, status: int, body: bytes, kind: str = "application/json", cut: int | None = None
        ) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body[:cut])

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield f"agent://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
    assert agent.complaints == []
