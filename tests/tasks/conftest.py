"""Prints what the tasks of this run cost, and gives them more time than other tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conversation import costs, table

_FOLDER = Path(__file__).parent
_TIMEOUT = 300
"""How long a task may take on a busy machine, in seconds: it starts a program, and does much with it."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent == _FOLDER:
            item.add_marker(pytest.mark.timeout(_TIMEOUT))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if rows := costs():
        terminalreporter.write_sep("=", "tasks")
        terminalreporter.write_line(table(rows))
