"""What a GIP server does when things go wrong around it."""

from __future__ import annotations

import json
import logging
import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from deskhand.model import errors
from deskhand.model import operations as ops
from deskhand.model.errors import Cancelled, NotConnected
from deskhand.protocols import jsontext
from deskhand.protocols.gip.server import GipServer
from deskhand.transports.socket import SocketChannel, SocketServer
from tests.wire.form import make_session
from tests.wire.shapes import check_node, check_reply


class Runner:
    """Runs what it is given instead of operations."""

    def __init__(self, function):
        self.function = function

    def run(self, operation, cancel=None):
        return self.function(operation, cancel)

    def close(self): ...


def talk(runner):
    conversation = GipServer(runner).conversation("unix", "unix:/tmp/app", "test")

    def ask(method, params=None, *, id=1, cancel=None):
        request = {"jsonrpc": "2.0", "method": method, "params": params or {}}
        if id is not None:
            request["id"] = id
        reply = conversation.handle(json.dumps(request).encode(), cancel)
        if reply is None:
            return None
        answer = json.loads(reply)
        check_reply(answer, method)
        return answer

    return ask


@pytest.fixture
def session():
    session = make_session()
    yield session
    session.close()


def test_a_ref_that_is_longer_than_any_is_not_found(session):
    for ref in ("root/" * 3000, "x" * 100_000):
        error = talk(session)("click", {"ref": ref})["error"]
        assert (error["code"], error["data"]["similar"]) == (1, [])


def test_a_server_without_a_program_answers_ping_alone():
    ask = talk(None)
    assert ask("ping")["result"]["status"] == "ok"
    for method in ("connect", "snapshot", "click", "type", "select", "deskhand_read_tree"):
        assert ask(method, {"ref": "root", "target": "x"})["error"]["code"] == 4


def test_a_program_that_is_gone_is_not_connected():
    def run(operation, cancel):
        raise NotConnected("the program ended")

    ask = talk(Runner(run))
    assert ask("snapshot")["error"]["code"] == 4
    assert ask("connect", {"target": "app"})["error"]["code"] == 4


def test_a_program_without_a_window_is_reported(session):
    session.adapter.windows.clear()
    reply = talk(session)("snapshot")
    assert reply["error"]["code"] == -32603
    assert reply["error"]["data"]["kind"] == "no_windows"
    assert talk(session)("click", {"ref": "root/a"})["error"]["code"] == -32603


def test_a_fault_of_ours_is_an_internal_error_and_logged(caplog):
    def run(operation, cancel):
        raise ZeroDivisionError("oh")

    ask = talk(Runner(run))
    with caplog.at_level(logging.ERROR, "deskhand"):
        reply = ask("snapshot")
    assert reply["error"]["code"] == -32603
    assert reply["error"]["message"] == "ZeroDivisionError: oh"
    assert "snapshot failed" in caplog.text
    assert ask("ping")["result"]["status"] == "ok"


def test_a_caller_that_disconnects_cancels_its_request_but_not_its_notifications():
    seen = []

    def run(operation, cancel):
        seen.append(cancel)
        raise Cancelled("gone")

    ask = talk(Runner(run))
    event = threading.Event()
    ask("deskhand_wait", {"target": "a"}, cancel=event)
    ask("deskhand_click", {"target": "a"}, id=None, cancel=event)
    assert seen == [event, None]


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        ("ParseError", -32700), ("InvalidRequest", -32600), ("UnknownMethod", -32601),
        ("InvalidParams", -32602),
        ("SelectorError", -32602), ("InvalidKey", -32602), ("OptionNotFound", -32602), ("NotFound", 1),
        ("Ambiguous", 1), ("Stale", 1), ("WindowNotFound", 1), ("NoWindows", -32603), ("NotVisible", 2),
        ("NotEnabled", 3), ("NotFocusable", 6), ("NotEditable", 7), ("NotStable", 5), ("WaitTimeout", 5),
        ("UiBusy", 5), ("Disabled", 4), ("NotConnected", 4), ("AppGone", 4), ("ActionsOff", -32603),
        ("ActionUnsupported", -32603), ("ActionFailed", -32603), ("ScreenshotFailed", -32603),
        ("ConnectFailed", -32603), ("AccessibilityUnavailable", -32603), ("DeskhandError", -32603),
    ],
)  # fmt: skip
def test_every_error_has_its_code(kind, code):
    def run(operation, cancel):
        raise getattr(errors, kind)("why")

    ask = talk(Runner(run))
    assert ask("click", {"ref": "root/a"})["error"]["code"] == code
    assert ask("deskhand_click", {"target": "a"})["error"]["code"] == code


def test_the_methods_of_the_document_do_not_wait():
    timeouts = []

    def run(operation, cancel):
        timeouts.append(operation.timeout)
        return ops.Done()

    ask = talk(Runner(run))
    ask("click", {"ref": "root"})
    ask("type", {"ref": "root", "text": "x"})
    ask("select", {"ref": "root", "index": 1})
    assert timeouts == [0, 0, 0]


