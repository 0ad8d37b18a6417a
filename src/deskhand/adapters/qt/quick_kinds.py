"""What kinds of QML items there are: the role of each class, what it can do, and how its state is read."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from ...model.node import MASK, Option
from ...model.record import dataclass
from ..choices import worth
from .binding import Binding, unmarked
from .controls import OPTIONS_KEPT, plain, shorten, without_markup
from .quick_call import call, texts

Fields = dict[str, Any]

_HIDDEN = 0x1 | 0x2
"""Qt.ImhHiddenText and ImhSensitiveData: what a field that is not shown as typed says to input methods."""


@dataclass(frozen=True)
class Kind:
    """What items of a class have in common."""

    role: str
    read: str | None = None
    """The method of Scribe that reads what only this kind has."""
    actions: tuple[str, ...] = ()
    focusable: bool = False
    field: bool = False
    """Whether it has no caption of its own, and is called by the label before it."""
    leaf: bool = False
    """Whether nothing below it is an element."""
    whole: bool = False
    """Whether what is inside it is a part of it, but for what can be operated itself."""
    operable: bool = False
    """Whether a person operates it."""
    transparent: bool = False
    """Whether it is there for technical reasons only; what is below it belongs to what is above."""
    background: bool = False
    """Whether it has a rectangle behind it, as all containers among the controls have."""
    content: bool = False
    """Whether it keeps what it holds in an item of its own that is an implementation detail."""
    view: str | None = None
    """Which kind of rows it shows: list, grid, table or tree."""
    native_class: str = ""


_PRESS = ("press", "focus")
_TOGGLE = ("press", "toggle", "focus")
_VALUE = ("set-value", "increment", "decrement", "focus")
_EDIT = ("set-value", "focus")
_ROWS = ("select", "scroll", "focus")


def _button(role: str, read: str = "button", actions: tuple[str, ...] = _PRESS) -> Kind:
    return Kind(role, read, actions, focusable=True, whole=True, operable=True)


def _field(role: str, read: str | None, actions: tuple[str, ...]) -> Kind:
    return Kind(role, read, actions, focusable=True, field=True, leaf=True, whole=True, operable=True)


def _box(role: str, read: str | None = None, actions: tuple[str, ...] = (), content: bool = False) -> Kind:
    return Kind(role, read, actions, background=True, content=content)


_TABLE = {
    "QQuickItem": Kind("generic"),
    "QQuickRootItem": Kind("root", transparent=True),
    "QQuickContentItem": Kind("generic", transparent=True),
    "QQuickOverlay": Kind("generic", transparent=True),
    "QQuickRepeater": Kind("none"),
    "QQuickScrollIndicator": Kind("none"),
    "QQuickScrollBar": Kind("scroll-bar", leaf=True, transparent=True),
    "QQuickText": Kind("text", "text", leaf=True),
    "QQuickImageBase": Kind("image", leaf=True),
    "QQuickIconLabel": Kind("generic", leaf=True, transparent=True),
    "QQuickPlaceholderText": Kind("text", leaf=True, transparent=True),
    "QQuickCanvasItem": Kind("canvas"),
    "QQuickMouseArea": Kind("generic", actions=("press",)),
    "QQuickTextInput": _field("textfield", "line", _EDIT),
    "QQuickTextEdit": _field("editable-text", "text_area", (*_EDIT, "scroll")),
    "QQuickSearchField": _field("search-input", "search", _EDIT),
    "QQuickAbstractButton": _button("button"),
    "QQuickCheckBox": _button("checkbox", "check_box", _TOGGLE),
    "QQuickCheckDelegate": _button("checkbox", "check_box", _TOGGLE),
    "QQuickRadioButton": _button("radio", "check_box", ("press", "select", "focus")),
    "QQuickRadioDelegate": _button("radio", "check_box", ("press", "select", "focus")),
    "QQuickSwitch": _button("switch", "check_box", _TOGGLE),
    "QQuickSwitchDelegate": _button("switch", "check_box", _TOGGLE),
    "QQuickItemDelegate": _button("list-item", "row"),
    "QQuickTabButton": _button("tab", "tab", ("press", "select", "focus")),
    "QQuickMenuItem": _button("menu-item", "menu_item"),
    "QQuickMenuBarItem": _button("menu-item", "menu_item"),
    "QQuickMenuSeparator": Kind("separator", leaf=True),
    "QQuickToolSeparator": Kind("separator", leaf=True),
    "QQuickComboBox": _field("combo-box", "combo_box", ("press", "select", "expand", "focus")),
    "QQuickSpinBox": _field("spin-button", "spin_box", _VALUE),
    "QQuickDoubleSpinBox": _field("spin-button", "spin_box", _VALUE),
    "QQuickSlider": _field("slider", "number", _VALUE),
    "QQuickDial": _field("slider", "number", _VALUE),
    "QQuickRangeSlider": _field("slider", None, ("focus",)),
    "QQuickTumbler": _field("list-box", "tumbler", ("select", "focus")),
    "QQuickProgressBar": Kind("progress-indicator", "progress", field=True, whole=True),
    "QQuickBusyIndicator": Kind("progress-indicator", "busy", whole=True),
    "QQuickItemView": Kind("list", None, _ROWS, field=True, content=True, view="list"),
    "QQuickGridView": Kind("grid", None, _ROWS, field=True, content=True, view="grid"),
    "QQuickTableView": Kind("table", None, _ROWS, field=True, content=True, view="table"),
    "QQuickTreeView": Kind("tree", None, _ROWS, field=True, content=True, view="tree"),
    "QQuickFlickable": Kind("scroll-area", None, ("scroll",), content=True),
    "QQuickScrollView": _box("scroll-area", None, ("scroll",)),
    "QQuickControl": _box("generic"),
    "QQuickPane": _box("group"),
    "QQuickPage": _box("region", "titled"),
    "QQuickGroupBox": _box("group", "titled"),
    "QQuickToolBar": _box("toolbar"),
    "QQuickContainer": _box("group", None, ("select",), content=True),
    "QQuickTabBar": _box("tab-list", "tab_bar", ("select",), content=True),
    "QQuickMenuBar": _box("menu-bar", content=True),
    "QQuickDialogButtonBox": _box("group", content=True),
    "QQuickPopupItem": _box("popover", "popup"),
    "QQuickWebEngineView": Kind("web-area", "web", leaf=True),
}
"""By the name of the C++ class; the nearest above counts."""

_POPUPS = {
    "QQuickMenu": "menu",
    "QQuickDialog": "dialog",
    "QQuickToolTip": "tooltip",
    "QQuickDrawer": "complementary",
    "QQuickPopup": "popover",
}

ACCESSIBLE_ROLES = {
    0x02: "menu-bar", 0x08: "alert", 0x0B: "menu", 0x0C: "menu-item", 0x0D: "tooltip", 0x12: "dialog",
    0x14: "group", 0x15: "separator", 0x16: "toolbar", 0x17: "status", 0x18: "table", 0x19: "column-header",
    0x1A: "row-header", 0x1C: "row", 0x1D: "cell", 0x1E: "link", 0x21: "list", 0x22: "list-item",
    0x23: "tree", 0x24: "tree-item", 0x25: "tab", 0x27: "splitter", 0x28: "image", 0x29: "text",
    0x2A: "textfield", 0x2B: "button", 0x2C: "checkbox", 0x2D: "radio", 0x2E: "combo-box",
    0x30: "progress-indicator", 0x31: "slider", 0x33: "slider", 0x34: "spin-button", 0x35: "canvas",
    0x3C: "tab-list",
}  # fmt: skip
"""What QML authors say with Accessible.role, by Qt's numbers."""

