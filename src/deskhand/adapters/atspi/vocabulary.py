"""The words of AT-SPI: roles, states and interfaces, and what they are in the model."""

from __future__ import annotations

ACCESSIBLE = "org.a11y.atspi.Accessible"
ACTION = "org.a11y.atspi.Action"
APPLICATION = "org.a11y.atspi.Application"
CACHE = "org.a11y.atspi.Cache"
COMPONENT = "org.a11y.atspi.Component"
EDITABLE_TEXT = "org.a11y.atspi.EditableText"
EVENT_OBJECT = "org.a11y.atspi.Event.Object"
EVENT_WINDOW = "org.a11y.atspi.Event.Window"
PROPERTIES = "org.freedesktop.DBus.Properties"
REGISTRY = "org.a11y.atspi.Registry"
SELECTION = "org.a11y.atspi.Selection"
TABLE = "org.a11y.atspi.Table"
TEXT = "org.a11y.atspi.Text"
VALUE = "org.a11y.atspi.Value"

ROOT_PATH = "/org/a11y/atspi/accessible/root"
NULL_PATH = "/org/a11y/atspi/null"
CACHE_PATH = "/org/a11y/atspi/cache"
REGISTRY_PATH = "/org/a11y/atspi/registry"

_ROLES = """
invalid|accelerator label|alert|animation|arrow|calendar|canvas|check box|check menu item|color chooser|
column header|combo box|date editor|desktop icon|desktop frame|dial|dialog|directory pane|drawing area|
file chooser|filler|focus traversable|font chooser|frame|glass pane|html container|icon|image|
internal frame|label|layered pane|list|list item|menu|menu bar|menu item|option pane|page tab|page tab list|
panel|password text|popup menu|progress bar|push button|radio button|radio menu item|root pane|row header|
scroll bar|scroll pane|separator|slider|spin button|split pane|status bar|table|table cell|
table column header|table row header|tearoff menu item|terminal|text|toggle button|tool bar|tool tip|tree|
tree table|unknown|viewport|window|extended|header|footer|paragraph|ruler|application|autocomplete|editbar|
embedded|entry|chart|caption|document frame|heading|page|section|redundant object|form|link|
input method window|table row|tree item|document spreadsheet|document presentation|document text|
document web|document email|comment|list box|grouping|image map|notification|info bar|level bar|title bar|
block quote|audio|video|definition|article|landmark|log|marquee|math|rating|timer|static|math fraction|
math root|subscript|superscript|description list|description term|description value|footnote|
content deletion|content insertion|mark|suggestion|push button menu|switch
"""
ROLE_NAMES: tuple[str, ...] = tuple(_ROLES.replace("\n", "").split("|"))
"""The names of AT-SPI's roles, by number."""
ROLE_NUMBERS = {name: number for number, name in enumerate(ROLE_NAMES)}

UNIFIED: dict[str, str] = {
    "accelerator label": "label-text", "alert": "alert", "animation": "image", "application": "application",
    "arrow": "image", "article": "region", "audio": "audio", "autocomplete": "search-input",
    "block quote": "blockquote", "button": "button", "calendar": "date-picker", "canvas": "canvas",
    "caption": "caption", "chart": "figure", "check box": "checkbox", "check menu item": "menu-item-checkbox",
    "color chooser": "color-well", "column": "column", "column header": "column-header",
    "combo box": "combo-box", "comment": "note", "content deletion": "content-deletion",
    "content insertion": "content-insertion", "date editor": "date-picker", "definition": "definition",
    "description list": "description-list", "description term": "description-list-term",
    "description value": "description-list-detail", "desktop frame": "group", "desktop icon": "image",
    "dial": "slider", "dialog": "dialog", "directory pane": "directory", "document email": "document",
    "document frame": "document", "document presentation": "document", "document spreadsheet": "document",
    "document text": "document", "document web": "web-area", "drawing area": "canvas", "editbar": "textfield",
    "embedded": "iframe", "entry": "textfield", "file chooser": "dialog", "filler": "group",
    "font chooser": "dialog", "footer": "footer", "footnote": "note", "form": "form", "frame": "window",
    "glass pane": "group", "grouping": "group", "header": "banner", "heading": "heading",
    "html container": "web-area", "icon": "image", "image": "image", "image map": "image",
    "info bar": "status", "input method window": "window", "internal frame": "group", "label": "text",
    "landmark": "region", "layered pane": "group", "level bar": "meter", "link": "link", "list": "list",
    "list box": "list-box", "list item": "list-item", "log": "log", "mark": "mark", "marquee": "marquee",
    "math": "math", "math fraction": "math-expression", "math root": "math-expression", "menu": "menu",
    "menu bar": "menu-bar", "menu item": "menu-item", "notification": "notification",
    "option pane": "dialog", "page": "tab-panel", "page tab": "tab", "page tab list": "tab-list",
    "panel": "group", "paragraph": "paragraph", "password text": "textfield", "popup menu": "menu",
    "progress bar": "progress-indicator", "push button": "button", "push button menu": "split-button",
    "radio button": "radio", "radio menu item": "menu-item-radio", "rating": "meter",
    "redundant object": "none", "root pane": "group", "row": "row", "row header": "row-header",
    "ruler": "toolbar", "scroll bar": "scroll-bar", "scroll pane": "scroll-area", "section": "section",
    "separator": "separator", "slider": "slider", "spin button": "spin-button", "split pane": "splitter",
    "static": "text", "status bar": "status", "subscript": "subscript", "suggestion": "suggestion",
    "superscript": "superscript", "switch": "switch", "table": "table", "table cell": "cell",
    "table column header": "column-header", "table row": "row", "table row header": "row-header",
    "tear off menu item": "menu-item", "tearoff menu item": "menu-item", "terminal": "editable-text",
    "text": "editable-text", "timer": "timer", "title bar": "toolbar", "toggle button": "toggle-button",
    "tool bar": "toolbar", "tool tip": "tooltip", "tree": "tree", "tree item": "tree-item",
    "tree table": "tree-grid", "video": "video", "viewport": "group", "window": "window",
}  # fmt: skip
"""AT-SPI's roles in the unified vocabulary; what is not here is unknown."""

