"""Starts a server for each transport, sends it inputs, and checks that what comes back is well-formed."""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

from deskhand import Desktop
from deskhand.adapters.javafx.adapter import JavaFxAdapter
from deskhand.inject import jvm
from tests.conformance.outside_form import BRIEF_JVM
from tests.fuzz import messages
from tests.fuzz.inputs import Input, frame
from tests.fuzz.mutate import is_deep

TRANSPORTS = ("unix", "http", "websocket", "stdio", "jvm")
DEADLINE = 30.0
"""When an answer is given up, in seconds."""
_ROOT = Path(__file__).parents[2]
_CONNECTIONS = 8
"""How many connections each endpoint of HTTP is asked by at once."""
_FX = ("--module-path", "/usr/share/openjfx/lib", "--add-modules", "javafx.controls")


class Wrong(Exception):
    """An answer did not come, or is not one of its protocol."""


class Peer(Protocol):
    """A client of a server that runs."""

    def exchange(self, inputs: Sequence[Input]) -> None:
        """Send inputs, and take the answers to all of them; raises Wrong."""

    def reset(self) -> None:
        """Begin again with new connections."""


class Server:
    """The process that is fuzzed, with what it says on stderr."""

    def __init__(self, process: subprocess.Popen[bytes], said: Path, uids: list[str] | None = None) -> None:
        self.process = process
        self.said = said
        self.uids = uids

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    def memory(self) -> float:
        """What it uses now, in MB."""
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGESIZE") / 1e6

    def complaints(self) -> list[str]:
        """Lines on stderr that no client may cause."""
        if self.said.stat().st_size == 0:
            return []
        text = self.said.read_text("utf-8", "replace")
        marks = ("Traceback", "Exception", "Error:", "never retrieved", "was never awaited")
        found = [line for line in text.splitlines() if any(mark in line for mark in marks)]
        if len(text) > 100_000:
            found.append(f"{len(text)} characters on stderr")
        return found


@contextmanager
def started(transport: str) -> Iterator[tuple[Server, Peer]]:
    """A server for a transport, and a client of it; both end with the context."""
    with ExitStack() as stack:
        folder = Path(tempfile.mkdtemp(prefix="dhfuzz."))
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        errors = stack.enter_context((folder / "stderr").open("wb"))
        if transport == "jvm":
            yield _started_jvm(stack, folder, errors)
            return
        if transport == "stdio":
            process = _process(stack, ["stdio"], errors, stdin=subprocess.PIPE)
            stdio = _Stdio(process)
            stack.callback(stdio.close)
            yield Server(process, folder / "stderr"), stdio
            return
        process = _process(stack, [str(folder / "gip")], errors)
        assert process.stdout is not None
        gip, ws, unix, orca, agent, mcp = json.loads(process.stdout.readline())
        peer: _Unix | _WebSocket | _Http
        if transport == "unix":
            peer = _Unix(unix.removeprefix("unix:"))
        elif transport == "websocket":
            peer = _WebSocket(urlsplit(ws).port or 0)
        else:
            urls = {"gip": gip, "orca": orca, "agent": agent, "mcp": mcp}
            peer = _Http({name: urlsplit(url).port or 0 for name, url in urls.items()})
        stack.callback(peer.reset)
        yield Server(process, folder / "stderr"), peer


def _process(
    stack: ExitStack, how: list[str], errors: Any, stdin: int | None = None
) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.fuzz.served", *how],
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=errors,
        cwd=_ROOT,
        bufsize=0,
    )

    def end() -> None:
        process.send_signal(signal.SIGTERM if stdin is None else signal.SIGKILL)
        process.wait(DEADLINE)
        if process.stdout is not None:
            process.stdout.close()

    stack.callback(end)
    return process


# -- what all of them need -------------------------------------------------------------------------


def parse(text: bytes | str) -> Any:
    """A JSON text, strictly."""
    try:
        return json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise Wrong(f"the answer is not JSON: {error}: {text[:200]!r}") from None


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


