"""List boxes and radio boxes."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import wx

from ...model.errors import Stale
from ...model.node import Node, Virtualization, VisibleRow, called
from ..choices import Choice, worth
from ..performer import Offer, Options, one_only
from .drawn import Bounds, Drawn, command, in_client, named
from .gtk import gtk, widget_of
from .place import Fields, Place

ROWS_KEPT = 1000
"""How many rows of a view are read at most."""
_SEARCHED = 20_000
"""How many items are gone through in search of one."""
_TAG = re.compile(r"<[^>]*>")


class Items(Drawn):
    """wx.ListBox and wx.CheckListBox."""

    kind = "item"

    def read(self, window: Any, place: Place, out: list[Node], registry: Any) -> None:
        count = window.GetCount()
        first, last = self._visible(window, count)
        chosen = window.GetSelections() if _several(window) else ()
        selected = window.GetSelection() if not _several(window) else wx.NOT_FOUND
        lines = []
        for at in range(first, last + 1):
            node = self._node(window, at, place, at == selected or at in chosen)
            out.append(node)
            lines.append(VisibleRow(at, node.uid, (("0", node.text or ""),)))
        place.fields["virtualization"] = Virtualization(
            "list",
            count,
            (first, last) if lines else None,
            tuple(chosen) if chosen else ((selected,) if selected >= 0 else ()),
            selected if selected >= 0 else None,
            (),
            tuple(lines),
        )

    def one(self, window: Any, key: str, place: Place, registry: Any) -> Node:
        at = int(key)
        if at >= window.GetCount():
            raise Stale(f"the list has no item {at} any more")
        return self._node(window, at, place, window.IsSelected(at))

    def _node(self, window: Any, at: int, place: Place, chosen: bool) -> Node:
        fields: Fields = {
            "uid": f"{place.uid}:{self.kind}:{at}",
            "role": "list-item",
            "native_class": "wxListBoxItem",
            "selected": chosen,
            "actions": ("press", "select"),
            "properties": {"row": at},
        }
        named(fields, window.GetString(at))
        if isinstance(window, wx.CheckListBox):
            fields["checked"] = window.IsChecked(at)
            fields["actions"] = ("press", "select", "toggle")
        return place.put(fields, self.bounds(window, str(at)))

    def _visible(self, window: Any, count: int) -> tuple[int, int]:
        found = gtk.visible_rows(gtk.tree_view(widget_of(window))) if gtk is not None and count else None
        if found is None:
            return 0, min(count, ROWS_KEPT) - 1
        return found[0], min(found[1], found[0] + ROWS_KEPT - 1)

    def bounds(self, window: Any, key: str) -> Bounds | None:
        if gtk is None:
            return None
        return gtk.row_bounds(gtk.tree_view(widget_of(window)), int(key))

    def call(self, window: Any, key: str) -> str:
        return called("list-item", window.GetString(int(key)), key)

    def press(self, window: Any, key: str) -> None:
        self.choose(window, key, extend=False)

    def tick(self, window: Any, key: str, checked: bool) -> None:
        window.Check(int(key), checked)
        command(window, wx.EVT_CHECKLISTBOX, int(key), window.GetString(int(key)))

    def offer(self, window: Any, key: str | None) -> Offer | None:
        if not window.HasClientData():
            return super().offer(window, key)
        choices = [
            Choice(at, text, worth(window.GetClientData(at))) for at, text in enumerate(window.GetStrings())
        ]
        return Options(
            self.title(window), choices, lambda choice, extend: self.choose(window, str(choice.index), extend)
        )

    def choose(self, window: Any, key: str, extend: bool) -> None:
        at = int(key)
        if extend and not _several(window):
            raise one_only(self.title(window))
        if _several(window) and not extend:
            for other in window.GetSelections():
                window.Deselect(other)
        window.SetSelection(at)
        window.EnsureVisible(at)
        command(window, wx.EVT_LISTBOX, at, window.GetString(at))

    def show(self, window: Any, key: str) -> None:
        window.EnsureVisible(int(key))

    def row(self, window: Any, row: int | None, text: str | None) -> str | None:
        at = row if row is not None else window.FindString(text or "", True)
        return str(at) if 0 <= at < window.GetCount() else None

    def rows(self, window: Any) -> int:
        return int(window.GetCount())

    def text(self, window: Any, key: str) -> str:
        return str(window.GetString(int(key)))


class DrawnItems(Drawn):
    """wx.VListBox and those made of it. What it draws is text only where it is made of HTML."""

    kind = "item"

    def read(self, window: Any, place: Place, out: list[Node], registry: Any) -> None:
        first, end = window.GetVisibleRowsBegin(), window.GetVisibleRowsEnd()
        lines = []
        for at in range(first, min(end, first + ROWS_KEPT)) if place.visible else ():
            node = self.one(window, str(at), place, registry)
            out.append(node)
            lines.append(VisibleRow(at, node.uid, (("0", node.text or ""),)))
        chosen = tuple(at for at in range(min(self.rows(window), _SEARCHED)) if window.IsSelected(at))
        current = None if window.HasMultipleSelection() or not chosen else chosen[0]
        place.fields["virtualization"] = Virtualization(
            "list",
            self.rows(window),
            (first, first + len(lines) - 1) if lines else None,
            chosen[:ROWS_KEPT],
            current,
            (),
            tuple(lines),
        )

    def one(self, window: Any, key: str, place: Place, registry: Any) -> Node:
        at = int(key)
        if at >= self.rows(window):
            raise Stale(f"the list has no item {at} any more")
        fields: Fields = {
            "uid": f"{place.uid}:{self.kind}:{key}",
            "role": "list-item",
            "native_class": "wxListBoxItem",
            "selected": window.IsSelected(at),
            "actions": ("press", "select"),
            "properties": {"row": at},
        }
        named(fields, self._text(window, at))
        return place.put(fields, self.bounds(window, key))

    def _text(self, window: Any, at: int) -> str:
        if (combo := _combo_of(window)) is not None:
            return str(combo.GetString(at))
        html = getattr(window, "OnGetItem", None)
        return "" if html is None else " ".join(unescape(_TAG.sub(" ", html(at))).split())

    def bounds(self, window: Any, key: str) -> Bounds | None:
        return in_client(window, window.GetItemRect(int(key))) if window.IsRowVisible(int(key)) else None

    def call(self, window: Any, key: str) -> str:
        return called("list-item", self._text(window, int(key)), key)

    def press(self, window: Any, key: str) -> None:
        self.choose(window, key, extend=False)

    def choose(self, window: Any, key: str, extend: bool) -> None:
        at = int(key)
        if (combo := _combo_of(window)) is not None:
            combo.SetSelection(at)
            combo.Dismiss()
            command(combo, wx.EVT_COMBOBOX, at, combo.GetString(at))
            return
        if window.HasMultipleSelection():
            if not extend:
                window.DeselectAll()
            window.Select(at)
        elif extend:
            raise one_only(self.title(window))
        else:
            window.SetSelection(at)
        self.show(window, key)
        command(window, wx.EVT_LISTBOX, at)

    def show(self, window: Any, key: str) -> None:
        if not window.IsRowVisible(int(key)):
            window.ScrollToRow(int(key))

    def row(self, window: Any, row: int | None, text: str | None) -> str | None:
        every = range(min(self.rows(window), _SEARCHED))
        return next(
            (str(at) for at in every if at == row or (row is None and self._text(window, at) == text)), None
        )

    def rows(self, window: Any) -> int:
        return int(window.GetItemCount())

    def text(self, window: Any, key: str) -> str:
        return self._text(window, int(key))


class Radios(Drawn):
    """The buttons of a wx.RadioBox."""

    kind = "radio"

    def read(self, window: Any, place: Place, out: list[Node], registry: Any) -> None:
        out += [self.one(window, str(at), place, registry) for at in range(window.GetCount())]

    def count(self, window: Any) -> int:
        return int(window.GetCount())

    def one(self, window: Any, key: str, place: Place, registry: Any) -> Node:
        at = int(key)
        fields: Fields = {
            "uid": f"{place.uid}:{self.kind}:{key}",
            "role": "radio",
            "native_class": "wxRadioBoxButton",
            "checked": window.GetSelection() == at,
            "actions": ("press", "select"),
        }
        named(fields, wx.Control.RemoveMnemonics(window.GetString(at)))
        node = place.put(fields, self.bounds(window, key))
        if not window.IsItemShown(at):
            fields["visible"] = False
        if not window.IsItemEnabled(at):
            fields["enabled"] = False
        return node

    def bounds(self, window: Any, key: str) -> Bounds | None:
        if gtk is None:
            return None
        buttons = [button for button in gtk.below(widget_of(window)) if gtk.is_a(button, "GtkRadioButton")]
        # GTK has them in the order of the grid; their labels distinguish them for certain.
        wanted = wx.Control.RemoveMnemonics(window.GetString(int(key)))
        match = [
            button for button in buttons if gtk.plain(gtk.text("gtk_button_get_label", button)) == wanted
        ]
        return gtk.bounds(match[0]) if match else None

    def call(self, window: Any, key: str) -> str:
        return called("radio", window.GetString(int(key)), key)

    def press(self, window: Any, key: str) -> None:
        at = int(key)
        if window.GetSelection() != at:
            window.SetSelection(at)
            command(window, wx.EVT_RADIOBOX, at, window.GetString(at))

    def tick(self, window: Any, key: str, checked: bool) -> None:
        self.press(window, key)

    def offer(self, window: Any, key: str | None) -> Offer:
        choices = [
            Choice(at, wx.Control.RemoveMnemonics(window.GetString(at)), None, window.IsItemEnabled(at))
            for at in range(window.GetCount())
        ]
        what = self.title(window)
        return Options(what, choices, lambda choice, _: self.press(window, str(choice.index)))


def _combo_of(window: Any) -> Any:
    """The wx.adv.OwnerDrawnComboBox whose list this is; None if it is none's."""
    above = window.GetParent()
    combo = above.GetParent() if isinstance(above, wx.PopupWindow) else None
    return combo if hasattr(combo, "GetString") else None


def _several(window: Any) -> bool:
    """Whether more than one item can be chosen."""
    return bool(window.GetWindowStyleFlag() & (wx.LB_MULTIPLE | wx.LB_EXTENDED))
