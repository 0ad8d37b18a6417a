"""Reads the tree of a program: all windows, or what is below one node. Runs on the GUI thread.

Built for large windows. The widgets of a window are asked for once, flat; what every widget has is then
read by columns (`map` of one unbound getter over all of them), and positions are summed up from the parents.
"""

from __future__ import annotations

import os
from itertools import islice
from typing import Any

from ...model.errors import Stale
from ...model.node import Node, Rect, Window
from ...model.tree import Tree
from . import details as detail
from .binding import Binding
from .controls import Kind, Kinds, plain, without_markup
from .handles import PARTS, Entry, Handle, Header, Item, Known, Registry, Tab
from .inner import HIDDEN, LIFTED, Inner
from .labels import Beside, caption
from .parts import Parts
from .place import Fields, Place, clipped
from .views import Views

_EVERYWHERE = (-1e9, -1e9, 1e9, 1e9)
_new = tuple.__new__


class _Look:
    """How a widget is read; kept with what the registry knows of it."""

    __slots__ = ("above", "inner", "kind", "template")

    def __init__(self, kind: Kind, template: Fields, inner: int, above: Known | None) -> None:
        self.kind = kind
        self.template = template
        self.inner = inner
        self.above = above


class Reader:
    """Reads trees."""

    def __init__(self, binding: Binding, registry: Registry) -> None:
        self.binding = binding
        self.registry = registry
        self._has_widgets: bool | None = None

    def read(
        self,
        root: str | None = None,
        *,
        depth: int | None = None,
        details: bool = False,
        internals: bool = False,
    ) -> Tree:
        """All windows, or what is at and below a uid; as `Adapter.read`."""
        run = _Run(self.binding, self.registry, depth, details, internals)
        if root is None:
            run.windows()
        else:
            run.below(self.registry.native(root), root)
        tree = run.tree()
        self.registry.purge()
        return tree

    def main(self) -> Any:
        """The main window; None if no window is shown."""
        return next(iter(_Run(self.binding, self.registry, 0, False, False).shown()), None)


