"""Programs with another project's GIP server are driven by the same client."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from deskhand import aio, connect, expect
from deskhand.model.errors import ActionUnsupported, AppGone, ConnectFailed, NotFound, WaitTimeout


class Foreign:
    """A GIP server of another make: a field, a button, a label; unframed JSON on a Unix socket.

    The older kind does not know `connect`, answers without `jsonrpc`, and reports failures inside the result.
    """

    def __init__(self, path: Path, kind: str) -> None:
        self.kind = kind
        self.text = ""
        self.label = "no name yet"
        self.asked = 0
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        self.listener.listen()
        self.peers: list[socket.socket] = []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self) -> None:
        while True:
            try:
                peer, _ = self.listener.accept()
            except OSError:
                return
            self.peers.append(peer)
            threading.Thread(target=self.serve, args=(peer,), daemon=True).start()

    def serve(self, peer: socket.socket) -> None:
        with peer, contextlib.suppress(OSError):
            while data := peer.recv(65536):
                request = json.loads(data)
                peer.sendall(json.dumps(self.answer(request)).encode())

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        self.asked += 1
        if self.kind == "no gip":
            return {"hello": "world"}
        method, params = request["method"], request.get("params", {})
        known = {"ping": self.ping, "snapshot": self.snapshot, "click": self.click, "type": self.type}
        if self.kind == "newer":
            known["connect"] = lambda _: {
                "success": True,
                "app_info": {
                    "framework": "Electron",
                    "version": "30",
                    "transport": "unix",
                    "title": "Theirs",
                },
            }
        if method not in known:
            if self.kind == "older":
                return {"id": request["id"], "result": {"error": f"Unknown method: {method}"}}
            error = {"code": -32601, "message": f"no {method}"}
            return {"jsonrpc": "2.0", "id": request["id"], "error": error}
        result = known[method](params)
        return {"id": request["id"], "result": result, **({"jsonrpc": "2.0"} if self.kind == "newer" else {})}

    def ping(self, _: object) -> dict[str, Any]:
        return {"status": "ok"}

    def node(self, ref: str, kind: str, properties: dict[str, Any], children: object = ()) -> dict[str, Any]:
        place = {"x": 0, "y": 0, "width": 10, "height": 10}
        name = ref.rpartition("/")[2]
        plain = {"visible": True, "enabled": True, "geometry": place, "objectName": name}
        return {**plain, "ref": ref, "type": kind, "properties": properties, "children": list(children)}

    def snapshot(self, _: object) -> dict[str, Any]:
        return self.node(
            "root",
            "QMainWindow",
            {"title": "Theirs"},
            [
                self.node("root/field", "QLineEdit", {"text": self.text}),
                self.node("root/greet", "QPushButton", {"text": "Greet"}),
                self.node("root/label", "QLabel", {"text": self.label}),
            ],
        )

    def click(self, params: dict[str, Any]) -> dict[str, Any]:
        threading.Timer(0.2, lambda: setattr(self, "label", f"Hello, {self.text}!")).start()
        return {"success": True}

    def type(self, params: dict[str, Any]) -> dict[str, Any]:
        self.text = params["text"] if params.get("clear") else self.text + params["text"]
        return {"success": True}

    def close(self) -> None:
        self.listener.close()
        for peer in self.peers:
            with contextlib.suppress(OSError):  # the client was faster
                peer.shutdown(socket.SHUT_RDWR)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "foreign"


@pytest.fixture(params=["newer", "older"])
def foreign(request: pytest.FixtureRequest, path: Path) -> Iterator[Foreign]:
    foreign = Foreign(path, request.param)
    yield foreign
    foreign.close()


def test_it_is_found_typed_into_clicked_and_waited_for(foreign: Foreign, path: Path) -> None:
    with connect(str(path)) as app:
        app.locator("#field").fill("Ada")
        app.get_by_role("button", name="Greet").click()
        expect(app.locator("#label")).to_have_text("Hello, Ada!")
        assert app.title() == "Theirs"
        assert len(app.tree()) == 4

    assert foreign.text == "Ada"


def test_it_is_driven_with_await(foreign: Foreign, path: Path) -> None:
    async def main() -> None:
        async with aio.connect(str(path)) as app:
            expected = aio.expect(app.locator("#label")).to_have_text("Hello, !")
            await asyncio.gather(expected, app.locator("#greet").click())

    asyncio.run(main())


def test_a_cancelled_wait_stops_asking(foreign: Foreign, path: Path) -> None:
    async def main() -> str | None:
        async with aio.connect(str(path)) as app:
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(app.locator("#nowhere").wait_for(timeout=60), 0.3)
            text = await app.locator("#label").text_content()
            asked = -1
            for _ in range(4):  # it may be about to ask for the last time
                if asked == foreign.asked:
                    return text
                asked = foreign.asked
                await asyncio.sleep(0.5)  # there is nothing to wait for: it is that nothing happens
            raise AssertionError("it asks on and on")

    assert asyncio.run(main()) == "no name yet"


def test_locators_wait_and_name_near_misses_there_too(foreign: Foreign, path: Path) -> None:
    with connect(str(path)) as app:
        with pytest.raises(NotFound) as caught:
            app.locator("#gret").click(timeout=0.1)
        with pytest.raises(WaitTimeout):
            app.locator("#field").wait_for("disabled", timeout=0.1)

    assert "#greet" in caught.value.near


def test_what_gip_cannot_do_is_refused_with_a_reason(foreign: Foreign, path: Path) -> None:
    with connect(str(path)) as app, pytest.raises(ActionUnsupported):
        app.screenshot()


def test_the_end_of_the_program_is_reported(foreign: Foreign, path: Path) -> None:
    with connect(str(path)) as app:
        app.windows()
        foreign.close()

        with pytest.raises(AppGone):
            app.windows()


def test_what_does_not_speak_gip_is_refused(path: Path) -> None:
    foreign = Foreign(path, "no gip")
    try:
        with pytest.raises(ConnectFailed, match="does not speak GIP"):
            connect(str(path))
    finally:
        foreign.close()
