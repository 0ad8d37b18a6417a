"""No test sees the desktop of the person who runs it: a command that names no app would mean that one."""

from __future__ import annotations

import os

for _name in ("DISPLAY", "WAYLAND_DISPLAY", "AT_SPI_BUS_ADDRESS", "DBUS_SESSION_BUS_ADDRESS"):
    os.environ.pop(_name, None)
