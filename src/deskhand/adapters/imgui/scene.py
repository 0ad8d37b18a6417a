"""Makes sense of a recorded frame: which elements there are, which contain which, and what each says.

Works on plain data and on any thread. Positions are Dear ImGui's own; `nodes` puts them on the screen.
"""

from __future__ import annotations

from typing import Any

from .kinds import Spec, own_id, shown
from .read import PARTS, Reading, number_reading, reading
from .record import Frame, WindowSeen, hashed, numbered
from .wrappers import FLAGS, ID, SPEC, VISIBLE, WINDOW, Call

Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""

DISABLED = 1 << 6
CHILD, TOOLTIP, POPUP, MODAL, MENU = 1 << 24, 1 << 25, 1 << 26, 1 << 27, 1 << 28
NO_TITLE = 1 << 0
NO_TREE_PUSH = 1 << 3
_MOST_CHOICES = 1000
"""How many choices of a combo box are elements; all of them are listed as its options."""


class DrawnElement:
    """One item or window of a frame."""

    __slots__ = (
        "box",
        "call",
        "cell",
        "children",
        "edge",
        "enabled",
        "is_window",
        "item",
        "kind",
        "label",
        "labelled_by",
        "name",
        "own_id",
        "parent",
        "path",
        "reading",
        "role",
        "shown",
        "spec",
        "tooltip",
        "uid",
        "visible",
        "window",
    )  # fmt: skip

    def __init__(self, uid: str, kind: str, role: str, label: str, parent: DrawnElement | None) -> None:
        self.uid = uid
        self.kind = kind
        self.role = role
        self.label = label
        """In full, with what stands behind ##."""
        self.parent = parent
        self.children: list[DrawnElement] = []
        self.name: str | None = shown(label) or None
        self.labelled_by: str | None = None
        """The text beside it that it is called by."""
        self.own_id = own_id(label)
        self.path: str | None = None
        self.tooltip: str | None = None
        self.box: Box = (0.0, 0.0, 0.0, 0.0)
        self.edge: float | None = None
        """The right edge of the part that takes input, if that is not all of it."""
        self.item = 0
        """Dear ImGui's id; 0 if it has none."""
        self.is_window = False
        self.window: WindowSeen | None = None
        """The window it is drawn in; of a window, itself."""
        self.enabled = True
        self.visible = True
        """Whether it was laid out at all."""
        self.shown = True
        """Whether some of it can be seen."""
        self.cell: tuple[int, int] | None = None
        self.spec: Spec | None = None
        self.call: Call | None = None
        self.reading: Reading | None = None
        if parent is not None:
            parent.children.append(self)

    def __str__(self) -> str:
        label = self.name or self.own_id
        return f'{self.role} "{label}"' if label else self.role

    def says(self) -> str:
        """The text that can be read on it; never a password."""
        read = self.reading
        if read is None or read.password:
            return self.name or ""
        return (read.text if read.text is not None else read.value) or self.name or ""

    def ancestors(self) -> list[DrawnElement]:
        found = []
        above = self.parent
        while above is not None:
            found.append(above)
            above = above.parent
        return found

    def visible_box(self) -> Box | None:
        """The part of it that its window does not cut off; None if that is nothing."""
        if self.window is None or (self.is_window and not self.window.flags & CHILD):
            return self.box
        # Scroll bars, menu bars and titles lie outside of what cuts the rest off.
        left, top, width, height = self.window.rect
        return _common(self.box, self.window.clip) or (
            _common(self.box, (left, top, left + width, top + height)) if self.shown else None
        )


def _common(box: Box, other: Box) -> Box | None:
    left, top = max(box[0], other[0]), max(box[1], other[1])
    right, bottom = min(box[2], other[2]), min(box[3], other[3])
    return (left, top, right, bottom) if right > left and bottom > top else None


