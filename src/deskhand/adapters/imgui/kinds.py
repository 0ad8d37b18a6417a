"""What the functions of Dear ImGui draw: one line for each, by its name in Python.

Knows names and parameters only. A function that no line names is found by its first parameter (`label` or
`str_id`) and recorded under its own name, so that widgets that are new or of other modules are seen too.
"""

from __future__ import annotations

import re
from typing import Any

from ...model.record import dataclass


@dataclass(frozen=True)
class Spec:
    """How a call of one function is read."""

    function: str
    kind: str
    """The item's type, such as `button`; `native_class` of its node."""
    role: str = "unknown"
    label: int | None = 0
    """Which argument is the label; None if there is none."""
    hidden: bool = False
    """Whether the label is an id that is not shown."""
    value: int | None = None
    """Which argument is the value, where the function does not return it."""
    bounds: tuple[int, int] | None = None
    """Which arguments are the least and the greatest value."""
    flags: int | None = None
    """Which argument are the flags."""
    parts: int = 1
    """How many fields it has side by side."""
    group: bool = False
    """Whether Dear ImGui makes it of several items, of which none is the last."""
    opens: bool = False
    """Whether the function begins a window if it returns true, so that the item is the one before that."""
    framed: bool = False
    """Whether a label follows behind the part of it that takes input."""
    item: bool = True
    """Whether it draws an item; else it only begins or ends something."""
    cell: bool = False
    """Whether it moves on in a table."""


def _of(function: str, kind: str, role: str = "unknown", **fields: Any) -> Spec:
    return Spec(function, kind, role, **fields)


def _numbers() -> list[Spec]:
    """The many functions for numbers: slider_float, drag_int3, input_scalar_n and the like."""
    specs: list[Spec] = []
    for typ in ("float", "int"):
        for count in (1, 2, 3, 4):
            tail = f"{typ}{count}" if count > 1 else typ
            several = {"parts": count, "group": count > 1, "framed": True}
            specs.append(_of(f"slider_{tail}", "slider", "slider", bounds=(2, 3), flags=5, **several))
            specs.append(_of(f"drag_{tail}", "drag", "spin-button", bounds=(3, 4), flags=6, **several))
            group = {"parts": count, "group": True}
            specs.append(
                _of(f"input_{tail}", "input", "spin-button", flags=4 if count == 1 else None, **group)
            )
        specs.append(_of(f"drag_{typ}_range2", "drag", "spin-button", bounds=(4, 5), parts=2, group=True))
        specs.append(_of(f"v_slider_{typ}", "slider", "slider", bounds=(3, 4), framed=True))
    specs += [
        _of("slider_angle", "slider", "slider", bounds=(2, 3), framed=True),
        _of("input_double", "input", "spin-button", flags=5, group=True),
        _of("slider_scalar", "slider", "slider", framed=True),
        _of("slider_scalar_n", "slider", "slider", group=True),
        _of("v_slider_scalar", "slider", "slider", framed=True),
        _of("drag_scalar", "drag", "spin-button", framed=True),
        _of("drag_scalar_n", "drag", "spin-button", group=True),
        _of("input_scalar", "input", "spin-button", group=True),
        _of("input_scalar_n", "input", "spin-button", group=True),
    ]
    return specs


def _marks() -> list[Spec]:
    """Functions that begin or end something, or move on in it."""
    names = (
        "begin", "begin_simple", "end", "begin_child", "end_child", "begin_popup", "begin_popup_modal",
        "begin_popup_context_item", "begin_popup_context_window", "begin_popup_context_void", "end_popup",
        "begin_tooltip", "begin_item_tooltip", "end_tooltip", "end_combo", "end_menu", "begin_menu_bar",
        "end_menu_bar", "begin_main_menu_bar", "end_main_menu_bar", "begin_tab_bar", "end_tab_bar",
        "end_tab_item", "begin_table", "end_table", "table_setup_column", "table_headers_row", "tree_push",
        "tree_pop",
    )  # fmt: skip
    cells = ("table_next_row", "table_next_column", "table_set_column_index")
    return [
        *(_of(name, name, item=False, label=None) for name in names),
        *(_of(name, name, item=False, label=None, cell=True) for name in cells),
        *(_of(name, "tooltip", item=False, label=None) for name in ("set_tooltip", "set_item_tooltip")),
    ]


