"""The greeter form, and apps that are connected to it: by a local engine, a real socket, or an agent."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from deskhand import App, connect
from deskhand.client._sync.link import LocalEngine
from deskhand.protocols.agent.errors import refusal
from deskhand.protocols.agent.server import AgentServer
from deskhand.protocols.gip.server import GipServer
from deskhand.serving.agent import agent_server
from deskhand.serving.machine import Machine
from deskhand.transports.rest import RestServer
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


@pytest.fixture
def agent(greeter: Greeter) -> Iterator[str]:
    """The form behind an agent of our own, which also runs commands and carries files."""
    with serve_agent(agent_server(greeter.session, machine=Machine())) as address:
        yield address


@contextmanager
def serve_agent(protocol: AgentServer, token: str | None = None) -> Iterator[str]:
    """An agent of our own at an address."""
    with RestServer(
        "127.0.0.1", 0, protocol.handle, token=token, streamed=("/upload",), refusal=refusal
    ) as server:
        yield server.url.replace("http://", "agent://")


@pytest.fixture(params=["local", "socket", "agent"])
def app(request: pytest.FixtureRequest, greeter: Greeter) -> Iterator[App]:
    if request.param == "local":
        yield App(LocalEngine(greeter.session, "here"), timeout=2)
        return
    address = request.getfixturevalue({"socket": "address", "agent": "agent"}[request.param])
    with connect(address, default_timeout=2) as app:
        yield app
