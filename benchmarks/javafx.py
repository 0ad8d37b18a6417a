"""The nodes of a JavaFX program from another process, against a walk through JPype; and getting into it.

By MCP they are asked for in two clients: a plain one, which reads an answer as JSON and no more, and the
SDK's own, which takes longer to read an answer than it takes to make one. The peer in the plain client is the
walk, which answers with JSON too. The peer in the SDK's client is the same walk behind an MCP server of the
SDK: the same answer, read by the same client.
"""

from __future__ import annotations

import itertools
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import orjson
from anyio.from_thread import start_blocking_portal
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client

from deskhand import Desktop
from deskhand.adapters.javafx.adapter import JavaFxAdapter
from deskhand.inject import jvm
from deskhand.launching import launcher
from deskhand.model.operations import ReadTree, Runner, SetValue

from .measure import Figure, Report, interleaved

NODES = 3_000
JARS = "/usr/share/openjfx/lib"
_APP = Path(__file__).parent / "apps" / "Nodes.java"
_TOOL = "ui_get_snapshot"
Ask = Callable[[str, dict[str, Any]], object]
_PEER = Path(__file__).parent / "peers" / "javafx_jpype.py"


def run(report: Report, quick: bool) -> None:
    with Desktop() as desktop, compiled(_APP) as classes:
        if report.wants("getting into a running JVM"):
            attach = [_attaching(classes, desktop) for _ in range(2 if quick else 5)]
            ours, theirs = (statistics.median(taken) for taken in zip(*attach, strict=True))
            report.add(
                Figure("getting into a running JVM", ours, "ms", "jcmd", theirs, "under 300 ms", ours < 300)
            )
        if report.wants(_LIBRARY, _FIRST, *_WAYS):
            _snapshots(report, quick, classes, desktop)


_COMPACT = f"compact snapshot of {NODES} JavaFX nodes by MCP"
_LIBRARY = f"snapshot of {NODES} JavaFX nodes, as nodes of the library"
_FIRST = f"the first {_COMPACT}"
_UNCHANGED, _CHANGED = f"{_COMPACT}, unchanged", f"{_COMPACT}, after a change"
_WAYS: dict[str, dict[str, Any]] = {
    _UNCHANGED: {},
    f"{_COMPACT}, of each node its id, text and value": {"fields": ["id", "text", "value"]},
    _CHANGED: {},
    f"full snapshot of {NODES} JavaFX nodes by MCP": {"mode": "full"},
}
"""The snapshots that are taken by MCP, and their arguments."""


def _snapshots(report: Report, quick: bool, classes: str, desktop: Desktop) -> None:
    times = 10 if quick else 30
    with _jpype(classes, desktop) as (walk, peer), nodes(classes, desktop) as program:
        if report.wants(_LIBRARY):
            with launcher.attach(program.pid) as attached:
                assert attached.runner is not None
                tree = _of_session(attached.runner)
                assert tree() >= NODES
                assert _count(walk()) >= NODES
                warm_up(tree)
                ours, theirs = interleaved(times, tree, walk)
            _compare(report, _LIBRARY, ours, "JPype", theirs)
        if report.wants(_FIRST):
            first = [_first(program.pid) for _ in range(2 if quick else 5)]
            report.add(Figure(f"{_FIRST}, in the SDK's client", statistics.median(first), "ms"))
        ways = [what for what in _WAYS if report.wants(what)]
        if not ways:
            return
        with (
            _served(program.pid) as url,
            _sdk(url) as ask,
            _sdk(peer) as ask_peer,
            closing(_Plain(url)) as plain,
            _changing(program.pid) as change,
        ):
            clients = _Clients(plain.ask, ask, walk, partial(ask_peer, _TOOL, {}))
            _same_answer(plain.ask(_TOOL, {}), _Plain(peer))
            for what in ways:
                _take(report, times, what, clients, change if what == _CHANGED else None)


class _Clients(NamedTuple):
    """What is asked: us in two clients, the walk alone, and the walk behind MCP in the SDK's client."""

    plain: Ask
    sdk: Ask
    walk: Callable[[], object]
    walk_by_mcp: Callable[[], object]


