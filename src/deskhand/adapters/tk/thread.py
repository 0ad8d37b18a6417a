"""The way onto the GUI thread of Tk: a job and a byte in a pipe, which every event loop of Tcl watches:
`mainloop`, the `vwait` of a modal dialog, and `update`.
"""

from __future__ import annotations

import contextlib
import os
import tkinter
from collections.abc import Callable
from typing import Any

from ...model.errors import AppGone, UiBusy
from ..gui_thread import GuiThread
from ..jobs import Job
from .native import Native
from .roots import Registry

_ENDED = "the program has closed its last window"


class UiThread(GuiThread):
    """Runs functions on the GUI thread for callers on any thread. Made on the GUI thread."""

    goes_on = 0.3

    def __init__(self, registry: Registry) -> None:
        super().__init__()
        self.native = Native()
        self.ours = False
        """Whether a job of ours ran since the event loop had nothing left to do."""
        self._registry = registry
        self._reader, self._writer = os.pipe()
        for end in (self._reader, self._writer):
            os.set_blocking(end, False)
        self._watched: list[Any] = []

    def watch(self, root: Any) -> None:
        """Let the event loop of an interpreter run jobs; one is enough for a thread, and may be destroyed."""
        if not self._watched:
            root.app.createfilehandler(self._reader, tkinter.READABLE, self._announced)
            self._watched.append(root)

    # -- from any thread -------------------------------------------------------------------------

    def announce(self) -> None:
        with contextlib.suppress(BlockingIOError):  # a full pipe wakes the event loop all the same
            os.write(self._writer, b"\0")

    def idle(self, timeout: float) -> None:
        """Return once the event loop has nothing left to do; UiBusy if it always has."""
        if self.on_gui_thread():
            self.turn()
            return
        done = Job(lambda: None)

        def begin() -> None:
            # Tcl runs it when there is no event left, after what was to be drawn before.
            self._root().tk.after_idle(finish)

        def finish() -> None:
            if done.claim():
                done.run()

        self.call(begin, timeout)
        if not done.done.acquire(timeout=max(timeout, 0)):
            done.claim()
            raise UiBusy(f"the program was not idle after {timeout:.3g} s", started=True)

    def close(self) -> None:
        super().close()
        os.close(self._writer)
        os.close(self._reader)

    # -- on the GUI thread -----------------------------------------------------------------------

    def let_go(self) -> None:
        """Stop watching."""
        self.native.close()
        for root in self._watched:
            with contextlib.suppress(tkinter.TclError, RuntimeError):
                root.app.deletefilehandler(self._reader)
        self._watched.clear()

    def after(self, milliseconds: int, fn: Callable[[], object]) -> None:
        self._root().tk.after(milliseconds, fn)

    def waiting(self) -> object:
        """The windows that are shown, and the one that takes all input."""
        found = []
        for root in self._registry.roots:
            with contextlib.suppress(tkinter.TclError):
                found.append(
                    (root.words(root.call("::deskhand::tops", ".")), str(root.call("::deskhand::grabbed")))
                )
        return tuple(found)

    def turn(self) -> None:
        for root in self._registry.roots:
            with contextlib.suppress(tkinter.TclError):
                root.call("update")

    def run(self, job: Job) -> None:
        self.ours = True
        job.run()

    def ask_display(self) -> None:
        """Ask the display something, which brings all events that it sent before."""
        self._root().call("winfo", "pointerxy", ".")

    def _announced(self, *_: object) -> None:
        with contextlib.suppress(BlockingIOError, OSError):
            os.read(self._reader, 1)
        self.next_job()

    def _root(self) -> Any:
        if not self._registry.roots:
            raise AppGone(_ENDED)
        return self._registry.roots[0]
