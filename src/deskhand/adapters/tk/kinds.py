"""What each kind of widget is: its role, what can be done to it, and what its row of walk.tcl means."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...model.node import Option
from ...model.record import dataclass
from .roots import Root

Fields = dict[str, Any]
Read = Callable[[Root, Any, Fields], None]
"""Puts what a widget says of itself into the fields of its node."""

TEXT_KEPT = 20_000
"""How much is read of a long text; walk.tcl has the same number."""

_PRESS = ("press", "focus")
_EDIT = ("set-value", "focus")
_STEP = ("set-value", "increment", "decrement", "focus")
_CHOOSE = ("press", "select", "expand", "focus")
_VIEW = ("select", "scroll", "focus")


@dataclass(frozen=True, eq=False)
class Kind:
    """What widgets of a kind have in common."""

    role: str
    read: Read | None = None
    actions: tuple[str, ...] = ()
    parts: str = ""
    """What is in it that is not a widget: see `parts`."""
    field: bool = False
    """Whether it has no caption of its own, and is called by the label next to it."""
    label: bool = False
    """Whether it names what is next to it."""


def text_of(value: Any) -> str:
    """A value of Tcl as text."""
    if isinstance(value, str):
        return value
    if isinstance(value, tuple):
        return " ".join(map(text_of, value))
    return str(value)


def number_of(value: Any) -> float | None:
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def numeral(value: Any) -> str:
    """A number as its user reads it."""
    found = number_of(value)
    return text_of(value) if found is None else f"{found:g}"


def states(value: Any) -> tuple[str, ...]:
    """The states of a widget: several in ttk, one elsewhere."""
    return tuple(map(str, value)) if isinstance(value, tuple) else tuple(str(value).split())


def _state(fields: Fields, value: Any) -> tuple[str, ...]:
    found = states(value)
    if "disabled" in found:
        fields["enabled"] = False
    return found


def _caption(_: Root, row: Any, fields: Fields) -> None:
    text = text_of(row[0])
    if text:
        fields["text"] = fields["name"] = text
    if len(row) > 1 and row[1] not in ("", "normal"):
        _state(fields, row[1])


def _tick(root: Root, row: Any, fields: Fields) -> None:
    _caption(root, row, fields)
    fields["checked"] = False if row[2] == "mixed" else bool(int(row[2]))
    if row[2] == "mixed":
        fields["mixed"] = True
    if not int(row[3]) and fields["role"] == "checkbox":
        fields["role"] = "toggle-button"


def _entry(_: Root, row: Any, fields: Fields) -> None:
    text = text_of(row[0])
    fields["value"] = text if len(text) <= TEXT_KEPT else text[:TEXT_KEPT] + "…"
    if int(row[2]):
        fields["password"] = True
    _edits(fields, row[1])


def _edits(fields: Fields, state: Any) -> None:
    found = _state(fields, state)
    if "disabled" in found or "readonly" in found:
        fields["text"] = fields["value"]
        fields["actions"] = ("focus",)
    else:
        fields["editable"] = True


def _text(_: Root, row: Any, fields: Fields) -> None:
    text = text_of(row[0])
    # Tk ends every text with a line feed of its own.
    fields["value"] = text.removesuffix("\n") if len(text) <= TEXT_KEPT else text[:TEXT_KEPT] + "…"
    if row[1] == "disabled":
        # It is shown like any other, and can be read; only nothing can be typed.
        fields["text"] = fields["value"]
        fields["actions"] = ("focus", "scroll")
    else:
        fields["editable"] = True


def _combo(root: Root, row: Any, fields: Fields) -> None:
    fields["value"] = text_of(row[0])
    found = _state(fields, row[1])
    at = int(row[4])
    fields["options"] = tuple(
        Option(index, text_of(text), None, index == at) for index, text in enumerate(root.split(row[2]))
    )
    if int(row[3]) > len(fields["options"]):
        fields["options_count"] = int(row[3])
    fields["expanded"] = bool(int(row[5]))
    if "readonly" not in found and "disabled" not in found:
        fields["editable"] = True
        fields["actions"] = (*_CHOOSE, "set-value")


def _menu_button(root: Root, row: Any, fields: Fields) -> None:
    text = text_of(row[0])
    _state(fields, row[1])
    if not int(row[2]):
        if text:
            fields["text"] = fields["name"] = text
        return
    # With a variable it is an option menu: what it shows is what was chosen.
    fields["role"], fields["actions"] = "combo-box", _CHOOSE
    fields["value"], fields["expanded"] = text, False
    labels = [root.split(one) for one in root.split(row[3])]
    fields["options"] = tuple(
        Option(index, text_of(one[1]), None, text_of(one[1]) == text, str(one[2]) != "disabled")
        for index, one in enumerate(labels)
    )


def _spin(root: Root, row: Any, fields: Fields) -> None:
    fields["value"] = text_of(row[0])
    _edits(fields, row[1])
    values = root.split(row[4])
    if values:
        fields["options"] = tuple(
            Option(at, text_of(text), None, text_of(text) == fields["value"])
            for at, text in enumerate(values[:100])
        )
        if len(values) > 100:
            fields["options_count"] = len(values)
        return
    _limits(fields, row[0], row[2], row[3])


def _scale(_: Root, row: Any, fields: Fields) -> None:
    _state(fields, row[1])
    fields["value"] = numeral(row[0])
    fields["editable"] = True
    _limits(fields, row[0], row[2], row[3])
    if label := text_of(row[4]):
        fields["name"] = label


def _limits(fields: Fields, value: Any, low: Any, high: Any) -> None:
    for name, limit in (("number", value), ("minimum", low), ("maximum", high)):
        if (found := number_of(limit)) is not None:
            fields[name] = found
    if "minimum" in fields and "maximum" in fields and fields["minimum"] > fields["maximum"]:
        fields["minimum"], fields["maximum"] = fields["maximum"], fields["minimum"]


def _progress(_: Root, row: Any, fields: Fields) -> None:
    if row[2] == "indeterminate":
        return
    fields["value"] = numeral(row[0])
    _limits(fields, row[0], 0, row[1])


def _scroll_bar(_: Root, row: Any, fields: Fields) -> None:
    if row and (found := number_of(row[0])) is not None:
        fields["value"], fields["number"] = f"{found:.3g}", found
        fields["minimum"], fields["maximum"] = 0.0, 1.0


_BUTTON = Kind("button", _caption, _PRESS)
_LABEL = Kind("text", _caption, label=True)
_CHECK = Kind("checkbox", _tick, ("press", "toggle", "focus"))
_RADIO = Kind("radio", _tick, ("press", "select", "focus"))
_FIELD = Kind("textfield", _entry, _EDIT, field=True)
_SPIN = Kind("spin-button", _spin, _STEP, field=True)
_SLIDER = Kind("slider", _scale, _STEP, field=True)
_MENU_BUTTON = Kind("button", _menu_button, ("press", "expand", "focus"), field=True)
_BAR = Kind("scroll-bar", _scroll_bar)
_GENERIC = Kind("generic")
_GROUP = Kind("group", _caption)

KINDS = {
    "button": _BUTTON, "tbutton": _BUTTON,
    "label": _LABEL, "tlabel": _LABEL, "message": _LABEL,
    "checkbutton": _CHECK, "tcheckbutton": _CHECK,
    "radiobutton": _RADIO, "tradiobutton": _RADIO,
    "entry": _FIELD, "tentry": _FIELD,
    "spinbox": _SPIN, "tspinbox": _SPIN,
    "scale": _SLIDER, "tscale": _SLIDER,
    "menubutton": _MENU_BUTTON, "tmenubutton": _MENU_BUTTON,
    "scrollbar": _BAR, "tscrollbar": _BAR,
    "frame": _GENERIC, "tframe": _GENERIC, "other": _GENERIC,
    "labelframe": _GROUP, "tlabelframe": _GROUP,
    "panedwindow": Kind("group"), "tpanedwindow": Kind("group"),
    "tcombobox": Kind("combo-box", _combo, _CHOOSE, field=True),
    "tprogressbar": Kind("progress-indicator", _progress, field=True),
    "tseparator": Kind("separator"), "tsizegrip": Kind("generic"),
    "text": Kind("editable-text", _text, (*_EDIT, "scroll"), parts="links", field=True),
    "listbox": Kind("list", None, _VIEW, parts="items", field=True),
    "treeview": Kind("table", None, _VIEW, parts="rows", field=True),
    "tnotebook": Kind("tab-list", None, ("select",), parts="tabs"),
    "canvas": Kind("canvas", None, ("focus", "scroll"), parts="drawing"),
    "toplevel": Kind("window"),
}  # fmt: skip
"""By the names that walk.tcl has for them."""
