"""The greeter form as a running app that the commands find in a registry of their own."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from deskhand.cli.main import commands
from deskhand.processes import registry
from deskhand.protocols.gip.server import GipServer
from deskhand.transports.socket import SocketServer
from tests.client.greeter import Greeter

Deskhand = Callable[..., Result]


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A registry of our own, in a folder with a short name, as socket paths are limited."""
    with tempfile.TemporaryDirectory(prefix="dh") as folder:
        monkeypatch.setenv(registry.VARIABLE, folder)
        monkeypatch.delenv("DESKHAND_APP", raising=False)
        yield Path(folder)


@pytest.fixture
def greeter(folder: Path) -> Iterator[Greeter]:
    greeter = Greeter()
    control = folder / "control"
    server = SocketServer(control, GipServer(greeter.session).conversation)
    registry.register(registry.AppEntry("greeter", os.getpid(), str(control), framework="memory"))
    yield greeter
    registry.unregister(os.getpid())
    server.close()
    greeter.session.close()


@pytest.fixture
def deskhand(folder: Path) -> Deskhand:
    """Run the command line in this process."""
    return lambda *words: CliRunner().invoke(commands, words, prog_name="deskhand")
