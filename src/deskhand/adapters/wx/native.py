"""Windows that wx does not list, read from GTK: native dialogs for messages and files, popup menus, and the
lists of combo boxes while they are open.

Boxes and the like, which only arrange others, are not elements; they are listed with the inner parts.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from ...model.node import MASK, Node, Window
from .gtk import Gtk
from .handles import Registry
from .place import Fields, Place

_ROLES = (
    ("GtkCheckMenuItem", "menu-item-checkbox"), ("GtkSeparatorMenuItem", "separator"),
    ("GtkMenuItem", "menu-item"), ("GtkTreeMenu", "list"), ("GtkMenu", "menu"), ("GtkRadioButton", "radio"),
    ("GtkCheckButton", "checkbox"), ("GtkSwitch", "switch"), ("GtkToggleButton", "toggle-button"),
    ("GtkFileChooserButton", "button"), ("GtkMenuButton", "button"), ("GtkColorButton", "color-well"),
    ("GtkFontButton", "button"), ("GtkLinkButton", "link"), ("GtkButton", "button"),
    ("GtkSpinButton", "spin-button"), ("GtkSearchEntry", "search-input"), ("GtkEntry", "textfield"),
    ("GtkLabel", "text"), ("GtkImage", "image"), ("GtkComboBox", "combo-box"), ("GtkTreeView", "table"),
    ("GtkListBoxRow", "list-item"), ("GtkListBox", "list"), ("GtkTextView", "editable-text"),
    ("GtkNotebook", "tab-list"), ("GtkProgressBar", "progress-indicator"), ("GtkScale", "slider"),
    ("GtkSeparator", "separator"), ("GtkScrollbar", "scroll-bar"), ("GtkColorSwatch", "radio"),
    ("GtkDialog", "dialog"), ("GtkWindow", "window"),
)  # fmt: skip
_LEAVES = (
    "GtkButton", "GtkEntry", "GtkLabel", "GtkImage", "GtkComboBox", "GtkTreeView", "GtkSeparatorMenuItem",
)  # fmt: skip
_IGNORED = ("GtkTooltipWindow", "GtkTreeMenu")


def windows(gtk: Gtk, listed: Iterable[int]) -> list[int]:
    """The windows on the screen that wx does not list: dialogs first, then menus."""
    known = set(listed)
    found = []
    for window in gtk.windows():
        if window in known or gtk.type_name(window) in _IGNORED:
            continue
        child = gtk.gtk_bin_get_child(window)
        if gtk.is_popup(window):
            # A menu of the menu bar is read with that.
            if child and gtk.is_a(child, "GtkMenu") and _is_free(gtk, child):
                found.append(window)
        elif child:
            found.append(window)
    return sorted(found, key=lambda window: (gtk.is_popup(window), gtk.id_of(window) or 10**9))


def shows_popup(gtk: Gtk) -> bool:
    """Whether there is a window without a frame that is not a menu: wx has it, and does not list it."""
    for window in gtk.windows():
        if gtk.is_popup(window) and gtk.type_name(window) not in _IGNORED:
            child = gtk.gtk_bin_get_child(window)
            if child and not gtk.is_a(child, "GtkMenu"):
                return True
    return False


def _is_free(gtk: Gtk, menu: int) -> bool:
    """Whether a menu was popped up by itself or by a combo box, or belongs to one that was."""
    while True:
        opener = gtk.gtk_menu_get_attach_widget(menu)
        if not opener or gtk.is_a(opener, "GtkComboBox"):
            return True
        if not gtk.is_a(opener, "GtkMenuItem"):
            return False
        menu = gtk.gtk_widget_get_parent(opener)
        if not menu or not gtk.is_a(menu, "GtkMenu"):
            return False


def read(gtk: Gtk, registry: Registry, window: int, out: list[Node], depth: int, internals: bool) -> Window:
    """Put the nodes of a window there, and say what it is."""
    popup = gtk.is_popup(window)
    top = (gtk.gtk_bin_get_child(window) or window) if popup else window
    build = _Build(gtk, registry, out, depth, internals)
    fields = build.node(top, Place({"uid": None}, (0, 0), level=-1))
    fields.pop("parent", None)
    modal = bool(gtk.gtk_window_get_modal(window)) and not popup
    title = gtk.text("gtk_window_get_title", window)
    if modal:
        fields["modal"] = True
    if title:
        fields["name"] = title
    registry.label(fields["uid"], f'{fields["role"]} "{title}"')
    build.below(top, fields)
    return Window(
        uid=fields["uid"],
        title=title or None,
        pid=os.getpid(),
        kind="popup" if popup else "dialog",
        bounds=fields.get("bounds"),
        focused=bool(gtk.gtk_window_is_active(window)),
        modal=modal,
    )


def focused(gtk: Gtk, registry: Registry) -> str | None:
    """The uid of the widget with the focus, in a window that is active."""
    for window in gtk.windows():
        if gtk.gtk_window_is_active(window) and (widget := gtk.gtk_window_get_focus(window)):
            return registry.widget(widget, gtk) if gtk.id_of(widget) else None
    return None


def modal_title(gtk: Gtk, listed: Iterable[int]) -> str | None:
    """What the native dialog is called that takes all input, if there is one: of several, the last."""
    for window in reversed(windows(gtk, listed)):
        if not gtk.is_popup(window) and gtk.gtk_window_get_modal(window):
            return gtk.text("gtk_window_get_title", window) or gtk.type_name(window)
    return None


class _Build:
    """Builds the nodes of one window."""

    def __init__(self, gtk: Gtk, registry: Registry, out: list[Node], depth: int, internals: bool) -> None:
        self._gtk = gtk
        self._registry = registry
        self._out = out
        self._depth = depth
        self._internals = internals
        self._level = 0

    def below(self, widget: int, fields: Fields, level: int = 0) -> None:
        """Put what is in a widget below its node."""
        place = Place(fields, (0, 0), level=level)
        self._children(widget, place)
        if place.count:
            fields["child_count"] = place.count

    def node(self, widget: int, place: Place) -> Fields:
        """Put the node of a widget there."""
        gtk = self._gtk
        kind = gtk.type_name(widget)
        role = _role(gtk, widget)
        fields: Fields = {
            "uid": self._registry.widget(widget, gtk),
            "role": role or "generic",
            "native_class": kind,
        }
        _fill(gtk, widget, fields)
        node = place.put(fields, gtk.bounds(widget))
        if not gtk.gtk_widget_get_visible(widget):
            fields["visible"] = False
            fields.pop("offscreen", None)
        if not gtk.gtk_widget_is_sensitive(widget):
            fields["enabled"] = False
        if role is None:
            fields["internal"] = True
        self._registry.label(fields["uid"], f'{fields["role"]} "{fields.get("name") or kind}"')
        self._out.append(node)
        return fields

    def _children(self, widget: int, place: Place) -> None:
        gtk = self._gtk
        if place.level >= self._depth or gtk.is_a(widget, *_LEAVES):
            return
        last: Fields | None = None
        for child in gtk.children(widget):
            if _role(gtk, child) is None and not self._internals:
                inside = Place(place.fields, (0, 0), level=place.level)
                inside.visible = place.visible and bool(gtk.gtk_widget_get_visible(child))
                before = len(self._out)
                self._children(child, inside)
                place.count += sum(1 for node in self._out[before:] if node.parent == place.uid)
                continue
            fields = self.node(child, place)
            if fields["role"] == "text":
                last = fields
            elif last is not None and "name" not in fields and fields["role"] in ("textfield", "combo-box"):
                fields["name"] = last.get("name", "").rstrip(":") or None
                if fields["name"] is None:
                    del fields["name"]
            self.below(child, fields, place.level + 1)
            if gtk.is_a(child, "GtkMenuItem") and (menu := gtk.gtk_menu_item_get_submenu(child)):
                fields["expanded"] = bool(gtk.gtk_widget_get_mapped(menu))


def role(gtk: Gtk, widget: int) -> str:
    """The role of a widget, as selectors spell it."""
    fields: Fields = {"role": _role(gtk, widget) or "generic"}
    _fill(gtk, widget, fields)
    return str(fields["role"])


def _role(gtk: Gtk, widget: int) -> str | None:
    return next((role for name, role in _ROLES if gtk.is_a(widget, name)), None)


def _fill(gtk: Gtk, widget: int, fields: Fields) -> None:
    role = fields["role"]
    if role in ("button", "toggle-button", "checkbox", "radio", "link") and gtk.is_a(widget, "GtkButton"):
        # What is shown, first: the label of a stock button is its id.
        _named(fields, _inner_text(gtk, widget) or gtk.plain(gtk.text("gtk_button_get_label", widget)))
        fields["actions"] = ("press", "focus")
        fields["focusable"] = True
        if role in ("toggle-button", "checkbox", "radio"):
            fields["checked"] = bool(gtk.gtk_toggle_button_get_active(widget))
            fields["actions"] = ("press", "toggle", "focus")
    elif gtk.is_a(widget, "GtkEntry"):
        text = gtk.text("gtk_entry_get_text", widget)
        if not gtk.gtk_entry_get_visibility(widget):
            text = MASK if text else ""
            fields["password"] = True
        fields["value"] = text
        fields["focusable"] = True
        fields["editable"] = bool(gtk.gtk_editable_get_editable(widget))
        fields["actions"] = ("set-value", "focus")
        if hint := gtk.text("gtk_entry_get_placeholder_text", widget):
            fields["placeholder"] = fields["name"] = hint
    elif gtk.is_a(widget, "GtkLabel"):
        _named(fields, gtk.text("gtk_label_get_text", widget))
    elif gtk.is_a(widget, "GtkMenuItem") and (text := gtk.drawn_text(widget)):
        _named(fields, text)
        fields["role"] = "list-item"
        fields["actions"] = ("press",)
        menu = gtk.gtk_widget_get_parent(widget)
        chosen = gtk.gtk_combo_box_get_active(gtk.gtk_menu_get_attach_widget(menu))
        fields["selected"] = widget == dict(enumerate(gtk.children(menu))).get(chosen)
    elif gtk.is_a(widget, "GtkMenuItem") and role != "separator":
        _named(fields, _inner_text(gtk, widget) or gtk.plain(gtk.text("gtk_menu_item_get_label", widget)))
        fields["actions"] = ("press",)
        if role == "menu-item-checkbox":
            fields["checked"] = bool(gtk.gtk_check_menu_item_get_active(widget))
            if gtk.is_a(widget, "GtkRadioMenuItem"):
                fields["role"] = "menu-item-radio"
    elif role == "list-item":
        _named(fields, _inner_text(gtk, widget))
    elif gtk.is_a(widget, "GtkFileChooserDialog"):
        fields["value"] = gtk.chosen_file(widget)
        fields["editable"] = True
        fields["actions"] = ("set-value",)
    elif role == "combo-box":
        fields["actions"] = ("press", "expand", "focus")
        fields["focusable"] = True
    elif role == "progress-indicator" and gtk.is_a(widget, "GtkProgressBar"):
        fields["number"] = gtk.gtk_progress_bar_get_fraction(widget)


def _named(fields: Fields, text: str) -> None:
    if text:
        fields["name"] = fields["text"] = text


def _inner_text(gtk: Gtk, widget: int) -> str:
    """The text of the label inside a button or an entry of a menu."""
    for inner in gtk.below(widget):
        if gtk.is_a(inner, "GtkLabel") and (text := gtk.text("gtk_label_get_text", inner)):
            return text
    return gtk.tooltip(widget)
