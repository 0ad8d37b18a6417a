"""An app that is not there yet is waited for by `connect`, for as long as it was given."""

from __future__ import annotations

import asyncio
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from deskhand import Desktop, aio, connect
from deskhand.cli.main import commands
from deskhand.model.errors import ConnectFailed, NotFound
from deskhand.protocols.gip.server import GipServer
from deskhand.transports.socket import SocketServer
from tests.client.greeter import Greeter

LATE = """
import time, sys, threading
from PySide6.QtWidgets import QApplication, QLabel
import deskhand
sys.stdin.readline()
app = QApplication(["late"])
label = QLabel("Here I am")
label.show()
deskhand.enable(name="latecomer")
app.exec()
"""


@pytest.fixture(autouse=True)
def own_registry(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with tempfile.TemporaryDirectory(prefix="dh") as folder:
        monkeypatch.setenv("DESKHAND_RUNTIME_DIR", folder)
        yield


def _appears(path: Path, greeter: Greeter, started: list[SocketServer]) -> None:
    started.append(SocketServer(path, GipServer(greeter.session).conversation))


def test_a_socket_that_is_made_later_is_waited_for(greeter: Greeter, tmp_path: Path) -> None:
    started: list[SocketServer] = []
    path = tmp_path / "late"
    threading.Timer(0.5, _appears, (path, greeter, started)).start()
    try:
        with connect(str(path), timeout=60) as app:
            assert app.title() == "Greeter"
    finally:
        started[0].close()


def test_a_socket_that_is_made_later_is_waited_for_with_await(greeter: Greeter, tmp_path: Path) -> None:
    started: list[SocketServer] = []
    path = tmp_path / "late"

    async def main() -> str | None:
        async with aio.connect(str(path), timeout=60) as app:
            return await app.title()

    threading.Timer(0.5, _appears, (path, greeter, started)).start()
    try:
        assert asyncio.run(main()) == "Greeter"
    finally:
        started[0].close()


def test_an_app_that_registers_later_is_waited_for_by_name_also_by_a_command(tmp_path: Path) -> None:
    script = tmp_path / "late.py"
    script.write_text(LATE)
    (tmp_path / "go").write_text("\n")
    with Desktop() as desktop:
        waits = f"until [ -e {tmp_path / 'asked'} ]; do sleep 0.1; done; exec {sys.executable} {script}"
        with (tmp_path / "go").open("rb") as line:
            desktop.spawn(["sh", "-c", waits], stdin=line.fileno())
        threading.Timer(0.5, (tmp_path / "asked").touch).start()
        done = CliRunner().invoke(commands, ["get", "--app", "latecomer", "--timeout", "60", "text", "text"])
        assert done.output == "Here I am\n"
        with connect("latecomer", timeout=60) as app:
            assert app.locator("text").count() == 1


@pytest.mark.programs
def test_a_program_of_the_desktop_that_starts_later_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    with Desktop() as desktop:
        for name in ("DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"):
            monkeypatch.setenv(name, desktop.env[name])
        threading.Timer(0.5, lambda: desktop.spawn(["galculator"])).start()
        with connect("galculator", timeout=60) as app:
            assert app.title() == "galculator"


def test_the_error_says_how_long_an_app_was_waited_for(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"no app named 'nowhere'.*\(waited 0.2 s\)"):
        connect("nowhere", timeout=0.2)
    with pytest.raises(ConnectFailed, match=r"\(waited 0.2 s\)"):
        connect(str(tmp_path / "nowhere"), timeout=0.2)
    with pytest.raises(NotFound) as caught:
        connect("nowhere")
    assert "waited" not in caught.value.message
