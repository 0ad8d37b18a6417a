"""What xa11y says of an element, in the words of the model.

xa11y has about forty roles for three platforms. Where the platform's own word says more, that one counts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ...model.node import MASK, Node, Option, Rect, Window
from ...model.roles import CONTROL_ROLES

if TYPE_CHECKING:
    import xa11y

UNIFIED = {
    "alert": "alert", "application": "application", "button": "button", "check_box": "checkbox",
    "combo_box": "combo-box", "dialog": "dialog", "group": "group", "heading": "heading", "image": "image",
    "link": "link", "list": "list", "list_item": "list-item", "menu": "menu", "menu_bar": "menu-bar",
    "menu_item": "menu-item", "navigation": "navigation", "progress_bar": "progress-indicator",
    "radio_button": "radio", "scroll_bar": "scroll-bar", "scroll_thumb": "group", "separator": "separator",
    "slider": "slider", "spin_button": "spin-button", "split_group": "splitter", "static_text": "text",
    "status": "status", "switch": "switch", "tab": "tab", "tab_group": "tab-list", "table": "table",
    "table_cell": "cell", "table_row": "row", "text_area": "editable-text", "text_field": "textfield",
    "toolbar": "toolbar", "tooltip": "tooltip", "tree_item": "tree-item", "unknown": "unknown",
    "web_area": "web-area", "window": "window",
}  # fmt: skip
"""xa11y's roles in the unified vocabulary."""

NATIVE = {
    # AT-SPI
    "canvas": "canvas", "check menu item": "menu-item-checkbox", "column header": "column-header",
    "drawing area": "canvas", "form": "form", "layered pane": "group", "list box": "list-box",
    "page": "tab-panel", "paragraph": "paragraph", "password text": "textfield",
    "radio menu item": "menu-item-radio", "row header": "row-header", "scroll pane": "scroll-area",
    "table column header": "column-header", "table row header": "row-header",
    "toggle button": "toggle-button", "tree": "tree", "tree table": "tree-grid",
    # AX
    "AXColorWell": "color-well", "AXColumn": "column", "AXDateField": "date-picker",
    "AXDisclosureTriangle": "disclosure-triangle", "AXOutline": "tree", "AXOutlineRow": "tree-item",
    "AXRadioGroup": "radio-group", "AXRow": "row", "AXScrollArea": "scroll-area",
    "AXSearchField": "search-input", "AXSecureTextField": "textfield", "AXToggle": "toggle-button",
    # UI Automation, by the number of the control type
    "50001": "date-picker", "50023": "tree", "50030": "document", "50031": "split-button",
    "50034": "row-group", "50035": "column-header",
}  # fmt: skip
"""Native words that say more than xa11y's role."""

WINDOWS = frozenset(("window", "dialog", "alert"))
"""xa11y's roles of windows; what else is at the top, such as a menu, counts while it is shown."""
CHOICES = frozenset(("list-item", "menu-item", "menu-item-radio", "tab", "tree-item", "list-box-option"))
_MENUS = frozenset(("menu", "menu-bar", "menu-item", "menu-item-checkbox", "menu-item-radio"))
_CHECKABLE = frozenset(
    ("checkbox", "radio", "switch", "toggle-button", "menu-item-checkbox", "menu-item-radio")
)
CHOOSERS = frozenset(("combo-box", "list", "list-box", "tab-list", "tree"))
_CURRENT = CHOICES | {"cell"}
_HOLDS_CURRENT = CHOOSERS | {"table", "tree-grid"}
_LABELLED = frozenset(("textfield", "editable-text", "combo-box", "spin-button", "slider", "search-input"))
_SHOWS_NAME = frozenset(
    ("text", "button", "checkbox", "radio", "link", "heading", "tab", "list-item", "cell", "tree-item",
     "menu-item", "menu-item-checkbox", "menu-item-radio", "toggle-button", "switch", "column-header",
     "row-header", "status", "tooltip")
)  # fmt: skip
_SECRET = frozenset(("password text", "AXSecureTextField"))
_DOTS = frozenset("●•∙⬤")
_ACTIONS = {
    "press": "press", "focus": "focus", "show_menu": "show-menu", "toggle": "toggle", "expand": "expand",
    "collapse": "collapse", "select": "select", "set_value": "set-value", "increment": "increment",
    "decrement": "decrement", "scroll_into_view": "scroll-into-view",
}  # fmt: skip
_MAY_NEED_A_LABEL = frozenset(("text_field", "text_area", "combo_box", "spin_button", "slider"))
_FAR = 1 << 20
_LINE = 1000
"""Labels in the same line come before labels above, in pixels."""
_LEAVES = frozenset(("text", "checkbox", "radio", "separator", "scroll-bar", "slider"))
"""Roles with nothing inside that is an element of its own to its user."""
_OPTIONS = 1000
_FIRST_OF_QT = 1 << 31


