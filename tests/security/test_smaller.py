"""Small things that an attack made use of."""

from __future__ import annotations

import json
import os
import signal
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from deskhand.adapters.memory import Element, MemoryAdapter
from deskhand.engine.session import Session
from deskhand.model.operations import Execute
from deskhand.protocols.wirelog import WireLog
from deskhand.serving.endpoints import McpSettings, endpoints, serve
from deskhand.serving.machine import MAX_LEFT_BEHIND, Machine
from tests.security.other_user import ask
from tests.traces import until

JSON = {"Content-Type": "application/json"}
VERSION = '{"jsonrpc":"2.0","id":1,"method":"automation.version"}'


@pytest.fixture
def session() -> Iterator[Session]:
    session = Session(MemoryAdapter([Element("window", name="Window")]))
    yield session
    session.close()


def port_of(url: str) -> int:
    return int(url.split("/")[2].rpartition(":")[2])


def test_a_server_on_standby_runs_no_operation_that_ends_it(session: Session) -> None:
    session.enabled = False
    with serve(session, endpoints(agent=0)) as served:
        port = port_of(served.ready[0].url)
        assert ask(port, "POST", "/deskhand/shutdown", "{}", **JSON)[0] == 503
        assert ask(port, "GET", "/health")[0] == 503


def test_one_orca_wait_does_not_delay_other_callers(session: Session) -> None:
    wait = {"target": {"label": "never"}, "state": "exists", "timeout_ms": 60_000}
    asked = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "sync.wait_for", "params": wait})
    with serve(session, endpoints(orca=0)) as served:
        port = port_of(served.ready[0].url)
        with socket.create_connection(("127.0.0.1", port), timeout=20) as waiting:
            head = f"POST /jsonrpc HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(asked)}\r\n\r\n"
            waiting.sendall((head + asked).encode())
            until(lambda: any(thread.name == "http-wait" for thread in threading.enumerate()))
            assert ask(port, "POST", "/jsonrpc", VERSION, **JSON)[0] == 200
            waiting.setblocking(False)
            with pytest.raises(BlockingIOError):
                waiting.recv(1)


@pytest.mark.parametrize(("method", "path"), [("POST", "/nowhere"), ("PUT", "/mcp"), ("GET", "/health")])
def test_the_host_is_checked_before_anything_is_said_about_paths(
    session: Session, method: str, path: str
) -> None:
    with serve(session, endpoints(mcp=0), mcp=McpSettings("secret")) as served:
        assert ask(port_of(served.ready[0].url), method, path, Host="evil.example")[0] == 403


def test_an_origin_is_parsed_and_not_compared_by_its_beginning(session: Session) -> None:
    with serve(session, endpoints(mcp=0), mcp=McpSettings("secret")) as served:
        port = port_of(served.ready[0].url)
        for origin in (
            f"http://127.0.0.1:{port}.evil.example",
            "http://127.0.0.1:x",
            "http://127.0.0.1@evil.example",
            "http://localhost:80@evil.example",
            "http://127.0.0.1/.evil.example",
        ):
            headers = {**JSON, "Accept": "*/*", "Authorization": "Bearer secret", "Origin": origin}
            assert ask(port, "POST", "/mcp", "{}", **headers)[0] == 403, origin


def test_without_a_token_a_page_of_another_port_of_this_machine_is_refused(session: Session) -> None:
    with serve(session, endpoints(mcp=0), mcp=McpSettings()) as served:
        port = port_of(served.ready[0].url)
        headers = {**JSON, "Accept": "*/*", "Origin": "http://localhost:6274"}
        assert ask(port, "POST", "/mcp", "{}", **headers)[0] == 403


@pytest.mark.parametrize("kind", ["text/plain", "multipart/form-data", "text/html"])
def test_what_is_not_sent_as_json_is_refused(session: Session, kind: str) -> None:
    with serve(session, endpoints(mcp=0, orca=0), mcp=McpSettings()) as served:
        ports = {ready.kind: port_of(ready.url) for ready in served.ready}
        headers = {"Content-Type": kind, "Accept": "*/*"}
        assert ask(ports["mcp"], "POST", "/mcp", "{}", **headers)[0] == 415
        own = {**headers, "Origin": f"http://127.0.0.1:{ports['orca']}"}
        assert ask(ports["orca"], "POST", "/jsonrpc", VERSION, **own)[0] == 415


def test_a_number_that_json_does_not_have_disturbs_no_reply_and_no_log(tmp_path: Path) -> None:
    log = WireLog(tmp_path / "wire")
    log.hide("Infinity")
    log.write("http", "in", b'{"method": "x", "params": {"y": Infinity}}')
    log.close()
    (line,) = (tmp_path / "wire").read_text().splitlines()
    assert "unreadable" in json.loads(line)


def test_text_that_is_not_utf_8_causes_no_traceback(
    session: Session, caplog: pytest.LogCaptureFixture
) -> None:
    with (
        serve(session, endpoints("ws://127.0.0.1:0/")) as served,
        connect(served.ready[0].url, proxy=None) as peer,
    ):
        peer.send(b"\xff\xfe", text=True)
        with pytest.raises(ConnectionClosed):
            peer.recv(20)
    assert "Traceback" not in caplog.text


def test_processes_that_commands_leave_behind_hold_few_descriptors_and_one_thread() -> None:
    machine = Machine()
    folder = Path("/proc/self/fd")
    before = len(list(folder.iterdir()))
    left = [machine.execute(Execute("sleep 600 & echo $!", 20)).stdout for _ in range(MAX_LEFT_BEHIND)]
    try:
        held = len(list(folder.iterdir())) - before
        threads = [thread for thread in threading.enumerate() if thread.name == "exec-drain"]
        assert held <= MAX_LEFT_BEHIND + 1
        assert len(threads) == 1
    finally:
        for pid in left:
            os.kill(int(pid), signal.SIGKILL)
