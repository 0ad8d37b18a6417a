"""Where Unix sockets lie, and making one that is ours alone."""

from __future__ import annotations

import errno
import os
import socket
import stat
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .interface import AddressInUse, BadAddress

_LONGEST = 107
"""What the kernel keeps of a socket's path, in bytes (Linux; others keep a little less)."""
_BACKLOG = 1024
"""How many connections may wait to be accepted. One more fails at once, which few clients handle."""


def socket_path(address: str | Path) -> Path:
    """The path that an address stands for: `unix:PATH`, a path, or a bare name in the temp directory."""
    text = str(address).removeprefix("unix:")
    if text.startswith("//"):
        text = text[2:]
    if not text or "\0" in text:
        raise BadAddress(f"'{address}' names no socket")
    if text in (".", "..") or text.endswith("/"):
        raise BadAddress(f"'{address}' is a directory, not a socket")
    path = Path.cwd() / Path(text).expanduser() if "/" in text else _temporary(text)
    if (length := len(os.fsencode(path))) > _LONGEST:
        raise BadAddress(
            f"the path of a socket may be {_LONGEST} bytes long, and this has {length}: {path}; "
            "use a shorter name, or a shorter TMPDIR"
        )
    return path


def _temporary(name: str) -> Path:
    import tempfile  # which takes some milliseconds, and is needed for bare names alone

    return Path(tempfile.gettempdir(), name)


def listen(path: Path) -> socket.socket:
    """Make a socket there that only this user may open; an existing one without a server is replaced."""
    if not hasattr(socket, "AF_UNIX"):
        raise BadAddress("this system has no Unix sockets; use http://… or ws://…")
    if not path.parent.is_dir():
        raise BadAddress(f"there is no directory {path.parent} for the socket {path.name}")
    with _alone_in(path.parent):
        vacate(path)
        server = socket.socket(socket.AF_UNIX)
        try:
            server.bind(str(path))
            # No client can connect before listen(), so other users never can.
            path.chmod(0o600)
            server.listen(_BACKLOG)
        except OSError as error:
            server.close()
            if error.errno == errno.EADDRINUSE:
                raise AddressInUse(error.errno, f"{path} is already in use") from None
            raise
    return server


def vacate(path: Path) -> None:
    """Remove a socket without a server; AddressInUse if it has one."""
    try:
        found = path.lstat()
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(found.st_mode):
        raise AddressInUse(
            errno.EADDRINUSE, f"{path} exists and is not a socket; remove it, or use another name"
        )
    user = _user_of(path)
    if user is not None:
        raise AddressInUse(errno.EADDRINUSE, f"{path} is already in use by {user}; use another name")
    # Root could remove it, but it is not root's.
    others = hasattr(os, "geteuid") and found.st_uid != os.geteuid()
    try:
        if others:
            raise PermissionError
        path.unlink(missing_ok=True)
    except PermissionError:
        raise AddressInUse(
            errno.EADDRINUSE, f"{path} was left behind by another user; use another name"
        ) from None


def peer_of(connection: socket.socket) -> tuple[int, int] | None:
    """The process id and user id at the other end; None where the system does not tell."""
    option = getattr(socket, "SO_PEERCRED", None)
    if option is None:
        return None
    credentials = connection.getsockopt(socket.SOL_SOCKET, option, struct.calcsize("3i"))
    pid, user, _ = struct.unpack("3i", credentials)
    return pid, user


@contextmanager
def _alone_in(directory: Path) -> Iterator[None]:
    """Keep other servers that start now from taking a socket that is being made for a stale one."""
    import fcntl  # only where there are Unix sockets

    try:
        handle = os.open(directory, os.O_RDONLY)
    except PermissionError:
        # Fallback: a directory that we may write but not list cannot be locked; bind() refuses a taken name.
        yield
        return
    try:
        deadline = time.monotonic() + 1
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError:
                # Fallback: another process keeps the directory locked, or its file system has no locks.
                if time.monotonic() > deadline:
                    break
                time.sleep(0.01)
        yield
    finally:
        os.close(handle)


def _user_of(path: Path) -> str | None:
    """A description of the process that serves a socket; None if there is none."""
    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(1)
        try:
            probe.connect(str(path))
        except (ConnectionRefusedError, FileNotFoundError):
            return None
        except PermissionError:
            return "another user"
        except OSError:
            # Too many wait to be let in, or it is of another kind: it is in use in any case.
            return "another program"
        peer = peer_of(probe)
    if peer is None:
        return "another program"
    try:
        name = Path(f"/proc/{peer[0]}/comm").read_text().strip()
    except OSError:
        name = "process"
    return f"{name} ({peer[0]})"
