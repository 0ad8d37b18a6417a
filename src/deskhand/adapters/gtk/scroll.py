"""Scrolling to widgets and rows. Everything here is on the GUI thread."""

from __future__ import annotations

from typing import Any

from ...model.operations import Select
from ..performer import no_row, no_rows
from . import choose, press, views
from .handles import Handle, Registry
from .kinds import text_in
from .library import THREE, GLib, Gtk, address, box_in, children


def into_view(handle: Handle, registry: Registry) -> None:
    """Scroll all that is around it, so that it is shown."""
    widget = handle.widget
    if handle.part in ("row", "cell"):
        if isinstance(widget, Gtk.TreeView):
            column = views.column_of(handle) if handle.part == "cell" else None
            widget.scroll_to_cell(Gtk.TreePath(views.path_of(handle)), column, False, 0, 0)
        else:
            _show_item(widget, press.item_number(handle, registry))
    inner = widget
    above = widget.get_parent()
    while above is not None:
        if isinstance(above, Gtk.ScrolledWindow):
            _scroll(above, inner)
        above = above.get_parent()


def _scroll(area: Any, widget: Any) -> None:
    """Move what is in a scrolled window, so that a widget in it is within its bounds."""
    shown = area.get_child()
    if shown is widget:
        return
    box = box_in(address(widget), address(area))
    if box is None:
        return
    x, y, width, height = box
    for limits, at, size, room in (
        (area.get_hadjustment(), x, width, _size(area)[0]),
        (area.get_vadjustment(), y, height, _size(area)[1]),
    ):
        page = limits.get_page_size() or room
        start = limits.get_value() + at
        limits.clamp_page(start, min(start + size, start + page))


def _size(widget: Any) -> tuple[int, int]:
    if THREE:
        return widget.get_allocated_width(), widget.get_allocated_height()
    return widget.get_width(), widget.get_height()


def to_row(handle: Handle, what: str, row: int | None, text: str | None) -> views.Path | None:
    """Scroll a list to a row; of a tree view, which moves there step by step, the path of the row."""
    widget = handle.widget
    wanted = Select(index=row) if row is not None else Select(text=text)
    if handle.part:
        raise no_rows(what)
    if isinstance(widget, Gtk.TreeView):
        found = choose.path_at(widget, wanted)
        if found is None:
            raise no_row(what, row, text, views.count(widget))
        widget.scroll_to_cell(Gtk.TreePath(found[1]), None, False, 0, 0)
        return found[1]
    if not THREE and isinstance(widget, (Gtk.ListBase, Gtk.ColumnView)):
        count = widget.get_model().get_n_items() if widget.get_model() is not None else 0
        at = choose.item_at(widget, wanted, count)
        if at is None:
            raise no_row(what, row, text, count)
        _show_item(widget, at)
    elif isinstance(widget, (Gtk.ListBox, Gtk.FlowBox)):
        rows = [row for row in children(widget) if isinstance(row, (Gtk.ListBoxRow, Gtk.FlowBoxChild))]
        at = row if row is not None else next((n for n, one in enumerate(rows) if text_in(one) == text), None)
        if at is None or not 0 <= at < len(rows):
            raise no_row(what, row, text, len(rows))
        above = widget.get_parent()
        while above is not None:
            if isinstance(above, Gtk.ScrolledWindow):
                _scroll(above, rows[at])
            above = above.get_parent()
    else:
        raise no_rows(what)
    return None


def position(handle: Handle) -> float:
    """How far down a tree view is scrolled."""
    return float(handle.widget.get_vadjustment().get_value())


def again(handle: Handle, path: views.Path) -> bool:
    """Scroll a tree view once more if it does not show the row; false if it does.

    The rows on the way are measured while it moves, and the row is then further away than it was thought.
    """
    if path in views.visible(handle.widget):
        return False
    handle.widget.scroll_to_cell(Gtk.TreePath(path), None, False, 0, 0)
    return True


def first_shown(handle: Handle) -> int | None:
    """The first item of a list of GTK 4 that has a row; None for other widgets."""
    view = handle.widget
    if THREE or handle.part or not isinstance(view, (Gtk.ListBase, Gtk.ColumnView)):
        return None
    rows = views.list_rows(view)
    return rows[0][0] if rows else None


def find(handle: Handle, text: str) -> int | None:
    """The number of the item with a text, as far as that is known now."""
    return choose.item_at(handle.widget, Select(text=text), 0)


def is_known(handle: Handle, text: str) -> bool:
    """Whether the item is there, or all items say what they are called and none is called so."""
    return find(handle, text) is not None or all(views.item_texts(handle.widget))


def following(handle: Handle, at: int) -> int | None:
    """The item after those that have rows now; None at the end."""
    rows = views.list_rows(handle.widget)
    after = max(rows[-1][0] if rows else at, at) + 1
    return after if after < handle.widget.get_model().get_n_items() else None


def show(handle: Handle, at: int) -> None:
    """Scroll a list of GTK 4 to an item."""
    _show_item(handle.widget, at)


def _show_item(view: Any, at: int) -> None:
    views.list_in(view).activate_action("list.scroll-to-item", GLib.Variant("u", at))
