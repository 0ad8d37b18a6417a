"""`deskhand mcp` and `--mcp`, as processes of their own around a real program."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from deskhand.cli.serve import Serving
from tests.traces import Parent, parent, until

FORM = [sys.executable, str(Path(__file__).parents[2] / "demo" / "qt_form.py"), "--rows", "5"]
FRAGILE = [sys.executable, str(Path(__file__).parents[1] / "faults" / "fragile.py")]
MCP = (
    "import sys; sys.argv = ['deskhand', 'mcp', '--structured', '--log-wire', {log!r}]; "
    "from deskhand.cli import main; main()"
)


class Stdio:
    """A chat client, as far as one line for each message goes."""

    def __init__(self, process: Parent) -> None:
        self.process = process
        self.count = 0
        self.ask(
            "initialize",
            protocolVersion="2025-11-25",
            capabilities={},
            clientInfo={"name": "t", "version": "1"},
        )

    def ask(self, method: str, **params: Any) -> Any:
        self.count += 1
        stdin = self.process.popen.stdin
        assert stdin is not None
        stdin.write(
            json.dumps({"jsonrpc": "2.0", "id": self.count, "method": method, "params": params}) + "\n"
        )
        stdin.flush()
        while True:
            told = self.process.says()
            if told.get("id") == self.count:
                return told["result"]

    def call(self, name: str, /, **arguments: Any) -> Any:
        structured = self.ask("tools/call", name=name, arguments=arguments)["structuredContent"]
        return structured.get("output") or structured["error"]


@pytest.fixture
def chat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stdio]:
    """`deskhand mcp`, started as a chat client does."""
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    monkeypatch.setenv("DESKHAND_RUNTIME_DIR", str(tmp_path))
    with parent(MCP.format(log=str(tmp_path / "wire"))) as process:
        yield Stdio(process)


def test_a_chat_client_needs_nothing_started_beforehand_and_leaves_nothing(
    chat: Stdio, tmp_path: Path
) -> None:
    client = chat
    error = client.call("ui_get_snapshot")
    assert error["code"] == "MCP_UI_NO_STAGES"
    assert "app_launch" in error["message"]
    names = [tool["name"] for tool in client.ask("tools/list")["tools"]]
    assert names[-4:] == ["app_list", "app_launch", "app_attach", "app_close"]

    first = client.call("app_launch", command=FORM, name="first")
    assert first["windows"] == ["Order form"]
    ref = client.call("ui_query", selector={"css": "#name"})["matches"][0]["ref"]
    assert client.call("app_launch", command=FORM, headless=False)["app"] == "qt_form"
    # References of one app mean nothing to another, although both count from the same beginning.
    assert client.call("ui_get_node", ref={"uid": ref["uid"]})["code"] == "MCP_UI_NODE_NOT_FOUND"
    own = client.call("ui_query", selector={"css": "#name"})["matches"][0]["ref"]
    assert own["uid"].startswith("u2-")
    told = client.call("ui_perform", actions=[{"type": "setText", "target": {"ref": own}, "text": "Bob"}])
    assert told["results"] == [{"ok": True, "type": "setText"}]
    assert own["uid"] in [change["uid"] for change in told["receipt"]["changed"]]
    assert client.call("ui_get_snapshot", sinceRevision=told["revision"])["noChange"] is True

    listed = {app["app"]: app for app in client.call("app_list")["apps"]}
    assert listed["first"]["open"] is True
    assert listed["first"]["current"] is False
    assert listed["qt_form"]["current"] is True
    assert client.call("app_attach", app="first")["pid"] == first["pid"]
    assert (
        client.call("ui_get_snapshot", sinceRevision=told["revision"])["unknownRevision"] == told["revision"]
    )
    assert client.call("ui_get_node", ref=ref)["value"]["text"] == ""
    assert client.call("ui_get_node", ref=own)["code"] == "MCP_UI_NODE_NOT_FOUND"
    assert client.call("app_close")["ended"] is True
    assert client.call("ui_get_node", ref=own)["value"]["text"] == "Bob"

    assert client.process.asks_to_end() == 0
    until(lambda: not client.process.left())
    assert not list((tmp_path / "apps").iterdir())
    lines = [json.loads(line) for line in (tmp_path / "wire").read_text().splitlines()]
    assert [line["dir"] for line in lines] == ["in", "out"] * (len(lines) // 2)
    asked = [line["message"]["method"] for line in lines[::2]]
    assert asked[:4] == ["initialize", "tools/call", "tools/list", "tools/call"]
    assert len(asked) == client.count


def test_an_app_that_dies_is_reported_and_a_client_that_is_killed_leaves_nothing(
    chat: Stdio, tmp_path: Path
) -> None:
    pid = chat.call("app_launch", command=FRAGILE)["pid"]
    os.kill(pid, signal.SIGKILL)

    told = chat.call("ui_get_snapshot")
    assert told["code"] == "MCP_UI_NO_STAGES"
    until(lambda: chat.call("app_list")["apps"][-1].get("ended"))
    assert chat.call("app_launch", command=FRAGILE)["windows"] == ["Fragile"]
    assert chat.call("app_launch", command=["/no/such/program"])["code"].startswith("MCP_UI_")
    assert chat.call("app_launch", command=[])["code"] == "MCP_UI_INTERNAL"
    assert chat.call("app_launch", command=["true"], env={"A": 1})["code"] == "MCP_UI_INTERNAL"
    assert chat.call("app_attach", app="missing")["code"] == "MCP_UI_NODE_NOT_FOUND"

    assert chat.process.processes()
    chat.process.kill()

    until(lambda: not chat.process.left())
    until(lambda: not list((tmp_path / "apps").iterdir()))


# -- over HTTP ------------------------------------------------------------------------------------------


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    monkeypatch.setenv("DESKHAND_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    started: list[subprocess.Popen[str]] = []

    def start(*words: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", "from deskhand.cli import main; main()", *words]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        started.append(process)
        return process

    yield start
    for process in started:
        process.terminate()
        process.communicate(timeout=20)


def post(url: str, name: str, token: str | None, **arguments: Any) -> tuple[int, Any]:
    message = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": name, "arguments": arguments},
    }
    headers = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    request = urllib.request.Request(url, json.dumps(message).encode(), headers)
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return response.status, json.load(response)["result"]["structuredContent"]
    except urllib.error.HTTPError as error:
        return error.code, None


def test_run_makes_a_token_and_prints_it_once(start: Callable[..., subprocess.Popen[str]]) -> None:
    process = start("run", "--mcp", "0", "--read-only", "--json", "--", *FORM)
    assert process.stdout is not None
    told = json.loads(process.stdout.readline())
    assert told["ready"] == "mcp"
    assert json.loads(process.stdout.readline()) == {"ready": True, "url": None}
    url, token = told["url"], told["token"]

    assert url.endswith("/mcp")
    assert post(url, "ui_get_snapshot", token)[1]["output"]["stages"][0]["title"] == "Order form"
    assert post(url, "ui_get_snapshot", None)[0] == 401
    assert post(url, "ui_perform", token, actions=[])[1]["error"]["code"] == "MCP_UI_ACTION_FAILED"
    with urllib.request.urlopen(url.removesuffix("/mcp") + "/health", timeout=10) as response:
        assert "ui_perform" not in json.load(response)["tools"]


def test_a_server_on_standby_says_so_and_needs_no_token_if_none_is_wanted(
    start: Callable[..., subprocess.Popen[str]],
) -> None:
    process = start("run", "--mcp", "0", "--no-token", "--standby", "--", *FORM)
    assert process.stdout is not None
    ready, kind, url = process.stdout.readline().split()

    status, told = post(url, "ui_get_snapshot", None)

    assert (ready, kind, status) == ("ready", "mcp", 200)
    assert told["error"]["code"] == "MCP_UI_NOT_ENABLED"


def test_a_token_that_was_made_is_not_asked_for_by_the_agent(capsys: pytest.CaptureFixture[str]) -> None:
    serving = Serving(
        gip=(),
        orca=None,
        agent=8648,
        mcp=8652,
        exec=False,
        token=None,
        token_file=None,
        no_token=False,
        token_everywhere=False,
        allow_other_users=False,
        log_wire=None,
        standby=False,
        read_only=False,
        as_json=False,
    ).check()

    assert serving.mcp_settings.token
    assert serving.agent_settings.token is None
    assert serving.gip_token is None
    assert capsys.readouterr().err == f"token {serving.mcp_settings.token}\n"
    assert replace(serving, made_token=None, no_token=True).check().mcp_settings.token is None
    assert replace(serving, token="mine").check().mcp_settings.token == "mine"
