"""The desktop, or one program of it, driven from outside through the accessibility bus."""

from __future__ import annotations

from .adapters.atspi import AtspiAdapter
from .engine.session import Session


def session(app: str | None = None, *, pid: int | None = None, read_only: bool = False) -> Session:
    """An engine over the desktop that this process is on, or over one program of it."""
    return Session(AtspiAdapter(app=app, pid=pid), read_only=read_only)
