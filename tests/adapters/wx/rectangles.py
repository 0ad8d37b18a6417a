"""Prints each window of the gallery that deskhand places elsewhere than wx does, page by page."""

import os
import runpy
import threading
from pathlib import Path

import wx

from deskhand.adapters.wx.adapter import WxAdapter

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
        if window.GetName() in ("box", "bordered", "drawn_table") or not all(window.GetSize().Get()):
            # For these, wx reports where their content begins, or nothing of them is visible.
            continue
        seen += 1
        wanted = tuple(window.GetScreenRect().Get())
        if tuple(node.bounds) != wanted:
            print(frame.book.GetSelection(), node, node.bounds, "not", wanted)


def go_through(adapter):
    for page in range(frame.book.GetPageCount()):
        adapter.call(lambda page=page: frame.book.SetSelection(page), timeout=5)
        adapter.idle(timeout=5)
        adapter.call(lambda: compare(adapter), timeout=5)
    print("compared", seen, flush=True)
    adapter.close()
    wx.CallAfter(frame.Destroy)


def begin():
    threading.Thread(target=go_through, args=(WxAdapter(),)).start()


wx.CallAfter(begin)
app.MainLoop()
# At once: with books of wx.lib, wx aborts when the interpreter ends, also without us.
os._exit(0)
