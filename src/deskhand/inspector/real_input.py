"""What a person does on the page, done with the keyboard and the pointer of the app's private display.

So a click on the page is a click as any toolkit gets it from its user, and a recording sees it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import TypeVar, cast

from ..adapters.display import Display
from ..adapters.keyboard import Input
from ..model import operations as ops
from ..model.operations import Cancel, Done, Operation, Runner

R = TypeVar("R")

_DETAIL = "by real input"


class RealInput:
    """Makes what has no target of real input; another runner does the rest. A Runner."""

    def __init__(self, runner: Runner, env: Mapping[str, str], scale: Callable[[], float]) -> None:
        """`env` leads to the display; `scale` gives how many of its pixels are one logical pixel."""
        self._runner = runner
        self._env = env
        self._scale = scale
        self._lock = threading.Lock()
        self._display: Display | None = None
        self._input: Input | None = None

    def run(self, operation: Operation[R], cancel: Cancel | None = None) -> R:
        """Run one operation."""
        work = self._work(operation)
        if work is None:
            return self._runner.run(operation, cancel)
        # A server that is switched off or read-only refuses it as it would any other action.
        self._runner.run(ops.MayAct(), cancel)
        with self._lock:
            work(self._opened())
        return cast("R", Done(detail=_DETAIL))

    def close(self) -> None:
        """Let go of the display and the app."""
        with self._lock:
            if self._input is not None:
                self._input.close()
            if self._display is not None:
                self._display.close()
            self._input = self._display = None
        self._runner.close()

    def _opened(self) -> Input:
        if self._input is None:
            self._display = Display(self._env)
            self._input = Input(self._display)
        return self._input

    def _work(self, operation: object) -> Callable[[Input], None] | None:
        """How it is done by real input; None if it is about an element."""
        scale = self._scale()
        match operation:
            case ops.Click(target=None, x=float() | int() as x, y=float() | int() as y):
                button, count, modifiers = operation.button, operation.count, operation.modifiers
                return lambda hands: hands.click(x * scale, y * scale, button, count, modifiers)
            case ops.Drag(target=None, to=None, x=float() | int() as x, y=float() | int() as y):
                end = ((operation.to_x or 0.0) * scale, (operation.to_y or 0.0) * scale)
                drag = operation
                return lambda hands: hands.drag(
                    (x * scale, y * scale), end, drag.button, drag.steps, drag.modifiers
                )
            case ops.TypeText(target=None, clear=False, submit=False):
                text = operation.text
                return lambda hands: hands.type(text)
            case ops.Key(target=None):
                keys = operation.keys
                return lambda hands: hands.chord(keys)
        return None