def _texts() -> list[Spec]:
    names = ("text", "text_unformatted", "text_disabled", "text_wrapped", "bullet_text")
    return [
        *(_of(name, "text", "text") for name in names),
        _of("text_colored", "text", "text", label=1),
        _of("separator_text", "text", "heading"),
        _of("label_text", "text", "text", value=1),
        _of("value", "text", "text", value=1),
    ]


SPECS: dict[str, Spec] = {
    spec.function: spec
    for spec in (
        _of("button", "button", "button"),
        _of("small_button", "button", "button"),
        _of("invisible_button", "button", "button", hidden=True),
        _of("arrow_button", "button", "button", hidden=True),
        _of("image_button", "button", "button", hidden=True),
        _of("color_button", "color", "color-well", hidden=True, value=1),
        _of("tab_item_button", "button", "button"),
        _of("text_link", "link", "link"),
        _of("text_link_open_url", "link", "link"),
        _of("checkbox", "checkbox", "checkbox"),
        _of("checkbox_flags", "checkbox", "checkbox"),
        _of("radio_button", "radio", "radio"),
        _of("combo", "combo", "combo-box", opens=True),
        _of("begin_combo", "combo", "combo-box", value=1, opens=True),
        _of("list_box", "list_box", "list-box", group=True),
        _of("begin_list_box", "list_box", "list-box", opens=True),
        _of("end_list_box", "end_list_box", label=None, item=False),
        _of("selectable", "selectable", "list-item", flags=2),
        _of("menu_item", "menu_item", "menu-item"),
        _of("menu_item_simple", "menu_item", "menu-item"),
        _of("begin_menu", "menu", "menu-item", opens=True),
        _of("begin_tab_item", "tab", "tab"),
        _of("begin_tab_item_simple", "tab", "tab"),
        _of("tree_node", "tree_node", "tree-item"),
        _of("tree_node_ex", "tree_node", "tree-item", flags=1),
        _of("collapsing_header", "header", "disclosure-triangle"),
        _of("input_text", "input", "textfield", flags=2, framed=True),
        _of("input_text_with_hint", "input", "textfield", flags=3, framed=True),
        _of("input_text_multiline", "input", "editable-text", flags=3),
        _of("color_edit3", "color", "color-well", group=True),
        _of("color_edit4", "color", "color-well", group=True),
        _of("color_picker3", "color", "color-well", group=True),
        _of("color_picker4", "color", "color-well", group=True),
        _of("progress_bar", "progress", "progress-indicator", label=None, value=0),
        _of("plot_lines", "plot", "figure"),
        _of("plot_histogram", "plot", "figure"),
        _of("image", "image", "image", label=None),
        _of("image_with_bg", "image", "image", label=None),
        _of("table_header", "column_header", "column-header"),
        *_texts(),
        *_numbers(),
        *_marks(),
    )
}

BESIDE: dict[str, Spec] = {
    "imgui_toggle.toggle": _of("toggle", "checkbox", "switch"),
    "imgui_knobs.knob": _of("knob", "knob", "slider", bounds=(2, 3)),
    "imgui_knobs.knob_int": _of("knob_int", "knob", "slider", bounds=(2, 3)),
    "internal.item_add": _of("item_add", "item", "unknown", label=None),
}
"""Functions of other modules of the bundle, and the one with which programs make items of their own."""

DRAWN_TEXT = _of("add_text", "drawn_text", "text", label=None)
"""Text that is drawn and is not an item."""

_LABEL = re.compile(r"^\w+\((label|str_id|desc_id): str\b")


def discovered(name: str, signature: str | None) -> Spec | None:
    """How to read a function that no line names; None if it draws no item that has a label."""
    found = _LABEL.match(signature or "")
    if found is None or name.startswith(
        ("begin", "end", "push", "pop", "get", "is_", "set_", "open_", "show_")
    ):
        return None
    return _of(name, name, "unknown", hidden=found[1] != "label")


def shown(label: str) -> str:
    """The part of a label that is shown: what stands before `##`."""
    return label.partition("##")[0]


def own_id(label: str) -> str | None:
    """The part of a label that only names it: what stands behind `##` or `###`."""
    _, mark, rest = label.partition("##")
    return rest.removeprefix("#") or None if mark else None
