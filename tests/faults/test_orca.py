"""Whatever a client sends or a program does, the Orca server answers in time, and the rest keeps working."""

from __future__ import annotations

import http.client
import json
import os
import resource
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from deskhand.adapters.memory import Element, MemoryAdapter
from deskhand.engine.session import Session
from deskhand.model import operations as ops
from deskhand.serving.endpoints import endpoints, serve

APP = Path(__file__).with_name("orca_app.py")
DESKHAND = (sys.executable, "-c", "from deskhand.cli import main; main()")
ENVIRONMENT = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}


class Client:
    """A client that knows nothing but the document."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self.host, self.port = str(parts.hostname), int(parts.port or 0)

    def connection(self, timeout: float = 30) -> http.client.HTTPConnection:
        return http.client.HTTPConnection(self.host, self.port, timeout=timeout)

    def post(self, body: bytes, timeout: float = 30) -> Any:
        connection = self.connection(timeout)
        try:
            connection.request("POST", "/jsonrpc", body)
            response = connection.getresponse()
            assert response.status == 200
            return json.loads(response.read())
        finally:
            connection.close()

    def call(self, method: str, params: object = None, id: object = 1, timeout: float = 30) -> Any:
        message = {
            "jsonrpc": "2.0",
            "id": id,
            "method": method,
            **({} if params is None else {"params": params}),
        }
        reply = self.post(json.dumps(message).encode(), timeout)
        assert reply["id"] == id
        return reply

    def code(self, method: str, params: object = None) -> int | None:
        """The code of its error, if it is one."""
        code: int | None = self.call(method, params).get("error", {}).get("code")
        return code

    def raw(self, data: bytes) -> socket.socket:
        peer = socket.create_connection((self.host, self.port), 30)
        peer.sendall(data)
        return peer


def window() -> Element:
    return Element("window", "Main", "main", native_class="Frame", children=[
        Element("textfield", "Name", "name", value="", native_class="TextCtrl"),
        Element("button", "Save", "save", native_class="Button"),
    ])  # fmt: skip


class Vanishing(Session):
    """A program in which a button is destroyed just when it is to be clicked."""

    def run(self, operation: Any, cancel: Any = None) -> Any:
        if isinstance(operation, ops.Click) and isinstance(self.adapter, MemoryAdapter):
            self.adapter.windows[0].children.pop()
        return super().run(operation, cancel)


@contextmanager
def serving(kind: type[Session] = Session) -> Iterator[tuple[MemoryAdapter, Client]]:
    adapter = MemoryAdapter([window()])
    session = kind(adapter, ui_timeout=0.5)
    try:
        with serve(session, endpoints(orca=0)) as served:
            yield adapter, Client(served.ready[0].url)
    finally:
        session.close()


@pytest.fixture(scope="module")
def app() -> Iterator[tuple[MemoryAdapter, Client]]:
    with serving() as both:
        yield both


@pytest.fixture
def client(app: tuple[MemoryAdapter, Client]) -> Client:
    return app[1]


# -- bad input ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"\0" * 1000, b"{}\r\n\r\n", b"GET\r\n\r\n",
        b"POST /jsonrpc HTTP/1.1\r\n\r\n",
        b"POST /jsonrpc HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -1\r\n\r\n",
        b"POST /jsonrpc HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n{}   ",
        b"POST /jsonrpc HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"POST /jsonrpc HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: gzip\r\n\r\n",
        b"POST /jsonrpc HTTP/1.1\r\nHost: a\r\nHost: b\r\nContent-Length: 0\r\n\r\n",
        b"POST /jsonrpc HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + b"x" * 200_000 + b"\r\n\r\n",
        b"\xff\xfe\r\n\r\n",
    ],
    ids=range(12),
)  # fmt: skip
def test_what_is_not_http_harms_no_other_client(client: Client, data: bytes) -> None:
    with client.raw(data) as peer:
        try:
            peer.shutdown(socket.SHUT_WR)
            answer = peer.recv(4096)
        except OSError:  # it has ended the connection already
            answer = b""
    assert answer == b"" or b" 4" in answer.split(b"\r\n")[0]
    assert client.code("app.state") is None


def test_a_client_that_sends_a_byte_now_and_then_stops_no_other(client: Client) -> None:
    with client.raw(b"POST /jsonrpc HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 50\r\n\r\n{") as slow:
        for letter in b'"id"':
            slow.send(bytes([letter]))
            assert client.call("tree.find", {"id": "save"}, timeout=2)["result"]
    assert client.code("app.state") is None


def test_a_body_of_64_megabytes_is_refused_and_not_kept(client: Client) -> None:
    size, piece = 64 * 1024 * 1024, b" " * 65536
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    head = f"POST /jsonrpc HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {size}\r\n\r\n"
    with client.raw(head.encode()) as peer:
        for _ in range(size // len(piece)):
            peer.sendall(piece)
        answer = peer.makefile("rb").read()
    assert json.loads(answer.partition(b"\r\n\r\n")[2])["error"]["code"] == -32600
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 32 * 1024
    assert client.code("app.state") is None


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", -32700), (b"{", -32700), (b"\xff", -32700), (b"[", -32700), (b"[" * 100_000, -32700),
        (b"[]", -32600), (b"5", -32600), (b"null", -32600), (b'"x"', -32600), (b"{}", -32600),
        (b'[{"id": 1, "method": "app.state"}]', -32600), (b'[[{"id": 1, "method": "app.state"}]]', -32600),
        (b'{"method": 5}', -32600), (b'{"method": null}', -32600), (b'{"method": ["app.state"]}', -32600),
        (b'{"method": "app.state", "params": 5}', -32602), (b'{"method": "app.state", "params": []}', -32602),
        (b'{"method": ""}', -32601), (b'{"method": "App.State"}', -32601),
    ],
)  # fmt: skip
def test_an_invalid_request_gets_one_error(client: Client, body: bytes, code: int) -> None:
    reply = client.post(body)
    assert (reply["jsonrpc"], reply["id"], reply["error"]["code"]) == ("2.0", None, code)


RIGHT: dict[str, dict[str, Any]] = {
    "tree.dump": {"root": "save", "max_depth": 1, "visible_only": False, "include_imgui": True},
    "tree.find": dict.fromkeys(("name", "class", "label", "value", "backend", "id", "path"), "x"),
    "widget.get": {"target": {"id": "save"}},
    "input.click": {"target": {"id": "save"}, "button": "left", "double": False, "modifiers": []},
    "input.type": {"text": "x", "target": {"id": "name"}},
    "input.key": {"keys": "enter"},
    "sync.wait_for": {
        "target": {"id": "save"}, "state": "exists", "value": "x", "timeout_ms": 50, "poll_ms": 10,
    },
    "screenshot.window": {"target": {"id": "save"}},
    "screenshot.viewport3d": {"plate": 0, "width": 8, "height": 6},
    "file.open": {"paths": ["/x"]},
    "view.select": {"view": "home"},
}  # fmt: skip
WRONG = (None, True, 5, -1, 2.5, 10**30, "x", "", [], [5], {}, {"id": 5}, {"id": ["save"]}, [[]])


@pytest.mark.parametrize("method", RIGHT)
def test_a_parameter_of_a_wrong_type_is_refused_or_left_alone(client: Client, method: str) -> None:
    for name in RIGHT[method]:
        for wrong in WRONG:
            code = client.code(method, {**RIGHT[method], name: wrong})
            assert code in (None, -32601, -32602, 1001, 1002, 1003, 1005), f"{name}={wrong!r}: {code}"


def test_a_target_is_an_object(client: Client) -> None:
    for method in ("widget.get", "input.click", "sync.wait_for"):
        for wrong in (None, 5, "save", [], ["save"], True):
            assert client.code(method, {**RIGHT[method], "target": wrong}) == -32602
        assert client.code(method, {}) == -32602


def test_keys_that_do_not_exist_change_nothing(client: Client) -> None:
    extra = {"": 1, "Root": "nothing", "targets": [], "__class__": {}, "x" * 1000: None}
    for method in ("tree.dump", "widget.get"):
        assert client.call(method, {**RIGHT[method], **extra}) == client.call(method, RIGHT[method])
    assert client.code("widget.get", {"target": {"id": "save", **extra}}) is None
    assert client.code("widget.get", {"target": {"ID": "save"}}) == 1001


# -- what a program does ---------------------------------------------------------------------------------


def test_what_vanishes_between_finding_and_clicking_is_not_found() -> None:
    with serving(Vanishing) as (_, client):
        assert client.code("input.click", {"target": {"id": "save"}}) == 1001
        assert client.code("widget.get", {"target": {"id": "save"}}) == 1001


def test_a_gui_thread_that_hangs_is_reported_and_nothing_is_done_later(
    app: tuple[MemoryAdapter, Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    adapter, client = app
    clicked: list[bool] = []
    monkeypatch.setattr(adapter.windows[0].children[1], "on_press", lambda: clicked.append(True))
    let_go = threading.Event()
    holding = threading.Thread(target=lambda: adapter.call(lambda: let_go.wait(20), timeout=30))
    holding.start()
    began = time.monotonic()
    try:
        for method in ("tree.dump", "input.click"):
            assert client.code(method, RIGHT[method]) == 1004
        wait = {"target": {"id": "save"}, "state": "exists", "timeout_ms": 300}
        assert client.code("sync.wait_for", wait) in (1003, 1004)
        assert client.code("automation.version") is None
    finally:
        let_go.set()
        holding.join()
    assert time.monotonic() - began < 10
    assert client.code("tree.dump") is None
    assert clicked == []


def test_a_client_that_disconnects_during_a_wait_makes_room_for_the_next(client: Client) -> None:
    wait = {"target": {"id": "nowhere"}, "state": "exists", "timeout_ms": 60_000}
    body = json.dumps({"id": 1, "method": "sync.wait_for", "params": wait}).encode()
    head = f"POST /jsonrpc HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(body)}\r\n\r\n"
    waiting = client.raw(head.encode() + body)
    with ThreadPoolExecutor(1) as pool:
        next_one = pool.submit(client.call, "app.state", timeout=20)
        waiting.close()
        assert "result" in next_one.result(20)


def test_many_clients_at_once_each_get_their_own_answer(client: Client) -> None:
    def work(number: int) -> None:
        for turn in range(5):
            wanted = ("save", "name")[(number + turn) % 2]
            reply = client.call("widget.get", {"target": {"id": wanted}}, id=f"{number}/{turn}")
            assert reply["result"]["id"] == wanted

    with ThreadPoolExecutor(40) as pool:
        list(pool.map(work, range(40)))


# -- a real one ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def real() -> Iterator[Client]:
    command = [sys.executable, str(APP), "--orca"]
    with subprocess.Popen(
        command, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as app:
        assert app.stdout is not None
        yield Client(app.stdout.readline().strip())
        app.kill()


def wait_for(client: Client, id: str, value: str | None = None, timeout: float = 10) -> None:
    state = {"state": "exists"} if value is None else {"state": "value", "value": value}
    params = {"target": {"id": id}, **state, "timeout_ms": int(timeout * 1000)}
    assert "result" in client.call("sync.wait_for", params)


def test_a_click_that_opens_a_modal_dialog_is_answered_and_the_dialog_is_driven(real: Client) -> None:
    assert real.call("input.click", {"target": {"id": "ask"}})["result"] == {"ok": True}
    wait_for(real, "yes")
    assert real.call("app.state")["result"]["modal_dialog"] == "Sure?"
    assert real.call("input.click", {"target": {"id": "yes"}})["result"] == {"ok": True}
    wait_for(real, "report", "answered")
    assert "modal_dialog" not in real.call("app.state")["result"]


def test_a_real_gui_thread_that_hangs_is_1004_after_five_seconds_and_comes_back(real: Client) -> None:
    real.call("input.click", {"target": {"id": "block"}})
    began = time.monotonic()
    codes = {real.code("tree.dump")}
    while codes == {None} and time.monotonic() - began < 2:  # the click is answered before its slot runs
        codes = {real.code("tree.dump")}
    assert codes == {1004}
    assert 4 < time.monotonic() - began < 9
    wait_for(real, "report", "unblocked")


def test_a_program_that_ends_during_a_wait_answers_or_hangs_up_at_once() -> None:
    command = [*DESKHAND, "run", "--orca", "0", "--", sys.executable, str(APP)]
    with subprocess.Popen(
        command, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as running:
        assert running.stdout is not None
        client = Client(running.stdout.readline().split()[2])
        began = time.monotonic()
        # It leaves a moment after the click: a click during the wait would have to wait for its turn.
        client.call("input.click", {"target": {"id": "leave"}})
        params = {"target": {"id": "nowhere"}, "state": "exists", "timeout_ms": 60_000}
        try:
            code = client.code("sync.wait_for", params)
        except (OSError, http.client.HTTPException):
            code = 1004  # it hung up, which says the same
        assert code == 1004
        assert 0.2 < time.monotonic() - began < 20
        assert running.wait(20) == 3
