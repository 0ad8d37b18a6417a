"""Draws with Dear ImGui, without a window, and enables deskhand itself: `python enabled_app.py ADDRESS`.

Each line on standard input is answered: `close` closes the handle, any other line only asks for the state.
"""

import json
import select
import sys
import time

from imgui_bundle import imgui

import deskhand

handle = deskhand.enable(sys.argv[1])
deskhand.set_id(("Tools", "Save##1"), "btn_save")
imgui.create_context()
io = imgui.get_io()
io.display_size = (800, 600)
io.backend_flags |= imgui.BackendFlags_.renderer_has_textures
io.set_ini_filename("")
saved = 0
while True:
    io.delta_time = 1 / 60
    imgui.new_frame()
    imgui.begin("Tools")
    if imgui.button("Save##1"):
        saved += 1
    imgui.end()
    imgui.render()
    if select.select([0], [], [], 0.002)[0]:
        line = sys.stdin.readline()
        if not line:
            break
        if line == "close\n":
            handle.close()
        told = {"saved": saved, "running": handle.running, "wrapped": hasattr(imgui.button, "__wrapped__")}
        print(json.dumps(told), flush=True)
    time.sleep(0)
