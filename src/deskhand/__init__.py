"""deskhand: see and operate any desktop GUI, from a program, a test or an AI agent.

Importing this loads nothing else: the same package also runs inside the programs that are driven,
where only the standard library may be there.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from . import aio as aio
    from . import ray as ray
    from .client import App, Locator, attach, connect, expect, launch
    from .desktop.private import Desktop
    from .in_app.host import enable
    from .in_app.program import automation_flags, register, set_id
    from .model.errors import DeskhandError
    from .tracing import Trace

__version__ = "0.1.0"

_MODULES = ("aio", "ray")
_HOME = {
    "App": "client",
    "Locator": "client",
    "attach": "client",
    "connect": "client",
    "expect": "client",
    "launch": "client",
    "Desktop": "desktop.private",
    "automation_flags": "in_app.program",
    "enable": "in_app.host",
    "register": "in_app.program",
    "set_id": "in_app.program",
    "DeskhandError": "model.errors",
    "Trace": "tracing",
}

__all__ = [
    "App",
    "DeskhandError",
    "Desktop",
    "Locator",
    "Trace",
    "aio",
    "attach",
    "automation_flags",
    "connect",
    "enable",
    "expect",
    "launch",
    "ray",
    "register",
    "set_id",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _MODULES:
        return import_module(f".{name}", __name__)
    if name in _HOME:
        return getattr(import_module(f".{_HOME[name]}", __name__), name)
    raise AttributeError(f"module 'deskhand' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted([*globals(), *_MODULES, *_HOME])
