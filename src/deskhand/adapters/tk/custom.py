"""CustomTkinter: its controls are frames with a canvas and labels inside, and say in Python what they are.

Only what these controls offer to their programs is used, except for whether a box is ticked and what a click
in the list of a combo box does: these they keep to themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...model.node import MASK, Node, Option
from ..choices import named
from ..performer import Offer, Options, number_within, read_only
from .kinds import TEXT_KEPT, Fields, Kind, numeral
from .roots import Handle, Known

_PRESS = ("press", "focus")
_CHOOSE = ("press", "select", "expand", "focus")

KINDS = {
    "CTkButton": Kind("button", None, _PRESS),
    "CTkLabel": Kind("text", label=True),
    "CTkEntry": Kind("textfield", None, ("set-value", "focus"), field=True),
    "CTkTextbox": Kind("editable-text", None, ("set-value", "focus", "scroll"), field=True),
    "CTkCheckBox": Kind("checkbox", None, ("press", "toggle", "focus")),
    "CTkSwitch": Kind("switch", None, ("press", "toggle", "focus")),
    "CTkRadioButton": Kind("radio", None, ("press", "select", "focus")),
    "CTkComboBox": Kind("combo-box", None, _CHOOSE, field=True),
    "CTkOptionMenu": Kind("combo-box", None, _CHOOSE, field=True),
    "CTkSlider": Kind("slider", None, ("set-value", "increment", "decrement", "focus"), field=True),
    "CTkProgressBar": Kind("progress-indicator", field=True),
    "CTkSegmentedButton": Kind("radio-group", None, ("select",)),
    "CTkTabview": Kind("tab-list", None, ("select",)),
    "CTkScrollbar": Kind("scroll-bar"),
    "CTkCanvas": Kind("canvas"),
}
"""By the names of the classes. Other classes are frames and windows, and as such."""

_HOLDERS = ("CTkSegmentedButton", "CTkTabview")
"""Those that have elements inside; the others are one element each."""


def kind_of(widget: object) -> str | None:
    """The class of CustomTkinter that a widget is of, if it is one that we know."""
    for of in type(widget).__mro__:
        if of.__name__ in KINDS and of.__module__.startswith("customtkinter"):
            return of.__name__
    return None


def is_whole(custom: str) -> bool:
    """Whether the widgets inside are parts that its user does not think of as elements."""
    return custom not in _HOLDERS


def is_inner(custom: str) -> bool:
    """Whether it only draws the border of the widget that it is in."""
    return custom == "CTkCanvas"


def read(known: Known, fields: Fields) -> None:
    """What a control says of itself."""
    widget = known.widget
    custom = known.custom or ""
    fields["native_class"] = custom
    if getattr(widget, "_state", "normal") == "disabled":
        fields["enabled"] = False
    if custom in ("CTkButton", "CTkLabel", "CTkCheckBox", "CTkSwitch", "CTkRadioButton"):
        if text := str(widget.cget("text") or ""):
            fields["text"] = fields["name"] = text
        if custom not in ("CTkButton", "CTkLabel"):
            fields["checked"] = bool(getattr(widget, "_check_state", False))
    elif custom in ("CTkEntry", "CTkTextbox"):
        _text(widget, custom, fields)
    elif custom in ("CTkComboBox", "CTkOptionMenu", "CTkSegmentedButton"):
        fields["value"] = value = str(widget.get())
        values = [str(one) for one in widget.cget("values") or ()]
        fields["options"] = tuple(
            Option(at, text, None, text == value) for at, text in enumerate(values[:100])
        )
        if custom == "CTkComboBox" and getattr(widget, "_state", "") == "normal":
            fields["editable"] = True
            fields["actions"] = (*_CHOOSE, "set-value")
    elif custom == "CTkTabview":
        fields["value"] = str(widget.get())
    elif custom == "CTkSlider":
        _number(widget, fields, widget.cget("from_"), widget.cget("to"))
        fields["editable"] = True
    elif custom == "CTkProgressBar":
        _number(widget, fields, 0, 1)


def _text(widget: Any, custom: str, fields: Fields) -> None:
    value = str(widget.get() if custom == "CTkEntry" else widget.get("1.0", "end-1c"))
    if custom == "CTkEntry":
        if widget.cget("show"):
            # From here on no code has the password.
            value = MASK if value else ""
            fields["password"] = True
        if hint := widget.cget("placeholder_text"):
            fields["placeholder"] = str(hint)
    fields["value"] = value if len(value) <= TEXT_KEPT else value[:TEXT_KEPT] + "…"
    state = widget.cget("state")
    if state == "normal":
        fields["editable"] = True
    else:
        fields["text"] = fields["value"]


def _number(widget: Any, fields: Fields, low: float, high: float) -> None:
    fields["number"] = float(widget.get())
    fields["value"] = numeral(fields["number"])
    fields["minimum"], fields["maximum"] = float(low), float(high)


# -- acting --------------------------------------------------------------------------------------


def press(known: Known) -> Callable[[], object] | None:
    """What pressing a control does; None for what needs the mouse."""
    widget = known.widget
    if known.custom in ("CTkButton", "CTkRadioButton"):
        return lambda: widget.invoke()
    if known.custom in ("CTkCheckBox", "CTkSwitch"):
        return lambda: widget.toggle()
    return None


def setter(known: Known, node: Node, value: str) -> Callable[[], object] | None:
    """What replaces the value of a control; None if it is not of CustomTkinter."""
    widget = known.widget
    if known.custom in ("CTkEntry", "CTkTextbox", "CTkComboBox"):
        if not node.editable:
            raise read_only(str(node))
        if known.custom == "CTkComboBox":
            return lambda: widget.set(value)
        start = "1.0" if known.custom == "CTkTextbox" else 0

        def replace() -> None:
            widget.delete(start, "end")
            widget.insert(start, value)

        return replace
    if known.custom == "CTkSlider":
        number = number_within(value, node.minimum, node.maximum, str(node))

        def move() -> None:
            widget.set(number)
            # As its user's pointer does.
            if command := widget.cget("command"):
                command(widget.get())

        return move
    return None


def offer(handle: Handle, what: str, posted: Callable[[Callable[[int, bool], object]], Any]) -> Offer | None:
    """What a control offers to choose from; None if it is not of CustomTkinter. On the GUI thread."""
    widget, custom = handle.known.widget, handle.known.custom
    if handle.part or custom not in ("CTkComboBox", "CTkOptionMenu", *_HOLDERS):
        return None
    if custom == "CTkTabview":
        names = [widget.get(at) for at in range(widget.len())]

        def show(at: int, _: bool) -> None:
            widget.set(names[at])
            if command := widget.cget("command"):
                command()

        return Options(what, named(names), posted(show))
    values = [str(one) for one in widget.cget("values") or ()]

    def take(at: int, _: bool) -> None:
        if custom == "CTkSegmentedButton":
            widget.set(values[at], from_button_callback=True)
        else:
            widget._dropdown_callback(values[at])  # noqa: SLF001 - what its list calls

    return Options(what, named(values), posted(take))
