"""Tk as the engine sees it: reads and actions of one program, for callers on any thread."""

from __future__ import annotations

import tkinter
from collections.abc import Mapping
from contextlib import suppress
from typing import TypeVar

from ...images.png import to_png
from ...model.errors import ActionFailed, AppGone, NoWindows, ScreenshotFailed, UiBusy
from ...model.node import AppState, Image, Rect
from ...model.operations import Action
from ..inside import OnDisplay
from ..placement import Belief
from . import windows
from .act import Performer
from .events import Changes
from .input import Input
from .kinds import text_of
from .read import Reader
from .roots import Handle, Registry, all_roots
from .thread import UiThread

T = TypeVar("T")


class TkAdapter(OnDisplay[UiThread, Reader, Changes]):
    """Drives the Tk windows of this process. Made on their thread."""

    name = "tk"

    def __init__(self) -> None:
        self._registry = Registry()
        ui = UiThread(self._registry)
        reader = Reader(self._registry)
        super().__init__(ui, reader, Changes(ui))
        self._input = Input(ui)
        self._performer = Performer(self._registry, reader, ui, self._input)
        self._version = ""
        self.grow()

    def made_with(self) -> tuple[str, str, str]:
        return "tkinter", self._version, ""

    def act(self, action: Action, uid: str | None, to: str | None, timeout: float) -> Mapping[str, object]:
        return self._performer.perform(action, uid, to, timeout)

    def screenshot(self, uid: str | None, *, timeout: float) -> Image:
        def find() -> tuple[Handle, Rect | None, str]:
            if uid is None:
                tree = self._reader.read()
                if not tree.windows:
                    raise NoWindows("the program shows no window", suggestions=("wait for a window",))
                handle = self._registry.handle(tree.windows[0].uid)
            else:
                handle = self._registry.handle(uid)
            node = self._reader.node(handle)
            if not node.visible:
                raise ScreenshotFailed(f"{node} is not shown", suggestions=("show it first",))
            return handle, node.bounds, str(node)

        handle, _, what = self._ui.call(find, timeout)
        with suppress(ActionFailed):
            # The screenshot is of the screen, so what covers the window would be in it.
            windows.activate(self._ui, handle, what, timeout)
        self._ui.idle(timeout)
        _, bounds, _ = self._ui.call(find, timeout)
        if bounds is None or bounds.width <= 0 or bounds.height <= 0:
            raise ScreenshotFailed(f"{what} is not on the screen", suggestions=("scroll it into view",))
        display = self._input.display
        shown = bounds.intersection(Rect(0, 0, display.width, display.height))
        if shown is None:
            raise ScreenshotFailed(
                f"{what} is outside the screen of {display.width}x{display.height}",
                suggestions=("move its window",),
            )
        x, y, width, height = (int(number) for number in shown)
        return Image(to_png(width, height, display.pixels(x, y, width, height)), width, height)

    def rest(self, timeout: float) -> Belief:
        self._ui.call(self._ui.ask_display, timeout)
        self._ui.idle(timeout)
        return Belief()

    def set_id(self, widget: object, automation_id: str) -> None:
        if isinstance(widget, tkinter.Misc):
            self._registry.name(widget, automation_id)

    def uid_of(self, widget: object) -> str:
        """The uid of a widget of tkinter. On the GUI thread."""
        assert isinstance(widget, tkinter.Misc), "only widgets have uids"
        for _ in range(2):
            for known in self._registry.by_uid.values():
                if known.widget is widget:
                    return known.uid
            self._reader.read(internals=True)
        raise ActionFailed(f"{widget!r} is not in a window that is shown")

    def let_go(self) -> None:
        with suppress(UiBusy, AppGone):
            self._ui.call(self._let_go, 1.0)
        self._ui.close()
        self._input.close()

    # -- on the GUI thread -----------------------------------------------------------------------

    def grow(self) -> None:
        """Drive the interpreters that were made since the last call too."""
        for tk in all_roots():
            self._add(tk)

    def _add(self, tk: tkinter.Tk) -> None:
        """Drive a further interpreter; one of another thread is not ours."""
        try:
            root = self._registry.add(tk)
        except (tkinter.TclError, RuntimeError):
            return  # it was destroyed, or belongs to another thread
        if root is not None:
            self._ui.watch(root)
            self._version = self._version or text_of(root.call("info", "patchlevel"))

    def _let_go(self) -> None:
        self._changes.close()
        self._ui.let_go()
        self._registry.clear()

    def main_title(self) -> str | None:
        tree = self._reader.read(depth=0)
        return tree.windows[0].title if tree.windows else None

    def app_state(self) -> AppState:
        tree = self._reader.read()
        tabs = next((node for node in tree if node.role == "tab-list" and node.visible and node.value), None)
        return AppState(
            active_view=tabs.value if tabs is not None else tree.windows[0].title if tree.windows else None,
            foreground=any(windows.active(root) for root in self._registry.roots),
            modal_dialog=windows.modal_title(self._registry),
        )
