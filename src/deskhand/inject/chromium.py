"""Chromium and browsers made of it: recognised by their name, and started so that they can be driven.

A browser that we start is driven through a pipe, which no other user can open. One that was started with a
debugging port of its own is found by that. Nothing here speaks the protocol.
"""

from __future__ import annotations

import contextlib
import os
import re
import socket
import struct
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

SCRIPT = Path(__file__).with_name("with_pipe.py")
_BROWSER = re.compile(
    r"(chromium(-browser)?|(google-)?chrome(-stable|-beta|-unstable|-dev)?|chrome-headless-shell|"
    r"brave(-browser)?|microsoft-edge(-stable|-beta|-dev)?|vivaldi(-stable)?|opera)"
)
_PORT = re.compile(r"--remote-debugging-port=(\d+)")
_PORT_FILE = "DevToolsActivePort"
_OWN = ("--remote-debugging-port", "--remote-debugging-pipe")
_FLAGS = (
    "--remote-debugging-pipe",
    "--no-first-run",
    "--no-default-browser-check",
    "--password-store=basic",
    # Its own window; the pages are read by the protocol.
    "--force-renderer-accessibility=native-apis",
)
_AS_ROOT = ("--no-sandbox", "--test-type")
"""Chromium refuses to run as root in its sandbox; the second keeps a warning about that off its window."""


@dataclass(frozen=True)
class Port:
    """A browser that has a debugging port."""

    pid: int
    address: str
    """Such as `127.0.0.1:9222`."""
    path: str | None = None
    """The path of its WebSocket, where that is known."""


def is_browser(argv: Sequence[str]) -> bool:
    """Whether a command starts Chromium or a browser made of it."""
    return bool(argv) and _BROWSER.fullmatch(Path(argv[0]).name) is not None


def instrumented(argv: Sequence[str], folder: Path) -> tuple[str, ...]:
    """The same command with the flags by which we can drive it; `folder` is for its socket and its profile.

    One that has a debugging port already is left as it is.
    """
    if any(part.split("=", 1)[0] in _OWN for part in argv):
        return tuple(argv)
    given = {part.split("=", 1)[0] for part in argv}
    flags = [flag for flag in _FLAGS if flag.split("=", 1)[0] not in given]
    if "--user-data-dir" not in given:
        # In its usual profile Chromium allows no debugging.
        flags.append(f"--user-data-dir={folder / 'profile'}")
    if os.geteuid() == 0:
        flags += [flag for flag in _AS_ROOT if flag not in given]
    if not Path("/dev/dri").exists():
        flags.append("--disable-gpu")
    return (sys.executable, "-I", "-S", str(SCRIPT), str(address_in(folder)), argv[0], *flags, *argv[1:])


def address_in(folder: Path) -> Path:
    """The socket to which a browser that we start connects."""
    return folder / "pipe"


class Awaited:
    """Lets a browser that we start connect. To be made before it is started, and closed when it has."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(0o700, exist_ok=True)
        self._socket = socket.socket(socket.AF_UNIX)
        try:
            self._socket.bind(str(address_in(folder)))
            self._socket.listen(1)
            self._socket.setblocking(False)
        except BaseException:
            self._socket.close()
            raise

    def __enter__(self) -> Awaited:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def connected(self) -> tuple[int, socket.socket] | None:
        """The browser that has connected, by its process id, and the connection; None if none has yet."""
        try:
            connection, _ = self._socket.accept()
        except BlockingIOError:
            return None
        connection.setblocking(True)
        peer = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        # The script becomes the browser, so the process is the same.
        return struct.unpack("3i", peer)[0], connection


def ports(pids: Iterable[int]) -> Iterator[Port]:
    """The processes among these that have a debugging port which is open by now."""
    for pid in pids:
        with contextlib.suppress(OSError):
            if (port := _port_of(pid)) is not None:
                yield port


def has_port(pid: int) -> bool:
    """Whether a process was started with a debugging port, so that it can be driven by that."""
    try:
        return _PORT.search(_command(pid)) is not None
    except OSError:
        return False


def _port_of(pid: int) -> Port | None:
    command = _command(pid)
    found = _PORT.search(command)
    if found is None or "--type=" in command:
        return None  # its helpers have the same flags
    if found[1] != "0":
        return Port(pid, f"127.0.0.1:{found[1]}")
    profile = re.search(r"--user-data-dir=([^\0]+)", command)
    if profile is None:
        return None
    # Chromium puts spaces between its arguments where others have zero bytes, and a folder may have some too.
    words = profile[1].split(" ")
    for count in range(len(words), 0, -1):
        # As the process sees it: it may have a /tmp of its own.
        path = Path(f"/proc/{pid}/root", " ".join(words[:count]).lstrip("/"), _PORT_FILE)
        if path.is_file():
            lines = path.read_text(encoding="ascii").split()
            return Port(pid, f"127.0.0.1:{lines[0]}", lines[1]) if len(lines) > 1 else None
    return None


def _command(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")


def environment(pid: int) -> Mapping[str, str]:
    """The environment that a process was started in; empty if it does not show that."""
    try:
        data = Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return {}
    return dict(part.split("=", 1) for part in os.fsdecode(data).split("\0") if "=" in part)
