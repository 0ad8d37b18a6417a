"""The greeter form, and apps that are connected to it: by a local engine, or over a real socket."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from deskhand import App, connect
from deskhand.client._sync.link import LocalEngine
from deskhand.protocols.gip import GipServer
from deskhand.transports.socket import SocketServer
from tests.client.greeter import Greeter


@pytest.fixture
def greeter() -> Iterator[Greeter]:
    greeter = Greeter()
    yield greeter
    greeter.session.close()


@pytest.fixture
def address(greeter: Greeter, tmp_path: Path) -> Iterator[str]:
    server = SocketServer(tmp_path / "greeter", GipServer(greeter.session).conversation)
    yield str(tmp_path / "greeter")
    server.close()


@pytest.fixture(params=["local", "socket"])
def app(request: pytest.FixtureRequest, greeter: Greeter) -> Iterator[App]:
    if request.param == "local":
        yield App(LocalEngine(greeter.session, "here"), timeout=2)
        return
    with connect(request.getfixturevalue("address"), default_timeout=2) as app:
        yield app
