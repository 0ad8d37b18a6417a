"""Choosing an option, with the event that its user would cause. On the GUI thread."""

from __future__ import annotations

from typing import Any

import wx

from ...model.errors import NotEditable
from ...model.operations import Select
from ..choices import Choice, insist, no_options, selected, worth
from . import parts
from .drawn import command
from .gtk import gtk, widget_of
from .handles import Handle, Part, Registry
from .names import describe
from .press import is_of, press


def select(handle: Handle, registry: Registry, action: Select) -> dict[str, object]:
    """Choose, and answer with what is chosen now."""
    if isinstance(handle, Part):
        family = parts.of(handle, registry)
        if action.index is None and action.text is None and action.value is None:
            family.choose(handle.window, handle.key, action.extend)
            return {}
        return dict(family.select(handle.window, action, handle.key))
    if isinstance(handle, (wx.Choice, wx.ComboBox)) or is_of(handle, "OwnerDrawnComboBox", "BitmapComboBox"):
        return _in_items(handle, action, describe(handle, registry))
    if isinstance(handle, wx.ComboCtrl):
        return _in_popup(handle, registry, action)
    if isinstance(handle, wx.Window):
        family_of = parts.family(registry.know(handle).kind)
        if family_of is not None:
            return dict(family_of.select(handle, action, None))
        radios = [child for child in _all_below(handle) if isinstance(child, wx.RadioButton)]
        if radios:
            return _in_radios(handle, registry, action, radios)
    raise no_options(describe(handle, registry))


def _in_items(window: Any, action: Select, what: str) -> dict[str, object]:
    data = window.HasClientData()
    choices = [
        Choice(at, text, worth(window.GetClientData(at)) if data else None)
        for at, text in enumerate(window.GetStrings())
    ]
    choice = insist(action, what, choices)
    if gtk is not None and (combo := gtk.first(widget_of(window), "GtkComboBox")):
        gtk.gtk_combo_box_popdown(combo)
    window.SetSelection(choice.index)
    is_choice = isinstance(window, wx.Choice) and not isinstance(window, wx.ComboBox)
    command(window, wx.EVT_CHOICE if is_choice else wx.EVT_COMBOBOX, choice.index, choice.text)
    return selected(choice)


def _in_popup(combo: Any, registry: Registry, action: Select) -> dict[str, object]:
    """Choose from the list, table or tree that a combo box of the program's own shows."""
    popup = combo.GetPopupControl()
    control = None if popup is None else popup.GetControl()
    family = None if control is None else parts.family(registry.know(control).kind)
    wanted = action.text if action.text is not None else action.value
    key = None if family is None else family.row(control, action.index, wanted)
    if family is None or key is None:
        what = describe(combo, registry)
        raise NotEditable(
            f"{what} has no option {wanted if action.index is None else action.index!r} that could be told",
            suggestions=("click it, and what it shows then",),
        )
    text = family.text(control, key)
    combo.SetValueByUser(text)
    return selected(Choice(int(key) if key.isdecimal() else 0, text))


def _in_radios(group: Any, registry: Registry, action: Select, radios: list[Any]) -> dict[str, object]:
    choices = [
        Choice(at, radio.GetLabelText(), radio.GetName(), radio.IsEnabled())
        for at, radio in enumerate(radios)
    ]
    choice = insist(action, describe(group, registry), choices)
    press(radios[choice.index], registry)
    return selected(choice)


def _all_below(window: Any) -> list[Any]:
    found = []
    for child in window.GetChildren():
        found.append(child)
        found += _all_below(child)
    return found
