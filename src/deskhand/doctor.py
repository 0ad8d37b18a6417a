"""Says what works on this machine, what does not, and how to mend it.

Every check tries the thing itself, in a process of its own and with a time limit: a program is started, a
toolkit shows a window that is then driven, a protocol is served and asked. What this version does not have at
all is known by its missing module, and said plainly.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from typing import Any

from .desktop import ACCESSIBILITY_PACKAGE, PROGRAMS, Desktop
from .model.errors import DeskhandError

TIMEOUT = 60.0
"""How long one check may take, in seconds."""

_OLDEST_PYTHON = (3, 10)
_ABSENT = "not in this version"
_ONLY_OUTSIDE = "from outside only, in this version: see atspi"
_TAIL = 300

TOOLKITS = {
    "wx": "wx",
    "imgui": "imgui",
    "tk": "tk",
    "gtk": "gtk",
    "javafx": "javafx",
    "web": "cdp",
}
"""Toolkits, each with the adapter that reads it; Qt, which has two bindings, and accessibility aside."""

_ACCESSIBLE = ("wx", "gtk", "web")
"""Those whose programs are on the accessibility bus of Linux."""

PROTOCOLS = ("orca", "mcp", "webdriver")
"""Protocols besides GIP and Agent, each in a module of its name."""

_BINDINGS = ("PySide6", "PyQt6")
_XA11Y = "pip install 'deskhand[xa11y]'"

_NOT_ON_WAYLAND = ("places on the screen", "real input", "moving and resizing windows", "pictures")
_INSTEAD = (
    "for those: deskhand run, which puts a program on a private desktop; or let it use Xwayland: "
    "GDK_BACKEND=x11, QT_QPA_PLATFORM=xcb"
)

# Whatever fails is told in one line, without a traceback.
_BRIEF = """
import sys
sys.excepthook = lambda kind, error, _: print(f"{kind.__name__}: {error}", file=sys.stderr)
"""

_VERSION = """
import json
from {binding} import QtCore
print(json.dumps({{"version": getattr(QtCore, "PYQT_VERSION_STR", None) or QtCore.__version__}}))
"""

# Shows a window by itself, to see whether the toolkit works here at all.
_SHOW = """
import json
from {binding} import QtCore, QtGui, QtWidgets
app = QtWidgets.QApplication([])
label = QtWidgets.QLabel("doctor")
label.show()
QtCore.QTimer.singleShot(0, app.quit)
app.exec()
platform = QtGui.QGuiApplication.platformName()
print(json.dumps({{"platform": platform, "fonts": len(QtGui.QFontDatabase.families())}}))
"""

# Shows a button that counts, and is driven by the script after it.
_APP = """
from {binding} import QtWidgets
app = QtWidgets.QApplication([])
button = QtWidgets.QPushButton("0")
button.clicked.connect(lambda: button.setText("pressed"))
button.show()
app.exec()
"""

_DRIVE = """
import pathlib, sys, tempfile
from deskhand import expect, launch
with tempfile.TemporaryDirectory() as folder:
    script = pathlib.Path(folder, "form.py")
    script.write_text({app!r})
    with launch([sys.executable, str(script)], timeout={timeout}) as app:
        app.get_by_role("button").click()
        expect(app.get_by_role("button")).to_have_text("pressed")
print("{{}}")
"""

# Shows the same button in a program that knows nothing of us, and presses it through accessibility.
_OUTSIDE = """
import subprocess, sys
from deskhand import outside
from deskhand.model.operations import Press, Wait
program = subprocess.Popen([sys.executable, "-c", {app!r}])
try:
    session = outside.session(pid=program.pid)
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
from deskhand import outside
print(json.dumps({"programs": len(outside.programs())}))
"""

# Serves an app that is only in memory, and asks it something from outside.
_SERVE = """
import json
from deskhand.adapters.memory import MemoryAdapter
from deskhand.endpoints import endpoints, serve
from deskhand.engine.session import Session
from deskhand.transports.open import open_channel
session = Session(MemoryAdapter([]))
with serve(session, endpoints({address!r})) as served:
    (ready,) = served.ready
    channel = open_channel(ready.url)
    reply = json.loads(channel.exchange(b'{{"jsonrpc": "2.0", "id": 1, "method": "ping"}}'))
    channel.close()
