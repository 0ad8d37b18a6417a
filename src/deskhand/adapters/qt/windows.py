"""Windows and the keyboard focus."""

from __future__ import annotations

from typing import Any

from ...model.errors import ActionFailed, NotEnabled, NotFocusable
from ...model.node import Rect
from ...model.operations import ControlWindow
from ..performer import arranged, cannot_focus
from . import quick_aim
from .handles import Handle, Item, MenuEntry
from .hands import Hands

_SETTLE = 0.5
"""Seconds that the window system gets to do what was asked of it."""


def focus(hands: Hands, handle: Handle) -> None:
    """Activate the window and give the keyboard focus to a handle; NotFocusable if it cannot have it."""
    if quick_aim.is_item(hands.binding, handle):
        _focus_item(hands, handle)
        return
    if isinstance(handle, MenuEntry):
        if not handle.menu.isVisible():
            raise NotFocusable(
                f"{hands.call(handle)} is in a menu that is closed", suggestions=("open the menu",)
            )
        handle.menu.setActiveAction(handle.action)
        return
    if isinstance(handle, hands.binding.QtGui.QWindow):
        _activate(hands, handle, handle)
        return
    widget = hands.aim.widget(handle)
    bare = hands.bare(widget)
    _activate(hands, handle, hands.aim.window(handle))
    if bare.isWindow() and bare.focusPolicy() == hands.binding.Qt.FocusPolicy.NoFocus:
        return
    _focus_widget(hands, handle, widget)
    if isinstance(handle, Item):
        index = hands.index(handle)
        hands.bare(handle.view).selectionModel().setCurrentIndex(
            index, hands.binding.QtCore.QItemSelectionModel.SelectionFlag.NoUpdate
        )


def keyboard(hands: Hands, handle: Handle | None) -> Any:
    """The window that key strokes go to: the handle's, with the focus on that, or the one with the focus."""
    application = hands.binding.QtGui.QGuiApplication
    popup = hands.aim.popup()
    if handle is None:
        if popup is not None:
            return popup.windowHandle()
        window = application.focusWindow()
        # A dialog that has just opened may not have the focus yet, and what it blocks takes no keys any more.
        other = _some_window(hands) if window is None else hands.aim.blocker(window)
        if other is not None:
            hands.input.activate(other)
        return other or window
    window = hands.aim.window(handle)
    if popup is not None and (popup.windowHandle() is window or hands.aim.is_completed(handle)):
        return window
    try:
        focus(hands, handle)
    except NotFocusable:
        # A key stroke on something that cannot have the focus is one in its window: a shortcut, esc.
        hands.input.activate(window)
    return window


def control(hands: Hands, action: ControlWindow, handle: Handle | None) -> dict[str, object]:
    """Focus, move, resize, minimize, maximize, restore or close a window."""
    window = _frame(hands, handle)
    widget = window if hands.is_a(window, "QWidget") else None
    if action.do == "focus":
        _activate(hands, window, hands.aim.window(window))
    elif action.do == "close":
        _close(hands, window)
    elif action.do in ("move", "resize"):
        return _arrange(hands, action, window, widget)
    else:
        show = {"minimize": "showMinimized", "maximize": "showMaximized", "restore": "showNormal"}[action.do]
        getattr(hands.bare(window), show)()
        wanted = {"minimize": "WindowMinimized", "maximize": "WindowMaximized", "restore": "WindowNoState"}
        state = getattr(hands.binding.Qt.WindowState, wanted[action.do])
        hands.input.wait(lambda: _state(hands, window) == state, _SETTLE)
    return {}


def insist_on_active(hands: Hands, handle: Handle | None) -> None:
    """ActionFailed unless the window of a handle is the active one."""
    window = hands.aim.window(_frame(hands, handle))
    if not hands.input.is_active(window):
        raise _not_active(hands, window)


def _activate(hands: Hands, handle: Handle, window: Any) -> None:
    hands.aim.insist_on_unblocked(handle, window)
    if window.windowState() == hands.binding.Qt.WindowState.WindowMinimized:
        window.showNormal()
    if not hands.input.activate(window):
        if (popup := hands.aim.popup()) is not None:
            raise hands.aim.behind_popup(handle, popup)
        raise _not_active(hands, handle)


