"""Reads the tree of a program: all windows, or what is at and below one node. Runs on the GUI thread."""

from __future__ import annotations

from itertools import islice
from typing import Any

from ...model.errors import Stale
from ...model.node import Node, Rect
from ...model.tree import Tree
from ...model.uncollected import uncollected
from . import contained, embedded
from . import details as detail
from .binding import Binding
from .build import Build
from .handles import PARTS, Handle, Header, Item, MenuEntry, Registry, Tab
from .look import Look, Tools
from .place import Fields, Place, clipped
from .quick_aim import window_of
from .tops import MENU, Tops

_EVERYWHERE = (-1e9, -1e9, 1e9, 1e9)
_DEEPEST_MENU = 16


class Reader:
    """Reads trees."""

    def __init__(self, binding: Binding, registry: Registry) -> None:
        self._binding = binding
        self._registry = registry
        self._tools: Tools | None = None

    def read(
        self,
        root: str | None = None,
        *,
        depth: int | None = None,
        details: bool = False,
        internals: bool = False,
        cold: bool = False,
    ) -> Tree:
        """All windows, or what is at and below a uid; as `Adapter.read`.

        A `cold` read takes nothing from the ones before but uids and the order of widgets in each other, that
        is, the order in which they were first seen. It leaves what those keep unchanged.
        """
        if self._tools is None and self._binding.has_widgets():
            self._tools = Tools(self._binding, self._registry)
        self._registry.anew = cold
        try:
            with uncollected():
                return self._read(root, depth, details, internals, cold)
        finally:
            self._registry.anew = False

    def _read(self, root: str | None, depth: int | None, details: bool, internals: bool, cold: bool) -> Tree:
        run = _Run(self._binding, self._registry, self._tools)
        run.cold = cold or root is not None or depth is not None or details or internals
        run.depth, run.details, run.internals = depth, details, internals
        if root is None:
            run.windows()
        else:
            run.below(self._registry.native(root), root)
        run.mark_focus()
        self._registry.purge()
        return run.tree

    def forget(self) -> None:
        """Forget what was read: it has weak references to all widgets, in cycles that outlive it."""
        for known in list(self._registry.known.values()):
            if isinstance(known.reader, Look):
                known.reader.scene = None
            known.reader = None

    def main(self) -> Any:
        """The main window; None if no window is shown."""
        return next(iter(Tops(self._binding, self._registry).shown()), None)


