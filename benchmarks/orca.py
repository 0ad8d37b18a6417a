"""The Orca contract over HTTP: the end of a wait, how soon events come, a call compared with a socket."""

from __future__ import annotations

import http.client
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import orjson

from deskhand.client.orca_events import events

from .measure import Figure, Report, interleaved, percentile
from .programs import Ear, Gip, command, environment

PEER = Path(__file__).parent / "peers" / "http_server.py"
_POLL = 0.1


class Orca:
    """A plain client, as the document describes one: a connection for each request."""

    def __init__(self, port: int) -> None:
        self.port = port

    def call(self, method: str, **params: Any) -> Any:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        connection.request("POST", "/jsonrpc", json.dumps(request))
        answer = orjson.loads(connection.getresponse().read())
        connection.close()
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def wait_for(self, label: str) -> None:
        """Return once the server reports a node with that label."""
        self.call("sync.wait_for", target={"label": label}, state="exists", timeout_ms=30_000)

    def poll_for(self, label: str) -> None:
        """The same by polling, as often as the document does by default."""
        time.sleep(random.uniform(0, _POLL))  # a change comes at any moment between two polls
        while not self.call("tree.find", label=label):
            time.sleep(_POLL)


def run(report: Report, quick: bool) -> None:
    with ExitStack() as stack:
        ear = stack.enter_context(Ear())
        orca, gip = stack.enter_context(_program(ear.path))
        peer = stack.enter_context(_peer())
        _wait(report, orca, ear, 20 if quick else 60)
        _events(report, orca, ear, 5 if quick else 40)
        _calls(report, orca, gip, peer, 50 if quick else 500)


@contextmanager
def _program(tell: str) -> Iterator[tuple[Orca, Gip]]:
    """The program with 200 widgets, served by Orca, and by GIP on a socket of its own."""
    with tempfile.TemporaryDirectory(prefix="deskhand-bench-") as folder:
        socket = str(Path(folder) / "gip")
        deskhand = str(Path(sys.executable).with_name("deskhand"))
        process = subprocess.Popen(
            [deskhand, "run", "--orca", "0", "--gip", socket, "--json", "--",
             *command("PySide6", "--widgets", "200", "--tell", tell)],
            env=environment(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        try:
            assert process.stdout is not None
            urls = {}
            while (told := json.loads(process.stdout.readline()))["ready"] is not True:
                urls[told["ready"]] = told["url"]
            gip = Gip(urls["gip"], orjson.loads)
            yield Orca(int(urls["orca"].rpartition(":")[2].partition("/")[0])), gip
            gip.close()
        finally:
            process.terminate()
            process.communicate()


@contextmanager
def _peer() -> Iterator[Orca]:
    process = subprocess.Popen([sys.executable, str(PEER)], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield Orca(int(process.stdout.readline()))
    finally:
        process.terminate()
        process.communicate()


def _wait(report: Report, orca: Orca, ear: Ear, times: int) -> None:
    """From the change in the program to the reply here, with the default poll_ms."""
    ours, polled = [], []
    for turn in range(times):
        orca.wait_for(_change(orca, 2 * turn + 1))
        ours.append((time.monotonic() - ear.hear("changed")) * 1000)
        orca.poll_for(_change(orca, 2 * turn + 2))
        polled.append((time.monotonic() - ear.hear("changed")) * 1000)
    add_waits(report, "Orca: sync.wait_for's reply after the change", ours, polled)


def add_waits(report: Report, what: str, ours: list[float], polled: list[float]) -> None:
    """Report how long after changes the end of a wait came, and the end of polling."""
    mine, theirs = statistics.median(ours), statistics.median(polled)
    report.add(
        Figure(
            f"{what}, p50", mine, "ms", "tree.find every 100 ms", theirs, "at least 5 times lower",
            theirs / mine >= 5,
        )
    )  # fmt: skip
    report.add(Figure(f"{what}, p95", percentile(ours, 0.95), "ms"))


def _events(report: Report, orca: Orca, ear: Ear, times: int) -> None:
    """From the change in the program to the event here."""
    taken = []
    told = events(f"orca://127.0.0.1:{orca.port}", only=("node",))
    assert next(told)["event"] == "ready"
    changes = _changes(orca)
    for turn in range(times):
        text = _change(orca, changes + turn + 1)
        while next(told)["node"]["label"] != text:
            pass
        taken.append((time.monotonic() - ear.hear("changed")) * 1000)
    told.close()
    report.add(Figure("Orca: an event after the change, p50", statistics.median(taken), "ms"))


def _calls(report: Report, orca: Orca, gip: Gip, peer: Orca, times: int) -> None:
    """The same question by HTTP, with a connection for each request, and on a socket that stays open."""
    http_took, socket_took, bare = interleaved(
        times,
        lambda: orca.call("app.state"),
        lambda: gip.call("deskhand_get_app_state"),
        lambda: peer.call("app.state"),
    )
    report.add(Figure("Orca: app.state by HTTP", http_took, "ms", "GIP on a Unix socket", socket_took))
    report.add(Figure("Orca: app.state by HTTP", http_took, "ms", "http.server with a constant answer", bare))
    dump, snapshot = interleaved(
        max(5, times // 10), lambda: orca.call("tree.dump"), lambda: gip.call("snapshot")
    )
    report.add(Figure("Orca: tree.dump of 200 widgets", dump, "ms", "GIP snapshot", snapshot))


def _change(orca: Orca, number: int) -> str:
    """Let the program change its label a moment later; what it will say then."""
    orca.call("input.click", target={"id": "change"})
    return f"after {number}"


def _changes(orca: Orca) -> int:
    label = orca.call("widget.get", target={"id": "label"})["label"]
    return int(str(label).rpartition(" ")[2])
