"""`--trace`: what clients do to a server's app is recorded, whichever protocol they speak."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from deskhand import Trace, connect
from deskhand.model.errors import NotFound
from deskhand.serving.endpoints import Endpoint, serve
from deskhand.tracing.reader import Recorded
from tests.client.greeter import Greeter

DESKHAND = [sys.executable, "-c", "from deskhand.cli import main; main()"]
FORM = [sys.executable, str(Path(__file__).parents[2] / "demo" / "qt_form.py"), "--rows", "5"]


def test_endpoint_records_which_client_did_what(tmp_path: Path) -> None:
    greeter = Greeter()
    trace = Trace(tmp_path / "trace.zip")
    endpoint = Endpoint("gip", str(tmp_path / "socket"))
    with (
        serve(greeter.session, [endpoint], names=("greeter",), trace=trace),
        connect(endpoint.address) as app,
    ):
        app.locator("#name").fill("Ada")
        with pytest.raises(NotFound):
            app.locator("#nothing").click(timeout=0)
    trace.save()
    greeter.session.close()
    with Recorded(trace.path or "") as read:
        acted = [step for step in read.steps if step["acts"]]
        assert [step["client"] for step in acted] == ["gip", "gip"]
        assert acted[0]["params"]["text"] == "Ada"
        assert acted[1]["error"]["kind"] == "not_found"
        assert read.apps[1]["name"] == "greeter"


def test_run_records_endpoints_and_other_commands_with_screenshots(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DESKHAND_RUNTIME_DIR", str(tmp_path / "r"))
    gip, file = tmp_path / "gip", tmp_path / "trace.zip"
    command = [*DESKHAND, "run", "--headless", "--gip", str(gip), "--trace", str(file), "--", *FORM]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        lines = [process.stdout.readline().strip() for _ in range(2)]
        assert lines == [f"ready gip unix:{gip}", "ready"]
        with connect(str(gip)) as app:
            app.locator("#name").fill("Ada")
        subprocess.run([*DESKHAND, "click", "button[name=Greet]"], check=True, capture_output=True)
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=60)
    finally:
        process.kill()
        process.communicate()
    assert f"deskhand trace show {file}" in said
    assert not file.with_name("trace.zip.recording").exists()
    with Recorded(file) as trace:
        typed, clicked = [step for step in trace.steps if step["acts"]]
        assert typed["target"]["label"] == 'textfield "Name"'
        assert clicked["target"]["label"] == 'button "Greet"'
        frame = trace.frames[trace.states[clicked["before"]]["frame"]]
        assert (frame["width"], frame["height"]) == (1280, 800)
        png = trace.screenshot(frame["frame"])
        assert png is not None
        assert png.startswith(b"\x89PNG")
        after = trace.states[clicked["after"]]["tree"]["nodes"]
        assert "Hello, Ada!" in [node.get("text") for node in after]


def test_mcp_records_what_a_model_did_in_each_app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESKHAND_RUNTIME_DIR", str(tmp_path / "r"))
    file = tmp_path / "trace.zip"
    target = {"role": "textfield", "name": "Name"}
    calls = [
        ("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": _CLIENT}),
        ("tools/call", {"name": "app_launch", "arguments": {"command": FORM, "name": "form"}}),
        (
            "tools/call",
            {
                "name": "ui_perform",
                "arguments": {"actions": [{"type": "setText", "target": target, "text": "Bob"}]},
            },
        ),
    ]
    command = [*DESKHAND, "mcp", "--trace", str(file)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for number, (method, params) in enumerate(calls):
            message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            process.stdin.write(json.dumps(message) + "\n")
            process.stdin.flush()
            answer = json.loads(process.stdout.readline())
            assert answer["id"] == number
            assert not answer["result"].get("isError"), answer
        process.stdin.close()
        assert process.wait(timeout=60) == 0
    with Recorded(file) as trace:
        assert trace.log[0]["text"].startswith("app_launch ")
        assert trace.apps[1]["name"] == "form"
        (step,) = [step for step in trace.steps if step["acts"]]
        assert step["client"] == "mcp"
        assert step["params"]["value"] == "Bob"
        nodes = trace.states[step["after"]]["tree"]["nodes"]
        assert "Bob" in [node.get("value") for node in nodes]


_CLIENT = {"name": "test", "version": "1"}
