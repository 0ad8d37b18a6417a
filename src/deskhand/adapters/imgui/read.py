"""What one call says: the label, the value and the state, of its arguments and its result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .kinds import Spec, shown

READ_ONLY, PASSWORD, ENTER_RETURNS_TRUE = 1 << 9, 1 << 10, 1 << 6
LEAF, SELECTED = 1 << 8, 1
PARTS = ("x", "y", "z", "w")
"""What the fields are called of an item that has several."""


class Reading:
    """What a person could tell of an item, apart from where it is."""

    __slots__ = (
        "checked", "editable", "expanded", "flags", "label", "maximum", "minimum", "mixed", "number",
        "options", "parts", "password", "placeholder", "selected", "text", "value",
    )  # fmt: skip

    def __init__(self, label: str) -> None:
        self.label = label
        self.value: str | None = None
        self.text: str | None = None
        self.number: float | None = None
        self.minimum: float | None = None
        self.maximum: float | None = None
        self.placeholder: str | None = None
        self.checked: bool | None = None
        self.mixed = False
        self.selected: bool | None = None
        self.expanded: bool | None = None
        self.options: tuple[str, ...] | None = None
        self.editable = False
        self.password = False
        self.flags = 0
        self.parts: tuple[float, ...] = ()
        """The numbers of a field that has several."""


class _Call:
    """The arguments and the result of a call, by position or by name."""

    __slots__ = ("args", "kwargs", "result")

    def __init__(self, args: tuple[Any, ...], kwargs: Mapping[str, Any], result: Any) -> None:
        self.args = args
        self.kwargs = kwargs
        self.result = result

    def get(self, at: int | None, *names: str, default: Any = None) -> Any:
        if at is not None and at < len(self.args):
            return self.args[at]
        for name in names:
            if name in self.kwargs:
                return self.kwargs[name]
        return default

    @property
    def returned(self) -> Any:
        """The value in a result such as (changed, value)."""
        result = self.result
        return result[1] if isinstance(result, tuple) and len(result) > 1 else None


def reading(spec: Spec, args: tuple[Any, ...], kwargs: Mapping[str, Any], result: Any) -> Reading:
    """What a call says."""
    call = _Call(args, kwargs, result)
    label = call.get(spec.label, "label", "str_id", "fmt", "text", "desc_id", "name", default="")
    read = Reading(label if isinstance(label, str) else "")
    flags = call.get(spec.flags, "flags", default=0)
    read.flags = int(flags) if isinstance(flags, int) else 0
    _READERS.get(spec.kind, _anything)(read, spec, call)
    return read


def number_reading(label: str, value: float, whole: Reading | None) -> Reading:
    """What one field of several says."""
    read = Reading(label)
    number = (
        int(value) if value == int(value) and whole is not None and "." not in (whole.value or "") else value
    )
    read.number, read.value, read.text = float(value), number_text(number), number_text(number)
    if whole is not None:
        read.minimum, read.maximum = whole.minimum, whole.maximum
        read.editable, read.flags = whole.editable, whole.flags
    return read


# -- by kind ------------------------------------------------------------------------------------


def _checkbox(read: Reading, spec: Spec, call: _Call) -> None:
    read.checked = bool(call.returned)
    if spec.function == "checkbox_flags":
        mask = call.get(2, "flags_value", default=0)
        read.checked = (call.returned & mask) == mask
        read.mixed = not read.checked and bool(call.returned & mask)


def _radio(read: Reading, _spec: Spec, call: _Call) -> None:
    if isinstance(call.result, tuple):
        read.checked = call.returned == call.get(2, "v_button")
    else:
        read.checked = bool(call.get(1, "active"))


def _combo(read: Reading, spec: Spec, call: _Call) -> None:
    if spec.function == "begin_combo":
        read.value = str(call.get(1, "preview_value", default=""))
        read.expanded = bool(call.result)
        return
    _list(read, spec, call)
    read.expanded = False


def _list(read: Reading, _spec: Spec, call: _Call) -> None:
    items = call.get(2, "items", "items_separated_by_zeros")
    if items is None:
        return
    # All in one text, with a zero behind each, is another way to give them.
    texts = items.rstrip("\0").split("\0") if isinstance(items, str) else items
    read.options = tuple(str(item) for item in texts)
    current = call.returned
    if isinstance(current, int) and 0 <= current < len(read.options):
        read.value = shown(read.options[current])


def _input(read: Reading, spec: Spec, call: _Call) -> None:
    if spec.role == "spin-button":
        _number(read, spec, call)
        return
    value = call.returned
    read.value = value if isinstance(value, str) else ""
    read.text = read.value
    read.password = bool(read.flags & PASSWORD)
    read.editable = not read.flags & READ_ONLY
    if spec.function == "input_text_with_hint":
        read.placeholder = call.get(1, "hint")


def _number(read: Reading, spec: Spec, call: _Call) -> None:
    value = call.returned
    read.editable = not (spec.kind == "input" and read.flags & READ_ONLY)
    if spec.bounds is not None:
        least, most = (call.get(at, name) for at, name in zip(spec.bounds, ("v_min", "v_max"), strict=True))
        if spec.function == "slider_angle":
            least, most = -360.0 if least is None else least, 360.0 if most is None else most
        if isinstance(least, (int, float)) and isinstance(most, (int, float)) and least < most:
            read.minimum, read.maximum = float(least), float(most)
    if spec.function.endswith("_range2") and isinstance(call.result, tuple):
        value = call.result[1:]
    if isinstance(value, (int, float)):
        if spec.function == "slider_angle":
            value = value * 57.29577951308232
        read.number = float(value)
        read.value = number_text(value)
        read.text = _formatted(call, value)
    elif value is not None:
        read.parts = tuple(float(part) for part in _sequence(value))
        read.value = ", ".join(number_text(part) for part in _sequence(value))


def _sequence(value: Any) -> Sequence[Any]:
    if isinstance(value, (list, tuple)):
        return value
    try:
        return list(value)
    except TypeError:
        return [getattr(value, name) for name in ("x", "y", "z", "w") if hasattr(value, name)]


def _formatted(call: _Call, value: float) -> str | None:
    """The number as it is shown, where the program said how."""
    form = call.kwargs.get("format") or next(
        (each for each in call.args[1:] if isinstance(each, str) and "%" in each), None
    )
    try:
        return None if form is None else str(form % value)
    except (TypeError, ValueError):
        return None


def number_text(value: float) -> str:
    """A number in short: Dear ImGui's have seven digits or so that mean something."""
    return str(value) if isinstance(value, int) else f"{value:.7g}"


