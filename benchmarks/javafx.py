"""The nodes of a JavaFX program from another process, against a walk through JPype; and getting into it."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from deskhand import Desktop, launcher
from deskhand.inject import jvm
from deskhand.model.operations import ReadTree

from .measure import Figure, Report, interleaved

NODES = 3_000
JARS = "/usr/share/openjfx/lib"
_APP = Path(__file__).parent / "apps" / "Nodes.java"
_PEER = Path(__file__).parent / "peers" / "javafx_jpype.py"


def run(report: Report, quick: bool) -> None:
    with ExitStack() as stack:
        desktop = stack.enter_context(Desktop())
        classes = stack.enter_context(compiled(_APP))
        attach = [_attaching(classes, desktop) for _ in range(2 if quick else 5)]
        ours, theirs = (statistics.median(times) for times in zip(*attach, strict=True))
        report.add(
            Figure("getting into a running JVM", ours, "ms", "jcmd", theirs, "under 300 ms", ours < 300)
        )
        attached = stack.enter_context(launcher.attach(stack.enter_context(nodes(classes, desktop)).pid))
        assert attached.runner is not None
        session = attached.runner
        walk = stack.enter_context(_jpype(classes, desktop))
        snapshot = session.run(ReadTree())
        assert snapshot.tree is not None
        assert len(snapshot.tree) >= NODES
        assert _count(walk()) >= NODES
        ours, theirs = interleaved(10 if quick else 30, lambda: session.run(ReadTree()), walk)
        what = f"snapshot of {NODES} JavaFX nodes"
        report.add(Figure(what, ours, "ms", "JPype", theirs, "at least 5 times faster", theirs / ours >= 5))


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
        yield process
    finally:
        process.terminate()
        process.communicate()


def _attaching(classes: str, desktop: Desktop) -> tuple[float, float]:
    """How long getting into a JVM takes that nobody got into before, and what the JDK's own program takes."""
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
def _jpype(classes: str, desktop: Desktop) -> Iterator[Callable[[], object]]:
    """The walk through JPype, JSON included."""
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

        yield walk
    finally:
        process.kill()
        process.communicate()


def _count(found: object) -> int:
    return sum(1 + _count(node["children"]) for node in found) if isinstance(found, list) else 0
