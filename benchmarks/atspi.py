"""The desktop through the accessibility bus: whole trees of real programs, against other ways to read them.

Cold is a new adapter that knows nothing; warm is the next read after one change. The peers walk with empty
caches when cold, and with whatever they keep when warm. Each runs in a process of its own on the desktop.
"""

from __future__ import annotations

import json
import math
import os
import select
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from deskhand.adapters.atspi import AtspiAdapter
from deskhand.desktop.private import Desktop
from deskhand.model import operations as ops
from deskhand.model.tree import Tree

from .measure import Figure, Report

HERE = Path(__file__).parent
PEERS = {"gi": "python3-gi and gir1.2-atspi-2.0", "xa11y": "the wheel xa11y", "dogtail": "python3-dogtail"}
_PAGE = """<!doctype html><title>Bench</title><h1 id=top>A page</h1><form>%s</form>"""
_ROW = (
    "<p><label for=f{0}>Field {0}</label> <input id=f{0} value='text {0}'> "
    "<button type=button>Press {0}</button>"
)
_PATIENCE = 180.0
_LIMIT = 60.0
"""How long a peer may take for one walk, in seconds; one that does not end counts as having taken that."""
_LIMIT_LARGE = 300.0
"""The same for a large program, where a peer that is slower than another is stopped as well."""


@dataclass(frozen=True)
class Program:
    """A program to read: how it is started, from how many nodes on it is up, and how to change one thing."""

    name: str
    argv: tuple[str, ...]
    nodes: int
    change: str = ""
    """A button to press; `line` for a program that changes something when its FIFO is written to."""
    large: bool = False
    """So large that peers take minutes: each walks it once."""
    package: str = ""
    """Where it is from, if not from here."""

    @property
    def missing(self) -> str:
        """What must be installed for it; empty if all is there."""
        if self.package:
            return "" if shutil.which(self.argv[0]) else f"Debian's {self.package}"
        module, name = ("gi", "Debian's python3-gi") if "gtk3" in self.argv[1] else ("PySide6", "PySide6")
        return "" if find_spec(module) is not None else name


def programs(folder: Path) -> list[Program]:
    page = folder / "page.html"
    page.write_text(_PAGE % "".join(_ROW.format(number) for number in range(180)))
    chromium = (
        "chromium", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
        "--disable-component-update", "--disable-sync", "--force-renderer-accessibility",
        f"--user-data-dir={folder / 'chromium'}", page.as_uri(),
    )  # fmt: skip
    writer = (
        "soffice", "--writer", "--norestore", "--nologo", "--nofirststartwizard",
        f"-env:UserInstallation={(folder / 'office').as_uri()}",
    )  # fmt: skip
    fifo = folder / "change"
    os.mkfifo(fifo)

    def form(kit: str, nodes: int) -> tuple[str, ...]:
        return (sys.executable, str(HERE / "apps" / f"{kit}_form.py"), str(nodes), str(fifo))

    return [
        Program("galculator", ("galculator",), 60, "7", package="galculator"),
        Program("mousepad", ("mousepad",), 200, package="mousepad"),
        Program("gnome-calculator", ("gnome-calculator",), 80, "7", package="gnome-calculator"),
        Program("kcalc", ("kcalc",), 150, "7", package="kcalc"),
        Program("Chromium", chromium, 1000, "Press 3", package="chromium"),
        Program("LibreOffice Writer", writer, 500, package="libreoffice-writer and libreoffice-gtk3"),
        Program("GTK 3 form of 1,000", form("gtk3", 1000), 990, "line"),
        Program("Qt 6 form of 1,000", form("qt", 1000), 990, "line"),
        Program("GTK 3 form of 10,000", form("gtk3", 10000), 9900, "line", large=True),
        Program("Qt 6 form of 10,000", form("qt", 10000), 9900, "line", large=True),
    ]


