"""No password gets into the wire log, whatever a client does with it, over every protocol."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from deskhand.adapters.memory import Element
from deskhand.cli.main import commands
from deskhand.engine.session import Session
from deskhand.model.operations import Find
from deskhand.protocols.gip.server import GipServer
from deskhand.protocols.orca.server import OrcaServer
from deskhand.protocols.wirelog import WireLog
from deskhand.serving.agent import agent_server
from deskhand.serving.mcp import mcp_server
from tests.traces import parent
from tests.transports.servers import serving
from tests.wire.form import make_session

SECRET = "hunter2-Ü"
NAME, PASSWORD = {"target": "#name_edit"}, {"target": "#password_edit"}
Ask = Callable[[str, Any], None]


class Asked:
    """A request to the agent server, as a transport hands it over."""

    def __init__(self, path: str, body: Any) -> None:
        self.method, self.path, self.peer = "POST", path, "test"
        self.query: dict[str, str] = {}
        self._body = json.dumps(body).encode()

    def read(self, _: int) -> bytes:
        return self._body


@pytest.fixture
def session() -> Iterator[Session]:
    session = make_session()
    yield session
    session.close()


@pytest.fixture
def log(tmp_path: Path) -> Iterator[WireLog]:
    log = WireLog(tmp_path / "wire")
    yield log
    log.close()


def speak(protocol: str, session: Session, log: WireLog) -> Ask:
    """What sends one request by that protocol."""
    gip = GipServer(session, log=log).conversation("unix", "unix:/tmp/app", "test")
    orca, agent, mcp = (
        OrcaServer(session, log=log),
        agent_server(session, log=log),
        mcp_server(session, log=log),
    )

    def request(method: str, params: Any) -> bytes:
        return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()

    asks: dict[str, Ask] = {
        "gip": lambda method, params: gip.handle(request(method, params)) and None,
        "orca": lambda method, params: (
            orca.conversation("http", "", "test").handle(request(method, params), threading.Event()) and None
        ),
        "agent": lambda path, body: agent.handle(Asked(path, body), threading.Event()) and None,  # type: ignore[arg-type]  # as much of a request as it reads
        "mcp": lambda name, arguments: mcp.call(name, arguments, threading.Event()) and None,
    }
    return asks[protocol]


def action(**action: Any) -> dict[str, Any]:
    return {"actions": [action]}


def element(session: Session, name: str) -> Element:
    return next(found for found in session.adapter.windows[0].walk() if found.id == name)  # type: ignore[attr-defined]  # the memory adapter


def uid(session: Session, name: str) -> str:
    return session.run(Find(f"#{name}"))[0].uid


TABBED = f"Ada\t{SECRET}"
CASES: dict[str, list[tuple[str, str, Any]]] = {
    "text that tabs into a password field": [
        ("gip", "type", {"ref": "root/name_edit", "text": TABBED}),
        ("gip", "deskhand_type_text", {**NAME, "text": TABBED, "receipt": True}),
        ("gip", "deskhand_set_value", {**NAME, "value": TABBED, "receipt": True}),
        ("orca", "input.type", {"target": {"id": "name_edit"}, "text": TABBED}),
        ("agent", "/set-value", {"id": "name_edit", "value": TABBED}),
        ("agent", "/deskhand/type_text", {**NAME, "text": TABBED, "receipt": True}),
        ("mcp", "ui_perform", action(type="setText", target={"ref": "NAME"}, text=TABBED)),
        ("mcp", "ui_perform", action(type="typeText", target={"ref": "NAME"}, text=TABBED)),
    ],
    "a wait for the value of a password": [
        ("gip", "deskhand_wait", {**PASSWORD, "state": "value", "value": SECRET, "timeout": 0.02}),
        ("gip", "deskhand_wait", {"target": f'textfield[value="{SECRET}"]', "timeout": 0.02}),
        ("gip", "deskhand_wait", {"target": f"text={SECRET}", "timeout": 0.02}),
        ("orca", "sync.wait_for", {"target": {"value": SECRET}, "state": "exists", "timeout_ms": 20}),
        ("agent", "/deskhand/wait", {**PASSWORD, "state": "value", "value": SECRET, "timeout": 0.02}),
        ("mcp", "ui_wait", {"ref": "PASSWORD", "until": "value", "value": SECRET, "timeoutMs": 20}),
        ("mcp", "ui_wait", {"selector": {"css": f'[value="{SECRET}"]'}, "timeoutMs": 20}),
    ],
    "select on a password field": [
        ("gip", "select", {"ref": "root/password_edit", "text": SECRET}),
        ("gip", "deskhand_select", {**PASSWORD, "value": SECRET, "timeout": 0}),
        ("agent", "/deskhand/select", {**PASSWORD, "text": SECRET, "timeout": 0}),
        ("mcp", "ui_perform", action(type="select", target={"ref": "PASSWORD"}, value=SECRET)),
    ],
    "a misspelt method": [
        ("gip", "tpye", {"ref": "root/password_edit", "text": SECRET}),
        ("gip", "deskhand_type_txt", {**PASSWORD, "text": SECRET}),
        ("orca", "input.tpye", {"target": {"id": "password_edit"}, "text": SECRET}),
        ("agent", "/set-vlaue", {"id": "password_edit", "value": SECRET}),
        ("agent", "/deskhand/type_txt", {**PASSWORD, "text": SECRET}),
        ("mcp", "ui_perform", action(type="setTxet", target={"ref": "PASSWORD"}, text=SECRET)),
    ],
    "a misspelt field": [
        ("gip", "type", {"ref": "root/password_edit", "txt": SECRET}),
        ("gip", "deskhand_type_text", {**PASSWORD, "txet": [SECRET, {"a": SECRET}]}),
        ("gip", "type", [SECRET]),
        ("gip", "deskhand_type_text", {**PASSWORD, "message": SECRET, "code": SECRET, "description": SECRET}),
        ("orca", "input.type", {"target": {"id": "password_edit"}, "txt": SECRET}),
        ("orca", "input.type", {"tarret": {"id": "password_edit"}, "text": {"text": {"name": SECRET}}}),
        ("agent", "/set-value", {"id": "password_edit", "vlaue": SECRET}),
        ("agent", "/deskhand/type_text", {**PASSWORD, "txt": SECRET}),
        ("mcp", "ui_perform", action(type="setText", target={"ref": "PASSWORD"}, txt=SECRET)),
        ("mcp", "ui_perform", {"action": {"text": SECRET}}),
    ],
    "an error that echoes a value": [
        ("gip", "select", {"ref": "root/country", "text": SECRET}),
        ("gip", "deskhand_select", {"target": "#country", "value": SECRET, "timeout": 0}),
        ("gip", "deskhand_key", {"keys": SECRET}),
        ("gip", "deskhand_get", {"target": f"textfield[value={SECRET}]"}),
        ("gip", "deskhand_get", {"target": f"[[{SECRET}"}),
        ("orca", "input.key", {"keys": SECRET}),
        ("orca", "widget.get", {"target": {"value": SECRET}}),
        ("agent", "/deskhand/key", {"keys": SECRET}),
        ("agent", "/deskhand/select", {"target": "#country", "value": SECRET, "timeout": 0}),
        ("agent", "/set-value", {"id": "country", "value": SECRET}),
        ("mcp", "ui_perform", action(type="pressKey", key=SECRET)),
        ("mcp", "ui_perform", action(type="select", target={"ref": "COUNTRY"}, value=SECRET)),
        ("mcp", "ui_query", {"selector": {"css": f"textfield[value={SECRET}]"}}),
    ],
}
ROWS = [
    pytest.param(protocol, method, params, id=f"{case}: {protocol} {method} {at}")
    for case, rows in CASES.items()
    for at, (protocol, method, params) in enumerate(rows)
]


@pytest.mark.parametrize(("protocol", "method", "params"), ROWS)
def test_a_password_is_in_no_line_of_the_log(
    session: Session, log: WireLog, protocol: str, method: str, params: Any
) -> None:
    for name, word in (("name_edit", "NAME"), ("password_edit", "PASSWORD"), ("country", "COUNTRY")):
        params = json.loads(json.dumps(params).replace(f'"{word}"', f'"{uid(session, name)}"'))

    speak(protocol, session, log)(method, params)

    lines = [json.loads(line) for line in log.path.read_text().splitlines()]
    assert [line["dir"] for line in lines] == ["in", "out"]
    assert "hunter2" not in str(lines)


@pytest.mark.parametrize(
    ("protocol", "method", "params"),
    [
        ("gip", "snapshot", {}),
        ("gip", "deskhand_read_tree", {"details": True}),
        ("gip", "deskhand_get", NAME),
        ("gip", "deskhand_wait", {**NAME, "state": "value", "value": "other", "timeout": 0.02}),
        ("orca", "tree.dump", {}),
        ("orca", "widget.get", {"target": {"id": "name_edit"}}),
        ("agent", "/snapshot", {"mode": "full"}),
        ("agent", "/inspect", {"id": "name_edit"}),
        ("agent", "/deskhand/find", {"target": "textfield"}),
        ("mcp", "ui_get_snapshot", {"mode": "full"}),
        ("mcp", "ui_query", {"selector": {"css": "textfield"}}),
        ("mcp", "ui_get_node", {"ref": "NAME"}),
    ],
)
def test_what_a_person_entered_is_not_in_the_log_of_an_answer(
    session: Session, log: WireLog, protocol: str, method: str, params: Any
) -> None:
    field = element(session, "name_edit")
    session.adapter.call(lambda: setattr(field, "value", SECRET), timeout=5)
    params = json.loads(json.dumps(params).replace('"NAME"', f'"{uid(session, "name_edit")}"'))

    speak(protocol, session, log)(method, params)

    assert "hunter2" not in log.path.read_text()


@pytest.mark.parametrize("protocol", ["gip", "orca", "agent", "mcp"])
def test_what_was_typed_and_is_shown_as_a_name_later_is_masked(
    session: Session, log: WireLog, protocol: str
) -> None:
    window, ask = session.adapter.windows[0], speak(protocol, session, log)  # type: ignore[attr-defined]  # the memory adapter
    typing = {
        "gip": ("type", {"ref": "root/name_edit", "text": TABBED}),
        "orca": ("input.type", {"target": {"id": "name_edit"}, "text": TABBED}),
        "agent": ("/set-value", {"id": "name_edit", "value": TABBED}),
        "mcp": ("ui_perform", action(type="setText", target={"ref": uid(session, "name_edit")}, text=TABBED)),
    }
    reading = {
        "gip": ("snapshot", {}),
        "orca": ("tree.dump", {}),
        "agent": ("/windows", {}),
        "mcp": ("ui_get_snapshot", {"mode": "full"}),
    }

    ask(*typing[protocol])
    session.adapter.call(lambda: setattr(window, "name", f"Hello {SECRET}"), timeout=5)
    ask(*reading[protocol])

    text = log.path.read_text()
    assert "hunter2" not in text
    assert "Hello ••••" in text


def test_a_number_that_is_sent_as_a_password_is_not_in_the_log(session: Session, log: WireLog) -> None:
    ask = speak("gip", session, log)
    ask("type", {"ref": "root/password_edit", "text": 31415926})
    ask("deskhand_get", {"target": "[number=31415926]"})
    assert "31415926" not in log.path.read_text()


def test_what_helps_to_find_a_mistake_is_in_the_log(session: Session, log: WireLog) -> None:
    ask = speak("gip", session, log)
    ask(
        "deskhand_click",
        {"target": 'button[name="Submit"]:enabled', "button": "left", "x": 3, "timeout": 0.5},
    )
    ask("deskhand_clik", {"target": "#submit_button"})
    ask("snapshot", {})
    click, _, misspelt, refused, _, tree = (
        json.loads(line)["message"] for line in log.path.read_text().splitlines()
    )
    assert click["method"] == "deskhand_click"
    assert click["params"] == {
        "target": 'button[name="Submit"]:enabled',
        "button": "left",
        "x": 3,
        "timeout": 0.5,
    }
    assert misspelt["params"] == {"target": "#submit_button"}
    assert refused["error"]["message"] == "Method not found: deskhand_clik"
    assert tree["result"]["properties"]["title"] == "Order form"
    assert tree["result"]["children"][0]["ref"] == "root/name_edit"


def test_a_text_that_is_a_common_word_does_not_make_the_log_unreadable(
    session: Session, log: WireLog
) -> None:
    ask = speak("gip", session, log)
    ask("deskhand_type_text", {**NAME, "text": "textfield"})
    ask("deskhand_get", NAME)
    assert '"role":"textfield"' in log.path.read_text()


@pytest.mark.parametrize(
    ("protocol", "method", "params"),
    [
        ("gip", "type", {"ref": "root/name_edit", "text": "Ada Lovelace"}),
        ("orca", "input.type", {"target": {"id": "name_edit"}, "text": "Ada Lovelace"}),
        ("agent", "/set-value", {"id": "name_edit", "value": "Ada Lovelace"}),
        ("mcp", "ui_perform", action(type="setText", target={"ref": "NAME"}, text="Ada Lovelace")),
    ],
)
@pytest.mark.parametrize("shown", [False, True])
def test_typed_text_is_shown_only_if_that_was_asked_for(
    session: Session, tmp_path: Path, protocol: str, method: str, params: Any, shown: bool
) -> None:
    params = json.loads(json.dumps(params).replace('"NAME"', f'"{uid(session, "name_edit")}"'))
    log = WireLog(tmp_path / "wire", text=shown)
    speak(protocol, session, log)(method, params)
    log.close()
    text = log.path.read_text()
    assert ("Ada Lovelace" in text) is shown
    assert ("(12 characters)" in text) is not shown
    assert element(session, "name_edit").value == "Ada Lovelace"


@pytest.mark.parametrize(
    "message",
    [
        {"method": "tools/call", "params": {"name": "ui_perform", "arguments": SECRET}},
        {"method": "tools/call", "params": {"name": "ui_preform", "arguments": {"text": SECRET}}},
        {"method": "tools/cal", "params": {"name": "ui_perform", "arguments": {"text": SECRET}}},
        {"method": "prompts/get", "params": {"name": "fill_form", "arguments": {"fields": SECRET}}},
        {"method": "prompts/get", "params": {"name": SECRET, "arguments": [SECRET]}},
    ],
)
def test_mcp_messages_that_no_tool_answers_hold_no_password_in_the_log(
    session: Session, tmp_path: Path, message: Any
) -> None:
    with serving("mcp", session, tmp_path, text=False) as served:
        served.ask(body=json.dumps({"jsonrpc": "2.0", "id": 7, **message}).encode())
        logged = served.log.read_text()
    assert '"in"' in logged
    assert '"out"' in logged
    arguments = {key: value for key, value in message["params"].items() if key != "name"}
    assert "hunter2" in str(arguments)
    assert "hunter2" not in logged.replace(f'"name":"{SECRET}"', "")


STDIO = """
import sys
sys.argv = ["deskhand", "mcp", "--log-wire", {log!r}, *{options!r}]
from deskhand.cli import main
main()
"""


@pytest.mark.parametrize("options", [[], ["--log-wire-text"]])
def test_mcp_on_stdio_logs_texts_only_if_that_was_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str]
) -> None:
    monkeypatch.setenv("DESKHAND_RUNTIME_DIR", str(tmp_path))
    log = tmp_path / "wire"
    about = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    messages: list[tuple[str, Any]] = [
        ("initialize", about),
        ("prompts/get", {"name": "fill_form", "arguments": {"fields": SECRET}}),
        ("tools/call", {"name": "ui_perform", "arguments": SECRET}),
        ("tools/call", {"name": "ui_clipboard", "arguments": {"txt": SECRET}}),
    ]
    with parent(STDIO.format(log=str(log), options=options)) as process:
        for at, (method, params) in enumerate(messages):
            assert process.popen.stdin is not None
            request = {"jsonrpc": "2.0", "id": at, "method": method, "params": params}
            process.popen.stdin.write(json.dumps(request) + "\n")
            process.popen.stdin.flush()
            while process.says().get("id") != at:
                pass
    assert ("hunter2" in log.read_text()) is bool(options)
    assert "fill_form" in log.read_text()


@pytest.mark.parametrize("command", [["run", "true"], ["serve"], ["attach", "1"], ["agent"], ["mcp"]])
def test_a_log_of_texts_without_a_file_is_refused(command: list[str]) -> None:
    done = CliRunner().invoke(commands, [command[0], "--log-wire-text", *command[1:]])
    assert done.exit_code == 2
    assert "give --log-wire FILE too" in done.output