class _Run:
    """One read."""

    def __init__(
        self, binding: Binding, registry: Registry, depth: int | None, details: bool, internals: bool
    ) -> None:
        self._binding = binding
        self._registry = registry
        self._depth = depth
        self._details = details
        self._internals = internals
        self.nodes: list[Node] = []
        self._windows: list[Window] = []
        self._focused: str | None = None
        self._tops: list[Any] = []
        self._top_ids: set[int] = set()
        self._open_combos: set[int] = set()
        self._fresh: list[tuple[Known, Fields]] = []
        if binding.has_widgets():
            self._tops = binding.app.topLevelWidgets()
            self._top_ids = {id(top) for top in self._tops}
            self._tools = _tools(binding, registry)
            self._tools.parts.menus.clear()
            self._open_combos = {
                id(top.parent())
                for top in self._tops
                if top.isVisible() and registry.know(top).native_class == "QComboBoxPrivateContainer"
            }

    def tree(self) -> Tree:
        for known, fields in self._fresh:
            known.label = fields.get("name") or fields.get("automation_id")
        self._find_focus()
        return Tree(self.nodes, tuple(self._windows), focused=self._focused)

    # -- windows -------------------------------------------------------------------------------

    def windows(self) -> None:
        """Read all windows that are shown, the main one first."""
        menus = []
        for native in self.shown():
            if self._rank(native) == _MENU:
                menus.append(native)
            else:
                self._window(native)
        for menu in menus:
            # The others are read where they were opened from.
            if id(menu) not in self._tools.parts.menus:
                self._window(menu)

    def shown(self) -> list[Any]:
        """The windows that are shown: widgets, and windows without any; the main one first, menus last."""
        gui = self._binding.QtGui.QGuiApplication
        if not isinstance(self._binding.app, gui):
            return []
        _ = self._binding.QtQuick  # before there is a wrapper of a window, so that it gets the right class
        pairs = [(top.windowHandle(), top) for top in self._tops if top.isVisible()]
        widget_of = {id(handle): top for handle, top in pairs if handle is not None}
        found = []
        # In the order they were first shown; topLevelWidgets() has none.
        for window in gui.topLevelWindows():
            native = widget_of.get(id(window))
            if native is not None:
                found.append(native)
            elif window.isVisible() and not window.inherits("QWidgetWindow"):
                found.append(window)
        return sorted(found, key=self._rank)

    def _rank(self, native: Any) -> int:
        if not native.isWidgetType():
            return 1 if native.type() == self._binding.Qt.WindowType.Window else 3
        widgets = self._binding.QtWidgets
        if isinstance(native, widgets.QMenu):
            return _MENU
        if isinstance(native, widgets.QMainWindow):
            return 0
        return {"regular": 1, "dialog": 2, "floating": 3}.get(self._window_kind(native), 4)

    def _window_kind(self, native: Any) -> str:
        kinds = self._binding.Qt.WindowType
        widget = native.isWidgetType()
        kind = native.windowType() if widget else native.type()
        if kind in (kinds.Popup, kinds.ToolTip):
            return "popup"
        if kind in (kinds.Tool, kinds.SplashScreen):
            return "floating"
        if kind == kinds.Sheet:
            return "sheet"
        if widget and isinstance(native, self._binding.QtWidgets.QDialog):
            return "dialog"
        return "dialog" if kind == kinds.Dialog else "regular"

    def _window(self, native: Any) -> None:
        uid = self._registry.uid(native)
        at = len(self.nodes)
        if native.isWidgetType():
            self._widgets(native, _outside())
        else:
            self._plain_window(native)
        if len(self.nodes) > at:
            self._windows.append(self._describe(native, uid))

    def _describe(self, native: Any, uid: str) -> Window:
        widget = native.isWidgetType()
        handle = native.windowHandle() if widget else native
        app = self._binding.app
        states = self._binding.Qt.WindowState
        state = handle.windowStates() if handle is not None else native.windowState()
        if widget:
            modal, active = native.isModal(), native.isActiveWindow()
        else:
            modal = handle.modality() != self._binding.Qt.WindowModality.NonModal
            active = handle.isActive()
        native_id = int(handle.winId()) if handle is not None and app.platformName() == "xcb" else None
        x, y, width, height = native.geometry().getRect()
        return Window(
            uid=uid,
            title=(native.windowTitle() if widget else native.title()).replace("[*]", "") or None,
            app_name=app.applicationDisplayName() or app.applicationName(),
            pid=os.getpid(),
            kind=self._window_kind(native),
            bounds=Rect(x, y, width, height),
            focused=active,
            minimized=bool(state & states.WindowMinimized),
            maximized=bool(state & states.WindowMaximized),
            modal=modal,
            native_id=native_id,
            scale=float(handle.devicePixelRatio()) if handle is not None else 1.0,
        )

    def _plain_window(self, window: Any) -> None:
        """A window without widgets: of QML, or one that draws itself."""
        known = self._registry.know(window)
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
        if title := window.title():
            fields["name"] = title
        if name := known.automation_id or window.objectName():
            fields["automation_id"] = name
        if not window.isVisible():
            fields["visible"] = False
        if self._details:
            detail.add(self._binding, window, fields)
        self.nodes.append(Node.of(fields))
        self._fresh.append((known, fields))
        if self._binding.QtQuick is not None and isinstance(window, self._binding.QtQuick.QQuickWindow):
            place = Place(fields, (x, y), (x, y, x + width, y + height), 0)
            self._quick(window.contentItem(), place)
            if place.count:
                fields["child_count"] = place.count

    def _quick(self, root: Any, place: Place) -> None:
        """The QML items below a place."""
        if root is None:
            return
        from . import quick  # here, because most programs have no QML

        out: list[Node] = []
        quick.nodes(self._binding, self._registry, root, place.uid, (place.x, place.y), out, self._internals)
        place.root.count += sum(node.parent == place.uid for node in out)
        if self._depth is not None:
            out = _upper(out, place.uid, self._depth - place.level)
        self.nodes.extend(out)

    # -- one node ------------------------------------------------------------------------------

    def below(self, handle: Handle, uid: str) -> None:
        """Read what is at and below one node."""
        if isinstance(handle, PARTS):
            self._part(handle, uid)
        elif handle.isWidgetType():
            self._widget(handle)
        elif isinstance(handle, self._binding.QtGui.QWindow):
            self._plain_window(handle)
            if handle.isTopLevel():
                self._windows.append(self._describe(handle, uid))
        else:
            self._quick_item(handle, uid)

    def _widget(self, native: Any) -> None:
        if native.isWindow():
            if native.windowHandle() is not None:
                self._window(native)
            else:
                self._widgets(native, _outside())
            return
        self._widgets(native, self._around(native))

    def _around(self, native: Any) -> Place:
        """The place that a widget is in, made without reading it."""
        point = self._binding.QtCore.QPoint
        above = native.parentWidget()
        left, top, right, bottom = _EVERYWHERE
        shown = above
        while shown is not None:
            at = shown.mapToGlobal(point(0, 0))
            left, top = max(left, at.x()), max(top, at.y())
            right, bottom = min(right, at.x() + shown.width()), min(bottom, at.y() + shown.height())
            shown = None if shown.isWindow() else shown.parentWidget()
        origin = above.mapToGlobal(point(0, 0))
        pages = self._tools.pages(above)
        known_above = self._registry.know(above)
        emitted = above
        while not self._internals and emitted.parentWidget() is not None and not emitted.isWindow():
            known = self._registry.know(emitted)
            inner = self._tools.inner(
                emitted, known.native_class, emitted.objectName(), emitted.parentWidget()
            )
            if inner == 0:
                break
            emitted = emitted.parentWidget()
        place = Place(
            {"uid": self._registry.uid(emitted)},
            (origin.x(), origin.y()),
            (left, top, right, bottom),
            -1,
        )
        place.visible, place.enabled = above.isVisible(), above.isEnabled()
        place.known = known_above
        place.pages = pages
        return place

    def _part(self, handle: Any, uid: str) -> None:
        owner = _owner(handle)
        depth, self._depth = self._depth, None
        self._widget(owner if isinstance(owner, self._binding.QObject) else handle)
        self._windows.clear()
        found = _subtree(self.nodes, uid)
        if not found and isinstance(handle, Item):
            # It is not on the screen, so reading its view did not come across it.
            self.nodes.clear()
            place = Place({"uid": self._registry.uid(handle.view)}, *self._port(handle.view), 0)
            place.visible, place.enabled = handle.view.isVisible(), handle.view.isEnabled()
            found = [self._tools.views.one(handle, place)]
        if not found and isinstance(handle, Entry):
            place = Place({"uid": self._registry.uid(handle.menu)}, (0, 0), _EVERYWHERE, 0)
            place.enabled = handle.menu.isEnabled()
            self._tools.parts.menus.clear()
            out: list[Node] = []
            self._tools.parts.entries(handle.menu, place, out)
            found = _subtree(out, uid)
        if not found:
            raise Stale(f"what had the uid '{uid}' is not shown any more", target=f"uid={uid}")
        self.nodes = found if depth is None else _upper(found, None, depth)

    def _port(self, view: Any) -> tuple[tuple[float, float], tuple[float, float, float, float]]:
        around = self._around(view) if not view.isWindow() else _outside()
        at = view.mapToGlobal(self._binding.QtCore.QPoint(0, 0))
        return (at.x(), at.y()), clipped(around, at.x(), at.y(), view.width(), view.height())

    def _quick_item(self, item: Any, uid: str) -> None:
        """An item and what is below it: read with its window, because only that knows what is shown."""
        window = item.window()
        if window is None:
            raise Stale(f"{type(item).__name__} (uid {uid}) is in no window any more", target=f"uid={uid}")
        depth, self._depth = self._depth, None
        holder = None
        for top in self._tops:
            if self._binding.QtQuickWidgets is not None:
                holder = next(
                    (
                        one
                        for one in top.findChildren(self._binding.QtQuickWidgets.QQuickWidget)
                        if one.quickWindow() is window
                    ),
                    None,
                )
            if holder is not None:
                break
        if holder is not None:
            self._widget(holder)
        else:
            self._plain_window(window)
        self._windows.clear()
        found = _subtree(self.nodes, uid)
        if not found:
            raise Stale(f"{type(item).__name__} (uid {uid}) is not shown any more", target=f"uid={uid}")
        self.nodes = found if depth is None else _upper(found, None, depth)

    # -- widgets -------------------------------------------------------------------------------

    def _widgets(self, top: Any, around: Place) -> None:
        """A widget and all that is in it, but for other windows."""
        natives = [top]
        if self._depth is None:
            natives += top.findChildren(self._tools.widget)
        else:
            self._level(top, self._depth + 1 - (around.level + 1), natives)
        self._many(natives, top, around)

    def _level(self, native: Any, depth: int, out: list[Any]) -> None:
        """Collect widgets down to a depth, not counting those that are no elements."""
        if depth <= 0:
            return
        for child in native.findChildren(
            self._tools.widget, options=self._binding.Qt.FindChildOption.FindDirectChildrenOnly
        ):
            if id(child) in self._top_ids:
                continue
            out.append(child)
            inner = self._tools.inner(
                child, self._registry.know(child).native_class, child.objectName(), native
            )
            self._level(child, depth if inner == LIFTED and not self._internals else depth - 1, out)

    def _many(self, natives: list[Any], top: Any, around: Place) -> None:
        tools = self._tools
        widget, registry, internals, depth = tools.widget, self._registry, self._internals, self._depth
        known_of, know = registry.known.get, registry.know
        knowns = [known_of(id(native)) or know(native) for native in natives]
        parents = list(map(tools.parent, natives))
        xs, ys = list(map(widget.x, natives)), list(map(widget.y, natives))
        if top.isWindow():
            # For a window these are where its frame begins.
            xs[0], ys[0], _, _ = top.geometry().getRect()
        top_ids = self._top_ids - {id(top)}
        at: dict[int, Any] = {id(parents[0]): around}
        groups: dict[Kind, tuple[list[Any], list[Fields]]] = {}
        accessible: list[tuple[Fields, str]] = []
        pages: list[tuple[Fields, str]] = []
        labels: list[tuple[int, Fields]] = []
        fillable: list[tuple[Any, int, Fields]] = []
        secret: list[tuple[Any, Fields]] = []
        mixed_up: set[Place] = set()
        nodes = self.nodes
        first = len(nodes)
        no_focus, label = tools.no_focus, tools.label
        for native, known, parent, x, y, width, height, visible, enabled, name, tip, spoken, policy in zip(
            natives,
            knowns,
            parents,
            xs,
            ys,
            map(widget.width, natives),
            map(widget.height, natives),
            map(widget.isVisible, natives),
            map(widget.isEnabled, natives),
            map(widget.objectName, natives),
            map(widget.toolTip, natives),
            map(widget.accessibleName, natives),
            map(widget.focusPolicy, natives),
            strict=True,
        ):  # fmt: skip
            place = at.get(id(parent))
            if place is None or id(native) in top_ids:
                continue
            if type(place) is tuple:
                place = at[id(parent)] = _leaf_place(*place)
            look = known.reader
            if look is None or look.above is not place.known:
                look = known.reader = tools.look(native, known, name, parent, place)
            x += place.x
            y += place.y
            if look.inner and not internals:
                if look.inner == LIFTED:
                    at[id(native)] = _lifted(place, known, native, tools, x, y, width, height)
                continue
            kind = look.kind
            level = place.level + 1
            place.root.count += 1
            serial = known.serial if place.stack is None else place.stack.indexOf(native) + 1
            if serial < place.last:
                mixed_up.add(place)
            place.last = serial
            if depth is not None and level > depth:
                continue
            fields = look.template.copy()
            fields["uid"] = known.uid
            fields["parent"] = place.uid
            fields["bounds"] = _new(Rect, (x, y, width, height))
            if not visible:
                fields["visible"] = False
                if not place.visible and not native.isHidden():
                    fields["visible_self"] = True
            elif x >= place.right or y >= place.bottom or x + width <= place.left or y + height <= place.top:
                fields["offscreen"] = True
            if not enabled:
                fields["enabled"] = False
                if not place.enabled and not native.testAttribute(tools.forced):
                    fields["enabled_self"] = True
            if name:
                fields["automation_id"] = name
            if known.automation_id is not None:
                if name and name != known.automation_id:
                    fields["object_name"] = name
                fields["automation_id"] = known.automation_id
            if tip:
                fields["tooltip"] = without_markup(tip) if "<" in tip else tip
            if spoken:
                accessible.append((fields, spoken))
            if policy is not no_focus:
                fields["focusable"] = True
            if place.inner or look.inner:
                fields["internal"] = True
            nodes.append(Node.of(fields))
            if known.label is None:
                self._fresh.append((known, fields))
            group = groups.get(kind)
            if group is None:
                group = groups[kind] = ([], [])
            group[0].append(native)
            group[1].append(fields)
            if kind is label:
                labels.append((id(parent), fields))
            elif kind.field:
                fillable.append((native, id(parent), fields))
            if place.pages is not None:
                _page(place.pages, native, fields, pages)
            if kind.leaf and kind.parts is None:
                at[id(native)] = (fields, place, known, level)
                continue
            below = at[id(native)] = Place(fields, (x, y), clipped(place, x, y, width, height), level)
            below.known = known
            below.inner = place.inner or look.inner == HIDDEN
            below.visible = visible
            if kind is tools.stack:
                below.stack = native
            if kind.parts is not None:
                self._draw(kind.parts, native, below)
            if native is top and top.isWindow():
                self._title(top, fields)
        if mixed_up:
            nodes[first:] = _in_order(nodes[first:], mixed_up, natives, knowns)
        self._fill(groups, at)
        self._name(accessible, pages, labels, fillable, groups)
        for place in at.values():
            if type(place) is Place and place.count and place is not around:
                place.fields["child_count"] = place.count
        if self._details:
            for natives_of, rows in groups.values():
                secret.extend(zip(natives_of, rows, strict=True))
            for native, fields in secret:
                detail.add(self._binding, native, fields)
        self._focus(top, at)

    def _title(self, top: Any, fields: Fields) -> None:
        fields["parent"] = None
        fields.pop("offscreen", None)
        if title := top.windowTitle().replace("[*]", ""):
            fields["name"] = title
        if fields["role"] == "generic":
            fields["role"] = "window"
        cls = fields["native_class"]
        if cls == "QComboBoxPrivateContainer":
            fields["role"] = "menu-list-popup"
            fields.pop("internal", None)
        elif cls == "QTipLabel":
            fields["role"] = "tooltip"
        if top.isModal():
            fields["modal"] = True

    def _draw(self, parts: str, native: Any, place: Place) -> None:
        """Read what a widget draws itself."""
        at = len(self.nodes)
        tools = self._tools
        if parts == "menu":
            if native.menu() is not None:
                tools.parts.menu_of(native, place, self.nodes)
        elif parts == "entries":
            tools.parts.entries(native, place, self.nodes)
        elif parts == "tabs":
            tools.parts.tabs(native, place, self.nodes)
        elif parts == "list":
            tools.views.read_list(native, place, self.nodes)
        elif parts == "table":
            tools.views.read_table(native, place, self.nodes)
        elif parts == "tree":
            tools.views.read_tree(native, place, self.nodes)
        elif parts == "scene":
            tools.parts.scene(native, place, self.nodes, self._embed)
        elif parts == "quick" and place.visible:
            self._quick(native.rootObject(), place)
        if self._depth is not None and len(self.nodes) > at:
            drawn = self.nodes[at:]
            del self.nodes[at:]
            self.nodes.extend(_upper(drawn, place.uid, self._depth - place.level))

    def _embed(self, native: Any, place: Place, out: list[Node]) -> None:
        """A widget in a graphics view: a window to Qt, a part of the view to everybody else."""
        before, self.nodes = self.nodes, []
        x, y = native.x(), native.y()
        place.x, place.y = place.x - x, place.y - y
        self._many([native, *native.findChildren(self._tools.widget)], native, place)
        inside, self.nodes = self.nodes, before
        for node in inside[:1]:
            node.fields["parent"] = place.uid
        out.extend(inside)

    # -- what comes after ------------------------------------------------------------------------

    def _fill(self, groups: dict[Kind, tuple[list[Any], list[Fields]]], at: dict[int, Any]) -> None:
        for kind, (natives, rows) in groups.items():
            if kind is self._tools.label:
                buddies = list(map(self._tools.buddy, natives))
                self._tools.kinds.labels(natives, rows, buddies)
                for fields, buddy in zip(rows, buddies, strict=True):
                    there = at.get(id(buddy)) if buddy is not None else None
                    if there is not None and fields.get("text"):
                        row = there[0] if type(there) is tuple else there.fields
                        if "name" not in row:
                            row["name"] = caption(fields["text"])
                            row["labelled"] = fields["uid"]
            elif kind.fill is not None and kind is not self._tools.table["QLabel"]:
                kept = [row.get("name") for row in rows] if kind.field else []
                kind.fill(natives, rows)
                for row, name in zip(rows, kept, strict=False):
                    if name is not None:
                        row.setdefault("name", name)
        for native_id in self._open_combos:
            there = at.get(native_id)
            if there is not None:
                (there[0] if type(there) is tuple else there.fields)["expanded"] = True

    def _name(
        self,
        accessible: list[tuple[Fields, str]],
        pages: list[tuple[Fields, str]],
        labels: list[tuple[int, Fields]],
        fillable: list[tuple[Any, int, Fields]],
        groups: dict[Kind, tuple[list[Any], list[Fields]]],
    ) -> None:
        """Names, from what says most to what says least."""
        for fields, text in pages:
            fields.setdefault("name", text)
        for fields, text in accessible:
            fields["name"] = text
            fields.pop("labelled", None)
        self._tools.beside.name(labels, fillable)
        for _, _, fields in fillable:
            fields.pop("labelled", None)
            if "name" not in fields and "placeholder" in fields:
                fields["name"] = fields["placeholder"]
        for kind, (_, rows) in groups.items():
            if kind.role == "button":
                for fields in rows:
                    if "name" not in fields and "tooltip" in fields:
                        fields["name"] = fields["tooltip"]
            elif kind is not self._tools.label:
                for fields in rows:
                    fields.pop("labelled", None)

    def _focus(self, top: Any, at: dict[int, Any]) -> None:
        native = self._binding.app.focusWidget()
        # The focus may be in an inner part; then the control it belongs to has it.
        while native is not None and id(native) not in at:
            native = None if native is top else native.parentWidget()
        there = at.get(id(native)) if native is not None else None
        if there is not None and not (type(there) is Place and there.level < 0):
            fields = there[0] if type(there) is tuple else there.fields
            fields["focused"] = True
            self._focused = fields["uid"]

    def _find_focus(self) -> None:
        if self._focused is None and self._binding.QtQuick is not None:
            self._focused = next((node.uid for node in reversed(self.nodes) if node.focused), None)