@dataclass(frozen=True)
class Around:
    """What holds for a node because of those above and beside it."""

    parent: str | None = None
    visible: bool = True
    enabled: bool = True
    clip: Rect | None = None
    menu: bool = False
    """Inside a menu or a list that drops down: its entries have no place until it opens."""
    label: str | None = None
    """The text of the label beside it."""
    keyboard: bool | None = True
    """Whether an item that says that it has the focus has it; None if what it is in does not say."""


def native(element: xa11y.Element) -> str:
    """What the platform calls the role."""
    raw = element.raw
    for name in ("atspi_role", "ax_subrole", "ax_role", "control_type_id"):
        # Only macOS has two words; the second is often an empty phrase.
        if (word := raw.get(name)) and (str(word) in NATIVE or name != "ax_subrole"):
            return str(word)
    return element.role


def role_of(element: xa11y.Element, top: bool) -> str:
    """The unified role; an alert in a window of its own is a dialog."""
    if top and element.role in WINDOWS:
        return "window" if element.role == "window" else "dialog"
    return NATIVE.get(native(element)) or UNIFIED.get(element.role, "unknown")


def fields_of(element: xa11y.Element, uid: str, around: Around) -> dict[str, Any]:
    """The fields of an element's node, but for what its children tell."""
    role = role_of(element, around.parent is None)
    word = native(element)
    fields: dict[str, Any] = {
        "uid": uid,
        "role": role,
        "native_class": str(element.raw.get("class_name") or word.replace(" ", "")),
        "platform_role": word,
        "backend": "xa11y",
    }
    if around.parent is not None:
        fields["parent"] = around.parent
    if identity := automation_id(element):
        fields["automation_id"] = identity
    _place(fields, element, role, around)
    _states(fields, element, role, around)
    _texts(fields, element, role, word, around)
    if not element.visible and role in CONTROL_ROLES and not ("name" in fields or fields.get("value")):
        fields["internal"] = (
            True  # a part of a control that it shows when there is need, such as » in a tool bar
        )
    if actions := _offered(element, fields):
        fields["actions"] = actions
    return fields


def automation_id(element: xa11y.Element) -> str | None:
    """The id that the program gave it. What AT-SPI has instead is the object's address, which is none."""
    if "object_path" in element.raw:
        return None
    return element.stable_id or None


def properties(element: xa11y.Element) -> dict[str, Any]:
    """What the platform says in its own words, but for the value, which may be secret."""
    return {name: part for name, part in element.raw.items() if not name.endswith("_value")}


def beneath(around: Around, fields: dict[str, Any]) -> Around:
    """What holds for the children of a node."""
    visible = fields.get("visible", True)
    if fields["role"] == "tab":
        # GTK has the pages inside the tabs, and shows that of the chosen one.
        return Around(fields["uid"], visible and fields.get("selected", True), fields.get("enabled", True))
    menu = fields["role"] in _MENUS or fields["role"] == "combo-box" or around.menu
    clip = around.clip
    if menu:
        clip = None  # what drops down is a window of its own
    elif (bounds := fields.get("bounds")) is not None and bounds.width and bounds.height:
        clip = bounds if clip is None else clip.intersection(bounds) or bounds
    keyboard: bool | None = True
    if fields["role"] in _HOLDS_CURRENT and not fields.get("focused"):
        keyboard = False if fields.get("focusable") else None  # the views of Qt 5 never say
    return Around(fields["uid"], visible, fields.get("enabled", True), clip, menu, keyboard=keyboard)


