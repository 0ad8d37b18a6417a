"""Tabs, menu entries and graphics items: what a widget draws itself and users take for elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...model.node import Node
from .binding import Binding
from .controls import MORE, plain, without_markup
from .handles import Registry
from .place import Fields, Place, clipped

SCENE_ITEMS_KEPT = 1_000
_DEEPEST = 16


class Parts:
    """Reads the parts of widgets that are not widgets."""

    def __init__(self, binding: Binding, registry: Registry) -> None:
        self._binding = binding
        self._registry = registry
        self.menus: set[int] = set()
        """The menus that were read as part of another one, by id()."""

    # -- tabs ----------------------------------------------------------------------------------

    def tabs(self, native: Any, place: Place, out: list[Node]) -> None:
        """The tabs of a tab bar or of a tab widget."""
        tab_widget = self._binding.QtWidgets.QTabWidget
        owner = tab_widget.tabBar(native) if isinstance(native, tab_widget) else native
        bar = self._binding.bare(owner)
        dx, dy = (bar.x(), bar.y()) if owner is not native else (0, 0)
        wide, tall = bar.width(), bar.height()
        current = bar.currentIndex()
        shown = bar.isVisible()
        for index, uid in enumerate(self._registry.tabs(owner)):
            text = plain(bar.tabText(index))
            fields: Fields = {
                "uid": uid,
                "role": "tab",
                "native_class": "QTab",
                "selected": index == current,
                "actions": ("select", "press"),
            }
            if name := text or bar.accessibleTabName(index) or bar.tabToolTip(index):
                fields["name"] = name
            if text:
                fields["text"] = text
            if tip := bar.tabToolTip(index):
                fields["tooltip"] = tip
            x, y, width, height = bar.tabRect(index).getRect()
            node = place.node(fields, x + dx, y + dy, width, height)
            if not shown or not bar.isTabVisible(index):
                node.fields["visible"] = False
            elif x + width <= 0 or y + height <= 0 or x >= wide or y >= tall:
                node.fields["offscreen"] = True
            if not bar.isTabEnabled(index):
                node.fields["enabled"] = False
            self._registry.label(uid, name)
            out.append(node)

    # -- menus ---------------------------------------------------------------------------------

    def entries(self, menu: Any, place: Place, out: list[Node]) -> None:
        """The entries of a menu or menu bar, and of the menus that they open."""
        self._entries(menu, place, self._binding.bare(menu).isVisible(), out, 0)

    def menu_of(self, button: Any, place: Place, out: list[Node]) -> None:
        """The entries of the menu that a button opens."""
        menu = self._binding.bare(button).menu()
        if menu is not None:
            popup = self._popup(menu, place)
            self._entries(menu, popup, self._binding.bare(menu).isVisible(), out, 1)
            place.count += popup.count
            self.menus.add(id(menu))

    def _entries(self, menu: Any, place: Place, is_open: bool, out: list[Node], depth: int) -> None:
        bare_menu = self._binding.bare(menu)
        for native in bare_menu.actions() if depth < _DEEPEST else ():
            action = self._binding.bare(native)
            if action.isSeparator() and not action.text():
                fields: Fields = {"role": "separator"}
            else:
                fields = self._entry(action)
            fields["uid"] = uid = self._registry.entry(menu, native)
            fields["native_class"] = "QAction"
            if name := action.objectName():
                fields["automation_id"] = name
            node = place.node(
                fields, *(bare_menu.actionGeometry(native).getRect() if is_open else (0, 0, 0, 0))
            )
            if not is_open:
                # Nowhere on the screen, but to be reached: its menus are opened on the way.
                node.fields.pop("bounds")
                if node.visible:
                    node.fields["offscreen"] = True
            if not action.isVisible():
                node.fields["visible"] = False
                node.fields.pop("offscreen", None)
            if not action.isEnabled():
                node.fields["enabled"] = False
            self._registry.label(uid, fields.get("name"))
            out.append(node)
            below = action.menu()
            if below is not None and id(below) not in self.menus:
                self.menus.add(id(below))
                shown = self._binding.bare(below).isVisible()
                fields["expanded"] = shown
                fields["actions"] = ("press", "expand")
                under = self._popup(below, place)
                under.uid, under.fields, under.level = uid, fields, place.level + 1
                under.visible = node.visible
                under.enabled = node.enabled
                self._entries(below, under, shown, out, depth + 1)
                if under.count:
                    fields["child_count"] = under.count

    def _entry(self, action: Any) -> Fields:
        fields: Fields = {"role": "menu-item", "actions": ("press",)}
        text, _, shortcut = action.text().partition("\t")
        if text := plain(text):
            fields["name"] = fields["text"] = text
        if action.isCheckable():
            fields["role"] = entry_role(self._binding, action)
            fields["checked"] = action.isChecked()
            fields["actions"] = ("press", "toggle")
        if keys := action.shortcut().toString() or shortcut:
            fields["properties"] = {"shortcut": keys}
        tip = action.toolTip()
        if tip and plain(tip) != text.rstrip(".…"):
            fields["tooltip"] = without_markup(tip) if "<" in tip else tip
        if tip := action.statusTip():
            fields["description"] = tip
        return fields

    def _popup(self, menu: Any, place: Place) -> Place:
        """Below a place in the tree, but where the menu is on the screen."""
        everywhere = (-1e9, -1e9, 1e9, 1e9)
        x, y, _, _ = self._binding.bare(menu).geometry().getRect()
        popup = Place(place.fields, (x, y), everywhere, place.level)
        popup.visible, popup.enabled = place.visible, place.enabled
        return popup

    # -- tool bars -----------------------------------------------------------------------------

    def more(self, bar: Any, place: Place, out: list[Node]) -> None:
        """The button of a tool bar that has no room for all its tools; it shows the others."""
        kind = self._binding.QtWidgets.QToolButton
        native = self._binding.QObject.findChild(bar, kind, "qt_toolbar_ext_button")
        if native is None or not native.isVisible():
            return
        fields: Fields = {
            "uid": self._registry.uid(native),
            "role": "toggle-button",
            "native_class": "QToolBarExtension",
            "name": MORE,
            "checked": native.isChecked(),
            "actions": ("press", "toggle"),
        }
        out.append(place.node(fields, *native.geometry().getRect()))

    # -- graphics views --------------------------------------------------------------------------

    def scene(
        self, native: Any, place: Place, out: list[Node], embed: Callable[[Any, Place, list[Node]], None]
    ) -> None:
        """The graphics items that a view shows, below the items they belong to."""
        view = self._binding.bare(native)
        scene = view.scene()
        if scene is None or not place.visible:
            return
        port = view.viewport()
        x, y = place.x + port.x(), place.y + port.y()
        inside = Place(place.fields, (x, y), clipped(place, x, y, port.width(), port.height()), place.level)
        inside.visible, inside.enabled = place.visible, place.enabled
        shown = view.items(port.rect())
        total = len(shown)
        shown = shown[:SCENE_ITEMS_KEPT]
        shown.reverse()
        children: dict[int | None, list[Any]] = {}
        for item, above in zip(shown, self._scene_parents(shown), strict=True):
            children.setdefault(None if above is None else id(above), []).append(item)
        proxy = self._binding.QtWidgets.QGraphicsProxyWidget
        stack = [(item, inside) for item in reversed(children.get(None, []))]
        while stack:
            item, under = stack.pop()
            node, inner = self._scene_node(native, item, inside, under)
            out.append(node)
            if isinstance(item, proxy) and (widget := self._binding.bare(item).widget()) is not None:
                embed(widget, inner, out)
            below = children.get(id(item), [])
            stack.extend((child, inner) for child in reversed(below))
            if below or inner.count:
                node.fields["child_count"] = len(below) + inner.count
        place.count += inside.count
        if total > len(shown):
            place.fields["properties"] = {"itemsCount": total, "itemsLeftOut": total - len(shown)}

    def _scene_parents(self, shown: list[Any]) -> list[Any]:
        """For each of these items the nearest one that contains it, or None; they come in drawing order.

        Not by parentItem() or topLevelItem(): PySide6 then takes the item for its own, and the program's
        items are destroyed together with our wrappers. An item is drawn before those in it.
        """
        flags = self._binding.QtWidgets.QGraphicsItem.GraphicsItemFlag
        behind = flags.ItemStacksBehindParent | flags.ItemNegativeZStacksBehindParent
        graphics = self._binding.QtWidgets.QGraphicsItem
        contains, flags_of = graphics.isAncestorOf, graphics.flags
        parents = []
        around: list[Any] = []
        for item in shown:
            if flags_of(item) & behind:
                over = [other for other in shown if contains(other, item)]
                parents.append(next((it for it in over if not any(contains(it, x) for x in over)), None))
                continue
            while around and not contains(around[-1], item):
                around.pop()
            parents.append(around[-1] if around else None)
            around.append(item)
        return parents

    def _scene_node(self, view: Any, native: Any, inside: Place, under: Place) -> tuple[Node, Place]:
        uid = self._registry.scene_item(view, native)
        fields: Fields = {"uid": uid, "role": "graphics-object", "native_class": type(native).__name__}
        text = self._scene_text(native, fields)
        item = self._binding.bare(native)
        if text:
            fields["text"] = fields["name"] = text
        if tip := item.toolTip():
            fields["tooltip"] = tip
            fields.setdefault("name", tip)
        widgets = self._binding.QtWidgets
        if isinstance(native, widgets.QGraphicsObject) and (name := item.objectName()):
            fields["automation_id"] = name
        flags = widgets.QGraphicsItem.GraphicsItemFlag
        if item.flags() & flags.ItemIsSelectable:
            fields["selected"] = item.isSelected()
            fields["actions"] = ("select",)
        if item.flags() & flags.ItemIsFocusable:
            fields["focusable"] = True
        rect = self._binding.bare(view).mapFromScene(item.sceneBoundingRect()).boundingRect().getRect()
        node = inside.node(fields, *rect)
        if under is not inside:
            inside.count -= 1
            fields["parent"] = under.uid
        if not item.isVisible():
            fields["visible"] = False
        if not item.isEnabled():
            fields["enabled"] = False
        self._registry.label(uid, fields.get("name"))
        clip = (inside.left, inside.top, inside.right, inside.bottom)
        return node, Place(fields, (inside.x + rect[0], inside.y + rect[1]), clip, under.level + 1)

    def _scene_text(self, native: Any, fields: Fields) -> str | None:
        widgets, item = self._binding.QtWidgets, self._binding.bare(native)
        if isinstance(native, widgets.QGraphicsTextItem):
            fields["role"] = "text"
            interaction = self._binding.Qt.TextInteractionFlag.TextEditable
            if item.textInteractionFlags() & interaction:
                fields["editable"] = True
                fields["role"] = "editable-text"
                fields["value"] = item.toPlainText()
            return str(item.toPlainText())
        if isinstance(native, widgets.QGraphicsSimpleTextItem):
            fields["role"] = "text"
            return str(item.text())
        if isinstance(native, widgets.QGraphicsPixmapItem):
            fields["role"] = "image"
        elif isinstance(native, widgets.QGraphicsProxyWidget):
            fields["role"] = "group"
        return None


def entry_role(binding: Binding, action: Any) -> str:
    """The role of an entry of a menu, by whether and how it can be ticked."""
    if binding.entered or not action.isCheckable():
        return "menu-item"
    group = action.actionGroup()
    return "menu-item-radio" if group is not None and group.isExclusive() else "menu-item-checkbox"