_MENU = 9


class _Tools:
    """What all reads of one program share."""

    def __init__(self, binding: Binding, registry: Registry) -> None:
        widgets = binding.QtWidgets
        self._binding = binding
        self.widget = widgets.QWidget
        self.parent = binding.QObject.parent
        self.buddy = widgets.QLabel.buddy
        self.no_focus = binding.Qt.FocusPolicy.NoFocus
        self.forced = binding.Qt.WidgetAttribute.WA_ForceDisabled
        self.kinds = Kinds(binding)
        self.table = self.kinds.table
        self.label = self.table["QLabel"]
        self.stack = self.table["QStackedWidget"]
        self.stacked = widgets.QStackedWidget
        self.inner = Inner(binding)
        self.beside = Beside(binding)
        self.parts = Parts(binding, registry)
        self.views = Views(binding, registry)

    def look(self, native: Any, known: Known, name: str, parent: Any, place: Place) -> _Look:
        """Find out how a widget is read: once, and again when it gets another parent."""
        kind = self.kinds.of(native)
        inner = self.inner(native, known.native_class, name, parent) if place.level >= -1 and parent else 0
        if inner and native.isWindow():
            inner = 0
        role = "tab" if known.native_class == "QToolBoxButton" else kind.role
        if known.native_class == "QToolBarSeparator":
            role = "separator"
        template = {
            "role": role,
            "native_class": known.native_class,
            "backend": "qt",
            "actions": kind.actions,
        }
        if not kind.actions:
            del template["actions"]
        made = self._binding.made_in_python
        known.inside = [
            child for child in native.children() if not made(child) and not child.isWidgetType()
        ] or None
        return _Look(kind, template, inner, place.known)

    def pages(self, native: Any) -> Any:
        """The tab widget whose pages a widget holds."""
        above = native.parentWidget()
        widgets = self._binding.QtWidgets
        is_stack = isinstance(native, widgets.QStackedWidget) and isinstance(above, widgets.QTabWidget)
        return above if is_stack else None


