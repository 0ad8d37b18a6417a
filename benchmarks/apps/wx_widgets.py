"""A wx window with many windows in it: `wx_widgets.py COUNT WALKER`, in boxes of ten as in a long form.

Also serves the peer: a straightforward walker as one writes it in an afternoon (`GetScreenRect`, recursive,
`json`), on a Unix socket, a line for each request.
"""

import json
import socket
import sys
import threading

import wx

count, walker = int(sys.argv[1]), sys.argv[2]


class Window(wx.Frame):
    def __init__(self):
        super().__init__(None, title="Many windows", size=(900, 700))
        area = wx.ScrolledWindow(self)
        area.SetScrollRate(10, 10)
        grid = wx.GridSizer(4, 4, 4)
        made = 0
        while made < count:
            group = wx.Panel(area)
            row = wx.BoxSizer(wx.HORIZONTAL)
            made += 1
            for kind in range(min(9, count - made)):
                row.Add(self.make(group, kind, made))
                made += 1
            group.SetSizer(row)
            grid.Add(group)
        area.SetSizer(grid)
        area.FitInside()

    def make(self, group, kind, number):
        if kind % 4 == 0:
            window = wx.StaticText(group, label=f"Label {number}")
        elif kind % 4 == 1:
            window = wx.Button(group, label=f"Button {number}")
        elif kind % 4 == 2:
            window = wx.TextCtrl(group, value=f"text {number}")
        else:
            window = wx.CheckBox(group, label=f"Box {number}")
        if number % 2:
            window.SetName(f"window_{number}")
        return window


def walk(window):
    rect = window.GetScreenRect()
    node = {
        "class": window.GetClassName(),
        "id": window.GetName(),
        "label": window.GetLabel(),
        "rect": [rect.x, rect.y, rect.width, rect.height],
        "enabled": window.IsEnabled(),
        "visible": window.IsShownOnScreen(),
    }
    if isinstance(window, wx.TextCtrl):
        node["value"] = window.GetValue()
    elif isinstance(window, wx.CheckBox):
        node["value"] = "true" if window.GetValue() else "false"
    node["children"] = [walk(child) for child in window.GetChildren()]
    return node


def serve():
    server = socket.socket(socket.AF_UNIX)
    server.bind(walker)
    server.listen()
    while True:
        lines = server.accept()[0].makefile("rwb")
        for _ in lines:
            done, answer = threading.Event(), []
            wx.CallAfter(lambda done=done, answer=answer: (answer.append(walk(window)), done.set()))
            done.wait()
            lines.write(json.dumps(answer[0]).encode() + b"\n")
            lines.flush()


app = wx.App()
window = Window()
window.Show()
threading.Thread(target=serve, daemon=True).start()
app.MainLoop()
