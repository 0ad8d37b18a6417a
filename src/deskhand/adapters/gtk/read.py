"""Reads the tree: every window that is shown, with all that is in it.

GTK does not announce all that changes, so a read asks every widget anew, unless it is known that the program
has run nothing since the last one. Else nothing is kept but uids, and what a widget is called in the file
that it was built of.
"""

from __future__ import annotations

import os
import sys
import time
from typing import Any

from ...model.node import Column, Font, Node, Rect, Virtualization, VisibleRow, Window
from ...model.tree import Tree
from ...model.uncollected import uncollected
from .. import captions
from ..display import Display
from . import views
from .handles import Handle, Known, Registry
from .kinds import text_in
from .library import (
    THREE,
    Gtk,
    address,
    box_in,
    children,
    every_child,
    focused,
    inner_offset,
    is_minimized,
    on_screen,
    rect,
    scale,
    toplevels,
    xid,
)
from .place import EVERYWHERE, Area, Fields, Place
from .thread import Rounds

_DEEPEST = 200
"""How deep widgets are followed at most."""
_FIRST = {"regular": 0, "dialog": 1, "floating": 2, "popup": 3}
"""In which order windows are listed."""
_IGNORED = ("GtkTooltipWindow",)
_ROLES = {"TOOLBAR": "toolbar", "ALERT": "alert", "STATUS": "status", "FORM": "form"}
"""What a program may say of a box in GTK 4."""


class Reader:
    """Reads trees. Belongs to the GUI thread."""

    def __init__(self, registry: Registry, where: Where, rounds: Rounds) -> None:
        self._registry = registry
        self._where = where
        self._rounds = rounds
        self._kept: dict[bool, tuple[int, Tree]] = {}
        """The last read with and without inner parts, and since when nothing has changed."""

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
        bounds = node.bounds if node.visible and not node.offscreen else None
        for above in tree.ancestors(node):
            if bounds is None or above.role in _OPENERS:
                break  # what pops up is not within what it belongs to
            if above.bounds is not None and above.role != "tree-item":
                bounds = bounds.intersection(above.bounds)
        return node, bounds

    def _read(self, internals: bool, *, cold: bool = False) -> Tree:
        number = None if cold else self._rounds.number()
        kept = self._kept.get(internals)
        if number is not None and kept is not None and kept[0] == number:
            before = kept[1]
            return before.again(before.windows, before.focused, time.time())
        tree = _Walk(self._registry, self._where, internals).tree()
        self._registry.last = tree
        if number is not None:
            self._kept[internals] = number, tree
        return tree

    def _with(self, uid: str, tree: Tree, internals: bool) -> Tree:
        """The same tree with an inner part, or a row that is scrolled out of sight."""
        handle = self._registry.handle(uid)
        if not internals and (inner := self._read(True)).get(uid) is not None:
            return inner
        above = tree.get(handle.known.uid)
        node = None if above is None or not handle.part else absent(self._registry, handle, above)
        if node is None:
            raise self._registry.stale(uid)
        return Tree([*tree.nodes, node], tree.windows, focused=tree.focused)

    def _with_details(self, node: Node) -> Node:
        widget = self._registry.by_uid(node.uid)
        if not isinstance(widget, Gtk.Widget):
            return node
        fields = dict(node.fields)
        fields["properties"] = {**fields.get("properties", {}), **_properties(widget, node.password)}
        fields["font"] = _font(widget)
        return Node.of(fields)


class Where:
    """Where the windows of this process are on the screen."""

    def __init__(self) -> None:
        self.display: Display | None = None
        """A connection of our own to the display, if it is one of X11."""

    def origin(self, native: Any) -> tuple[int, int] | None:
        """Where the content of a window or popover begins; None if it is not on the screen."""
        if THREE:
            return on_screen(native)
        number = xid(native)
        if self.display is None or not number:
            return None
        found = self.display.area_of(number)
        if found is None:
            return None
        (x, y), pixels = inner_offset(native), scale()
        return round(found.x / pixels) + x, round(found.y / pixels) + y


