"""What every adapter answers alike that stands outside the program it drives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from ..model.errors import ActionUnsupported
from ..model.node import AppState
from ..model.tree import Tree

T = TypeVar("T")


class _Reads(Protocol):
    def read(self, root: str | None = None, *, depth: int | None = None, timeout: float) -> Tree: ...


class Outer:
    """The part of model.adapter.Adapter that needs the program's own process, or only its windows."""

    def state(self: _Reads, *, timeout: float) -> AppState:
        windows = self.read(depth=0, timeout=timeout).windows
        modal = next((window.title for window in windows if window.modal and window.showing), None)
        return AppState(foreground=any(window.focused for window in windows), modal_dialog=modal)

    def call(self, function: Callable[[], T], *, timeout: float) -> T:
        raise ActionUnsupported("a program that is driven from outside cannot call a function for us")

    def set_id(self, widget: object, automation_id: str) -> None:
        raise ActionUnsupported("ids are given inside the program, and this one is driven from outside")
