"""The desktop through the accessibility bus: whole trees of real programs, against other ways to read them.

Cold is a new adapter that knows nothing; warm is the next look after one change. The peers walk with empty
caches when cold, and with whatever they keep when warm. Each runs in a process of its own on the desktop.
"""

from __future__ import annotations

import io
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from deskhand.adapters.atspi import AtspiAdapter
from deskhand.desktop import Desktop
from deskhand.model import operations as ops
from deskhand.model.tree import Tree

from .measure import Figure, Report

_HERE = Path(__file__).parent
_PEERS = ("xa11y", "dogtail", "gi")
_PAGE = """<!doctype html><title>Bench</title><h1 id=top>A page</h1><form>%s</form>"""
_ROW = (
    "<p><label for=f{0}>Field {0}</label> <input id=f{0} value='text {0}'> "
    "<button type=button>Press {0}</button>"
)
_PATIENCE = 180.0


@dataclass(frozen=True)
class Program:
    """A program to read: how it is started, from how many nodes on it is up, and how to change one thing."""

    name: str
    argv: tuple[str, ...]
    nodes: int
    change: str = ""
    """A button to press; `line` for a program that changes something when its FIFO is written to."""
    peers: tuple[str, ...] = _PEERS
    slow: bool = False


def _programs(folder: Path) -> list[Program]:
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
    os.mkfifo(folder / "change")
    form = {kit: str(_HERE / "apps" / f"{kit}_form.py") for kit in ("gtk3", "qt")}
    fifo = str(folder / "change")
    return [
        Program("galculator", ("galculator",), 60, "7"),
        Program("mousepad", ("mousepad",), 200),
        Program("gnome-calculator", ("gnome-calculator",), 80, "7"),
        Program("kcalc", ("kcalc",), 150, "7"),
        Program("GTK 3 form of 1,000", (sys.executable, form["gtk3"], "1000", fifo), 990, "line"),
        Program("Qt 6 form of 1,000", (sys.executable, form["qt"], "1000", fifo), 990, "line"),
        Program("Chromium", chromium, 700, "Press 3", ("xa11y", "gi")),
        Program("LibreOffice Writer", writer, 500),
        Program(
            "GTK 3 form of 10,000", (sys.executable, form["gtk3"], "10000", fifo), 9900, "line", ("gi",), True
        ),
        Program(
            "Qt 6 form of 10,000", (sys.executable, form["qt"], "10000", fifo), 9900, "line", ("gi",), True
        ),
    ]


def run(report: Report, quick: bool) -> None:
    cold: list[float] = []
    warm: list[float] = []
    with tempfile.TemporaryDirectory(prefix="deskhand-bench-", ignore_cleanup_errors=True) as folder:
        wanted = os.environ.get("DESKHAND_BENCH_ONLY", "")
        for program in _programs(Path(folder)):
            if wanted and not any(part in program.name for part in wanted.split(",")):
                continue
            if quick and program.slow:
                continue
            ratios = _measure(report, program, 3 if quick else 7)
            cold.append(ratios[0])
            warm.append(ratios[1])
    mean, warm_mean = (math.exp(statistics.fmean(map(math.log, ratios))) for ratios in (cold, warm))
    report.add(Figure("cold, geometric mean", mean, "times faster", bound="at least 10", kept=mean >= 10))
    report.add(Figure("cold, lowest", min(cold), "times faster", bound="at least 5", kept=min(cold) >= 5))
    kept = warm_mean >= 100
    report.add(Figure("warm, geometric mean", warm_mean, "times faster", bound="at least 100", kept=kept))
    report.add(Figure("warm, lowest", min(warm), "times faster"))
    _picture(report, 5 if quick else 15)


