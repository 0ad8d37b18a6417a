"""A tkinter form of many widgets, read by the adapter and by a winfo_children walk, in turn in this process.

`python tk_widgets.py COUNT TIMES` prints the best time of each in milliseconds, as JSON: of a read of what is
unchanged, of one after a change, and of the walk.
"""

import json
import sys
import time
import tkinter as tk
from tkinter import ttk

from deskhand.adapters.tk.adapter import TkAdapter


def build(count):
    root = tk.Tk()
    root.title("Many")
    for group in range(count // 100):
        frame = ttk.Frame(root)
        frame.grid(row=group // 10, column=group % 10)
        for at in range(33):
            ttk.Label(frame, text=f"Label {at}").grid(row=at, column=0)
            ttk.Entry(frame, name=f"entry{group}_{at}", width=4).grid(row=at, column=1)
            ttk.Button(frame, text=f"Button {at}").grid(row=at, column=2)
    root.update()
    return root


def walk(widget, parent, found):
    """The same facts as a node has, asked for one by one."""
    kind = widget.winfo_class()
    node = {
        "uid": str(widget),
        "parent": parent,
        "class": kind,
        "name": widget.winfo_name(),
        "bounds": (widget.winfo_rootx(), widget.winfo_rooty(), widget.winfo_width(), widget.winfo_height()),
        "visible": bool(widget.winfo_viewable()),
    }
    if kind in ("TLabel", "TButton"):
        node["text"] = str(widget.cget("text"))
    if kind == "TEntry":
        node["password"] = bool(widget.cget("show"))
        node["value"] = widget.get()
    if kind.startswith("T"):
        node["enabled"] = not widget.instate(["disabled"]) if kind != "Tk" else True
    found.append(node)
    for child in widget.winfo_children():
        walk(child, node["uid"], found)
    return found


def timed(function):
    """Of the processor alone: none of these waits for anything, and other programs are none of theirs."""
    began = time.thread_time()
    function()
    return (time.thread_time() - began) * 1000


root = build(int(sys.argv[1]))
adapter = TkAdapter()
label = root.winfo_children()[0].winfo_children()[0]
best = {"same": 1e9, "changed": 1e9, "walk": 1e9}
assert len(adapter.read(timeout=60)) == len(walk(root, None, []))
for number in range(int(sys.argv[2])):
    label["text"] = f"Label {number}"
    root.update()
    best["changed"] = min(best["changed"], timed(lambda: adapter.read(timeout=60)))
    best["same"] = min(best["same"], timed(lambda: adapter.read(timeout=60)))
    best["walk"] = min(best["walk"], timed(lambda: walk(root, None, [])))
adapter.close()
print(json.dumps(best))
