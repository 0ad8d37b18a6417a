"""Gives the programs of one desktop a /tmp and a /var/tmp of their own, by a mount namespace.

A file for the supervisor, which is a script of its own: standard library only, nothing of ours. `make` runs
in a process that stays in the namespace for as long as the desktop lives, and ends with it; the supervisor
lets programs in by `enter`. Nothing is mounted outside, so nothing is left when the last process has ended.

What is in the machine's /tmp is there too, except for sockets and pipes: folders are mounted, and files are
links, since a program could not replace a file that is a mount point. What the machine adds to or removes
from /tmp later follows. Anything else that programs put there is theirs alone, and /var/tmp is empty but for
what their command, environment or working directory names.
"""
# ruff: noqa: PTH101, PTH102, PTH103, PTH105, PTH106, PTH108, PTH112, PTH114, PTH116, PTH123, PTH208, PTH211 - the supervisor does without pathlib, which takes as long to import as all the rest

from __future__ import annotations

import contextlib
import ctypes
import errno
import functools
import os
import re
import select
import socket
import stat
import struct
import sys
import time
from collections.abc import Iterable, Iterator

TYPE_CHECKING = False
"""As in `supervisor.py`."""
if TYPE_CHECKING:
    from typing import NoReturn

OWN = ("tmp", "var-tmp")
"""In the supervisor's folder: what programs see as /tmp and /var/tmp."""
HOST = ("host-tmp", "host-var-tmp")
"""In the supervisor's folder, and only for programs inside: the machine's own."""
PLACES = ("/tmp", "/var/tmp")  # noqa: S108 - these are what it is about

_CLONE_NEWNS, _CLONE_NEWUSER = 0x00020000, 0x10000000
_MS_BIND, _MS_REC, _MS_SLAVE = 0x1000, 0x4000, 0x80000
_MNT_DETACH, _UMOUNT_NOFOLLOW = 2, 8
_IN_CLOSE_WRITE, _IN_MOVED_FROM, _IN_MOVED_TO = 0x8, 0x40, 0x80
_IN_CREATE, _IN_DELETE, _IN_Q_OVERFLOW = 0x100, 0x200, 0x4000
_IN_CLOEXEC = 0o2000000
_EVENT = struct.Struct("iIII")
_LISTED = 5
_POLL = 0.5
"""How often to look at /tmp where the kernel cannot announce its changes, in seconds."""
DISPLAYS = ".X11-unix"
"""In /tmp: the sockets of displays."""
_OF_DISPLAYS = re.compile(r"\.X11-unix|\.t?X\d+-lock")
_NAMED = re.compile(re.escape(PLACES[1]) + r"/([^/:;,=\s\"'\\]+)")


@functools.cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


class Failed(Exception):
    """A step that this machine does not allow."""

    def __init__(self, step: str, number: int) -> None:
        super().__init__(step, number)
        self.step = step
        self.number = number


def named(texts: Iterable[str]) -> set[str]:
    """What texts name in /var/tmp."""
    return {name for text in texts for name in _NAMED.findall(text)}


def from_outside(folder: str | os.PathLike[str], path: str) -> str:
    """Where others find what programs in a room see under a path; `folder` is its supervisor's."""
    for place, own in zip(PLACES, OWN, strict=True):
        if path.startswith(f"{place}/"):
            rest = path[len(place) + 1 :]
            first = rest.partition("/")[0]
            mine, theirs = f"{os.fspath(folder)}/{own}/{first}", f"{place}/{first}"
            # A link, or an empty folder for something to be mounted on, stands for what the machine has.
            stub = os.path.islink(mine) or (os.path.isdir(mine) and not os.listdir(mine))
            return path if stub and os.path.lexists(theirs) else f"{os.fspath(folder)}/{own}/{rest}"
    return path


def lost(folder: str | os.PathLike[str]) -> str | None:
    """In words: the files that programs saved directly in a room's /tmp, which goes with it; or None."""
    files = []
    with contextlib.suppress(OSError), os.scandir(f"{os.fspath(folder)}/{OWN[0]}") as entries:
        for entry in entries:
            if not entry.name.startswith(".") and entry.is_file(follow_symlinks=False):
                files.append(f"{PLACES[0]}/{entry.name}")
    if not files:
        return None
    more = f" and {len(files) - _LISTED} more" if len(files) > _LISTED else ""
    shown = ", ".join(sorted(files)[:_LISTED])
    advice = "to keep files, save them in a folder or use --shared-tmp"
    return f"removed with the desktop's own /tmp: {shown}{more}; {advice}"


