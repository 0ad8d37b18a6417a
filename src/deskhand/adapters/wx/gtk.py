"""GTK 3, which wx draws with on Linux, by ctypes: the library that is in the process already.

wx does not tell everything: native dialogs and popup menus are in no list of its own, and nothing says where
the tabs, tools and rows of native controls are. Widgets are plain numbers here, their addresses.
"""

from __future__ import annotations

import ctypes
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import wx

_TYPES: dict[str, Any] = {
    "p": ctypes.c_void_p, "i": ctypes.c_int, "s": ctypes.c_char_p, "d": ctypes.c_double, "n": None,
    "t": ctypes.c_size_t, "P": ctypes.POINTER(ctypes.c_int),
}  # fmt: skip
_FUNCTIONS = {
    "libgtk-3.so.0": """
        window_list_toplevels:p grab_get_current:p main_level:i bin_get_child:pp container_get_children:pp
        widget_get_parent:pp widget_get_window:pp widget_get_toplevel:pp widget_get_mapped:ip
        widget_get_visible:ip widget_is_sensitive:ip widget_get_allocated_width:ip
        widget_get_allocated_height:ip widget_translate_coordinates:ippiiPP widget_get_tooltip_text:pp
        widget_grab_focus:np window_get_title:sp window_get_modal:ip window_get_window_type:ip
        window_is_active:ip window_get_focus:pp window_present:np window_close:np window_resize:npii
        window_move:npii window_iconify:np window_deiconify:np window_maximize:np window_unmaximize:np
        window_is_maximized:ip button_get_label:sp button_clicked:np toggle_button_get_active:ip
        label_get_text:sp entry_get_text:sp entry_set_text:nps entry_get_visibility:ip
        entry_get_placeholder_text:sp entry_get_max_length:ip editable_get_editable:ip
        editable_set_position:npi editable_get_position:ip editable_delete_selection:np
        editable_insert_text:npsiP menu_get_attach_widget:pp menu_item_get_label:sp menu_item_get_submenu:pp
        menu_shell_activate_item:nppi check_menu_item_get_active:ip widget_activate:ip
        notebook_get_nth_page:ppi notebook_get_tab_label:ppp toolbar_get_nth_item:ppi combo_box_popup:np
        combo_box_popdown:np tree_view_get_visible_range:ippp tree_view_get_background_area:npppp
        tree_view_convert_bin_window_to_widget_coords:npiiPP tree_path_free:np tree_path_get_indices:pp
        tree_path_new_from_indices:pii file_chooser_set_filename:ips file_chooser_get_filename:pp
        file_chooser_set_current_name:nps file_chooser_get_action:ip file_chooser_set_current_folder:ips
        expander_get_label:sp progress_bar_get_fraction:dp settings_get_default:p
        settings_reset_property:nps combo_box_get_active:ip cell_view_get_model:pp
        cell_view_get_displayed_row:pp cell_layout_get_area:pp cell_layout_get_cells:pp
        cell_area_apply_attributes:npppii tree_model_get_iter:ippp window_get_default_widget:pp
        widget_get_state_flags:ip
    """,
    "libgdk-3.so.0": """
        window_get_position:npPP window_add_filter:nppp window_remove_filter:nppp display_get_default:p
        display_get_default_seat:pp seat_get_pointer:pp device_get_window_at_position:ppPP
        window_get_user_data:npp get_default_root_window:p cairo_create:pp
    """,
    "libgobject-2.0.so.0": """
        type_name_from_instance:sp type_from_name:ts type_check_instance_is_a:ipt object_get_data:pps
        object_set_data:npsp object_get:npspp object_set:npsip
    """,
    "libglib-2.0.so.0": """
        list_free:np free:np idle_add_full:iippp main_depth:i source_new:ppi source_attach:ipp
        source_set_priority:npi source_destroy:np source_unref:np
    """,
    "libcairo.so.2": "get_target:pp surface_mark_dirty:np destroy:np",
}  # fmt: skip
_PREFIXES = {"libgtk-3.so.0": "gtk_", "libgdk-3.so.0": "gdk_", "libcairo.so.2": "cairo_"}

_GENERIC_EVENT = 35
_INPUTS = {4: "press", 5: "release", 2: "key-press", 3: "key-release"}
"""Mouse and keyboard events, by the numbers that both X itself and its input extension have for them."""
_ID = b"deskhand-id"
_POPUP = 1
_ACTIVE = 1
_SAVE = 1
_CLICKS = b"gtk-double-click-time"
_ITER = 32
"""The size of a GtkTreeIter."""
_SOON = 115
"""A priority of GLib: after events and layout, and before painting, which may never end."""


