"""What each kind of widget is: its role, what can be done to it, and how it says what it shows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ...model.node import MASK, Option
from ...model.record import dataclass
from .library import THREE, GObject, Gtk, children, plain

Fields = dict[str, Any]
Read = Callable[[Any, Fields], None]
"""Puts what a widget says of itself into the fields of its node."""

TEXT_KEPT = 20_000
"""How much is read of a long text."""
OPTIONS_KEPT = 100
_DEEP, _WIDE = 5, 20
"""How deep and wide a control is searched for the texts in it."""

_PRESS = ("press", "focus")
_EDIT = ("set-value", "focus")
_STEP = ("set-value", "increment", "decrement", "focus")
_CHOOSE = ("press", "select", "expand", "focus")
_TICK = ("press", "toggle", "focus")
_OPEN = ("press", "expand", "focus")
_VIEW = ("select", "scroll", "focus")


@dataclass(frozen=True, eq=False)
class Kind:
    """What widgets of a kind have in common."""

    role: str
    read: Read | None = None
    actions: tuple[str, ...] = ()
    leaf: bool = False
    """Whether all that is in it is an inner part."""
    parts: str = ""
    """What is in it in addition to its children, or in place of them: see `read`."""
    field: bool = False
    """Whether it has no caption of its own, and is called by the label next to it."""
    label: bool = False
    """Whether it names what is next to it."""
    clips: bool = False
    """Whether what is in it may be scrolled out of sight."""
    internal: bool = False
    """Whether its user does not think of it as an element."""
    focusable: bool = False


# -- texts ---------------------------------------------------------------------------------------


def text_in(widget: Any, deep: int = _DEEP) -> str:
    """The texts of the labels in a widget."""
    found = []
    for child in children(widget)[:_WIDE]:
        if isinstance(child, Gtk.Label):
            if child.get_visible() and (text := child.get_text()):
                found.append(text)
        elif deep and child.get_visible() and (text := text_in(child, deep - 1)):
            found.append(text)
    return " ".join(found)


def named(fields: Fields, text: str | None) -> None:
    if text:
        fields["name"] = fields["text"] = text


def cut(text: str) -> str:
    return text if len(text) <= TEXT_KEPT else text[:TEXT_KEPT] + "…"


def called(widget: Any, fields: Fields) -> None:
    """Name a control that shows no text: by its tooltip, or by what a screen reader says."""
    if "name" in fields:
        return
    name = widget.get_tooltip_text()
    if not name and THREE:
        accessible = widget.get_accessible()
        name = accessible.get_name() if accessible is not None else None
    if name:
        fields["name"] = fields["labelled_by"] = name


def _caption(widget: Any) -> str:
    child = widget.get_child()
    if isinstance(child, Gtk.Label):
        return str(child.get_text())
    if child is not None and (text := text_in(widget)):
        return text
    return plain(widget.get_label() or "") if child is None and hasattr(widget, "get_label") else ""


# -- what each says ------------------------------------------------------------------------------


def _button(widget: Any, fields: Fields) -> None:
    named(fields, _caption(widget))
    called(widget, fields)


def _toggle(widget: Any, fields: Fields) -> None:
    _button(widget, fields)
    fields["checked"] = bool(widget.get_active())
    if THREE and widget.get_inconsistent():
        fields["checked"], fields["mixed"] = False, True


def _check(widget: Any, fields: Fields) -> None:
    if THREE:
        _toggle(widget, fields)
        return
    # It is a radio button as soon as it is in a group, which only its indicator shows.
    inner = children(widget)
    if inner and inner[0].get_css_name() == "radio":
        fields["role"], fields["actions"] = "radio", ("press", "select", "focus")
    named(fields, plain(widget.get_label() or "") if widget.get_use_underline() else widget.get_label())
    if "name" not in fields:
        named(fields, text_in(widget))
    called(widget, fields)
    fields["checked"] = bool(widget.get_active())
    if widget.get_inconsistent():
        fields["checked"], fields["mixed"] = False, True


def _switch(widget: Any, fields: Fields) -> None:
    fields["checked"] = bool(widget.get_active())
    called(widget, fields)


def _menu_button(widget: Any, fields: Fields) -> None:
    if THREE:
        _button(widget, fields)
        fields["expanded"] = bool(widget.get_active())
    else:
        named(fields, plain(widget.get_label() or "") or text_in(children(widget)[0]))
        called(widget, fields)
        popover = widget.get_popover()
        fields["expanded"] = popover is not None and bool(popover.get_mapped())


def _tool(widget: Any, fields: Fields) -> None:
    named(fields, plain(widget.get_label() or "") if widget.get_use_underline() else widget.get_label())
    called(widget, fields)
    if isinstance(widget, Gtk.ToggleToolButton):
        fields["checked"] = bool(widget.get_active())


def _label(widget: Any, fields: Fields) -> None:
    named(fields, widget.get_text())


def _entry(widget: Any, fields: Fields) -> None:
    text = widget.get_text()
    masked = hasattr(widget, "get_visibility") and not widget.get_visibility()
    if masked or isinstance(widget, PASSWORDS):
        fields["password"] = True
        text = MASK if text else ""
    fields["value"] = cut(text)
    _edits(widget, fields)
    if not isinstance(widget, PASSWORDS) and hasattr(widget, "get_placeholder_text"):
        hint = widget.get_placeholder_text()
        if hint:
            fields["placeholder"] = hint


PASSWORDS: tuple[Any, ...] = () if THREE else (Gtk.PasswordEntry,)


def _edits(widget: Any, fields: Fields) -> None:
    if widget.get_editable():
        fields["editable"] = True
    else:
        fields["text"], fields["actions"] = fields["value"], ("focus",)


def _spin(widget: Any, fields: Fields) -> None:
    fields["value"] = widget.get_text()
    fields["number"] = widget.get_value()
    fields["minimum"], fields["maximum"] = widget.get_range()
    _edits(widget, fields)


def _scale(widget: Any, fields: Fields) -> None:
    value, limits = widget.get_value(), widget.get_adjustment()
    fields["value"], fields["number"] = f"{value:.10g}", value
    fields["minimum"], fields["maximum"] = limits.get_lower(), limits.get_upper()
    fields["editable"] = True


def _scroll_bar(widget: Any, fields: Fields) -> None:
    limits = widget.get_adjustment()
    fields["value"], fields["number"] = f"{limits.get_value():.10g}", limits.get_value()
    fields["minimum"] = limits.get_lower()
    fields["maximum"] = max(limits.get_lower(), limits.get_upper() - limits.get_page_size())


def _progress(widget: Any, fields: Fields) -> None:
    fields["number"], fields["minimum"], fields["maximum"] = widget.get_fraction(), 0.0, 1.0
    fields["value"] = f"{widget.get_fraction():.4g}"
    if widget.get_show_text() and (text := widget.get_text()):
        fields["text"] = text


def _level(widget: Any, fields: Fields) -> None:
    fields["number"], fields["minimum"] = widget.get_value(), widget.get_min_value()
    fields["maximum"], fields["value"] = widget.get_max_value(), f"{widget.get_value():.10g}"


def _text(widget: Any, fields: Fields) -> None:
    buffer = widget.get_buffer()
    start = buffer.get_start_iter()
    end = (
        buffer.get_end_iter()
        if buffer.get_char_count() <= TEXT_KEPT
        else buffer.get_iter_at_offset(TEXT_KEPT)
    )
    more = "" if end.is_end() else "…"
    fields["value"] = buffer.get_text(start, end, True) + more
    _edits(widget, fields)


def _calendar(widget: Any, fields: Fields) -> None:
    if THREE:
        year, month, day = widget.get_date()
        fields["value"] = f"{year:04}-{month + 1:02}-{day:02}"
    else:
        fields["value"] = widget.get_date().format("%Y-%m-%d")
    fields["editable"] = True


def _frame(widget: Any, fields: Fields) -> None:
    name = widget.get_label()
    if name:
        fields["name"] = fields["text"] = plain(name)


def _expander(widget: Any, fields: Fields) -> None:
    named(fields, plain(widget.get_label() or ""))
    fields["expanded"] = bool(widget.get_expanded())


def _list_row(widget: Any, fields: Fields) -> None:
    if text := text_in(widget):
        fields["name"] = fields["text"] = text
    fields["selected"] = bool(widget.is_selected())


def _menu_item(widget: Any, fields: Fields) -> None:
    text = text_in(widget)
    if not text and isinstance(widget, Gtk.MenuItem):
        text = plain(widget.get_label() or "")
    if widget.get_submenu() is not None:
        fields["role"], fields["actions"] = "menu", ("press", "expand")
        fields["expanded"] = bool(widget.get_submenu().get_mapped())
    if isinstance(widget, Gtk.SeparatorMenuItem) or not (text or widget.get_submenu() or children(widget)):
        fields["role"], fields["actions"] = "separator", ()
        return
    if isinstance(widget, Gtk.CheckMenuItem):
        roles = ("menu-item", "menu-item-checkbox", "menu-item-radio")
        role = 2 if isinstance(widget, Gtk.RadioMenuItem) else 1
        if widget.__gtype__.name == "GtkModelMenuItem":
            # Every entry of a menu from a model is of the class of check boxes. Its own property says nothing
            role = _MODEL_ROLES.get(widget.get_accessible().get_role().value_nick, 0)
        fields["role"] = roles[role]
        if role:
            fields["checked"] = bool(widget.get_active())
            fields["actions"] = ("press", "toggle")
    named(fields, text)


_MODEL_ROLES = {"check-menu-item": 1, "radio-menu-item": 2}


def _model_button(widget: Any, fields: Fields) -> None:
    named(fields, plain(widget.get_property("text") or ""))
    role = int(widget.get_property("role"))
    below = widget.get_property("menu-name") or (None if THREE else widget.get_property("popover"))
    if below:
        fields["role"], fields["actions"] = "menu", ("press", "expand")
        if not isinstance(below, str):
            fields["expanded"] = bool(below.get_mapped())
    elif role in (1, 2):
        fields["role"] = ("", "menu-item-checkbox", "menu-item-radio")[role]
        fields["checked"] = bool(widget.get_property("active"))
        fields["actions"] = ("press", "toggle")


def _bar_item(widget: Any, fields: Fields) -> None:
    named(fields, text_in(widget, 0))
    fields["expanded"] = _has_open(widget)


def _has_open(widget: Any) -> bool:
    """Whether what a widget of GTK 4 opens is open."""
    return any(inner.get_mapped() for inner in children(widget) if isinstance(inner, Gtk.Popover))


def _combo(widget: Any, fields: Fields) -> None:
    choices, at = combo_options(widget), widget.get_active()
    _options(fields, choices, at)
    fields["expanded"] = bool(widget.get_property("popup-shown"))
    if widget.get_has_entry():
        entry = widget.get_child()
        fields["value"] = entry.get_text()
        if entry.get_editable():
            fields["editable"], fields["actions"] = True, (*_CHOOSE, "set-value")


def _drop_down(widget: Any, fields: Fields) -> None:
    at = widget.get_selected()
    _options(fields, [(text, None) for text in drop_down_options(widget)], at)
    if "value" not in fields and (text := text_in(widget, 3)):
        fields["value"] = text
    fields["expanded"] = _has_open(widget)


def _options(fields: Fields, choices: Sequence[tuple[str, str | None]], at: int) -> None:
    fields["options"] = tuple(
        Option(index, text, value, index == at) for index, (text, value) in enumerate(choices[:OPTIONS_KEPT])
    )
    if len(choices) > OPTIONS_KEPT:
        fields["options_count"] = len(choices)
    if 0 <= at < len(choices):
        fields["value"] = choices[at][0]


def combo_options(widget: Any) -> list[tuple[str, str | None]]:
    """The texts of a combo box, and the values that the program gave them."""
    model = widget.get_model()
    if model is None:
        return []
    ids = widget.get_id_column()
    if widget.get_has_entry() and widget.get_entry_text_column() >= 0:
        column = widget.get_entry_text_column()
        return [(str(row[column] or ""), row[ids] if ids >= 0 else None) for row in model]
    area = widget.get_area()
    shown = next((cell for cell in widget.get_cells() if isinstance(cell, Gtk.CellRendererText)), None)
    found = []
    for row in model:
        text = ""
        if shown is not None:
            area.apply_attributes(model, row.iter, False, False)
            text = shown.get_property("text") or ""
        found.append((text, row[ids] if ids >= 0 else None))
    return found


def drop_down_options(widget: Any) -> list[str]:
    """The texts of a drop-down of GTK 4, as far as they are known without opening it."""
    model = widget.get_model()
    if model is None:
        return []
    try:
        expression = widget.get_expression()
    except TypeError:
        # Fallback: PyGObject has no object for a function in C; then an item is called as it says itself.
        expression = None
    return [item_text(model.get_item(at), expression) for at in range(model.get_n_items())]


def item_text(item: Any, expression: Any = None) -> str:
    """What an item of a list is called, if it says so."""
    if isinstance(item, Gtk.StringObject):
        return str(item.get_string())
    if expression is not None:
        value = GObject.Value(GObject.TYPE_STRING)
        if expression.evaluate(item, value):
            return str(value.get_string() or "")
    return next(own_texts(item), "")


def own_texts(item: Any) -> Iterator[str]:
    """The texts among the properties of an item."""
    kind = item.__gtype__.name
    names = _texts.get(kind)
    if names is None:
        readable = [one for one in item.list_properties() if one.flags & 1]
        names = _texts[kind] = [one.name for one in readable if one.value_type == GObject.TYPE_STRING]
    for name in names:
        if text := item.get_property(name):
            yield str(text)


_texts: dict[str, list[str]] = {}
"""Which properties of each class are texts."""


# -- the table -----------------------------------------------------------------------------------

_GENERIC = Kind("generic")
_GROUP = Kind("group")
_INNER = Kind("generic", internal=True)
_TOOLBAR = Kind("toolbar")
_TOOLTIP = Kind("tooltip", internal=True, leaf=True)

KINDS = {
    "GtkWidget": _GENERIC,
    "GtkButton": Kind("button", _button, _PRESS, leaf=True, focusable=True),
    "GtkToggleButton": Kind("toggle-button", _toggle, _TICK, leaf=True, focusable=True),
    "GtkCheckButton": Kind("checkbox", _check, _TICK, leaf=True, focusable=True),
    "GtkRadioButton": Kind("radio", _toggle, ("press", "select", "focus"), leaf=True, focusable=True),
    "GtkSwitch": Kind("switch", _switch, _TICK, leaf=True, field=True, focusable=True),
    "GtkLinkButton": Kind("link", _button, _PRESS, leaf=True, focusable=True),
    "GtkMenuButton": Kind("button", _menu_button, _OPEN, parts="popup", focusable=True),
    "GtkColorButton": Kind("color-well", None, _PRESS, leaf=True, field=True, focusable=True),
    "GtkColorDialogButton": Kind("color-well", None, _PRESS, leaf=True, field=True, focusable=True),
    "GtkFileChooserButton": Kind("button", None, _PRESS, leaf=True, field=True, focusable=True),
    "GtkToolItem": _INNER,
    "GtkToolButton": Kind("button", _tool, _PRESS, leaf=True),
    "GtkToggleToolButton": Kind("toggle-button", _tool, _TICK, leaf=True),
    "GtkRadioToolButton": Kind("radio", _tool, _TICK, leaf=True),
    "GtkSeparatorToolItem": Kind("separator", leaf=True),
    "GtkLabel": Kind("text", _label, leaf=True, label=True),
    "GtkAccelLabel": Kind("text", _label, leaf=True, label=True),
    "GtkEntry": Kind("textfield", _entry, _EDIT, leaf=True, field=True, focusable=True),
    "GtkText": Kind("textfield", _entry, _EDIT, leaf=True, field=True, focusable=True),
    "GtkEditableLabel": Kind("textfield", _entry, _EDIT, leaf=True, field=True, focusable=True),
    "GtkPasswordEntry": Kind("textfield", _entry, _EDIT, leaf=True, field=True, focusable=True),
    "GtkSearchEntry": Kind("search-input", _entry, _EDIT, leaf=True, field=True, focusable=True),
    "GtkSpinButton": Kind("spin-button", _spin, _STEP, leaf=True, field=True, focusable=True),
    "GtkScale": Kind("slider", _scale, _STEP, leaf=True, field=True, focusable=True),
    "GtkScaleButton": Kind("button", None, _PRESS, leaf=True, focusable=True),
    "GtkScrollbar": Kind("scroll-bar", _scroll_bar, leaf=True),
    "GtkProgressBar": Kind("progress-indicator", _progress, leaf=True, field=True),
    "GtkLevelBar": Kind("meter", _level, leaf=True, field=True),
    "GtkSpinner": Kind("progress-indicator", leaf=True),
    "GtkTextView": Kind("editable-text", _text, (*_EDIT, "scroll"), field=True, focusable=True),
    "GtkCalendar": Kind("date-picker", _calendar, _EDIT, leaf=True, field=True, focusable=True),
    "GtkImage": Kind("image", leaf=True),
    "GtkPicture": Kind("image", leaf=True),
    "GtkDrawingArea": Kind("canvas", None, ("focus",)),
    "GtkGLArea": Kind("canvas", None, ("focus",)),
    "GtkSeparator": Kind("separator", leaf=True),
    "GtkFrame": Kind("group", _frame),
    "GtkExpander": Kind("disclosure-triangle", _expander, ("press", "expand", "focus"), focusable=True),
    "GtkNotebook": Kind("tab-list", None, ("select",), parts="tabs", clips=True),
    "GtkPaned": _GROUP,
    "GtkScrolledWindow": Kind("scroll-area", None, ("scroll",), clips=True),
    "GtkViewport": Kind("generic", clips=True, internal=True),
    "GtkStackSwitcher": _GROUP,
    "GtkToolbar": _TOOLBAR,
    "GtkActionBar": _TOOLBAR,
    "GtkHeaderBar": Kind("toolbar"),
    "GtkWindowControls": _GROUP,
    "GtkStatusbar": Kind("status"),
    "GtkInfoBar": Kind("alert"),
    "GtkListBox": Kind("list", None, _VIEW, field=True, clips=True),
    "GtkListBoxRow": Kind("list-item", _list_row, ("press", "select", "scroll-into-view")),
    "GtkFlowBox": Kind("list", None, _VIEW, field=True, clips=True),
    "GtkFlowBoxChild": Kind("list-item", _list_row, ("press", "select", "scroll-into-view")),
    "GtkTreeView": Kind("table", None, _VIEW, parts="rows", field=True, clips=True, focusable=True),
    "GtkIconView": Kind("list", None, _VIEW, parts="icons", field=True, clips=True, focusable=True),
    "GtkListView": Kind("list", None, _VIEW, parts="items", field=True, clips=True, focusable=True),
    "GtkGridView": Kind("list", None, _VIEW, parts="items", field=True, clips=True, focusable=True),
    "GtkColumnView": Kind("table", None, _VIEW, parts="items", field=True, clips=True, focusable=True),
    "GtkMenuBar": Kind("menu-bar"),
    "GtkPopoverMenuBar": Kind("menu-bar"),
    "GtkPopoverMenuBarItem": Kind("menu", _bar_item, ("press", "expand"), parts="popup"),
    "GtkMenu": Kind("menu"),
    "GtkMenuItem": Kind("menu-item", _menu_item, ("press",), parts="submenu"),
    "GtkModelButton": Kind("menu-item", _model_button, ("press",), parts="popup"),
    "GtkPopover": Kind("popover", clips=True),
    "GtkPopoverMenu": Kind("menu", clips=True),
    "GtkWindow": Kind("window"),
    "GtkDialog": Kind("dialog"),
    "GtkPopoverContent": _INNER,
    "GtkGizmo": _INNER,
    "GtkTooltipWindow": _TOOLTIP,
    "GtkMenuSectionBox": _INNER,
    "GtkComboBox": Kind("combo-box", _combo, _CHOOSE, leaf=True, field=True, focusable=True),
    "GtkDropDown": Kind("combo-box", _drop_down, _CHOOSE, leaf=True, field=True, focusable=True),
}  # fmt: skip
"""By the names of GTK's classes; what a program derives is what it was derived from."""

_met: dict[tuple[type, str], tuple[Kind, str, str | None]] = {}


def kind_of(widget: Any) -> tuple[Kind, str, str | None]:
    """The kind of a widget, what GTK calls its class, and the class that the program derived in Python."""
    cls = type(widget)
    # A class of C that PyGObject does not know is that of the nearest one it does.
    name: str = widget.__gtype__.name
    found = _met.get((cls, name))
    if found is None:
        kind = next((KINDS[each] for each in (name, *_names(cls)) if each in KINDS), _GENERIC)
        derived = "+" in name
        own = next((each for each in _names(cls) if "+" not in each), name) if derived else name
        found = _met[cls, name] = (kind, own, cls.__name__ if derived else None)
    return found


def _names(cls: type) -> list[str]:
    """What GTK calls a class and those that it was derived from."""
    found = []
    for each in cls.__mro__:
        gtype = each.__dict__.get("__gtype__")
        if gtype is not None:
            found.append(gtype.name)
    return list(dict.fromkeys(found))