def _measure(report: Report, program: Program, times: int) -> tuple[float, float]:
    with ExitStack() as stack:
        desktop = stack.enter_context(Desktop())
        desktop.spawn(program.argv, stdout="null", stderr="null")
        tree, pid = _up(desktop, program)
        peers = {name: stack.enter_context(_peer(name, desktop)) for name in program.peers}
        ours: list[float] = []
        theirs: dict[str, list[float]] = {name: [] for name in peers}
        # Taking turns, so that a noisy moment hits all alike.
        for _ in range(1 if program.slow else times):
            ours.append(_first_look(desktop, pid)[0])
            for name, ask in peers.items():
                if (taken := _timed(ask, pid, cold=True)) is not None:
                    theirs[name].append(taken)
        cold = min(ours)
        adapter = AtspiAdapter(desktop.env, pid=pid)
        stack.callback(adapter.close)
        tree = adapter.read(timeout=60)
        change = _changer(program, adapter, tree)
        warm_ours: list[float] = []
        warm_theirs: list[float] = []
        for _ in range(1 if program.slow else times):
            for _ in range(3):
                change()
                began = time.perf_counter()
                adapter.read(timeout=60)
                warm_ours.append((time.perf_counter() - began) * 1000)
            warm_theirs += [
                taken for ask in peers.values() if (taken := _timed(ask, pid, cold=False)) is not None
            ]
        warm = statistics.median(warm_ours)
    for name, taken_by in theirs.items():
        print(f"  {name}: {min(taken_by):.0f} ms" if taken_by else f"  {name} could not read it", flush=True)
    best_cold, by = min((min(taken_by), name) for name, taken_by in theirs.items() if taken_by)
    best_warm = min(warm_theirs)
    what = f"{program.name}, {len(tree)} nodes"
    report.add(Figure(f"{what}, cold", cold, "ms", by, best_cold))
    bound = ("under 15 ms", warm < 15) if 900 < len(tree) < 1100 else ("", None)
    report.add(Figure(f"{what}, warm", warm, "ms", "the fastest", best_warm, *bound))
    return best_cold / cold, best_warm / warm


def _up(desktop: Desktop, program: Program) -> tuple[Tree, int]:
    """Wait until a program has shown all it has, and is at rest."""
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


def _first_look(desktop: Desktop, pid: int) -> tuple[float, Tree]:
    began = time.perf_counter()
    adapter = AtspiAdapter(desktop.env, pid=pid)
    tree = adapter.read(timeout=120)
    taken = (time.perf_counter() - began) * 1000
    adapter.close()
    time.sleep(0.2)  # the program lets go of who listened
    return taken, tree


def _changer(program: Program, adapter: AtspiAdapter, tree: Tree) -> Callable[[], None]:
    if program.change == "line":
        fifo = Path(program.argv[-1])

        def line() -> None:
            fifo.write_bytes(b".")
            time.sleep(0.05)

        return line
    buttons = [
        node for node in tree if node.role == "button" and node.name == program.change and node.visible
    ]

    def press() -> None:
        if buttons:
            adapter.perform(ops.Press(), buttons[0].uid, None, timeout=10)
        time.sleep(0.05)

    return press


@contextmanager
def _peer(name: str, desktop: Desktop) -> Iterator[Callable[..., dict[str, object]]]:
    script = _HERE / "peers" / f"atspi_{name}.py"
    process = subprocess.Popen(
        [sys.executable, str(script)], env=desktop.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None

    def ask(pid: int, cold: bool) -> dict[str, object]:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps({"pid": pid, "cold": cold}) + "\n")
        process.stdin.flush()
        answer: dict[str, object] = json.loads(process.stdout.readline() or '{"error": "it ended"}')
        return answer

    try:
        yield ask
    finally:
        process.kill()
        process.wait()


def _timed(ask: Callable[..., dict[str, object]], pid: int, cold: bool) -> float | None:
    answer = ask(pid, cold)
    return None if "error" in answer or not answer["nodes"] else float(str(answer["ms"]))


def _picture(report: Report, times: int) -> None:
    """A screenshot of 1280x800 as PNG, against mss and pillow's default."""
    import mss
    from PIL import Image

    with Desktop() as desktop:
        process = desktop.spawn(["galculator"], stdout="null", stderr="null")
        adapter = AtspiAdapter(desktop.env)
        while not adapter.read(timeout=10).windows:
            time.sleep(0.1)
        os.environ.update({name: desktop.env[name] for name in ("DISPLAY", "XAUTHORITY")})
        with mss.mss() as shooter:

            def peer() -> None:
                shot = shooter.grab(shooter.monitors[0])
                Image.frombytes("RGB", shot.size, shot.rgb).save(io.BytesIO(), "PNG")

            ours, theirs = [], []
            for _ in range(times):
                for function, taken in ((lambda: adapter.screenshot(None, timeout=5), ours), (peer, theirs)):
                    began = time.perf_counter()
                    function()
                    taken.append((time.perf_counter() - began) * 1000)
        adapter.close()
        del process
    mine, other = statistics.median(ours), statistics.median(theirs)
    report.add(
        Figure("a picture of 1280x800", mine, "ms", "mss and pillow", other, "under half", mine < other / 2)
    )
