"""Doing what a control is for, without the mouse: the command event that its user would cause. GUI thread."""

from __future__ import annotations

import sys
from typing import Any

import wx

from ...model.errors import ActionFailed, ActionUnsupported, NotEnabled
from . import parts
from .drawn import command, send
from .gtk import Gtk, gtk, widget_of
from .handles import Handle, Part, Registry, Widget
from .names import describe

_DRAWN_BUTTONS = ("GenButton", "GradientButton", "AquaButton", "PlateButton", "SButton")
"""Buttons of wx.lib."""


def press(handle: Handle, registry: Registry) -> None:
    """Push, toggle, follow or open it."""
    if isinstance(handle, Part):
        parts.of(handle, registry).press(handle.window, handle.key)
    elif isinstance(handle, Widget):
        _press_widget(handle.at, describe(handle, registry))
    elif isinstance(handle, (wx.CheckBox, wx.ToggleButton, wx.RadioButton)):
        _toggle(handle)
    elif isinstance(handle, wx.AnyButton):
        command(handle, wx.EVT_BUTTON)
    elif is_of(handle, "GenCheckBox", "__ToggleMixin"):
        set_checked(handle, registry, not handle.GetValue())
    elif is_of(handle, *_DRAWN_BUTTONS):
        _press_drawn(handle)
    elif is_of(handle, "HyperlinkCtrl"):
        adv = sys.modules["wx.adv"]
        send(handle, adv.HyperlinkEvent(handle, handle.GetId(), handle.GetURL()))
    elif isinstance(handle, wx.CollapsiblePane):
        expand(handle, registry, not handle.IsExpanded())
    elif isinstance(handle, (wx.Choice, wx.ComboBox)) or is_of(handle, "ComboCtrl", "BitmapComboBox"):
        expand(handle, registry, True)
    else:
        raise ActionUnsupported(
            f"{describe(handle, registry)} is nothing to be pressed",
            suggestions=("click it, or press something in it",),
        )


def set_checked(handle: Handle, registry: Registry, checked: bool) -> None:
    """Tick or untick; nothing happens if it is so already."""
    if isinstance(handle, Part):
        parts.of(handle, registry).set_checked(handle.window, handle.key, checked)
    elif isinstance(handle, Widget) and _gtk().is_a(handle.at, "GtkToggleButton"):
        if bool(_gtk().gtk_toggle_button_get_active(handle.at)) != checked:
            _press_widget(handle.at, describe(handle, registry))
    elif isinstance(handle, Widget) and _gtk().is_a(handle.at, "GtkCheckMenuItem"):
        if bool(_gtk().gtk_check_menu_item_get_active(handle.at)) != checked:
            _press_widget(handle.at, describe(handle, registry))
    elif isinstance(handle, wx.RadioButton):
        if not checked and handle.GetValue():
            raise ActionFailed(
                f"{describe(handle, registry)} cannot be unticked",
                suggestions=("choose another one of its group",),
            )
        if checked and not handle.GetValue():
            _toggle(handle)
    elif isinstance(handle, wx.CheckBox):
        mixed = handle.Is3State() and handle.Get3StateValue() == wx.CHK_UNDETERMINED
        if mixed or handle.GetValue() != checked:
            if handle.Is3State():
                handle.Set3StateValue(wx.CHK_CHECKED if checked else wx.CHK_UNCHECKED)
            else:
                handle.SetValue(checked)
            command(handle, wx.EVT_CHECKBOX, int(checked))
    elif isinstance(handle, wx.ToggleButton):
        if handle.GetValue() != checked:
            _toggle(handle)
    elif is_of(handle, "GenCheckBox", "__ToggleMixin"):
        if bool(handle.GetValue()) != checked:
            handle.SetValue(checked)
            if is_of(handle, "GenCheckBox"):
                command(handle, wx.EVT_CHECKBOX, int(checked))
            else:
                _press_drawn(handle)
    else:
        raise ActionUnsupported(
            f"{describe(handle, registry)} cannot be ticked",
            suggestions=("target a check box or radio button",),
        )


def expand(handle: Handle, registry: Registry, expanded: bool) -> None:
    """Open or close it; nothing happens if it is so already."""
    if isinstance(handle, Part):
        parts.of(handle, registry).expand(handle.window, handle.key, expanded)
    elif isinstance(handle, wx.CollapsiblePane):
        if handle.IsExpanded() != expanded:
            handle.Collapse(not expanded)
            handle.GetParent().Layout()
            send(handle, wx.CollapsiblePaneEvent(handle, handle.GetId(), not expanded))
    elif isinstance(handle, wx.ComboBox) or is_of(handle, "ComboCtrl"):
        (handle.Popup if expanded else handle.Dismiss)()
    elif gtk is not None and (isinstance(handle, wx.Choice) or is_of(handle, "BitmapComboBox")):
        combo = gtk.first(widget_of(handle), "GtkComboBox")
        (gtk.gtk_combo_box_popup if expanded else gtk.gtk_combo_box_popdown)(combo)
    elif isinstance(handle, Widget) and _gtk().is_a(handle.at, "GtkComboBox"):
        (_gtk().gtk_combo_box_popup if expanded else _gtk().gtk_combo_box_popdown)(handle.at)
    else:
        raise ActionUnsupported(
            f"{describe(handle, registry)} cannot be opened",
            suggestions=("target a tree item, combo box or menu",),
        )


def _toggle(window: Any) -> None:
    if isinstance(window, wx.RadioButton):
        if not window.GetValue():
            window.SetValue(True)
            command(window, wx.EVT_RADIOBUTTON, 1)
        return
    if isinstance(window, wx.CheckBox):
        if window.Is3State() and window.Is3rdStateAllowedForUser():
            state = (window.Get3StateValue() + 1) % 3
            window.Set3StateValue(state)
            command(window, wx.EVT_CHECKBOX, state)
            return
        window.SetValue(not window.GetValue())
        command(window, wx.EVT_CHECKBOX, int(window.GetValue()))
        return
    window.SetValue(not window.GetValue())
    command(window, wx.EVT_TOGGLEBUTTON, int(window.GetValue()))


def _press_drawn(window: Any) -> None:
    """Press a button that is drawn in Python; most of these have an event of their own."""
    if hasattr(window, "Notify"):
        window.Notify()
    else:
        command(window, wx.EVT_BUTTON)


def _press_widget(widget: int, what: str) -> None:
    api = _gtk()
    if not api.gtk_widget_is_sensitive(widget):
        raise NotEnabled(f"{what} is not enabled", last_seen={"enabled": False})
    if api.is_a(widget, "GtkButton"):
        api.gtk_button_clicked(widget)
    elif api.is_a(widget, "GtkMenuItem"):
        api.gtk_menu_shell_activate_item(api.gtk_widget_get_parent(widget), widget, 1)
    elif not api.gtk_widget_activate(widget):
        raise ActionUnsupported(f"{what} is nothing to be pressed", suggestions=("click it",))


def _gtk() -> Gtk:
    assert gtk is not None, "only GTK has widgets that wx does not know"
    return gtk


def is_of(window: Any, *names: str) -> bool:
    """Whether a window is of a class in a module that the program may not have loaded."""
    return any(cls.__name__ in names and cls.__module__.startswith("wx.") for cls in type(window).__mro__)