_TOOLS: dict[int, _Tools] = {}


def _tools(binding: Binding, registry: Registry) -> _Tools:
    key = id(registry)
    if key not in _TOOLS:
        _TOOLS[key] = _Tools(binding, registry)
    return _TOOLS[key]


def _outside() -> Place:
    return Place({"uid": None}, (0, 0), _EVERYWHERE, -1)


def _leaf_place(fields: Fields, above: Place, known: Known, level: int) -> Place:
    bounds: Rect = fields["bounds"]
    place = Place(fields, (bounds.x, bounds.y), clipped(above, *bounds), level)
    place.known = known
    place.inner = above.inner
    return place


def _lifted(
    place: Place, known: Known, native: Any, tools: _Tools, x: float, y: float, width: float, height: float
) -> Place:
    """Where a widget is that is no element: those in it are children of the element above."""
    lifted = Place(place.fields, (x, y), clipped(place, x, y, width, height), place.level)
    lifted.visible = native.isVisible()
    lifted.enabled = place.enabled
    lifted.root = place.root
    lifted.known = known
    lifted.pages = tools.pages(native)
    if isinstance(native, tools.stacked):
        lifted.stack = native
    return lifted


def _in_order(nodes: list[Node], mixed_up: set[Place], natives: list[Any], knowns: list[Known]) -> list[Node]:
    """Children in the order they were made; of a stack, in the order of its pages.

    Qt keeps them in the order in which they are drawn, which changes when one is raised.
    """
    places = {place.uid: place for place in mixed_up}
    widgets = {known.uid: (known.serial, native) for native, known in zip(natives, knowns, strict=True)}
    starts: dict[str, list[int]] = {}
    for at, node in enumerate(nodes):
        if node.parent in places and node.uid in widgets:
            starts.setdefault(node.parent, []).append(at)
    # The inner ones first: moving those leaves the outer ones where they are.
    for uid, begins in sorted(starts.items(), key=lambda pair: -pair[1][0]):
        place = places[uid]
        end, inside = begins[-1] + 1, {nodes[begins[-1]].uid}
        while end < len(nodes) and nodes[end].parent in inside:
            inside.add(nodes[end].uid)
            end += 1
        blocks = [nodes[a:b] for a, b in zip(begins, [*begins[1:], end], strict=True)]

        def rank(block: list[Node], place: Place = place) -> int:
            serial, native = widgets[block[0].uid]
            return serial if place.stack is None else int(place.stack.indexOf(native))

        blocks.sort(key=rank)
        nodes[begins[0] : end] = [node for block in blocks for node in block]
    return nodes


def _page(tabs: Any, native: Any, fields: Fields, pages: list[tuple[Fields, str]]) -> None:
    index = tabs.indexOf(native)
    if index >= 0:
        if fields["role"] == "generic":
            fields["role"] = "tab-panel"
        if text := plain(tabs.tabText(index)):
            pages.append((fields, text))


def _owner(handle: Any) -> Any:
    """The widget that a part is read with."""
    if isinstance(handle, Tab):
        above = handle.bar.parentWidget()
        return above if above is not None and above.inherits("QTabWidget") else handle.bar
    if isinstance(handle, Header):
        return handle.header.parentWidget() or handle.header
    if isinstance(handle, Entry):
        menu = handle.menu
        for _ in range(16):
            if not menu.inherits("QMenu"):
                return menu
            above = next(
                (
                    owner
                    for owner in menu.menuAction().associatedObjects()
                    if owner is not menu and owner.inherits("QWidget")
                ),
                None,
            )
            if above is None:
                return menu
            menu = above
        return menu
    return handle.view


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