assert "result" in reply, reply
print(json.dumps({{"url": ready.url}}))
"""

# The same by the Agent contract.
_AGENT = """
import json, urllib.request
from deskhand.adapters.memory import MemoryAdapter
from deskhand.endpoints import endpoints, serve
from deskhand.engine.session import Session
with serve(Session(MemoryAdapter([])), endpoints(agent=0)) as served:
    (ready,) = served.ready
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    health = json.loads(opener.open(ready.url + "/health", timeout=10).read())
assert health["accessible"], health
print(json.dumps({"url": ready.url}))
"""


@dataclass(frozen=True)
class Check:
    """One thing that was tried."""

    group: str
    name: str
    ok: bool | None
    """Whether it works; None if it was not tried: it is not in this version, or not for this machine."""
    detail: str
    fix: str | None = None


def check(progress: Callable[[Check], None] | None = None) -> list[Check]:
    """Try everything; `progress` is called with each result as it comes."""
    checks: list[Check] = []

    def note(found: Iterable[Check]) -> None:
        for one in found:
            checks.append(one)
            if progress:
                progress(one)

    note([_python(), *map(_program, PROGRAMS)])
    with contextlib.ExitStack() as stack:
        desktop, result = _desktop(stack)
        note([result])
        with ThreadPoolExecutor(2) as pool:
            note(_qt_bindings(desktop, pool))
            note(_later("toolkits", name, f"adapters.{module}") for name, module in TOOLKITS.items())
            note([_atspi(desktop), _this_desktop(), _wayland(), _xa11y(desktop)])
            note(pool.map(lambda transport: _gip(*transport), _transports()))
            note([_answering("agent", _AGENT)])
            note(_later("protocols", name, f"protocols.{name}") for name in PROTOCOLS)
    return checks


def exit_code(checks: Iterable[Check]) -> int:
    """0 if all that this version has works here, else 1."""
    return int(any(one.ok is False for one in checks))


def to_json(checks: Iterable[Check]) -> list[dict[str, Any]]:
    """The results as plain data."""
    return [asdict(one) for one in checks]


def render(checks: Iterable[Check], paint: Callable[[str, str], str] = lambda text, _: text) -> str:
    """The results for people. `paint` colours a text: green, red, or dim."""
    lines: list[str] = []
    group = None
    for one in checks:
        if one.group != group:
            lines += [""] * bool(lines) + [one.group]
            group = one.group
        mark, colour = {True: ("ok  ", "green"), False: ("FAIL", "red"), None: ("-   ", "dim")}[one.ok]
        lines.append(f"  {paint(mark, colour)}  {one.name:<18} {one.detail}")
        if one.fix:
            lines.append(f"        {'':<18} fix: {one.fix}")
    return "\n".join(lines)


def _python() -> Check:
    version = platform.python_version()
    ok = sys.version_info[:2] >= _OLDEST_PYTHON
    wanted = ".".join(map(str, _OLDEST_PYTHON))
    return Check(
        "machine",
        "python",
        ok,
        f"{version} in {sys.executable}",
        None if ok else f"use Python {wanted} or later",
    )


def _program(name: str) -> Check:
    path = shutil.which(name)
    return Check(
        "machine", name, path is not None, path or "not found on PATH", None if path else _apt(PROGRAMS[name])
    )


def _desktop(stack: contextlib.ExitStack) -> tuple[Desktop | None, Check]:
    if sys.platform != "linux":
        return None, Check("machine", "private desktop", None, f"only on Linux; this is {sys.platform}")
    desktop = Desktop()
    started = time.perf_counter()
    try:
        stack.enter_context(desktop)
    except DeskhandError as error:
        fix = "; ".join(error.suggestions) or None
        return None, Check("machine", "private desktop", False, _short(error.message), fix)
    seconds = time.perf_counter() - started
    return desktop, Check(
        "machine", "private desktop", True, f"up in {seconds:.2f} s, with accessibility bus"
    )


def _qt_bindings(desktop: Desktop | None, pool: ThreadPoolExecutor) -> list[Check]:
    checks = list(pool.map(lambda binding: _qt(binding, desktop), _BINDINGS))
    # One of the two is enough; none is not.
    return [replace(one, ok=False) for one in checks] if all(one.ok is None for one in checks) else checks


def _qt(binding: str, desktop: Desktop | None) -> Check:
    def result(ok: bool | None, detail: str, fix: str | None = None) -> Check:
        return Check("toolkits", f"qt: {binding}", ok, detail, fix)

    loaded = _run(_VERSION.format(binding=binding))
    if loaded.missing == binding:
        return result(None, f"not installed for {sys.executable}", f"pip install {binding}")
    if loaded.data is None:
        return result(False, f"cannot be loaded: {loaded.reason}", loaded.fix)
    version = loaded.data["version"]
    if binding == "PySide6" and loses_none(version, sys.version_info[:2]):
        broken = f"{version} crashes on Python {platform.python_version()}: it loses references to None"
        return result(False, broken, "pip install 'PySide6<6.12'")
    env = desktop.env if desktop else {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    shown = _run(_SHOW.format(binding=binding), env)
    if shown.data is None:
        return result(
            False, f"{version} shows no window: {shown.reason}", shown.fix or _missing_libraries(binding)
        )
    where = f"on {shown.data['platform']}"
    if not shown.data["fonts"]:
        return result(False, f"{version} finds no fonts, so no text is shown", _apt("fonts-dejavu-core"))
    driven = _run(_DRIVE.format(app=_APP.format(binding=binding), timeout=TIMEOUT / 2), env)
    if driven.data is None:
        return result(
            False, f"{version} shows a window {where}, which cannot be driven: {driven.reason}", driven.fix
        )
    return result(True, f"{version}, shows a window {where} and drives it")


def _atspi(desktop: Desktop | None) -> Check:
    def result(ok: bool | None, detail: str, fix: str | None = None) -> Check:
        return Check("toolkits", "atspi", ok, detail, fix)

    if desktop is None:
        return result(None, "needs a private desktop to be tried on")
    binding = next((name for name in _BINDINGS if importlib.util.find_spec(name)), None)
    if binding is None:
        read = _run(_PROGRAMS, desktop.env)
        return result(read.data is not None, read.reason or "reads the private desktop", read.fix)
    script = _OUTSIDE.format(app=_APP.format(binding=binding), timeout=TIMEOUT / 3)
    driven = _run(script, desktop.env)
    if driven.data is None:
        return result(False, f"a program of {binding} is not driven: {driven.reason}", driven.fix)
    return result(True, f"drives a program of {binding} from outside, on the private desktop")


def _this_desktop() -> Check:
    """Whether the programs of the desktop that we are on can be driven, if we are on one."""
    name = "atspi: own desktop"
    shown = next((env for env in ("DISPLAY", "WAYLAND_DISPLAY") if os.environ.get(env)), None)
    if shown is None:
        return Check("toolkits", name, None, "we are on none: neither DISPLAY nor WAYLAND_DISPLAY is set")
    read = _run(_PROGRAMS)
    if read.data is None:
        return Check("toolkits", name, False, read.reason, read.fix or _apt(ACCESSIBILITY_PACKAGE))
    count = read.data["programs"]
    limits = "" if shown == "DISPLAY" else "; without X11 there is no real input and no picture"
    return Check("toolkits", name, True, f"{count} program{'s' * (count != 1)} can be driven{limits}")


def _wayland() -> Check:
    """What can be driven in a Wayland session, if this is one."""
    if not os.environ.get("WAYLAND_DISPLAY"):
        return Check("toolkits", "wayland", None, "this is no Wayland session: WAYLAND_DISPLAY is not set")
    works = "programs are read and operated through accessibility; not to be had: " + ", ".join(
        _NOT_ON_WAYLAND
    )
    if os.environ.get("DISPLAY"):
        works += "; programs that use Xwayland have what the compositor allows"
    return Check("toolkits", "wayland", True, works, _INSTEAD)


def _xa11y(desktop: Desktop | None) -> Check:
    """Whether the library is there that drives Windows and macOS, and on Linux may be chosen."""

    def result(ok: bool | None, detail: str, fix: str | None = None) -> Check:
        return Check("toolkits", "xa11y", ok, detail, fix)

    linux = sys.platform == "linux"
    if importlib.util.find_spec("xa11y") is None:
        missing = "not installed; on Linux it is another way, which nothing needs"
        return result(None if linux else False, missing if linux else "not installed", _XA11Y)
    binding = next((name for name in _BINDINGS if importlib.util.find_spec(name)), None)
    if linux and desktop is None:
        return result(None, "needs a private desktop to be tried on")
    env = {**(desktop.env if desktop else os.environ), "DESKHAND_BACKEND": "xa11y"}
    if not linux or binding is None:
        read = _run(_PROGRAMS, env)
        return result(read.data is not None, read.reason or "reads the desktop", read.fix)
    driven = _run(_OUTSIDE.format(app=_APP.format(binding=binding), timeout=TIMEOUT / 3), env)
    if driven.data is None:
        return result(False, f"a program of {binding} is not driven: {driven.reason}", driven.fix)
    return result(True, f"{version('xa11y')}, drives a program of {binding} on the private desktop")


def loses_none(version: str, python: tuple[int, int]) -> bool:
    """Whether this PySide6 crashes on this Python: from 6.12 on it loses references to None."""
    # Since Python 3.12 there are no references to None to be lost.
    numbers = [int(part) for part in re.findall(r"\d+", version)[:2]]
    return numbers >= [6, 12] and python < (3, 12)


def _missing_libraries(binding: str) -> str | None:
    """How to install what the binding's plugin for X11 links against and does not find."""
    spec = importlib.util.find_spec(binding)
    folders = list(spec.submodule_search_locations or ()) if spec else []
    for folder in folders:
        for plugin in ("Qt/plugins/platforms/libqxcb.so", "Qt6/plugins/platforms/libqxcb.so"):
            with contextlib.suppress(OSError, subprocess.TimeoutExpired):
                answer = subprocess.run(
                    ["ldd", f"{folder}/{plugin}"], capture_output=True, text=True, timeout=TIMEOUT
                )
                missing = re.findall(r"(lib\S+) => not found", answer.stdout)
                if missing:
                    return _apt(*map(package_of, missing))
    return None


