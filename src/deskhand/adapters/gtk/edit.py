"""Replacing values. On the GUI thread, as actions: what the program does in answer may open a dialog."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

from ...model.errors import ActionFailed, InvalidParams, NotEnabled
from ...model.node import Node
from ..performer import no_value, number_within, read_only
from . import views
from .handles import Handle
from .library import THREE, Gio, GLib, Gtk


def editable_of(widget: Any) -> Any:
    """What takes the text of a widget; None if it takes none."""
    if isinstance(widget, Gtk.ComboBox):
        return widget.get_child() if widget.get_has_entry() else None
    return widget if isinstance(widget, (Gtk.TextView, Gtk.Editable)) else None


def set_value(handle: Handle, node: Node, value: str) -> None:
    """Replace the value of a field, a spin box, a slider, a date or a cell."""
    what, widget = str(node), handle.widget
    if not node.enabled:
        raise NotEnabled(f"{what} is not enabled")
    if handle.part in ("cell", "row"):
        _set_cell(handle, what, value)
        return
    if isinstance(widget, (Gtk.SpinButton, Gtk.Range)) and not isinstance(widget, Gtk.Scrollbar):
        if not node.editable:
            raise read_only(what)
        widget.set_value(number_within(value, node.minimum, node.maximum, what))
        return
    if isinstance(widget, Gtk.Calendar):
        _set_date(widget, value, what)
        return
    if isinstance(widget, Gtk.FileChooser):
        _set_file(widget, value)
        return
    editable = editable_of(widget)
    if editable is None:
        raise no_value(what)
    if not node.editable:
        raise read_only(what)
    if isinstance(editable, Gtk.TextView):
        editable.get_buffer().set_text(value)
        return
    editable.set_text(value)
    if editable.get_text() != value:
        shown = "this value" if node.password else repr(value)
        raise ActionFailed(f"{what} does not accept {shown}: its program refused it")


def _set_cell(handle: Handle, what: str, value: str) -> None:
    view = handle.widget
    if not isinstance(view, Gtk.TreeView):
        raise read_only(what)
    path, column = views.path_of(handle), views.column_of(handle)
    if not views.cell(view, column, path).editable:
        raise read_only(what)
    text = next(one for one in column.get_cells() if isinstance(one, Gtk.CellRendererText))
    # What GTK sends when its user has edited the cell.
    text.emit("edited", ":".join(map(str, path)), value)
    now = views.cell(view, column, path).text
    if now != value:
        raise ActionFailed(f"{what} shows {now!r} after it was set to {value!r}: its program decides that")


def _set_date(widget: Any, value: str, what: str) -> None:
    try:
        day = datetime.date.fromisoformat(value.strip())
    except ValueError:
        raise InvalidParams(
            f"{value!r} is not a date such as 2026-01-31, as {what} needs one", field="value"
        ) from None
    if THREE:
        widget.select_month(day.month - 1, day.year)
        widget.select_day(day.day)
    else:
        widget.select_day(GLib.DateTime.new_local(day.year, day.month, day.day, 0, 0, 0))


def _set_file(chooser: Any, value: str) -> None:
    """Name the file that a file dialog is about."""
    path = Path(value)
    saves = chooser.get_action() == Gtk.FileChooserAction.SAVE
    if saves:
        if THREE:
            chooser.set_current_folder(str(path.parent))
        else:
            chooser.set_current_folder(Gio.File.new_for_path(str(path.parent)))
        chooser.set_current_name(path.name)
        return
    if not path.exists():
        raise ActionFailed(f"there is no file {value!r}", suggestions=("name one that exists",))
    if THREE:
        chooser.set_filename(value)
    else:
        chooser.set_file(Gio.File.new_for_path(value))


def insert(widget: Any, node: Node, text: str) -> None:
    """Put a text where the cursor is, as if it were pasted."""
    if not node.editable:
        raise read_only(str(node))
    if isinstance(widget, Gtk.TextView):
        widget.get_buffer().delete_selection(True, True)
        widget.get_buffer().insert_at_cursor(text)
        return
    widget.delete_selection()
    widget.set_position(widget.insert_text(text, widget.get_position()))


def select_all(widget: Any) -> bool:
    """Select all that is in a field; False if there is nothing."""
    if isinstance(widget, Gtk.TextView):
        buffer = widget.get_buffer()
        buffer.select_range(buffer.get_start_iter(), buffer.get_end_iter())
        return bool(buffer.get_char_count())
    widget.select_region(0, -1)
    return bool(widget.get_text())


def to_end(widget: Any) -> None:
    """Let what is typed next come at the end."""
    if isinstance(widget, Gtk.TextView):
        widget.get_buffer().place_cursor(widget.get_buffer().get_end_iter())
    else:
        widget.set_position(-1)
