"""The interpreters of tkinter: how they are noticed, and how to get onto their thread.

Loaded alone by the import hook, in interpreters that have nothing of ours: so it imports nothing of ours.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any

_ENDS = "::deskhand_ends"
"""The Tcl command that is called when a main window goes."""
_MARK = "_deskhand_ended"
"""What says of an interpreter whether its main window is gone, once that is watched."""
_PATIENCE = 100
"""How often a program is looked at that lets events be handled before it shows a window, 20 ms apart."""
_TRIES = 60
"""How often an event loop that does not run yet is tried; tkinter waits a second each time."""

_ended: list[Callable[[], None]] = []
"""What to call when the last main window goes."""


def watch(module: ModuleType, created: Callable[[], None], started: Callable[[], None]) -> None:
    """Call these for each interpreter with windows: when it is made, and once its event loop runs."""
    kind: Any = module.Tk
    make = kind.__init__
    if getattr(make, "patched_by", None) is watch:
        return

    def made(self: Any, *args: Any, **kwargs: Any) -> None:
        make(self, *args, **kwargs)
        # Without Tk it is an interpreter for other purposes.
        if getattr(self, "_tkloaded", False):
            created()
            self.after(0, _start, self, started, _PATIENCE)
            if _ended:
                _trace(self)

    made.patched_by = watch  # type: ignore[attr-defined]  # a mark, so that it is patched once
    made.original = make  # type: ignore[attr-defined]  # for when it is patched no longer
    kind.__init__ = made


def running(binding: str) -> bool:
    """Whether there is an interpreter with windows."""
    return bool(_roots(binding))


def on_gui_thread(binding: str) -> bool:
    """Whether this is the thread of the interpreter."""
    try:
        # tkinter lets other threads wait for most commands, and refuses this one.
        _roots(binding)[0].tk.exprlong("0")
    except RuntimeError:
        return False
    return True


def post(binding: str, function: Callable[[], None]) -> None:
    """Call it from the event loop, from whatever thread this is."""
    from threading import Thread

    # Not from here: an injected call may have stopped the GUI thread in the middle of its waiting, which
    # another thread ends.
    Thread(target=_post, args=(_roots(binding)[0], function), daemon=True).start()


def on_end(binding: str, function: Callable[[], None]) -> None:
    """Call it when the last main window goes before the program ends. On the GUI thread."""
    _ended.append(function)
    for root in _roots(binding):
        _trace(root)


def _start(root: Any, started: Callable[[], None], left: int) -> None:
    """Call `started` once a window is shown. A program may show none for long: then without one."""
    if left and not root.tk.splitlist(root.tk.call("wm", "stackorder", ".")):
        root.after(20, _start, root, started, left - 1)
    else:
        started()


def _post(root: Any, function: Callable[[], None]) -> None:
    for _ in range(_TRIES):
        try:
            root.after(0, function)
        except RuntimeError:  # the event loop does not run yet
            continue
        return


def _trace(root: Any) -> None:
    """Notice when the main window of an interpreter goes."""

    def ends(*_: object) -> None:
        setattr(root, _MARK, True)
        if not _roots("tkinter"):
            functions, _ended[:] = list(_ended), []
            for function in functions:
                function()

    if not hasattr(root, _MARK):
        setattr(root, _MARK, False)
        root.tk.createcommand(_ENDS, ends)
        root.tk.call("trace", "add", "command", ".", "delete", _ENDS)


def _roots(binding: str) -> list[Any]:
    """The interpreters with windows. tkinter itself keeps only the first one, and not in every program."""
    import gc

    # A module that another thread is still importing has no class in it yet.
    kind: Any = getattr(sys.modules.get(binding), "Tk", None)
    if kind is None:
        return []
    found: list[Any] = [one for one in gc.get_objects() if issubclass(type(one), kind)]
    return [
        root
        for root in found
        # After `destroy`, tkinter has no commands of it left.
        if getattr(root, "_tkloaded", False)
        and getattr(root, "_tclCommands", None) is not None
        and not getattr(root, _MARK, False)
    ]
