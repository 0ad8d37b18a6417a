"""A client that takes all it can get does not stop the others, nor fill the memory."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import select
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from deskhand.transports import http11
from deskhand.transports.http import HttpServer
from deskhand.transports.request_guard import LIMIT
from deskhand.transports.socket import SocketChannel
from tests.security.other_user import ask
from tests.traces import until
from tests.transports.echo import Echo

PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
REQUESTS = {
    "gip": ("POST", "/", PING.decode()),
    "orca": ("POST", "/jsonrpc", '{"jsonrpc":"2.0","id":1,"method":"automation.version"}'),
    "agent": ("GET", "/health", ""),
    "mcp": ("GET", "/health", ""),
}
HALF_OPEN = 5000
FILES = 1024
"""How many file descriptors a process usually has."""


def most_memory(pid: int) -> int:
    """The most that a process ever used, in MB."""
    status = Path(f"/proc/{pid}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")) // 1024


class Server(NamedTuple):
    process: subprocess.Popen[str]
    ports: dict[str, int]
    unix: str
    said: Path

    def memory(self) -> int:
        return most_memory(self.process.pid)

    def is_served(self, kind: str) -> bool:
        status, _ = ask(self.ports[kind], *REQUESTS[kind], **{"Content-Type": "application/json"})
        return status == 200

    def time_to_serve(self, kind: str) -> float:
        """How long a request takes, in seconds, from connecting until it is answered."""
        began = time.monotonic()
        assert self.is_served(kind)
        return time.monotonic() - began


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    said = tmp_path_factory.mktemp("server") / "stderr"
    with tempfile.TemporaryDirectory(prefix="dh") as folder, said.open("w") as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.security.serve_all", f"{folder}/gip"],
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            cwd=Path(__file__).parents[2],
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, FILES)),
        )
        assert process.stdout is not None
        http, ws, unix, *others = json.loads(process.stdout.readline())
        ports = dict(zip(("gip", "ws", "orca", "agent", "mcp"), (http, ws, *others), strict=True))
        yield Server(process, {kind: urlsplit(url).port or 0 for kind, url in ports.items()}, unix, said)
        process.terminate()
        process.communicate(timeout=20)


@pytest.fixture
def sockets() -> Iterator[contextlib.ExitStack]:
    """Sockets that are open until the end, as many as this machine lets a process have."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (before[1], before[1]))
    with contextlib.ExitStack() as stack:
        yield stack
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_half_open_connections_delay_no_client_by_a_second(
    server: Server, sockets: contextlib.ExitStack
) -> None:
    before = {kind: max(server.time_to_serve(kind) for _ in range(3)) for kind in REQUESTS}
    for kind in REQUESTS:
        for number in range(HALF_OPEN // len(REQUESTS)):
            peer = sockets.enter_context(socket.create_connection(("127.0.0.1", server.ports[kind]), 20))
            with contextlib.suppress(ConnectionError):  # it had to make room already
                peer.sendall(b"" if number % 2 else b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ")

    for kind in REQUESTS:
        # The first one, before connections end by themselves. The machine may be busy with other things, and
        # was when the same was measured without them.
        assert server.time_to_serve(kind) < 1 + 10 * before[kind]
    assert server.said.read_text().count("\n") < 50
    assert "Traceback" not in server.said.read_text()


def test_silent_clients_of_a_unix_socket_make_room_for_others(
    server: Server, sockets: contextlib.ExitStack
) -> None:
    for _ in range(600):
        peer = sockets.enter_context(socket.socket(socket.AF_UNIX))
        peer.connect(server.unix.removeprefix("unix:"))
    with SocketChannel(server.unix, 20) as channel:
        assert b"result" in channel.exchange(PING, 20)


def test_headers_that_do_not_come_end_the_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http11, "HEADER_TIME", 0.2)
    with HttpServer("http://127.0.0.1:0/", Echo()) as http:
        port = urlsplit(http.url).port or 0
        for sent in (b"", b"POST / HTTP/1.1\r\nHo", b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\n"):
            with socket.create_connection(("127.0.0.1", port), timeout=20) as peer:
                peer.sendall(sent)
                while peer.recv(4096):  # until it is closed
                    pass


@pytest.mark.parametrize("kind", sorted(REQUESTS))
def test_a_request_with_two_lengths_is_refused(server: Server, kind: str) -> None:
    path = {"gip": "/", "orca": "/jsonrpc", "agent": "/upload", "mcp": "/mcp"}[kind]
    lines = (f"POST {path} HTTP/1.1", "Host: 127.0.0.1", "Content-Length: 4", "Transfer-Encoding: chunked")
    with socket.create_connection(("127.0.0.1", server.ports[kind]), timeout=20) as peer:
        peer.sendall("\r\n".join((*lines, "", "")).encode() + b"4\r\n{}  \r\n0\r\n\r\n")
        assert peer.recv(4096).split(b" ")[1] == b"400"


def body(kind: str) -> bytes:
    """As long as a request may be, of what becomes longest in memory."""
    text = {
        "astral": b'"' + "😀".encode() + b"x" * (4 * 1024 * 1024 - 200) + b'"',
        "plain": b'"' + b"x" * (LIMIT - 200) + b'"',
        "lists": b"[" + b"[]," * (LIMIT // 3 - 100) + b"[]]",
        "objects": b"[" + b'{"":0},' * (LIMIT // 7 - 100) + b"{}]",
    }[kind]
    return b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":' + text + b"}}"


def test_memory_stays_small_whatever_is_sent(server: Server, sockets: contextlib.ExitStack) -> None:
    base = server.memory()
    half = body("plain")[: LIMIT - 1000]
    for kind in ("gip", "mcp"):
        for _ in range(12):
            peer = sockets.enter_context(socket.create_connection(("127.0.0.1", server.ports[kind]), 20))
            path = "/mcp" if kind == "mcp" else "/"
            head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
            head += f"Accept: */*\r\nContent-Length: {LIMIT}\r\n\r\n"
            with contextlib.suppress(OSError):  # it was refused before all was sent
                peer.sendall(head.encode() + half)
    sockets.close()
    for kind in ("plain", "astral", "lists", "objects"):
        for served in ("gip", "mcp", "agent"):
            path = {"gip": "/", "agent": "/windows", "mcp": "/mcp"}[served]
            with contextlib.suppress(OSError):
                sent = body(kind).decode("latin-1")  # as http.client sends text
                ask(
                    server.ports[served],
                    "POST",
                    path,
                    sent,
                    **{"Content-Type": "application/json", "Accept": "*/*"},
                )
        with contextlib.suppress(OSError), SocketChannel(server.unix, 20) as channel:
            channel.exchange(body(kind), 60)
    assert (base, server.memory()) < (base, 200)
    until(lambda: server.is_served("gip"))


def test_frames_that_wait_behind_a_wait_are_bound_by_their_bytes(server: Server) -> None:
    wait = {"target": "button", "state": "exists", "timeout": 600}
    asked = {"jsonrpc": "2.0", "id": 1, "method": "deskhand_wait", "params": wait}
    frame = json.dumps({"jsonrpc": "2.0", "id": 2, "method": "ping", "params": {"x": "x" * (1 << 20)}})
    with connect(f"ws://127.0.0.1:{server.ports['ws']}/ws", proxy=None) as peer:
        peer.send(json.dumps(asked))
        with pytest.raises((ConnectionClosed, OSError)):  # noqa: PT012 - how many it takes does not matter
            for _ in range(400):
                peer.send(frame)
    assert server.memory() < 200
    until(lambda: server.is_served("gip"))


class Stdio:
    """A client of MCP on stdio, as it is served by `deskhand mcp`."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.pid = process.pid
        self.input, self.output = process.stdin, process.stdout
        about = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "x", "version": "1"},
        }
        self.send({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": about})
        assert self.answer()["id"] == 0
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message: dict[str, Any]) -> None:
        self.input.write(json.dumps(message, ensure_ascii=False).encode() + b"\n")

    def answer(self) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(self.output.readline())
        return answer


@contextlib.contextmanager
def mcp_on_stdio() -> Iterator[Stdio]:
    with subprocess.Popen(
        [sys.executable, "-m", "tests.fuzz.served", "stdio", "--long-waits"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
        bufsize=0,
    ) as process:
        try:
            yield Stdio(process)
        finally:
            process.kill()


@pytest.fixture(scope="module")
def stdio() -> Iterator[Stdio]:
    with mcp_on_stdio() as client:
        yield client


def test_a_line_without_end_on_stdio_does_not_fill_the_memory(stdio: Stdio) -> None:
    for _ in range(200):
        stdio.input.write(b"x" * (1 << 20))
    stdio.input.write(b"\n")
    assert stdio.answer()["error"]["message"] == "a message may be 1048576 bytes long"
    stdio.send({"jsonrpc": "2.0", "id": 1, "method": "ping"})
    assert stdio.answer() == {"jsonrpc": "2.0", "id": 1, "result": {}}
    assert most_memory(stdio.pid) < 200


@pytest.mark.parametrize(
    "order", [("jsonrpc", "id", "method", "params"), ("method", "params", "jsonrpc", "id")]
)
def test_a_message_on_stdio_that_is_too_long_is_refused_by_its_id(
    stdio: Stdio, order: tuple[str, ...]
) -> None:
    text = {"text": '"\\,{}[]:😀' * (1 << 18), "id": "another"}
    message = {
        "jsonrpc": "2.0",
        "id": "ours",
        "method": "tools/call",
        "params": {"name": "ui_type", "arguments": text},
    }
    stdio.send({name: message[name] for name in order})
    answer = stdio.answer()
    assert (answer["id"], answer["error"]["code"]) == ("ours", -32600)


def test_a_client_on_stdio_that_reads_no_answers_does_not_fill_the_memory() -> None:
    line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).encode() + b"\n"
    left = line * 10_000
    with mcp_on_stdio() as stdio:
        os.set_blocking(stdio.input.fileno(), False)
        # Until the server has read them all, or reads no more.
        while left and select.select([], [stdio.input], [], 3)[1]:
            left = left[os.write(stdio.input.fileno(), left[:4096]) :]
        assert most_memory(stdio.pid) < 200
        assert stdio.answer()["id"] == 1


def test_long_calls_at_once_on_stdio_are_bound_by_their_bytes(stdio: Stdio) -> None:
    title = "😀" + "x" * ((1 << 20) - 1000)
    for number in range(64):
        params = {"name": "ui_wait", "arguments": {"window": title, "timeoutMs": 60_000}}
        stdio.send({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})
    stdio.send({"jsonrpc": "2.0", "id": "last", "method": "ping"})
    answers = [stdio.answer()]
    while answers[-1]["id"] != "last":
        answers.append(stdio.answer())
    refused = [each for each in answers if "try again later" in json.dumps(each)]
    assert 40 < len(refused) < 64
    assert most_memory(stdio.pid) < 200
