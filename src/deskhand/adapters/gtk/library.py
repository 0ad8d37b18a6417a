"""GTK as the program has it loaded, version 3 or 4, and the few calls in which both differ.

Nothing else here imports `gi`. What a read asks of each widget goes to the same library by ctypes where
PyGObject would make an object of the answer: that takes ten times as long.
"""

from __future__ import annotations

import ctypes
import itertools
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gi

from ...model.errors import ActionFailed
from ...model.node import Rect


def _loaded() -> str:
    """The version that is in this process: never the other one too, which would end the program."""
    for line in Path("/proc/self/maps").read_text(encoding="utf-8").splitlines():
        for version in ("4", "3"):
            if f"libgtk-{version}.so" in line:
                return version
    raise ActionFailed("this program has not loaded GTK")


VERSION = int(_loaded())
with warnings.catch_warnings():
    # A program that required no version got one all the same.
    warnings.simplefilter("ignore")
    for _name in ("Gdk", "Gtk", "GdkX11"):
        gi.require_version(_name, f"{VERSION}.0")
    from gi.repository import Gdk, GdkX11, Gio, GLib, GObject, Gtk

THREE = VERSION == 3
NUMBER = f"{Gtk.get_major_version()}.{Gtk.get_minor_version()}.{Gtk.get_micro_version()}"
__all__ = ["NUMBER", "THREE", "VERSION", "GLib", "GObject", "Gdk", "GdkX11", "Gio", "Gtk"]

_gtk = ctypes.CDLL("libgtk-3.so.0" if THREE else "libgtk-4.so.1")
_gobject = ctypes.CDLL("libgobject-2.0.so.0")
_glib = ctypes.CDLL("libglib-2.0.so.0")


class _Float4(ctypes.Structure):
    """graphene_rect_t."""

    _fields_ = (
        ("x", ctypes.c_float),
        ("y", ctypes.c_float),
        ("width", ctypes.c_float),
        ("height", ctypes.c_float),
    )


_box = _Float4()
_at_box = ctypes.addressof(_box)
_x, _y = ctypes.c_int(), ctypes.c_int()
_at_x, _at_y = ctypes.addressof(_x), ctypes.addressof(_y)


def _function(library: Any, name: str, result: Any, *takes: Any) -> Any:
    found = getattr(library, name)
    found.restype, found.argtypes = result, takes
    return found


_P, _I = ctypes.c_void_p, ctypes.c_int
if THREE:
    _translate = _function(_gtk, "gtk_widget_translate_coordinates", _I, _P, _P, _I, _I, _P, _P)
    _width = _function(_gtk, "gtk_widget_get_allocated_width", _I, _P)
    _height = _function(_gtk, "gtk_widget_get_allocated_height", _I, _P)
else:
    _bounds = _function(_gtk, "gtk_widget_compute_bounds", _I, _P, _P, _P)
_private = _function(_gobject, "g_type_instance_get_private", _P, _P, ctypes.c_size_t)


def address(thing: Any) -> int:
    """Where the object of GTK is that a Python object stands for."""
    return hash(thing)


def box_in(widget: int, top: int) -> tuple[int, int, int, int] | None:
    """The rectangle of a widget as its window has it, both by their addresses."""
    if THREE:
        if not _translate(widget, top, 0, 0, _at_x, _at_y):
            return None
        return _x.value, _y.value, _width(widget), _height(widget)
    if not _bounds(widget, top, _at_box):
        return None
    x, y = round(_box.x), round(_box.y)
    return x, y, round(_box.x + _box.width) - x, round(_box.y + _box.height) - y


def children(widget: Any) -> list[Any]:
    """What is in a widget, inner parts included as far as GTK gives them."""
    if THREE:
        if not isinstance(widget, Gtk.Container):
            return []
        listed: list[Any] = widget.get_children()
        # The only one that has them in the opposite order.
        return listed[::-1] if isinstance(widget, Gtk.Grid) else listed
    found = []
    child = widget.get_first_child()
    while child is not None:
        found.append(child)
        child = child.get_next_sibling()
    return found


def every_child(widget: Any) -> list[Any]:
    """The same with those that a container of GTK 3 does not give freely."""
    found: list[Any] = []
    if THREE:
        if isinstance(widget, Gtk.Container):
            widget.forall(found.append)
        return found
    return children(widget)


def toplevels() -> list[Any]:
    """Every window of the program, menus of GTK 3 included."""
    if THREE:
        return Gtk.Window.list_toplevels()  # type: ignore[no-any-return]
    listed = Gtk.Window.get_toplevels()
    return [listed.get_item(at) for at in range(listed.get_n_items())]