_known: dict[str, Kind] = {}


def kind_of(item: Any) -> Kind:
    """The kind of the nearest class above that we know."""
    meta = item.metaObject()
    name = meta.className()
    kind = _known.get(name)
    if kind is None:
        above = meta
        while above is not None and above.className() not in _TABLE:
            above = above.superClass()
        kind = _TABLE["QQuickItem" if above is None else above.className()]
        kind = _known[name] = replace(kind, native_class=unmarked(name))
    return kind


@cache
def as_part(kind: Kind, decoration: bool) -> Kind:
    """The kind of an item that holds or decorates what is in a control."""
    return replace(kind, transparent=True, view=None, leaf=kind.leaf or decoration)


@cache
def as_menu(kind: Kind) -> Kind:
    """The kind of a popup that is a menu: the view it keeps its items in is an implementation detail."""
    return replace(kind, content=True)


def is_password(binding: Binding, item: Any) -> bool:
    """Whether a text input hides what is typed. Says yes if that cannot be determined."""
    # Not by echoMode: neither binding can convert that.
    hints = item.inputMethodQuery(binding.Qt.InputMethodQuery.ImHints)
    number = getattr(hints, "value", hints)
    return not isinstance(number, int) or bool(number & _HIDDEN)


class Scribe:
    """Writes down what only one kind of item has."""

    def __init__(self, binding: Binding) -> None:
        self._binding = binding

    # -- text ----------------------------------------------------------------------------------

    def text(self, item: Any, fields: Fields) -> None:
        text = item.property("text")
        if text:
            if "<" in text and ">" in text:
                text = without_markup(text)
            fields["text"] = fields["name"] = shorten(text)

    def line(self, item: Any, fields: Fields) -> None:
        text = item.property("text") or ""
        if is_password(self._binding, item):
            fields["password"] = True
            text = MASK if text else ""
        self._editable(item, fields, text)

    def text_area(self, item: Any, fields: Fields) -> None:
        text = item.property("text") or ""
        if "<" in text and ">" in text:
            text = without_markup(text)
        self._editable(item, fields, text)

    def _editable(self, item: Any, fields: Fields, text: str) -> None:
        fields["value"] = shorten(text)
        if hint := item.property("placeholderText"):
            fields["placeholder"] = hint
        if item.property("readOnly"):
            fields["text"] = fields["value"]
            fields["actions"] = ("focus",)
        else:
            fields["editable"] = True

    def search(self, item: Any, fields: Fields) -> None:
        self._editable(item, fields, item.property("text") or "")

    def _caption(self, item: Any, fields: Fields) -> None:
        """What a button says: its text, or what is written on something else that was put in its place."""
        text = item.property("text") or " ".join(texts(item))
        if text:
            fields["text"] = fields["name"] = plain(text)

    # -- buttons -------------------------------------------------------------------------------

    def button(self, item: Any, fields: Fields) -> None:
        self._caption(item, fields)
        if item.property("checkable"):
            fields["role"] = "toggle-button"
            fields["actions"] = _TOGGLE
            fields["checked"] = bool(item.property("checked"))
        if item.property("down"):
            fields["pressed"] = True

    def check_box(self, item: Any, fields: Fields) -> None:
        self._caption(item, fields)
        fields["checked"] = bool(item.property("checked"))
        if (
            fields["role"] == "checkbox"
            and item.property("checkState") == self._binding.Qt.CheckState.PartiallyChecked
        ):
            fields["mixed"] = True

    def row(self, item: Any, fields: Fields) -> None:
        self._caption(item, fields)
        if item.property("checkable"):
            fields["checked"] = bool(item.property("checked"))
        fields["selected"] = bool(item.property("highlighted"))

    def tab(self, item: Any, fields: Fields) -> None:
        self._caption(item, fields)
        fields["selected"] = bool(item.property("checked"))

    def menu_item(self, item: Any, fields: Fields) -> None:
        self._caption(item, fields)
        if item.property("checkable"):
            fields["role"] = "menu-item-checkbox"
            fields["checked"] = bool(item.property("checked"))

    # -- choices and numbers -------------------------------------------------------------------

    def combo_box(self, item: Any, fields: Fields) -> None:
        count, at = int(item.property("count") or 0), item.property("currentIndex")
        has_values = bool(item.property("valueRole"))
        fields["value"] = (item.property("editText") if item.property("editable") else None) or item.property(
            "displayText"
        )
        fields["expanded"] = bool(item.property("down"))
        if item.property("editable"):
            fields["editable"] = True
            fields["actions"] = ("press", "select", "expand", "set-value", "focus")
        fields["options"] = tuple(
            Option(
                index,
                call(self._binding, item, "textAt", index, gives="QString"),
                worth(call(self._binding, item, "valueAt", index, gives="QVariant")) if has_values else None,
                index == at,
            )
            for index in range(min(count, OPTIONS_KEPT))
        )
        if count > OPTIONS_KEPT:
            fields["options_count"] = count

    def number(self, item: Any, fields: Fields) -> None:
        number = item.property("value")
        fields["number"] = number
        fields["value"] = f"{number:g}"
        fields["minimum"], fields["maximum"] = item.property("from"), item.property("to")
        fields["editable"] = True

    def spin_box(self, item: Any, fields: Fields) -> None:
        self.number(item, fields)
        shown = item.property("displayText")
        if shown and shown != fields["value"]:
            fields["text"] = shown

    def progress(self, item: Any, fields: Fields) -> None:
        if not item.property("indeterminate"):
            self.number(item, fields)
            del fields["editable"]

    def busy(self, item: Any, fields: Fields) -> None:
        fields["value"] = "running" if item.property("running") else "stopped"

    def tumbler(self, item: Any, fields: Fields) -> None:
        fields["value"] = str(item.property("currentIndex"))

    # -- containers ----------------------------------------------------------------------------

    def titled(self, item: Any, fields: Fields) -> None:
        if title := item.property("title"):
            fields["text"] = fields["name"] = plain(title)

    def tab_bar(self, item: Any, fields: Fields) -> None:
        at = item.property("currentIndex")
        tabs = [
            call(self._binding, item, "itemAt", index, gives="QQuickItem*")
            for index in range(min(int(item.property("count") or 0), OPTIONS_KEPT))
        ]
        fields["options"] = tuple(
            Option(index, plain(tab.property("text") or ""), None, index == at, tab.isEnabled())
            for index, tab in enumerate(tabs)
        )
        if 0 <= at < len(tabs):
            fields["value"] = fields["options"][at].text

    def popup(self, item: Any, fields: Fields) -> None:
        popup = item.parent()
        if popup is None or not popup.inherits("QQuickPopup"):
            return
        fields["native_class"] = unmarked(popup.metaObject().className())
        fields["role"] = next(role for name, role in _POPUPS.items() if popup.inherits(name))
        if title := popup.property("title"):
            fields["name"] = plain(title)
        if popup.objectName():
            fields["automation_id"] = popup.objectName()
        if popup.property("modal"):
            fields["modal"] = True

    def web(self, item: Any, fields: Fields) -> None:
        if title := item.property("title"):
            fields["name"] = title
        fields["value"] = item.property("url").toString()
