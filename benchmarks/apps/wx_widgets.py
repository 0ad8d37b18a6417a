"""A wx window with many windows in it: `wx_widgets.py COUNT WALKER`, in boxes of ten as in a long form.

Also serves the peer by HTTP: a straightforward walker as one writes it in an afternoon (`GetScreenRect`,
recursive, `json`), which reports what Orca's `tree.dump` reports. Where deskhand is installed, the program
also serves Orca itself. On the Unix socket WALKER it reports the ports of both, takes a new text for a label
and the delay in milliseconds after which the label gets it, and reports when it was set.
"""

import json
import queue
import socket
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

import wx

try:
    import deskhand
except ImportError:  # an interpreter that has nothing of ours
    deskhand = None

count, walker = int(sys.argv[1]), sys.argv[2]
changes = queue.Queue()
"""When the label was changed."""


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
            self.label = window
        elif kind % 4 == 1:
            window = wx.Button(group, label=f"Button {number}")
        elif kind % 4 == 2:
            window = wx.TextCtrl(group, value=f"text {number}")
        else:
            window = wx.CheckBox(group, label=f"Box {number}")
        if number % 2:
            window.SetName(f"window_{number}")
        return window


def walk(window, path):
    rect = window.GetScreenRect()
    node = {
        "backend": "wx",
        "id": window.GetName() or path,
        "path": path,
        "class": kind_of(window),
        "label": window.GetLabel(),
        "rect": {"x": rect.x, "y": rect.y, "w": rect.width, "h": rect.height},
        "enabled": window.IsEnabled(),
        "visible": window.IsShownOnScreen(),
    }
    if isinstance(window, wx.TextCtrl):
        node["value"] = window.GetValue()
    elif isinstance(window, wx.CheckBox):
        node["value"] = "true" if window.GetValue() else "false"
    node["children"] = [
        walk(child, f"{path}/{kind_of(child)}[{at}]") for at, child in enumerate(window.GetChildren())
    ]
    return node


def kind_of(window):
    return window.GetClassName().removeprefix("wx")


def on_gui_thread(function):
    done, answer = threading.Event(), []
    wx.CallAfter(lambda: (answer.append(function()), done.set()))
    done.wait()
    return answer[0]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        result = on_gui_thread(lambda: walk(window, "Frame"))
        data = json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


def serve():
    web = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=web.serve_forever, daemon=True).start()
    server = socket.socket(socket.AF_UNIX)
    server.bind(walker)
    server.listen()
    while True:
        lines = server.accept()[0].makefile("rwb")
        for line in lines:
            request = json.loads(line)
            if request == "ports":
                answer = [web.server_port, orca_port()]
            elif request == "when":
                answer = changes.get()
            else:
                answer = on_gui_thread(lambda request=request: change(*request))
            lines.write(json.dumps(answer).encode() + b"\n")
            lines.flush()


def change(text, after):
    wx.CallLater(after, change_now, text) if after else change_now(text)


def change_now(text):
    changes.put(time.monotonic())
    window.label.SetLabel(text)


def orca_port():
    if automation is None:
        return None
    return int(automation.endpoints[0].rpartition(":")[2].partition("/")[0])


app = wx.App()
window = Window()
window.Show()
automation = None if deskhand is None else deskhand.enable(orca=0)
threading.Thread(target=serve, daemon=True).start()
app.MainLoop()