def _pump(channel: socket.socket, data: bytes, take: Callable[[bytes], bool], *, end: bool = False) -> bool:
    """Send and receive at the same time, until what came is enough; False if the connection ended first.

    With `end`, our side is closed after sending, so that the other side ends the connection.
    """
    deadline = time.monotonic() + DEADLINE
    left = memoryview(data)
    channel.setblocking(False)
    if end and not left:
        channel.shutdown(socket.SHUT_WR)
    while True:
        readable, writable, _ = select.select([channel], [channel] if left else [], [], 1.0)
        try:
            if readable:
                piece = channel.recv(262_144)
                if not piece:
                    return False
                if take(piece):
                    return True
            if writable:
                left = left[channel.send(left) :]
                if end and not left:
                    channel.shutdown(socket.SHUT_WR)
        except BlockingIOError:
            continue
        except OSError:  # what was not read yet when it closed was thrown away
            return False
        if time.monotonic() > deadline:
            raise Wrong(f"no answer within {DEADLINE:g} s, and the connection stays open")


def _alone(connect: Callable[[], socket.socket], data: bytes) -> bytes:
    """Everything that is answered on a connection of its own."""
    found = bytearray()

    def take(piece: bytes) -> bool:
        found.extend(piece)
        return False

    with connect() as channel:
        _pump(channel, data, take, end=True)
    return bytes(found)


def _check_gip(reply: Any) -> None:
    """A response of JSON-RPC, or a list of them; or the older form."""
    for each in reply if isinstance(reply, list) else [reply]:
        if not isinstance(each, dict) or "id" not in each or ("result" in each) == ("error" in each):
            raise Wrong(f"not a response: {str(each)[:300]}")


# -- Unix sockets ----------------------------------------------------------------------------------


class _Unix:
    def __init__(self, path: str) -> None:
        self._path = path
        self._channel: socket.socket | None = None
        self._probes = 0

    def reset(self) -> None:
        if self._channel is not None:
            self._channel.close()
            self._channel = None

    def exchange(self, inputs: Sequence[Input]) -> None:
        for each in inputs:
            if each.alone:
                self._check_alone(_alone(self._connect, each.data))
        together = b"".join(each.data for each in inputs if not each.alone)
        self._probes += 1
        probe = f"probe-{self._probes}"
        together += json.dumps({"jsonrpc": "2.0", "method": "ping", "id": probe}).encode() + b"\n"
        lines = bytearray()
        last = b'"' + probe.encode() + b'"'

        def take(piece: bytes) -> bool:
            lines.extend(piece)
            return piece.endswith(b"\n") and last in lines[lines.rfind(b"\n", 0, -1) + 1 :]

        if self._channel is None:
            self._channel = self._connect()
        if not _pump(self._channel, together, take):
            raise Wrong("the connection was closed")
        for line in bytes(lines).splitlines():
            _check_gip(parse(line))

    def _connect(self) -> socket.socket:
        channel = socket.socket(socket.AF_UNIX)
        channel.settimeout(DEADLINE)
        channel.connect(self._path)
        return channel

    @staticmethod
    def _check_alone(answer: bytes) -> None:
        if answer[:1] != b"\0":
            for line in answer.split(b"\n"):
                if line:
                    _check_gip(parse(line))
            return
        while answer:
            length = int.from_bytes(answer[:4], "big")
            if len(answer) < 4 + length:
                raise Wrong("the connection ended inside an answer")
            _check_gip(parse(answer[4 : 4 + length]))
            answer = answer[4 + length :]


# -- HTTP ------------------------------------------------------------------------------------------


