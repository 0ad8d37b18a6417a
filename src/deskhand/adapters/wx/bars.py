"""Menu bars and tool bars."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import wx

from ...model.errors import NotEnabled, Stale
from ...model.node import Node, called
from ..choices import Choice
from ..performer import Offer, Options
from .drawn import Bounds, Drawn, in_client, named, send
from .gtk import gtk, widget_of
from .place import Fields, Place

_DEEPEST = 16


class Menus(Drawn):
    """The entries of a menu bar. Keys are the way to them: positions, from the bar down."""

    kind = "entry"

    def read(self, window: Any, place: Place, out: list[Node], registry: Any) -> None:
        prefix = f"{place.uid}:{self.kind}:"
        widgets = _entries_in(_shell(window))
        for at in range(window.GetMenuCount()):
            widget = widgets[at] if at < len(widgets) else 0
            fields: Fields = {
                "uid": f"{prefix}{at}",
                "role": _menu_role(),
                "native_class": "wxMenu",
                "actions": ("press", "expand"),
            }
            named(fields, window.GetMenuLabelText(at))
            out.append(place.put(fields, gtk.bounds(widget) if gtk is not None and widget else None))
            if not window.IsEnabledTop(at):
                fields["enabled"] = False
            self._entries(window.GetMenu(at), (at,), widget, fields, place, prefix, out)

    def count(self, window: Any) -> int:
        return int(window.GetMenuCount())

    def _entries(
        self,
        menu: Any,
        way: tuple[int, ...],
        opener: int,
        above: Fields,
        place: Place,
        prefix: str,
        out: list[Node],
    ) -> None:
        """Put the entries of a menu below the one that opens it."""
        inside = Place(above, (place.x, place.y), level=place.level + 1)
        inside.visible = place.visible
        shell = _menu_of(opener)
        above["expanded"] = is_open = bool(gtk is not None and shell and gtk.gtk_widget_get_mapped(shell))
        items = menu.GetMenuItems()
        # Of a menu that is closed, GTK has no places; asked only if a menu below it could be open.
        widgets = _entries_in(shell) if is_open else []
        for at, item in enumerate(items if len(way) < _DEEPEST else ()):
            widget = widgets[at] if at < len(widgets) else 0
            fields = entry(item)
            fields["uid"] = prefix + ".".join(map(str, (*way, at)))
            out.append(inside.put(fields, gtk.bounds(widget) if gtk is not None and widget else None))
            if not item.IsEnabled():
                fields["enabled"] = False
            below = item.GetSubMenu()
            if below is not None:
                self._entries(below, (*way, at), widget, fields, inside, prefix, out)
        if inside.count:
            above["child_count"] = inside.count

    def bounds(self, window: Any, key: str) -> Bounds | None:
        widget = _widget_at(window, _way(key))
        return gtk.bounds(widget) if gtk is not None and widget else None

    def call(self, window: Any, key: str) -> str:
        way = _way(key)
        if len(way) == 1:
            return called(_menu_role(), window.GetMenuLabelText(way[0]))
        item = _item(window, way)
        return called(entry(item)["role"], item.GetItemLabelText())

    def press(self, window: Any, key: str) -> None:
        item = self._enabled(window, key)
        window.GetFrame().ProcessCommand(item.GetId())

    def tick(self, window: Any, key: str, checked: bool) -> None:
        self.press(window, key)

    def offer(self, window: Any, key: str | None) -> Offer:
        way = _way(key) if key is not None else ()
        choices = [Choice(at, text, None, enabled) for at, text, enabled in _listed(window, way)]

        def choose(choice: Choice, _extend: bool) -> None:
            if way:
                self.press(window, ".".join(map(str, (*way, choice.index))))

        return Options(self.call(window, key) if key else self.title(window), choices, choose)

    def has_menu(self, window: Any, key: str) -> bool:
        """Whether an entry opens a menu."""
        way = _way(key)
        return len(way) == 1 or _item(window, way).GetSubMenu() is not None

    def way(self, key: str) -> Iterator[str]:
        """The keys of the entries that must be opened to get to one."""
        way = _way(key)
        for length in range(1, len(way)):
            yield ".".join(map(str, way[:length]))

    def is_open(self, window: Any, key: str) -> bool:
        return _is_open(window, _way(key))

    def insist_on_enabled(self, window: Any, key: str) -> None:
        """NotEnabled if an entry cannot be chosen."""
        if len(_way(key)) > 1:
            self._enabled(window, key)

    def _enabled(self, window: Any, key: str) -> Any:
        item = _item(window, _way(key))
        if not item.IsEnabled():
            raise NotEnabled(f"{self.call(window, key)} is not enabled", last_seen={"enabled": False})
        return item


def _menu_role() -> str:
    """The role of what opens a menu: in a program in C++ that which it has on the accessibility bus."""
    return "menu-item" if isinstance(wx.App.Get(), wx.App) else "menu"


def entry(item: Any) -> Fields:
    """The fields of a menu entry."""
    if item.IsSeparator():
        return {"role": "separator", "native_class": "wxMenuItem"}
    fields: Fields = {"role": "menu-item", "native_class": "wxMenuItem", "actions": ("press",)}
    named(fields, item.GetItemLabelText())
    if item.IsCheckable():
        fields["role"] = "menu-item-radio" if item.GetKind() == wx.ITEM_RADIO else "menu-item-checkbox"
        fields["checked"] = item.IsChecked()
        fields["actions"] = ("press", "toggle")
    if item.IsSubMenu():
        fields["role"] = _menu_role()
        fields["actions"] = ("press", "expand")
    if help_text := item.GetHelp():
        fields["description"] = help_text
    properties: dict[str, Any] = {"id": item.GetId()}
    if keys := item.GetItemLabel().partition("\t")[2]:
        properties["shortcut"] = keys
    fields["properties"] = properties
    return fields


def _shell(window: Any) -> int:
    """The GTK widget that the entries of a menu bar are in; 0 if there is none."""
    return 0 if gtk is None else gtk.first(widget_of(window), "GtkMenuBar")


def _entries_in(shell: int) -> list[int]:
    if gtk is None or not shell:
        return []
    return [entry for entry in gtk.children(shell) if not gtk.is_a(entry, "GtkTearoffMenuItem")]


def _menu_of(entry: int) -> int:
    """The GTK widget of the menu that an entry opens."""
    return (gtk.gtk_menu_item_get_submenu(entry) or 0) if gtk is not None and entry else 0


def _widget_at(window: Any, way: tuple[int, ...]) -> int:
    """The GTK widget of an entry; 0 if it has none."""
    shell, item = _shell(window), 0
    for at in way:
        items = _entries_in(shell)
        if at >= len(items):
            return 0
        item = items[at]
        shell = _menu_of(item)
    return item


def _is_open(window: Any, way: tuple[int, ...]) -> bool:
    menu = _menu_of(_widget_at(window, way))
    return bool(gtk is not None and menu and gtk.gtk_widget_get_mapped(menu))


def _way(key: str) -> tuple[int, ...]:
    return tuple(int(number) for number in key.split("."))


def _item(window: Any, way: tuple[int, ...]) -> Any:
    if way[0] >= window.GetMenuCount():
        raise Stale("this menu is gone")
    menu, item = window.GetMenu(way[0]), None
    for at in way[1:]:
        if menu is None or at >= menu.GetMenuItemCount():
            raise Stale("this menu entry is gone")
        item = menu.FindItemByPosition(at)
        menu = item.GetSubMenu()
    return item


def _listed(window: Any, way: tuple[int, ...]) -> list[tuple[int, str, bool]]:
    if not way:
        return [
            (at, window.GetMenuLabelText(at), window.IsEnabledTop(at)) for at in range(window.GetMenuCount())
        ]
    menu = window.GetMenu(way[0]) if len(way) == 1 else _item(window, way).GetSubMenu()
    return [
        (at, item.GetItemLabelText(), item.IsEnabled())
        for at, item in enumerate(menu.GetMenuItems() if menu is not None else ())
    ]


class Tools(Drawn):
    """The tools of a wx.ToolBar. Keys are the tools' ids; separators have none."""

    kind = "tool"

    def read(self, window: Any, place: Place, out: list[Node], registry: Any) -> None:
        for at in range(window.GetToolsCount()):
            tool = window.GetToolByPos(at)
            if tool.IsControl():
                continue
            if tool.IsSeparator():
                fields: Fields = {"uid": f"{place.uid}:gap:{at}", "role": "separator"}
                fields["native_class"] = "wxToolBarSeparator"
                out.append(place.put(fields, self._bounds_at(window, at)))
            else:
                out.append(self._tool(window, tool, at, place))

    def count(self, window: Any) -> int:
        return int(window.GetToolsCount())

    def _tool(self, window: Any, tool: Any, at: int, place: Place) -> Node:
        fields: Fields = {
            "uid": f"{place.uid}:{self.kind}:{tool.GetId()}",
            "role": "button",
            "native_class": "wxToolBarTool",
            "actions": ("press",),
            "properties": {"id": tool.GetId()},
        }
        label, tip = wx.Control.RemoveMnemonics(tool.GetLabel()), tool.GetShortHelp()
        named(fields, label)
        if tip:
            fields["tooltip"] = tip
            fields.setdefault("name", tip)
        if tool.CanBeToggled():
            fields["role"], fields["checked"] = "toggle-button", tool.IsToggled()
            fields["actions"] = ("press", "toggle")
        if long := tool.GetLongHelp():
            fields["description"] = long
        node = place.put(fields, self._bounds_at(window, at))
        if not tool.IsEnabled():
            fields["enabled"] = False
        return node

    def bounds(self, window: Any, key: str) -> Bounds | None:
        at = window.GetToolPos(int(key))
        return None if at == wx.NOT_FOUND else self._bounds_at(window, at)

    def _bounds_at(self, window: Any, at: int) -> Bounds | None:
        if gtk is None:
            return None
        bar = gtk.first(widget_of(window), "GtkToolbar")
        item = gtk.gtk_toolbar_get_nth_item(bar, at) if bar else None
        return gtk.bounds(item) if item else None

    def call(self, window: Any, key: str) -> str:
        tool = window.FindById(int(key))
        if tool is None:
            return f"button {key}"
        role = "toggle-button" if tool.CanBeToggled() else "button"
        return called(role, tool.GetLabel() or tool.GetShortHelp(), key)

    def press(self, window: Any, key: str) -> None:
        tool = window.FindById(int(key))
        if tool is None:
            raise Stale(f"the tool bar has no tool {key} any more")
        if not tool.IsEnabled():
            raise NotEnabled(f"{self.call(window, key)} is not enabled", last_seen={"enabled": False})
        if tool.CanBeToggled():
            window.ToggleTool(tool.GetId(), not tool.IsToggled())
        _pressed(window, tool.GetId(), tool.IsToggled())

    def tick(self, window: Any, key: str, checked: bool) -> None:
        self.press(window, key)


