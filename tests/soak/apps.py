"""The five apps of the soak, each of another toolkit and served by every protocol."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from demo.forms import FORMS, command
from deskhand import connect
from tests.soak.drivers import ENDPOINTS, PATIENCE, Driver, Wrong

ROOT = Path(__file__).parents[2]
_NAME = 'textfield[name="Name"]'
_DESKHAND = Path(sys.executable).with_name("deskhand")
# Otherwise the heap takes whatever it may before anything is collected, and its size says nothing.
_SMALL_HEAP = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xms48m -Xmx48m -XX:+AlwaysPreTouch"


@dataclass(frozen=True)
class Kind:
    """An app: how it is started, and where the clients find things in it."""

    name: str
    command: Sequence[str]
    env: dict[str, str] = field(default_factory=dict)

    button = 'button[name="Greet"]'
    report = '[id$="report"]'
    report_by_orca = report
    least = 20
    """How many nodes every read of it has, at least."""

    def report_by(self, protocol: str) -> str:
        """Where it says what happened last."""
        return self.report_by_orca if protocol == "orca" else self.report

    def act(self, driver: Driver, text: str, chance: random.Random) -> str:
        """Do something that leaves a trace; what the report must say now."""
        if chance.random() < 0.7:
            driver.fill(_NAME, text)
        else:
            driver.fill(_NAME, text[:-2])
            driver.type(_NAME, text[-2:])
        driver.click(self.button)
        return f"Hello, {text}!"

    def close(self, url: str) -> None:
        with connect(url, default_timeout=PATIENCE) as app:
            app.locator("window").first.control_window("close")

    def check(self, printed: str, said: Sequence[str]) -> None:
        """Whether the app itself noted the same as the clients; it prints that when it is closed."""
        lines = [line for line in printed.splitlines() if line.startswith('{"events"')]
        if not lines:
            raise Wrong(f"{self.name} did not print what happened: {printed[-500:]!r}")
        noted = [event for event in json.loads(lines[-1])["events"] if event.startswith("Hello, ")]
        if not noted or noted != list(said)[-len(noted) :]:
            raise Wrong(f"{self.name} noted {noted[-5:]}, the clients {list(said)[-5:]}")


@dataclass(frozen=True)
class Calculator(Kind):
    """galculator, which is read and operated from outside."""

    button = '[name="="]'
    report = "editable-text"
    report_by_orca = "textfield"
    least = 40

    def act(self, driver: Driver, text: str, chance: random.Random) -> str:
        first, second = chance.randint(2, 9), chance.randint(2, 9)
        for key in ("AC", str(first), "*", str(second), "="):
            driver.click(f'[name="{key}"]')
        return str(first * second)

    def check(self, printed: str, said: Sequence[str]) -> None:
        """It prints nothing."""


KINDS = (
    Kind("qt", tuple(command(FORMS["pyside6-xcb"]))),
    Kind("wx", tuple(command(FORMS["wx-xcb"]))),
    Kind("javafx", tuple(command(FORMS["javafx"])), {"JAVA_TOOL_OPTIONS": _SMALL_HEAP}),
    Calculator("galculator", ("galculator",)),
    Kind("imgui", tuple(command(FORMS["imgui-glfw"]))),
)


class Served:
    """An app that runs, and where it is served."""

    def __init__(self, kind: Kind, process: subprocess.Popen[str], said: Path) -> None:
        self.kind = kind
        self.process = process
        self.acting = threading.Lock()
        """Held while one client acts and checks: what the app reports is about the last action."""
        self.reports: list[str] = []
        """What it was seen to report, in order."""
        self.urls: dict[str, str] = {}
        self.token = ""
        self._stderr = said
        assert process.stdout is not None
        for line in process.stdout:
            ready = json.loads(line)
            if ready["ready"] is True:
                return
            name = ready["ready"] if ready["ready"] != "gip" else f"gip-{ready['url'].split(':')[0]}"
            self.urls[name] = ready["url"]
            self.token = ready.get("token") or self.token
        raise Wrong(f"{kind.name} did not start: {said.read_text()}")

    def complaints(self) -> list[str]:
        """What it wrote to stderr that a user should not see."""
        lines = self._stderr.read_text().splitlines()
        return [line for line in lines if "Traceback" in line or "Error" in line or "error" in line]

    def finish(self) -> None:
        """Close its window as a person would; it must end by itself, and must have noted what we saw."""
        self.kind.close(self.urls["gip-unix"])
        printed, _ = self.process.communicate(timeout=PATIENCE)
        if self.process.returncode != 0:
            raise Wrong(f"{self.kind.name} ended with {self.process.returncode}: {self._stderr.read_text()}")
        self.kind.check(printed, self.reports)


@contextmanager
def served(kinds: Sequence[Kind]) -> Iterator[list[Served]]:
    """Start them all, each on a private desktop of its own."""
    folder = Path(tempfile.mkdtemp(prefix="soak", dir="/tmp"))
    processes: list[subprocess.Popen[str]] = []
    try:
        for kind in kinds:
            command = [str(_DESKHAND), "run", "--headless", "--json", "--timeout", "120"]
            command += ["--gip", str(folder / kind.name), *ENDPOINTS, "--", *kind.command]
            with (folder / f"{kind.name}.stderr").open("w") as said:
                processes.append(
                    subprocess.Popen(
                        command,
                        stdout=subprocess.PIPE,
                        stderr=said,
                        text=True,
                        env={**os.environ, **kind.env},
                        cwd=ROOT,
                    )
                )
        yield [
            Served(kind, process, folder / f"{kind.name}.stderr")
            for kind, process in zip(kinds, processes, strict=True)
        ]
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.communicate(timeout=PATIENCE)
        shutil.rmtree(folder)
