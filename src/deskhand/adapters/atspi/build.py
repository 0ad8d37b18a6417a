"""Makes the model's nodes and windows from items, without any calls to programs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ...model.node import MASK, Node, Option, Rect, Window, called
from ..captions import beside
from .dates import is_field, value_of
from .item import App, Item
from .kinds import FIELDS, MANAGED, ROWS
from .views import virtualization
from .vocabulary import DIALOGS, ROLE_NAMES, ROLE_NUMBERS, UNIFIED, Face, State, state_names
from .windows import XWindow

_OPTIONS = 100
_UNIFIED = tuple(UNIFIED.get(name, "unknown") for name in ROLE_NAMES)
_CLASSES = tuple("".join(word.title() for word in name.split()) for name in ROLE_NAMES)
_numbers = ROLE_NUMBERS


def _some(*names: str) -> frozenset[int]:
    return frozenset(ROLE_NUMBERS[name] for name in names)


_CHECKABLE = _some(
    "check box", "radio button", "check menu item", "radio menu item", "toggle button", "switch"
)
_SETTABLE = _some("slider", "spin button", "dial", "scroll bar", "split pane")
_CLIPS = _some("scroll pane", "viewport", "table", "tree", "tree table", "list", "list box", "document web")
_SHOWS_NAME = _some(
    "label", "static", "push button", "toggle button", "check box", "radio button", "menu", "menu item",
    "check menu item", "radio menu item", "page tab", "link", "list item", "table cell", "tree item",
    "heading", "table column header", "column header", "table row header", "row header", "tool tip",
    "caption", "status bar", "push button menu", "paragraph",
)  # fmt: skip
_PRESSABLE = _some(
    "push button", "toggle button", "check box", "radio button", "menu", "menu item", "check menu item",
    "radio menu item", "link", "page tab", "switch", "push button menu", "combo box", "list item", "icon",
)  # fmt: skip
_COMBO, _PASSWORD, _TAB, _TEXT, _MENU_ITEM, _ALERT, _MENU_BAR, _CELL, _TREE, _POPUP_MENU, _BUTTON = (
    ROLE_NUMBERS[name]
    for name in (
        "combo box", "password text", "page tab", "text", "menu item", "alert", "menu bar", "table cell",
        "tree", "popup menu", "push button",
    )
)  # fmt: skip
_PANES = _some("scroll pane", "viewport", "document web")
_DATE = ROLE_NUMBERS["date editor"]
_TREES = _some("tree", "tree table")
_OPENS = _some("combo box", "menu bar", "menu", "menu item")
_SEPARATOR, _ROOT_PANE = _numbers["separator"], _numbers["root pane"]
_ENTRIES = _some("menu", "menu item", "check menu item", "radio menu item", "popup menu", "separator")
_CHOICES = _some("menu item", "list item", "check menu item", "radio menu item", "table cell", "tree item")
_CHOOSERS = _some("combo box", "list", "list box", "page tab list")
_MENUS = _some("menu", "popup menu", "window", "list", "panel", "filler", "scroll pane", "viewport")
_VIEWS = _some("table", "tree", "tree table", "list", "list box")
_CURRENT = ROWS | _some("page tab")
"""What can be the current one of what it is in."""
_HOLDS_CURRENT = _VIEWS | _some("page tab list")
_PRESS_NAMES = frozenset(
    ("click", "press", "activate", "invoke", "jump", "toggle", "check", "uncheck", "open", "select")
)
_LABELS = _some("label", "static")
_LINES = _some("text", "entry", "editbar")
_AROUND_FIELDS = _some("panel", "filler", "layered pane")
_FIELD_DEPTH = 3
"""How deep in a combo box its field can be: in GTK 4 it is in a box."""
_INNER_FRAMES = _some("frame", "file chooser", "font chooser")
"""Roles of windows that toolkits also report for a part of one: GTK's choosers have that of their dialog."""
_FRAMES = _PRESSABLE - _some("combo box", "icon", "menu") | _some("list item", "tree item", "table cell")
_BESIDE = 200
"""Among more things than this, no labels are looked for."""
_WORDS = 4
"""From more labels than this, no name is made."""
_NAMELESS = _some("filler", "panel", "grouping", "scroll pane")
_CLASS = re.compile("[A-Z][a-z0-9]+([A-Z][a-z0-9]*)+")
_DIGITS = re.compile(r"^[^\d]{0,8}[\d.,\s]+[^\d]{0,8}$")
_QT_CLASS = re.compile("Q[A-Z][A-Za-z0-9_:]*")
_SCALED = 1.2
"""From this on, what a window is larger than its program says is a scale, and no frame or shadow."""
_POPOVERS = ("GtkPopover", "GtkTreePopover", "GtkEmojiChooser")
"""How the names of popovers of GTK 4 begin: their classes."""
_POPOVER_INSIDE = "GtkPopoverContent"
_VISIBLE = "visible_bounds"
"""The property that has the visible part of a node, where that is not all of it."""
_FAR = 1 << 20
"""Beyond this, coordinates are what toolkits say for nowhere."""