def apart(pid: int) -> bool:
    """Whether a process has another view of the file system than we have."""
    try:
        return os.stat(f"/proc/{pid}/ns/mnt").st_ino != os.stat("/proc/self/ns/mnt").st_ino
    except OSError:
        return False


class Inside:
    """The namespace of a process, for others to enter."""

    def __init__(self, pid: int) -> None:
        """OSError if there is no such process, or it is not for us."""
        self._mount = os.open(f"/proc/{pid}/ns/mnt", os.O_RDONLY | os.O_CLOEXEC)
        self._user = None
        if os.stat(f"/proc/{pid}/ns/user").st_ino != os.stat("/proc/self/ns/user").st_ino:
            self._user = os.open(f"/proc/{pid}/ns/user", os.O_RDONLY | os.O_CLOEXEC)

    def enter(self) -> None:
        """Let this process, which must have one thread, see what is in there; its folder is then /."""
        for namespace, kind in ((self._user, _CLONE_NEWUSER), (self._mount, _CLONE_NEWNS)):
            if namespace is not None and _libc().setns(namespace, kind) != 0:
                raise OSError(ctypes.get_errno(), "setns")


def await_seen(pid: int, path: str | os.PathLike[str], timeout: float) -> bool:
    """Wait until a process sees a new folder of ours; false if it does not in time, or cannot be asked."""
    there, deadline = f"/proc/{pid}/root{os.path.realpath(path)}", time.monotonic() + timeout
    while time.monotonic() < deadline:
        try:
            if os.path.samestat(os.stat(there), os.stat(path)):
                return True
        except FileNotFoundError:
            pass
        except OSError:
            return False
        time.sleep(0.002)
    return False


def run(channel: socket.socket, folder: str, *, own_displays: bool = False) -> NoReturn:
    """Make a namespace and serve it, in a process forked for this; says `ok` or what failed.

    With `own_displays`, nothing in it shows which display numbers are taken on the machine.

    Each line that comes is a list of names in /var/tmp, split by NULs, which programs are to see; the answer
    is a line, once everything is there that was there when it came.
    """
    try:
        room = _Room(folder, own_displays)
    except Failed as failed:
        channel.sendall(f"{failed.step} {failed.number}\n".encode())
        os._exit(1)
    except OSError as error:
        channel.sendall(f"{error.filename or 'room'} {error.errno}\n".encode())
        os._exit(1)
    channel.sendall(b"ok\n")
    with contextlib.suppress(ConnectionError):
        room.serve(channel)
    os._exit(0)


def why(step: str, number: int) -> str:
    """In words: why there is no namespace."""
    reason = f"{step}: {os.strerror(number).lower()}"
    # The kernel says that no space is left where there may be no more namespaces.
    if number in (errno.EPERM, errno.EACCES) or (number == errno.ENOSPC and step == "unshare"):
        return f"this machine allows no user namespaces here ({reason})"
    return reason


def _separate() -> None:
    """Move this process into a mount namespace of its own, from which nothing gets out."""
    user, group = os.geteuid(), os.getegid()
    kinds = _CLONE_NEWNS if user == 0 else _CLONE_NEWNS | _CLONE_NEWUSER
    if _libc().unshare(kinds) != 0:
        raise Failed("unshare", ctypes.get_errno())
    if user != 0:
        try:
            # Everybody is who he was: the number of each file's owner stays the same.
            for name, text in (
                ("setgroups", "deny"),
                ("uid_map", f"{user} {user} 1"),
                ("gid_map", f"{group} {group} 1"),
            ):
                with open(f"/proc/self/{name}", "w") as file:
                    file.write(text)
        except OSError as error:
            raise Failed("uid_map", error.errno or errno.EIO) from error
    # What is mounted on the machine later is seen inside; nothing goes the other way.
    _mount(None, "/", _MS_REC | _MS_SLAVE)


