"""A small 3D slicer in wxPython: a model on a plate, ImGui panels over an OpenGL view, G-code that prints.

`python -m demo.slicer [--automation-server] [--automation-server-port PORT] [model.stl]`. The engine (`stl`,
`model`, `slice`, `gcode`) knows nothing of the window, and the window knows deskhand only in `app`.
"""
