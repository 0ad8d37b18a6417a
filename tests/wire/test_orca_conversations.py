"""Recorded conversations by the Orca contract, over HTTP, every answer checked against the document's shapes.

Each line is a request (`ask`: the method, `params`; or `raw` for a whole body) and what its result must hold
(`expect`, as for GIP) or which `error` it is; `id` is the one that comes back, where that is another than the
one sent. Or it is a request of another kind (`http`), and the `status` and `text` of its answer.
"""

from __future__ import annotations

import http.client
import json
from pathlib import Path

import pytest

from deskhand.serving.endpoints import endpoints, serve
from tests.wire.form import make_session
from tests.wire.orca_shapes import RESULTS, check_response
from tests.wire.test_conversations import assert_holds

FILES = sorted((Path(__file__).parent / "orca").glob("*.jsonl"))
PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR\x00\x00\x00\x20\x00\x00\x00\x10" + bytes(9)


def make_program(session):
    """What a program that registers everything registers."""

    def file_open(paths):
        if any("broken" in path for path in paths):
            raise OSError("no model in it")
        session.project = True
        return len(paths)

    def view_select(view):
        return ["home", "prepare", "preview"].index(view)

    session.project = False
    session.app_state = lambda: {
        "active_view": "prepare", "project_loaded": session.project, "slicing": True, "slice_progress": 40,
    }  # fmt: skip
    session.file_open, session.view_select = file_open, view_select
    session.viewport3d = lambda plate, width, height: PNG


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_conversation(file):
    head, *steps = [json.loads(line) for line in file.read_text().splitlines() if line]
    session = make_session(**head.get("session", {}))
    session.enabled = head.get("enabled", True)
    if head.get("program"):
        make_program(session)
        session.extended = head.get("extended", True)
    with serve(session, endpoints(orca=0)) as served:
        place = served.ready[0].url.split("/")[2]
        for number, step in enumerate(steps):
            method, path = step.get("http", "POST /jsonrpc").split(" ")
            asked = {"jsonrpc": "2.0", "id": number, "method": step.get("ask"), "params": step.get("params")}
            if "params" not in step:
                del asked["params"]
            body = step.get("raw", json.dumps(asked))
            peer = http.client.HTTPConnection(place, timeout=20)
            peer.request(method, path, body if method == "POST" else None, {"Content-Type": "text/plain"})
            reply = peer.getresponse()
            text = reply.read().decode()
            peer.close()
            where = f"{text[:2000]} after {json.dumps(step, ensure_ascii=False)}"
            assert reply.status == step.get("status", 200), where
            assert reply.getheader("connection") == "close"
            if "text" in step:
                assert (text, reply.getheader("content-type")) == (step["text"], "text/plain"), where
                continue
            assert reply.getheader("content-type") == "application/json"
            response = json.loads(text)
            check_response(response, step.get("ask"))
            assert response["id"] == step.get("id", number if "raw" not in step else None), where
            if "error" in step:
                assert response.get("error", {}).get("code") == step["error"], where
            else:
                assert "result" in response, where
                assert_holds(step["expect"], response["result"], where)
    session.close()


def test_every_method_is_in_a_conversation():
    asked = {json.loads(line).get("ask") for file in FILES for line in file.read_text().splitlines() if line}
    assert asked >= RESULTS.keys()
