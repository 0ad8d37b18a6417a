"""Reads the tree: every window that is shown, from what walk.tcl says of all widgets in one call.

Tk does not announce changes, so all of it is asked for each time. Where the answer is that of the read
before, its nodes are too: they are made of nothing else.
"""

from __future__ import annotations

import os
import time
import tkinter
from typing import Any

from ...model.node import Font, Node, Rect, Window
from ...model.tree import Tree
from ...model.uncollected import uncollected
from .. import captions
from . import custom, parts
from .kinds import KINDS, Fields, Kind, text_of
from .place import EVERYWHERE, Place
from .roots import Handle, Known, Registry, Root

_new = tuple.__new__
_DIALOGS = frozenset(("Dialog", "TkFDialog", "MotifFDialog", "TkChooseDir", "TkColorDialog", "TkFontDialog"))
"""The classes of Tk's own dialogs."""
_POPDOWN = "ComboboxPopdown"
_FIRST = {"regular": 0, "dialog": 1, "floating": 2, "popup": 3}
"""In which order windows are listed."""
_GENERIC = KINDS["other"]


class Reader:
    """Reads trees. Belongs to the GUI thread."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._kept: dict[bool, tuple[object, Tree]] = {}
        """The last read with and without inner parts, and all that it was made of."""

    def read(
        self,
        root: str | None = None,
        *,
        depth: int | None = None,
        details: bool = False,
        internals: bool = False,
        cold: bool = False,
    ) -> Tree:
        """All windows, or what is at and below one uid; a `cold` read takes nothing but uids from others."""
        with uncollected():
            tree = self._read(internals, cold=cold)
        if root is not None and tree.get(root) is None:
            tree = self._with(root, tree, internals)
        part = tree if root is None and depth is None else tree.part(root, depth)
        if root is not None:
            part = Tree(part.nodes, focused=tree.focused if part.get(tree.focused) else None)
        if details:
            nodes = [self._with_details(node) for node in part.nodes]
            part = Tree(nodes, part.windows, focused=part.focused)
        return part

    def node(self, handle: Handle) -> Node:
        """One node as it is now; Stale if it is gone."""
        return self.read(handle.uid, depth=0, internals=True).nodes[0]

    def shown(self, handle: Handle) -> tuple[Node, Rect | None]:
        """A node, and what of it is on the screen: as far as all that is around it lets it show."""
        with uncollected():
            tree = self._read(internals=True)
        node = tree.get(handle.uid)
        if node is None:
            return self.node(handle), None
        bounds = node.bounds if node.visible else None
        if handle.part == "entry" or bounds is None:
            return node, bounds
        for above in tree.ancestors(node):
            if bounds is not None and above.bounds is not None:
                bounds = bounds.intersection(above.bounds)
        return node, bounds

    def _read(self, internals: bool, *, cold: bool = False) -> Tree:
        walks = [_Walk(self._registry, root, internals) for root in self._registry.alive()]
        made_of = [self._registry.renamed, *((walk.root, walk.raw) for walk in walks)]
        kept = self._kept.get(internals)
        if kept is not None and not cold and kept[0] == made_of and all(walk.is_all for walk in walks):
            before = kept[1]
            return before.again(before.windows, before.focused, time.time())
        windows: list[tuple[int, Window, list[Node]]] = []
        focused = None
        for walk in walks:
            windows += walk.windows()
            focused = focused or walk.focused
        windows.sort(key=lambda one: one[0])
        nodes = [node for _, _, some in windows for node in some]
        tree = Tree(nodes, tuple(window for _, window, _ in windows), focused=focused)
        self._registry.last = tree
        if not cold:
            self._kept[internals] = (made_of, tree)
        return tree

    def _with(self, uid: str, tree: Tree, internals: bool) -> Tree:
        """The same tree with a part that is scrolled out of sight, and was left out for that."""
        handle = self._registry.handle(uid)
        if not internals and (inner := self._read(internals=True)).get(uid) is not None:
            return inner
        above = tree.get(handle.known.uid)
        node = None if above is None else absent(handle, above)
        if node is None:
            raise self._registry.stale(uid)
        return Tree([*tree.nodes, node], tree.windows, focused=tree.focused)

    def _with_details(self, node: Node) -> Node:
        known = self._registry.by_uid.get(node.uid)
        if known is None or known.cls == "Menu":
            return node
        fields = dict(node.fields)
        options = _options(known)
        fields["properties"] = {
            **fields.get("properties", {}),
            "path": known.path,
            "class": known.cls,
            "manager": text_of(known.root.call("winfo", "manager", known.path)),
            **options,
        }
        if known.widget is not None:
            fields["properties"]["pythonClass"] = type(known.widget).__name__
        if font := options.get("font"):
            fields["font"] = _font(known, font, options.get("foreground"))
        return Node.of(fields)


def _options(known: Known) -> dict[str, str]:
    """The options of a widget, but for what may hold a password."""
    found = {}
    try:
        rows = known.root.split(known.root.call(known.path, "configure"))
    except tkinter.TclError:
        return {}
    for row in rows:
        words = known.root.split(row)
        if len(words) == 5 and str(words[0]) not in ("-textvariable", "-variable", "-listvariable"):
            value = text_of(words[4])
            if value:
                found[str(words[0])[1:]] = value[:200]
    return found


def _font(known: Known, font: str, colour: str | None) -> Font | None:
    try:
        words = known.root.words(known.root.call("font", "actual", font, "-displayof", known.path))
    except tkinter.TclError:
        return None
    actual = dict(zip(words[::2], words[1::2], strict=False))
    size = actual.get("-size", "")
    return Font(
        actual.get("-family"),
        float(size) if size.lstrip("-").isdigit() else None,
        actual.get("-weight"),
        colour,
    )


def absent(handle: Handle, above: Node) -> Node | None:
    """A row or an item that is not on the screen; None if it is not there."""
    place = Place(dict(above.fields), [], (0, 0))
    role, name, properties = _absent(handle)
    if role is None:
        return None
    place.put(
        {
            "uid": handle.uid,
            "role": role,
            "native_class": role,
            "actions": ("press", "select", "scroll-into-view"),
            "properties": properties,
            **({"name": name, "text": name} if name else {}),
        },
        None,
    )
    return place.out[0]


def _absent(handle: Handle) -> tuple[str | None, str, Fields]:
    match handle.part:
        case "item":
            at, text = parts.item_at(handle)
            return (None, "", {}) if at is None else ("list-item", text, {"row": at})
        case "row" | "cell":
            item, column = parts.row_of(handle)
            if not parts.row_exists(handle, item):
                return None, "", {}
            if column is None:
                return "row", text_of(handle.call("item", item, "-text")), {"item": item}
            return "cell", text_of(handle.call("set", item, column)), {"item": item}
    return None, "", {}


class _Walk:
    """The nodes of one interpreter, in one read."""

    def __init__(self, registry: Registry, root: Root, internals: bool) -> None:
        self._registry = registry
        self.root = self._root = root
        self._internals = internals
        self._windows: list[tuple[int, Window, list[Node]]] = []
        self._bars: list[Any] = []
        self._places: list[Place] = []
        self.focused: str | None = None
        new, gone, *self.raw = root.split(root.call("::deskhand::walk"))
        """What has the focus and the grab, the rows of all widgets, and the menus that are posted."""
        for uid in root.split(gone):
            registry.forget(str(uid))
        self._learn(new)
        self._focus, self._grab = str(self.raw[0]), str(self.raw[1])

    @property
    def is_all(self) -> bool:
        """Whether the nodes are made of this alone: menus and CustomTkinter are asked for more."""
        return not self._root.split(self.raw[3]) and not self._registry.has_custom

    def windows(self) -> list[tuple[int, Window, list[Node]]]:
        """The windows that are shown, each with its nodes and where it comes in the list."""
        self._widgets(self._root.split(self.raw[2]))
        for place in self._places:
            _complete(place)
        self._popups(self._root.split(self.raw[3]))
        return self._windows

    def _learn(self, new: Any) -> None:
        for one in self._root.split(new):
            uid, path, cls, kind = self._root.split(one)
            known = self._registry.learn(self._root, str(uid), str(path), str(cls), str(kind))
            if known.style is not None:
                known.custom = custom.kind_of(known.widget)
                self._registry.has_custom = self._registry.has_custom or known.custom is not None

    # -- widgets ---------------------------------------------------------------------------------

    def _widgets(self, rows: tuple[Any, ...]) -> None:
        known_by_uid = self._registry.by_uid
        stack: list[Any] = []  # the places around a widget; None for what has nothing inside
        make, split = self._widget, self._root.split
        for row in rows:
            if row.__class__ is not tuple:
                row = split(row)
            depth = row[0]
            del stack[depth:]
            known = known_by_uid[row[1]]
            stack.append(self._window(known, row) if len(row) > 9 else make(known, row, stack[-1]))

    def _widget(self, known: Known, row: Any, above: Place) -> Place | None:
        _, uid, x, y, width, height, mapped, more, inside = row
        kind = KINDS.get(known.kind, _GENERIC) if known.custom is None else custom.KINDS[known.custom]
        x += above.x
        y += above.y
        fields: Fields = {
            "uid": uid,
            "parent": above.uid,
            "role": kind.role,
            "native_class": known.cls,
            "backend": "tk",
            "bounds": _new(Rect, (x, y, width, height)),
        }
        if kind.actions:
            fields["actions"] = kind.actions
            if "focus" in kind.actions:
                fields["focusable"] = True
        if known.automation_id is not None:
            fields["automation_id"] = known.automation_id
        if known.style is not None:
            fields["style_classes"] = (known.style,)
        if more.__class__ is not tuple:
            more = self._root.split(more)
        unreadable = len(more) == 2 and more[0] == "!unreadable"
        if unreadable:
            fields["properties"] = {"unreadable": text_of(more[1])}
        elif kind.read is not None:
            kind.read(self._root, more, fields)
        elif known.custom is not None:
            custom.read(known, fields)
        if mapped != 1:
            _hide(fields, str(mapped), above)
        if not above.visible:
            if fields.get("visible") is False:
                fields["visible_self"] = False
            fields["visible"] = False
        elif "offscreen" not in fields and (
            x >= above.right or y >= above.bottom or x + width <= above.left or y + height <= above.top
        ):
            fields["offscreen"] = True
        place = None
        if inside or kind.parts:
            place = Place(
                fields,
                above.out,
                (x, y),
                (
                    x if x > above.left else above.left,
                    y if y > above.top else above.top,
                    x + width if x + width < above.right else above.right,
                    y + height if y + height < above.bottom else above.bottom,
                ),
            )
        if above.hides or (known.custom is not None and custom.is_inner(known.custom)):
            # The focus may be in an inner part; then the control that it belongs to has it.
            outer = above.outer or above
            if place is not None:
                place.hides, place.outer = True, outer
            if not self._internals:
                if uid == self._focus and above.hides:
                    outer.fields["focused"] = True
                    self.focused = outer.uid
                return place
            fields["internal"] = True
        if above.titles and known.path in above.titles and kind.role == "generic":
            # A page is called by its tab.
            fields["role"] = "tab-panel"
            fields["name"] = fields["labelled_by"] = above.titles[known.path]
        if uid == self._focus:
            fields["focused"] = True
            self.focused = uid
        self._enter(kind, fields, above)
        above.count += 1
        above.out.append(Node.of(fields))
        if place is None:
            return None
        self._places.append(place)
        if known.custom is not None:
            place.hides = place.hides or custom.is_whole(known.custom)
        elif kind.parts and not unreadable:
            parts.READ[kind.parts](self._root, more, place)
        return place

    def _enter(self, kind: Kind, fields: Fields, above: Place) -> None:
        """Note what may name a field, or needs a name."""
        if above.named is None:
            above.named = ([], [], [], [])
        if "bounds" not in fields or fields["bounds"] is None:
            fields.pop("bounds", None)
            return
        bounds: Rect = fields["bounds"]
        if fields.get("visible_self") is False or bounds.width < 2 or bounds.height < 2:
            return  # it was never laid out
        of_fields, labels, others, _ = above.named
        if kind.field and "name" not in fields:
            of_fields.append(fields)
        elif kind.label and fields.get("text"):
            labels.append(fields)
        elif kind.role not in ("generic", "group"):
            others.append(fields)

    # -- windows ---------------------------------------------------------------------------------

    def _window(self, known: Known, row: Any) -> Place:
        _, uid, _, _, width, height, mapped, _, _, about = row
        title, state, left, top, bar, override, transient, zoomed, cls, _ = self._root.split(about)
        left, top, override = int(left), int(top), str(override) in ("1", "True", "true")
        out: list[Node] = []
        shown = str(state) not in ("withdrawn",) and (mapped == 1 or str(state) == "iconic")
        menu_bar = self._root.split(bar)
        place_of_bar = self._root.split(menu_bar[2]) if menu_bar else ()
        high = int(place_of_bar[3]) if place_of_bar else 0
        bounds = (left, top - high, width, height + high)
        fields: Fields = {
            "uid": uid,
            "role": "window",
            "native_class": known.cls,
            "backend": "tk",
            "bounds": _new(Rect, bounds),
        }
        if not shown:
            place = Place(fields, out, (left, top))
            place.hides = True
            place.visible = False
            return place
        kind = "regular"
        grabs = bool(self._grab) and self._window_of_grab() == known.path
        cls = text_of(cls)
        if cls == _POPDOWN or override:
            kind, fields["role"] = "popup", "popover"
        elif text_of(transient) or cls in _DIALOGS or grabs:
            kind, fields["role"] = "dialog", "dialog"
        if text := text_of(title):
            fields["name"] = text
        if kind == "popup":
            fields.pop("name", None)
        if known.automation_id is not None:
            fields["automation_id"] = known.automation_id
        if known.style is not None:
            fields["style_classes"] = (known.style,)
        modal = grabs and kind != "popup"
        if modal:
            fields["modal"] = True
        if uid == self._focus:
            fields["focused"] = True
            self.focused = uid
        minimized = str(state) == "iconic"
        if minimized:
            fields["visible"] = False
        out.append(Node.of(fields))
        place = Place(fields, out, (left, top), (left, top - high, left + width, top + height))
        if menu_bar:
            self._menu_bar(menu_bar, place_of_bar, place)
        window = Window(
            uid=uid,
            title=fields.get("name"),
            app_name=text_of(self._root.call("winfo", "name", ".")),
            pid=os.getpid(),
            kind=kind,
            bounds=fields["bounds"],
            focused=bool(self._focus) and self._is_in(self._focus, known.path),
            showing=not minimized,
            minimized=minimized,
            maximized=str(zoomed) in ("1", "True", "true"),
            modal=modal,
        )
        self._windows.append((_FIRST[kind], window, out))
        self._places.append(place)
        return place

    def _window_of_grab(self) -> str:
        known = self._registry.by_uid.get(self._grab)
        return "" if known is None else text_of(self._root.call("winfo", "toplevel", known.path))

    def _is_in(self, uid: str, top: str) -> bool:
        known = self._registry.by_uid.get(uid)
        return known is not None and text_of(self._root.call("winfo", "toplevel", known.path)) == top

    # -- menus -----------------------------------------------------------------------------------

    def _menu_bar(self, row: Any, bounds: Any, above: Place) -> None:
        self._bars.append(row)
        uid = str(row[0])
        fields: Fields = {
            "uid": uid,
            "parent": above.uid,
            "role": "menu-bar",
            "native_class": "Menu",
            "backend": "tk",
        }
        if bounds:
            fields["bounds"] = Rect(*(int(number) for number in bounds))
        else:
            fields["offscreen"] = True
        if not above.visible:
            fields["visible"] = False
        above.count += 1
        above.out.append(Node.of(fields))
        place = Place(fields, above.out, (above.x, above.y), EVERYWHERE)
        place.visible = above.visible
        parts.menu(self._root, row, place)
        fields["child_count"] = place.count

    def _popups(self, posted: tuple[Any, ...]) -> None:
        """The menus that are shown by themselves, not below a menu bar or another menu."""
        rows = [self._root.split(self._root.call("::deskhand::menu", path)) for path in posted]
        self._learn(self._root.call("set", "::deskhand::new"))
        below = {path for row in (*self._bars, *rows) for path in _opened(self._root, row)}
        for row in rows:
            uid, path, bounds, _, _ = row
            numbers = self._root.split(bounds)
            if str(path) in below or not numbers:
                continue
            fields: Fields = {
                "uid": str(uid),
                "role": "menu",
                "native_class": "Menu",
                "backend": "tk",
                "bounds": Rect(*(int(number) for number in numbers)),
            }
            out = [Node.of(fields)]
            place = Place(fields, out, (0, 0), EVERYWHERE)
            parts.menu(self._root, row, place)
            fields["child_count"] = place.count
            window = Window(
                uid=str(uid), kind="popup", bounds=fields["bounds"], pid=os.getpid(),
                app_name=text_of(self._root.call("winfo", "name", ".")),
            )  # fmt: skip
            self._windows.append((_FIRST["popup"], window, out))


def _opened(root: Root, row: Any) -> list[str]:
    """The paths of the menus that a menu opens."""
    found = []
    for one in root.split(root.split(row)[4]):
        below = root.split(one)[7]
        if opened := root.split(below):
            found += [str(opened[1]), *_opened(root, below)]
    return found


def _hide(fields: Fields, manager: str, above: Place) -> None:
    """A widget that is not mapped: hidden, or scrolled out of the canvas or text that shows it."""
    if manager in ("canvas", "text") and above.visible:
        fields["offscreen"] = True
        fields["bounds"] = None
    else:
        fields["visible"] = False


def _complete(place: Place) -> None:
    """Count what is in a widget, and call the fields there by the labels next to them."""
    if count := place.count + place.more:
        place.fields["child_count"] = count
    if place.named is None:
        return
    fields, labels, others, boxes = place.named
    if not fields or not labels:
        return
    # By default Tk packs everything in the middle.
    names = captions.beside(fields, labels, others, boxes, centred=True)
    for one in fields:
        if (name := names.get(one["uid"])) is not None:
            one["name"] = one["labelled_by"] = name
