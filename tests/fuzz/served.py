"""Serves the form of the recorded conversations: `python -m tests.fuzz.served SOCKET|stdio [--long-waits]`.

By every protocol, with the addresses as JSON on stdout, or by MCP on stdio. Without `--long-waits`, what a
client waits for ends at once.
"""

from __future__ import annotations

import json
import logging
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from deskhand.adapters.memory import MemoryAdapter
from deskhand.engine import compound
from deskhand.engine.session import Session
from deskhand.model.compound import Compound
from deskhand.model.operations import Cancel, Operation, Runner
from deskhand.serving.endpoints import McpSettings, endpoints, serve
from deskhand.serving.mcp import mcp_server
from deskhand.transports.mcp import serve_stdio
from tests.wire.form import make_session
from tests.wire.test_orca_conversations import make_program

_PATIENCE = 0.01
"""How long an operation waits at most, in seconds: an input that asks for a long wait is answered in time."""
_LONGEST = 200
"""How long a value of the form may become: texts that are typed one after the other would fill the memory."""


class Form(Session):
    """The form, which an input may not change for good, and which waits for nothing long."""

    def __init__(self) -> None:
        adapter = make_session().adapter
        assert isinstance(adapter, MemoryAdapter)
        super().__init__(adapter)
        self._form = adapter
        self._windows = list(adapter.windows)

    def run(self, operation: Operation[Any], cancel: Cancel | None = None) -> Any:
        if (getattr(operation, "timeout", None) or 0) > _PATIENCE:
            operation = replace(operation, timeout=_PATIENCE)  # type: ignore[call-arg]  # it has one
        try:
            return super().run(operation, cancel)
        finally:
            if operation.acts:
                self._form.windows[:] = self._windows
                for element in (each for window in self._windows for each in window.walk()):
                    element.value = element.value and element.value[:_LONGEST]
                    element.text = element.text and element.text[:_LONGEST]


@contextmanager
def _form() -> Iterator[Form]:
    form = Form()
    make_program(form)
    yield form


def _compose_shortly(runner: Runner, operation: Compound[Any], cancel: Cancel | None) -> object:
    """As the engine does, without a long wait: servers compose waits of their own around the form."""
    if operation.timeout > _PATIENCE:  # type: ignore[attr-defined]  # each has one
        operation = replace(operation, timeout=_PATIENCE)  # type: ignore[call-arg]
    return _compose(runner, operation, cancel)


_compose = compound.run


def main() -> None:
    if "--long-waits" not in sys.argv:
        compound.run = _compose_shortly
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    with _form() as form:
        if sys.argv[1] == "stdio":
            serve_stdio(mcp_server(form, parts="content"))
            return
        wanted = endpoints(
            ("http://127.0.0.1:0/", "ws://127.0.0.1:0/ws", sys.argv[1]), orca=0, agent=0, mcp=0
        )
        with serve(form, wanted, mcp=McpSettings()) as served:
            print(json.dumps([ready.url for ready in served.ready]), flush=True)
            signal.sigwait({signal.SIGTERM})


if __name__ == "__main__":
    main()