class FrameElements:
    """The elements of one frame, by uid and in the order in which they were drawn."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.roots: list[DrawnElement] = []
        self.by_uid: dict[str, DrawnElement] = {}
        self.columns: dict[str, list[str]] = {}
        """By the uid of a table: the names of its columns."""
        self.rows: dict[str, int] = {}
        """By the uid of a table: how many rows it has, where it says so."""
        _Builder(self).build()

    def walk(self) -> list[DrawnElement]:
        """All elements, parents before what they contain."""
        found: list[DrawnElement] = []
        waiting = list(reversed(self.roots))
        while waiting:
            element = waiting.pop()
            found.append(element)
            waiting.extend(reversed(element.children))
        return found

    def is_open(self, combo: DrawnElement) -> bool:
        """Whether a combo box shows its choices."""
        return combo.item != 0 and popup_of(combo) in self.frame.popups

    def by_item(self, item: int) -> DrawnElement | None:
        """The element with that id of Dear ImGui."""
        return next((known for known in self.by_uid.values() if known.item == item), None) if item else None


class _Level:
    """Something that was begun and not ended yet."""

    __slots__ = ("element", "kind", "window")

    def __init__(self, element: DrawnElement | None, kind: str, window: Any) -> None:
        self.element = element
        self.kind = kind
        self.window = window


class _Builder:
    """Goes through the calls of a frame, with what is open at each."""

    def __init__(self, scene: FrameElements) -> None:
        self.scene = scene
        self.frame = scene.frame
        self.levels: list[_Level] = []
        self.of_window: dict[Any, DrawnElement] = {}
        self.by_id = {seen.id: (window, seen) for window, seen in scene.frame.windows.items()}
        self.texts: DrawnElement | None = None
        """The text that was drawn last, which may be what the field beside it is called."""
        self.counts: dict[tuple[str, str], int] = {}
        self.cell: tuple[int, int] | None = None
        self.headers = 0
        """How many rows of the table at hand are headers."""
        self.last: tuple[int, Box] | None = None
        """The id and the place of the item before."""
        self.opener: DrawnElement | None = None

    def build(self) -> None:
        for call in self.frame.calls:
            if call[SPEC].item:
                self._item(call)
            else:
                self._mark(call)
        if self.frame.popups:
            for element in list(self.scene.by_uid.values()):
                if element.kind == "combo" and element.reading is not None and element.reading.options:
                    self._choices(element, element.reading)
        for window, seen in self.frame.windows.items():
            # Also those in which nothing was drawn that we could see.
            if window not in self.of_window and not seen.flags & (CHILD | MENU) and not _unseen(seen):
                self.levels.clear()
                self._enter(window)
        self._finish()

    # -- windows and other things that hold items ------------------------------------------------

    def _enter(self, window: Any, label: str | None = None, opener: DrawnElement | None = None) -> bool:
        """Make this the window that items go to; False if it is none that is shown."""
        seen = self.frame.windows.get(window)
        if seen is None:
            self.levels.clear()
            return False
        for at in range(len(self.levels) - 1, -1, -1):
            if self.levels[at].window is window:
                del self.levels[at + 1 :]
                return True
        element = self.of_window.get(window)
        if element is None:
            element = opener or self._window(seen, label)
            self.of_window[window] = element
        self.levels.append(_Level(element, "window", window))
        return True

    def _window(self, seen: WindowSeen, label: str | None) -> DrawnElement:
        parent: DrawnElement | None = None
        kind, role = "window", "window"
        if seen.flags & MODAL:
            kind, role = "popup", "dialog"
        elif seen.flags & TOOLTIP:
            kind, role = "tooltip", "tooltip"
        elif seen.flags & POPUP:
            kind, role, parent = "popup", "popover", self._around(seen)
        elif seen.flags & CHILD:
            kind, role, parent = "child", "scroll-area", self._around(seen)
        elif seen.name == "##MainMenuBar":
            kind, role = "menu_bar", "menu-bar"
        elif seen.flags & NO_TITLE or seen.docked:
            role = "group"  # it does not look like a window
        if label is None:
            # Dear ImGui makes up the name of a child: that of the parent, the label and a number.
            label = seen.name.rpartition("/")[2].rpartition("_")[0] if seen.flags & CHILD else seen.name
        element = DrawnElement(f"w{seen.id:08x}", kind, role, label, parent)
        element.window, element.is_window = seen, True
        element.own_id = own_id(label) or (label.lstrip("#") or None if kind in ("child", "popup") else None)
        if kind == "child" or (kind == "popup" and role == "popover"):
            element.name = None
        left, top, width, height = seen.rect
        element.box = (left, top, left + width, top + height)
        element.visible = not _unseen(seen)
        self._keep(element)
        return element

    def _around(self, seen: WindowSeen) -> DrawnElement | None:
        """What a child or a popup was begun in."""
        parent = self._parent()
        if parent is not None:
            return parent
        window, _ = self.by_id.get(seen.parent, (None, None))
        return self.of_window.get(window)

    def _parent(self, kind: str = "") -> DrawnElement | None:
        """What contains an item of this kind."""
        for level in reversed(self.levels):
            # What a tab shows is next to the tabs, in what contains these.
            if level.element is not None and (level.kind != "tab_bar" or kind == "tab"):
                return level.element
        return None

    def _push(self, call: Call, kind: str, role: str, label: str) -> None:
        window = call[WINDOW]
        parent = self._parent(kind)
        element = DrawnElement(self._uid(0, kind, parent, own_id(label) or label), kind, role, label, parent)
        element.name = None
        element.own_id = own_id(label) or label or None
        element.window = self.frame.windows.get(window)
        element.item = 0
        self._keep(element)
        if all(level.window is not window for level in self.levels):
            # A table that scrolls has a window of its own.
            self.of_window[window] = element
        self.levels.append(_Level(element, kind, window))

    def _pop(self, *kinds: str) -> None:
        for at in range(len(self.levels) - 1, -1, -1):
            if self.levels[at].kind in kinds:
                del self.levels[at:]
                return

    def _mark(self, call: Call) -> None:
        spec, args, kwargs, result, window = call[:5]
        kind = spec.kind
        opened = result[0] if isinstance(result, tuple) else result
        label = args[0] if args and isinstance(args[0], str) else kwargs.get("str_id") or kwargs.get("name")
        if kind in ("begin_table", "begin_tab_bar", "begin_menu_bar"):
            if opened:
                self._begin_inside(call, kind, label or "")
        elif kind in ("end_table", "end_tab_bar", "end_menu_bar"):
            self._pop(kind.removeprefix("end_"))
            self.cell = None
            self._enter(window)
        elif kind == "opened":
            self._opened(window)
        elif kind == "tree_push":
            self.levels.append(_Level(None, "tree", window))
        elif kind == "tree_pop":
            self._pop("tree")
        elif spec.cell:
            self._enter(window)
            self.cell = (call[ID] - self.headers, call[FLAGS])
        elif kind == "table_headers_row":
            self.headers += 1
        elif kind == "tooltip":
            if self.opener is not None:
                self.opener.tooltip = label
        elif kind == "clipper":
            self._clipper(args[0])
        elif kind == "table_setup_column":
            self._column(label or "")
        elif kind.startswith("begin") and (opened or kind in ("begin", "begin_child", "begin_simple")):
            self._enter(window, label)
        elif kind.startswith("end"):
            self._enter(window)

    def _begin_inside(self, call: Call, kind: str, label: str) -> None:
        if kind == "begin_table":
            seen = self.frame.windows.get(call[WINDOW])
            if seen is not None and not seen.flags & CHILD:
                self._enter(call[WINDOW])
            self._push(call, "table", "table", label)
            self.cell, self.headers = None, 0
        elif self._enter(call[WINDOW]):
            role = "tab-list" if kind == "begin_tab_bar" else "menu-bar"
            self._push(call, kind.removeprefix("begin_"), role, label)

    def _opened(self, window: Any) -> None:
        """An item began a window of its own: what is drawn there is in the item."""
        opener, seen = self.opener, self.frame.windows.get(window)
        if opener is not None and opener.kind == "list_box" and seen is not None:
            # The window is all there is of it: the last item was the one before.
            left, top, width, height = seen.rect
            opener.box = (left, top, left + width, top + height)
            opener.item, opener.shown, opener.edge = seen.child, True, None
        self._enter(window, opener=opener)

    def _choices(self, combo: DrawnElement, read: Reading) -> None:
        """What a combo box that is open draws by itself: a row for each choice, all of one height."""
        popup, options = popup_of(combo), read.options or ()
        opened = [each for each in self.frame.windows.items() if each[1].popup == popup]
        if not combo.item or not opened:
            return
        window, seen = opened[0]
        self.of_window[window] = combo
        top, height = seen.contents
        spacing = self.frame.row_spacing
        step = (height + spacing) / len(options)
        for at, label in enumerate(options[:_MOST_CHOICES] if height else ()):
            item = hashed(label, numbered(at, seen.id))
            uid = self._uid(item, "selectable", combo, "")
            choice = DrawnElement(uid, "selectable", "list-box-option", label, combo)
            choice.reading = Reading(label)
            choice.reading.selected = shown(label) == read.value
            choice.item, choice.window, choice.enabled = item, seen, combo.enabled
            above = top - spacing / 2 + at * step
            choice.box = (seen.clip[0], above, seen.clip[2], above + step)
            choice.visible = not _unseen(seen)
            self._keep(choice)

    def _table(self) -> DrawnElement | None:
        return next((level.element for level in reversed(self.levels) if level.kind == "table"), None)

    def _column(self, label: str) -> None:
        table = self._table()
        if table is not None:
            self.scene.columns.setdefault(table.uid, []).append(shown(label))

    def _clipper(self, count: int) -> None:
        """The program says how many rows there are, of which it draws only those that can be seen."""
        table = self._table() or self._parent()
        if table is not None:
            self.scene.rows[table.uid] = count

    # -- items -----------------------------------------------------------------------------------

    def _item(self, call: Call) -> None:
        spec, args, kwargs, result, window, item, flags, status, low, high, edge = call
        if not self._enter(window):
            return
        read = reading(spec, args, kwargs, result)
        parent = self._parent(spec.kind)
        box = (low.x, low.y, high.x, high.y)
        # What is not laid out leaves the last item unchanged.
        skipped = self.frame.windows[window].skipped or (item, box) == self.last
        self.last = (item, box)
        if skipped:
            item = 0
        uid = self._uid(item, spec.kind, parent, read.label if skipped or not item else "")
        element = DrawnElement(uid, spec.kind, _role(spec, read, parent), read.label, parent)
        element.call, element.spec, element.reading = call, spec, read
        element.item, element.edge = item, edge
        element.window = self.frame.windows[window]
        element.box = box
        element.enabled = not flags & DISABLED
        element.visible = not skipped and not _unseen(element.window)
        element.shown = bool(status & VISIBLE)
        element.cell = self.cell if self._in_table() else None
        if spec.hidden:
            element.own_id = element.own_id or read.label or None
            element.name = None
        if spec.kind == "text":
            self.texts = element
        elif element.name is None and spec.role not in ("image",) and _beside(self.texts, element):
            element.name = element.labelled_by = self.texts.name if self.texts is not None else None
        self._keep(element)
        if read.parts and spec.kind != "color" and len(read.parts) <= len(PARTS):
            element.role = "group"
            self._parts(element, read.parts)
        self.opener = element
        if spec.kind == "tree_node" and read.expanded and not read.flags & NO_TREE_PUSH:
            self.levels.append(_Level(element, "tree", window))

    def _in_table(self) -> bool:
        return self._table() is not None

    def _parts(self, element: DrawnElement, values: tuple[float, ...]) -> None:
        """The fields of an item that has several side by side, each as wide as the others."""
        left, top, right, bottom = element.box
        edge = right if element.edge is None else min(element.edge, right)
        gap, count = self.frame.inner_spacing, len(values)
        width = max(1.0, (edge - left - gap * (count - 1)) / count)
        for at, value in enumerate(values):
            item = numbered(at, element.item) if element.item else 0
            uid = self._uid(item, element.kind, element, PARTS[at])
            part = DrawnElement(
                uid, element.kind, element.spec.role if element.spec else "", PARTS[at], element
            )
            part.spec, part.call, part.item, part.window = element.spec, element.call, item, element.window
            part.reading = number_reading(PARTS[at], value, element.reading)
            part.box = (left + at * (width + gap), top, left + at * (width + gap) + width, bottom)
            part.enabled, part.visible, part.shown = element.enabled, element.visible, element.shown
            part.cell = element.cell
            self._keep(part)
            part.path = f"{element.path}/{PARTS[at]}"

    def _uid(self, item: int, kind: str, parent: DrawnElement | None, label: str) -> str:
        if item:
            uid = f"{item:08x}"
            if uid not in self.scene.by_uid:
                return uid
        else:
            # A text may change with every frame; what stays is where it stands among the others.
            uid = f"{parent.uid if parent else ''}:{kind}"
            if kind not in ("text", "drawn_text") and label:
                uid += f":{label}"
        count = self.counts.get((uid, kind), 0)
        self.counts[uid, kind] = count + 1
        while f"{uid}.{count}" in self.scene.by_uid:
            count += 1
        return f"{uid}.{count}"

    def _keep(self, element: DrawnElement) -> None:
        self.scene.by_uid[element.uid] = element
        if element.parent is None:
            self.scene.roots.append(element)
        element.path = self._path(element)

    def _path(self, element: DrawnElement) -> str | None:
        if not element.label:
            return None
        window = next(
            (around for around in (element, *element.ancestors()) if around.kind in ("window", "popup")), None
        )
        if window is None or window is element:
            return f"ImGui/{element.label}"
        return f"ImGui/{window.label}/{element.label}"

    def _finish(self) -> None:
        """What can be said only when everything is there."""
        drawn = [each for each in self.scene.by_uid.values() if each.kind == "drawn_text"]
        if drawn:
            for element in self.scene.by_uid.values():
                if element.name is None and element.kind in ("button", "item", "selectable"):
                    element.name = " ".join(text.says() for text in drawn if _on(text, element)) or None
        for element in reversed(self.scene.walk()):
            if element.kind in ("tab_bar", "menu_bar", "table") and element.box == (0.0, 0.0, 0.0, 0.0):
                if element.window is not None and self._owns_window(element):
                    left, top, width, height = element.window.rect
                    element.box = (left, top, left + width, top + height)
                else:
                    element.box = _union(element.children)

    def _owns_window(self, element: DrawnElement) -> bool:
        return any(known is element for known in self.of_window.values())


def popup_of(combo: DrawnElement) -> int:
    """The id of the popup that a combo box opens."""
    return hashed("##ComboPopup", combo.item)


def _unseen(seen: WindowSeen) -> bool:
    return seen.hidden or (seen.collapsed and bool(seen.flags & CHILD))


def _beside(text: DrawnElement | None, element: DrawnElement) -> bool:
    """Whether a text is on the same line as an element, before it."""
    if text is None or text.window is not element.window or text.name is None:
        return False
    _, top, right, bottom = text.box
    middle = (top + bottom) / 2
    return element.box[1] <= middle <= element.box[3] and right <= element.box[0]


def _on(text: DrawnElement, element: DrawnElement) -> bool:
    """Whether a text is drawn on an element."""
    x, y = (text.box[0] + text.box[2]) / 2, (text.box[1] + text.box[3]) / 2
    left, top, right, bottom = element.box
    return text.window is element.window and left <= x <= right and top <= y <= bottom


def _role(spec: Spec, read: Reading, parent: DrawnElement | None) -> str:
    if spec.kind in ("selectable", "text") and parent is not None:
        if parent.kind == "table":
            return "cell"
        if spec.kind == "selectable" and parent.kind == "combo":
            return "list-box-option"
    if spec.kind == "menu_item" and read.checked:
        return "menu-item-checkbox"
    return spec.role


def _union(elements: list[DrawnElement]) -> Box:
    boxes = [element.box for element in elements if element.visible]
    if not boxes:
        return (0.0, 0.0, 0.0, 0.0)
    return (
        min(box[0] for box in boxes),
        min(box[1] for box in boxes),
        max(box[2] for box in boxes),
        max(box[3] for box in boxes),
    )