class _Run:
    """One read."""

    cold = details = internals = False
    depth: int | None = None

    def __init__(self, binding: Binding, registry: Registry, tools: Tools | None) -> None:
        self._binding = binding
        self._registry = registry
        self._maybe_tools = tools
        self._tops = Tops(binding, registry)
        self.nodes: list[Node] = []
        self.tree = Tree(self.nodes)
        if tools is not None:
            tools.parts.menus.clear()
            tools.kinds.open_combos = {
                id(binding.QObject.parent(top))
                for top in self._tops.widgets
                if registry.know(top).native_class == "QComboBoxPrivateContainer" and top.isVisible()
            }

    @property
    def _tools(self) -> Tools:
        assert self._maybe_tools is not None
        return self._maybe_tools

    # -- windows -------------------------------------------------------------------------------

    def windows(self) -> None:
        """Read all windows that are shown, the main one first."""
        menus = []
        for native in self._tops.shown():
            if self._tops.rank(native) == MENU:
                menus.append(native)
            else:
                self._window(native)
        for menu in menus:
            # The others are read where they were opened from.
            if id(menu) not in self._tools.parts.menus:
                self._window(menu)

    def _window(self, native: Any) -> None:
        if self._binding.QObject.isWidgetType(native):
            self._build(native, _outside(), None)
        else:
            self._plain_window(native)
        record = self._tops.describe(native, self._registry.uid(native))
        self.tree.windows = (*self.tree.windows, record)

    def _plain_window(self, native: Any) -> None:
        """A window without widgets: of QML, or one that draws itself."""
        known = self._registry.know(native)
        window = self._binding.bare(native)
        x, y, width, height = window.geometry().getRect()
        modal = window.modality() != self._binding.Qt.WindowModality.NonModal
        fields: Fields = {
            "uid": known.uid,
            "role": "dialog" if modal else "window",
            "native_class": known.native_class,
            "backend": "qt",
            "bounds": Rect(x, y, width, height),
        }
        if modal:
            fields["modal"] = True
        if title := self._binding.title(window.title()):
            fields["name"] = known.label = title
        if name := known.automation_id or window.objectName():
            fields["automation_id"] = name
        if not window.isVisible():
            fields["visible"] = False
        if self.details:
            detail.add(self._binding, native, fields)
        self.nodes.append(Node.of(fields))
        if self._is_quick(native):
            place = Place(fields, (x, y), (x, y, x + width, y + height))
            self._quick(window.contentItem(), place, self.nodes)
            if place.count:
                fields["child_count"] = place.count

    def _is_quick(self, native: Any) -> bool:
        return self._binding.QtQuick is not None and isinstance(native, self._binding.QtQuick.QQuickWindow)

    # -- widgets -------------------------------------------------------------------------------

    def _build(self, top: Any, around: Place, above: Any) -> None:
        build = Build(
            self._binding,
            self._registry,
            self._tools,
            self._tops.ids,
            self._draw,
            cold=self.cold,
            depth=self.depth,
            internals=self.internals,
            with_details=self.details,
        )
        self.nodes.extend(build.run(top, around, above))

    def _draw(self, parts: str, native: Any, place: Place, nodes: list[Node]) -> None:
        """Read what a widget draws itself."""
        tools = self._tools
        out: list[Node] = []
        if parts == "menu":
            tools.parts.menu_of(native, place, out)
        elif parts == "entries":
            tools.parts.entries(native, place, out)
        elif parts == "more" and not self.internals:
            tools.parts.more(native, place, out)
        elif parts == "tabs":
            tools.parts.tabs(native, place, out)
        elif parts == "list":
            tools.views.read_list(native, place, out)
        elif parts == "table":
            tools.views.read_table(native, place, out)
        elif parts == "tree":
            tools.views.read_tree(native, place, out)
        elif parts == "scene":
            tools.parts.scene(native, place, out, self._embed)
        elif parts == "quick" and place.visible:
            self._quick(native.quickWindow().contentItem(), place, out)
        elif parts == "window" and place.visible:
            window = contained.window_in(self._binding, native)
            if self._is_quick(window):
                at = window.mapToGlobal(self._binding.QtCore.QPoint(0, 0))
                inside = Place(place.fields, (at.x(), at.y()), _EVERYWHERE, place.level)
                self._quick(window.contentItem(), inside, out)
                place.count += inside.count
        nodes.extend(out if self.depth is None else _upper(out, place.uid, self.depth - place.level))

    def _embed(self, native: Any, place: Place, out: list[Node]) -> None:
        """A widget in a graphics view: a window to Qt, a part of the view to everybody else."""
        x, y, _, _ = self._tools.widget.geometry(native).getRect()
        around = Place(place.fields, (place.x - x, place.y - y), _EVERYWHERE, place.level)
        before, self.nodes = self.nodes, []
        depth, self.depth = self.depth, None
        self._build(native, around, None)
        self.depth = depth
        inside, self.nodes = self.nodes, before
        for node in inside[:1]:
            node.__dict__["parent"] = place.uid
            place.count += 1
        out.extend(inside)

    def _quick(self, root: Any, place: Place, out: list[Node]) -> None:
        """The QML items below a place."""
        if root is None:
            return
        from . import quick  # here, because most programs have no QML

        levels = None if self.depth is None else self.depth - place.level
        place.count += quick.nodes(
            self._binding, self._registry, root, place.uid, (place.x, place.y), out, self.internals, levels
        )

    # -- one node ------------------------------------------------------------------------------

    def below(self, handle: Handle, uid: str) -> None:
        """Read what is at and below one node."""
        if isinstance(handle, PARTS):
            self._part(handle, uid)
        elif self._binding.QObject.isWidgetType(handle):
            self._widget(handle)
        elif isinstance(handle, self._binding.QtGui.QWindow):
            self._window(handle)
        elif hasattr(handle, "parentItem"):
            self._quick_item(handle, uid)
        else:  # a layout or a timer: known to us, and never shown
            raise Stale(f"{type(handle).__name__} (uid {uid}) is nothing that is shown", target=f"uid={uid}")

    def _widget(self, native: Any) -> None:
        widget = self._tools.widget
        _, view = embedded.proxy(self._binding, widget.window(native))
        if view is not None:
            self._in_scene(native, view)
        elif not widget.isWindow(native):
            self._inside(native)
        elif widget.windowHandle(native) is not None:
            self._window(native)
        else:
            self._build(native, _outside(), None)

    def _inside(self, native: Any) -> None:
        """A widget that is in another one."""
        above = self._tools.widget.parentWidget(native)
        # A page of tabs is called by its tab.
        kind = self._tools.kinds.of(native)
        called = kind.field or (kind.box and not self._binding.bare(native).text())
        if not called or self._tools.pages(above) is not None:
            self._build(native, self._around(native), above)
            return
        # What it is called may be said by a label beside it, so it is read with those.
        uid, parent = self._registry.uid(native), self._around(native).uid
        depth, self.depth = self.depth, None if self.depth is None else self.depth + 1
        if self._tools.widget.isWindow(above):
            self._build(above, _outside(), None)
        else:
            self._build(above, self._around(above), self._tools.widget.parentWidget(above))
        self.depth = depth
        self._only(_subtree(self.nodes, uid), uid, None)
        self.nodes[0] = self.nodes[0].changed(parent=parent)

    def _in_scene(self, native: Any, view: Any) -> None:
        """A widget in a graphics view: read with the view, because only that knows where it is shown."""
        uid = self._registry.uid(native)
        depth, self.depth = self.depth, None
        self._widget(view)
        self._only(_subtree(self.nodes, uid), uid, depth)

    def _around(self, native: Any) -> Place:
        """The place that a widget is in, found without reading it."""
        point = self._binding.QtCore.QPoint(0, 0)
        widget = self._tools.widget
        above = shown = element = widget.parentWidget(native)
        left, top, right, bottom = _EVERYWHERE
        while shown is not None:
            at = widget.mapToGlobal(shown, point)
            left, top = max(left, at.x()), max(top, at.y())
            right = min(right, at.x() + widget.width(shown))
            bottom = min(bottom, at.y() + widget.height(shown))
            shown = None if widget.isWindow(shown) else widget.parentWidget(shown)
        while not self.internals and not widget.isWindow(element):
            if not self._tools.inner(element, self._registry.know(element), widget.parentWidget(element)):
                break
            element = widget.parentWidget(element)
        origin = widget.mapToGlobal(above, point)
        place = Place(
            {"uid": self._registry.uid(element)},
            (origin.x(), origin.y()),
            (left, top, right, bottom),
            -1,
        )
        place.visible, place.enabled = widget.isVisible(above), widget.isEnabled(above)
        pages = self._tools.pages(above)
        place.pages = None if pages is None else self._registry.know(pages)
        return place

    def _part(self, handle: Any, uid: str) -> None:
        depth, self.depth = self.depth, None
        self._widget(_owner(self._binding, handle))
        found = _subtree(self.nodes, uid)
        if not found and isinstance(handle, Item):
            # It is not on the screen, so reading its view did not come across it.
            found = [self._tools.views.one(handle, self._place_of(handle.view))]
        elif not found and isinstance(handle, MenuEntry):
            # Nothing opens its menu, or nothing that is shown.
            out: list[Node] = []
            self._tools.parts.menus.clear()
            self._tools.parts.entries(handle.menu, self._place_of(handle.menu), out)
            found = _subtree(out, uid)
        self._only(found, uid, depth)

    def _place_of(self, native: Any) -> Place:
        widget = self._tools.widget
        around = _outside() if widget.isWindow(native) else self._around(native)
        at = widget.mapToGlobal(native, self._binding.QtCore.QPoint(0, 0))
        clip = clipped(around, at.x(), at.y(), widget.width(native), widget.height(native))
        place = Place({"uid": self._registry.uid(native)}, (at.x(), at.y()), clip)
        is_menu = native.inherits("QMenu")
        place.visible, place.enabled = is_menu or widget.isVisible(native), widget.isEnabled(native)
        return place

    def _quick_item(self, item: Any, uid: str) -> None:
        """An item and what is below it: read with its window, because only that knows what is shown."""
        window = window_of(item)
        if window is None:
            raise Stale(f"{type(item).__name__} (uid {uid}) is in no window any more", target=f"uid={uid}")
        depth, self.depth = self.depth, None
        holder = None
        if self._binding.QtQuickWidgets is not None:
            kind = self._binding.QtQuickWidgets.QQuickWidget
            holders = [widget for top in self._tops.widgets for widget in (top, *top.findChildren(kind))]
            holder = next(
                (widget for widget in holders if isinstance(widget, kind) and widget.quickWindow() is window),
                None,
            )
        holder = holder or contained.container_of(self._binding, window)
        if holder is not None:
            self._widget(holder)
        else:
            self._plain_window(window)
        self._only(_subtree(self.nodes, uid), uid, depth)

    def _only(self, found: list[Node], uid: str, depth: int | None) -> None:
        """Keep these nodes of what was read."""
        if not found:
            raise Stale(f"what had the uid '{uid}' is not shown any more", target=f"uid={uid}")
        self.nodes[:] = found if depth is None else _upper(found, None, depth)
        self.tree.windows = ()

    # -- focus ---------------------------------------------------------------------------------

    def mark_focus(self) -> None:
        """Say which node has the focus. Nodes are kept from read to read, so that one is a copy."""
        native = self._binding.app.focusWidget() if self._maybe_tools is not None else None
        while native is not None:
            known = self._registry.know(native)
            at = self._index(known.uid)
            if at is not None:
                self.nodes[at] = self.nodes[at].changed(focused=True)
                self.tree.focused = self.nodes[at].uid
                break
            # The focus may be in an inner part; then the control it belongs to has it.
            above = self._tools.widget.parentWidget(native)
            native = above if self._tools.inner(native, known, above) else None
        if self._binding.QtQuick is not None:
            inner = next((node.uid for node in reversed(self.nodes) if node.focused), None)
            self.tree.focused = inner or self.tree.focused

    def _index(self, uid: str) -> int | None:
        return next((at for at, node in enumerate(self.nodes) if node.uid == uid), None)


