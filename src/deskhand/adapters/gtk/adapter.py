"""GTK as the engine sees it: reads and actions of one program, for callers on any thread."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress

from ...images.png import to_png
from ...model import operations as ops
from ...model.errors import ActionFailed, ActionUnsupported, AppGone, NoWindows, ScreenshotFailed, UiBusy
from ...model.node import AppState, Image, Node, Rect
from ...model.operations import Action
from ..inside import OnDisplay
from ..placement import Belief
from . import windows
from .act import Performer
from .events import Changes
from .handles import Handle, Registry
from .input import Input
from .library import NUMBER, VERSION, Gtk
from .read import Reader, Where
from .thread import UiThread

_HELD = 2.0
"""How long a button that GTK holds down by itself may be so at most, in seconds."""


class GtkAdapter(OnDisplay[UiThread, Reader, Changes]):
    """Drives the GTK windows of this process. Made on their thread."""

    name = "gtk"

    def __init__(self) -> None:
        self._registry = Registry()
        ui = UiThread()
        self._input = Input(ui)
        where = Where()
        with suppress(ActionUnsupported):
            # Fallback: without X11, as on Wayland, no window says where it is.
            where.display = self._input.display
        reader = Reader(self._registry, where, ui.rounds)
        super().__init__(ui, reader, Changes(ui))
        self._performer = Performer(self._registry, reader, ui, self._input)
        self._held_until = 0.0
        """Until when a button may be held down because of a key."""

    def made_with(self) -> tuple[str, str, str]:
        return f"GTK {VERSION}", NUMBER, f"GTK {NUMBER}"

    def act(self, action: Action, uid: str | None, to: str | None, timeout: float) -> Mapping[str, object]:
        try:
            return self._performer.perform(action, uid, to, timeout)
        finally:
            if isinstance(action, (ops.Key, ops.TypeText)):
                self._held_until = time.monotonic() + _HELD

    def screenshot(self, uid: str | None, *, timeout: float) -> Image:
        def find() -> tuple[Handle, Node]:
            if uid is None:
                tree = self._reader.read(depth=0)
                if not tree.windows:
                    raise NoWindows("the program shows no window", suggestions=("wait for a window",))
                handle = self._registry.handle(tree.windows[0].uid)
            else:
                handle = self._registry.handle(uid)
            node = self._reader.node(handle)
            if not node.visible:
                raise ScreenshotFailed(f"{node} is not shown", suggestions=("show it first",))
            return handle, node

        handle, node = self._ui.call(find, timeout)
        with suppress(ActionFailed):
            # The screenshot is of the screen, so what covers the window would be in it.
            windows.activate(self._ui, handle, str(node), timeout)
        with suppress(UiBusy):
            self._changes.idle(timeout)
        _, node = self._ui.call(find, timeout)
        if node.bounds is None or node.bounds.width <= 0 or node.bounds.height <= 0:
            raise ScreenshotFailed(f"{node} is not on the screen", suggestions=("scroll it into view",))
        display = self._input.display
        scale = self._input.scale
        whole = Rect(*(number * scale for number in node.bounds))
        shown = whole.intersection(Rect(0, 0, display.width, display.height))
        if shown is None:
            raise ScreenshotFailed(
                f"{node} is outside the screen of {display.width}x{display.height}",
                suggestions=("move its window",),
            )
        x, y, width, height = (int(number) for number in shown)
        png = to_png(width, height, display.pixels(x, y, width, height))
        return Image(png, width, height, float(scale))

    def rest(self, timeout: float) -> Belief:
        self._ui.settle(timeout)
        self._ui.lay_out(timeout)
        self._changes.idle(timeout)
        if time.monotonic() > self._held_until:
            return Belief()
        held = self._ui.look(_holds_a_button, timeout)
        return Belief(busy="a button is held down" if held else "")

    def set_id(self, widget: object, automation_id: str) -> None:
        self._registry.name(widget, automation_id)

    def uid_of(self, widget: object) -> str:
        """The uid of a widget. On the GUI thread."""
        return self._registry.know(widget).uid

    def let_go(self) -> None:
        with suppress(UiBusy, AppGone):
            self._ui.call(self._let_go, 1.0)
        self._ui.close()
        self._input.close()

    # -- on the GUI thread -----------------------------------------------------------------------

    def _let_go(self) -> None:
        self._changes.close()
        self._ui.rounds.close()
        self._registry.clear()

    def main_title(self) -> str | None:
        tree = self._reader.read(depth=0)
        return tree.windows[0].title if tree.windows else None

    def app_state(self) -> AppState:
        tree = self._reader.read()
        tabs = next((node for node in tree if node.role == "tab-list" and node.visible and node.value), None)
        return AppState(
            active_view=tabs.value if tabs is not None else tree.windows[0].title if tree.windows else None,
            foreground=any(top.is_active() for top in windows.shown()),
            modal_dialog=windows.modal_title(),
        )


def _holds_a_button() -> bool:
    """Whether a button is down that a key pressed: only when it is up again, anything happens."""
    for top in windows.shown():
        for button in (top.get_focus(), top.get_default_widget()):
            if isinstance(button, Gtk.Button) and button.get_state_flags() & Gtk.StateFlags.ACTIVE:
                return True
    return False
