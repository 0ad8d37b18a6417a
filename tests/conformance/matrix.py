"""What an adapter cannot do, with the reason; everything else every adapter must do.

Each row is checked against what ran: a behaviour that is listed here must be refused with an error of ours.
One that works although it is listed fails the suite, and so does one that fails in another way.
docs/reference/matrix.md is made from this by scripts/generate_matrix.py.
"""

from __future__ import annotations

from typing import NamedTuple


class Row(NamedTuple):
    """Why a behaviour is not possible, and the kind of error that refuses it; several where speed decides."""

    reason: str
    refused: str | tuple[str, ...] = "action_unsupported"


_NO_PIXELS = Row("it has no pixels, and therefore no screenshots and no pointer")
_NO_KEYS = Row("it has no keyboard")
_NO_IDS = Row("the toolkit reports no ids over AT-SPI; elements are found by role and name", "not_found")
_NO_ROWS = Row("xa11y reports neither rows nor columns, only the cells that are shown")

_GTK4_HIDDEN = Row("GTK 4 removes hidden elements from its tree", "not_found")
_GTK4_MENUS = Row("GTK 4 has the items of a menu only while it is open", "not_found")
_GTK4_RADIO = Row("GTK 4 reports a radio button as a check box", "not_found")
_GTK4_ROWS = Row("GTK 4 reports neither how many rows a table has nor which of them it shows")

_OFFSCREEN = {
    "test_a_screenshot_of_the_desktop_shows_the_whole_screen": Row(
        "Qt's offscreen platform has no desktop", "screenshot_failed"
    )
}

_IMGUI_HIDDEN = Row("in immediate mode an element that is not drawn does not exist", "not_found")
_IMGUI_MENUS = Row("in immediate mode the items of a menu exist only while it is open", "not_found")
_IMGUI_BARE = Row("it does not draw into a window of the desktop")
_IMGUI = {
    "test_hidden_elements_are_listed_as_hidden": _IMGUI_HIDDEN,
    "test_a_hidden_button_is_not_clicked": _IMGUI_HIDDEN,
    "test_one_visible_match_among_hidden_ones_is_the_match": _IMGUI_HIDDEN,
    "test_a_cell_is_selected_and_edited": Row(
        "a table of Dear ImGui has no cells of its own: one that is not drawn as a field cannot be edited",
        "not_editable",
    ),
    "test_menu_items_in_closed_menus_are_activated": _IMGUI_MENUS,
    "test_a_menu_item_is_checked": _IMGUI_MENUS,
}

CANNOT: dict[str, dict[str, Row]] = {
    "memory": {
        "test_a_screenshot_of_the_window_is_a_png_of_its_size": _NO_PIXELS,
        "test_a_screenshot_of_a_node_is_a_part_of_the_window": _NO_PIXELS,
        "test_a_screenshot_of_the_desktop_shows_the_whole_screen": _NO_PIXELS,
        "test_the_pointer_hovers_without_pressing": _NO_PIXELS,
        "test_a_shortcut_reaches_the_app": _NO_KEYS,
        "test_keys_edit_the_field_that_has_the_focus": _NO_KEYS,
        "test_a_window_moves_and_resizes": _NO_PIXELS,
    },
    "pyside6-offscreen": _OFFSCREEN,
    "pyqt6-offscreen": _OFFSCREEN,
    "imgui": _IMGUI,
    "imgui-bare": {
        **_IMGUI,
        "test_a_screenshot_of_the_window_is_a_png_of_its_size": _IMGUI_BARE,
        "test_a_screenshot_of_a_node_is_a_part_of_the_window": _IMGUI_BARE,
        "test_a_window_moves_and_resizes": _IMGUI_BARE,
    },
    "xa11y": {
        "test_ids_set_by_the_app_are_reported": Row(
            "on Linux xa11y reports no ids; elements are found by role and name", "not_found"
        ),
        "test_a_table_of_many_rows_shows_those_on_screen": Row(
            "xa11y reports neither rows nor columns, and reads each cell by itself, which may take too long",
            ("not_reported", "ui_busy"),
        ),
        "test_a_distant_row_is_scrolled_to_by_index_and_by_text": _NO_ROWS,
        "test_a_missing_row_or_column_is_an_unknown_option": _NO_ROWS,
        "test_a_cell_is_selected_and_edited": _NO_ROWS,
        "test_a_menu_item_is_checked": Row(
            "xa11y does not report which items of a Qt menu can be checked; they look like any other item",
            "not_found",
        ),
        "test_a_context_menu_opens_and_its_entry_works": Row(
            "a Qt popup menu has no parent, and xa11y sees only children of the window", "not_found"
        ),
    },
    "atspi-gtk3": {
        "test_ids_set_by_the_app_are_reported": _NO_IDS,
    },
    "atspi-gtk4": {
        "test_hidden_elements_are_listed_as_hidden": _GTK4_HIDDEN,
        "test_a_hidden_button_is_not_clicked": _GTK4_HIDDEN,
        "test_one_visible_match_among_hidden_ones_is_the_match": _GTK4_HIDDEN,
        "test_options_of_a_combo_box_are_listed": Row(
            "GTK 4 has the options of a drop-down only while it is open", "not_reported"
        ),
        "test_a_radio_button_is_chosen": _GTK4_RADIO,
        "test_a_radio_button_cannot_be_unchecked": _GTK4_RADIO,
        "test_a_table_of_many_rows_shows_those_on_screen": Row(_GTK4_ROWS.reason, "not_reported"),
        "test_a_distant_row_is_scrolled_to_by_index_and_by_text": _GTK4_ROWS,
        "test_a_missing_row_or_column_is_an_unknown_option": _GTK4_ROWS,
        "test_a_cell_is_selected_and_edited": _GTK4_ROWS,
        "test_a_tree_item_expands_and_shows_its_children": Row(
            "GTK 4 reports a tree as a list whose rows do not say that they expand", "not_found"
        ),
        "test_menu_items_in_closed_menus_are_activated": _GTK4_MENUS,
        "test_a_menu_item_is_checked": _GTK4_MENUS,
        "test_ids_set_by_the_app_are_reported": _NO_IDS,
    },
    "atspi-qt5": {
        "test_a_menu_item_is_checked": Row(
            "Qt 5 does not report over AT-SPI that a menu item can be checked", "not_found"
        ),
        "test_ids_set_by_the_app_are_reported": _NO_IDS,
    },
}
"""By adapter, or by way in where the toolkit makes the difference."""

