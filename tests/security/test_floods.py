"""A client that takes all it can get does not stop the others, nor fill the memory."""

from __future__ import annotations

import contextlib
import json
import resource
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from deskhand.transports import http11
from deskhand.transports.guard import LIMIT
from deskhand.transports.http import HttpServer
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


class Server(NamedTuple):
    process: subprocess.Popen[str]
    ports: dict[str, int]
    unix: str
    said: Path

    def memory(self) -> int:
        """The most that it ever used, in MB."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")) // 1024

    def is_served(self, kind: str) -> bool:
        status, _ = ask(self.ports[kind], *REQUESTS[kind], **{"Content-Type": "application/json"})
        return status == 200


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


def test_half_open_connections_stop_no_endpoint(server: Server, sockets: contextlib.ExitStack) -> None:
    for kind in REQUESTS:
        for number in range(HALF_OPEN // len(REQUESTS)):
            peer = sockets.enter_context(socket.create_connection(("127.0.0.1", server.ports[kind]), 20))
            with contextlib.suppress(ConnectionError):  # it had to make room already
                peer.sendall(b"" if number % 2 else b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ")

    assert all(server.is_served(kind) for kind in REQUESTS)
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