def _take(
    report: Report, times: int, what: str, clients: _Clients, change: Callable[[], object] | None
) -> None:
    """One way to take a snapshot, in either client."""
    in_sdk, in_plain = (partial(client, _TOOL, _WAYS[what]) for client in (clients.sdk, clients.plain))
    warm_up(in_sdk)
    asked = (in_sdk, in_plain, clients.walk, clients.walk_by_mcp)
    ours, bare, walk, by_mcp = interleaved(times, *asked, before=change)
    plain, sdk = f"{what}, as JSON in a plain client", f"{what}, in the SDK's client"
    if what == _UNCHANGED:
        _compare(report, plain, bare, "JPype", walk)
        report.add(Figure(f"{plain}, end to end", bare, "ms", bound="under 60 ms", kept=bare < 60))
        _compare(report, sdk, ours, "JPype by MCP", by_mcp)
        return
    report.add(Figure(plain, bare, "ms", "JPype", walk))
    if _WAYS[what]:  # the peer has one answer for all
        report.add(Figure(sdk, ours, "ms"))
    else:
        report.add(Figure(sdk, ours, "ms", "JPype by MCP", by_mcp))


def _same_answer(ours: Any, peer: _Plain) -> None:
    """Insist that the peer answers with as many nodes as we do, and as much about them."""
    with closing(peer):
        theirs: Any = peer.ask(_TOOL, {})
    roots = [told["result"]["structuredContent"]["output"]["stages"][0]["scene"] for told in (ours, theirs)]
    mine, others = (_count([scene["root"]]) for scene in roots)
    assert mine == others, f"{mine} nodes of ours, {others} of the peer's"
    mine, others = (len(orjson.dumps(scene["root"])) for scene in roots)
    assert abs(mine - others) < mine / 20, f"{mine} bytes of ours, {others} of the peer's"


def _first(pid: int) -> float:
    """How long the first snapshot takes of a program that a new server has just got into."""
    with _served(pid) as url, _sdk(url) as ask:
        ask("ui_wait", {"until": "idle"})
        began = time.perf_counter()
        ask(_TOOL, {})
        return (time.perf_counter() - began) * 1000


@contextmanager
def _changing(pid: int) -> Iterator[Callable[[], object]]:
    """Changes what one field of the program holds, by a way of its own."""
    with tempfile.TemporaryDirectory(prefix="deskhand-bench-") as folder:
        jvm.inject(pid, Path(folder), 10)
        (agent,) = jvm.listening(Path(folder))
        with closing(JavaFxAdapter(agent.address, agent.secret, agent.pid)) as adapter:
            field = next(node for node in adapter.read(timeout=10) if node.role == "textfield")
            numbers = itertools.count()

            def change() -> None:
                adapter.perform(SetValue(value=f"text {next(numbers)}"), field.uid, None, timeout=10)
                adapter.idle(timeout=10)

            yield change


def _compare(report: Report, what: str, ours: float, peer: str, theirs: float) -> None:
    report.add(Figure(what, ours, "ms", peer, theirs, "at least 5 times faster", theirs / ours >= 5))


def warm_up(look: Callable[[], object], times: int = 50) -> None:
    """Until the JVM has compiled what is asked of it again and again."""
    for _ in range(times):
        look()


def _of_session(session: Runner) -> Callable[[], int]:
    def look() -> int:
        tree = session.run(ReadTree()).tree
        assert tree is not None
        return len(tree)

    return look