def run(report: Report, quick: bool) -> None:
    peers = [name for name in PEERS if name_is_there(name)]
    if not peers:
        print("  left out: no peer is installed; one of " + ", ".join(PEERS.values()))
        return
    measured: dict[str, Measured] = {}
    with tempfile.TemporaryDirectory(prefix="deskhand-bench-", ignore_cleanup_errors=True) as folder:
        for program in programs(Path(folder)):
            if not report.wants(program.name) or (quick and program.large):
                continue
            if missing := program.missing:
                print(f"  left out: {program.name}, which needs {missing}", flush=True)
                continue
            found = _measure(report, program, peers, 3 if quick else 5)
            if found is not None:
                measured[program.name] = found
    if report.wants("Qt 6: a node of 10,000 against one of 1,000"):
        _growth(report, 4 if quick else 8)
    if not measured:
        return
    cold = [one.theirs_cold / one.cold for one in measured.values()]
    warm = [one.theirs_warm / one.warm for one in measured.values()]
    mean, warm_mean = (math.exp(statistics.fmean(map(math.log, ratios))) for ratios in (cold, warm))
    report.add(Figure("cold, geometric mean", mean, "times faster", bound="at least 10", kept=mean >= 10))
    report.add(Figure("cold, lowest", min(cold), "times faster", bound="at least 5", kept=min(cold) >= 5))
    kept = warm_mean >= 30
    report.add(Figure("warm, geometric mean", warm_mean, "times faster", bound="at least 30", kept=kept))
    report.add(Figure("warm, lowest", min(warm), "times faster"))
    for kit in ("GTK 3", "Qt 6"):
        small, large = (measured.get(f"{kit} form of {count}") for count in ("1,000", "10,000"))
        if small is not None and large is not None:
            more = (large.cold / large.nodes) / (small.cold / small.nodes)
            what = f"{kit}: a node of 10,000 against one of 1,000, all rows side by side, cold"
            report.add(Figure(what, more, "times"))


def _growth(report: Report, times: int) -> None:
    """Whether a node costs the same in a large program.

    In sections, for Qt itself goes through all siblings whenever it is asked for one of them. Both programs
    run at the same time and are read in turns, ten small reads for a large one: as many nodes in each turn.
    """
    with ExitStack() as stack:
        small, large = (stack.enter_context(_in_sections(count)) for count in (1000, 10000))
        ratios = []
        for _ in range(times):
            few = sum(_first_look(*small[:2]) for _ in range(10)) / (10 * small[2])
            ratios.append(_first_look(*large[:2]) / large[2] / few)
    more = statistics.median(ratios)
    what = "Qt 6: a node of 10,000 against one of 1,000, in sections of 20 rows, cold"
    report.add(Figure(what, more, "times", bound="at most 1.2", kept=more <= 1.2))


@contextmanager
def _in_sections(count: int) -> Iterator[tuple[Desktop, int, int]]:
    """A Qt form on a desktop of its own: the desktop, the process, and how many nodes there are."""
    with Desktop() as desktop, tempfile.TemporaryDirectory(prefix="deskhand-bench-") as folder:
        fifo = Path(folder) / "change"
        os.mkfifo(fifo)
        argv = (sys.executable, str(HERE / "apps" / "qt_form.py"), str(count), str(fifo))
        desktop.spawn(argv, env={"SECTIONS": "1"}, stdout="null", stderr="null")
        tree, pid = _up(desktop, Program("Qt 6 form in sections", argv, int(count * 0.99)))
        yield desktop, pid, len(tree)


@dataclass(frozen=True)
class Measured:
    """The best times of one program, in ms: ours, and those of the fastest peer."""

    nodes: int
    cold: float
    warm: float
    theirs_cold: float
    theirs_warm: float


def _measure(report: Report, program: Program, names: list[str], times: int) -> Measured | None:
    times = 1 if program.large else times
    with ExitStack() as stack:
        desktop = stack.enter_context(Desktop())
        desktop.spawn(program.argv, stdout="null", stderr="null")
        tree, pid = _up(desktop, program)
        peers = [stack.enter_context(peer(name, desktop)) for name in names]
        ours: list[float] = []
        # Taking turns, so that a noisy moment hits all alike.
        for _ in range(times):
            ours += [_first_look(desktop, pid) for _ in range(5 if program.large else 2)]
            for one in peers:
                one.walk(pid, cold=True, limit=_limit(program, peers, cold=True))
        adapter = AtspiAdapter(desktop.env, pid=pid)
        stack.callback(adapter.close)
        change = _changer(program, adapter, adapter.read(timeout=60))
        ours_warm: list[float] = []
        for _ in range(times):
            for _ in range(5):
                change()
                began = time.perf_counter()
                adapter.read(timeout=60)
                ours_warm.append((time.perf_counter() - began) * 1000)
            for one in peers:
                one.walk(pid, cold=False, limit=_limit(program, peers, cold=False))
    for one in peers:
        print(f"  {one}", flush=True)
    if any(all(one.best(cold=kind) is None for one in peers) for kind in (True, False)):
        print(f"  left out: {program.name}, which no peer could read", flush=True)
        return None
    cold, warm = min(ours), min(ours_warm)
    fastest, next_fastest = (
        min((best, one.called(cold=kind)) for one in peers if (best := one.best(cold=kind)) is not None)
        for kind in (True, False)
    )
    what = f"{program.name}, {len(tree)} nodes"
    report.add(Figure(f"{what}, cold", cold, "ms", fastest[1], fastest[0]))
    report.add(Figure(f"{what}, warm", warm, "ms", next_fastest[1], next_fastest[0]))
    return Measured(len(tree), cold, warm, fastest[0], next_fastest[0])


