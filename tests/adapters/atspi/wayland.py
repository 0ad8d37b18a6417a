"""A Wayland session of its own: a compositor without a screen, a session bus, and no X11."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_FOREIGN = ("DISPLAY", "XAUTHORITY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "AT_SPI_BUS_ADDRESS")
_HEADLESS = {"WLR_BACKENDS": "headless", "WLR_LIBINPUT_NO_DEVICES": "1", "WLR_RENDERER": "pixman"}
_OTHER_USER = 65534
_AS_OTHER_USER = ["setpriv", f"--reuid={_OTHER_USER}", f"--regid={_OTHER_USER}", "--clear-groups"]


@contextmanager
def wayland_session() -> Iterator[dict[str, str]]:
    """The environment for programs in the session. Ends what it started."""
    # The path of a socket must be short, and folders of tests are not.
    folder = Path(tempfile.mkdtemp(prefix="deskhand-wayland-"))
    env = {name: value for name, value in os.environ.items() if name not in _FOREIGN}
    env |= {
        "XDG_RUNTIME_DIR": str(folder),
        "XDG_SESSION_TYPE": "wayland",
        "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1",
        "NO_AT_BRIDGE": "0",
        "GSETTINGS_BACKEND": "memory",
        "GSK_RENDERER": "cairo",
        "LIBGL_ALWAYS_SOFTWARE": "1",
    }
    config = folder / "sway.config"
    config.write_text("xwayland disable\n")
    compositor = ["sway", "--config", str(config)]
    if os.geteuid() == 0:
        # It refuses to run as root. Any process that may open its socket can still be its client.
        for path in (folder, config):
            os.chown(path, _OTHER_USER, _OTHER_USER)
        compositor = [*_AS_OTHER_USER, *compositor]
    bus = ["dbus-daemon", "--session", "--nofork", "--print-address=1"]
    started: list[subprocess.Popen[str]] = []
    try:
        started.append(_start(bus, env, stdout=subprocess.PIPE))
        assert started[0].stdout is not None
        env["DBUS_SESSION_BUS_ADDRESS"] = started[0].stdout.readline().strip()
        started.append(_start(compositor, env | _HEADLESS))
        env["WAYLAND_DISPLAY"] = _socket(folder, started[1])
        yield env
    finally:
        for process in reversed(started):
            process.terminate()
            process.communicate(timeout=20)
        shutil.rmtree(folder)


def _start(
    command: list[str], env: dict[str, str], stdout: int = subprocess.DEVNULL
) -> subprocess.Popen[str]:
    return subprocess.Popen(command, env=env, stdout=stdout, stderr=subprocess.DEVNULL, text=True)


def _socket(folder: Path, process: subprocess.Popen[str], timeout: float = 20.0) -> str:
    """The name of the compositor's socket, once it is there."""
    deadline = time.monotonic() + timeout
    while True:
        for path in folder.glob("wayland-*"):
            if path.is_socket():
                return path.name
        assert process.poll() is None, "the compositor ended"
        assert time.monotonic() < deadline, f"no socket within {timeout:g} s"
        time.sleep(0.01)  # only the file system shows that it is there