@dataclass(frozen=True)
class Surroundings:
    """What a node inherits."""

    parent: str | None
    visible: bool
    enabled: bool
    clip: Rect | None
    shift: tuple[float, float]
    scrolled: bool = False
    menu: bool = False
    """In a menu bar, whose entries can be pressed also while their menu is closed."""
    away: bool = False
    """Out of sight, with all that is inside."""
    window: XWindow | None = None
    """For a window itself: as the display has it."""
    scale: float = 1.0
    """How many pixels of the display its program takes for one."""
    keyboard: bool | None = True
    """Whether an item that says that it has the focus has it; None if what it is in does not say."""


@dataclass
class Built:
    """The nodes of one program, and what they were made from."""

    key: object
    nodes: list[Node] = field(default_factory=list)
    every: list[Node] = field(default_factory=list)
    """The inner parts of controls included."""
    focused: str | None = None


def build(app: App, matched: dict[Item, XWindow]) -> Built:
    """All nodes of a program in document order. Nodes of which nothing changed are the same objects."""
    places = tuple((window.path, matched[window].area) for window in app.windows if window in matched)
    built = Built((app.changes, places))
    scale, scaled = _scales(app, matched)
    for window in app.windows:
        _, shift = scaled.get(window, (scale, (0.0, 0.0)))
        _window_nodes(window, matched.get(window), scale, shift, built)
    return built


def _scales(
    app: App, matched: dict[Item, XWindow]
) -> tuple[float, dict[Item, tuple[float, tuple[float, float]]]]:
    """How many pixels of the display a program takes for one; by window, that and what to add then."""
    scaled = {one: found for one, on_x in matched.items() if one.app is app and (found := _scale(one, on_x))}
    # The pop-ups of a program, which the window manager does not have, are as large as its windows.
    return max((found for found, _ in scaled.values()), default=1.0), scaled


def _scale(window: Item, on_x: XWindow) -> tuple[float, tuple[float, float]] | None:
    """How many pixels of the display a program takes for one, and what to add then; None if it is one.

    Qt and GTK tell places in pixels of their own; Qt without the frame of the window manager, GTK 3 with it.
    """
    if window.extents is None or min(window.extents[2:]) <= 0 or any(on_x.shadow):
        return None
    x, y, width, height = window.extents
    if max(abs(x), abs(y)) >= _FAR:
        return None  # it is being shown just now, and its program does not know where yet
    for place in (on_x.area, on_x.outline):
        scale = round(place.width / width * 20) / 20
        off = max(abs(place.width - width * scale), abs(place.height - height * scale))
        if scale >= _SCALED and off <= scale:
            return scale, (place.x - x * scale, place.y - y * scale)
    return None


def _window_nodes(
    window: Item, on_x: XWindow | None, scale: float, shift: tuple[float, float], built: Built
) -> None:
    if on_x is not None and not window.app.how.on_screen:
        shift = _origin(window, on_x, scale)
    around = Surroundings(
        None, on_x is None or not on_x.minimized, True, None, shift, window=on_x, scale=scale
    )
    if window.around == around:
        around = window.around
    stack: list[tuple[Item, Surroundings]] = [(window, around)]
    nodes, every = built.nodes, built.every
    has_focus: list[Item] = []
    while stack:
        item, around = stack.pop()
        if item.dead:
            continue
        if item.popup is not None:
            around = _in_popup(item, item.popup, around)
        node = item.node
        # Surroundings that are equal are the same object, which is quick to see.
        if node is None or item.around is not around:
            node = item.node = Node.of(_fields(item, around, on_x if item is window else None))
            item.around = around
            if item.kids:
                _name_by_labels(item.kids)
            below = _below(item, node, around)
            if item.inside != below:
                item.inside = below
            if not item.app.placed:
                _unplace(node)
        every.append(node)
        if not node.internal:
            nodes.append(node)
        if node.focused:
            has_focus.append(item)
        if item.kids:
            inside = item.inside
            stack.extend([(kid, inside) for kid in reversed(item.kids)])
    if built.focused is None:
        built.focused = focused_of(has_focus)


