"""From a press through the accessibility bus to the program's own handler, and screenshots."""

from __future__ import annotations

import io
import os
import select
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from deskhand.adapters.atspi import AtspiAdapter
from deskhand.desktop.private import Desktop
from deskhand.model import operations as ops

from .atspi import HERE, PEERS, name_is_there, peer
from .measure import Figure, Report, interleaved

_RELEASED = 0.3
"""After so many seconds a button that was pressed is up again, in every toolkit."""


def run(report: Report, quick: bool) -> None:
    peers = [name for name in PEERS if name != "dogtail" and name_is_there(name)]
    for kit in ("gtk3", "qt"):
        _press(report, kit, peers, 10 if quick else 40)
    _screenshot(report, 5 if quick else 25)


def _press(report: Report, kit: str, names: list[str], times: int) -> None:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="deskhand-bench-")))
        for name in ("change", "pressed"):
            os.mkfifo(folder / name)
        pressed = os.open(folder / "pressed", os.O_RDWR | os.O_NONBLOCK)
        stack.callback(os.close, pressed)
        desktop = stack.enter_context(Desktop())
        script = str(HERE / "apps" / f"{kit}_form.py")
        desktop.spawn(
            (sys.executable, script, "100", str(folder / "change"), str(folder / "pressed")),
            stdout="null", stderr="null",
        )  # fmt: skip
        adapter = AtspiAdapter(desktop.env)
        stack.callback(adapter.close)
        button = None
        while button is None:
            tree = adapter.read(timeout=30)
            button = next((node for node in tree if node.name == "Press me" and node.role == "button"), None)
        pid = tree.windows[0].pid
        uid = button.uid
        ways: dict[str, Callable[[], object]] = {
            "ours": lambda: adapter.perform(ops.Press(), uid, None, timeout=10)
        }
        for name in names:
            other = stack.enter_context(peer(name, desktop))
            other.ask(pid=pid, press="Press me")  # finds it
            ways[name] = lambda other=other: other.ask(pid=pid, press="Press me")  # type: ignore[misc]
        taken: dict[str, list[float]] = {name: [] for name in ways}
        for _ in range(times):
            for name, way in ways.items():
                time.sleep(_RELEASED)
                taken[name].append(_until(way, pressed))
    best = {name: statistics.median(own) for name, own in taken.items()}
    theirs = min(((own, name) for name, own in best.items() if name != "ours"), default=(None, ""))
    title = {"gtk3": "GTK 3", "qt": "Qt 6"}[kit]
    report.add(
        Figure(f"{title}: a press to the program's handler, p50", best["ours"], "ms", theirs[1], theirs[0])
    )


def _until(way: Callable[[], object], pressed: int) -> float:
    """How long it takes from the call to what the program writes, whenever the call returns."""
    reached: list[float] = []

    def wait() -> None:
        if select.select([pressed], [], [], 10)[0]:
            reached.append(time.monotonic())
            os.read(pressed, 10)

    waiter = threading.Thread(target=wait)
    waiter.start()
    began = time.monotonic()
    way()
    waiter.join()
    return (reached[0] - began) * 1000 if reached else 10_000


def _screenshot(report: Report, times: int) -> None:
    """A screenshot of 1280x800 as PNG, against mss and pillow's default."""
    try:
        import mss
        from PIL import Image
    except ImportError as error:
        print(f"  left out: screenshots, whose peer needs {error.name}", flush=True)
        return
    with Desktop() as desktop:
        script = str(HERE / "apps" / "gtk3_form.py")
        with tempfile.TemporaryDirectory(prefix="deskhand-bench-") as folder:
            os.mkfifo(f"{folder}/change")
            desktop.spawn((sys.executable, script, "200", f"{folder}/change"), stdout="null", stderr="null")
            adapter = AtspiAdapter(desktop.env)
            while not adapter.read(timeout=10).windows:
                time.sleep(0.1)
            os.environ.update({name: desktop.env[name] for name in ("DISPLAY", "XAUTHORITY")})
            with mss.mss() as shooter:

                def theirs() -> None:
                    shot = shooter.grab(shooter.monitors[0])
                    Image.frombytes("RGB", shot.size, shot.rgb).save(io.BytesIO(), "PNG")

                mine, other = interleaved(times, lambda: adapter.screenshot(None, timeout=5), theirs)
            adapter.close()
    report.add(
        Figure("screenshot of 1280x800", mine, "ms", "mss and pillow", other, "under half", mine < other / 2)
    )