def _not_active(hands: Hands, handle: Handle) -> ActionFailed:
    return ActionFailed(
        f"the window of {hands.call(handle)} could not be activated",
        suggestions=("check whether a window manager runs",),
    )


def _focus_widget(hands: Hands, handle: Handle, widget: Any) -> None:
    qt = hands.binding.Qt
    taker = widget
    while (proxy := hands.bare(taker).focusProxy()) is not None:
        taker = proxy
    if hands.bare(taker).focusPolicy() == qt.FocusPolicy.NoFocus:
        raise cannot_focus(hands.call(handle))
    if not taker.isEnabled():
        raise NotEnabled(f"{hands.call(handle)} is not enabled, so it cannot take the focus")
    taker.setFocus(qt.FocusReason.OtherFocusReason)
    has = hands.binding.app.focusWidget()
    if has is not taker and not (has is not None and taker.isAncestorOf(has)):
        now = hands.call(has) if has is not None else "nothing"
        raise ActionFailed(
            f"{hands.call(handle)} did not keep the focus; {now} has it", last_seen={"focused": now}
        )


def _focus_item(hands: Hands, item: Any) -> None:
    takes = item.property("activeFocusOnTab") or item.property("focusPolicy") or item.isFocusScope()
    edits = hands.is_a(item, "QQuickTextInput", "QQuickTextEdit", "QQuickControl")
    if not takes and not edits and not item.property("activeFocus") and not item.hasFocus():
        raise cannot_focus(hands.call(item))
    _activate(hands, item, hands.aim.window(item))
    item.forceActiveFocus(hands.binding.Qt.FocusReason.OtherFocusReason)
    if not item.hasActiveFocus():
        raise ActionFailed(f"{hands.call(item)} did not keep the focus")


def _some_window(hands: Hands) -> Any:
    windows = [
        window
        for window in hands.binding.QtGui.QGuiApplication.topLevelWindows()
        if window.isVisible() and hands.aim.blocker(window) is None
    ]
    if not windows:
        raise ActionFailed("no window is open that could take a key stroke")
    return windows[0]


def _frame(hands: Hands, handle: Handle | None) -> Any:
    """The widget or window that has the frame around a handle."""
    if handle is None:
        return _some_window(hands)
    if isinstance(handle, hands.binding.QtGui.QWindow) or hands.is_a(handle, "QMdiSubWindow"):
        return handle
    if quick_aim.is_item(hands.binding, handle):
        window = quick_aim.window_of(handle)
        around = quick_aim.widget_around(hands.binding, window)
        return window if around is None else hands.bare(around).window()
    return hands.bare(hands.aim.widget(handle)).window()


def _close(hands: Hands, window: Any) -> None:
    hands.call_slot(window, "close")
    if hands.binding.is_valid(window) and window.isVisible():
        raise ActionFailed(
            f"the program keeps {hands.call(window)} open", suggestions=("see whether it asks something",)
        )


def _arrange(hands: Hands, action: ControlWindow, window: Any, widget: Any) -> dict[str, object]:
    bare = hands.bare(window)
    if _state(hands, window) != hands.binding.Qt.WindowState.WindowNoState:
        bare.showNormal()
    if action.do == "resize":

        def now() -> tuple[int, int]:
            return bare.width(), bare.height()

        wanted = arranged(action, Rect(0, 0, *now()))
        bare.resize(*wanted)
        what = "it is {}×{} now, which is as near as the program allows"
    else:
        # Where the content begins, not the frame: that is where a node's bounds begin too.
        inside = widget is not None and widget.inherits("QMdiSubWindow")
        own = bare if widget is None or inside else hands.bare(bare.windowHandle())

        def now() -> tuple[int, int]:
            return own.x(), own.y()

        wanted = arranged(action, Rect(*now(), 0, 0))
        (own.move if inside else own.setPosition)(*wanted)
        what = "it is at {},{} now, where the window system put it"
    hands.input.wait(lambda: now() == wanted, _SETTLE)
    return {} if now() == wanted else {"detail": what.format(*now())}


def _state(hands: Hands, window: Any) -> Any:
    states = hands.binding.Qt.WindowState
    state = hands.bare(window).windowState()
    return states.WindowMinimized if state & states.WindowMinimized else state & ~states.WindowActive