class AuiTools(Drawn):
    """The tools of a wx.aui.AuiToolBar."""

    kind = "tool"

    def read(self, window: Any, place: Place, out: list[Node], registry: Any) -> None:
        for at in range(window.GetToolCount()):
            tool = window.FindToolByIndex(at)
            if tool is None or tool.GetWindow() is not None:
                continue
            fields: Fields = {
                "uid": f"{place.uid}:{self.kind}:{tool.GetId()}",
                "role": "button",
                "native_class": "wxAuiToolBarItem",
                "actions": ("press",),
                "properties": {"id": tool.GetId()},
            }
            if tool.GetKind() in (wx.ITEM_SEPARATOR, -1):
                fields["role"], fields["uid"] = "separator", f"{place.uid}:gap:{at}"
                fields.pop("actions")
            named(fields, wx.Control.RemoveMnemonics(tool.GetLabel()))
            if tip := tool.GetShortHelp():
                fields["tooltip"] = tip
                fields.setdefault("name", tip)
            if tool.GetKind() in (wx.ITEM_CHECK, wx.ITEM_RADIO):
                fields["role"] = "toggle-button"
                fields["checked"] = window.GetToolToggled(tool.GetId())
            node = place.put(fields, self.bounds(window, str(tool.GetId())))
            if fields["role"] != "separator" and not window.GetToolEnabled(tool.GetId()):
                fields["enabled"] = False
            out.append(node)

    def count(self, window: Any) -> int:
        return int(window.GetToolCount())

    def bounds(self, window: Any, key: str) -> Bounds | None:
        rect = window.GetToolRect(int(key))
        return in_client(window, rect) if rect.width > 0 else None

    def call(self, window: Any, key: str) -> str:
        tool = window.FindTool(int(key))
        toggles = tool is not None and tool.GetKind() in (wx.ITEM_CHECK, wx.ITEM_RADIO)
        return called("toggle-button" if toggles else "button", window.GetToolLabel(int(key)), key)

    def press(self, window: Any, key: str) -> None:
        at = int(key)
        if not window.GetToolEnabled(at):
            raise NotEnabled(f"{self.call(window, key)} is not enabled", last_seen={"enabled": False})
        tool = window.FindTool(at)
        toggles = tool is not None and tool.GetKind() in (wx.ITEM_CHECK, wx.ITEM_RADIO)
        if toggles:
            window.ToggleTool(at, not window.GetToolToggled(at))
            window.Refresh()
        _pressed(window, at, toggles and window.GetToolToggled(at))

    def tick(self, window: Any, key: str, checked: bool) -> None:
        self.press(window, key)


def _pressed(window: Any, tool: int, on: bool) -> None:
    event = wx.CommandEvent(wx.EVT_TOOL.typeId, tool)
    event.SetInt(int(on))
    send(window, event)
