"""A form, and clients that call the MCP tools for it."""

from __future__ import annotations

import pytest

from deskhand.adapters.memory import MemoryAdapter
from deskhand.engine.session import Session
from deskhand.serving.mcp import mcp_server
from tests.protocols.mcp.clients import Client
from tests.wire.form import make_session


@pytest.fixture
def session():
    session = make_session()
    yield session
    session.close()


@pytest.fixture
def call(session):
    return Client(mcp_server(session))


@pytest.fixture
def make():
    made = []

    def make(*windows, **options):
        adapter = MemoryAdapter(list(windows))
        made.append(adapter)
        return adapter, Client(mcp_server(Session(adapter), **options))

    yield make
    for adapter in made:
        adapter.close()
