"""Prints what the tasks of this run cost."""

from __future__ import annotations

import pytest

from .conversation import costs, table


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if rows := costs():
        terminalreporter.write_sep("=", "tasks")
        terminalreporter.write_line(table(rows))
