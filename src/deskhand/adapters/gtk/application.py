"""The windows of GTK: how the first is noticed, and how to get onto their thread.

Loaded alone by the import hook, in interpreters that have nothing of ours: so it imports nothing of ours. In
a program that is not written in Python, nothing here loads GTK either: GLib alone leads to its thread.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any

_OFTEN, _RARELY = 20, 500
"""After how many milliseconds a program is checked again that has no window: at first, and after a while."""

_watched: list[Any] = []
"""The module whose windows are watched."""


def watch(module: ModuleType, created: Callable[[], None], started: Callable[[], None]) -> None:
    """Call these once for the program: when it shows its first window, and once its event loop runs."""
    gtk: Any = module
    if module in _watched or not _has_display("gi"):
        return
    _watched.append(module)
    glib = _repository("gi", "GLib")

    def look(pause: int) -> bool:
        # Asked again and again: a hook of GTK's own is given widgets that are still being made, which they
        # do not survive.
        if any(top.get_mapped() for top in gtk.Window.list_toplevels()):
            created()
            _when_drawn("gi", started)
        else:
            glib.timeout_add(pause, look, min(pause + 1, _RARELY))
        return False

    glib.idle_add(look, _OFTEN, priority=glib.PRIORITY_LOW)


def running(binding: str) -> bool:
    """Whether there are windows, or can be."""
    gtk = sys.modules.get(f"{binding}.repository.Gtk")
    if gtk is not None:
        # A module that another thread is still importing has nothing in it yet.
        return hasattr(gtk, "Window") and _has_display(binding)
    return f"{binding}.repository.GLib" in sys.modules and _is_mapped()


def on_gui_thread(binding: str) -> bool:
    """Whether this is the thread of the event loop; before it runs, the first thread of the process."""
    import os
    import threading

    context = _repository(binding, "GLib").MainContext.default()
    return context.is_owner() or threading.get_native_id() == os.getpid()


def post(binding: str, function: Callable[[], None]) -> None:
    """Call it from the event loop, from whatever thread this is."""
    from threading import Thread

    # Not from here: an injected call may have stopped the GUI thread in the middle of its waiting, which
    # another thread ends.
    Thread(target=_when_drawn, args=(binding, function), daemon=True).start()


def load(binding: str) -> None:
    """Import the binding in a program written in C, on its GUI thread."""
    _repository(binding, "GLib")


def on_end(binding: str, function: Callable[[], None]) -> None:
    """Call it when the application object goes before the program ends. On the GUI thread."""
    app = _repository(binding, "Gio").Application.get_default()
    if app is not None:
        app.connect_after("shutdown", lambda *_: function())


def _when_drawn(binding: str, function: Callable[[], None]) -> None:
    """Call it from the event loop once that has drawn what it was to draw."""
    glib = _repository(binding, "GLib")

    def once() -> bool:
        function()
        return False

    glib.idle_add(once, priority=glib.PRIORITY_LOW)


def _has_display(binding: str) -> bool:
    """Whether the program has a display to show windows on."""
    return _repository(binding, "Gdk").Display.get_default() is not None


def _repository(binding: str, name: str) -> Any:
    from importlib import import_module

    return import_module(f"{binding}.repository.{name}")


def _is_mapped() -> bool:
    """Whether the program itself has loaded GTK, without Python."""
    with open("/proc/self/maps") as maps:  # noqa: PTH123 - pathlib may not be loaded
        return any("libgtk-3.so" in line or "libgtk-4.so" in line for line in maps)
