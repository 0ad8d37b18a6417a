"""A WebDriver server over an app without a toolkit, and a client that only knows HTTP."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from deskhand.adapters.memory import Element, MemoryAdapter
from deskhand.engine.session import Session
from deskhand.model.node import Rect
from deskhand.protocols.webdriver.errors import STATUSES
from deskhand.protocols.webdriver.server import WebDriverServer
from deskhand.serving.webdriver import Only, Tools

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


class Asked:
    """A request, as a transport passes it on."""

    def __init__(self, method: str, path: str, body: bytes) -> None:
        self.method, self.path, self.peer, self._body = method, path, "test", body

    def read(self, limit: int) -> bytes:
        return self._body


class Driver:
    """A client: `value` insists on success, `error` on a failure with the standard's status."""

    def __init__(self, server: WebDriverServer) -> None:
        self.server = server
        self.session = ""
        self.cancel = threading.Event()

    def ask(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        whole = path if path.startswith("/") else f"/session/{self.session}/{path}".rstrip("/")
        reply = self.server.handle(Asked(method, whole, data), self.cancel)
        return reply.status, json.loads(reply.body)["value"]

    def value(self, method: str, path: str, body: Any = None) -> Any:
        status, value = self.ask(method, path, body)
        assert status == 200, value
        return value

    def error(self, method: str, path: str, body: Any = None) -> str:
        status, value = self.ask(method, path, body)
        assert status == STATUSES[value["error"]]
        assert value.keys() >= {"error", "message", "stacktrace"}
        code: str = value["error"]
        return code

    def open(self, **capabilities: Any) -> Driver:
        body = {"capabilities": {"alwaysMatch": capabilities}}
        self.session = self.value("POST", "/session", body)["sessionId"]
        return self

    def find(self, using: str, value: str, below: str | None = None) -> str:
        path = "element" if below is None else f"element/{below}/element"
        found: str = self.value("POST", path, {"using": using, "value": value})[ELEMENT]
        return found

    def names(self, using: str, value: str) -> list[str]:
        found = self.value("POST", "elements", {"using": using, "value": value})
        return [self.value("GET", f"element/{each[ELEMENT]}/computedlabel") for each in found]


class Form:
    """The app: what it shows, and what was done to it."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.name = Element("textfield", "Name", "name_edit", value="", native_class="QLineEdit")
        self.name.bounds = Rect(110, 120, 200, 30)
        self.agree = Element("checkbox", "Agree", checked=False, native_class="QCheckBox")
        self.greet = self.button("Greet", Rect(110, 160, 80, 30))
        self.off = Element("button", "Off", native_class="QPushButton", enabled=False)
        self.hidden = Element("button", "Twin", native_class="QPushButton", visible=False)
        self.link = Element("link", "More about us")
        self.window = Element(
            "window",
            "Main",
            "main_window",
            native_class="MainWindow",
            bounds=Rect(100, 100, 400, 300),
            children=[
                Element("text", "Name", native_class="QLabel"),
                self.name,
                self.agree,
                self.greet,
                self.off,
                self.hidden,
                self.button("Twin", Rect(110, 200, 80, 30)),
                self.link,
                Element("group", id="panel", children=[self.button("A"), self.button("B"), self.button("C")]),
            ],
        )
        self.adapter = MemoryAdapter([self.window])

    def button(self, name: str, bounds: Rect | None = None) -> Element:
        made = Element("button", name, native_class="QPushButton", on_press=lambda: self.said.append(name))
        if bounds is not None:
            made.bounds = bounds
        return made


@pytest.fixture(scope="session")
def tools() -> Iterator[Tools]:
    tools = Tools()
    yield tools
    tools.close()


@pytest.fixture
def form() -> Iterator[Form]:
    form = Form()
    yield form
    form.adapter.close()


@pytest.fixture
def server(form: Form, tools: Tools) -> Iterator[WebDriverServer]:
    server = WebDriverServer(Only(Session(form.adapter), "form"), tools)
    yield server
    server.close()


@pytest.fixture
def driver(server: WebDriverServer) -> Driver:
    return Driver(server).open()
