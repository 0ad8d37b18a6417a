"""The tabs of notebooks, and the pages of books that show something else than tabs."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import wx

from ...model.errors import Stale
from ...model.node import Node
from ...model.operations import Select
from ..choices import Choice, insist, selected
from .drawn import Bounds, Drawn, in_client, named
from .gtk import gtk, widget_of
from .place import Fields, Place


class Pages(Drawn):
    """A book without tabs of its own: its pages can be chosen, but are not drawn."""

    kind = "tab"

    def read(self, window: Any, place: Place, out: list[Node], registry: Any) -> None:
        pass

    def count(self, window: Any) -> int:
        return 0

    def select(self, window: Any, action: Select, key: str | None) -> Mapping[str, object]:
        choices = [
            Choice(at, window.GetPageText(at), window.GetPage(at).GetName())
            for at in range(window.GetPageCount())
        ]
        choice = insist(action, f"{window.GetClassName()} '{window.GetName()}'", choices)
        window.SetSelection(choice.index)
        return selected(choice)


class Tabs(Pages):
    """wx.Notebook."""

    def read(self, window: Any, place: Place, out: list[Node], registry: Any) -> None:
        out += [self.one(window, str(at), place, registry) for at in range(window.GetPageCount())]

    def count(self, window: Any) -> int:
        return int(window.GetPageCount())

    def one(self, window: Any, key: str, place: Place, registry: Any) -> Node:
        at = int(key)
        if at >= window.GetPageCount():
            raise Stale(f"there is no tab {at} any more")
        text = wx.Control.RemoveMnemonics(window.GetPageText(at))
        fields: Fields = {
            "uid": f"{place.uid}:{self.kind}:{key}",
            "role": "tab",
            "native_class": "wxNotebookTab",
            "selected": at == window.GetSelection(),
            "actions": ("press", "select"),
        }
        named(fields, text)
        return place.put(fields, self.bounds(window, key))

    def bounds(self, window: Any, key: str) -> Bounds | None:
        if gtk is None:
            return None
        book = widget_of(window)
        page = gtk.gtk_notebook_get_nth_page(book, int(key))
        label = gtk.gtk_notebook_get_tab_label(book, page) if page else None
        return gtk.bounds(label) if label else None

    def call(self, window: Any, key: str) -> str:
        return f'tab "{window.GetPageText(int(key))}"'

    def press(self, window: Any, key: str) -> None:
        window.SetSelection(int(key))


class AuiTabs(Tabs):
    """wx.aui.AuiNotebook, which draws its tabs itself."""

    def bounds(self, window: Any, key: str) -> Bounds | None:
        page = window.GetPage(int(key))
        for bar in _tab_bars(window):
            for at in range(bar.GetPageCount()):
                if bar.GetPage(at).window is page:
                    rect = bar.GetPage(at).rect
                    return in_client(bar, rect) if rect.width > 0 else None
        return None


def _tab_bars(window: Any) -> list[Any]:
    aui = sys.modules.get("wx.aui")
    if aui is None:
        return []
    return [child for child in window.GetChildren() if isinstance(child, aui.AuiTabCtrl)]


def current_page(window: Any) -> tuple[Any, tuple[Any, ...]]:
    """The page that a book shows, and all its pages."""
    pages = tuple(window.GetPage(at) for at in range(window.GetPageCount()))
    return window.GetCurrentPage(), pages
