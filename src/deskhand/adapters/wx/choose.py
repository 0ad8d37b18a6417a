"""What a control offers, chosen with the event that its user would cause. On the GUI thread."""

from __future__ import annotations

from typing import Any

import wx

from ...model.record import dataclass
from ..choices import Choice, worth
from ..performer import Offer, Options
from . import parts
from .drawn import Rows, command
from .gtk import gtk, widget_of
from .handles import Handle, Part, Registry
from .names import describe
from .press import is_of, press


def offer(handle: Handle, registry: Registry) -> Offer | None:
    """What a handle offers; None if that is nothing."""
    if isinstance(handle, Part):
        return parts.of(handle, registry).offer(handle.window, handle.key)
    if isinstance(handle, (wx.Choice, wx.ComboBox)) or is_of(handle, "OwnerDrawnComboBox", "BitmapComboBox"):
        return _items(handle, describe(handle, registry))
    if isinstance(handle, wx.ComboCtrl):
        return _popup(handle, registry)
    if not isinstance(handle, wx.Window):
        return None
    family = parts.family(registry.know(handle).kind)
    if family is not None:
        return family.offer(handle, None)
    radios = [child for child in _all_below(handle) if isinstance(child, wx.RadioButton)]
    choices = [
        Choice(at, radio.GetLabelText(), radio.GetName(), radio.IsEnabled())
        for at, radio in enumerate(radios)
    ]
    what = describe(handle, registry)
    return Options(what, choices, lambda choice, _: press(radios[choice.index], registry)) if radios else None


def is_choice(handle: Handle) -> bool:
    """Whether its value is one of its options, and nothing else."""
    return isinstance(handle, wx.Choice) or (
        isinstance(handle, wx.ComboBox) and bool(handle.GetWindowStyleFlag() & wx.CB_READONLY)
    )


def _items(window: Any, what: str) -> Offer:
    data = window.HasClientData()
    choices = [
        Choice(at, text, worth(window.GetClientData(at)) if data else None)
        for at, text in enumerate(window.GetStrings())
    ]

    def choose(choice: Choice, _extend: bool) -> None:
        if gtk is not None and (combo := gtk.first(widget_of(window), "GtkComboBox")):
            gtk.gtk_combo_box_popdown(combo)
        window.SetSelection(choice.index)
        is_choice = isinstance(window, wx.Choice) and not isinstance(window, wx.ComboBox)
        command(window, wx.EVT_CHOICE if is_choice else wx.EVT_COMBOBOX, choice.index, choice.text)

    return Options(what, choices, choose)


def _popup(combo: Any, registry: Registry) -> Offer | None:
    """The list, table or tree that a combo box of the program's own shows."""
    popup = combo.GetPopupControl()
    control = None if popup is None else popup.GetControl()
    family = None if control is None else parts.family(registry.know(control).kind)
    return None if family is None else _InPopup(family, control, describe(combo, registry), combo)


@dataclass(frozen=True)
class _InPopup(Rows):
    combo: Any = None

    def choose(self, choice: Choice, extend: bool) -> None:
        self.combo.SetValueByUser(choice.text)


def _all_below(window: Any) -> list[Any]:
    found = []
    for child in window.GetChildren():
        found.append(child)
        found += _all_below(child)
    return found