def package_of(library: str) -> str:
    """The Debian package that brings a shared library, by the rule that its packages are named by."""
    name, _, number = library.partition(".so.")
    if name in ("libglib-2.0", "libgthread-2.0", "libgobject-2.0"):
        return "libglib2.0-0"
    name, number = name.lower().replace("_", "-"), number.partition(".")[0]
    return f"{name}-{number}" if name[-1].isdigit() else f"{name}{number}"


def _transports() -> list[tuple[str, str | None]]:
    """The ways to speak GIP, each with an address to try it at."""
    socket = f"deskhand-doctor-{os.getpid()}"
    windows = sys.platform == "win32"
    return [
        ("gip: unix socket", None if windows else socket),
        ("gip: websocket", "ws://127.0.0.1:0"),
        ("gip: http", "http://127.0.0.1:0"),
        ("gip: named pipe", socket if windows else None),
    ]


def _gip(name: str, address: str | None) -> Check:
    if address is None:
        other = "only on Windows" if "pipe" in name else "not on Windows"
        return Check("protocols", name, None, other)
    return _answering(name, _SERVE.format(address=address))


def _answering(name: str, script: str) -> Check:
    served = _run(script)
    if served.data is None:
        return Check("protocols", name, False, served.reason, served.fix)
    return Check("protocols", name, True, f"answers at {served.data['url']}")