def _properties(widget: Any, password: bool) -> Fields:
    """The properties of a widget that are texts, numbers or flags, but for what may hold a password."""
    found: Fields = {}
    for one in widget.list_properties():
        if not one.flags & 1 or (password and one.name in ("text", "buffer")):
            continue
        try:
            value = widget.get_property(one.name)
        except (TypeError, NotImplementedError):
            continue  # PyGObject has no object for values of this type
        if isinstance(value, (bool, int, float, str)) and value not in ("", None):
            found[one.name] = value[:200] if isinstance(value, str) else value
    found["class"] = widget.__gtype__.name
    return found


def _font(widget: Any) -> Font | None:
    about = widget.get_pango_context().get_font_description()
    if about is None:
        return None
    return Font(about.get_family(), about.get_size() / 1024, str(int(about.get_weight())))


def absent(registry: Registry, handle: Handle, above: Node) -> Node | None:
    """A row that is not on the screen; None if it is not there."""
    place = Place(dict(above.fields), [], 0, (0, 0), EVERYWHERE)
    name, role = "", "row"
    if isinstance(handle.widget, Gtk.TreeView):
        path = views.path_of(handle)
        name = views.row_text(handle.widget, path)
        if handle.part == "cell":
            name = views.cell(handle.widget, views.column_of(handle), path).text
    else:
        item = registry.by_uid(handle.key)
        at = None if item is None else views.index_of(handle.widget, item)
        if at is None:
            return None
        name = views.list_text(handle.widget, at)
    role = (
        "cell"
        if handle.part == "cell"
        else {"table": "row", "tree": "tree-item"}.get(above.role, "list-item")
    )
    fields: Fields = {
        "uid": handle.uid, "role": role, "native_class": role,
        "actions": ("press", "select", "scroll-into-view"),
    }  # fmt: skip
    if name:
        fields["name"] = fields["text"] = name
    place.part(fields, None)
    return place.out[0]


