"""What a widget does itself when it is pressed, opened or closed. Everything here is on the GUI thread."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...model.errors import Stale
from ..performer import cannot_tick
from . import choose, views
from .handles import Handle, Registry
from .library import THREE, Gtk, children

Act = Callable[[], Any]


def press(handle: Handle, registry: Registry, what: str) -> Act | None:
    """What presses it; None for what cannot be pressed."""
    widget = handle.widget
    if handle.part:
        return _press_part(handle, registry, what)
    if THREE and isinstance(widget, Gtk.MenuItem):
        shell = widget.get_parent()
        if shell.get_mapped() and isinstance(shell, Gtk.Menu):
            return lambda: shell.activate_item(widget, True)
        return lambda: widget.activate()
    if THREE and isinstance(widget, Gtk.ToolButton):
        return lambda: widget.emit("clicked")
    if isinstance(widget, Gtk.Switch):
        return lambda: widget.set_active(not widget.get_active())
    if not THREE and isinstance(widget, Gtk.CheckButton):
        return lambda: _toggle_check(widget)
    if not THREE and isinstance(widget, Gtk.MenuButton):
        return lambda: widget.popup()
    if isinstance(widget, Gtk.Button) or widget.__gtype__.name == "GtkModelButton":
        return lambda: widget.emit("clicked")
    if isinstance(widget, (Gtk.ComboBox, Gtk.Expander)) or _opens(widget):
        return expand(handle, registry, True)
    if isinstance(widget, (Gtk.ListBoxRow, Gtk.FlowBoxChild)):
        box = widget.get_parent()
        return lambda: choose.choose_row(box, widget, False, what)
    if widget.__gtype__.name == "GtkColumnViewTitle":
        return None
    inner = next((child for child in children(widget) if isinstance(child, Gtk.Button)), None)
    if inner is not None and handle.known.kind.leaf and handle.known.kind.role in ("button", "color-well"):
        return lambda: inner.emit("clicked")
    return None


def _opens(widget: Any) -> bool:
    return not THREE and isinstance(widget, Gtk.DropDown)


def _toggle_check(widget: Any) -> None:
    if widget.get_inconsistent():
        widget.set_inconsistent(False)
    is_radio = children(widget)[0].get_css_name() == "radio"
    widget.set_active(True if is_radio else not widget.get_active())


def _press_part(handle: Handle, registry: Registry, what: str) -> Act | None:
    widget = handle.widget
    if handle.part == "tab":
        at = choose.tab_index(handle, registry.by_uid(handle.key))
        if at < 0:
            raise Stale(f"the tab (uid {handle.uid}) is gone", target=f"uid={handle.uid}")
        return lambda: widget.set_current_page(at)
    if isinstance(widget, Gtk.TreeView):
        path = views.path_of(handle)
        column = handle.key.partition("/")[2]
        return lambda: choose.choose_path(widget, path, int(column) if column else None, False, what)
    item = item_number(handle, registry)
    return lambda: choose.choose_item(widget, item, False, what)


def item_number(handle: Handle, registry: Registry) -> int:
    """The number of the item of a row of GTK 4 now; Stale if it is gone."""
    item = registry.by_uid(handle.key)
    at = None if item is None else views.index_of(handle.widget, item)
    if at is None:
        raise Stale(f"the row (uid {handle.uid}) is gone", target=f"uid={handle.uid}")
    return at


def toggle_cell(handle: Handle, what: str) -> Act:
    """What ticks a cell of a tree view."""
    view = handle.widget
    if isinstance(view, Gtk.TreeView):
        path, column = views.path_of(handle), views.column_of(handle)
        for one in column.get_cells():
            if isinstance(one, Gtk.CellRendererToggle) and one.get_property("activatable"):
                return lambda: one.emit("toggled", ":".join(map(str, path)))
    raise cannot_tick(what)


def expand(handle: Handle, registry: Registry, expanded: bool) -> Act | None:
    """What opens or closes it; None for what cannot be."""
    widget = handle.widget
    if handle.part == "row" and isinstance(widget, Gtk.TreeView):
        path = Gtk.TreePath(views.path_of(handle))
        if not widget.get_model().iter_has_child(widget.get_model().get_iter(path)):
            return None
        if expanded:
            return lambda: widget.expand_row(path, False)
        return lambda: widget.collapse_row(path)
    if handle.part == "row":
        at = item_number(handle, registry)
        row = next((row for number, row in views.list_rows(widget) if number == at), None)
        found = None if row is None else views.opens(widget.get_model().get_item(at), row)
        return None if found is None or not found.is_expandable() else lambda: found.set_expanded(expanded)
    if handle.part:
        return None
    if isinstance(widget, Gtk.Expander):
        return lambda: widget.set_expanded(expanded)
    if isinstance(widget, Gtk.ComboBox):
        return (lambda: widget.popup()) if expanded else (lambda: widget.popdown())
    if isinstance(widget, Gtk.MenuButton):
        if THREE:
            return lambda: widget.set_active(expanded)
        return (lambda: widget.popup()) if expanded else (lambda: widget.popdown())
    if _opens(widget):
        popover = next(child for child in children(widget) if isinstance(child, Gtk.Popover))
        if not expanded:
            return lambda: popover.popdown()
        button = next(child for child in children(widget) if isinstance(child, Gtk.ToggleButton))
        return lambda: button.set_active(True)
    return None


def opener_of(widget: Any) -> Any:
    """What opens the menu that an entry is in, while that is closed; None if it is open, or in no menu."""
    if THREE:
        if not isinstance(widget, Gtk.MenuItem):
            return None
        menu = widget.get_parent()
        if not isinstance(menu, Gtk.Menu) or menu.get_mapped():
            return None
        return menu.get_attach_widget()
    popover = widget.get_ancestor(Gtk.Popover)
    if popover is None or popover.get_mapped():
        return None
    opener = popover.get_parent()
    while opener is not None and opener.__gtype__.name not in _OPENERS:
        opener = opener.get_parent()
    return opener


_OPENERS = ("GtkPopoverMenuBarItem", "GtkModelButton", "GtkMenuButton")