def labelled(around: Around, element: xa11y.Element, siblings: list[xa11y.Element]) -> Around:
    """The same, with the label beside an element, where that needs one."""
    label = _label(element, siblings) if element.role in _MAY_NEED_A_LABEL else None
    return around if around.label == label else replace(around, label=label)


def _label(element: xa11y.Element, siblings: list[xa11y.Element]) -> str | None:
    """The text on its left in the same line, or right above it. The order of siblings tells nothing."""
    field = rect(element)
    if field is None:
        return None
    near: list[tuple[float, str]] = []
    for sibling in siblings:
        place = rect(sibling)
        if sibling.role != "static_text" or not sibling.name or place is None:
            continue
        middle_x, middle_y = place.center
        if field.y <= middle_y <= field.y + field.height and middle_x < field.x:
            near.append((field.x - place.x - place.width, sibling.name))
        elif field.x <= middle_x <= field.x + field.width and middle_y < field.y:
            above = field.y - place.y - place.height
            if above <= place.height:
                near.append((_LINE + above, sibling.name))
    return min(near)[1] if near else None


def rect(element: xa11y.Element) -> Rect | None:
    """Where an element is, if it is anywhere."""
    there = element.bounds
    if there is None or not element.visible or not (there.width and there.height):
        return None
    if max(abs(there.x), abs(there.y)) >= _FAR:
        return None  # so toolkits say nowhere
    return Rect(there.x, there.y, there.width, there.height)


def worth_entering(fields: dict[str, Any], around: Around) -> bool:
    """Whether to look at what is inside: xa11y takes milliseconds for each element, shown or not."""
    if fields["role"] in _LEAVES:
        return False
    return fields.get("visible", True) or around.menu or fields["role"] in _MENUS


def passes_on(role: str, around: Around) -> bool:
    """Whether what can be chosen in it is chosen in the combo box above."""
    return around.menu and role in ("menu", "list", "list-box", "group")


def says_of_it(fields: dict[str, Any], around: Around, beyond: bool) -> bool:
    """Whether what is inside says something of a node whose children are not asked for: its name or options.

    One that is `beyond` those asked for counts for the options of one above.
    """
    if fields["role"] in CHOICES and "name" not in fields:
        return True
    return passes_on(fields["role"], around) if beyond else fields["role"] in CHOOSERS


def title(element: xa11y.Element) -> str:
    """What an option says; in GTK the text may be inside."""
    if element.name or element.value:
        return element.name or element.value or ""
    return next(
        (child.name for child in element.children() if child.role == "static_text" and child.name), ""
    )


def entitle(fields: dict[str, Any], inside: dict[str, Any]) -> None:
    """Call an option that has no name by the text inside it."""
    if fields["role"] in CHOICES and "name" not in fields and "name" in inside:
        fields["name"] = fields["text"] = inside["name"]


def hides(fields: dict[str, Any]) -> bool:
    """Whether there is likely to be something inside that is not looked at."""
    return fields["role"] not in CONTROL_ROLES and fields["role"] not in _LEAVES


def add_options(fields: dict[str, Any], children: list[dict[str, Any]]) -> None:
    """What can be chosen in it, once everything below is known."""
    if fields["role"] not in CHOOSERS or not children:
        return
    shown = fields.get("name") if fields["role"] == "combo-box" and "labelled_by" not in fields else None
    texts = [child.get("name") or child.get("text") or "" for child in children]
    chosen = [bool(child.get("selected")) for child in children]
    combo = fields["role"] == "combo-box"
    if combo and shown in texts:
        # What Qt calls the name of a combo box is what is chosen in it.
        chosen = [text == shown for text in texts]
        del fields["name"]
        if label := fields.pop("label", None):
            fields["name"] = fields["labelled_by"] = label
    options = tuple(
        Option(index, text, text, on)
        for index, (text, on) in enumerate(zip(texts, chosen, strict=True))
        if index < _OPTIONS
    )
    fields["options"] = options
    if len(texts) > _OPTIONS:
        fields["options_count"] = len(texts)
    if combo and (value := next((option.text for option in options if option.selected), shown)):
        fields["value"] = fields["text"] = value
    if "select" not in fields.get("actions", ()):
        fields["actions"] = (*fields.get("actions", ()), "select")