DIALOGS = frozenset(("dialog", "alert", "file chooser", "color chooser", "font chooser", "option pane"))
"""Top-level objects of these roles are dialogs."""

_STATES = """
invalid active armed busy checked collapsed defunct editable enabled expandable expanded focusable focused
has-tooltip horizontal iconified modal multi-line multiselectable opaque pressed resizable selectable selected
sensitive showing single-line stale transient vertical visible manages-descendants indeterminate required
truncated animated invalid-entry supports-autocompletion selectable-text is-default visited checkable
has-popup read-only
"""
STATE_BITS: dict[str, int] = {name: 1 << number for number, name in enumerate(_STATES.split())}
"""Each state as a bit, by its name in events."""


class State:
    """The states that are looked at, as bits."""

    ACTIVE = STATE_BITS["active"]
    ARMED = STATE_BITS["armed"]
    CHECKED = STATE_BITS["checked"]
    DEFUNCT = STATE_BITS["defunct"]
    EDITABLE = STATE_BITS["editable"]
    ENABLED = STATE_BITS["enabled"]
    EXPANDABLE = STATE_BITS["expandable"]
    EXPANDED = STATE_BITS["expanded"]
    FOCUSABLE = STATE_BITS["focusable"]
    FOCUSED = STATE_BITS["focused"]
    ICONIFIED = STATE_BITS["iconified"]
    MODAL = STATE_BITS["modal"]
    MULTI_LINE = STATE_BITS["multi-line"]
    PRESSED = STATE_BITS["pressed"]
    SELECTABLE = STATE_BITS["selectable"]
    SELECTED = STATE_BITS["selected"]
    SENSITIVE = STATE_BITS["sensitive"]
    SINGLE_LINE = STATE_BITS["single-line"]
    SHOWING = STATE_BITS["showing"]
    VISIBLE = STATE_BITS["visible"]
    MANAGES_DESCENDANTS = STATE_BITS["manages-descendants"]
    INDETERMINATE = STATE_BITS["indeterminate"]
    CHECKABLE = STATE_BITS["checkable"]
    HAS_POPUP = STATE_BITS["has-popup"]
    READ_ONLY = STATE_BITS["read-only"]


class Face:
    """The interfaces that are looked at, as bits."""

    ACTION, COMPONENT, TEXT, EDITABLE, VALUE, SELECTION, TABLE, COLLECTION, IMAGE, CELL, DOCUMENT, LINK = (
        1 << number for number in range(12)
    )


FACE_BITS: dict[str, int] = {
    ACTION: Face.ACTION, COMPONENT: Face.COMPONENT, TEXT: Face.TEXT, EDITABLE_TEXT: Face.EDITABLE,
    VALUE: Face.VALUE, SELECTION: Face.SELECTION, TABLE: Face.TABLE,
    "org.a11y.atspi.Collection": Face.COLLECTION, "org.a11y.atspi.Image": Face.IMAGE,
    "org.a11y.atspi.TableCell": Face.CELL, "org.a11y.atspi.Document": Face.DOCUMENT,
    "org.a11y.atspi.Hyperlink": Face.LINK,
}  # fmt: skip


def state_names(states: int) -> list[str]:
    """The names of the states in a set, for people."""
    return [name for name, bit in STATE_BITS.items() if states & bit]