def _later(group: str, name: str, module: str) -> Check:
    """A toolkit or protocol that may not be there yet; if its module is there, that must be importable."""
    if importlib.util.find_spec(f"{__package__}.{module}") is None:
        return Check(group, name, None, _ONLY_OUTSIDE if name in _ACCESSIBLE else _ABSENT)
    tried = _run(f"import {__package__}.{module}; print('{{}}')")
    return Check(
        group,
        name,
        tried.data is not None,
        tried.reason if tried.data is None else "can be loaded",
        tried.fix,
    )


@dataclass(frozen=True)
class _Result:
    """What a script gave: the JSON it printed, or why it did not."""

    data: dict[str, Any] | None
    reason: str = ""
    fix: str | None = None
    missing: str | None = None
    """The module that it did not find."""


def _run(script: str, env: Mapping[str, str] | None = None) -> _Result:
    """Run a script in a process of its own."""
    try:
        answer = subprocess.run(
            [sys.executable, "-c", _BRIEF + script],
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TIMEOUT,
        )
    except subprocess.TimeoutExpired:
        return _Result(None, f"did not end within {TIMEOUT:g} s")
    if answer.returncode == 0 and answer.stdout.strip():
        return _Result(json.loads(answer.stdout.splitlines()[-1]))
    said = answer.stderr.strip()
    ending = f"ended with exit code {answer.returncode}"
    if answer.returncode < 0:
        ending = f"was ended by {signal.Signals(-answer.returncode).name}"
    reason = _short(said if said and answer.returncode > 0 else f"{ending}; {said}".rstrip("; "))
    if found := re.search(r"ModuleNotFoundError: No module named '([\w.]+)'", said):
        return _Result(None, reason, f"pip install {found[1].partition('.')[0]}", found[1])
    if found := re.search(r"(lib\S+\.so\.\d+)\S*: cannot open shared object", said):
        return _Result(None, reason, _apt(package_of(found[1])))
    return _Result(None, reason)


def _apt(*packages: str) -> str:
    return f"apt install {' '.join(sorted(set(packages)))}"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _TAIL else f"{line[:_TAIL]}…"
