"""Tells what a subscriber of changes hears in a program at rest, after a change, while it is read, and what
is left when the adapter is closed. Prints a line for each."""

import threading
import time

import wx

from deskhand.adapters.wx import WxAdapter
from deskhand.model import operations as ops

app = wx.App()
frame = wx.Frame(None, title="Changes")
panel = wx.Panel(frame)
label = wx.StaticText(panel, label="before")
button = wx.Button(panel, label="Press", pos=(0, 40))
wx.TextCtrl(panel, pos=(0, 90), name="field")
inner = wx.Panel(panel, pos=(150, 0), size=(150, 60))
deep = wx.Button(wx.Panel(inner, size=(140, 50)), label="Deep")
frame.Show()
# It asks for nothing, but is asked all the time.
frame.Bind(wx.EVT_UPDATE_UI, lambda event: event.Skip())


def see_changes(adapter):
    """What is read right after each change, in a program that has been as it was for a while."""

    def node():
        return next(node for node in adapter.read(timeout=5) if node.name == "Deep" or node.name == "Deeper")

    for change, seen in (
        (lambda: deep.SetToolTip("Tip"), lambda: node().tooltip == "Tip"),
        (lambda: deep.SetName("deep"), lambda: node().automation_id == "deep"),
        (lambda: deep.Disable(), lambda: not node().enabled),
        (lambda: deep.GetParent().Hide(), lambda: not node().visible),
        (lambda: (deep.GetParent().Show(), inner.Move(160, 5)), lambda: node().visible),
        (lambda: deep.SetLabel("Deeper"), lambda: node().name == "Deeper"),
        (
            lambda: wx.Button(inner, label="New"),
            lambda: "New" in [each.name for each in adapter.read(timeout=5)],
        ),
    ):
        adapter.read(timeout=5)
        time.sleep(0.35)  # until nodes are kept as a whole
        adapter.read(timeout=5)
        adapter.call(change, timeout=5)
        yield seen()


def go_through(adapter, before):
    heard = threading.Event()
    button_uid = next(node.uid for node in adapter.read(timeout=5) if node.name == "Press")
    # A caret that blinks is painted, so nothing may have the focus that has one.
    adapter.perform(ops.Focus(), button_uid, None, timeout=5)
    adapter.idle(timeout=5)
    stop = adapter.subscribe(heard.set)
    adapter.idle(timeout=5)
    # What the window system does to a new window ends some time; that wx asks its windows never does.
    for _ in range(15):
        heard.clear()
        for _ in range(20):
            adapter.read(timeout=5)
            adapter.call(wx.WakeUpIdle, timeout=5)
        if not heard.wait(0.3):
            break
    print("at rest", heard.is_set())
    print("fresh", *see_changes(adapter))
    heard.clear()
    adapter.call(lambda: label.SetLabel("after"), timeout=5)
    print("after a change", heard.wait(5))
    stop()
    adapter.call(lambda: None, timeout=5)
    heard.clear()
    adapter.call(lambda: label.SetLabel("again"), timeout=5)
    adapter.idle(timeout=5)
    print("after the end", heard.is_set())
    adapter.close()
    print("left", sorted(set(vars(app)) - before), threading.active_count() - 1, flush=True)
    wx.CallAfter(frame.Destroy)


def begin():
    before = set(vars(app))
    threading.Thread(target=go_through, args=(WxAdapter(), before)).start()


wx.CallAfter(begin)
app.MainLoop()
