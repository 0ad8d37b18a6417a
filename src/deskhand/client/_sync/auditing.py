# Generated from client/_async/auditing.py by scripts/generate_sync.py; edit that file instead.
"""Runs the plan of an audit on an app."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from ...audit import Audit
from ...audit.plan import Step, advance
from ...model.errors import DeskhandError
from ...model.operations import Operation
from ..place import in_place

if TYPE_CHECKING:
    from .app import App

__tracebackhide__ = True  # pytest then shows the line of the test that failed, and nothing of ours below it


def audit(app: App, plan: Generator[Operation[Any], Any, Audit]) -> Audit:
    """Ask the app what the plan asks for, until it has its findings."""
    # In a thread: sampling screenshots takes a while.
    step: Step[Audit] = in_place(advance, plan, None)
    while step.result is None:
        assert step.operation is not None
        try:
            answer = app.run(step.operation)
        except DeskhandError as error:
            step = in_place(advance, plan, error)
        else:
            step = in_place(advance, plan, answer)
    return step.result