@contextmanager
def _served(pid: int) -> Iterator[str]:
    """The program served by `deskhand attach`; where MCP is."""
    script = "from deskhand.cli import main; main()"
    command = [sys.executable, "-c", script, "attach", str(pid), "--mcp", "0", "--no-token", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as hub:
        try:
            assert hub.stdout is not None
            url = json.loads(hub.stdout.readline())["url"]
            assert json.loads(hub.stdout.readline())["ready"] is True
            yield url
        finally:
            hub.terminate()


@contextmanager
def _sdk(url: str) -> Iterator[Ask]:
    """Calls tools by the client of the official SDK."""
    with start_blocking_portal() as portal, ExitStack() as stack:
        streams = stack.enter_context(portal.wrap_async_context_manager(streamable_http_client(url)))
        session = stack.enter_context(
            portal.wrap_async_context_manager(ClientSession(streams[0], streams[1]))
        )
        portal.call(session.initialize)

        def ask(tool: str, arguments: dict[str, Any]) -> object:
            answer = portal.call(session.call_tool, tool, arguments)
            assert not answer.is_error, answer.content
            return answer

        yield ask


class _Plain:
    """Calls tools by HTTP and reads the answers as JSON, and no more."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        assert parts.hostname is not None
        self._connection = HTTPConnection(parts.hostname, parts.port, timeout=60)
        self._path = parts.path

    def ask(self, tool: str, arguments: dict[str, Any]) -> object:
        params = {"name": tool, "arguments": arguments}
        call = orjson.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
        headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
        self._connection.request("POST", self._path, call, headers)
        answer = orjson.loads(self._connection.getresponse().read())
        assert not answer["result"]["isError"], answer
        return answer

    def close(self) -> None:
        self._connection.close()


@contextmanager
def compiled(source: Path) -> Iterator[str]:
    """The folder with the classes of a JavaFX program."""
    with tempfile.TemporaryDirectory(prefix="deskhand-bench-") as folder:
        subprocess.run(
            ["javac", "--module-path", JARS, "--add-modules", "javafx.controls", "-d", folder, str(source)],
            check=True,
        )
        yield folder


@contextmanager
def nodes(classes: str, desktop: Desktop) -> Iterator[subprocess.Popen[str]]:
    """The program with many nodes, which knows nothing of us, once it shows its window."""
    command = ["java", "--module-path", JARS, "--add-modules", "javafx.controls", "-Dprism.order=sw"]
    process = subprocess.Popen(
        [*command, "-cp", classes, "Nodes", str(NODES)],
        env=desktop.env,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "shown\n"
        _settle(process.pid)
        yield process
    finally:
        process.terminate()
        process.communicate()


def _settle(pid: int) -> None:
    """Wait until the program has started to the end: until it needs next to no CPU."""
    deadline, before = time.monotonic() + 30, -1
    while (now := _ticks(pid)) - before > 2 and time.monotonic() < deadline:
        before = now
        time.sleep(0.25)


def _ticks(pid: int) -> int:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def _attaching(classes: str, desktop: Desktop) -> tuple[float, float]:
    """How long attaching to a fresh JVM takes, and how long the JDK's own program takes."""
    with nodes(classes, desktop) as process, nodes(classes, desktop) as other:
        began = time.perf_counter()
        launcher.attach(process.pid).close()
        ours = time.perf_counter() - began
        with tempfile.TemporaryDirectory(prefix="deskhand-bench-") as folder:
            began = time.perf_counter()
            load = ["jcmd", str(other.pid), "JVMTI.agent_load", str(jvm.JAR), f'"{folder}"']
            subprocess.run(load, check=True, stdout=subprocess.DEVNULL)
            theirs = time.perf_counter() - began
    return ours * 1000, theirs * 1000


@contextmanager
def _jpype(classes: str, desktop: Desktop) -> Iterator[tuple[Callable[[], object], str]]:
    """The walk through JPype, JSON included, and where the same is to be had by MCP."""
    process = subprocess.Popen(
        [sys.executable, str(_PEER), classes, JARS, str(NODES)],
        env=desktop.env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    question, answer = process.stdin, process.stdout
    try:
        assert answer.readline() == "shown\n"

        def walk() -> object:
            question.write("walk\n")
            question.flush()
            return json.loads(answer.readline())

        question.write("serve\n")
        question.flush()
        yield walk, answer.readline().strip()
    finally:
        process.kill()
        process.communicate()


def _count(found: object) -> int:
    return sum(1 + _count(node["children"]) for node in found) if isinstance(found, list) else 0
