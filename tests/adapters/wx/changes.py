"""Reports what a subscriber of changes hears in an idle program, after a change, while it is read, and what
is left when the adapter is closed. Prints a line for each."""

import queue
import threading
import time
from functools import partial

import wx

from deskhand.adapters.wx import scene
from deskhand.adapters.wx.adapter import WxAdapter
from deskhand.model import operations as ops

app = wx.App()
frame = wx.Frame(None, title="Changes")
panel = wx.Panel(frame)
label = wx.StaticText(panel, label="before")
button = wx.Button(panel, label="Press", pos=(0, 40))
field = wx.TextCtrl(panel, pos=(0, 90), name="field")
inner = wx.Panel(panel, pos=(150, 0), size=(150, 60))
deep = wx.Button(wx.Panel(inner, size=(140, 50)), label="Deep")
frame.Show()
# It asks for nothing, but is asked all the time.
frame.Bind(wx.EVT_UPDATE_UI, lambda event: event.Skip())


scene._SETTLED = 0.02  # in so small a window


def by_us(adapter, change):
    adapter.call(change, timeout=5)


def by_the_program(_, change):
    done = threading.Event()
    wx.CallAfter(lambda: (change(), done.set()))
    assert done.wait(5)


def after_a_dialog(adapter, change):
    """By a handler that continues when a dialog was answered, while the adapter reads."""
    done, dialogs = threading.Event(), []

    def show():
        dialog = wx.Dialog(frame, title="Dialog")
        dialogs.append(dialog)
        dialog.ShowModal()
        change()
        dialog.Destroy()
        done.set()

    wx.CallAfter(show)
    until = time.monotonic() + 5
    while len(adapter.read(timeout=5).windows) < 2 and time.monotonic() < until:
        pass
    adapter.call(lambda: dialogs[0].EndModal(0), timeout=5)
    adapter.read(timeout=5)
    assert done.wait(5)


def see_changes(adapter):
    """What is read right after each change, in a program that has been as it was for a while."""
    for number, run in enumerate((by_us, by_the_program, after_a_dialog)):
        seen = []
        for widget, change, name, wanted in (
            (deep, partial(deep.SetToolTip, f"Tip {number}"), "tooltip", f"Tip {number}"),
            (deep, partial(deep.SetName, f"deep{number}"), "automation_id", f"deep{number}"),
            (deep, partial(deep.SetLabel, f"Deep {number}"), "name", f"Deep {number}"),
            (deep, deep.Disable, "enabled", False),
            (deep, deep.Enable, "enabled", True),
            (deep, deep.GetParent().Hide, "visible", False),
            (deep, deep.GetParent().Show, "visible", True),
            (field, partial(field.SetValue, str(number)), "value", str(number)),
        ):
            which = adapter.uid_of(widget)
            keep_all(adapter, which)
            run(adapter, change)
            seen.append(getattr(at(adapter, which), name) == wanted)
        for widget, mover in ((field, field), (deep, inner)):
            which = adapter.uid_of(widget)
            before = keep_all(adapter, which)
            run(adapter, partial(mover.Move, 150 + number, 100 + number))
            seen.append(moves(adapter, which, before))
        run(adapter, partial(wx.Button, inner, label=f"New {number}"))
        seen.append(f"New {number}" in [node.name for node in adapter.read(timeout=5)])
        yield all(seen) or f"{run.__name__}: {seen}"


def moves(adapter, uid, before):
    """Whether something is read elsewhere than before, at the latest when GTK has put it there."""
    until = time.monotonic() + 5
    while at(adapter, uid).bounds == before.bounds and time.monotonic() < until:
        time.sleep(0.005)
    return at(adapter, uid).bounds != before.bounds


def follow(adapter):
    """Whether a follower receives the result of a change, also in a dialog, and after a read of its own."""
    given, dialogs, texts = queue.Queue(), [], []
    stop = adapter.follow(given.put)

    def show():
        with wx.Dialog(frame, title="Followed") as dialog:
            dialogs.append(dialog)
            dialog.ShowModal()

    def await_label(text):
        until = time.monotonic() + 10
        while time.monotonic() < until:
            try:
                tree = given.get(timeout=1)
            except queue.Empty:
                return "nothing is reported"
            if any(node.name == text for node in tree or adapter.read(timeout=5)):
                return True
        return False

    for number, begin in enumerate((lambda: None, show)):
        wx.CallAfter(begin)
        adapter.idle(timeout=5)
        adapter.read(timeout=5)
        wx.CallAfter(label.SetLabel, f"followed {number}")
        texts.append(await_label(f"followed {number}"))
    stop()
    adapter.call(lambda: dialogs[0].EndModal(0), timeout=5)
    adapter.idle(timeout=5)
    return texts


def at(adapter, uid):
    return next(node for node in adapter.read(timeout=5) if node.uid == uid)


def keep_all(adapter, uid):
    """Read until nodes are kept as a whole; the one with that uid."""
    until = time.monotonic() + 5
    around = adapter.uid_of(inner)
    while (before := at(adapter, around)) is not again(adapter, around) and time.monotonic() < until:
        time.sleep(0.005)
    assert before is again(adapter, around)
    return at(adapter, uid)


def again(adapter, uid):
    """The same after something ran that may have changed it."""
    adapter.call(lambda: None, timeout=5)
    return at(adapter, uid)


def looks_first(adapter):
    """Whether, after a change, the GUI thread reads before wx asks all windows, while a call waits."""
    done, all_asked, order = threading.Event(), threading.Event(), []
    refresh = scene.WindowContents.refresh

    def looked(*args):
        if done.is_set():
            order.append("looked")
        return refresh(*args)

    def asked(event):
        if done.is_set():
            order.append("asked")
            all_asked.set()
        event.Skip()

    def change():
        label.SetLabel(label.GetLabel() + ".")
        done.set()

    scene.WindowContents.refresh = looked
    adapter.call(lambda: frame.Bind(wx.EVT_UPDATE_UI, asked), timeout=5)
    by_the_program(adapter, partial(wx.CallLater, 200, change))
    adapter.idle(timeout=5)
    adapter.read(timeout=5)
    assert all_asked.wait(10)
    scene.WindowContents.refresh = refresh
    return order[0] == "looked"


def go_through(adapter, before):
    heard = threading.Event()
    button_uid = next(node.uid for node in adapter.read(timeout=5) if node.name == "Press")
    # A caret that blinks is painted, so nothing may have the focus that has one.
    adapter.perform(ops.Focus(), button_uid, None, timeout=5)
    adapter.idle(timeout=5)
    stop = adapter.subscribe(heard.set)
    adapter.idle(timeout=5)
    # What the window system does to a new window ends some time.
    for _ in range(15):
        heard.clear()
        for _ in range(20):
            adapter.read(timeout=5)
        if not heard.wait(0.3):
            break
    print("at rest", heard.is_set())
    print("kept", any(adapter.read(timeout=5).nodes is adapter.read(timeout=5).nodes for _ in range(10)))
    print("looks first", any(looks_first(adapter) for _ in range(5)))
    print("fresh", *see_changes(adapter))
    print("followed", *follow(adapter))
    # One change is reported until the next read: what the closed dialog leaves behind must not be that one.
    for _ in range(15):
        heard.clear()
        adapter.read(timeout=5)
        if not heard.wait(0.3):
            break
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
