"""Whether programs can be driven from outside here: through accessibility, or by a library elsewhere."""

from __future__ import annotations

import importlib.util
import os
import sys
from importlib.metadata import version

from ..desktop.private import ACCESSIBILITY_PACKAGE, Desktop
from ..toolkits import QT
from .report import Check
from .trying import TIMEOUT, apt, extra, run

_NOT_ON_WAYLAND = ("positions on the screen", "real input", "moving and resizing windows", "screenshots")
_INSTEAD = (
    "for those: deskhand run, which puts a program on a private desktop; or let it use Xwayland: "
    "GDK_BACKEND=x11, QT_QPA_PLATFORM=xcb"
)

# Shows the same button in a program that knows nothing of us, and presses it through accessibility.
_OUTSIDE = """
import subprocess, sys
from deskhand.desktop import session as desktop
from deskhand.model.operations import Press, Wait
program = subprocess.Popen([sys.executable, "-c", {app!r}])
try:
    session = desktop.session(pid=program.pid)
    session.run(Press("button", timeout={timeout}))
    session.run(Wait("button", "text", "pressed", timeout={timeout}))
    session.close()
finally:
    program.kill()
    program.wait()
print("{{}}")
"""

_PROGRAMS = """
import json
from deskhand.desktop import session as desktop
print(json.dumps({"programs": len(desktop.programs())}))
"""


def atspi(desktop: Desktop | None) -> Check:
    """Whether a program is driven through the accessibility bus, on the private desktop."""

    def result(ok: bool | None, detail: str, fix: str | None = None) -> Check:
        return Check("toolkits", "atspi", ok, detail, fix)

    if desktop is None:
        return result(None, "needs a private desktop to be tried on")
    binding = next((name for name in QT.bindings if importlib.util.find_spec(name)), None)
    if binding is None:
        read = run(_PROGRAMS, desktop.env)
        return result(read.data is not None, read.reason or "reads the private desktop", read.fix)
    script = _OUTSIDE.format(app=QT.sample.format(binding=binding), timeout=TIMEOUT / 3)
    driven = run(script, desktop.env)
    if driven.data is None:
        return result(False, f"a program of {binding} is not driven: {driven.reason}", driven.fix)
    return result(True, f"drives a program of {binding} from outside, on the private desktop")


def own_desktop() -> Check:
    """Whether the programs of the desktop that we are on can be driven, if we are on one."""
    name = "atspi: own desktop"
    shown = next((env for env in ("DISPLAY", "WAYLAND_DISPLAY") if os.environ.get(env)), None)
    if shown is None:
        return Check("toolkits", name, None, "we are on none: neither DISPLAY nor WAYLAND_DISPLAY is set")
    read = run(_PROGRAMS)
    if read.data is None:
        return Check("toolkits", name, False, read.reason, read.fix or apt(ACCESSIBILITY_PACKAGE))
    count = read.data["programs"]
    limits = "" if shown == "DISPLAY" else "; without X11 there is no real input and no screenshot"
    return Check("toolkits", name, True, f"{count} program{'s' * (count != 1)} can be driven{limits}")


def wayland() -> Check:
    """What can be driven in a Wayland session, if this is one."""
    if not os.environ.get("WAYLAND_DISPLAY"):
        return Check("toolkits", "wayland", None, "this is not a Wayland session: WAYLAND_DISPLAY is not set")
    works = "programs are read and operated through accessibility; not available: " + ", ".join(
        _NOT_ON_WAYLAND
    )
    if os.environ.get("DISPLAY"):
        works += "; programs that use Xwayland have what the compositor allows"
    return Check("toolkits", "wayland", True, works, _INSTEAD)


def xa11y(desktop: Desktop | None) -> Check:
    """Whether the library is installed that drives Windows and macOS, and can be chosen on Linux."""

    def result(ok: bool | None, detail: str, fix: str | None = None) -> Check:
        return Check("toolkits", "xa11y", ok, detail, fix)

    linux = sys.platform == "linux"
    if importlib.util.find_spec("xa11y") is None:
        missing = "not installed; on Linux it is another way, which nothing needs"
        return result(None if linux else False, missing if linux else "not installed", extra("xa11y"))
    binding = next((name for name in QT.bindings if importlib.util.find_spec(name)), None)
    if linux and desktop is None:
        return result(None, "needs a private desktop to be tried on")
    env = {**(desktop.env if desktop else os.environ), "DESKHAND_BACKEND": "xa11y"}
    if not linux or binding is None:
        read = run(_PROGRAMS, env)
        return result(read.data is not None, read.reason or "reads the desktop", read.fix)
    driven = run(_OUTSIDE.format(app=QT.sample.format(binding=binding), timeout=TIMEOUT / 3), env)
    if driven.data is None:
        return result(False, f"a program of {binding} is not driven: {driven.reason}", driven.fix)
    return result(True, f"{version('xa11y')}, drives a program of {binding} on the private desktop")
