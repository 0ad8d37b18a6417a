"""wx as the engine sees it: reads and actions of one program, for callers on any thread."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, TypeVar

import wx

from ...model import operations as ops
from ...model.errors import ActionFailed, AppGone, NoWindows, ScreenshotFailed, UiBusy
from ...model.node import AppState, Image
from ...model.operations import Action
from ...model.tree import Tree
from ..inside import OnDisplay
from ..placement import Belief
from . import native, shot, windows
from .act import Performer
from .events import Changes
from .gtk import gtk, widget_of
from .handles import Registry, Widget
from .kinds import BOOKS
from .names import describe
from .read import Reader, tops
from .thread import UiThread

T = TypeVar("T")

_HELD = 2.0
"""How long a button that GTK holds down by itself may be so at most, in seconds."""


class WxAdapter(OnDisplay[UiThread, Reader, Changes]):
    """Drives the wx application of this process. Made on its GUI thread."""

    name = "wx"

    def __init__(self) -> None:
        self._registry = Registry()
        ui = UiThread()
        reader = Reader(self._registry, ui.change_watch)
        super().__init__(ui, reader, Changes(ui, reader))
        self._performer = Performer(self._registry, reader, ui)
        self._held_until = 0.0
        """Until when a button may be held down because of a key."""

    def made_with(self) -> tuple[str, str, str]:
        return "wxPython", wx.VERSION_STRING, wx.wxWidgets_version

    def act(self, action: Action, uid: str | None, to: str | None, timeout: float) -> Mapping[str, object]:
        try:
            return self._performer.perform(action, uid, to, timeout)
        finally:
            if isinstance(action, (ops.Key, ops.TypeText)):
                self._held_until = time.monotonic() + _HELD

    def screenshot(self, uid: str | None, *, timeout: float) -> Image:
        def find() -> Any:
            handle = self._reader.main() if uid is None else self._registry.handle(uid)
            if handle is None:
                raise NoWindows("the program shows no window", suggestions=("wait for a window",))
            return handle

        handle = self._ui.call(find, timeout)
        self._bring_forward(handle, timeout)

        def grab() -> shot.Pixels:
            what = describe(handle, self._registry)
            bounds = self._reader.bounds(handle)
            top = windows.top_of(handle)
            if isinstance(top, wx.TopLevelWindow) and top.IsIconized():
                raise ScreenshotFailed(
                    f"{what} is in a minimized window", suggestions=("restore the window first",)
                )
            if bounds is None or bounds[2] <= 0 or bounds[3] <= 0:
                raise ScreenshotFailed(f"{what} is not on the screen", suggestions=("scroll it into view",))
            return shot.grab(bounds, what)

        # Made into a PNG here, where the GUI thread need not wait for it.
        return shot.encode(self._ui.call(grab, timeout))

    def _bring_forward(self, handle: Any, timeout: float) -> None:
        """The screenshot is of the screen, so what covers the window would be in it."""
        if not self._ui.call(lambda: windows.is_in_front(handle), timeout):
            with suppress(ActionFailed):
                windows.activate(self._ui, handle, self._registry, timeout)
            with suppress(UiBusy):
                self._changes.idle(timeout)

    def rest(self, timeout: float) -> Belief:
        self._changes.idle(timeout)
        if gtk is None or time.monotonic() > self._held_until:
            return Belief()
        held = self._ui.look(gtk.holds_a_button, timeout)
        return Belief(busy="a button is held down" if held else "")

    def follow(self, changed: Callable[[Tree | None], None]) -> Callable[[], None]:
        """As `subscribe`, for callers that then read all windows: with these if the GUI thread read them."""
        return self._changes.follow(changed)

    def set_id(self, widget: object, automation_id: str) -> None:
        self._registry.name(widget, automation_id)

    def uid_of(self, widget: object) -> str:
        """The uid of a window of wx. On the GUI thread."""
        return self._registry.know(widget).uid

    def let_go(self) -> None:
        with suppress(UiBusy, AppGone):
            self._ui.call(self._let_go, 1.0)
        self._ui.close()

    # -- on the GUI thread -----------------------------------------------------------------------

    def _let_go(self) -> None:
        self._changes.close()
        self._ui.change_watch.end()
        if gtk is not None:
            gtk.unwatch()
        self._registry.clear()

    def main_title(self) -> str | None:
        main = self._reader.main()
        if main is None:
            return None
        if isinstance(main, Widget):
            return None if gtk is None else gtk.text("gtk_window_get_title", main.at) or None
        return (main.GetTitle() if isinstance(main, wx.TopLevelWindow) else main.GetLabel()) or None

    def app_state(self) -> AppState:
        shown = tops()
        return AppState(
            active_view=self._active_view(shown),
            foreground=any(windows.is_active(top) for top in shown),
            modal_dialog=_modal_title(),
        )

    def _active_view(self, shown: list[Any]) -> str | None:
        """The page that is shown of the first book in the main window, else the title of that."""
        main = shown[0] if shown else None
        if main is None or isinstance(main, Widget):
            return self.main_title()
        return self._page_in(main) or self.main_title()

    def _page_in(self, window: Any) -> str | None:
        for child in window.GetChildren():
            kind = self._registry.know(child).kind
            if kind.leaf or child.IsTopLevel() or not child.IsShown():
                continue
            if kind.parts in BOOKS:
                if child.GetSelection() != wx.NOT_FOUND:
                    return str(wx.Control.RemoveMnemonics(child.GetPageText(child.GetSelection())))
            elif (found := self._page_in(child)) is not None:
                return found
        return None


def _modal_title() -> str | None:
    listed = wx.GetTopLevelWindows()
    if gtk is not None and (title := native.modal_title(gtk, {widget_of(window) for window in listed})):
        return title
    for window in reversed(list(listed)):
        if isinstance(window, wx.Dialog) and window.IsShown() and window.IsModal():
            return str(window.GetTitle() or window.GetClassName())
    return None
