"""Doing what a widget is for without the mouse: push, tick, open, show the context menu.

The program's own signals must fire as they do for a person, so this calls what Qt itself calls for a key
stroke (`click`, `trigger`), never a setter, where there is such a thing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ...model.errors import NotEnabled
from ..performer import State, cannot_expand
from . import menus, quick_aim
from .handles import Handle, Item, MenuEntry, SceneItem, Tab
from .hands import Hands
from .quick_call import evaluate

_ARROW = 8
"""How far from the end of a field the arrow is that opens its list, in pixels."""
_LINK = re.compile(r"""<a\s[^>]*href\s*=\s*["']([^"']*)["']""", re.IGNORECASE)


def press(hands: Hands, handle: Handle) -> dict[str, object]:
    """Do what a handle is for."""
    if isinstance(handle, MenuEntry):
        menus.press(hands, handle)
    elif isinstance(handle, Tab):
        _insist_on_enabled(hands, handle, handle.bar.isTabEnabled(handle.index))
        handle.bar.setCurrentIndex(handle.index)
    elif isinstance(handle, Item):
        _activate_item(hands, handle)
    elif isinstance(handle, SceneItem) and (inner := embedded(hands, handle)) is not None:
        return press(hands, inner)
    elif quick_aim.is_item(hands.binding, handle):
        return _press_item(hands, handle)
    elif hands.is_a(handle, "QAbstractButton"):
        _insist_on_enabled(hands, handle, handle.isEnabled())
        _push(hands, handle)
    elif hands.is_a(handle, "QGroupBox") and handle.isCheckable():
        _toggle_group(hands, handle)
    elif hands.is_a(handle, "QComboBox"):
        expand(hands, handle, not hands.bare(handle).view().isVisible())
    elif hands.is_a(handle, "QLabel") and (link := _LINK.search(hands.bare(handle).text())):
        handle.linkActivated.emit(link.group(1))
    else:
        # Fallback: it has no press of its own (a header, a widget that draws itself), so the mouse does it.
        hands.click(handle)
        return {"detail": "clicked with the mouse: it has no press of its own"}
    return {}


def state(hands: Hands, handle: Handle) -> State:
    """How a handle is now."""
    if isinstance(handle, SceneItem) and (inner := embedded(hands, handle)) is not None:
        return state(hands, inner)
    ticks = _ticks(hands, handle)
    tick = None if ticks is None else ticks[0]()
    takes = "value"
    if ticks is not None and not _is_editable(hands, handle):
        takes = "tick"
    elif hands.is_a(handle, "QComboBox", "QQuickComboBox") and not handle.property("editable"):
        takes = "option"
    return State(None if ticks is None else bool(tick), ticks is not None and tick is None, takes=takes)


def tick(hands: Hands, handle: Handle, checked: bool) -> None:
    """Press something that can be ticked, or set the tick of a cell."""
    if isinstance(handle, SceneItem) and (inner := embedded(hands, handle)) is not None:
        handle = inner
    ticks = _ticks(hands, handle)
    assert ticks is not None, "only what can be ticked is"
    ticks[1](checked)


def _ticks(hands: Hands, handle: Handle) -> tuple[Callable[[], bool | None], Callable[[bool], object]] | None:
    """How a handle says whether it is ticked (None between the two), and how that is changed."""
    if isinstance(handle, Item):
        return _item_ticks(hands, handle)
    if isinstance(handle, MenuEntry) and handle.action.isCheckable():
        return handle.action.isChecked, lambda _: menus.press(hands, handle)
    if hands.is_a(handle, "QAbstractButton") and handle.isCheckable():
        return lambda: _is_checked(hands, handle), lambda _: _press_button(hands, handle)
    if hands.is_a(handle, "QGroupBox") and handle.isCheckable():
        return handle.isChecked, lambda _: _toggle_group(hands, handle)
    if quick_aim.is_item(hands.binding, handle) and handle.property("checkable"):
        return lambda: _item_checked(hands, handle), lambda _: _press_item(hands, handle)
    return None


def _is_editable(hands: Hands, handle: Handle) -> bool:
    """Whether the value of a handle that can be ticked is something else than its tick."""
    return isinstance(handle, Item) and bool(
        hands.index(handle).flags() & hands.binding.Qt.ItemFlag.ItemIsEditable
    )


def _press_button(hands: Hands, button: Any) -> None:
    _insist_on_enabled(hands, button, button.isEnabled())
    hands.call_slot(button, "click")


def expand(hands: Hands, handle: Handle, expanded: bool) -> dict[str, object]:
    """Open or close it, if it is not so already."""
    if isinstance(handle, Item) and hands.is_a(handle.view, "QTreeView"):
        index = hands.index(handle)
        index = index.sibling(index.row(), 0)
        if expanded and not hands.binding.has_children(index.model(), index):
            raise hands.unsupported(handle, "has nothing below it to show")
        handle.view.setExpanded(index, expanded)
    elif isinstance(handle, MenuEntry) and (below := menus.menu_of(hands, handle)) is not None:
        if expanded:
            menus.open_below(hands, handle)
        else:
            hands.bare(below).close()
    elif hands.is_a(handle, "QMenu"):
        if expanded:
            menus.open_menu(hands, handle)
        else:
            hands.bare(handle).close()
    elif hands.is_a(handle, "QComboBox"):
        if expanded and not hands.bare(handle).view().isVisible():
            hands.input.activate(hands.aim.window(handle))
            handle.showPopup()
        elif not expanded:
            handle.hidePopup()
    elif hands.is_a(handle, "QDateTimeEdit") and hands.bare(handle).calendarPopup():
        _expand_calendar(hands, handle, expanded)
    elif (below := _menu_of(hands, handle)) is not None:
        if not expanded:
            hands.bare(below).close()
        elif not hands.bare(below).isVisible():
            hands.call_slot(handle, "showMenu")
    elif quick_aim.is_item(hands.binding, handle):
        return _expand_item(hands, handle, expanded)
    else:
        raise cannot_expand(hands.call(handle))
    return {}


def _expand_calendar(hands: Hands, edit: Any, expanded: bool) -> None:
    calendar = hands.bare(edit).calendarWidget()
    if calendar.isVisible() is expanded:
        return
    if not expanded:
        calendar.window().close()
        return
    # Nothing but the mouse opens it, by the arrow at the end.
    box = hands.bare(edit).rect()
    right_to_left = hands.bare(edit).layoutDirection() == hands.binding.Qt.LayoutDirection.RightToLeft
    spot = hands.aim.spot(edit, _ARROW if right_to_left else box.width() - _ARROW, box.height() / 2)
    hands.input.activate(spot.window)
    hands.input.play(hands.input.click(spot.window, spot.point))
    hands.input.wait(calendar.isVisible, 1.0)


def show_menu(hands: Hands, handle: Handle) -> dict[str, object]:
    """Open the context menu."""
    if quick_aim.is_item(hands.binding, handle) or isinstance(handle, hands.binding.QtGui.QWindow):
        hands.click(handle, "right")
        return {"detail": "clicked with the right mouse button"}
    if isinstance(handle, Item):
        _choose(hands, handle)
    spot = hands.aim.spot(handle)
    hands.input.activate(spot.window)
    widget, _ = hands.aim.rect(handle)
    gui = hands.binding.QtGui
    point = widget.mapFromGlobal(spot.on_screen)
    taker = widget.childAt(point) or widget
    event = gui.QContextMenuEvent(
        gui.QContextMenuEvent.Reason.Mouse, taker.mapFrom(widget, point), spot.on_screen
    )
    hands.binding.QtCore.QCoreApplication.sendEvent(taker, event)
    if not event.isAccepted():
        raise hands.unsupported(handle, "has no context menu")
    return {}


def embedded(hands: Hands, handle: SceneItem) -> Any:
    """The widget that a graphics item shows; None if it shows none."""
    shows = isinstance(handle.item, hands.binding.QtWidgets.QGraphicsProxyWidget)
    return hands.bare(handle.item).widget() if shows else None


# -- buttons -----------------------------------------------------------------------------------


def _menu_of(hands: Hands, handle: Handle) -> Any:
    """The menu that a button opens; None if it opens none, or is not a button."""
    return hands.bare(handle).menu() if hands.is_a(handle, "QPushButton", "QToolButton") else None


def _push(hands: Hands, button: Any) -> None:
    if button.inherits("QToolButton") and _menu_of(hands, button) is not None:
        instant = hands.binding.QtWidgets.QToolButton.ToolButtonPopupMode.InstantPopup
        if button.popupMode() == instant:
            hands.call_slot(button, "showMenu")
            return
    hands.call_slot(button, "click")


def _toggle_group(hands: Hands, group: Any) -> None:
    """Toggle as the space bar does: that also says `clicked`."""
    core, gui, qt = hands.binding.QtCore, hands.binding.QtGui, hands.binding.Qt
    space = hands.binding.number(qt.Key.Key_Space)
    _insist_on_enabled(hands, group, group.isEnabled())
    for kind in (core.QEvent.Type.KeyPress, core.QEvent.Type.KeyRelease):
        event = gui.QKeyEvent(kind, space, qt.KeyboardModifier.NoModifier, " ")
        core.QCoreApplication.sendEvent(group, event)


def _is_checked(hands: Hands, button: Any) -> bool | None:
    """None for a check box between the two."""
    if button.inherits("QCheckBox") and button.checkState() == hands.binding.Qt.CheckState.PartiallyChecked:
        return None
    return bool(button.isChecked())


def _insist_on_enabled(hands: Hands, handle: Handle, enabled: bool) -> None:
    if not enabled:
        raise NotEnabled(f"{hands.call(handle)} is not enabled", last_seen={"enabled": False})


# -- items of views ------------------------------------------------------------------------------


def _choose(hands: Hands, handle: Item) -> None:
    index = hands.index(handle)
    if not handle.view.selectionModel().isSelected(index):
        handle.view.setCurrentIndex(index)
    handle.view.scrollTo(index)


def _activate_item(hands: Hands, handle: Item) -> None:
    index = hands.index(handle)
    _insist_on_enabled(hands, handle, bool(index.flags() & hands.binding.Qt.ItemFlag.ItemIsEnabled))
    _choose(hands, handle)
    handle.view.activated.emit(index)


def _item_ticks(
    hands: Hands, handle: Item
) -> tuple[Callable[[], bool | None], Callable[[bool], object]] | None:
    qt = hands.binding.Qt
    index = hands.index(handle)
    checkable = index.flags() & qt.ItemFlag.ItemIsUserCheckable
    if not checkable or index.data(qt.ItemDataRole.CheckStateRole) is None:
        return None
    number = hands.binding.number
    states = {number(qt.CheckState.Checked): True, number(qt.CheckState.Unchecked): False}

    def change(checked: bool) -> None:
        _insist_on_enabled(hands, handle, bool(index.flags() & qt.ItemFlag.ItemIsEnabled))
        wanted = qt.CheckState.Checked if checked else qt.CheckState.Unchecked
        # As a plain number: that is what Qt's own delegate hands to the model.
        hands.bare(handle.view).model().setData(index, number(wanted), qt.ItemDataRole.CheckStateRole)

    return lambda: states.get(_check_state(hands, hands.index(handle))), change


def _check_state(hands: Hands, index: Any) -> int:
    state = index.data(hands.binding.Qt.ItemDataRole.CheckStateRole)
    return hands.binding.number(state)


# -- QML ---------------------------------------------------------------------------------------


def _press_item(hands: Hands, item: Any) -> dict[str, object]:
    _insist_on_enabled(hands, item, item.isEnabled())
    hands.click(item)
    return {"detail": "clicked with the mouse"}


def _item_checked(hands: Hands, item: Any) -> bool | None:
    between = hands.binding.Qt.CheckState.PartiallyChecked
    states = (between, hands.binding.number(between))
    return None if item.property("checkState") in states else bool(item.property("checked"))


def _expand_item(hands: Hands, item: Any, expanded: bool) -> dict[str, object]:
    is_open = evaluate(hands.binding, item, "popup.visible") if item.inherits("QQuickComboBox") else None
    if is_open is None:
        raise cannot_expand(hands.call(item))
    if is_open is not expanded:
        hands.input.activate(hands.aim.window(item))
        evaluate(hands.binding, item, "popup.open()" if expanded else "popup.close()")
        hands.input.wait(lambda: evaluate(hands.binding, item, "popup.opened") is expanded, 1.0)
    return {}
