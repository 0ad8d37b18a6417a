"""The tabs of notebooks, and the pages of books that show something else than tabs."""

from __future__ import annotations

from typing import Any

import wx

from ...model.errors import Stale
from ...model.node import Node, called
from ..choices import Choice
from ..performer import Offer, Options
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

    def offer(self, window: Any, key: str | None) -> Offer:
        choices = [
            Choice(at, window.GetPageText(at), window.GetPage(at).GetName())
            for at in range(window.GetPageCount())
        ]
        return Options(self.title(window), choices, lambda choice, _: window.SetSelection(choice.index))


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
        return called("tab", window.GetPageText(int(key)), key)

    def press(self, window: Any, key: str) -> None:
        window.SetSelection(int(key))


class AuiTabs(Tabs):
    """wx.aui.AuiNotebook and that of wx.lib.agw.aui, which draw their tabs themselves."""

    def bounds(self, window: Any, key: str) -> Bounds | None:
        page = window.GetPage(int(key))
        for bar in _tab_bars(window):
            for tab in _tabs_of(bar):
                if tab.window is page:
                    return in_client(bar, tab.rect) if tab.rect.width > 0 else None
        return None


class FlatTabs(Tabs):
    """The books of wx.lib.agw.flatnotebook and wx.lib.agw.labelbook."""

    def bounds(self, window: Any, key: str) -> Bounds | None:
        band: Any = getattr(window, "_pages", None)
        tabs = getattr(band, "_pagesInfoVec", ())
        if int(key) >= len(tabs) or not band.IsShown():
            return None
        tab = tabs[int(key)]
        width, height = tab.GetSize()
        # One that there was no room for has a place that is none.
        return in_client(band, wx.Rect(*tab.GetPosition(), width, height)) if width > 0 else None


def _tab_bars(window: Any) -> list[Any]:
    """What draws the tabs: of wx.aui, or of wx.lib.agw.aui."""
    return [child for child in window.GetChildren() if type(child).__name__ == "AuiTabCtrl"]


def _tabs_of(bar: Any) -> list[Any]:
    if hasattr(bar, "GetPages"):
        return list(bar.GetPages())
    return [bar.GetPage(at) for at in range(bar.GetPageCount())]


def current_page(window: Any) -> tuple[Any, tuple[Any, ...]]:
    """The page that a book shows, and all its pages."""
    pages = tuple(window.GetPage(at) for at in range(window.GetPageCount()))
    return window.GetCurrentPage(), pages