def _color(read: Reading, spec: Spec, call: _Call) -> None:
    value = call.get(1, "col") if call.returned is None else call.returned
    if value is None:
        return
    parts = [float(part) for part in _sequence(value)]
    if spec.function.endswith("3"):
        parts = parts[:3]
    read.parts = tuple(parts)
    read.value = "#" + "".join(f"{max(0, min(255, round(part * 255))):02x}" for part in parts)
    read.editable = spec.function != "color_button"


def _selectable(read: Reading, _spec: Spec, call: _Call) -> None:
    read.selected = bool(call.returned)


def _menu_item(read: Reading, _spec: Spec, call: _Call) -> None:
    chosen = call.returned if isinstance(call.result, tuple) else call.get(2, "selected", default=False)
    read.checked = True if chosen else None


def _tree(read: Reading, _spec: Spec, call: _Call) -> None:
    opened = call.result[0] if isinstance(call.result, tuple) else call.result
    texts = [argument for argument in call.args if isinstance(argument, str)]
    if len(texts) > 1:
        # An id and a text of its own: the label is made as Dear ImGui's users would write it.
        read.label = f"{texts[1]}##{texts[0]}"
    elif "fmt" in call.kwargs:
        read.label = f"{call.kwargs['fmt']}##{read.label}"
    if not read.flags & LEAF:
        read.expanded = bool(opened)
    else:
        read.expanded = None
    read.selected = bool(read.flags & SELECTED) or None


def _menu(read: Reading, _spec: Spec, call: _Call) -> None:
    read.expanded = bool(call.result)


def _tab(read: Reading, _spec: Spec, call: _Call) -> None:
    read.selected = bool(call.result[0] if isinstance(call.result, tuple) else call.result)


def _text(read: Reading, spec: Spec, call: _Call) -> None:
    read.text = read.label
    if spec.value is not None:
        read.text = read.value = str(call.get(spec.value, "fmt", "b", "v", default=""))


def _progress(read: Reading, _spec: Spec, call: _Call) -> None:
    fraction = call.get(0, "fraction", default=0.0)
    overlay = call.get(2, "overlay")
    read.number, read.minimum, read.maximum = float(fraction), 0.0, 1.0
    read.value = number_text(float(fraction))
    read.text = overlay if isinstance(overlay, str) else f"{max(fraction, 0) * 100:.0f}%"


def _drawn(read: Reading, _spec: Spec, call: _Call) -> None:
    read.text = call.args[0] if call.args else ""


def _anything(read: Reading, spec: Spec, call: _Call) -> None:
    """Of a function without a description: what it returns, other than whether it changed."""
    value = call.returned
    if isinstance(value, bool):
        read.checked = value
    elif isinstance(value, (int, float)):
        _number(read, spec, call)
        read.editable = False
    elif isinstance(value, str):
        read.value = value


_READERS: dict[str, Callable[[Reading, Spec, _Call], None]] = {
    "checkbox": _checkbox,
    "radio": _radio,
    "combo": _combo,
    "list_box": _list,
    "input": _input,
    "slider": _number,
    "drag": _number,
    "color": _color,
    "selectable": _selectable,
    "menu_item": _menu_item,
    "menu": _menu,
    "tab": _tab,
    "tree_node": _tree,
    "header": _tree,
    "text": _text,
    "drawn_text": _drawn,
    "progress": _progress,
}
