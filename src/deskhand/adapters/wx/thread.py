"""The way onto the GUI thread of wx: GLib runs jobs, or where there is none `wx.CallAfter`.

Every event loop serves both: that of a modal dialog, of a native one, and of a menu that is open too.
"""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Callable
from typing import Any

import wx

from ..gui_thread import GuiThread, Look
from ..jobs import Job
from .change_watch import ChangeWatch
from .gtk import gtk


class UiThread(GuiThread):
    """Runs functions on the GUI thread for callers on any thread. Made on the GUI thread."""

    def __init__(self) -> None:
        super().__init__()
        self.change_watch = ChangeWatch(gtk)
        self._watch_exit(wx.GetApp())

    def announce(self) -> None:
        if gtk is not None:
            gtk.call_soon(self.next_job)
        else:
            wx.CallAfter(self.next_job)

    def after(self, milliseconds: int, fn: Callable[[], object]) -> None:
        wx.CallLater(milliseconds, fn)

    def waiting(self) -> object:
        if gtk is not None:
            return gtk.main_level(), gtk.grab()
        loop = wx.EventLoopBase.GetActive()
        return None if loop is None else id(loop)

    def turn(self) -> None:
        wx.Yield()

    def run(self, job: Job) -> None:
        with self.change_watch.runs(look=isinstance(job, Look)):
            job.run()

    def close(self) -> None:
        super().close()
        app = wx.GetApp()
        if app is not None and "OnExit" in vars(app):
            exits = vars(app)["OnExit"]
            if getattr(exits, "watched_by", None) is self:
                del app.OnExit

    def _watch_exit(self, app: Any) -> None:
        """Know when the event loop ends, by the method that wx calls then."""
        # The application object is never held: a program that drops it wants it to go.
        known, own = weakref.ref(app), vars(app).get("OnExit")

        def ends() -> int:
            self.end("the program ended its event loop")
            with contextlib.suppress(AssertionError):
                # Should the program begin another event loop, that one will run this.
                wx.CallAfter(self.revive)
            if own is not None:
                return int(own() or 0)
            app = known()
            return 0 if app is None else int(type(app).OnExit(app) or 0)

        ends.watched_by = self  # type: ignore[attr-defined]  # a mark, so that it is taken away by whom it is
        app.OnExit = ends
