"""The application object of wxPython: how it is noticed, and how to get onto its thread.

Loaded alone by the import hook, in interpreters that have nothing of ours: so it imports nothing of ours.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any


_entered: list[Any] = []
"""What has to live for as long as a program written in C++ that was entered."""


def watch(module: ModuleType, created: Callable[[], None], started: Callable[[], None]) -> None:
    """Call these for each application object: when it is made, and on the first turn of its event loop."""
    kind: Any = module.App
    # The program's OnInit is a part of __init__, and may show a dialog; this comes right before it.
    make = kind.OnPreInit
    if getattr(make, "patched_by", None) is watch:
        return

    def made(self: Any, *args: Any, **kwargs: Any) -> None:
        make(self, *args, **kwargs)
        created()
        post("wx", started)

    made.patched_by = watch  # type: ignore[attr-defined]  # a mark, so that it is patched once
    made.original = make  # type: ignore[attr-defined]  # for when it is patched no longer
    kind.OnPreInit = made


def running(binding: str) -> bool:
    """Whether there is an application object."""
    core: Any = sys.modules.get(f"{binding}.core")
    # A module that another thread is still importing has no class in it yet.
    kind: Any = getattr(core, "App", None)
    app = None if kind is None else kind.Get()
    # That of a program written in C++ is of the class above it.
    return isinstance(app, kind) or (app is not None and not sys.modules["wx.siplib"].ispycreated(app))


def on_gui_thread(binding: str) -> bool:
    """Whether this is the thread of the application object."""
    return bool(sys.modules[f"{binding}.core"].IsMainThread())


def post(binding: str, function: Callable[[], None]) -> None:
    """Call it from the event loop, from whatever thread this is."""
    from threading import Thread

    # Not from here: an injected call may have stopped the GUI thread in the middle of its waiting, and wx
    # wakes that only for another thread.
    Thread(target=sys.modules[f"{binding}.core"].CallAfter, args=(function,), daemon=True).start()


def load(binding: str) -> None:
    """Import the binding in a program written in C++, on its GUI thread."""
    import ctypes
    from importlib import import_module

    # It says on the program's output that image handlers are there already.
    logs = ctypes.c_bool.in_dll(ctypes.CDLL(None), "_ZN5wxLog8ms_doLogE")
    before, logs.value = logs.value, False
    try:
        import_module(binding)
    finally:
        logs.value = before


def on_end(binding: str, function: Callable[[], None]) -> None:
    """Call it when the application object goes before the program ends."""
    import weakref

    core: Any = sys.modules[f"{binding}.core"]
    app = core.App.Get()
    if not isinstance(app, core.App):
        # What C++ made has a wrapper only while something holds it.
        _entered.append(app)
    # At exit the agent closes anyway, and earlier than this would.
    weakref.finalize(app, function).atexit = False
