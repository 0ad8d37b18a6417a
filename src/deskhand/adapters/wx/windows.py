"""Top-level windows and the keyboard focus. Asked on the GUI thread, awaited on the caller's."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import wx

from ...model.errors import ActionFailed, AppGone, NotEnabled
from ...model.node import Rect
from ...model.operations import ControlWindow
from ..performer import arranged, cannot_focus
from . import native, read
from .gtk import Gtk, gtk, widget_of
from .handles import Handle, Part, Registry, Widget
from .names import describe
from .thread import UiThread

_SETTLE = 0.5
"""Seconds that the window system gets to do what was asked of it."""


def top_of(handle: Handle) -> Handle:
    """The top-level window that something is in."""
    if isinstance(handle, Widget):
        return Widget(_gtk().gtk_widget_get_toplevel(handle.at))
    window = handle.window if isinstance(handle, Part) else handle
    return window if window.IsTopLevel() else wx.GetTopLevelParent(window)


def blocker(top: Handle) -> str | None:
    """What a modal dialog is called that keeps input from a window; None if there is none."""
    if isinstance(top, Widget):
        return None
    modal = [
        window
        for window in wx.GetTopLevelWindows()
        if isinstance(window, wx.Dialog) and window.IsModal() and window.IsShown()
    ]
    if gtk is not None and (title := native.modal_title(gtk, _listed())) is not None:
        return title
    # Of several, the one that was opened last has the input; what belongs to it has it too.
    if not modal or _is_in(top, modal[-1]):
        return None
    return str(modal[-1].GetTitle()) or str(modal[-1].GetClassName())


def _is_in(top: Any, window: Any) -> bool:
    while top is not None:
        if top is window:
            return True
        top = top.GetParent()
    return False


def insist_on_unblocked(handle: Handle, registry: Registry) -> None:
    """ActionFailed if a modal dialog keeps input from what is meant."""
    if (blocked := blocker(top_of(handle))) is not None:
        raise ActionFailed(
            f"{describe(handle, registry)} is behind the modal dialog '{blocked}'",
            suggestions=("answer the dialog first",),
            blocked_by=blocked,
        )


def activate(ui: UiThread, handle: Handle, registry: Registry, timeout: float) -> bool:
    """Bring the window forward, and give it the keyboard; False if the window system does not."""

    def begin() -> bool:
        insist_on_unblocked(handle, registry)
        top = top_of(handle)
        if is_active(top):
            return True
        if isinstance(top, Widget):
            _gtk().gtk_window_present(top.at)
        else:
            if isinstance(top, wx.TopLevelWindow) and top.IsIconized():
                top.Restore()
            top.Raise()
        return False

    if ui.call(begin, timeout):
        return True
    return bool(ui.wait(lambda: is_active(top_of(handle)), min(_SETTLE, timeout)))


def is_active(top: Handle) -> bool:
    """Whether a window has the keyboard, or needs none: a menu takes all keys."""
    if isinstance(top, Widget):
        return bool(_gtk().gtk_window_is_active(top.at)) or _gtk().is_popup(top.at)
    return not isinstance(top, wx.TopLevelWindow) or read.is_active(top) or _popup_is_open()


def _popup_is_open() -> bool:
    """Whether a menu or the list of a combo box is open, which takes the keys from its window."""
    taker = gtk.grab() if gtk is not None else 0
    return bool(taker) and _gtk().is_popup(_gtk().gtk_widget_get_toplevel(taker))


def is_in_front(handle: Handle) -> bool:
    """Whether nothing covers its window, as far as that can be known: it has the keyboard."""
    return is_active(top_of(handle))


def focus(ui: UiThread, handle: Handle, registry: Registry, timeout: float) -> None:
    """Give the keyboard focus; NotFocusable if it cannot have it."""
    if not activate(ui, handle, registry, timeout):
        raise ActionFailed(
            f"the window of {describe(handle, registry)} could not be activated",
            suggestions=("check whether a window manager runs",),
        )

    def take() -> None:
        if isinstance(handle, Widget):
            _gtk().gtk_widget_grab_focus(handle.at)
            return
        window = handle.window if isinstance(handle, Part) else handle
        if window.IsTopLevel():
            return
        if not window.IsEnabled():
            raise NotEnabled(f"{describe(handle, registry)} is not enabled, so it cannot take the focus")
        if not window.AcceptsFocus() and not window.AcceptsFocusRecursively():
            raise cannot_focus(describe(handle, registry))
        if not _has_focus(window):
            window.SetFocus()

    ui.call(take, timeout)
    if isinstance(handle, Widget):
        return
    window = handle.window if isinstance(handle, Part) else handle
    if not ui.wait(lambda: window.IsTopLevel() or _has_focus(window), min(_SETTLE, timeout)):
        raise ActionFailed(f"{ui.call(lambda: describe(handle, registry), timeout)} did not keep the focus")


def _has_focus(window: Any) -> bool:
    has = wx.Window.FindFocus()
    while has is not None:
        if has is window:
            return True
        has = None if has.IsTopLevel() else has.GetParent()
    return False


def control(
    ui: UiThread, action: ControlWindow, handle: Handle | None, registry: Registry, timeout: float
) -> dict[str, object]:
    """Focus, move, resize, minimize, maximize, restore or close a window."""
    top = ui.call(lambda: some_window() if handle is None else top_of(handle), timeout)
    if action.do == "focus":
        if not activate(ui, top, registry, timeout):
            raise ActionFailed(
                "the window could not be activated", suggestions=("check whether a window manager runs",)
            )
    elif action.do == "close":
        ui.post(lambda: _close(top), timeout)
        # With its last window the program may end.
        with suppress(AppGone):
            if not ui.wait(lambda: not _is_shown(top), min(_SETTLE, timeout)):
                raise ActionFailed(
                    "the program keeps the window open", suggestions=("see whether it asks something",)
                )
    elif action.do in ("move", "resize"):
        return _arrange(ui, action, top, timeout)
    else:
        ui.call(lambda: _show(top, action.do), timeout)
        wanted = {"minimize": (True, None), "maximize": (False, True), "restore": (False, False)}[action.do]
        ui.wait(
            lambda: _state(top)[0] == wanted[0] and wanted[1] in (None, _state(top)[1]), min(_SETTLE, timeout)
        )
    return {}


def some_window() -> Handle:
    """The main window."""
    found = read.tops()
    if not found:
        raise ActionFailed("no window is open")
    return found[0]


def _close(top: Handle) -> None:
    if isinstance(top, Widget):
        _gtk().gtk_window_close(top.at)
    else:
        top.Close()
        # A window that was destroyed is deleted when the loop is idle, which it notices only after an event.
        wx.WakeUpIdle()


def _is_shown(top: Handle) -> bool:
    if isinstance(top, Widget):
        return top.at in _gtk().windows()
    return any(window is top for window in wx.GetTopLevelWindows()) and top.IsShown()


def _show(top: Handle, do: str) -> None:
    if isinstance(top, Widget):
        api = _gtk()
        if do == "minimize":
            api.gtk_window_iconify(top.at)
        elif do == "maximize":
            api.gtk_window_maximize(top.at)
        else:
            api.gtk_window_deiconify(top.at)
            api.gtk_window_unmaximize(top.at)
    elif do == "minimize":
        top.Iconize()
    elif do == "maximize":
        top.Maximize()
    else:
        if top.IsIconized():
            top.Iconize(False)
        elif top.IsMaximized():
            top.Maximize(False)


def _state(top: Handle) -> tuple[bool, bool]:
    """Whether a window is minimized, and whether it is maximized."""
    if isinstance(top, Widget):
        return False, bool(_gtk().gtk_window_is_maximized(top.at))
    return bool(top.IsIconized()), bool(top.IsMaximized())


def _arrange(ui: UiThread, action: ControlWindow, top: Handle, timeout: float) -> dict[str, object]:
    moves = action.do == "move"
    wanted = ui.call(lambda: arranged(action, Rect(*_bounds(top))), timeout)

    def place() -> tuple[int, int]:
        bounds = _bounds(top)
        return (bounds[0], bounds[1]) if moves else (bounds[2], bounds[3])

    def begin() -> None:
        if any(_state(top)):
            _show(top, "restore")
        if isinstance(top, Widget):
            (_gtk().gtk_window_move if moves else _gtk().gtk_window_resize)(top.at, *wanted)
            return
        # Where the content begins, not the frame: that is where a node's bounds begin too.
        now, frame = place(), (top.GetPosition() if moves else top.GetSize()).Get()
        to = (wanted[0] + frame[0] - now[0], wanted[1] + frame[1] - now[1])
        if moves:
            top.Move(*to)
        else:
            top.SetSize(*to)

    ui.call(begin, timeout)
    if ui.wait(lambda: place() == wanted, min(_SETTLE, timeout)):
        return {}
    now = ui.call(place, timeout)
    if moves:
        return {"detail": f"it is at {now[0]},{now[1]} now, where the window system put it"}
    return {"detail": f"it is {now[0]}×{now[1]} now, which is as near as the program allows"}


def _bounds(top: Handle) -> tuple[int, int, int, int]:
    if isinstance(top, Widget):
        return _gtk().bounds(top.at) or (0, 0, 0, 0)
    return read.content(top)


def _listed() -> set[int]:
    return {widget_of(window) for window in wx.GetTopLevelWindows()}


def _gtk() -> Gtk:
    assert gtk is not None, "only GTK has widgets that wx does not know"
    return gtk
