"""Recorded conversations by the Agent contract, over HTTP, every answer checked against the contract's types.

Each line is a request (`ask`: method and path; `body`, or `raw` for what is no JSON) and what the answer must
be (`status`) and hold (`expect`, as for GIP).
"""

from __future__ import annotations

import http.client
import json
from pathlib import Path

import pytest

from deskhand.endpoints import AgentSettings, endpoints, serve
from tests.wire.agent_shapes import KEYS, check_answer
from tests.wire.form import make_session
from tests.wire.test_conversations import assert_holds

FILES = sorted((Path(__file__).parent / "agent").glob("*.jsonl"))
EVERY = (
    "/health", "/exec", "/upload", "/download", "/shutdown", "/debug/ax", "/windows", "/snapshot", "/inspect",
    "/press", "/set-value", "/focus", "/show-menu", "/wait", "/window-focus", "/window-resize",
    "/window-move", "/window-close", "/window-minimize",
)  # fmt: skip


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_conversation(file, tmp_path, capsys):
    head, *steps = [json.loads(line) for line in file.read_text().splitlines() if line]
    session = make_session(**head.get("session", {}))
    session.enabled = head.get("enabled", True)
    settings = AgentSettings(exec=head.get("exec", False))
    with serve(session, endpoints(agent=0), agent=settings) as served:
        peer = http.client.HTTPConnection(
            "127.0.0.1", int(served.ready[0].url.rpartition(":")[2]), timeout=20
        )
        for step in steps:
            method, path = step["ask"].replace("TMP", str(tmp_path)).split(" ")
            body = step.get("raw", json.dumps(step.get("body", {}))).replace("TMP", str(tmp_path))
            peer.request(
                method, path, None if method == "GET" else body, {"Content-Type": "application/json"}
            )
            reply = peer.getresponse()
            text = reply.read()
            where = f"{text.decode()[:2000]} after {json.dumps(step, ensure_ascii=False)}"
            assert reply.status == step.get("status", 200), where
            if reply.getheader("content-type") == "application/octet-stream":
                assert text.decode() == step["bytes"]
                continue
            check_answer(path.partition("?")[0], reply.status, text)
            if reply.status >= 400:
                assert json.loads(text)["error"] in KEYS
            assert_holds(
                json.loads(json.dumps(step["expect"]).replace("TMP", str(tmp_path))), json.loads(text), where
            )
        peer.close()
    session.close()


def test_every_endpoint_is_in_a_conversation():
    text = "".join(file.read_text() for file in FILES)
    for path in EVERY:
        assert f" {path}" in text