class _Walk:
    """The nodes of all windows, in one read."""

    def __init__(self, registry: Registry, where: Where, internals: bool) -> None:
        self._know = registry.know
        self._registry = registry
        self._where = where
        self._internals = internals
        self._windows: list[tuple[int, int, Window, list[Node]]] = []
        self._named: dict[int, str] = {}
        """What labels say that belong to a field, by the address of that."""
        self._fields: list[tuple[int, Fields]] = []
        """The fields that may be named so."""
        focus = focused()
        self._focus = 0 if focus is None else address(focus)
        self._holders = set()
        """What the focus is in: of a control with inner parts, one of those has it."""
        self.focused: str | None = None
        while focus is not None:
            self._holders.add(address(focus))
            focus = focus.get_parent()

    def tree(self) -> Tree:
        for top in toplevels():
            self._window(top)
        self._windows.sort(key=lambda one: one[:2])
        for key, fields in self._fields:
            if (name := self._named.get(key)) is not None:
                fields["name"] = fields["labelled_by"] = name
        nodes = [node for *_, some in self._windows for node in some]
        return Tree(nodes, tuple(window for _, _, window, _ in self._windows), focused=self.focused)

    # -- windows ---------------------------------------------------------------------------------

    def _window(self, top: Any) -> None:
        popup = THREE and top.get_window_type() == Gtk.WindowType.POPUP
        minimized = is_minimized(top)
        if not (top.get_mapped() or (minimized and top.get_visible())):
            return
        known = self._know(top)
        if known.cls in _IGNORED:
            return
        content = top
        if popup:
            content = top.get_child()
            if content is None or (isinstance(content, Gtk.Menu) and _is_led_to(content)):
                return
            known = self._know(content)
        origin = self._where.origin(top) or (0, 0)
        area = _without_shadow(top, origin)
        title = None if popup else top.get_title()
        role, kind = "window", "regular"
        if popup:
            role, kind = ("menu" if isinstance(content, Gtk.Menu) else "popover"), "popup"
        elif isinstance(top, Gtk.Dialog) or top.get_modal():
            role, kind = "dialog", "dialog"
        fields: Fields = {
            "uid": known.uid, "role": role, "native_class": known.cls, "backend": "gtk", "bounds": rect(area),
        }  # fmt: skip
        if title:
            fields["name"] = title
        _identify(known, content, fields)
        modal = not popup and bool(top.get_modal())
        if modal:
            fields["modal"] = True
        if not top.is_sensitive():
            fields["enabled"] = False
        if minimized:
            fields["visible"] = False
        if isinstance(top, Gtk.FileChooser):
            chosen = top.get_filename() if THREE else (top.get_file() and top.get_file().get_path())
            fields["value"], fields["editable"], fields["actions"] = chosen or "", True, ("set-value",)
        if self._focus == address(top):
            fields["focused"] = True
            self.focused = known.uid
        out = [Node.of(fields)]
        place = Place(fields, out, address(top), origin, EVERYWHERE)
        if not popup:
            place.clip(area)
        self._children(content, known, place)
        window = Window(
            uid=known.uid,
            title=title or None,
            app_name=os.path.basename(sys.argv[0] if sys.argv else ""),  # noqa: PTH119 - a name, not a path
            pid=os.getpid(),
            kind=kind,
            bounds=fields["bounds"],
            focused=not popup and bool(top.is_active()),
            showing=not minimized,
            minimized=minimized,
            maximized=not popup and bool(top.is_maximized()),
            modal=modal,
            native_id=xid(top) or None,
            scale=float(top.get_scale_factor()),
        )
        self._windows.append((_FIRST[kind], int(known.uid[1:]), window, out))

    # -- widgets ---------------------------------------------------------------------------------

    def _children(self, widget: Any, known: Known, place: Place) -> None:
        if place.level < _DEEPEST:
            kind = known.kind
            if kind.parts:
                self._parts(widget, known, place)
            else:
                below = children if not isinstance(widget, _WITH_MORE) else every_child
                for child in below(widget):
                    self._widget(child, place)
        if place.count:
            place.fields["child_count"] = place.count
        if place.named and place.labels:
            names = captions.beside(place.named, place.labels, place.others)
            for fields in place.named:
                if "name" not in fields and (name := names.get(fields["uid"])) is not None:
                    fields["name"] = fields["labelled_by"] = name

    def _widget(self, widget: Any, above: Place) -> None:
        """Put the node of a widget and of all in it below another one."""
        key = address(widget)
        known = self._know(widget)
        kind = known.kind
        if not THREE and isinstance(widget, Gtk.Popover):
            self._popover(widget, known, above)
            return
        inner = above.inner or kind.internal or (above.menu and kind.role in _AROUND_ENTRIES)
        if inner and not self._internals:
            if not (above.inner or kind.leaf):
                self._through(widget, known, above)
            return
        fields: Fields = {
            "uid": known.uid, "parent": above.uid, "role": kind.role, "native_class": known.cls,
            "backend": "gtk",
        }  # fmt: skip
        if kind.actions:
            fields["actions"] = kind.actions
        bounds = self._position(widget, key, fields, above)
        if kind.read is not None:
            kind.read(widget, fields)
        elif not THREE and kind.role == "generic":
            role = _ROLES.get(widget.get_accessible_role().value_name[20:])
            if role is not None:
                fields["role"] = role
        _identify(known, widget, fields)
        if widget.get_has_tooltip() and (tooltip := widget.get_tooltip_text()):
            fields["tooltip"] = tooltip
        if kind.focusable:
            fields["focusable"] = bool(widget.get_can_focus())
        if inner:
            fields["internal"] = True
        if key in self._holders and (key == self._focus or kind.leaf) and not inner:
            fields["focused"] = True
            self.focused = known.uid
        above.count += 1
        above.out.append(Node.of(fields))
        if kind.label or kind.field or bounds is not None:
            self._caption(widget, key, kind, fields, bounds, above)
        if kind.leaf and not self._internals:
            if not THREE and isinstance(last := widget.get_last_child(), Gtk.Popover):
                self._popover(last, self._know(last), above.below(fields))
            return
        place = above.below(fields)
        place.inner = above.inner or kind.leaf
        if kind.clips and bounds is not None:
            place.clip(bounds)
        self._children(widget, known, place)

    def _through(self, widget: Any, known: Known, above: Place) -> None:
        """Put what is in an inner part below what that belongs to."""
        place = above
        if known.kind.clips and (area := self._area(address(widget), above)) is not None:
            place = above.below(above.fields)
            place.level = above.level
            place.clip(area)
        for child in children(widget):
            self._widget(child, place)
        if place is not above:
            above.count += place.count
            above.named += place.named
            above.labels += place.labels
            above.others += place.others

    def _position(self, widget: Any, key: int, fields: Fields, above: Place) -> Area | None:
        """Say whether and where it is shown, and whether it can be used."""
        bounds = None
        if widget.get_mapped() and above.visible and not above.closed:
            bounds = self._area(key, above)
            if bounds is not None:
                fields["bounds"] = rect(bounds)
                if bounds[2] <= 0 or bounds[3] <= 0 or above.hides(*bounds):
                    fields["offscreen"] = True
        elif above.closed and widget.get_visible():
            fields["offscreen"] = True
        else:
            fields["visible"] = False
            if widget.get_visible():
                fields["visible_self"] = True
        if not widget.is_sensitive():
            fields["enabled"] = False
            if widget.get_sensitive():
                fields["enabled_self"] = True
        return bounds

    def _area(self, key: int, above: Place) -> Area | None:
        area = box_in(key, above.window)
        if area is None:
            return None
        return above.x + area[0], above.y + area[1], area[2], area[3]

    def _caption(
        self, widget: Any, key: int, kind: Any, fields: Fields, bounds: Area | None, above: Place
    ) -> None:
        """Learn which labels may name which fields."""
        if kind.label:
            field = widget.get_mnemonic_widget()
            if field is not None and "text" in fields:
                self._named[address(field)] = captions.caption(fields["text"])
            elif bounds is not None and "text" in fields:
                above.labels.append(fields)
        elif kind.field and "name" not in fields:
            self._fields.append((key, fields))
            if bounds is not None:
                above.named.append(fields)
        elif bounds is not None:
            above.others.append(fields)

    # -- what is in some in place of their children ------------------------------------------------

    def _parts(self, widget: Any, known: Known, place: Place) -> None:
        match known.kind.parts:
            case "tabs":
                self._notebook(widget, known, place)
            case "rows":
                area = self._area(address(widget), place) if place.visible and not place.closed else None
                if widget.get_headers_visible():
                    self._headers(widget, place)
                views.put_rows(widget, known, place, (area or (0, 0))[:2])
            case "items":
                self._items(widget, known, place)
            case "submenu":
                menu = widget.get_submenu()
                if menu is not None:
                    self._pop_up(menu, place, menu.get_children())
                elif self._internals:
                    place.inner = True
                    for child in children(widget):
                        self._widget(child, place)
            case "popup":
                self._popup(widget, place)
            case _:
                for child in children(widget):
                    self._widget(child, place)

    def _notebook(self, book: Any, known: Known, place: Place) -> None:
        current = book.get_current_page()
        for at in range(book.get_n_pages()):
            page = book.get_nth_page(at)
            label = book.get_tab_label(page)
            text = book.get_tab_label_text(page) or (text_in(label) if label is not None else "")
            shown = label is not None and label.get_mapped() and place.visible
            fields: Fields = {
                "uid": f"{known.uid}:tab:{self._know(page).uid}",
                "role": "tab",
                "native_class": "GtkNotebookTab",
                "actions": ("press", "select"),
                "selected": at == current,
                "properties": {"index": at},
            }
            if text:
                fields["name"] = fields["text"] = text
            area = self._area(address(label), place) if shown else None
            place.part(fields, area)
            if not page.get_visible():
                fields["visible"] = False
                fields.pop("offscreen", None)
            if at == current and text:
                place.fields["value"] = text
        for at in range(book.get_n_pages()):
            self._widget(book.get_nth_page(at), place)

    def _headers(self, view: Any, place: Place) -> None:
        for column in views.columns(view):
            button = column.get_button()
            fields: Fields = {
                "uid": self._know(button).uid,
                "role": "column-header",
                "native_class": "GtkTreeViewColumn",
                "actions": ("press",),
            }
            if title := column.get_title():
                fields["name"] = fields["text"] = title
            place.part(fields, self._area(address(button), place) if button.get_mapped() else None)

    def _items(self, view: Any, known: Known, place: Place) -> None:
        """The rows of a list of GTK 4 that are on the screen."""
        model, columns = view.get_model(), views.list_columns(view)
        if model is None:
            return
        seen, tree = [], False
        names = [Column(str(at), column.get_title() or "") for at, column in enumerate(columns)]
        if columns:
            header = children(view)[0]
            for at, title in enumerate(children(header)[: len(columns)]):
                self._put_header(title, names[at].text, place)
        for at, row in views.list_rows(view) if place.visible else ():
            area = self._area(address(row), place)
            if area is None or place.hides(*area) or area[3] <= 0:
                continue
            item = model.get_item(at)
            fields: Fields = {
                "uid": f"{known.uid}:row:{self._registry.item(item).uid}",
                "role": "row" if columns else "list-item",
                "native_class": row.__gtype__.name,
                "actions": ("press", "select", "scroll-into-view"),
                "selected": bool(model.is_selected(at)),
                "properties": {"index": at},
            }
            opens = views.opens(item, row)
            if opens is not None:
                tree = True
                if not columns:
                    fields["role"] = "tree-item"
                if opens.is_expandable():
                    fields["expanded"] = bool(opens.get_expanded())
                    fields["actions"] = ("press", "select", "expand", "scroll-into-view")
            texts = [text_in(each) for each in children(row)][: len(columns)] if columns else [text_in(row)]
            if text := next(filter(None, texts), ""):
                fields["name"] = fields["text"] = text
            place.part(fields, area)
            self._row(row, place.below(fields), texts if columns else None)
            seen.append((at, fields["uid"], texts))
        place.fields["role"] = "tree" if tree and not columns else "table" if columns else "list"
        place.fields["virtualization"] = Virtualization(
            place.fields["role"],
            int(model.get_n_items()),
            (seen[0][0], seen[-1][0]) if seen else None,
            tuple(at for at, *_ in seen if model.is_selected(at)),
            None,
            tuple(names),
            tuple(
                VisibleRow(at, uid, tuple(zip((name.id for name in names), texts, strict=False)))
                for at, uid, texts in seen
            ),
        )

    def _put_header(self, title: Any, text: str, place: Place) -> None:
        fields: Fields = {
            "uid": self._know(title).uid,
            "role": "column-header",
            "native_class": title.__gtype__.name,
            "actions": ("press",),
        }
        if text:
            fields["name"] = fields["text"] = text
        place.part(fields, self._area(address(title), place) if title.get_mapped() else None)

    def _row(self, row: Any, place: Place, cells: list[str] | None) -> None:
        """What is in a row of a list of GTK 4: cells, and in these what the program puts there."""
        if cells is None:
            inside = children(row)
            # A row that only shows a text is that text.
            place.inner = not _has_controls(row)
            for child in inside:
                self._widget(child, place)
        else:
            for at, (each, text) in enumerate(zip(children(row), cells, strict=False)):
                fields: Fields = {
                    "uid": self._know(each).uid,
                    "role": "cell",
                    "native_class": each.__gtype__.name,
                    "actions": ("press", "select"),
                    "properties": {"column": at},
                }
                if text:
                    fields["name"] = fields["text"] = text
                place.part(fields, self._area(address(each), place))
                below = place.below(fields)
                below.inner = not _has_controls(each)
                for child in children(each):
                    self._widget(child, below)
                if below.count:
                    fields["child_count"] = below.count
        if place.count:
            place.fields["child_count"] = place.count

    def _popup(self, widget: Any, place: Place) -> None:
        """What a button or an entry of a menu opens, also while it is closed."""
        popup = None
        if not THREE:
            if isinstance(widget, Gtk.MenuButton):
                popup = widget.get_popover()
            elif widget.__gtype__.name == "GtkModelButton":
                popup = widget.get_property("popover")
            else:
                popup = next((each for each in children(widget) if isinstance(each, Gtk.Popover)), None)
        elif isinstance(widget, Gtk.MenuButton) and not widget.get_use_popover():
            popup = widget.get_popup()
            if popup is not None:
                self._pop_up(popup, place, popup.get_children())
            return
        if isinstance(popup, Gtk.PopoverMenu):
            self._pop_up(popup, place, children(popup))
        elif popup is not None:
            self._popover(popup, self._know(popup), place)
        if self._internals:
            place.inner = True
            for child in children(widget):
                if child is not popup:
                    self._widget(child, place)

    def _popover(self, popover: Any, known: Known, above: Place) -> None:
        """Put a popover of GTK 4 that is open below what it belongs to: it is a window of the display."""
        if not popover.get_mapped():
            return
        key, x, y = address(popover), *(self._where.origin(popover) or (0, 0))
        box = box_in(key, key) or (0, 0, 0, 0)
        fields: Fields = {
            "uid": known.uid, "parent": above.uid, "role": known.kind.role, "native_class": known.cls,
            "backend": "gtk", "bounds": rect((x + box[0], y + box[1], box[2], box[3])),
        }  # fmt: skip
        _identify(known, popover, fields)
        above.count += 1
        above.out.append(Node.of(fields))
        place = Place(fields, above.out, key, (x, y), EVERYWHERE)
        place.level, place.menu = above.level + 1, isinstance(popover, Gtk.PopoverMenu)
        self._children(popover, known, place)

    def _pop_up(self, popup: Any, above: Place, entries: list[Any]) -> None:
        """Put the entries of a menu below what opens it."""
        place = above.below(above.fields)
        place.level = above.level
        place.closed = not popup.get_mapped()
        if not place.closed:
            top = popup.get_toplevel() if THREE else popup
            origin = self._where.origin(top) if isinstance(top, (Gtk.Window, Gtk.Popover)) else None
            if origin is not None:
                place.window, (place.x, place.y) = address(top), origin
        place.left, place.top, place.right, place.bottom = EVERYWHERE
        place.menu = True
        for entry in entries:
            self._widget(entry, place)
        above.count += place.count


