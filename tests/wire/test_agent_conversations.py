"""Recorded conversations by the Agent contract, over HTTP, every answer checked against the contract's types.

Each line is a request (`ask`: method and path; `body`, or `raw` for a body that is not JSON) and what the
answer must be (`status`) and hold (`expect`, as for GIP). `token` is what the server requires, and what a
request sends.
"""

from __future__ import annotations

import http.client
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from deskhand.serving.endpoints import AgentSettings, endpoints, serve
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
    settings = AgentSettings(head.get("token"), exec=head.get("exec", False))
    with serve(session, endpoints(agent=0), agent=settings) as served:
        peer = http.client.HTTPConnection(
            "127.0.0.1", int(served.ready[0].url.rpartition(":")[2]), timeout=20
        )
        for step in steps:
            method, path = step["ask"].replace("TMP", str(tmp_path)).split(" ")
            body = step.get("raw", json.dumps(step.get("body", {}))).replace("TMP", str(tmp_path))
            headers = {"Content-Type": "application/json"}
            if "token" in step:
                headers["Authorization"] = f"Bearer {step['token']}"
            peer.request(method, path, None if method == "GET" else body, headers)
            reply = peer.getresponse()
            text = reply.read()
            where = f"{text.decode()[:2000]} after {json.dumps(step, ensure_ascii=False)}"
            assert reply.status == step.get("status", 200), where
            if reply.getheader("content-type") == "application/octet-stream":
                assert text.decode() == step["bytes"]
                continue
            check_answer(path.partition("?")[0], reply.status, text)
            if reply.status >= 400:
                assert json.loads(text)["error"] in (*KEYS, "unauthorized")
            assert_holds(
                json.loads(json.dumps(step["expect"]).replace("TMP", str(tmp_path))), json.loads(text), where
            )
        peer.close()
    session.close()


def test_every_endpoint_is_in_a_conversation():
    text = "".join(file.read_text() for file in FILES)
    for path in EVERY:
        assert f" {path}" in text


@pytest.fixture
def url(capsys):
    session = make_session()
    with serve(session, endpoints(agent=0), agent=AgentSettings(exec=True)) as served:
        yield served.ready[0].url.removeprefix("http://")
    session.close()


def ask(url, path, **body):
    peer = http.client.HTTPConnection(url, timeout=60)
    try:
        peer.request("GET" if path == "/health" else "POST", path, json.dumps(body))
        reply = peer.getresponse()
        text = reply.read()
        check_answer(path, reply.status, text)
        return reply.status, json.loads(text)
    finally:
        peer.close()


def test_fifty_clients_read_and_act_at_the_same_time(url):
    def client(number):
        looks = [ask(url, "/snapshot", mode="full", depth=9), ask(url, "/windows"), ask(url, "/health")]
        acts = [
            ask(url, "/set-value", id="name_edit", value=str(number)),
            ask(url, "/press", role="button", label="One"),
        ]
        assert all(answer["success"] for _, answer in acts)
        return {status for status, _ in looks + acts}

    with ThreadPoolExecutor(50) as pool:
        assert list(pool.map(client, range(50))) == [{200}] * 50


def test_a_long_command_and_a_long_wait_do_not_delay_others(url, tmp_path):
    command = f"touch {tmp_path}/began; while [ ! -e {tmp_path}/go ]; do sleep 0.05; done; echo done"
    with ThreadPoolExecutor(4) as pool:
        running = pool.submit(ask, url, "/exec", command=command, timeout=60)
        waiting = pool.submit(ask, url, "/wait", window="Later", timeout=2)
        while not (tmp_path / "began").exists():
            assert not running.done()
        for path in ("/health", "/windows", "/snapshot"):
            assert ask(url, path)[0] == 200
        assert ask(url, "/press", role="button", label="One") == (200, {"success": True})
        assert not running.done()
        (tmp_path / "go").touch()
        assert running.result(60)[1]["stdout"] == "done\n"
        assert waiting.result(60)[1]["success"] is False
