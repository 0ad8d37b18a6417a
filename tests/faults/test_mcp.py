"""MCP over a program that hangs: every tool answers in time, and what was too late never happens."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from deskhand.launching import launcher
from deskhand.protocols.mcp.server import McpServer
from deskhand.serving.mcp import mcp_server
from deskhand.serving.remote import Remote

FRAGILE = Path(__file__).with_name("fragile.py")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[McpServer]:
    command = [sys.executable, str(FRAGILE)]
    env = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "GO_ON": str(tmp_path / "go on")}
    with launcher.start(command, env=env) as app:
        runner = Remote(f"unix:{app.control}").open()
        yield mcp_server(runner)
        runner.close()


def call(server: McpServer, name: str, /, **arguments: Any) -> Any:
    structured = server.call(name, arguments, threading.Event())["structuredContent"]
    return structured.get("error") or structured["output"]


def click(server: McpServer, uid: str, **options: Any) -> Any:
    return call(server, "ui_perform", actions=[{"type": "click", "target": {"ref": uid}}], **options)


def test_a_gui_thread_that_is_blocked_costs_each_caller_its_timeout(
    server: McpServer, tmp_path: Path
) -> None:
    found = {
        css: call(server, "ui_query", selector={"css": css})["matches"][0]["ref"]["uid"]
        for css in ("#block", "#count", "#report")
    }
    click(server, found["#block"], receipt=False, awaitUiIdle=False)
    began = time.monotonic()

    with ThreadPoolExecutor() as pool:
        slow = [
            pool.submit(call, server, "ui_get_snapshot"),
            pool.submit(call, server, "ui_query", selector={"css": "#count"}),
            pool.submit(call, server, "ui_screenshot"),
            pool.submit(call, server, "ui_get_node", ref=found["#count"]),
        ]
        late = click(server, found["#count"], timeoutMs=500)
        assert late["code"] == "MCP_UI_TIMEOUT"
        assert time.monotonic() - began < 3
        waited = call(server, "ui_wait", ref=found["#report"], until="text", value="never", timeoutMs=300)
        assert waited["code"] == "MCP_UI_TIMEOUT"
        assert len(server.tools()) == 8, "what needs no GUI thread is answered at once"
        assert [each.result()["code"] for each in slow] == ["MCP_UI_TIMEOUT"] * 4
    assert time.monotonic() - began < 9.5
    (tmp_path / "go on").touch()

    told = call(server, "ui_wait", ref=found["#report"], until="text", value="unblocked", timeoutMs=20_000)
    assert told["ok"] is True
    receipt = click(server, found["#count"])["receipt"]
    report = next(change for change in receipt["changed"] if change.get("id") == "report")
    assert report["now"] == {"text": "pressed 1"}, "the click that timed out must not come later"
