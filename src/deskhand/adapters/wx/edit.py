"""Setting a text or value at once, with the event that its user would cause. On the GUI thread."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import wx

from ...model.errors import ActionFailed, InvalidParams
from .. import performer
from ..performer import no_value, number_within, read_only, time_of_day, whole_number
from . import parts
from .drawn import command, send
from .gtk import gtk, widget_of
from .handles import Handle, Part, Registry, Widget
from .names import describe
from .press import is_of


def set_value(handle: Handle, registry: Registry, value: str) -> None:
    """Replace what a handle holds."""
    what = describe(handle, registry)
    if isinstance(handle, Part):
        parts.of(handle, registry).set_value(handle.window, handle.key, value)
    elif isinstance(handle, Widget):
        _set_widget(handle.at, value, what)
    elif is_of(handle, "SpinCtrl", "SpinCtrlDouble", "Slider", "SpinButton", "ScrollBar"):
        _set_number(handle, value, what)
    elif is_of(handle, "FloatSpin"):
        _set_float(handle, value, what)
    elif is_of(handle, "DatePickerCtrl", "GenericDatePickerCtrl", "CalendarCtrl", "GenericCalendarCtrl"):
        _set_date(handle, value, what)
    elif is_of(handle, "TimePickerCtrl"):
        _set_time(handle, value, what)
    elif is_of(handle, "StyledTextCtrl"):
        _insist(not handle.GetReadOnly(), what)
        handle.SetText(value)
    elif is_of(handle, "FilePickerCtrl", "DirPickerCtrl", "ColourPickerCtrl", "FontPickerCtrl"):
        _set_picker(handle, value)
    elif isinstance(handle, wx.TextEntry) or is_of(handle, "ComboCtrl", "SearchCtrl", "RichTextCtrl"):
        _set_text(handle, value, what)
    else:
        raise no_value(what)


def insert(text: str) -> str:
    """Put text where the caret is, as an input method does; says how that was done."""
    window = wx.Window.FindFocus()
    if isinstance(window, wx.TextEntry) or is_of(window, "RichTextCtrl", "ComboCtrl", "SearchCtrl"):
        _insist(window.IsEditable() if hasattr(window, "IsEditable") else True, window.GetClassName())
        window.WriteText(text)
        return "put in at the caret at once, as an input method does"
    if is_of(window, "StyledTextCtrl"):
        window.ReplaceSelection(text)
        return "put in at the caret at once, as an input method does"
    if window is None:
        _insert_native(text)
        return "put in at once: the dialog is not wx's"
    for character in text:
        event = wx.KeyEvent(wx.EVT_CHAR.typeId)
        event.SetUnicodeKey(ord(character))
        event.SetKeyCode(ord(character) if ord(character) < 0x7F else wx.WXK_NONE)
        send(window, event)
    return "sent as character events: the keyboard has no such keys"


def to_end(window: Any) -> None:
    """Move the caret behind the text."""
    if isinstance(window, wx.TextEntry) or is_of(window, "RichTextCtrl", "ComboCtrl", "SearchCtrl"):
        window.SetInsertionPointEnd()
    elif is_of(window, "StyledTextCtrl"):
        window.DocumentEnd()


def _insert_native(text: str) -> None:
    if gtk is not None:
        for window in gtk.windows():
            widget = gtk.gtk_window_get_focus(window) if gtk.gtk_window_is_active(window) else None
            if widget and gtk.is_a(widget, "GtkEntry"):
                gtk.insert(widget, text)
                return
    raise ActionFailed("nothing has the keyboard focus", suggestions=("focus a field first",))


def _set_text(window: Any, value: str, what: str) -> None:
    _insist(window.IsEditable() if hasattr(window, "IsEditable") else True, what)
    # What its program sets has no limit in wx, but what its user enters has.
    limit = 0 if gtk is None else gtk.longest(widget_of(window))
    if isinstance(window, wx.TextCtrl) and isinstance(window.GetValue(), (int, float)):
        _set_numeral(window, value, what)
        return
    window.SetValue(value[:limit] if limit else value)
    to_end(window)
    held = window.GetValue()
    if held != value:
        secret = window.GetWindowStyleFlag() & wx.TE_PASSWORD and isinstance(window, wx.TextCtrl)
        was = "" if secret else f" of {value!r}; it holds {held!r}"
        raise ActionFailed(f"{what} did not take all{was}: it has a limit or a validator")


def _set_numeral(window: Any, value: str, what: str) -> None:
    """Set a field of wx.lib that holds a number, and not the text of one."""
    number = performer.number(value, what)
    window.SetValue(int(number) if isinstance(window.GetValue(), int) else number)
    if window.GetValue() != number:
        raise ActionFailed(f"{what} did not take {value}; it holds {window.GetValue()}")


def _set_float(window: Any, value: str, what: str) -> None:
    window.SetValue(number_within(value, window.GetMin(), window.GetMax(), what))
    window.DoSendEvent()


def _set_number(window: Any, value: str, what: str) -> None:
    if is_of(window, "ScrollBar"):
        low, high = 0, window.GetRange() - window.GetThumbSize()
    else:
        low, high = window.GetMin(), window.GetMax()
    number = number_within(value, low, high, what)
    if is_of(window, "SpinCtrlDouble"):
        window.SetValue(number)
        event = wx.SpinDoubleEvent(wx.EVT_SPINCTRLDOUBLE.typeId, window.GetId(), number)
        send(window, event)
        return
    whole = whole_number(number, what)
    if is_of(window, "Slider"):
        window.SetValue(whole)
        for binder in (wx.EVT_SCROLL_THUMBTRACK, wx.EVT_SCROLL_THUMBRELEASE, wx.EVT_SCROLL_CHANGED):
            orientation = wx.VERTICAL if window.GetWindowStyleFlag() & wx.SL_VERTICAL else wx.HORIZONTAL
            send(window, wx.ScrollEvent(binder.typeId, window.GetId(), whole, orientation))
        command(window, wx.EVT_SLIDER, whole)
    elif is_of(window, "SpinCtrl"):
        window.SetValue(whole)
        event = wx.SpinEvent(wx.EVT_SPINCTRL.typeId, window.GetId())
        event.SetPosition(whole)
        event.SetString(str(whole))
        send(window, event)
    elif is_of(window, "ScrollBar"):
        window.SetThumbPosition(whole)
        orientation = wx.VERTICAL if window.GetWindowStyleFlag() & wx.SB_VERTICAL else wx.HORIZONTAL
        send(window, wx.ScrollEvent(wx.EVT_SCROLL_CHANGED.typeId, window.GetId(), whole, orientation))
    else:
        window.SetValue(whole)
        event = wx.SpinEvent(wx.EVT_SPIN.typeId, window.GetId())
        event.SetPosition(whole)
        send(window, event)


def _set_date(window: Any, value: str, what: str) -> None:
    day = wx.DateTime()
    if not day.ParseISODate(value.strip()):
        raise InvalidParams(f"{value!r} is not a date such as 2026-01-31, which {what} needs", field="value")
    adv = sys.modules["wx.adv"]
    if is_of(window, "CalendarCtrl", "GenericCalendarCtrl"):
        if not window.SetDate(day):
            raise ActionFailed(f"{what} does not let {value} be chosen")
        send(window, adv.CalendarEvent(window, day, adv.EVT_CALENDAR_SEL_CHANGED.typeId))
        return
    window.SetValue(day)
    if window.GetValue().FormatISODate() != day.FormatISODate():
        raise ActionFailed(f"{what} does not let {value} be chosen")
    send(window, adv.DateEvent(window, day, adv.EVT_DATE_CHANGED.typeId))


def _set_time(window: Any, value: str, what: str) -> None:
    window.SetTime(*time_of_day(value, what))
    adv = sys.modules["wx.adv"]
    send(window, adv.DateEvent(window, window.GetValue(), adv.EVT_TIME_CHANGED.typeId))


def _set_picker(window: Any, value: str) -> None:
    if is_of(window, "ColourPickerCtrl"):
        colour = wx.Colour()
        if not colour.Set(value):
            raise InvalidParams(f"{value!r} is not a colour such as #ff8000 or red", field="value")
        window.SetColour(colour)
        send(window, wx.ColourPickerEvent(window, window.GetId(), colour))
    elif is_of(window, "FontPickerCtrl"):
        font = wx.Font()
        if not font.SetNativeFontInfoUserDesc(value):
            raise InvalidParams(f"{value!r} is not a font such as 'Sans 12'", field="value")
        window.SetSelectedFont(font)
        send(window, wx.FontPickerEvent(window, window.GetId(), font))
    else:
        binder = wx.EVT_FILEPICKER_CHANGED if is_of(window, "FilePickerCtrl") else wx.EVT_DIRPICKER_CHANGED
        window.SetPath(value)
        send(window, wx.FileDirPickerEvent(binder.typeId, window, window.GetId(), value))


def _set_widget(widget: int, value: str, what: str) -> None:
    assert gtk is not None, "only GTK has widgets that wx does not know"
    if gtk.is_a(widget, "GtkEntry"):
        _insist(bool(gtk.gtk_editable_get_editable(widget)), what)
        gtk.gtk_entry_set_text(widget, value.encode())
        gtk.gtk_editable_set_position(widget, -1)
    elif gtk.is_a(widget, "GtkFileChooser"):
        path = Path(value)
        if gtk.saves(widget):
            gtk.gtk_file_chooser_set_current_folder(widget, str(path.parent.absolute()).encode())
            gtk.gtk_file_chooser_set_current_name(widget, path.name.encode())
        elif not path.exists():
            raise ActionFailed(f"there is no file {value!r} to be opened")
        else:
            gtk.gtk_file_chooser_set_filename(widget, str(path.absolute()).encode())
    else:
        raise no_value(what)


def _insist(editable: bool, what: str) -> None:
    if not editable:
        raise read_only(what)