class _Http:
    def __init__(self, ports: dict[str, int]) -> None:
        self._ports = ports
        self._idle: dict[str, list[socket.socket]] = {name: [] for name in ports}

    def reset(self) -> None:
        for channels in self._idle.values():
            while channels:
                channels.pop().close()

    def exchange(self, inputs: Sequence[Input]) -> None:
        together = [each for each in inputs if not each.alone]
        for at in range(0, len(together), _CONNECTIONS):
            self._wave(together[at : at + _CONNECTIONS])
        for each in inputs:
            if each.alone:
                answer = _alone(lambda endpoint=each.endpoint: self._connect(endpoint), each.data)  # type: ignore[misc]
                if answer and not answer.startswith(b"HTTP/1.1 "):
                    raise Wrong(f"not an answer of HTTP: {answer[:200]!r}")
                if answer.startswith(b"HTTP/1.1 500"):
                    raise Wrong(f"an internal error: {answer[:500]!r}")

    def _wave(self, inputs: Sequence[Input]) -> None:
        """Each on a connection of its own, all at once."""
        asked: list[tuple[Input, socket.socket]] = []
        for each in inputs:
            idle = self._idle[each.endpoint]
            channel = idle.pop() if idle else self._connect(each.endpoint)
            channel.settimeout(DEADLINE)
            asked.append((each, channel))
            with suppress(BrokenPipeError, ConnectionResetError):  # refused before all was sent
                channel.sendall(each.data)
        for each, channel in asked:
            if self._answer(each, channel):
                self._idle[each.endpoint].append(channel)
            else:
                channel.close()

    def _connect(self, endpoint: str) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self._ports[endpoint]), DEADLINE)

    def _answer(self, sent: Input, channel: socket.socket) -> bool:
        """Check one answer; whether the connection can be used again."""
        held = bytearray()

        def more() -> None:
            try:
                piece = channel.recv(262_144)
            except TimeoutError:
                raise Wrong(f"{sent.endpoint} gave no answer within {DEADLINE:g} s") from None
            except ConnectionResetError:
                piece = b""
            if not piece:
                raise Wrong(f"{sent.endpoint} closed the connection: {bytes(held[:200])!r}")
            held.extend(piece)

        while (end := held.find(b"\r\n\r\n")) < 0:
            more()
        lines = bytes(held[:end]).split(b"\r\n")
        status = lines[0].split(b" ")
        if status[0] != b"HTTP/1.1" or not status[1].isdigit():
            raise Wrong(f"{sent.endpoint}: not an answer of HTTP: {lines[0]!r}")
        headers = {
            name.lower(): value.strip() for name, _, value in (line.partition(b":") for line in lines[1:])
        }
        del held[: end + 4]
        length = int(headers.get(b"content-length", b"0"))
        while len(held) < length:
            more()
        if status[1] == b"500":
            raise Wrong(f"{sent.endpoint}: an internal error: {bytes(held[:500])!r}")
        if held and headers.get(b"content-type", b"").startswith(b"application/json"):
            reply = parse(bytes(held))
            if sent.endpoint in ("gip", "orca") and status[1] == b"200":
                _check_gip(reply)
        return headers.get(b"connection") != b"close"


# -- WebSocket -------------------------------------------------------------------------------------


