"""Top-level windows: which is in front, which takes all input, and what can be done to them."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from ...model.errors import ActionFailed, ActionUnsupported, AppGone, NotEnabled
from ...model.node import Node
from ...model.operations import ControlWindow
from ..performer import arranged, cannot_focus
from .handles import Handle, Registry
from .input import Input
from .library import THREE, Gdk, Gtk, focused, toplevels, window_of, xid
from .read import Reader
from .thread import UiThread

_SETTLE = 2.0
"""How long the window manager may take, in seconds."""
_STATIC, _X, _Y, _WIDTH, _HEIGHT = 10, 1 << 8, 1 << 9, 1 << 10, 1 << 11
"""What is asked of a window manager: that its frame is not counted, and which of the numbers are meant."""


def shown() -> list[Any]:
    return [top for top in toplevels() if top.get_mapped()]


def is_in(widget: Any, outer: Any) -> bool:
    """Whether a widget is another one, or in it."""
    while widget is not None:
        if widget is outer:
            return True
        if THREE and isinstance(widget, Gtk.Menu):
            widget = widget.get_attach_widget() or widget.get_parent()
        else:
            widget = widget.get_parent()
    return False


def _is_regular(top: Any) -> bool:
    """Whether it is a window that the window manager has, no menu."""
    return not THREE or bool(top.get_window_type() == Gtk.WindowType.TOPLEVEL)


def modal() -> Any:
    """The window that keeps input from the others; None if there is none."""
    found = None
    for top in shown():
        # A dialog on a dialog is the one that counts.
        if _is_regular(top) and top.get_modal() and (found is None or top.get_transient_for() is found):
            found = top
    return found


def modal_title() -> str | None:
    """The title of the modal dialog that is open."""
    top = modal()
    return None if top is None else top.get_title() or top.__gtype__.name


def insist_on_unblocked(handle: Handle, what: str) -> None:
    """ActionFailed if a modal dialog or an open menu keeps input from what is meant."""
    top, own = modal(), window_of(handle.widget)
    if top is not None and own is not None and own is not top and not _belongs(own, top):
        title = modal_title() or ""
        raise ActionFailed(
            f"{what} is behind the modal dialog '{title}'",
            suggestions=("answer the dialog first",),
            blocked_by=title,
        )
    popup = _popup()
    if popup is not None and not is_in(handle.widget, popup) and not _in_menu(handle.widget):
        raise ActionFailed(
            f"a menu or list is open, which takes the click on {what}",
            suggestions=("choose from it, or close it: key esc",),
        )


def _belongs(own: Any, top: Any) -> bool:
    """Whether a window was opened by a modal one: a menu, or a dialog on it."""
    if THREE and own.get_window_type() == Gtk.WindowType.POPUP:
        return True
    above = own.get_transient_for()
    while above is not None:
        if above is top:
            return True
        above = above.get_transient_for()
    return False


def _popup() -> Any:
    """The menu or list that takes all input; None if there is none."""
    if THREE:
        grab = Gtk.grab_get_current()
        if grab is None or isinstance(grab, Gtk.Popover):
            return grab
        if isinstance(grab, Gtk.MenuShell):
            return grab
        top = grab.get_toplevel()
        is_popup = isinstance(top, Gtk.Window) and top.get_window_type() == Gtk.WindowType.POPUP
        return top if is_popup else None
    widget = focused()
    while widget is not None:
        if isinstance(widget, Gtk.Popover) and widget.get_autohide() and widget.get_mapped():
            return widget
        widget = widget.get_parent()
    return None


def _in_menu(widget: Any) -> bool:
    """Whether it is an entry: menus take the input from each other."""
    if THREE:
        return isinstance(widget, (Gtk.MenuItem, Gtk.MenuShell))
    return widget.__gtype__.name in ("GtkModelButton", "GtkPopoverMenuBarItem") or isinstance(
        widget, Gtk.Popover
    )


def activate(ui: UiThread, handle: Handle, what: str, timeout: float) -> bool:
    """Bring the window forward, and give it the keyboard; False if the window system does not."""

    def begin() -> bool:
        insist_on_unblocked(handle, what)
        top = window_of(handle.widget)
        if top is None:
            raise ActionFailed(f"{what} is in no window that is shown")
        if THREE and top.get_window_type() == Gtk.WindowType.POPUP:
            return True  # a menu needs no focus
        if top.is_active():
            return True
        top.present()
        return False

    if ui.call(begin, timeout):
        return True
    return bool(ui.wait(lambda: window_of(handle.widget).is_active(), min(_SETTLE, timeout)))


def focus(ui: UiThread, handle: Handle, node: Node, timeout: float) -> None:
    """Give the keyboard focus; NotFocusable if it cannot have it."""
    what, widget = str(node), handle.widget
    if not activate(ui, handle, what, timeout):
        raise ActionFailed(
            f"the window of {what} could not be activated",
            suggestions=("check whether a window manager runs",),
        )

    def take() -> bool:
        if isinstance(widget, Gtk.Window):
            return True
        if not widget.is_sensitive():
            raise NotEnabled(f"{what} is not enabled, so it cannot take the focus")
        if _has_focus(widget):
            return True
        if not (widget.get_can_focus() or node.focusable):
            raise cannot_focus(what)
        widget.grab_focus()
        return False

    if ui.call(take, timeout):
        return
    if not ui.wait(lambda: _has_focus(widget), min(_SETTLE, timeout)):
        raise cannot_focus(what)


def _has_focus(widget: Any) -> bool:
    return is_in(focused(), widget)


# -- move, resize, close -------------------------------------------------------------------------


def main() -> Any:
    """The main window."""
    every = [top for top in shown() if _is_regular(top)]
    if not every:
        raise ActionFailed("no window is open")
    return next((top for top in every if top.is_active()), every[0])


def control(
    ui: UiThread,
    hands: Input,
    reader: Reader,
    registry: Registry,
    action: ControlWindow,
    handle: Handle | None,
) -> dict[str, object]:
    """Focus, move, resize, minimize, maximize, restore or close a window."""
    top = ui.call(lambda: main() if handle is None else window_of(handle.widget), hands.left)
    known = ui.call(lambda: registry.know(top), hands.left)
    own = Handle(known, top)
    if action.do == "focus":
        if not activate(ui, own, "the window", hands.left):
            raise ActionFailed(
                "the window could not be activated", suggestions=("check whether a window manager runs",)
            )
    elif action.do == "close":
        if ui.post(lambda: _close(top), hands.left):
            return {}  # with its last window the program may end, and answer nothing any more
        with suppress(AppGone):
            if not ui.wait(lambda: not top.get_mapped(), min(_SETTLE, hands.left)):
                raise ActionFailed(
                    "the program keeps the window open", suggestions=("see whether it asks something",)
                )
    elif action.do in ("move", "resize"):
        return _arrange(ui, hands, reader, action, own)
    else:
        ui.call(lambda: _show(top, action.do), hands.left)
        wanted = {"maximize": True, "restore": False}.get(action.do)
        if wanted is not None:
            ui.wait(lambda: top.is_maximized() is wanted, min(_SETTLE, hands.left))
    return {}


def _close(top: Any) -> bool:
    """Close a window as its user does; whether it is closed by then."""
    if not THREE:
        top.close()
    # GTK 3 itself does that later, when the program may not answer any more.
    elif not top.emit("delete-event", Gdk.Event.new(Gdk.EventType.DELETE)):
        top.destroy()
    return not top.get_mapped()


def _show(top: Any, do: str) -> None:
    if do == "minimize":
        (top.iconify if THREE else top.minimize)()
        return
    (top.deiconify if THREE else top.unminimize)()
    (top.maximize if do == "maximize" else top.unmaximize)()
    top.present()


def _arrange(
    ui: UiThread, hands: Input, reader: Reader, action: ControlWindow, own: Handle
) -> dict[str, object]:
    moves, top = action.do == "move", own.widget

    def bounds() -> Any:
        found = reader.node(own).bounds
        assert found is not None, "a window has bounds"
        return found

    def now() -> tuple[int, int]:
        x, y, width, height = (int(one) for one in bounds())
        return (x, y) if moves else (width, height)

    before = ui.call(bounds, hands.left)
    wanted = arranged(action, before)
    number = ui.call(lambda: xid(top), hands.left)
    if not number:
        raise ActionUnsupported("only windows of an X11 display can be moved and resized")
    if ui.call(top.is_maximized, hands.left):
        ui.call(top.unmaximize, hands.left)
        ui.wait(lambda: not top.is_maximized(), min(_SETTLE, hands.left))
    outer = hands.display.area_of(number)
    if outer is None:
        raise ActionFailed("the display does not have the window any more")
    # A shadow that the program draws itself belongs to the window of the display.
    at = (before.x, before.y) if moves else (before.width, before.height)
    base = (outer.x, outer.y) if moves else (outer.width, outer.height)
    goal = [round((new - old) * hands.scale + own) for new, own, old in zip(wanted, base, at, strict=True)]
    flags = _STATIC | (_X | _Y if moves else _WIDTH | _HEIGHT) | 2 << 12
    hands.display.message(
        number, "_NET_MOVERESIZE_WINDOW", flags, *([*goal, 0, 0] if moves else [0, 0, *goal])
    )
    if ui.wait(lambda: now() == wanted, min(_SETTLE, hands.left)):
        return {}
    found = ui.call(now, hands.left)
    if moves:
        return {"detail": f"it is at {found[0]},{found[1]} now, where the window system put it"}
    return {"detail": f"it is {found[0]}×{found[1]} now, which is as near as the program allows"}


def at_top(hands: Input, point: tuple[int, int], widget: Any) -> str | None:
    """What covers a point of the window that a widget is in; None if nothing does."""
    native = window_of(widget) if THREE else widget.get_native()
    number = 0 if native is None else xid(native)
    if THREE and isinstance(widget, Gtk.MenuItem):
        number = xid(widget.get_toplevel())
    if not number:
        return None
    return hands.display.covering(number, *hands.pixel(point))