def _outside() -> Place:
    """Where windows are."""
    return Place({"uid": None}, (0, 0), _EVERYWHERE, -1)


def _owner(binding: Binding, handle: Any) -> Any:
    """The widget that a part is read with."""
    if isinstance(handle, Tab):
        above = binding.bare(handle.bar).parentWidget()
        return above if above is not None and above.inherits("QTabWidget") else handle.bar
    if isinstance(handle, Header):
        return binding.bare(handle.header).parentWidget() or handle.header
    if not isinstance(handle, MenuEntry):
        return handle.view
    menu = handle.menu
    for _ in range(_DEEPEST_MENU):
        owners = binding.shown_in(binding.bare(menu).menuAction()) if menu.inherits("QMenu") else ()
        above = next((owner for owner in owners if owner is not menu and owner.inherits("QWidget")), None)
        if above is None:
            break
        menu = above
    return menu


def _subtree(nodes: list[Node], uid: str) -> list[Node]:
    first = next((at for at, node in enumerate(nodes) if node.uid == uid), None)
    if first is None:
        return []
    inside = {uid}
    found = [nodes[first]]
    for node in islice(nodes, first + 1, None):
        if node.parent in inside:
            inside.add(node.uid)
            found.append(node)
    return found


def _upper(nodes: list[Node], root: str | None, depth: int) -> list[Node]:
    """The nodes down to a depth below the root; without a root, below the first node."""
    levels: dict[str | None, int] = {root: 0}
    kept = []
    for at, node in enumerate(nodes):
        level = 0 if root is None and at == 0 else levels.get(node.parent, 10**6) + 1
        levels[node.uid] = level
        if level <= depth:
            kept.append(node)
    return kept
