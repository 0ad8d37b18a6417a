"""The application object of Qt: how it is noticed, and how to get onto its thread, in either binding.

Loaded alone by the import hook, in interpreters that have nothing of ours: so it imports nothing of ours.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any

_CLASSES = {"QtWidgets": "QApplication", "QtGui": "QGuiApplication"}

_PAUSE, _TRIES = 20, 250
"""How often a program is tried that handles events without running its event loop, and after how many
milliseconds again."""

_posted: set[Any] = set()
"""What is on its way to the event loop; nothing else holds it."""


def watch(module: ModuleType, created: Callable[[], None], started: Callable[[], None]) -> None:
    """Call these for each application object: when it is made, and on the first turn of its event loop."""
    binding, _, part = module.__name__.partition(".")
    kind = getattr(module, _CLASSES[part])
    make = kind.__init__
    if getattr(make, "patched_by", None) is watch:
        return

    def made(self: Any, *args: Any, **kwargs: Any) -> None:
        make(self, *args, **kwargs)
        created()
        sys.modules[f"{binding}.QtCore"].QTimer.singleShot(0, started)

    # No copy of __doc__: PySide6 makes it up on demand, from modules that are not loaded yet.
    made.patched_by = watch  # type: ignore[attr-defined]  # a mark, so that it is patched once
    made.original = make  # type: ignore[attr-defined]  # for when it is patched no longer
    kind.__init__ = made


def running(binding: str) -> bool:
    """Whether there is an application object for windows."""
    for part, name in _CLASSES.items():
        # A module that another thread is still importing has no class in it yet.
        kind: Any = getattr(sys.modules.get(f"{binding}.{part}"), name, None)
        if kind is not None and isinstance(kind.instance(), kind):
            return True
    return False


def on_gui_thread(binding: str) -> bool:
    """Whether this is the thread of the application object."""
    core: Any = sys.modules[f"{binding}.QtCore"]
    return bool(core.QThread.currentThread() == core.QCoreApplication.instance().thread())


def post(binding: str, function: Callable[[], None]) -> None:
    """Call it from the event loop, from whatever thread this is."""
    core: Any = sys.modules[f"{binding}.QtCore"]
    _send(core, core.QCoreApplication.instance().thread(), function)


def _send(core: Any, thread: Any, function: Callable[[], None]) -> None:
    class Messenger(core.QObject):  # type: ignore[misc]  # the class is known only at run time
        def event(self, event: Any) -> bool:
            if event.type() != core.QEvent.Type.User:
                return bool(super().event(event))
            _posted.discard(self)
            function()
            return True

    messenger = Messenger()
    _posted.add(messenger)
    messenger.moveToThread(thread)
    core.QCoreApplication.postEvent(messenger, core.QEvent(core.QEvent.Type.User))


def enter(binding: str, function: Callable[[], None]) -> None:
    """Call it from the event loop of an application object that C++ makes, and may not have finished making.

    Never by a wrapper of that object: one that is made too early has the class of an unfinished object.
    """
    import ctypes

    core: Any = sys.modules[f"{binding}.QtCore"]
    sip: Any = sys.modules[f"{binding}.sip"]
    application = ctypes.c_void_p.in_dll(ctypes.CDLL(None), "_ZN16QCoreApplication4selfE")
    thread_of = ctypes.CDLL(None)["_ZNK7QObject6threadEv"]
    thread_of.argtypes, thread_of.restype = (ctypes.c_void_p,), ctypes.c_void_p

    def when_ready(left: int) -> None:
        # A program that starts lets events be handled too, and does not expect to be operated meanwhile.
        if left and core.QThread.currentThread().loopLevel() == 0:
            core.QTimer.singleShot(_PAUSE, lambda: when_ready(left - 1))
        else:
            function()

    _send(core, sip.wrapinstance(thread_of(application), core.QThread), lambda: when_ready(_TRIES))


def on_end(binding: str, function: Callable[[], None]) -> None:
    """Call it when the application object is destroyed."""
    core: Any = sys.modules[f"{binding}.QtCore"]
    # Not qAddPostRoutine: PyQt6 keeps no reference to what it is given, and calls it nevertheless.
    core.QCoreApplication.instance().destroyed.connect(lambda *_: function())
