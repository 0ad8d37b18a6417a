"""No test sees the desktop of the person who runs it: a command that names no app would mean that one.

Examples that are made up are the same in each run, and may take as long as a busy machine takes.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

for _name in ("DISPLAY", "WAYLAND_DISPLAY", "AT_SPI_BUS_ADDRESS", "DBUS_SESSION_BUS_ADDRESS"):
    os.environ.pop(_name, None)

settings.register_profile(
    "same", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("same")
