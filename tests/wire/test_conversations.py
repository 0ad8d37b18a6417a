"""Recorded conversations, held over every transport, with every reply checked against the document's shapes.

Each line is a request (`send`, or `raw` for what is not JSON) and what its reply must hold (`expect`): all
keys that are named there, with these values. "<number>" and the like stand for any value of a type, "<none>"
says that the key must be missing, and null in place of all says that there is no reply.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deskhand.protocols.gip.server import GipServer
from tests.wire.form import make_session
from tests.wire.shapes import check_reply
from tests.wire.talk import TRANSPORTS

FILES = sorted(Path(__file__).parent.glob("*.jsonl"))
KINDS = {"<string>": str, "<number>": (int, float), "<integer>": int, "<list>": list, "<object>": dict}


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_conversation(file, transport, tmp_path):
    head, *steps = [json.loads(line) for line in file.read_text().splitlines() if line]
    if transport in head.get("not over", ()):
        pytest.skip(head["because"])
    session = make_session(**head.get("session", {}))
    session.enabled = head.get("enabled", True)
    try:
        with TRANSPORTS[transport](GipServer(session, names=("shop",)), tmp_path) as say:
            for step in steps:
                message = step["raw"].encode() if "raw" in step else json.dumps(step["send"]).encode()
                reply = say(message)
                assert_holds(step["expect"], reply, json.dumps(step, ensure_ascii=False))
                if reply is not None:
                    sent = step.get("send", {})
                    sent = sent if isinstance(sent, dict) else {}
                    legacy = "jsonrpc" not in sent and "method" in sent
                    check_reply(reply, sent.get("method"), legacy=legacy)
    finally:
        session.close()


def assert_holds(expected, actual, where):
    if isinstance(expected, str) and expected in KINDS:
        assert isinstance(actual, KINDS[expected]), where
        assert not isinstance(actual, bool), where
    elif isinstance(expected, dict):
        assert isinstance(actual, dict), where
        for key, part in expected.items():
            if part == "<none>":
                assert key not in actual, f"{key} in {actual} after {where}"
            else:
                assert key in actual, f"no {key} in {actual} after {where}"
                assert_holds(part, actual[key], where)
    elif isinstance(expected, list) and expected and expected[-1] == "...":
        assert len(actual) >= len(expected) - 1, where
        for one, other in zip(expected[:-1], actual, strict=False):
            assert_holds(one, other, where)
    elif isinstance(expected, list):
        assert isinstance(actual, list), where
        assert len(actual) == len(expected), f"{actual} after {where}"
        for one, other in zip(expected, actual, strict=True):
            assert_holds(one, other, where)
    else:
        assert actual == expected, f"{actual!r} after {where}"
        assert type(actual) is type(expected), where


def test_every_standard_method_is_in_a_conversation():
    text = "".join(file.read_text() for file in FILES)
    for method in ("connect", "disconnect", "snapshot", "click", "type", "select", "ping", "qt_select_tab"):
        assert f'"method":"{method}"' in text
