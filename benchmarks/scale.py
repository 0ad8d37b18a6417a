"""What a private desktop costs, alone and with a program, and how many of them one machine carries.

What a thousand of them would cost is arithmetic, and is in docs/guides/scale.md.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from deskhand import App, Desktop, launch

from .measure import Figure, Report, percentile

ROOT = Path(__file__).resolve().parents[1]
_FORM = [sys.executable, str(ROOT / "demo/qt_form.py")]
_PROGRAMS: dict[str, list[str]] = {
    "galculator": ["galculator"],
    "a Qt form": _FORM,
    "LibreOffice Writer": ["soffice", "--writer", "--norestore", "--nologo", "--nofirststartwizard"],
}
_TICKS = os.sysconf("SC_CLK_TCK")
_PERIOD = 0.5
"""How often each client clicks, in seconds: about as often as a quick test."""
_STEPS = (1, 2, 4, 6, 8, 12, 16, 24, 32)
_GAIN = 1.8


@dataclass(frozen=True)
class Cost:
    """What all processes of a desktop use together."""

    memory: float
    """Their proportional share, in MB: what several of them share is counted once."""
    processes: int
    descriptors: int
    cpu: float
    """While nothing is done, in percent of one core."""


def run(report: Report, quick: bool) -> None:
    _costs(report, quick)
    _side_by_side(report, quick)
    _workers(report, quick)


def _costs(report: Report, quick: bool) -> None:
    times = 1 if quick else 5
    for name in ("nothing", *_PROGRAMS):
        if not report.wants(name) or not (name == "nothing" or shutil.which(_PROGRAMS[name][0])):
            continue
        starts, costs = [], []
        for _ in range(times):
            with _running(name) as (supervisor, took):
                starts.append(took)
                costs.append(_cost(supervisor, 2.0 if quick else 5.0))
        for what, unit, values in (
            ("memory (PSS)", "MB", [cost.memory for cost in costs]),
            ("processes", "", [cost.processes for cost in costs]),
            ("descriptors", "", [cost.descriptors for cost in costs]),
            ("CPU while idle", "% of a core", [cost.cpu for cost in costs]),
            ("start", "s", starts),
        ):
            report.add(Figure(f"a desktop with {name}: {what}", statistics.median(values), unit))


@contextlib.contextmanager
def _running(name: str) -> Iterator[tuple[int, float]]:
    """The supervisor of a desktop, and how long its start took."""
    began = time.monotonic()
    with Desktop() as desktop, contextlib.ExitStack() as stack:
        if name != "nothing":
            app: App = stack.enter_context(launch(_PROGRAMS[name], desktop=desktop, timeout=120))
            app.wait_idle(timeout=60)
        yield desktop.supervisor.pid, time.monotonic() - began


def _cost(pid: int, seconds: float) -> Cost:
    settled = 0.0
    while settled != (settled := _cpu(_tree(pid))):
        time.sleep(0.5)  # until the start is over
    before = _cpu(_tree(pid))
    time.sleep(seconds)
    pids = _tree(pid)
    cpu = (_cpu(pids) - before) / seconds * 100
    return Cost(sum(map(_pss, pids)), len(pids), sum(map(_open_files, pids)), cpu)


def _tree(pid: int) -> list[int]:
    """A process and all that descend from it."""
    found = [pid]
    for each in found:
        with contextlib.suppress(FileNotFoundError):
            for children in Path(f"/proc/{each}/task").glob("*/children"):
                found += map(int, children.read_text().split())
    return found


def _pss(pid: int) -> float:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def _open_files(pid: int) -> int:
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))


def _cpu(pids: Sequence[int]) -> float:
    used = 0.0
    for pid in pids:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        used += (int(fields[11]) + int(fields[12])) / _TICKS
    return used


def _side_by_side(report: Report, quick: bool) -> None:
    """How many desktops, each with a client that clicks now and then, before a click takes twice as long."""
    if not report.wants("side by side"):
        return
    seconds = 5.0 if quick else 15.0
    alone, most = 0.0, 0
    for count in _STEPS[:4] if quick else _STEPS:
        with contextlib.ExitStack() as stack:
            workers = [stack.enter_context(_Worker("click", str(seconds))) for _ in range(count)]
            for worker in workers:
                worker.await_ready()
            for worker in workers:
                worker.go()
            clicks = [each for worker in workers for each in worker.result()]
        p95 = percentile(clicks, 0.95)
        report.add(Figure(f"a click with {count} desktops side by side, p95", p95, "ms"))
        alone = alone or p95
        if p95 > 2 * alone:
            break
        most = count
    report.add(Figure("desktops side by side before a click's p95 doubles", most, ""))


def _workers(report: Report, quick: bool) -> None:
    """The same items by one worker, and by as many as there are cores."""
    if not report.wants("workers"):
        return
    items, cores = 8 if quick else 24, os.cpu_count() or 1
    one, several = (_time_for(items, count) for count in (1, cores))
    gain = one / several
    bound = f"at least {_GAIN:g} with 2 workers on two cores"
    kept = gain >= _GAIN if cores == 2 else None
    report.add(Figure(f"{items} items by 1 worker", one, "s"))
    report.add(Figure(f"{items} items by {cores} workers", several, "s"))
    report.add(Figure(f"{cores} workers against 1", gain, "times", bound=bound, kept=kept))


def _time_for(items: int, count: int) -> float:
    with contextlib.ExitStack() as stack:
        workers = [stack.enter_context(_Worker("items", str(items // count))) for _ in range(count)]
        for worker in workers:
            worker.await_ready()
        began = time.monotonic()
        for worker in workers:
            worker.go()
        for worker in workers:
            worker.result()
        return time.monotonic() - began


class _Worker:
    """A process of its own that begins when it is let go, and prints how long each of its steps took."""

    def __init__(self, *arguments: str) -> None:
        command = [sys.executable, "-m", "benchmarks.scale", *arguments]
        self._process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __enter__(self) -> _Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.communicate()

    def await_ready(self) -> None:
        assert self._process.stdout
        if self._process.stdout.readline() != "ready\n":
            raise SystemExit("a worker did not start")

    def go(self) -> None:
        assert self._process.stdin
        self._process.stdin.write("go\n")
        self._process.stdin.flush()

    def result(self) -> list[float]:
        assert self._process.stdout
        found: list[float] = json.loads(self._process.stdout.readline())
        return found


def _clicking(seconds: float) -> list[float]:
    """How long each click of one client took, in ms."""
    with launch(_FORM, headless=True, timeout=120) as app:
        button = app.get_by_role("button", name="Greet")
        button.click()
        print("ready", flush=True)
        sys.stdin.readline()
        taken, until = [], time.monotonic() + seconds
        while (began := time.monotonic()) < until:
            button.click()
            taken.append((time.monotonic() - began) * 1000)
            time.sleep(max(0.0, _PERIOD - (time.monotonic() - began)))
        return taken


def _items(count: int) -> list[float]:
    """How long each of some items took, in ms: a desktop, an app, a task and the end."""
    print("ready", flush=True)
    sys.stdin.readline()
    taken = []
    for _ in range(count):
        began = time.monotonic()
        with launch(_FORM, headless=True) as app:
            app.locator("#name").fill("Ada")
            app.get_by_role("button", name="Greet").click()
        taken.append((time.monotonic() - began) * 1000)
    return taken


if __name__ == "__main__":
    kind, amount = sys.argv[1:]
    print(json.dumps(_clicking(float(amount)) if kind == "click" else _items(int(amount))), flush=True)
