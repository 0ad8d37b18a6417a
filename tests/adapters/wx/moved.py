"""Prints where the bars of a window are in it, while it has moved and GTK does not know that yet."""

import subprocess
import threading

import wx

from deskhand.adapters.wx.adapter import WxAdapter

app = wx.App()
frame = wx.Frame(None, title="Moved", size=(400, 300))
tools = frame.CreateToolBar(name="tools")
tools.AddTool(1, "Tool", wx.Bitmap(16, 16))
tools.Realize()
status = frame.CreateStatusBar()
status.SetName("status")
wx.StaticText(status, label="ready", pos=(4, 2), name="report")
frame.Show()


def places(adapter):
    tree = adapter.read(timeout=5)
    nodes = {node.automation_id: node for node in tree if node.automation_id}
    top = tree.main.bounds
    return [
        (name, nodes[name].bounds.x - top.x, nodes[name].bounds.y - top.y, nodes[name].offscreen)
        for name in ("tools", "status", "report")
    ]


def move_and_read(adapter):
    """On the GUI thread, so that GTK handles no event in between."""
    before = tuple(frame.GetStatusBar().GetScreenPosition())
    command = ["xdotool", "search", "--name", "^Moved$", "windowmove", "--sync", "150", "120"]
    subprocess.run(command, check=True)
    moved = tuple(frame.GetStatusBar().GetScreenPosition()) != before
    return moved, places(adapter)


def go_through(adapter):
    adapter.idle(timeout=20)
    before = places(adapter)
    moved, after = adapter.call(lambda: move_and_read(adapter), timeout=30)
    print("moved", moved)
    print("as before", after == before, "" if after == before else (before, after))
    adapter.close()
    wx.CallAfter(frame.Destroy)


wx.CallAfter(lambda: threading.Thread(target=go_through, args=(WxAdapter(),)).start())
app.MainLoop()