_OPENERS = ("menu", "menu-bar", "popover", "menu-item", "combo-box", "button")
"""What pops something up, which is not within its own bounds."""
_AROUND_ENTRIES = ("generic", "group", "scroll-area", "scroll-bar")
"""What GTK 4 puts around the entries of a menu."""
_WITH_MORE = (Gtk.Window, Gtk.ScrolledWindow, Gtk.HeaderBar, Gtk.Popover)
"""Containers of GTK 3 that do not list all that they show."""
_CONTROLS = tuple(
    getattr(Gtk, name)
    for name in ("Button", "CheckButton", "Entry", "Switch", "Scale", "SpinButton", "DropDown",
                 "EditableLabel", "MenuButton", "Text")
    if hasattr(Gtk, name)
)  # fmt: skip


def _has_controls(widget: Any) -> bool:
    return any(isinstance(child, _CONTROLS) or _has_controls(child) for child in children(widget))


def _identify(known: Known, widget: Any, fields: Fields) -> None:
    """Say what the program and its file call a widget."""
    name: str | None = widget.get_name()
    if name is not None and (name == known.cls or name == widget.__gtype__.name):
        name = None
    chosen = known.automation_id or known.built or name
    if chosen:
        fields["automation_id"] = chosen
        if name and name != chosen:
            fields["object_name"] = name
    if known.style is not None:
        fields["style_classes"] = (known.style,)


