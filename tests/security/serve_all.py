"""Serves an app without windows by every protocol, in a process of its own; prints the addresses as JSON."""

from __future__ import annotations

import json
import logging
import signal
import sys

from deskhand.adapters.memory import Element, MemoryAdapter
from deskhand.engine.session import Session
from deskhand.serving.endpoints import McpSettings, endpoints, serve

logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
session = Session(MemoryAdapter([Element("window", name="Window")]))
wanted = endpoints(("http://127.0.0.1:0/", "ws://127.0.0.1:0/ws", sys.argv[1]), orca=0, agent=0, mcp=0)
with serve(session, wanted, mcp=McpSettings()) as served:
    print(json.dumps([ready.url for ready in served.ready]), flush=True)
    signal.sigwait({signal.SIGTERM})