def window_of(element: xa11y.Element, node: Node, app_name: str, pid: int) -> Window:
    """The window that a top-level element is."""
    kinds = {"dialog": "dialog", "window": "regular", "menu-bar": "menuBar"}
    return Window(
        uid=node.uid,
        title=element.name,
        app_name=app_name,
        pid=pid,
        kind=kinds.get(node.role, "popup"),
        bounds=node.bounds,
        focused=element.active,
        showing=node.visible,
        minimized=bool(element.minimized),
        maximized=bool(element.maximized),
        modal=node.modal,
    )


def _place(fields: dict[str, Any], element: xa11y.Element, role: str, around: Around) -> None:
    entry = around.menu and role in _MENUS
    visible = around.visible and (element.visible or entry)
    if not visible:
        fields["visible"] = False
        return
    bounds = rect(element)
    if bounds is None:
        if element.bounds is not None and element.visible and not entry and around.clip is not None:
            fields["offscreen"] = True  # so GTK says that it is scrolled away
        return
    fields["bounds"] = bounds
    if around.clip is not None and bounds.intersection(around.clip) is None:
        fields["offscreen"] = True


def _states(fields: dict[str, Any], element: xa11y.Element, role: str, around: Around) -> None:
    if not (element.enabled and around.enabled):
        fields["enabled"] = False
    if element.focused and not (around.keyboard is False and is_current(element, role)):
        fields["focused"] = True
    if element.focusable:
        fields["focusable"] = True
    # Message boxes wait for an answer, also where the toolkit does not tell that they are modal.
    if element.modal or (around.parent is None and element.role == "alert"):
        fields["modal"] = True
    # xa11y calls every entry of a menu unticked, also those that cannot be ticked.
    if role in _CHECKABLE or element.checked not in (None, "off"):
        fields["checked"] = element.checked == "on"
        if element.checked == "mixed":
            fields["mixed"] = True
    if element.selected or role in CHOICES or role == "cell":
        fields["selected"] = element.selected
    if element.expanded is not None:
        fields["expanded"] = element.expanded
    if element.editable or (role in ("slider", "spin-button") and element.numeric_value is not None):
        fields["editable"] = True


def is_current(element: xa11y.Element, role: str) -> bool:
    """Whether something that says that it has the focus may only be the current one of what it is in.

    Qt says that of the current item of every view, and of the current tab. It numbers objects from 2**31 on.
    """
    if role not in _CURRENT:
        return False
    _, _, number = str(element.raw.get("object_path", "")).rpartition("/")
    return number.isdecimal() and int(number) >= _FIRST_OF_QT


def _texts(fields: dict[str, Any], element: xa11y.Element, role: str, word: str, around: Around) -> None:
    name, value = element.name, element.value
    if role in _LABELLED:
        if name is None:
            name = around.label
        elif role == "combo-box" and around.label:
            fields["label"] = around.label
        # The name that a toolkit gives a field is mostly its label's text, and not said to be that.
        if name and (element.name is None or role != "combo-box"):
            fields["labelled_by"] = name
    if name:
        fields["name"] = name
    if element.description and element.description != name:
        fields["description"] = element.description
    if element.numeric_value is not None and (not value or _is_number(value)):
        fields["number"] = element.numeric_value
        value = value or f"{element.numeric_value:g}"
        low, high = element.min_value, element.max_value
        if low is not None and high is not None and high > low:
            fields["minimum"], fields["maximum"] = low, high
    # Not every toolkit tells that a field is for a password; one that shows nothing but dots is.
    if word in _SECRET or (role == "textfield" and value and not set(value) - _DOTS):
        fields["password"] = True
        value = MASK if value else ""
    if value is None and fields.get("editable"):
        value = ""
    if value is not None:
        fields["text"] = value
        if role != "text":
            fields["value"] = value
    elif name and role in _SHOWS_NAME:
        fields["text"] = name


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _offered(element: xa11y.Element, fields: dict[str, Any]) -> tuple[str, ...]:
    offered = [_ACTIONS[name] for name in element.actions if name in _ACTIONS]
    if fields.get("checked") is not None:
        offered.append("toggle")
    if fields.get("editable"):
        offered.append("set-value")
    if fields.get("focusable"):
        offered.append("focus")
    return tuple(dict.fromkeys(offered))