def _is_led_to(menu: Any) -> bool:
    """Whether a menu belongs to an entry, a button or a combo box, and is read with that."""
    opener = menu.get_attach_widget()
    if opener is None:
        return False
    if isinstance(opener, Gtk.MenuItem):
        return opener.get_submenu() is menu
    return isinstance(opener, Gtk.MenuButton)


def _without_shadow(top: Any, origin: tuple[int, int]) -> Area:
    """The rectangle of a window on the screen, without a shadow that GTK itself draws around it."""
    if not THREE:
        found = box_in(address(top), address(top)) or (0, 0, 0, 0)
        return origin[0] + found[0], origin[1] + found[1], found[2], found[3]
    whole = (0, 0, top.get_allocated_width(), top.get_allocated_height())
    boxes = [
        area
        for child in every_child(top)
        if child.get_mapped() and not isinstance(child, Gtk.Popover)
        if (area := box_in(address(child), address(top))) is not None
    ]
    if boxes and top.get_titlebar() is not None:
        left, up = min(box[0] for box in boxes), min(box[1] for box in boxes)
        right, down = max(box[0] + box[2] for box in boxes), max(box[1] + box[3] for box in boxes)
        whole = (left, up, right - left, down - up)
    return origin[0] + whole[0], origin[1] + whole[1], whole[2], whole[3]
