"""Calls that may stay in a program for good: they do nothing until automation is asked for."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

import deskhand
from deskhand.adapters.memory import Element, MemoryAdapter
from deskhand.in_app import host, program
from deskhand.model.errors import ActionFailed, InvalidParams
from deskhand.processes import registry

ROOT = Path(__file__).resolve().parents[2]

UNDRIVEN = """
import sys
sys.path.insert(0, SOURCE)
before = set(sys.modules)
functions = {name: getattr(sys, name) for name in ("setprofile", "settrace", "excepthook", "displayhook")}
finders, hooks = list(sys.meta_path), list(sys.path_hooks)
import deskhand
class Button: pass
button = Button()
assert deskhand.automation_flags([]) is None
assert deskhand.automation_flags(["app", "--automation-server-port=13619", "model.stl"]) is None
deskhand.set_id(button, "btn_slice")
deskhand.register(app_state=dict, file_open=len, view_select=str, viewport3d=max, extended=True)
loaded = set(sys.modules) - before
ours = {name for name in loaded if name.startswith("deskhand")}
assert ours == {"deskhand", "deskhand.in_app", "deskhand.in_app.program"}, loaded
assert loaded.isdisjoint({"threading", "socket", "_socket", "select", "asyncio", "json", "logging"}), loaded
assert "typing" not in loaded
assert (list(sys.meta_path), list(sys.path_hooks)) == (finders, hooks)
assert {name: getattr(sys, name) for name in functions} == functions
import os, _thread
assert _thread._count() == 0
opened = [fd for fd in range(3, 100) if os.path.exists(f"/proc/self/fd/{fd}")]
assert not any(os.readlink(f"/proc/self/fd/{fd}").startswith("socket:") for fd in opened)
"""


def test_without_the_flag_nothing_is_loaded_started_opened_or_wrapped() -> None:
    text = UNDRIVEN.replace("SOURCE", repr(str(ROOT / "src")))
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", text],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.fixture
def adapter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MemoryAdapter]:
    monkeypatch.setenv(registry.VARIABLE, str(tmp_path))
    monkeypatch.setattr(program, "registered", {})
    adapter = MemoryAdapter([Element("window", "Shop", children=[Element("button", "Buy", "buy")])])
    yield adapter
    adapter.close()


@pytest.mark.parametrize(
    ("words", "port"),
    [
        (["--automation-server"], 13619),
        (["--automation-server", "--automation-server-port=4711"], 4711),
        (["--automation-server-port=4711", "x", "--automation-server"], 4711),
        (["--automation-server", "--automation-server-port=0"], 13619),
        (["--automation-server", "--automation-server-port=-5"], 13619),
        (["--automation-server", "--automation-server-port=1", "--automation-server-port=2"], 2),
        (["--automation-server", "--automation-server-port", "13721"], 13721),
        (["--automation-server-port", "13721", "--automation-server"], 13721),
        (["--automation-server", "--automation-server-port", "-5"], 13619),
    ],
)
def test_the_flags_ask_for_a_port(monkeypatch: pytest.MonkeyPatch, words: list[str], port: int) -> None:
    asked: list[object] = []
    monkeypatch.setattr(host, "enable", lambda orca: asked.append(host.endpoints(orca=orca)[0].address))
    deskhand.automation_flags(["app", *words, "model.stl"])
    assert asked == [f"http://127.0.0.1:{port}"]


@pytest.mark.parametrize("port", ["x", "1.5", "70000"])
def test_a_port_that_is_none_is_refused(adapter: MemoryAdapter, port: str) -> None:
    with pytest.raises(InvalidParams, match=port):
        deskhand.automation_flags(["app", "--automation-server", f"--automation-server-port={port}"])
    assert registry.apps() == ()


def test_what_is_registered_after_the_start_counts_too(adapter: MemoryAdapter) -> None:
    with host.enable(orca=0, adapter=adapter) as handle:
        assert capabilities(handle)[9:] == []
        deskhand.register(file_open=len)
        assert capabilities(handle)[9:] == ["file.open"]
        deskhand.register(view_select=str)
        assert capabilities(handle)[9:] == ["file.open", "view.select"]
        deskhand.register(extended=False)
        assert capabilities(handle)[9:] == []
    assert program.driven == []


def test_switched_off_and_on_by_its_handle(adapter: MemoryAdapter) -> None:
    with host.enable(orca=0, adapter=adapter, standby=True) as handle:
        (url,) = handle.endpoints
        assert ask(url, "app.state")["error"]["code"] == 1006
        handle.enabled = True
        assert ask(url, "app.state")["result"]["foreground"] is True
        handle.enabled = False
        assert ask(url, "app.state")["error"]["code"] == 1006
    with pytest.raises(OSError):
        ask(url, "app.state")


def test_a_port_that_is_taken_is_reported(adapter: MemoryAdapter) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ActionFailed, match=rf"cannot serve orca at .*port {port} .*in use"):
            host.enable(orca=port, adapter=adapter)
    assert registry.apps() == ()


def test_a_warning_says_that_it_is_on(adapter: MemoryAdapter, caplog: pytest.LogCaptureFixture) -> None:
    with host.enable(orca=0, adapter=adapter):
        (line,) = [record for record in caplog.records if "ENABLED" in record.getMessage()]
    assert line.levelname == "WARNING"
    assert "UI automation server ENABLED" in line.getMessage()
    assert "input injection is active" in line.getMessage()


def ask(url: str, method: str) -> dict[str, dict[str, object]]:
    request = urllib.request.Request(url, json.dumps({"id": 1, "method": method}).encode())
    with urllib.request.urlopen(request, timeout=10) as reply:
        answer: dict[str, dict[str, object]] = json.load(reply)
        return answer


def capabilities(handle: host.Handle) -> list[str]:
    listed = ask(handle.endpoints[0], "automation.version")["result"]["capabilities"]
    assert isinstance(listed, list)
    return listed