def frame_clocks() -> set[Any]:
    """What says when the windows are laid out that the display shows."""
    found = set()
    for top in toplevels():
        clock = top.get_frame_clock() if top.get_mapped() else None
        if clock is not None and not is_minimized(top):
            found.add(clock)
    return found


def is_minimized(top: Any) -> bool:
    if THREE:
        surface = top.get_window()
        return surface is not None and bool(surface.get_state() & 2)  # GDK_WINDOW_STATE_ICONIFIED
    surface = top.get_surface()
    return surface is not None and hasattr(surface, "get_state") and bool(surface.get_state() & 1)


def native_of(widget: Any) -> Any:
    """The window, or in GTK 4 the popover, that a widget is in; None if it is in none."""
    if THREE:
        top = widget.get_toplevel()
        return top if isinstance(top, Gtk.Window) else None
    return widget.get_native()


def window_of(widget: Any) -> Any:
    """The window that a widget is in, through popovers; None if it is in none."""
    if THREE:
        return native_of(widget)
    root = widget.get_root()
    return root if isinstance(root, Gtk.Window) else None


def xid(native: Any) -> int:
    """What the display calls a window or popover; 0 if it is not on X11, or has none yet."""
    surface = native.get_window() if THREE else native.get_surface()
    return int(surface.get_xid()) if surface is not None and hasattr(surface, "get_xid") else 0


def inner_offset(native: Any) -> tuple[int, int]:
    """Where the content of a GTK 4 window begins in that of the display: there may be a shadow around it."""
    if THREE:
        return 0, 0
    x, y = native.get_surface_transform()
    return round(x), round(y)


def scale() -> int:
    """How many pixels of the display GTK takes for one of its own."""
    display = Gdk.Display.get_default()
    monitor = display.get_monitor(0) if THREE else display.get_monitors().get_item(0)
    return 1 if monitor is None else int(monitor.get_scale_factor())


def on_screen(native: Any) -> tuple[int, int] | None:
    """Where GTK 3 believes its window to be."""
    surface = native.get_window()
    if surface is None:
        return None
    found = surface.get_position()
    return int(found[0]), int(found[1])


def waiting() -> object:
    """What may wait for its user: an event loop of its own, what takes all input, the windows shown."""
    shown = frozenset(hash(top) for top in toplevels() if top.get_mapped())
    if THREE:
        return Gtk.main_level(), hash(Gtk.grab_get_current()), shown
    return shown


def focused() -> Any:
    """The widget with the focus, in the window that has the keyboard."""
    for top in toplevels():
        if top.is_active() and top.get_mapped():
            return top.get_focus()
    return None


def plain(label: str) -> str:
    """A caption without the mark of its mnemonic."""
    return label.replace("__", "\0").replace("_", "").replace("\0", "_")


def row_position(row: Any, item_at: Callable[[int], Any]) -> int | None:
    """The number of the item that a row of a GTK 4 list shows; None if it shows none.

    The row itself does not say. It keeps its item, and next to that the number, which is believed if the list
    has that very item at that number.
    """
    kind = GObject.type_from_name(_ROW_CLASS) if _ROW_CLASS else None
    if kind is None:
        return None
    own = address(row)
    start = _private(own, hash(kind))
    if not start or not 0 < own - start < _MOST_PRIVATE:
        return None
    words = (ctypes.c_uint64 * min((own - start) // 8, _WORDS)).from_address(start)
    number: int
    for item, number in itertools.pairwise(words):
        at = int(number) & _NO_POSITION
        if item and at != _NO_POSITION:
            found = item_at(at)
            if found is not None and address(found) == item:
                return at
    return None


_MOST_PRIVATE, _WORDS, _NO_POSITION = 4096, 8, 0xFFFFFFFF
_ROW_CLASSES = ("GtkListItemBase", "GtkListItemWidget")
"""What has the item of a row, in newer versions of GTK 4 and in older ones."""


def _row_class() -> str:
    for name in _ROW_CLASSES:
        try:
            GObject.type_from_name(name)
        except RuntimeError:
            continue
        return name
    return ""


_ROW_CLASS = ""


def know_rows() -> None:
    """A class of GTK has no name before the first object of it was made."""
    global _ROW_CLASS
    _ROW_CLASS = _ROW_CLASS or _row_class()


def rect(area: tuple[int, int, int, int]) -> Rect:
    return tuple.__new__(Rect, area)