def focused_of(items: Iterable[Item]) -> str | None:
    """The uid of what has the keyboard. In Qt 5 it is the first current item if nothing else says so."""
    seen = [item for item in items if item.node is not None and item.node.focused and item.node.visible]
    found = surely_focused(seen) or next(iter(seen), None)
    return None if found is None else found.uid


def surely_focused(items: Iterable[Item]) -> Item | None:
    """The first that has the focus, and is not only the current item of a view that may not have it."""
    for item in items:
        if item.node is not None and item.node.focused and item.node.visible:
            unsure = item.around is not None and item.around.keyboard is None and item.role in _CURRENT
            if not unsure:
                return item
    return None


def _in_popup(item: Item, popup: Rect, around: Surroundings) -> Surroundings:
    """The surroundings of a popover of GTK 4, which has a window of its own and reports another position."""
    x, y = (0, 0) if item.extents is None else item.extents[:2]
    shift = popup.x - x * around.scale, popup.y - y * around.scale
    made = replace(around, shift=shift, clip=None, scrolled=False)
    return item.around if item.around == made else made


def place_popovers(app: App, matched: dict[Item, XWindow], popups: Callable[[], list[Rect]]) -> None:
    """Find the windows of the popovers of a program that are open: they are as large as these.

    `popups` lists the windows of the program that no window manager has.
    """
    found: list[Rect] | None = None
    scale, _ = _scales(app, matched)
    for item in app.items.values():
        if not item.name.startswith(_POPOVERS) or item.name == _POPOVER_INSIDE:
            continue
        place = None
        if item.shown and item.extents is not None and min(item.extents[2:]) > 0:
            found = popups() if found is None else found
            place = _popup_of(found, Rect(*(part * scale for part in item.extents)))
        if place != item.popup:
            item.popup = place
            item.changed()


def _popup_of(popups: list[Rect], reported: Rect) -> Rect | None:
    """Where a popover is of which its program tells that place: the window as large as it is there.

    That of a combo box is larger by where the popover is in it.
    """
    for one in popups:
        if (one.width, one.height) == (reported.width, reported.height):
            return one
        if (one.width, one.height) == (reported.x + reported.width, reported.y + reported.height):
            return Rect(one.x + reported.x, one.y + reported.y, reported.width, reported.height)
    return None


def _name_by_labels(kids: list[Item]) -> None:
    """Call fields that their program does not name by the labels next to them, as far as both are shown."""
    fields = [one for one in kids if one.role in FIELDS and not _named(one)] if len(kids) <= _BESIDE else []
    if not fields:
        return
    names = _beside(kids, fields)
    for one in fields:
        if names.get(one.uid, "") != one.aside:
            one.aside = names.get(one.uid, "")
            one.node = None


def _beside(kids: list[Item], fields: list[Item]) -> Mapping[str, str]:
    seen = [one for one in kids if one.shown and one.extents is not None and one.extents[2] > 0]
    taken = {one.label for one in kids if one.label}
    labels = [one for one in seen if one.role in _LABELS and one.name and one.name not in taken]
    if not labels:
        return {}
    rows = {one: {"uid": one.uid, "bounds": Rect(*one.extents or ()), "text": one.name} for one in seen}
    others = [rows[one] for one in seen if one not in labels and one not in fields]
    return beside([rows[one] for one in fields if one in rows], [rows[one] for one in labels], others)


def _named(item: Item) -> bool:
    """Whether a field has a name of its own; what Qt calls that of a combo box is what is chosen in it."""
    return bool(item.label or (item.role != _COMBO and own_name(item)))


def _unplace(node: Node) -> None:
    """Report the bounds as relative to the window: the position of the window is not known."""
    bounds = node.fields.pop("bounds", None)
    if bounds is not None:
        others = {name: value for name, value in node.properties.items() if name != _VISIBLE}
        node.fields["properties"] = {**others, "bounds_in_window": [*bounds]}