class _WebSocket:
    def __init__(self, port: int) -> None:
        self._port = port
        self._channel: socket.socket | None = None
        self._probes = 0

    def reset(self) -> None:
        if self._channel is not None:
            self._channel.close()
            self._channel = None

    def exchange(self, inputs: Sequence[Input]) -> None:
        for each in inputs:
            if each.alone:
                for opcode, text in _frames(bytearray(_alone(self._connect, each.data))):
                    if opcode == 1:
                        _check_gip(parse(text))
        self._probes += 1
        probe = json.dumps({"jsonrpc": "2.0", "method": "ping", "id": f"probe-{self._probes}"}).encode()
        together = b"".join(each.data for each in inputs if not each.alone) + frame(probe, b"abcd")
        held = bytearray()
        found: list[tuple[int, bytes]] = []
        last = b'"probe-%d"' % self._probes

        def take(piece: bytes) -> bool:
            held.extend(piece)
            for each in _frames(held):
                found.append(each)
                if last in each[1][-40:]:
                    return True
            return False

        if self._channel is None:
            self._channel = self._connect()
        if not _pump(self._channel, together, take):
            raise Wrong(f"the connection was closed: {found[-1:]}")
        for opcode, text in found:
            if opcode == 1:
                _check_gip(parse(text))
            elif opcode == 9:  # the server asks whether we are there, and ends the connection if not
                self._channel.sendall(frame(text, b"abcd", 0x8A))

    def _connect(self) -> socket.socket:
        channel = socket.create_connection(("127.0.0.1", self._port), DEADLINE)
        channel.sendall(
            b"GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        )
        answer = b""
        while not answer.endswith(b"\r\n\r\n"):
            piece = channel.recv(1)
            if not piece:
                raise Wrong(f"no WebSocket: {answer!r}")
            answer += piece
        if not answer.startswith(b"HTTP/1.1 101"):
            raise Wrong(f"no WebSocket: {answer!r}")
        return channel


def _frames(held: bytearray) -> Iterator[tuple[int, bytes]]:
    """Takes the whole frames off what came; raises Wrong if a server would not send them."""
    while len(held) >= 2:
        first, second = held[0], held[1]
        if first & 0x70 or not first & 0x80 or first & 0x0F not in (1, 2, 8, 9, 10) or second & 0x80:
            raise Wrong(f"a bad frame: {bytes(held[:20])!r}")
        at, length = 2, second
        if second == 126:
            at, length = 4, int.from_bytes(held[2:4], "big")
        elif second == 127:
            at, length = 10, int.from_bytes(held[2:10], "big")
        if len(held) < at or len(held) < at + length:
            return
        text = bytes(held[at : at + length])
        del held[: at + length]
        yield first & 0x0F, text


# -- MCP on stdio ----------------------------------------------------------------------------------


class _Stdio:
    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._in, self._out = process.stdin, process.stdout
        self._held = bytearray()
        self._probes = 0
        hello = {"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": messages.INITIALIZE}
        self._talk(json.dumps(hello).encode() + b"\n", {"hello"})
        self._in.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        os.set_blocking(self._in.fileno(), False)

    def reset(self) -> None:
        pass

    def close(self) -> None:
        self._in.close()

    def exchange(self, inputs: Sequence[Input]) -> None:
        self._probes += 1
        awaited = {f"p-{self._probes}"} | {name for each in inputs for name in _awaited(each.data)}
        probe = {"jsonrpc": "2.0", "id": f"p-{self._probes}", "method": "ping"}
        self._talk(b"".join(each.data for each in inputs) + json.dumps(probe).encode() + b"\n", awaited)

    def _talk(self, data: bytes, awaited: set[str]) -> None:
        deadline = time.monotonic() + DEADLINE
        left = memoryview(data)
        while left or awaited:
            readable, writable, _ = select.select([self._out], [self._in] if left else [], [], 1.0)
            if writable:
                with suppress(BlockingIOError):
                    left = left[os.write(self._in.fileno(), left[:60_000]) :]
            if readable:
                piece = os.read(self._out.fileno(), 262_144)
                if not piece:
                    raise Wrong("the server closed its output")
                self._held += piece
                *lines, rest = self._held.split(b"\n")
                self._held = bytearray(rest)
                for line in lines:
                    awaited.discard(self._check(bytes(line)))
            if time.monotonic() > deadline:
                raise Wrong(f"no answer within {DEADLINE:g} s to {sorted(awaited)[:5]}")

    @staticmethod
    def _check(line: bytes) -> str:
        reply = parse(line)
        if not isinstance(reply, dict) or reply.get("jsonrpc") != "2.0":
            raise Wrong(f"not a message: {line[:300]!r}")
        return str(reply.get("id"))


def _awaited(line: bytes) -> list[str]:
    """The id that must be answered, if the line is a request that the SDK reads."""
    if b'"f-' not in line or is_deep(line):
        return []
    try:
        data = json.loads(line.decode(), parse_constant=_refuse)
    except (ValueError, RecursionError):
        return []
    if not isinstance(data, dict) or data.get("jsonrpc") != "2.0" or not isinstance(data.get("method"), str):
        return []
    if not isinstance(data.get("params", {}), dict) or data["method"].startswith("notifications/"):
        return []
    name = data.get("id")
    return [name] if isinstance(name, str) and name.startswith("f-") else []


# -- the agent in a JVM ----------------------------------------------------------------------------


class _Jvm:
    def __init__(self, address: str) -> None:
        self._address = address
        self._channel: socket.socket | None = None

    def reset(self) -> None:
        if self._channel is not None:
            self._channel.close()
            self._channel = None

    def exchange(self, inputs: Sequence[Input]) -> None:
        for each in inputs:
            if each.alone:
                self._check(bytearray(_alone(self._connect, each.data)))
        together = [each.data for each in inputs if not each.alone]
        held = bytearray()
        answered = 0

        def take(piece: bytes) -> bool:
            nonlocal answered
            held.extend(piece)
            answered += self._check(held)
            return answered >= len(together)

        if self._channel is None:
            self._channel = self._connect()
        if together and not _pump(self._channel, b"".join(together), take):
            raise Wrong(f"the connection was closed after {answered} of {len(together)} answers")
        if answered > len(together):
            raise Wrong(f"{answered} answers to {len(together)} requests")

    def _connect(self) -> socket.socket:
        channel = socket.socket(socket.AF_UNIX)
        channel.settimeout(DEADLINE)
        channel.connect(self._address)
        return channel

    @staticmethod
    def _check(held: bytearray) -> int:
        """Takes the whole messages off what came; how many of them are answers."""
        count = 0
        while len(held) >= 8:
            length, data = struct.unpack_from(">II", held)
            if len(held) < 8 + length + data:
                break
            reply = parse(bytes(held[8 : 8 + length]))
            del held[: 8 + length + data]
            if reply == {"changed": True}:
                continue
            if "id" not in reply or ("ok" in reply) == ("error" in reply):
                raise Wrong(f"not an answer: {str(reply)[:300]}")
            if reply.get("error", {}).get("kind") == "internal":
                raise Wrong(f"an internal error: {str(reply['error'])[:500]}")
            count += 1
        return count


def _started_jvm(stack: ExitStack, folder: Path, errors: Any) -> tuple[Server, _Jvm]:
    source = Path(__file__).with_name("Form.java")
    subprocess.run(["javac", *_FX, "-encoding", "UTF-8", "-d", str(folder), str(source)], check=True)
    desktop = stack.enter_context(Desktop())
    sockets = folder / "sockets"
    sockets.mkdir(mode=0o700)
    process = subprocess.Popen(
        ["java", *_FX, *BRIEF_JVM, "-Xmx64m", "-Dprism.order=sw", "-cp", str(folder), "Form"],
        env=jvm.instrumented(desktop.env, sockets),
        stderr=errors,
    )
    stack.callback(jvm.forget, process.pid)
    stack.callback(process.wait, 20)
    stack.callback(process.kill)
    deadline = time.monotonic() + 120
    while True:
        if process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"the form in a JVM did not start: {(folder / 'stderr').read_text()[:1000]}")
        for agent in jvm.listening(sockets):
            adapter = JavaFxAdapter(agent.address, agent.secret, agent.pid)
            try:
                while not (tree := adapter.read(timeout=30)).windows:
                    time.sleep(0.02)  # a window is announced by nothing before it is there
            finally:
                adapter.close()
            uids = [node.uid for node in tree.nodes if node.role != "window"]
            peer = _Jvm(agent.address)
            stack.callback(peer.reset)
            return Server(process, folder / "stderr", uids), peer
        time.sleep(0.02)  # nor is the socket
