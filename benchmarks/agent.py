"""The Agent contract over HTTP: what it adds to a snapshot, and files of a gigabyte."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from deskhand.adapters.atspi import AtspiAdapter
from deskhand.desktop.private import Desktop

from .atspi import HERE
from .measure import Figure, Report

_PIECE = 1 << 20


def run(report: Report, quick: bool) -> None:
    with ExitStack() as stack:
        # Not in a temporary folder in memory: the files are as large as the memory of a small machine.
        folder = Path(
            stack.enter_context(tempfile.TemporaryDirectory(prefix="deskhand-bench-", dir="/var/tmp"))
        )
        desktop = stack.enter_context(Desktop())
        port, pid = stack.enter_context(_agent(desktop))
        _snapshot(report, desktop, port, folder, 5 if quick else 25)
        _files(report, port, pid, folder, 128 if quick else 1024)


@contextmanager
def _agent(desktop: Desktop) -> Iterator[tuple[int, int]]:
    """An agent on that desktop; its port and process id."""
    command = str(Path(sys.executable).with_name("deskhand"))
    process = subprocess.Popen(
        [command, "agent", "--bind", "127.0.0.1", "--port", "0", "--json", "--no-token"],
        env=desktop.env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        url = str(json.loads(process.stdout.readline())["url"])
        yield int(url.rpartition(":")[2]), process.pid
    finally:
        process.terminate()
        process.communicate()


def _snapshot(report: Report, desktop: Desktop, port: int, folder: Path, times: int) -> None:
    """What HTTP and JSON add to a read, of a new program and of a known one."""
    fifo = folder / "change"
    os.mkfifo(fifo)
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    body = json.dumps({"mode": "full", "depth": 100})

    def over_http() -> None:
        connection.request("POST", "/snapshot", body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        data = answer.read()
        assert answer.status == 200, data
        assert b"Button 199" in data

    def change() -> None:
        fifo.write_bytes(b".")
        time.sleep(0.05)

    adapter = AtspiAdapter(desktop.env)
    first: list[float] = []
    alone: list[float] = []
    try:
        for turn in range(max(3, times // 3)):
            with _form(desktop, fifo):
                looks: list[tuple[list[float], Callable[[], object]]] = [
                    (first, over_http), (alone, lambda: adapter.read(timeout=60)),
                ]  # fmt: skip
                for own, look in looks if turn % 2 else reversed(looks):
                    own.append(_timed(look))
        what = "/snapshot over HTTP of a program of 1,000 nodes"
        theirs, ours = min(first), min(alone)
        kept = theirs <= 1.3 * ours
        figure = Figure(
            f"{what}, new to it", theirs, "ms", "the adapter alone", ours, "within 1.3 times", kept
        )
        report.add(figure)
        with _form(desktop, fifo):
            for kind, before in (("after one change", change), ("without a change", lambda: None)):
                theirs, ours = _in_turns(times, before, over_http, lambda: adapter.read(timeout=60))
                report.add(Figure(f"{what}, {kind}", theirs, "ms", "the adapter alone", ours))
    finally:
        connection.close()
        adapter.close()


@contextmanager
def _form(desktop: Desktop, fifo: Path) -> Iterator[None]:
    """A form of 1,000 nodes that is up and at rest."""
    script = str(HERE / "apps" / "gtk3_form.py")
    process = desktop.spawn((sys.executable, script, "1000", str(fifo)), stdout="null", stderr="null")
    try:
        watcher = AtspiAdapter(desktop.env, pid=process.pid)
        while len(watcher.read(timeout=30)) < 990:
            time.sleep(0.2)
        time.sleep(0.5)
        watcher.close()
        yield
    finally:
        process.signal(signal.SIGKILL)
        process.wait(10)
        time.sleep(0.2)


def _timed(function: Callable[[], object]) -> float:
    began = time.perf_counter()
    function()
    return (time.perf_counter() - began) * 1000


def _in_turns(
    times: int, before: Callable[[], object], one: Callable[[], object], other: Callable[[], object]
) -> list[float]:
    """The least time of each in ms, with something done before each."""
    best = [float("inf"), float("inf")]
    for _ in range(times):
        for number, function in enumerate((one, other)):
            before()
            best[number] = min(best[number], _timed(function))
    return best


def _files(report: Report, port: int, pid: int, folder: Path, megabytes: int) -> None:
    """A file sent and fetched in the streaming form, against `cat` to the same disk."""
    source, there, back, copy = (folder / name for name in ("source", "there", "back", "copy"))
    piece = os.urandom(_PIECE)
    with source.open("wb") as file:
        for _ in range(megabytes):
            file.write(piece)

    def cat() -> None:
        with source.open("rb") as reading, copy.open("wb") as writing:
            subprocess.run(["cat"], stdin=reading, stdout=writing, check=True)

    def send() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        connection.putrequest("POST", f"/upload?path={there}")
        connection.putheader("Content-Type", "application/octet-stream")
        connection.putheader("Content-Length", str(megabytes * _PIECE))
        connection.endheaders()
        with source.open("rb") as file:
            connection.sock.sendfile(file)
        answer = connection.getresponse()
        data = answer.read()
        assert answer.status == 200, data
        connection.close()

    def fetch() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        connection.request("POST", f"/download?path={there}")
        answer = connection.getresponse()
        assert answer.status == 200, answer.read()
        with back.open("wb") as file:
            while data := answer.read(_PIECE):
                file.write(data)
        connection.close()

    for name, function, made in (("upload", send, there), ("download", fetch, back)):
        peak = _Peak(pid)
        taken, alone = _in_turns(3, lambda: copy.unlink(missing_ok=True), function, cat)
        assert made.stat().st_size == megabytes * _PIECE
        memory = peak.stop()
        speed, peer = (megabytes / milliseconds * 1000 for milliseconds in (taken, alone))
        share = speed / peer
        report.add(
            Figure(f"{name} of {megabytes} MB", share, "of cat", bound="at least 0.25", kept=share >= 0.25)
        )
        print(f"  {speed:.0f} MB/s, cat {peer:.0f} MB/s", flush=True)
        report.add(
            Figure(
                f"{name}, memory of the agent, all of it", memory, "MB", bound="under 64", kept=memory < 64
            )
        )


class _Peak:
    """The most memory that a process has while something runs, without shared files."""

    def __init__(self, pid: int) -> None:
        self._status = Path(f"/proc/{pid}/status")
        self._peak = 0
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()

    def stop(self) -> float:
        self._stopped.set()
        self._thread.join()
        return self._peak / 1024

    def _watch(self) -> None:
        while not self._stopped.wait(0.02):
            lines = self._status.read_text().splitlines()
            now = next(int(line.split()[1]) for line in lines if line.startswith("RssAnon"))
            self._peak = max(self._peak, now)