def test_a_blocked_program_delays_only_its_own_caller(session, tmp_path):
    session.ui_timeout = 0.3
    release = threading.Event()
    begun = threading.Event()
    session.adapter.post(lambda: (begun.set(), release.wait(30)))
    assert begun.wait(10)
    gip = GipServer(session)
    with SocketServer(tmp_path / "s", gip.conversation) as server:

        def ask(method, **params):
            with SocketChannel(server.path, 5) as channel:
                request = {"jsonrpc": "2.0", "method": method, "params": params, "id": 1}
                return json.loads(channel.exchange(json.dumps(request).encode(), 20))

        begin = time.monotonic()
        replies = []
        threads = [
            threading.Thread(target=lambda: replies.append(ask("click", ref="root/submit_button")))
            for _ in range(3)
        ]
        for thread in threads:
            thread.start()
        assert ask("ping")["result"]["status"] == "ok"
        assert ask("connect", target="s")["result"]["success"] is True
        for thread in threads:
            thread.join()
        assert [reply["error"]["code"] for reply in replies] == [5, 5, 5]
        assert time.monotonic() - begin < 5
        release.set()
        assert ask("click", ref="root/submit_button")["result"] == {"success": True}


def test_the_whole_protocol_works_without_orjson(session, monkeypatch):
    monkeypatch.setattr(jsontext, "_orjson", None)
    ask = talk(session)
    check_node(ask("snapshot")["result"])
    assert ask("type", {"ref": "root/name_edit", "text": "ä😀"})["result"] == {"success": True}
    assert ask("deskhand_get", {"target": "#name_edit"})["result"]["value"] == "ä😀"
    assert len(ask("deskhand_read_tree")["result"]["tree"]["nodes"]) == 18
    assert ask("clik")["error"]["code"] == -32601


def test_nothing_but_the_standard_library_is_needed_inside_an_app():
    source = Path(__file__).parents[3] / "src"
    script = (
        f"import sys; sys.path.insert(0, {str(source)!r})\n"
        "before = set(sys.modules)\n"
        "import deskhand.protocols.gip.server, deskhand.transports.socket, deskhand.protocols.wirelog\n"
        "new = {name.partition('.')[0] for name in set(sys.modules) - before}\n"
        "print(sorted(new - sys.stdlib_module_names))\n"
        "print('asyncio' in sys.modules)\n"
    )
    run = [sys.executable, "-I", "-S", "-c", script]
    told = subprocess.run(run, capture_output=True, text=True, timeout=60, check=True)
    assert told.stdout.split("\n")[:2] == ["['deskhand']", "False"]


@pytest.mark.parametrize(
    "garbage",
    [
        pytest.param(b'{"jsonrpc":"2.0","method":"ping","id":1\n', id="truncated after a value"),
        pytest.param(b'{"jsonrpc":"2.0","method":"pi\n', id="truncated in a string"),
        pytest.param(b'{"jsonrpc":"2.0",{"jsonrpc":"2.0"}"method"}', id="interleaved"),
        pytest.param(b"\xff\xfe\n", id="no utf-8"),
        pytest.param(b'{"a":"\xff"}', id="no utf-8 in a string"),
        pytest.param(b"GET / HTTP/1.1\n", id="http"),
        pytest.param(b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}", id="100,000 deep"),
        pytest.param(b"[" * 100_000 + b"]" * 100_000, id="100,000 deep array"),
        pytest.param(b'{"a":"' + b"x" * (64 << 20) + b'"}', id="64 MB"),
        pytest.param(b"[" + b"1," * (32 << 20) + b"1]", id="64 MB of numbers"),
    ],
)
def test_bad_input_is_refused_and_the_connection_goes_on(session, tmp_path, garbage):
    with (
        SocketServer(tmp_path / "s", GipServer(session).conversation) as server,
        socket.socket(socket.AF_UNIX) as peer,
    ):
        peer.settimeout(100)
        peer.connect(str(server.path))
        peer.sendall(garbage)
        peer.sendall(b'{"jsonrpc":"2.0","method":"ping","id":"after"}\n')
        stream = peer.makefile("rb")
        with stream:
            refused = json.loads(stream.readline())
            check_reply(refused, None)
            assert refused["error"]["code"] == -32700
            assert refused["id"] is None
            assert json.loads(stream.readline())["id"] == "after"


def test_a_peer_that_sends_nothing_but_the_beginning_costs_no_memory(session, tmp_path):
    with (
        SocketServer(tmp_path / "s", GipServer(session).conversation, limit=1 << 20) as server,
        socket.socket(socket.AF_UNIX) as peer,
    ):
        peer.settimeout(30)
        peer.connect(str(server.path))
        before = _memory()
        for _ in range(100):
            peer.sendall(b'{"a":' * 200_000)
        assert b"-32700" in peer.recv(1000)
        assert _memory() - before < 20 << 20


def _memory() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