WAYS: dict[str, str] = {
    "memory": "the engine in this process, over plain Python objects",
    "memory-gip": "the same through GIP on a Unix socket",
    "memory-ws": "the same through GIP on a WebSocket",
    "memory-http": "the same through GIP by HTTP POST",
    "pyside6-xcb": "an unmodified PySide6 script started by launch(), on a private desktop",
    "pyqt6-xcb": "an unmodified PyQt6 script, likewise",
    "pyside6-offscreen": "an unmodified PySide6 script with Qt's offscreen platform",
    "pyqt6-offscreen": "an unmodified PyQt6 script with Qt's offscreen platform",
    "pyside6-qml": "an unmodified Qt Quick program in PySide6, started by launch(), on a private desktop",
    "pyqt6-qml": "an unmodified Qt Quick program in PyQt6, likewise",
    "pyside6-enable": "a PySide6 program that calls deskhand.enable() itself, through connect()",
    "wx-xcb": "an unmodified wxPython script in Debian's Python, started by launch(), on a private desktop",
    "imgui-glfw": "an unmodified hello_imgui script with GLFW, started by launch(), on a private desktop",
    "imgui-bare": "an unmodified Dear ImGui script that draws without a window, started by launch()",
    "javafx": "an unmodified JavaFX program, through a shell script that ends in java, started by launch()",
    "atspi-gtk3": "an unmodified GTK 3 program, driven from outside through the accessibility bus",
    "atspi-gtk4": "an unmodified GTK 4 program, likewise",
    "atspi-qt5": "an unmodified Qt 5 program, likewise",
    "atspi-pyside6": "an unmodified Qt 6 program, likewise",
    "xa11y-pyside6": "an unmodified PySide6 script on a private desktop, from outside through xa11y",
}
"""Every way in that the suite runs over."""

DID_NOT_RUN: dict[str, str] = {
    "xa11y on Windows and macOS": "the adapter is the same; the suite has run on Linux only",
    "named pipe": "GIP on a named pipe needs Windows; the suite has run on Linux only",
}
"""Ways in that exist, and why the suite has not run over them."""


def has_all_controls(way: str) -> bool:
    """Whether the form behind it has every control: menus, tabs, tables, trees.

    The memory adapter is for the engine's own logic; the controls of Qt Quick have tests of their own.
    """
    return not way.startswith("memory") and not way.endswith("qml")


def adapter_of(way: str) -> str:
    """The adapter behind a way in."""
    if way.startswith("xa11y"):
        return "xa11y"
    if way.startswith("atspi") or way == "javafx" or way in CANNOT:
        return way
    return next((name for name in ("memory", "imgui", "wx") if way.startswith(name)), "qt")


def tells_ids(way: str) -> bool:
    """Whether the ids that an app set can be seen."""
    return "test_ids_set_by_the_app_are_reported" not in CANNOT.get(adapter_of(way), {})