def _mount(source: str | None, target: str, flags: int) -> None:
    where = None if source is None else os.fsencode(source)
    if _libc().mount(where, os.fsencode(target), None, flags, None) != 0:
        raise Failed(f"mount {target}", ctypes.get_errno())


class _Room:
    """A namespace, and what of the machine's folders is in it."""

    def __init__(self, folder: str, own_displays: bool) -> None:
        _separate()
        self._places: list[_Place] = []
        for place, own, host in zip(PLACES, OWN, HOST, strict=True):
            real = os.path.realpath(place)
            if os.path.isdir(real) and real not in [known.path for known in self._places]:
                self._places.append(_Place(real, f"{folder}/{own}", f"{folder}/{host}"))
        for covered in self._places:
            covered.cover()
        tmp = self._tmp = self._places[0]
        if own_displays:
            tmp.leave_out(_OF_DISPLAYS)
            os.mkdir(f"{tmp.path}/{DISPLAYS}")
            os.chmod(f"{tmp.path}/{DISPLAYS}", 0o1777)  # noqa: S103 - as on every machine
        # Our own folder, wherever it is: programs read their sockets and logs there.
        for covered in self._places:
            if folder.startswith(covered.path + "/"):
                covered.admit(folder[len(covered.path) + 1 :].partition("/")[0])
        # First watch, then list the existing files: nothing is missed in between.
        self._notices = _libc().inotify_init1(_IN_CLOEXEC | os.O_NONBLOCK)
        self._host = self._watch(tmp.source, _IN_CREATE | _IN_MOVED_TO | _IN_DELETE | _IN_MOVED_FROM)
        self._own = self._watch(tmp.path, _IN_CLOSE_WRITE | _IN_MOVED_TO)
        tmp.admit_all()

    def serve(self, channel: socket.socket) -> None:
        """Follow what the machine does, and let in what is asked for, until the supervisor hangs up."""
        poll = select.poll()
        poll.register(channel, select.POLLIN)
        if self._notices >= 0:
            poll.register(self._notices, select.POLLIN)
        # Fallback: a user may have only so many watches; without one, we look now and then.
        timeout = None if min(self._notices, self._host) >= 0 else _POLL * 1000
        buffer = b""
        while True:
            ready = [fd for fd, _ in poll.poll(timeout)]
            if self._notices in ready or timeout is not None:
                self._follow()
            if channel.fileno() in ready:
                if not (data := channel.recv(1 << 16)):
                    return
                *lines, buffer = (buffer + data).split(b"\n")
                for line in lines:
                    self._follow()
                    for name in filter(None, line.split(b"\0")):
                        for place in self._places[1:]:
                            place.admit(os.fsdecode(name))
                    channel.sendall(b"\n")

    def _watch(self, path: str, kinds: int) -> int:
        if self._notices < 0:
            return -1
        return int(_libc().inotify_add_watch(self._notices, os.fsencode(path), kinds))

    def _follow(self) -> None:
        """Take in what has changed in /tmp."""
        if min(self._notices, self._host) < 0:
            self._tmp.admit_all()
            return
        for watch, kind, name in self._events():
            if kind & _IN_Q_OVERFLOW:
                self._tmp.admit_all()
            elif watch == self._own:
                self._tmp.give_back(name)
            elif kind & (_IN_DELETE | _IN_MOVED_FROM):
                self._tmp.drop(name)
            else:
                self._tmp.admit(name)

    def _events(self) -> Iterator[tuple[int, int, str]]:
        while True:
            try:
                data = os.read(self._notices, 1 << 16)
            except BlockingIOError:
                return
            at = 0
            while at < len(data):
                watch, kind, _, size = _EVENT.unpack_from(data, at)
                at += _EVENT.size
                yield watch, kind, os.fsdecode(data[at : at + size].rstrip(b"\0"))
                at += size