def _origin(window: Item, on_x: XWindow, scale: float) -> tuple[float, float]:
    """Where on the screen the inside of a window begins that tells places relative to that.

    Without a compositor GTK draws a border of a few pixels around it, the same on all sides.
    """
    x, y, width, height = on_x.bounds
    if window.extents is None or window.extents[2] <= 0:
        return x, y
    inside, tall = window.extents[2] * scale, window.extents[3] * scale
    return x + max(0, (width - inside) // 2), y + max(0, (height - tall) // 2)


def _below(item: Item, node: Node, around: Surroundings) -> Surroundings:
    clip, scrolled = around.clip, around.scrolled
    # A list in a page is as large as its rows make it, and what belongs to one of them may be anywhere.
    clips = item.role in (_CLIPS if item.app.how.views else _PANES) or item.app.how.clips
    if clips and node.bounds is not None:
        clip = (
            node.bounds
            if clip is None
            else clip.intersection(node.bounds) or Rect(node.bounds.x, node.bounds.y, 0, 0)
        )
    if item.role in _CLIPS and node.bounds is not None:
        scrolled = True
    if item.role in _OPENS:
        clip = None  # what it opens is not inside it
    if item.role in (_TAB, _MENU_BAR):
        scrolled = False
    parent = around.parent if node.internal else node.uid
    menu = item.role == _MENU_BAR or (around.menu and item.role in _ENTRIES)
    away = node.offscreen and item.role not in _OPENS
    shift = _beyond_menu_bar(item, around) if item.app.how.vcl else around.shift
    return Surroundings(
        parent,
        node.visible,
        node.enabled,
        clip,
        shift,
        scrolled,
        menu,
        away,
        scale=around.scale,
        keyboard=around.keyboard if item.role in _CURRENT else keyboard_in(item),
    )


def holder_of(item: Item) -> Item | None:
    """What an item is the current one of, where that may have the focus or not; None if there is no such."""
    around = item.parent
    if not item.app.how.currents or item.role not in _CURRENT or around is None:
        return None
    return around if around.role in _HOLDS_CURRENT else None


def keyboard_in(item: Item) -> bool | None:
    """Whether what is in an item and says that it has the focus has it; None if the item does not say.

    The views of Qt 5 never say whether they have the focus.
    """
    if not item.app.how.currents or item.role not in _HOLDS_CURRENT or item.states & State.FOCUSED:
        return True
    return False if item.states & State.FOCUSABLE else None


def _beyond_menu_bar(item: Item, around: Surroundings) -> tuple[float, float]:
    """What to add to positions inside the GTK widget that LibreOffice draws its own windows in.

    LibreOffice does not know of the menu bar that GTK puts above them: it reports them that much too high.
    """
    right, down = around.shift
    if len(item.kids) == 1 and item.kids[0].role == _ROOT_PANE and item.extents and item.kids[0].extents:
        x, y, *size = item.extents
        left, top, *other = item.kids[0].extents
        if size == other:
            return right + (x - left) * around.scale, down + (y - top) * around.scale
    return around.shift


def _fields(item: Item, around: Surroundings, on_x: XWindow | None) -> dict[str, Any]:
    role = item.role if item.role < len(_UNIFIED) else _numbers["unknown"]
    states = item.states
    fields: dict[str, Any] = {
        "uid": item.uid,
        "role": _role(item, role, is_window=around.parent is None),
        "native_class": _CLASSES[role],
        "backend": "atspi",
        "platform_role": ROLE_NAMES[role],
    }
    if around.parent is not None:
        fields["parent"] = around.parent
    if item.child_count > 0:
        fields["child_count"] = item.child_count
    if item.description:
        fields["description"] = item.description
    _place(fields, item, around, on_x)
    _states(fields, item, role, states, around)
    _texts(fields, item, role, on_x)
    _identity(fields, item)
    if role in _CHOOSERS:
        _options(fields, item)
    if role == _DATE and (held := value_of(item)) is not None:
        fields["editable"] = True
        fields["value"] = held
    if role == _COMBO and (line := field_in(item)) is not None:
        # What is done with the field can be done with the whole.
        fields["editable"] = fields["focusable"] = True
        fields["value"] = fields["text"] = line.text or ""
    if role in _VIEWS and (view := virtualization(item, _UNIFIED[role])) is not None:
        fields["virtualization"] = view
    if actions := _actions(item, role, fields):
        fields["actions"] = actions
    return fields


def _role(item: Item, role: int, *, is_window: bool) -> str:
    """The unified role; some depend on more than AT-SPI's own."""
    states = item.states
    # Qt and GTK 4 set neither of the two states for a line.
    silent = item.app.how.clips or not item.app.how.showing
    line = states & State.SINGLE_LINE or (silent and not states & State.MULTI_LINE)
    if role == _TEXT and line:
        return "textfield"
    if role == _MENU_ITEM and states & State.CHECKABLE:
        return "menu-item-checkbox"
    if role == _BUTTON and item.app.how.links and item.has(Face.LINK):
        return "link"
    if role == _ALERT and is_window:
        return "dialog"
    if role == _CELL and item.parent is not None and item.parent.role in _TREES and _begins_row(item):
        return "tree-item"
    # Qt says the same of a plain widget that is shown by itself as of one inside, and of a line around
    # something (QFrame) the same as of a window.
    if is_window and _UNIFIED[role] == "group":
        return "window"
    if not is_window and role in _INNER_FRAMES:
        return "group"
    return _UNIFIED[role]


def _begins_row(item: Item) -> bool:
    """Whether a cell is in the first column, the one that a tree grows in."""
    assert item.parent is not None
    if item.parent.role == _TREE:
        # Its rows may have unequal lengths, so that counting cells does not say where one begins.
        return True
    view = item.parent.view
    if view is not None:
        return any(cell is item for (_, column), cell in view.cells.items() if column == 0)
    cells = [kid for kid in item.parent.kids if kid.role == _CELL]
    columns = len(item.parent.kids) - len(cells) or 1
    return item in cells and cells.index(item) % columns == 0


def _place(fields: dict[str, Any], item: Item, around: Surroundings, on_x: XWindow | None) -> None:
    visible = around.visible and _seen(item, around)
    if not visible:
        fields["visible"] = False
    bounds = None
    if on_x is not None:
        bounds = on_x.bounds
    elif item.extents is not None and visible and item.shown and item.extents[2] + item.extents[3] > 0:
        x, y, width, height = item.extents
        if -_FAR < x < _FAR and -_FAR < y < _FAR and 0 <= width < _FAR and 0 <= height < _FAR:
            scale, (right, down) = around.scale, around.shift
            bounds = Rect(x * scale + right, y * scale + down, width * scale, height * scale)
    if bounds is None:
        if visible and (around.scrolled or around.away):
            fields["offscreen"] = True
        return
    fields["bounds"] = bounds
    if around.clip is None or not visible or bounds.width <= 0:
        return
    part = bounds.intersection(around.clip)
    if part is None:
        fields["offscreen"] = True
    elif part != bounds:
        fields["properties"] = {_VISIBLE: [*part]}


def visible_part(node: Node) -> Rect | None:
    """What all around a node leave of its bounds; None if that is nothing."""
    bounds = node.bounds
    if bounds is None or node.offscreen or not node.visible or min(bounds.width, bounds.height) <= 0:
        return None
    part = node.properties.get(_VISIBLE)
    return bounds if part is None else Rect(*part)


def opens(item: Item) -> bool:
    """Whether what is inside an item opens in a window of its own."""
    return item.role in _OPENS or item.popup is not None


def _seen(item: Item, around: Surroundings) -> bool:
    """Whether it is shown, be it scrolled away.

    Toolkits differ: what is scrolled away is VISIBLE without being SHOWING in GTK 3, and so are the items of
    a menu that is closed and the pages behind the first.
    """
    states = item.states
    unmapped = item.extents is not None and item.extents[2] + item.extents[3] == 0
    if not item.app.how.showing:
        # What is on a page behind the first has no size there.
        return bool(states & State.VISIBLE) and not unmapped
    if states & State.SHOWING:
        # Nor has the list of a combo box in Qt 5 while it is closed.
        return not (unmapped and item.parent is not None and item.parent.role == _COMBO)
    if around.menu and item.role in _ENTRIES:
        return True
    if item.app.how.clips and item.role in ROWS and item.parent is not None and item.parent.role in _VIEWS:
        # Qt says of a row that is scrolled away that it is hidden; but one that is hidden has no size.
        around_view = item.parent.parent
        return not unmapped and item.parent.shown and around_view is not None and around_view.role != _COMBO
    return bool(states & State.VISIBLE) and around.scrolled


def _states(fields: dict[str, Any], item: Item, role: int, states: int, around: Surroundings) -> None:
    enabled = bool(states & (State.ENABLED | State.SENSITIVE)) or not item.app.how.showing
    if not item.app.how.showing:
        enabled = bool(states & State.SENSITIVE) or not states & State.FOCUSABLE
    entry = around.menu and item.role in _ENTRIES and item.role != _SEPARATOR
    reported = entry and item.app.how.tells_entries
    if not enabled and not states & State.SHOWING and around.enabled and not reported:
        enabled = bool(states & (State.ENABLED | State.SENSITIVE)) or not states & State.VISIBLE
    if entry and item.app.how.late and not states & State.SHOWING:
        enabled = True  # as far as is known: its menu must be opened to see
    # What a disabled entry leads to cannot be opened, although it does not know.
    if not enabled or (entry and not around.enabled):
        fields["enabled"] = False
    if states & State.FOCUSED and not (around.keyboard is False and item.role in _CURRENT):
        fields["focused"] = True
    if states & State.FOCUSABLE:
        fields["focusable"] = True
    if states & State.MODAL:
        fields["modal"] = True
    if role in _CHECKABLE or states & State.CHECKABLE:
        pressed = role == _numbers["toggle button"] and states & State.PRESSED
        fields["checked"] = bool(states & State.CHECKED or pressed)
        if states & State.INDETERMINATE:
            fields["mixed"] = True
    elif states & State.PRESSED:
        fields["pressed"] = True
    if states & State.SELECTABLE or states & State.SELECTED:
        fields["selected"] = bool(states & State.SELECTED)
    if states & State.EXPANDABLE:
        fields["expanded"] = bool(states & State.EXPANDED)
    if role == _PASSWORD:
        fields["password"] = True
    # A terminal takes what is typed, and does not say so.
    takes = states & State.EDITABLE or (role == _numbers["terminal"] and states & State.FOCUSABLE)
    editable = bool(takes) and not states & State.READ_ONLY
    if editable or (role in _SETTABLE and item.has(Face.VALUE) and not states & State.READ_ONLY):
        fields["editable"] = True


def _texts(fields: dict[str, Any], item: Item, role: int, on_x: XWindow | None) -> None:
    own = _own_name(item, fields)
    label = item.label or item.aside
    if role == _COMBO and label:
        own = ""  # what Qt calls its name is what is chosen in it
    name = own or label or ((item.attributes or {}).get("placeholder-text", "") if not item.text else "")
    if on_x is not None and on_x.title:
        name = on_x.title  # GTK calls every question 'Question', whatever its title says
    if name:
        fields["name"] = name
        if not own and not item.label and on_x is None:
            fields["guessed"] = True
        # The name that a toolkit gives a field is mostly its label's text, and not said to be that.
        if (label and not own) or (own and role in FIELDS and role != _COMBO):
            fields["labelled_by"] = name
    if placeholder := (item.attributes or {}).get("placeholder-text"):
        fields["placeholder"] = placeholder
    if item.value is not None and item.value[0] is not None and _is_number(item.text) and not is_field(item):
        number, low, high = item.value
        fields["number"] = number
        fields["value"] = f"{number:g}"
        if low is not None and high is not None and high > low:
            fields["minimum"], fields["maximum"] = low, high
    if role == _PASSWORD:
        # Only whether there is something in it is ever read.
        fields["value"] = fields["text"] = "" if item.text == "" else MASK
    elif item.text is not None and role not in (_COMBO,):
        text = item.text.replace("\ufffc", "") if role != _numbers["text"] else item.text
        if item.text_length is not None and item.text_length > len(item.text):
            fields["properties"] = {**fields.get("properties", {}), "text_length": item.text_length}
        if text or fields.get("editable") or role in _LINES:
            fields["text"] = text
            if fields.get("editable") or role in _LINES:
                fields.setdefault("value", text)
    if "text" not in fields and own and role in _SHOWS_NAME:
        fields["text"] = own


def _is_number(text: str | None) -> bool:
    """Whether a text is what a number looks like; a date is none, whatever its interface says."""
    return not text or _DIGITS.search(text) is not None


def _own_name(item: Item, fields: dict[str, Any]) -> str:
    """The name as a person would say it.

    What is only a frame for a label is called by that. GTK 4 puts the class where there is no name, says the
    label of a button twice, and leaves the underscore of its shortcut in.
    """
    name = item.name.strip()
    if item.role == _POPUP_MENU and name == item.app.name:
        name = ""  # what Qt calls every menu while it is open
    if not item.app.how.showing:
        if _CLASS.fullmatch(name) and (item.role in _NAMELESS or name.startswith(("Gtk", "Adw"))):
            fields["native_class"] = name
            name = ""
        if item.role == _TAB and name == "Tab":
            name = ""
        plain = name.replace("_", "", 1)
        half = plain[: len(plain) // 2]
        for short in (half, plain):
            if name != short and plain in (short, f"{short} {short}") and short in _labels(item):
                return short
    if not name and item.role in _FRAMES:
        name = " ".join(_labels(item))
    return name


def own_name(item: Item) -> str:
    """The name that its program gives an item, as a person would say it."""
    return _own_name(item, {})


def describe(item: Item) -> str:
    """What to call an item in an error, such as `button "Save"`."""
    if (node := item.node) is not None:
        return called(node.role, node.name or node.text or node.automation_id, item.uid)
    name = own_name(item) or item.label or item.aside or item.name
    role = item.role if item.role < len(_UNIFIED) else _numbers["unknown"]
    return called(_role(item, role, is_window=item.window is item), name, item.uid)


def _labels(item: Item) -> list[str]:
    """What the labels inside say, where that is few words."""
    if not item.kids:
        return []
    labels = [one.name for one in item.walk() if one.role in _LABELS and one is not item and one.name]
    return labels if len(labels) <= _WORDS else []


def _identity(fields: dict[str, Any], item: Item) -> None:
    attributes = item.attributes
    identity = item.id or (attributes.get("id", "") if attributes else "")
    if identity:
        if not item.app.how.accessible_id:
            fields["automation_id"] = identity
        elif item.parent is None or item.parent.id != identity:
            # Qt says the way down from the window: object names, and classes where there are none.
            name = identity.rpartition(".")[2]
            if _QT_CLASS.fullmatch(name):
                fields["native_class"] = name
            elif name:
                fields["automation_id"] = name
            if name.startswith("qt_") and not item.name:
                fields["internal"] = True
    if attributes and (classes := attributes.get("class")):
        fields["style_classes"] = tuple(classes.split())


def _options(fields: dict[str, Any], item: Item) -> None:
    found = [choice for choice in choices(item) if caption(choice)]
    shown = shown_in(item) if item.role == _COMBO else ""
    if not found:
        if shown:
            fields.setdefault("value", shown)
            fields.setdefault("text", shown)
        return
    selected = next((choice for choice in found if choice.states & State.SELECTED), None)
    if selected is None and shown:
        selected = next((choice for choice in found if choice.name == shown), None)
    fields["options"] = tuple(
        Option(index, caption(choice), caption(choice), choice is selected)
        for index, choice in enumerate(found[:_OPTIONS])
    )
    if len(found) > _OPTIONS:
        fields["options_count"] = len(found)
    if item.role == _COMBO:
        value = caption(selected) if selected is not None else shown
        if value:
            fields["value"] = fields["text"] = value


def shown_in(item: Item) -> str:
    """What a closed combo box shows: its name, and in GTK 4 the label in it that has a size."""
    if item.app.how.showing:
        return item.name
    button = next((kid for kid in item.kids if kid.role == _numbers["push button"]), None)
    labels = (one for one in button.walk() if one.role in _LABELS) if button is not None else ()
    return next((one.name for one in labels if one.extents is not None and one.extents[2] > 0), "")


def field_in(item: Item) -> Item | None:
    """The field to write in of a combo box; None if there is none, or if it is something else."""
    if item.role != _COMBO:
        return None
    level = item.kids
    for _ in range(_FIELD_DEPTH):
        for kid in level:
            if kid.role in _LINES and kid.states & State.EDITABLE and not kid.states & State.READ_ONLY:
                return kid
        level = [below for kid in level if kid.role in _AROUND_FIELDS for below in kid.kids]
    return None


def caption(item: Item) -> str:
    """What a person calls a choice."""
    return own_name(item) or item.text or ""


def choices(item: Item) -> list[Item]:
    """What can be chosen in a combo box, list or tab bar."""
    bars = [one for one in (item, *item.kids) if one.role == _numbers["page tab list"]]
    if bars:
        return [kid for kid in bars[0].kids if kid.role == _TAB]
    found: list[Item] = []
    stack = list(reversed(item.kids))
    while stack:
        kid = stack.pop()
        # Swing tells the choices as labels.
        if kid.role in _CHOICES or (kid.role in _LABELS and kid.states & State.SELECTABLE):
            found.append(kid)
        elif kid.role in _MENUS:
            stack.extend(reversed(kid.kids))
    return found


def _actions(item: Item, role: int, fields: dict[str, Any]) -> tuple[str, ...]:
    actions: list[str] = []
    if item.has(Face.ACTION):
        names = item.actions
        if role in _PRESSABLE or (names and any(name.lower() in _PRESS_NAMES for name in names)):
            actions.append("press")
        if names and any(name.lower() in ("menu", "showmenu", "show menu", "popup") for name in names):
            actions.append("show-menu")
    if "checked" in fields:
        actions.append("toggle")
    if "expanded" in fields:
        actions += ["expand", "collapse"]
    # GTK 4 has the options of a combo box only while it is open.
    if fields.get("options") or "selected" in fields or role == _COMBO:
        actions.append("select")
    if fields.get("editable"):
        actions.append("set-value")
    elif role == _CELL and item.app.how.showing:
        # No toolkit tells whether a cell can be edited, so it can be tried.
        actions.append("edit")
    if fields.get("focusable"):
        actions.append("focus")
    return tuple(actions)


# -- windows ----------------------------------------------------------------------------------


def window(item: Item, on_x: XWindow | None) -> Window:
    """The window that a top-level item is."""
    role = ROLE_NAMES[item.role] if item.role < len(ROLE_NAMES) else ""
    node = item.node
    bounds = on_x.bounds if on_x is not None else node.bounds if node is not None else None
    popup = on_x is None and (role == "window" or item.role in _VIEWS)
    kind = "dialog" if role in DIALOGS else "popup" if popup else "regular"
    title = (on_x.title if on_x is not None else "") or item.name
    return Window(
        uid=item.uid,
        title=title or None,
        app_name=item.app.name,
        pid=item.app.pid,
        kind=kind,
        bounds=bounds,
        focused=on_x.active if on_x is not None else bool(item.states & State.ACTIVE),
        showing=node.visible if node is not None else item.shown,
        minimized=on_x.minimized if on_x is not None else bool(item.states & State.ICONIFIED),
        maximized=on_x.maximized if on_x is not None else False,
        modal=bool(item.states & State.MODAL) or (on_x is not None and on_x.modal),
        native_id=on_x.id if on_x is not None else None,
    )


def match(apps: list[App], windows: list[XWindow], known: dict[Item, int]) -> dict[Item, XWindow]:
    """Which window of the display each top-level item is: by program and title, then by place."""
    by_id = {one.id: one for one in windows}
    matched: dict[Item, XWindow] = {}
    for app in apps:
        free = {one.id: one for one in windows if one.pid == app.pid}
        left: list[Item] = []
        for item in app.windows:
            earlier = known.get(item)
            if earlier in free:
                matched[item] = free.pop(earlier)
            else:
                left.append(item)
        for item in list(left):
            same = [one for one in free.values() if one.title == item.name]
            if len(same) == 1 or (same and item.extents is None):
                matched[item] = free.pop(same[0].id)
                left.remove(item)
        for item in left:
            close = [one for one in free.values() if _overlap(one, item)]
            if close:
                matched[item] = free.pop(close[0].id)
        rest = [item for item in left if item not in matched]
        managed = [item for item in rest if item.role in MANAGED and item.shown]
        # One of each is left: they are the same, however different they look.
        if len(free) == 1 and (len(managed) == 1 or len(app.windows) == len(rest) == 1):
            matched[(managed or rest)[0]] = free.popitem()[1]
    known.clear()
    known.update({item: one.id for item, one in matched.items() if one.id in by_id})
    return matched


def _overlap(one: XWindow, item: Item) -> bool:
    if item.extents is None:
        return False
    x, y, width, height = item.extents
    area = one.area
    if not item.app.how.on_screen:
        return abs(width - one.bounds.width) < 8 and abs(height - one.bounds.height) < 8
    return (
        abs(x - area.x) < 48
        and abs(y - area.y) < 64
        and abs(width - area.width) < 64
        and abs(height - area.height) < 64
    )


def details(item: Item, attributes: dict[str, str]) -> dict[str, Any]:
    """What AT-SPI itself says of an item, by its own names."""
    known: dict[str, Any] = {
        "path": item.path,
        "bus_name": item.app.bus,
        "toolkit": f"{item.app.toolkit} {item.app.version}".strip(),
        "states": state_names(item.states),
    }
    if attributes:
        known["attributes"] = attributes
    if item.actions:
        known["actions"] = list(item.actions)
    if item.extents is not None:
        known["extents"] = list(item.extents)
    if item.text_length is not None:
        known["text_length"] = item.text_length
    return known
