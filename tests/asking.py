"""Ask a program something over one connection of its own."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any, TypeVar

from deskhand.model.operations import Operation
from deskhand.serving.remote import Remote

R = TypeVar("R")


def ask(where: Any, operation: Operation[R], token: str | None = None) -> R:
    """What an operation gives: at an address, or in an app with a control socket."""
    address = str(where) if isinstance(where, (str, Path)) else f"unix:{where.control}"
    with closing(Remote(address, token=token, timeout=10).open()) as runner:
        return runner.run(operation)