def _limit(program: Program, peers: list[Peer], *, cold: bool) -> float:
    if not program.large:
        return _LIMIT
    known = [best / 1000 for one in peers if (best := one.best(cold=cold)) is not None]
    return min([_LIMIT_LARGE, *(1.1 * best for best in known)])


def _up(desktop: Desktop, program: Program) -> tuple[Tree, int]:
    """Wait until a program has shown everything and is idle."""
    adapter = AtspiAdapter(desktop.env)
    try:
        deadline = time.monotonic() + _PATIENCE
        before = -1
        while True:
            tree = adapter.read(timeout=60)
            if len(tree) >= program.nodes and len(tree) == before and tree.windows:
                return tree, tree.windows[0].pid
            before = len(tree)
            if time.monotonic() > deadline:
                raise TimeoutError(f"{program.name} has {len(tree)} nodes, not {program.nodes}")
            time.sleep(1.0)
    finally:
        adapter.close()


def _first_look(desktop: Desktop, pid: int) -> float:
    # Like the peers it is connected already, and knows nothing.
    adapter = AtspiAdapter(desktop.env, pid=pid)
    began = time.perf_counter()
    adapter.read(timeout=120)
    taken = (time.perf_counter() - began) * 1000
    adapter.close()
    time.sleep(0.2)  # the program lets go of who listened
    return taken


def _changer(program: Program, adapter: AtspiAdapter, tree: Tree) -> Callable[[], None]:
    if program.change == "line":
        fifo = Path(program.argv[-1])

        def line() -> None:
            fifo.write_bytes(b".")
            time.sleep(0.05)

        return line
    buttons = [node for node in tree if "press" in node.actions and node.name == program.change]

    def press() -> None:
        if buttons:
            adapter.perform(ops.Press(), buttons[0].uid, None, timeout=10)
        time.sleep(0.05)

    return press


# -- others ------------------------------------------------------------------------------------


def name_is_there(name: str) -> bool:
    if find_spec(name) is not None:
        return True
    print(f"  left out: {name}, which needs {PEERS[name]}", flush=True)
    return False


class Peer:
    """Another way to read programs, in a process of its own that walks when a line asks for it."""

    def __init__(self, name: str, process: subprocess.Popen[str]) -> None:
        self.name = name
        self._process = process
        self._taken: dict[bool, list[float]] = {True: [], False: []}
        self._stopped: dict[bool, float] = {}
        self._ended = ""

    def walk(self, pid: int, *, cold: bool, limit: float) -> None:
        answer = self.ask(limit, pid=pid, cold=cold)
        if "limit" in answer:
            self._stopped[cold] = limit
        if "error" in answer:
            self._ended = str(answer["error"])
        elif answer["nodes"]:
            self._taken[cold].append(float(str(answer["ms"])))

    def ask(self, limit: float = _LIMIT, **request: object) -> dict[str, object]:
        if self._process.poll() is not None:
            return {"error": self._ended or "it ended"}
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        if not select.select([self._process.stdout], [], [], limit)[0]:
            self._process.kill()
            self._process.wait()
            return {"error": f"it took longer than {limit:.0f} s", "limit": limit}
        answer: dict[str, object] = json.loads(self._process.stdout.readline() or '{"error": "it ended"}')
        return answer

    def best(self, *, cold: bool) -> float | None:
        """The least time in ms; if it never came to an end, when it was stopped; None if it cannot read."""
        if self._taken[cold]:
            return min(self._taken[cold])
        return self._stopped[cold] * 1000 if cold in self._stopped else None

    def called(self, *, cold: bool) -> str:
        return self.name if self._taken[cold] else f"{self.name}, at least"

    def __str__(self) -> str:
        known = (("cold", self._taken[True]), ("warm", self._taken[False]))
        times = ", ".join(f"{kind} {min(taken):.0f} ms" for kind, taken in known if taken)
        return f"{self.name}: {'; '.join(part for part in (times, self._ended) if part)}"


@contextmanager
def peer(name: str, desktop: Desktop) -> Iterator[Peer]:
    script = HERE / "peers" / f"atspi_{name}.py"
    process = subprocess.Popen(
        [sys.executable, str(script)], env=desktop.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    try:
        yield Peer(name, process)
    finally:
        process.kill()
        process.communicate()
