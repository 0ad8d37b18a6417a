"""The Orca contract over the memory adapter, without a transport: what recorded conversations cannot show."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from deskhand.adapters.memory import Element, MemoryAdapter
from deskhand.engine.policy_guard import Guard
from deskhand.engine.session import Session
from deskhand.model import deadline
from deskhand.model import operations as ops
from deskhand.model.errors import ActionFailed, NotVisible
from deskhand.model.node import Image, Node, Rect
from deskhand.model.policy import read_policy
from deskhand.model.tree import Tree
from deskhand.protocols.orca.keys import read_keys
from deskhand.protocols.orca.server import OrcaServer, view_of
from deskhand.protocols.wirelog import WireLog
from deskhand.serving.orca import orca_server
from deskhand.serving.remote import Remote
from tests.traces import stopped_server, until
from tests.wire.orca_shapes import check_response

PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR\x00\x00\x00\x20\x00\x00\x00\x10" + bytes(9)


class Adapter(MemoryAdapter):
    """Records what was done, and has screenshots."""

    def __init__(self, windows: list[Element]) -> None:
        super().__init__(windows)
        self.done: list[ops.Action] = []
        self.screenshots: list[str | None] = []
        self.reads = 0
        self.patience = 5.0

    def read(self, *args: Any, **options: Any) -> Any:
        self.reads += 1
        return super().read(*args, **options)

    def perform(self, action: ops.Action, uid: str | None, to: str | None, *, timeout: float) -> Any:
        self.done.append(action)
        if isinstance(action, (ops.Key, ops.ControlWindow)):
            return self.call(dict, timeout=self.patience)
        return super().perform(action, uid, to, timeout=min(timeout, self.patience))

    def screenshot(self, uid: str | None, *, timeout: float) -> Image:
        self.screenshots.append(uid)
        return Image(PNG, 32, 16)


class Program:
    """A window, and what to ask of it."""

    def __init__(self) -> None:
        self.name = Element("textfield", "Name", "name", value="")
        self.secret = Element("textfield", "Password", "secret", value="", password=True)
        self.go = Element("button", "Go", "go", enabled=False)
        self.window = Element("window", "Main", "main", children=[self.name, self.secret, self.go])
        self.adapter = Adapter([self.window])
        self.session = Session(self.adapter)
        self.server = OrcaServer(self.session)

    def ask(self, method: str, cancel: threading.Event | None = None, **params: Any) -> Any:
        message = json.dumps({"jsonrpc": "2.0", "id": 7, "method": method, "params": params})
        conversation = self.server.conversation("http", "", "peer")
        response = json.loads(conversation.handle(message.encode(), cancel or threading.Event()))
        check_response(response, method)
        assert response["id"] == 7
        return response.get("result") if "result" in response else response["error"]

    def fails(self, method: str, **params: Any) -> int:
        code: int = self.ask(method, **params)["code"]
        return code


@pytest.fixture
def program() -> Iterator[Program]:
    program = Program()
    yield program
    program.session.close()


# -- waiting ------------------------------------------------------------------------------------


@pytest.mark.parametrize("poll", [60_000, 1])
def test_a_change_ends_a_wait_at_once_however_rarely_it_polls(program: Program, poll: int) -> None:
    def enable() -> None:
        until(lambda: program.adapter._changed)
        program.go.enabled = True
        program.adapter.touch()

    threading.Thread(target=enable).start()
    done = program.ask("sync.wait_for", target={"id": "go"}, state="enabled", timeout_ms=20_000, poll_ms=poll)
    assert done["elapsed_ms"] < 5000
    assert program.adapter._changed == []


def test_a_change_that_nothing_announces_is_seen_by_looking(program: Program) -> None:
    def fill() -> None:
        until(lambda: program.adapter._changed)
        program.name.value = "Ada"

    threading.Thread(target=fill).start()
    assert program.ask("sync.wait_for", target={"id": "name"}, state="value", value="Ada", poll_ms=5)["ok"]


def test_what_is_so_already_is_looked_at_once(program: Program) -> None:
    assert program.ask("sync.wait_for", target={"id": "name"}, state="visible")["elapsed_ms"] < 1000
    assert program.fails("sync.wait_for", target={"id": "go"}, state="enabled", timeout_ms=0) == 1003
    assert program.adapter.reads == 2


def test_several_are_waited_for_until_one_is_left(program: Program) -> None:
    twin = Element("button", "Go", "go")
    program.window.children.append(twin)

    def leave() -> None:
        until(lambda: program.adapter._changed)
        program.window.children.remove(twin)
        program.adapter.touch()

    assert program.fails("sync.wait_for", target={"id": "go"}, state="exists", timeout_ms=20) == 1003
    threading.Thread(target=leave).start()
    assert program.ask("sync.wait_for", target={"id": "go"}, state="exists", poll_ms=60_000)["ok"]


def test_a_wait_that_times_out_says_what_was_seen(program: Program) -> None:
    error = program.ask("sync.wait_for", target={"id": "go"}, state="enabled", timeout_ms=20)
    assert error["code"] == 1003
    assert (
        error["message"] == "waited 0.02 s for id 'go' to be enabled; last seen visible=True, enabled=False"
    )


def test_a_program_that_changes_all_the_time_is_left_time_for_itself(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[tuple[float, float]] = []
    read = program.adapter._read

    def changing(*args: Any) -> Any:
        began = time.monotonic()
        time.sleep(0.01)
        program.name.value = str(began)
        tree = read(*args)
        looks.append((began, time.monotonic()))
        return tree

    monkeypatch.setattr(program.adapter, "_read", changing)
    assert program.fails("sync.wait_for", target={"id": "no"}, state="exists", timeout_ms=400) == 1003
    assert median(later[0] - earlier[1] for earlier, later in pairwise(looks)) > 0.01


def test_a_client_that_disconnects_during_a_wait_ends_it(program: Program) -> None:
    cancel = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(
            program.ask, "sync.wait_for", cancel, target={"id": "no"}, state="exists", timeout_ms=60_000
        )
        until(lambda: program.adapter._changed)
        cancel.set()
        assert waiting.result(10)["code"] == 1004


def test_a_program_that_ends_during_a_wait_is_reported(program: Program) -> None:
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(
            program.ask, "sync.wait_for", target={"id": "no"}, state="exists", timeout_ms=60_000, poll_ms=5
        )
        until(lambda: program.adapter._changed)
        program.session.close()
        assert waiting.result(10)["code"] == 1004
    assert program.fails("tree.dump") == 1004
    assert program.ask("automation.version")["version"] == "1.0.0"


def test_a_wrong_request_asks_no_person_for_permission(program: Program) -> None:
    questions: list[str] = []

    def ask(question: str, _: float) -> bool:
        questions.append(question)
        return False

    guard = Guard(read_policy({"default": "ask"}), ask=ask)
    program.server = orca_server(guard.around(program.session, "orca"))

    assert program.fails("input.click", target={"path": "no"}) == 1001
    assert program.fails("input.type", text=7) == -32602
    assert program.ask("input.key", keys="no such key") == {"ok": True}
    assert questions == []


# -- a GUI thread that does not answer ----------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("tree.dump", {}), ("tree.find", {"id": "go"}), ("widget.get", {"target": {"id": "go"}}),
        ("input.click", {"target": {"id": "name"}}), ("input.type", {"text": "x"}),
        ("input.key", {"keys": "a"}),
        ("sync.wait_for", {"target": {"id": "go"}, "state": "exists", "timeout_ms": 0}), ("app.state", {}),
        ("sync.wait_for", {"target": {"id": "go"}, "state": "exists", "timeout_ms": 60_000}),
        ("screenshot.window", {}), ("screenshot.window", {"target": {"id": "go"}}),
        ("file.open", {"paths": "x"}), ("view.select", {"view": "x"}),
    ],
)  # fmt: skip
def test_a_gui_thread_that_is_wedged_is_1004(program: Program, method: str, params: dict[str, Any]) -> None:
    program.session.ui_timeout = program.adapter.patience = 0.05
    program.session.app_state, program.session.file_open, program.session.view_select = dict, len, len
    free = threading.Event()
    program.adapter.post(free.wait)
    try:
        assert program.fails(method, **params) == 1004
        assert program.ask("automation.version")["version"] == "1.0.0"
    finally:
        free.set()
    program.session.ui_timeout = 5
    assert program.ask("tree.find", id="name")[0]["value"] == ""


def test_a_program_that_is_stopped_is_given_up_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deadline, "TIMEOUT", 0.2)
    path = str(tmp_path / "stopped")
    with stopped_server(path), closing(Remote(path).open()) as remote:
        conversation = orca_server(remote).conversation("http", "", "")
        error = json.loads(conversation.handle(b'{"id":1,"method":"app.state"}', threading.Event()))["error"]
        assert error["code"] == 1004
        assert error["message"].startswith("the app did not answer within 0.2 s: process")
        reply = json.loads(conversation.handle(b'{"id":1,"method":"automation.version"}', threading.Event()))
        assert len(reply["result"]["capabilities"]) == 9


# -- acting -------------------------------------------------------------------------------------


def test_a_target_that_vanishes_before_it_is_clicked_is_not_found(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    program.go.enabled = True
    monkeypatch.setattr("deskhand.protocols.orca.server._PATIENCE", 0.05)
    read = program.adapter._read

    def vanish(*args: Any) -> Any:
        tree = read(*args)
        program.window.children[:] = [program.name]
        return tree

    monkeypatch.setattr(program.adapter, "_read", vanish)
    assert program.fails("input.click", target={"id": "go"}) == 1001
    assert program.adapter.done == []


def test_an_element_that_cannot_be_clicked_is_reported_without_waiting(program: Program) -> None:
    assert program.fails("input.click", target={"id": "go"}) == 1002
    program.name.visible = False
    assert program.fails("input.type", text="x", target={"id": "name"}) == 1002
    assert (program.adapter.reads, program.adapter.done) == (2, [])


def test_what_is_covered_or_behind_a_dialog_cannot_be_acted_on(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise ActionFailed("it is behind the modal dialog 'Ask'", suggestions=("answer the dialog first",))

    monkeypatch.setattr(program.adapter, "perform", refuse)
    error = program.ask("input.click", target={"id": "name"})
    assert error == {"code": 1002, "message": "it is behind the modal dialog 'Ask'; answer the dialog first"}
    assert program.fails("input.type", text="x") == 1002
    assert program.fails("input.key", keys="enter") == 1002


def test_a_click_by_id_is_one_operation(program: Program) -> None:
    run: list[ops.Operation[Any]] = []

    class Counting:
        def run(self, operation: ops.Operation[Any], cancel: Any = None) -> Any:
            run.append(operation)
            return program.session.run(operation, cancel)

        def close(self) -> None: ...

    program.go.enabled = True
    program.server = orca_server(Counting())
    assert program.ask("input.click", target={"id": "go"}) == {"ok": True}
    assert [(type(operation), operation.target) for operation in run] == [(ops.Click, "#go")]
    assert program.fails("input.click", target={"id": "Go"}) == 1001


def test_a_hidden_element_with_the_same_id_makes_a_click_ambiguous(program: Program) -> None:
    program.window.children.append(Element("button", "Other", "name", visible=False))
    error = program.ask("input.click", target={"id": "name"})
    assert error["code"] == 1001
    assert "2 nodes match id 'name'" in error["message"]
    assert program.adapter.done == []


def test_how_a_click_is_done(program: Program) -> None:
    program.go.enabled = True
    program.ask("input.click", target={"id": "go"}, modifiers=["ctrl", "cmd", "meta", "x", 3, "shift"])
    program.ask("input.click", target={"id": "go"}, double=True, button="left")
    assert [(click.button, click.count, click.modifiers) for click in program.adapter.done] == [
        ("left", 1, ("ctrl", "meta", "shift")),
        ("left", 2, ()),
    ]
    assert program.fails("input.click", target={"id": "go"}, button="middle") == 1002  # which it cannot do
    assert program.adapter.done[-1].button == "middle"


def test_the_window_of_a_target_is_raised_first(program: Program) -> None:
    other = Element("window", "Other", children=[Element("button", "There", "there")])
    program.adapter.windows.append(other)
    program.ask("input.click", target={"id": "there"})
    raised, clicked = program.adapter.done
    assert isinstance(raised, ops.ControlWindow)
    assert isinstance(clicked, ops.Click)
    program.ask("input.click", target={"id": "name"})
    assert len(program.adapter.done) == 3


@pytest.mark.parametrize(
    ("keys", "chord"),
    [
        ("enter", "enter"), ("ctrl+s", "ctrl+s"), (["ctrl", "shift", "s"], "ctrl+shift+s"),
        ("cmd+a", "meta+a"), ("meta+a", "meta+a"), ("f5", "f5"), ("f24", "f24"), ("a", "a"), (["+"], "+"),
        (["ctrl", "+"], "ctrl++"),
        ("ctrl++s", "ctrl+s"), (" ", "space"), ("é", "é"), ("1", "1"), ("pagedown", "pagedown"),
        ("left", "left"),
        ("A", None), ("Enter", None), ("F5", None), ("f25", None), ("ctrl", None), ("ctrl+shift", None),
        ("Ctrl+s", None), ("x+s", None), ("control+s", None), ("numlock", None), ("\n", None),
        ("hyper+s", None),
    ],
)  # fmt: skip
def test_keys_are_known_in_lower_case_and_all_others_do_nothing(
    program: Program, keys: Any, chord: str | None
) -> None:
    assert read_keys(keys) == chord
    assert program.ask("input.key", keys=keys) == {"ok": True}
    assert [key.keys for key in program.adapter.done] == ([] if chord is None else [chord])


# -- screenshots --------------------------------------------------------------------------------


def test_a_screenshot_is_of_the_main_window_or_of_the_target(program: Program) -> None:
    assert program.ask("screenshot.window") == program.ask("screenshot.window", target={"id": "go"})
    uids = [node.uid for node in program.session.run(ops.Find("#main, #go"))]
    assert program.adapter.screenshots == uids
    program.adapter.windows.clear()
    assert program.fails("screenshot.window") == 1005


def test_an_empty_screenshot_and_an_item_of_imgui_are_1005(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program.adapter, "screenshot", lambda uid, timeout: Image(b"", 0, 0))
    assert program.fails("screenshot.window") == 1005

    def hidden(uid: str | None, timeout: float) -> Image:
        raise NotVisible("it is minimized")

    monkeypatch.setattr(program.adapter, "screenshot", hidden)
    assert program.fails("screenshot.window") == 1005
    monkeypatch.undo()
    read = program.adapter._node
    monkeypatch.setattr(
        program.adapter,
        "_node",
        lambda element, *rest: read(element, *rest).changed(
            **({"backend": "imgui"} if element is program.go else {})
        ),
    )
    assert program.fails("screenshot.window", target={"backend": "imgui"}) == 1005
    assert program.adapter.screenshots == []


def test_a_program_that_draws_no_3d_view_for_us_is_asked_for_its_canvas(program: Program) -> None:
    assert program.fails("screenshot.viewport3d") == -32601
    small = Element("canvas", native_class="GLCanvas", bounds=Rect(0, 0, 10, 10))
    large = Element("canvas", "3D", "canvas_3d", native_class="QOpenGLWidget", bounds=Rect(0, 0, 500, 400))
    hidden = Element("canvas", native_class="wxGLCanvas", bounds=Rect(0, 0, 999, 999), visible=False)
    program.window.children.extend((small, large, hidden))
    assert program.ask("screenshot.viewport3d")["width"] == 32
    (uid,) = [node.uid for node in program.session.run(ops.Find("#canvas_3d"))]
    assert program.adapter.screenshots == [uid]


def test_what_a_program_draws_must_be_an_image(program: Program) -> None:
    asked: list[tuple[Any, ...]] = []
    program.session.viewport3d = lambda *given: asked.append(given) or PNG  # type: ignore[func-returns-value]
    assert program.ask("screenshot.viewport3d", plate=2, width=32, height=16)["height"] == 16
    program.ask("screenshot.viewport3d", plate=True, width=3.5)
    assert asked == [(2, 32, 16), (None, 800, 600)]
    program.session.viewport3d = lambda *_: b"not an image"
    assert program.fails("screenshot.viewport3d") == 1005


# -- what a program registers -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (None, {"ok": True, "view": "home", "index": -1}),
        (4, {"ok": True, "view": "home", "index": 4}),
        (True, {"ok": True, "view": "home", "index": -1}),
        ({"view": "Home", "index": 0}, {"ok": True, "view": "Home", "index": 0}),
    ],
)
def test_what_choosing_a_view_answers(program: Program, answer: Any, expected: dict[str, Any]) -> None:
    program.session.view_select = lambda view: answer
    assert program.ask("view.select", view="home") == expected


def raising(error: Exception) -> Any:
    def function(*_: Any) -> Any:
        raise error

    return function


def test_files_and_views_that_a_program_refuses_are_reported(program: Program) -> None:
    session = program.session
    session.file_open = session.view_select = lambda _: False
    assert (program.fails("file.open", paths="x"), program.fails("view.select", view="x")) == (1007, 1001)
    session.file_open = session.view_select = raising(KeyError("no such thing"))
    assert program.ask("view.select", view="x") == {"code": 1001, "message": "no such thing"}
    assert program.ask("file.open", paths="x") == {"code": 1007, "message": "no such thing"}
    session.file_open = session.view_select = raising(RuntimeError("broken"))
    assert program.ask("view.select", view="x") == {"code": -32603, "message": "broken"}
    assert program.ask("file.open", paths="x") == {"code": 1007, "message": "broken"}
    session.file_open = lambda paths: None
    assert program.ask("file.open", paths=["a", "b"]) == {"ok": True, "loaded": 2}


def test_a_state_that_the_program_reports_by_other_names(program: Program) -> None:
    program.session.app_state = lambda: {"active_view": "Preview", "busy": True, "progress": 12}
    expected = {"active_tab": "Preview", "project_loaded": False, "slicing": True, "slice_progress": 12}
    assert program.ask("app.state") == {**expected, "foreground": True}
    program.adapter.windows.append(Element("dialog", "Sure?", modal=True))
    assert program.ask("app.state")["modal_dialog"] == "Sure?"
    program.session.app_state = raising(RuntimeError("broken"))
    assert program.fails("app.state") == -32603


def test_what_a_program_shows_that_does_not_say_so_is_seen_in_its_tree(program: Program) -> None:
    assert program.ask("app.state")["active_tab"] == "Main"
    shown = Node.of({"uid": "1", "role": "tab", "name": "Second", "selected": True})
    others = [Node.of({"uid": uid, "role": "tab", "name": "First"}) for uid in "23"]
    assert view_of(Tree([*others, shown])) == "Second"
    assert view_of(Tree(others)) == ""
    program.session.app_state = lambda: {"active_tab": "preview"}
    assert program.ask("app.state")["active_tab"] == "preview"


# -- refusals -----------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["input.click", "input.type", "input.key", "file.open", "view.select"])
def test_a_server_that_performs_nothing_says_what_it_refused(program: Program, method: str) -> None:
    program.session.read_only = True
    assert program.ask(method)["message"].startswith(f"{method} refused: this server answers questions only")


@pytest.mark.parametrize(
    ("target", "seen"), [("go", "a string"), (None, "null"), ([], "a list"), (5, "a number"), (True, "true")]
)
def test_an_invalid_target_is_reported_by_its_type(program: Program, target: Any, seen: str) -> None:
    error = program.ask("widget.get", target=target)
    assert error["code"] == -32602
    assert f"it is {seen}" in error["message"]


# -- the log ------------------------------------------------------------------------------------


def test_what_is_typed_into_a_password_field_is_not_in_the_log(program: Program, tmp_path: Path) -> None:
    log = WireLog(tmp_path / "log", text=True)
    program.server = OrcaServer(program.session, log=log)
    program.ask("input.type", text="Ada Lovelace", target={"id": "name"})
    program.ask("input.type", text="hunter2", target={"id": "secret"})
    program.ask("input.type", text="swordfish")
    program.ask("input.key", keys="z")
    program.ask("tree.find", label="hunter2")
    program.server.conversation("http", "", "peer").handle(b"{hunter3", threading.Event())
    log.close()
    text = (tmp_path / "log").read_text()
    assert "Ada Lovelace" in text
    assert '"message":{"jsonrpc":"2.0","id":7,"method":"input.type"' in text
    for secret in ("hunter2", "swordfish", '"z"', "hunter3"):
        assert secret not in text
    assert "8 bytes that are not JSON" in text
    assert "-32700" in text


def test_a_request_that_the_server_ends_before_has_lost_its_program(program: Program) -> None:
    for message, number in ((b'{"id": 7, "method": "sync.wait_for"}', 7), (b"[]", None), (b"{", None)):
        answer = json.loads(program.server.conversation("http", "", "peer").end(message) or b"")
        assert (answer["id"], answer["error"]["code"]) == (number, 1004)


def logged(path: Path) -> list[tuple[str, Any]]:
    """Which way each message in a log went, and what it was: a method, a code, or what is said of it."""
    lines = map(json.loads, path.read_text().splitlines())
    found = []
    for line in lines:
        message = line.get("message", {})
        code = message.get("error", {}).get("code")
        found.append((line["dir"], code or message.get("method") or line.get("unreadable")))
    return found


def test_a_request_that_the_server_ends_before_is_in_the_log_with_its_answer(
    program: Program, tmp_path: Path
) -> None:
    log = WireLog(tmp_path / "log")
    program.server = OrcaServer(program.session, log=log)
    for message in (
        b'{"id": 7, "method": "app.state"}',
        b'{"id": 8, "method": "input.type", "params": {"text": "hunter2"}}',
        b'{"id": 9, "method": "input.key", "params": {"keys": "z"}}',
        b'[{"method": "input.type", "params": {"text": "hunter3"}}]',
    ):
        assert program.server.conversation("http", "", "peer").end(message) is not None
    log.close()
    assert logged(log.path) == [
        ("in", "app.state"),
        ("out", 1004),
        ("in", "input.type"),
        ("out", 1004),
        ("in", "input.key"),
        ("out", 1004),
        ("in", "57 bytes that are not a request"),
        ("out", 1004),
    ]
    text = log.path.read_text()
    assert not any(secret in text for secret in ("hunter2", "hunter3", '"z"'))


def test_a_request_that_ends_while_it_is_answered_is_in_the_log_once(
    program: Program, tmp_path: Path
) -> None:
    log = WireLog(tmp_path / "log")
    program.server = OrcaServer(program.session, log=log)
    conversation = program.server.conversation("http", "", "peer")
    message, cancel = (
        b'{"id": 7, "method": "sync.wait_for", "params": {"target": {}, "state": "exists"}}',
        threading.Event(),
    )
    waiting = threading.Thread(target=conversation.handle, args=(message, cancel))
    waiting.start()
    until(lambda: program.adapter._changed)
    assert json.loads(conversation.end(message) or b"")["error"]["code"] == 1004
    assert conversation.end(message) is None
    cancel.set()
    waiting.join(10)
    log.close()
    assert logged(log.path) == [("in", "sync.wait_for"), ("out", 1004)]


def test_of_an_invalid_request_only_the_length_is_logged(program: Program, tmp_path: Path) -> None:
    log = WireLog(tmp_path / "log")
    program.server = OrcaServer(program.session, log=log)
    program.server.conversation("http", "", "peer").handle(b'[{"id":1}]', threading.Event())
    log.close()
    assert logged(log.path) == [("in", "10 bytes that are not a request"), ("out", -32600)]
