"""Prints each window of the gallery that deskhand places elsewhere than wx does, page by page."""

import runpy
import sys
from pathlib import Path

import wx

from deskhand.adapters.wx import WxAdapter

gallery = runpy.run_path(str(Path(__file__).with_name("gallery.py")))
app = wx.App()
frame = gallery["Gallery"]()
frame.Show()
seen = 0


def every(window):
    for child in window.GetChildren():
        if not child.IsTopLevel():
            yield child
            yield from every(child)


def compare(adapter):
    global seen
    tree = adapter.read(internals=True, details=True, timeout=1)
    windows = {window.GetId(): window for window in every(frame)}
    for node in tree:
        window = windows.get(node.properties.get("id")) if node.native_class.startswith("wx") else None
        if window is None or ":" in node.uid or not node.visible or not window.IsShownOnScreen():
            continue
        if window.GetName() in ("box", "bordered"):
            # Of these, wx tells where what is inside begins.
            continue
        seen += 1
        wanted = tuple(window.GetScreenRect().Get())
        if tuple(node.bounds) != wanted:
            print(frame.book.GetSelection(), node, node.bounds, "not", wanted)


def step(adapter, page):
    compare(adapter)
    if page + 1 < frame.book.GetPageCount():
        frame.book.SetSelection(page + 1)
        wx.CallLater(250, step, adapter, page + 1)
    else:
        print("compared", seen)
        adapter.close()
        frame.Destroy()


wx.CallLater(300, lambda: step(WxAdapter(), 0))
app.MainLoop()
sys.stdout.flush()
