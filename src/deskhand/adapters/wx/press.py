"""Doing what a control is for, without the mouse: the command event that its user would cause. GUI thread."""

from __future__ import annotations

import sys
from typing import Any

import wx

from ...model.errors import NotEnabled
from ..performer import cannot_expand, cannot_press, cannot_tick
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
        tick(handle, registry, not handle.GetValue())
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
        raise cannot_press(describe(handle, registry))


def tick(handle: Handle, registry: Registry, checked: bool) -> None:
    """Tick or untick something that is not so yet. A radio button cannot be unticked, which does nothing."""
    if isinstance(handle, Part):
        parts.of(handle, registry).tick(handle.window, handle.key, checked)
    elif isinstance(handle, Widget):
        _press_widget(handle.at, describe(handle, registry))
    elif isinstance(handle, wx.CheckBox):
        if handle.Is3State():
            handle.Set3StateValue(wx.CHK_CHECKED if checked else wx.CHK_UNCHECKED)
        else:
            handle.SetValue(checked)
        command(handle, wx.EVT_CHECKBOX, int(checked))
    elif isinstance(handle, (wx.RadioButton, wx.ToggleButton)):
        _toggle(handle)
    elif is_of(handle, "GenCheckBox", "__ToggleMixin"):
        handle.SetValue(checked)
        if is_of(handle, "GenCheckBox"):
            command(handle, wx.EVT_CHECKBOX, int(checked))
        else:
            _press_drawn(handle)
    else:
        raise cannot_tick(describe(handle, registry))


def expand(handle: Handle, registry: Registry, expanded: bool) -> None:
    """Open or close it."""
    if isinstance(handle, Part):
        parts.of(handle, registry).expand(handle.window, handle.key, expanded)
    elif isinstance(handle, wx.CollapsiblePane):
        handle.Collapse(not expanded)
        handle.GetParent().Layout()
        send(handle, wx.CollapsiblePaneEvent(handle, handle.GetId(), not expanded))
    elif isinstance(handle, wx.ComboBox) or is_of(handle, "ComboCtrl"):
        (handle.Popup if expanded else handle.Dismiss)()
    elif (combo := _gtk_combo(handle)) and gtk is not None:
        (gtk.gtk_combo_box_popup if expanded else gtk.gtk_combo_box_popdown)(combo)
    else:
        raise cannot_expand(describe(handle, registry))


def _gtk_combo(handle: Handle) -> int:
    """The combo box of GTK that a handle is; 0 if it is none."""
    if gtk is None:
        return 0
    if isinstance(handle, Widget):
        return handle.at if gtk.is_a(handle.at, "GtkComboBox") else 0
    if isinstance(handle, wx.Choice) or is_of(handle, "BitmapComboBox"):
        return gtk.first(widget_of(handle), "GtkComboBox")
    return 0


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
        raise cannot_press(what)


def _gtk() -> Gtk:
    assert gtk is not None, "only GTK has widgets that wx does not know"
    return gtk


def is_of(window: Any, *names: str) -> bool:
    """Whether a window is of a class in a module that the program may not have loaded."""
    return any(cls.__name__ in names and cls.__module__.startswith("wx.") for cls in type(window).__mro__)