class _Place:
    """A folder of the machine, covered by an empty one, and what of it can be seen all the same."""

    def __init__(self, path: str, own: str, host: str) -> None:
        self.path = path
        self._own = own
        self._host = host
        for folder, mode in ((own, 0o1777), (host, 0o700)):
            os.makedirs(folder, exist_ok=True)
            os.chmod(folder, mode)
        # Opened before they are covered, these lead to the covered folders.
        self._fd = os.open(path, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        self._own_fd = os.open(own, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        _mount(self.source, host, _MS_BIND | _MS_REC)
        self._seen: dict[str, int] = {}
        """What of the machine is in it: whether as a folder, or as the link with that number."""
        self._left_out: re.Pattern[str] | None = None

    def cover(self) -> None:
        """Let programs see the empty folder from now on."""
        _mount(f"/proc/self/fd/{self._own_fd}", self.path, _MS_BIND)

    def leave_out(self, names: re.Pattern[str]) -> None:
        """Never show what the machine has under such names."""
        self._left_out = names

    @property
    def source(self) -> str:
        """The machine's own folder."""
        return f"/proc/self/fd/{self._fd}"

    def admit_all(self) -> None:
        there = set(os.listdir(self.source))
        for name in self._seen.keys() - there:
            self.drop(name)
        for name in there:
            self.admit(name)

    def admit(self, name: str) -> None:
        """Show something of the machine, unless a program has something of that name."""
        if self._left_out is not None and self._left_out.fullmatch(name):
            return
        target = f"{self.path}/{name}"
        with contextlib.suppress(OSError, Failed):  # gone again, or not for us to see
            kind = os.lstat(name, dir_fd=self._fd).st_mode
            if os.path.lexists(target):
                if self._seen.get(name) != 0 or self._same(name):
                    return
                self.drop(name)
            if stat.S_ISDIR(kind):
                os.mkdir(target)
                try:
                    _mount(f"{self.source}/{name}", target, _MS_BIND | _MS_REC)
                except Failed:
                    os.rmdir(target)
                    raise
                self._seen[name] = 0
            elif stat.S_ISREG(kind):
                self._link(f"{self._host}/{name}", name)
            elif stat.S_ISLNK(kind):
                to = os.readlink(name, dir_fd=self._fd)
                if not to.startswith(self._own + "/"):
                    self._link(to, name)

    def drop(self, name: str) -> None:
        """Show it no longer, since the machine has it no longer."""
        target, number = f"{self.path}/{name}", self._seen.pop(name, None)
        if number is None:
            return
        with contextlib.suppress(OSError):
            if number == 0:
                _libc().umount2(os.fsencode(target), _MNT_DETACH | _UMOUNT_NOFOLLOW)
                os.rmdir(target)
            elif os.lstat(target).st_ino == number:
                os.unlink(target)

    def give_back(self, name: str) -> None:
        """A program may have put a new file where the machine's was, as editors do when they save."""
        if not self._seen.get(name):
            return
        target = f"{self.path}/{name}"
        with contextlib.suppress(OSError):
            if not stat.S_ISREG(os.lstat(target).st_mode):
                return
            new = f".{name}.{os.getpid()}"
            try:
                # By this way both are on one mount, so that all processes have the same file open.
                os.link(self._host + (self._own + f"/{name}").removeprefix(self.path), f"{self._host}/{new}")
            except OSError:
                # Fallback: our own folder is on another file system.
                with open(target, "rb") as file, open(f"{self._host}/{new}", "wb") as copy:
                    os.fchmod(copy.fileno(), stat.S_IMODE(os.fstat(file.fileno()).st_mode))
                    while data := file.read(1 << 20):
                        copy.write(data)
            os.replace(f"{self._host}/{new}", f"{self._host}/{name}")
            os.symlink(f"{self._host}/{name}", f"{self.path}/{new}")
            self._seen[name] = os.lstat(f"{self.path}/{new}").st_ino
            os.replace(f"{self.path}/{new}", target)

    def _same(self, name: str) -> bool:
        """Whether a folder is still the one that the machine has under that name."""
        return os.path.samestat(os.stat(f"{self.path}/{name}"), os.stat(name, dir_fd=self._fd))

    def _link(self, to: str, name: str) -> None:
        target = f"{self.path}/{name}"
        os.symlink(to, target)
        self._seen[name] = os.lstat(target).st_ino


if __name__ == "__main__":
    # Run a command as a process sees the file system: its id, the folder to run in, the command.
    Inside(int(sys.argv[1])).enter()
    os.chdir(sys.argv[2])
    os.execvp(sys.argv[3], sys.argv[3:])  # noqa: S606 - no shell on purpose
