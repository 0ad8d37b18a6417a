"""Roles by how their objects are read: which have text, a number, children, an obvious action."""

from __future__ import annotations

from .item import Item
from .vocabulary import ROLE_NAMES, ROLE_NUMBERS

TEXT_ROLES = frozenset(
    ROLE_NUMBERS[name]
    for name in (
        "text",
        "terminal",
        "paragraph",
        "document text",
        "document frame",
        "document web",
        "editbar",
    )
)
NAMED = frozenset(
    ROLE_NUMBERS[name]
    for name in (
        "label", "static", "caption", "heading", "accelerator label", "menu", "menu item",
        "check menu item", "radio menu item", "push button", "toggle button", "check box",
        "radio button", "page tab", "tool tip", "icon", "image", "separator", "combo box", "link",
        "push button menu",
    )
)  # fmt: skip
"""Roles whose name is their text."""
HOLDERS = frozenset(
    ROLE_NUMBERS[name]
    for name in ("panel", "notification", "tool bar", "frame", "page tab list", "form", "filler", "window")
)
"""Roles whose text is that of what is inside."""
VALUED = frozenset(
    ROLE_NUMBERS[name]
    for name in (
        "slider", "spin button", "progress bar", "scroll bar", "dial", "level bar", "rating",
        "split pane", "entry", "text", "filler", "panel", "unknown",
    )
)  # fmt: skip
"""Roles that may hold a number; LibreOffice says so of every menu entry."""
COMBO = ROLE_NUMBERS["combo box"]
CELL = ROLE_NUMBERS["table cell"]
PASSWORD = ROLE_NUMBERS["password text"]
VIEWS = frozenset(ROLE_NUMBERS[name] for name in ("table", "tree", "tree table", "list", "list box"))
ROWS = frozenset(ROLE_NUMBERS[name] for name in ("list item", "table cell", "tree item"))
FIELDS = frozenset(
    ROLE_NUMBERS[name] for name in ("entry", "text", "password text", "combo box", "spin button", "slider")
)
INERT = frozenset(
    ROLE_NUMBERS[name]
    for name in (
        "label", "filler", "panel", "frame", "dialog", "alert", "scroll pane", "viewport",
        "layered pane", "tool bar", "menu bar", "page tab list", "status bar", "split pane", "table",
        "tree", "list", "popup menu", "separator", "table cell", "progress bar", "tool tip", "window",
    )
)  # fmt: skip
"""Roles whose only action, in Qt, is to take the focus or to be toggled in a selection."""
TEXTS = frozenset(ROLE_NUMBERS[name] for name in ("static", "label", "paragraph", "caption"))
ENTRIES = frozenset(
    ROLE_NUMBERS[name] for name in ("menu item", "check menu item", "radio menu item", "separator")
)
MENU, MENU_ITEM = ROLE_NUMBERS["menu"], ROLE_NUMBERS["menu item"]
MENU_BAR = ROLE_NUMBERS["menu bar"]
OPENS = frozenset(ROLE_NUMBERS[name] for name in ("combo box", "menu bar", "menu", "menu item"))
WIDGETS = frozenset(
    ROLE_NUMBERS[name]
    for name in (
        "panel", "filler", "label", "push button", "toggle button", "check box", "radio button", "separator",
        "text", "password text", "spin button", "combo box", "tool bar", "menu bar", "menu", "menu item",
        "check menu item", "radio menu item", "scroll pane", "scroll bar", "viewport", "slider", "image",
        "progress bar", "status bar", "page tab list", "list box", "tree table", "grouping",
    )
)  # fmt: skip
"""Roles that only widgets have in GTK 3, unless they are in a view."""
FRAME = ROLE_NUMBERS["frame"]
MANAGED = frozenset(ROLE_NUMBERS[name] for name in ("frame", "dialog", "alert", "file chooser"))
"""Roles of windows that the window manager has, too."""
POPUPS = frozenset(ROLE_NUMBERS[name] for name in ("popup menu", "tool tip", "window"))
PLAIN_ACTIONS = frozenset(
    ROLE_NUMBERS[name]
    for name in (
        "push button", "toggle button", "check box", "radio button", "menu", "menu item", "check menu item",
        "radio menu item", "entry", "text", "password text", "spin button", "combo box", "page tab", "link",
        "list item", "scroll bar", "slider", "switch",
    )
)  # fmt: skip
"""Roles that say by themselves what their action does."""


def role_name(item: Item) -> str:
    """The name of an item's role in AT-SPI."""
    return ROLE_NAMES[item.role] if item.role < len(ROLE_NAMES) else "unknown"
