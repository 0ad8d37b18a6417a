"""Whether the protocols work here: each is served over an app that is only in memory, and asked something."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec

from .report import Check
from .trying import extra, run

# Serves an app that is only in memory, and asks it something from outside.
_SERVE = """
import json
from deskhand.adapters.memory import MemoryAdapter
from deskhand.serving.endpoints import endpoints, serve
from deskhand.engine.session import Session
from deskhand.transports.open import open_channel
session = Session(MemoryAdapter([]))
with serve(session, endpoints({address!r})) as served:
    (ready,) = served.ready
    channel = open_channel(ready.url)
    reply = json.loads(channel.exchange(b'{{"jsonrpc": "2.0", "id": 1, "method": "ping"}}'))
    channel.close()
assert "result" in reply, reply
print(json.dumps({{"url": ready.url}}))
"""

# The same over HTTP, by the other contracts.
_ASK = """
import json, urllib.parse, urllib.request
from deskhand.adapters.memory import MemoryAdapter
from deskhand.serving.endpoints import endpoints, serve
from deskhand.engine.session import Session
with serve(Session(MemoryAdapter([])), endpoints({name}=0)) as served:
    (ready,) = served.ready
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({{}}))
    address = urllib.parse.urljoin(ready.url, {path!r})
    reply = json.loads(opener.open(address, {question!r}, timeout=10).read())
assert reply.get({expected!r}), reply
print(json.dumps({{"url": ready.url}}))
"""

_OVER_HTTP: dict[str, tuple[str, bytes | None, str]] = {
    "agent": ("/health", None, "accessible"),
    "orca": ("/jsonrpc", b'{"jsonrpc": "2.0", "id": 1, "method": "automation.version"}', "result"),
    "mcp": ("/health", None, "ok"),
    "webdriver": ("/status", None, "value"),
}
"""Where each is asked what, and what an answer has."""

_EXTRAS = {"mcp": ("mcp", "PIL")}
"""What an optional part of deskhand brings, by its name."""


def transports() -> list[tuple[str, str | None]]:
    """The ways to speak GIP, each with an address to try it at."""
    socket = f"deskhand-doctor-{os.getpid()}"
    windows = sys.platform == "win32"
    return [
        ("gip: unix socket", None if windows else socket),
        ("gip: websocket", "ws://127.0.0.1:0"),
        ("gip: http", "http://127.0.0.1:0"),
        ("gip: named pipe", socket if windows else None),
    ]


def gip(name: str, address: str | None) -> Check:
    """GIP, by one of the ways."""
    if address is None:
        other = "only on Windows" if "pipe" in name else "not on Windows"
        return Check("protocols", name, None, other)
    return _answering(name, _SERVE.format(address=address))


def over_http(name: str) -> Check:
    """Agent, Orca, MCP or WebDriver."""
    if missing := next((module for module in _EXTRAS.get(name, ()) if find_spec(module) is None), None):
        where = f"not installed for {sys.executable}: it needs {missing}"
        return Check("protocols", name, None, where, extra(name))
    path, question, expected = _OVER_HTTP[name]
    return _answering(name, _ASK.format(name=name, path=path, question=question, expected=expected))


def others() -> list[str]:
    """The protocols other than GIP."""
    return list(_OVER_HTTP)


def _answering(name: str, script: str) -> Check:
    served = run(script)
    if served.data is None:
        return Check("protocols", name, False, served.reason, served.fix)
    return Check("protocols", name, True, f"answers at {served.data['url']}")