class _List(ctypes.Structure):
    """A node of GList."""


_List._fields_ = [("data", ctypes.c_void_p), ("next", ctypes.POINTER(_List)), ("prev", ctypes.c_void_p)]


class _Event(ctypes.Structure):
    """The beginning of an XEvent, as far as it is the same in all that we look at."""

    _fields_ = (
        ("type", ctypes.c_int),
        ("serial", ctypes.c_ulong),
        ("send_event", ctypes.c_int),
        ("display", ctypes.c_void_p),
        ("extension", ctypes.c_int),
        ("evtype", ctypes.c_int),
    )


class _Area(ctypes.Structure):
    """GdkRectangle."""

    _fields_ = (
        ("x", ctypes.c_int),
        ("y", ctypes.c_int),
        ("width", ctypes.c_int),
        ("height", ctypes.c_int),
    )


_Source = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
_Filter = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Event), ctypes.c_void_p, ctypes.c_void_p)


class Gtk:
    """What we ask of GTK. Belongs to the GUI thread."""

    def __init__(self) -> None:
        self._names: dict[str, Any] = {}
        self._types: dict[str, int] = {}
        for library, functions in _FUNCTIONS.items():
            loaded = ctypes.CDLL(library)
            prefix = _PREFIXES.get(library, "g_")
            for signature in functions.split():
                name, _, types = signature.partition(":")
                function = getattr(loaded, prefix + name)
                function.restype = _TYPES[types[0]]
                function.argtypes = [_TYPES[letter] for letter in types[1:]]
                self._names[prefix + name] = function
        # As attributes of its own, which are found several times as fast as by __getattr__.
        vars(self).update(self._names)
        self._due: deque[Callable[[], object]] = deque()
        # Kept for good, as the next one: GLib may still call it when it is not needed any more.
        self._source = _Source(self._run_due)
        self._seen: Callable[[str], None] | None = None
        # Kept for good: GDK may be in the middle of calling it when we take it away.
        self._filter = _Filter(self._look)

    def __getattr__(self, name: str) -> Any:
        """Any of the functions, by its name in C."""
        try:
            return self._names[name]
        except KeyError:
            raise AttributeError(name) from None

    # -- the event loop --------------------------------------------------------------------------

    def call_soon(self, function: Callable[[], object]) -> None:
        """Call it from whatever event loop runs, once it has handled the events that are there.

        From any thread. Unlike wx.CallAfter, this does not make wx send idle events to every window.
        """
        self._due.append(function)
        self.g_idle_add_full(_SOON, ctypes.cast(self._source, ctypes.c_void_p), None, None)

    def _run_due(self, _: Any) -> int:
        with suppress(IndexError):
            self._due.popleft()()
        return 0  # once

    # -- windows and widgets ---------------------------------------------------------------------

    def main_level(self) -> int:
        """How many event loops are on the stack."""
        return int(self.gtk_main_level())

    def insert(self, entry: int, text: str) -> None:
        """Put text into an entry where its caret is, in place of what is selected."""
        self.gtk_editable_delete_selection(entry)
        data, at = text.encode(), ctypes.c_int(self.gtk_editable_get_position(entry))
        self.gtk_editable_insert_text(entry, data, len(data), ctypes.byref(at))
        self.gtk_editable_set_position(entry, at.value)

    def grab(self) -> int:
        """The widget that takes all input: a modal window, a menu that is open."""
        return self.gtk_grab_get_current() or 0

    def windows(self) -> list[int]:
        """Every window that is on the screen, also menus, in no order."""
        every = self._list(self.gtk_window_list_toplevels())
        return [window for window in every if self.gtk_widget_get_mapped(window)]

    def holds_a_button(self) -> bool:
        """Whether a button is down that a key pressed: only when it is up again, anything happens."""
        pressed = (
            button
            for window in self.windows()
            for button in (self.gtk_window_get_focus(window), self.gtk_window_get_default_widget(window))
            if button and self.is_a(button, "GtkButton")
        )
        return any(self.gtk_widget_get_state_flags(button) & _ACTIVE for button in pressed)

    def is_popup(self, window: int) -> bool:
        """Whether it is a menu, a tooltip or the like."""
        return int(self.gtk_window_get_window_type(window)) == _POPUP

    def children(self, widget: int) -> list[int]:
        """What is in a container, as far as it says so."""
        return (
            self._list(self.gtk_container_get_children(widget)) if self.is_a(widget, "GtkContainer") else []
        )

    def first(self, widget: int, name: str) -> int:
        """The first of a class among a widget and all in it; 0 if there is none."""
        return next((each for each in self.below(widget) if self.is_a(each, name)), 0)

    def below(self, widget: int) -> Iterator[int]:
        """A widget and all in it."""
        yield widget
        for child in self.children(widget):
            yield from self.below(child)

    def type_name(self, widget: int) -> str:
        return str(self.g_type_name_from_instance(widget).decode())

    def is_a(self, widget: int, *names: str) -> bool:
        """Whether it is of one of these classes."""
        for name in names:
            kind = self._types.get(name)
            if not kind:
                # A class has no number before the first object of it was made.
                kind = self._types[name] = self.g_type_from_name(name.encode())
            if kind and self.g_type_check_instance_is_a(widget, kind):
                return True
        return False

    def text(self, function: str, widget: int) -> str:
        """What a getter of a text gives."""
        found = self._names[function](widget)
        return found.decode(errors="replace") if found else ""

    def owned_text(self, function: str, widget: int) -> str:
        """What a getter of a text gives that is ours to free."""
        found = self._names[function](widget)
        if not found:
            return ""
        text = ctypes.string_at(found).decode(errors="replace")
        self.g_free(found)
        return text

    def tooltip(self, widget: int) -> str:
        return self.owned_text("gtk_widget_get_tooltip_text", widget)

    def chosen_file(self, chooser: int) -> str:
        """The path that a file dialog has now."""
        return self.owned_text("gtk_file_chooser_get_filename", chooser)

    def longest(self, widget: int) -> int:
        """How long a text may be that is entered; 0 if there is no limit."""
        return int(self.gtk_entry_get_max_length(widget)) if self.is_a(widget, "GtkEntry") else 0

    def expander_label(self, widget: int) -> str:
        """The caption of what opens and closes, in a widget; empty if there is none."""
        found = self.first(widget, "GtkExpander")
        return self.plain(self.text("gtk_expander_get_label", found)) if found else ""

    @staticmethod
    def plain(label: str) -> str:
        """A caption without the mark of its mnemonic."""
        return label.replace("__", "\0").replace("_", "").replace("\0", "_")

    def id_of(self, widget: int) -> int:
        """The number that we gave to it; 0 if none."""
        return self.g_object_get_data(widget, _ID) or 0

    def give_id(self, widget: int, number: int) -> None:
        """Give it a number, which it has until it is destroyed; 0 takes that away."""
        self.g_object_set_data(widget, _ID, number or None)

    def saves(self, chooser: int) -> bool:
        """Whether a file dialog asks for a file to be written."""
        return int(self.gtk_file_chooser_get_action(chooser)) == _SAVE

    # -- places ----------------------------------------------------------------------------------

    def origin(self, widget: int) -> tuple[int, int] | None:
        """Where the window of a widget begins on the screen."""
        window = self.gtk_widget_get_window(self.gtk_widget_get_toplevel(widget))
        if not window:
            return None
        x, y = ctypes.c_int(), ctypes.c_int()
        # As the display told it last. To ask it takes longer than all else.
        self.gdk_window_get_position(window, x, y)
        return x.value, y.value

    def within(self, widget: int, top: int) -> tuple[int, int] | None:
        """Where a widget is in a window; None while it has no place there."""
        x, y = ctypes.c_int(), ctypes.c_int()
        return (x.value, y.value) if self.gtk_widget_translate_coordinates(widget, top, 0, 0, x, y) else None

    def size(self, widget: int) -> tuple[int, int]:
        return self.gtk_widget_get_allocated_width(widget), self.gtk_widget_get_allocated_height(widget)

    def bounds(self, widget: int) -> tuple[int, int, int, int] | None:
        """A widget's rectangle on the screen; None if it is not there."""
        if not self.gtk_widget_get_mapped(widget):
            return None
        top = self.gtk_widget_get_toplevel(widget)
        origin, at = self.origin(top), self.within(widget, top)
        if origin is None or at is None:
            return None
        return origin[0] + at[0], origin[1] + at[1], *self.size(widget)

    def under_pointer(self) -> int:
        """The widget of this program that the pointer is over; 0 if it is over something else."""
        display = self.gdk_display_get_default()
        pointer = self.gdk_seat_get_pointer(self.gdk_display_get_default_seat(display))
        window = self.gdk_device_get_window_at_position(pointer, None, None)
        if not window:
            return 0
        widget = ctypes.c_void_p()
        self.gdk_window_get_user_data(window, ctypes.addressof(widget))
        return widget.value or 0

    def look_at_screen_again(self) -> None:
        """Let what is read from the screen be its current content: Cairo keeps a copy of what it saw last."""
        drawing = self.gdk_cairo_create(self.gdk_get_default_root_window())
        self.cairo_surface_mark_dirty(self.cairo_get_target(drawing))
        self.cairo_destroy(drawing)

    # -- rows of native lists --------------------------------------------------------------------

    def tree_view(self, widget: int) -> int:
        """The GtkTreeView in a widget; 0 if there is none."""
        return self.first(widget, "GtkTreeView")

    def visible_rows(self, view: int) -> tuple[int, int] | None:
        """The first and the last row of a flat list that are on the screen."""
        first, last = ctypes.c_void_p(), ctypes.c_void_p()
        if not self.gtk_tree_view_get_visible_range(view, ctypes.addressof(first), ctypes.addressof(last)):
            return None
        rows = []
        for path in (first, last):
            indices = ctypes.cast(self.gtk_tree_path_get_indices(path), ctypes.POINTER(ctypes.c_int))
            rows.append(indices[0])
            self.gtk_tree_path_free(path)
        return rows[0], rows[1]

    def row_bounds(self, view: int, row: int) -> tuple[int, int, int, int] | None:
        """The rectangle on the screen of a row of a flat list."""
        place = self.bounds(view)
        path = self.gtk_tree_path_new_from_indices(row, -1)
        area, x, y = _Area(), ctypes.c_int(), ctypes.c_int()
        self.gtk_tree_view_get_background_area(view, path, None, ctypes.addressof(area))
        self.gtk_tree_path_free(path)
        self.gtk_tree_view_convert_bin_window_to_widget_coords(view, 0, area.y, x, y)
        if place is None or not area.height:
            return None
        return place[0], place[1] + y.value, place[2], area.height

    def drawn_text(self, item: int) -> str:
        """The text of an entry in the list of a combo box, which is drawn; empty for any other entry."""
        view = self.first(item, "GtkCellView")
        path = self.gtk_cell_view_get_displayed_row(view) if view else None
        if not path:
            return ""
        model, row = self.gtk_cell_view_get_model(view), ctypes.create_string_buffer(_ITER)
        found = self.gtk_tree_model_get_iter(model, row, path)
        self.gtk_tree_path_free(path)
        if not found:
            return ""
        self.gtk_cell_area_apply_attributes(self.gtk_cell_layout_get_area(view), model, row, 0, 0)
        texts = []
        for cell in self._list(self.gtk_cell_layout_get_cells(view)):
            if self.is_a(cell, "GtkCellRendererText"):
                text = ctypes.c_void_p()
                self.g_object_get(cell, b"text", ctypes.byref(text), None)
                if text.value:
                    texts.append(ctypes.string_at(text.value).decode(errors="replace"))
                    self.g_free(text)
        return " ".join(texts)

    # -- input -----------------------------------------------------------------------------------

    def double_click_time(self) -> float:
        """How soon a second click makes a double click, in seconds."""
        time = ctypes.c_int()
        self.g_object_get(self.gtk_settings_get_default(), _CLICKS, ctypes.byref(time), None)
        return time.value / 1000

    def count_clicks(self, count: bool) -> None:
        """Whether a click that comes soon after another makes a double click."""
        if count:
            self.gtk_settings_reset_property(self.gtk_settings_get_default(), _CLICKS)
        else:
            self.g_object_set(self.gtk_settings_get_default(), _CLICKS, 0, None)

    def watch(self, seen: Callable[[str], None]) -> None:
        """Tell of each mouse and key event that comes from the display, until `unwatch`."""
        if self._seen is None:
            self.gdk_window_add_filter(None, ctypes.cast(self._filter, ctypes.c_void_p), None)
        self._seen = seen

    def unwatch(self) -> None:
        if self._seen is not None:
            self._seen = None
            self.gdk_window_remove_filter(None, ctypes.cast(self._filter, ctypes.c_void_p), None)

    def _look(self, event: Any, *_: Any) -> int:
        seen, kind = self._seen, event[0].type
        if seen is not None:
            what = _INPUTS.get(event[0].evtype if kind == _GENERIC_EVENT else kind)
            if what is not None:
                seen(what)
        return 0  # go on with it

    def _list(self, first: int | None) -> list[int]:
        found: list[int] = []
        if not first:
            return found
        at: Any = ctypes.cast(first, ctypes.POINTER(_List))
        while at:
            found.append(at.contents.data)
            at = at.contents.next
        self.g_list_free(first)
        return found


def _load() -> Gtk | None:
    if "gtk3" not in wx.PlatformInfo:
        return None
    return Gtk()


gtk = _load()
"""None where wx draws with something else."""


def widget_of(window: Any) -> int:
    """The widget of a wx window; 0 if it has none."""
    return int(window.GetGtkWidget() or 0)
