"""Runs the plan of an audit on an app."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from ...audit import Audit
from ...audit.plan import Step, advance
from ...model.errors import DeskhandError
from ...model.operations import Operation
from ..threads import to_thread

if TYPE_CHECKING:
    from .app import App

__tracebackhide__ = True  # pytest then shows the line of the test that failed, and nothing of ours below it


async def audit(app: App, plan: Generator[Operation[Any], Any, Audit]) -> Audit:
    """Ask the app what the plan asks for, until it has its findings."""
    # In a thread: sampling screenshots takes a while.
    step: Step[Audit] = await to_thread(advance, plan, None)
    while step.result is None:
        assert step.operation is not None
        try:
            answer = await app.run(step.operation)
        except DeskhandError as error:
            step = await to_thread(advance, plan, error)
        else:
            step = await to_thread(advance, plan, answer)
    return step.result
