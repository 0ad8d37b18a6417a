"""Keeps processes for a parent that may die at any moment, and leaves none of them behind.

A program of its own, started by `command` with `python -I -S`: standard library only, nothing of ours, one
thread, and no import that can be avoided, since a desktop waits for it. It
starts what the parent asks for, reports what ended, and when the parent is gone (or closes the connection, or
a critical process ends) it ends every descendant, removes the registered paths and exits. The parent's side
is `children.py`, which shares the functions at the end of this file.

The conversation is one JSON object a line. From the parent:

    {"do": "own"}    the folder is made; with the locked file in it that says that one of us lives
    {"do": "spawn", "number": 1, "argv": [...], "env": {...}, "cwd": "/", "fds": [0, 1, 2], "role": "app"}
    {"do": "clean", "number": 2, "paths": [...], "lock": [path, text]}    if the lock reads so at the end
    {"do": "signal", "signal": 15, "pid": 123, "tree": true}
    {"do": "follow", "number": 3, "pid": 456}    everything ends when that process does
    {"do": "adopt", "number": 4, "pid": 123}     report the end of the orphan that it is or descends from
    {"do": "room", "number": 5}    gives programs a /tmp of their own, see `private_tmp.py`
    {"do": "room", "number": 5, "displays": true}    with a folder of its own for the sockets of displays
    {"do": "room", "number": 5, "pid": 456}    gives them that of another process

To the parent, as answers: {"number": 1, "pid": 123} or {"number": 1, "errno": 2, "step": "exec"}, and
{"number": 2} and the like; unasked: {"exited": 123, "code": 0}, with a negative code for a signal. The
descriptors that become `fds` in the new process travel with the line that asks for it. With `"room": true`
a program is started in the room, if there is one.
"""
# ruff: noqa: PTH100, PTH105, PTH112, PTH114, PTH123, PTH208 - pathlib takes as long to import as the rest of this file takes to start

from __future__ import annotations

import contextlib
import ctypes
import errno
import json
import os
import re
import select
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterable

TYPE_CHECKING = False
"""What typing's own says; importing that takes longer than the rest of this file."""
if TYPE_CHECKING:
    from typing import Any

if sys.platform != "win32":
    import fcntl  # nothing here runs on Windows, where the package is imported all the same

TOKEN_VARIABLE = "DESKHAND_SUPERVISOR"  # noqa: S105 - the name of a mark, not a secret
"""Every process that a supervisor starts carries its token in this variable, and so do its children."""

RECORD = "supervisor.json"
"""In the folder: what has to be removed if supervisor and parent die at the same moment."""

APP_GRACE = 2.0
"""Seconds between asking an app to end and ending it."""

SERVICE_GRACE = 1.0
GIVE_UP_AFTER = 5.0
_ROOM_TIMEOUT = 10.0

_PR_SET_PDEATHSIG = 1
_PR_SET_NAME = 15
_PR_SET_CHILD_SUBREAPER = 36
_MNT_DETACH = 2
_UMOUNT_NOFOLLOW = 8
_CHUNK = 1 << 16
_MAX_FDS = 64
_LACKING = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM)
"""What is the machine's fault, and no reason for a traceback."""


_PROGRAM = (
    "import os, sys; sys.path.append(os.path.dirname(sys.argv[1])); import supervisor; supervisor.start()"
)
"""Imports this file as a module, so that Python does not compile it each time."""


def command(*arguments: object) -> list[str]:
    """How to start it; the arguments are those of `main`."""
    return [sys.executable, "-I", "-S", "-c", _PROGRAM, os.path.abspath(__file__), *map(str, arguments)]


def start() -> None:
    """What `command` runs."""
    main(int(sys.argv[2]), int(sys.argv[3]), sys.argv[4], sys.argv[5])


def main(connection: int, parent: int, folder: str, token: str) -> None:
    """Serve one parent until it is gone, then clean up. The parent makes the folder once this runs."""
    os.set_inheritable(connection, False)
    try:
        _Supervisor(socket.socket(fileno=connection), parent, folder, token).run()
    except OSError as error:
        if error.errno not in _LACKING:
            raise
        sys.exit(f"{error.strerror}: '{error.filename or folder}'")


class _Supervisor:
    """One parent, its processes, and the paths that end with them."""

    def __init__(self, connection: socket.socket, parent: int, folder: str, token: str) -> None:
        self.connection = connection
        self.pid = os.getpid()
        self.parent = parent
        self.folder = folder
        self.token = token
        self.roles: dict[int, str] = {}
        self.trees: dict[int, set[int]] = {}
        self.clean: list[dict[str, Any]] = [{"paths": [folder], "lock": None}]
        self.ending = False
        self.buffer = b""
        self.fds: list[int] = []
        self.owner: int | None = None
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.poll = select.poll()
        self.followed: dict[int, int] = {}
        self.room: Any = None
        self.doorman: socket.socket | None = None

    def run(self) -> None:
        self._become_supervisor()
        try:
            while not self.ending:
                self._wait(None)
        finally:
            self._end_everything()
            # The folder, registered first, goes last: until then its record says what else is to be removed.
            remove_all(reversed(self.clean))

    def _become_supervisor(self) -> None:
        # Orphaned grandchildren become our children, so that none of them can get away.
        if self.libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "prctl(PR_SET_CHILD_SUBREAPER)")
        self.wakeup, writer = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        for number in (signal.SIGTERM, signal.SIGCHLD):
            signal.signal(number, self._on_signal)
        for number in (signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        self.poll.register(self.wakeup, select.POLLIN)
        self.poll.register(self.connection, select.POLLIN)
        # A fork of the parent would keep the connection open; this notices the parent's own end.
        self.parent_fd = _process_fd(self.parent)
        if self.parent_fd >= 0:
            self.poll.register(self.parent_fd, select.POLLIN)

    def _on_signal(self, number: int, _frame: object) -> None:
        if number == signal.SIGTERM:
            self.ending = True

    def _wait(self, timeout: float | None) -> None:
        """Deal with whatever happens next."""
        for fd, _ in self.poll.poll(None if timeout is None else timeout * 1000):
            if fd == self.wakeup:
                os.read(fd, _CHUNK)
            elif fd == self.parent_fd:
                self._leave_parent()
            elif fd in self.followed:
                self.poll.unregister(fd)
                print(f"process {self.followed[fd]}, which it was to end with, has ended", file=sys.stderr)  # noqa: T201 - the parent reads it
                self.ending = True
            else:
                self._read()
        self._reap()

    def _leave_parent(self) -> None:
        self.ending = True
        for fd in (self.connection.fileno(), self.parent_fd):
            with contextlib.suppress(KeyError, ValueError):
                self.poll.unregister(fd)

    def _read(self) -> None:
        try:
            data, fds, _, _ = socket.recv_fds(self.connection, _CHUNK, _MAX_FDS)
        except ConnectionError:
            data, fds = b"", []
        for fd in fds:
            os.set_inheritable(fd, False)
        self.fds += fds
        if not data:
            self._leave_parent()
            return
        *lines, self.buffer = (self.buffer + data).split(b"\n")
        for line in lines:
            self._do(json.loads(line))

    def _do(self, message: dict[str, Any]) -> None:
        if message["do"] == "own":
            self.owner = self.fds.pop(0)
            self._write_record()
        elif message["do"] == "spawn":
            # The descriptors came with the first byte of their line, so they are all here.
            count = len(message["fds"])
            fds, self.fds = self.fds[:count], self.fds[count:]
            try:
                answer = self._spawn(message, fds)
            finally:
                for fd in fds:
                    os.close(fd)
            self._send({"number": message["number"], **answer})
        elif message["do"] == "clean":
            self.clean.append({"paths": message["paths"], "lock": message["lock"]})
            self._send({"number": message["number"], **self._record()})
        elif message["do"] == "follow":
            self._follow(message["pid"])
            self._send({"number": message["number"]})
        elif message["do"] == "adopt":
            self._send({"number": message["number"], **self._adopt(message["pid"])})
        elif message["do"] == "room":
            try:
                answer = self._make_room(message.get("pid"), bool(message.get("displays")))
            except OSError as error:
                answer = {"errno": error.errno, "step": "room"}
            self._send({"number": message["number"], **answer})
        elif message["do"] == "signal":
            root = message["pid"]
            tree = self._tree(root) if message["tree"] else {root} & self.roles.keys()
            # The root first: a shell that sees its child end would end by itself, with another exit code.
            for pid in sorted(tree, key=root.__ne__):
                send_signal(pid, message["signal"])

    def _follow(self, pid: int) -> None:
        fd = _process_fd(pid)
        if fd >= 0:
            self.followed[fd] = pid
            self.poll.register(fd, select.POLLIN)
        elif pid not in process_table():
            self.ending = True

    def _send(self, message: dict[str, Any]) -> None:
        with contextlib.suppress(OSError):  # the parent is gone; its end of the connection says so as well
            self.connection.sendall(json.dumps(message).encode() + b"\n")

    def _make_room(self, member: int | None, own_displays: bool) -> dict[str, Any]:
        """Make a room, or use that of another process; what failed, or the process that serves a new one."""
        # Imported only here: most supervisors need none.
        import private_tmp  # type: ignore[import-not-found]  # it is next to this file, without a package

        if member is not None:
            try:
                self.room = private_tmp.Inside(member)
            except OSError as error:
                return {"errno": error.errno, "step": "room"}
            return {}
        ours, theirs = socket.socketpair()
        try:
            pid = os.fork()
        except OSError:
            ours.close()
            theirs.close()
            raise
        if pid == 0:
            self._become_doorman()
            ours.close()
            private_tmp.run(theirs, self.folder, own_displays=own_displays)
        theirs.close()
        ours.settimeout(_ROOM_TIMEOUT)
        said = b""
        with contextlib.suppress(OSError):
            while not said.endswith(b"\n") and (part := ours.recv(4096)):
                said += part
        try:
            if said != b"ok\n":
                raise OSError(errno.EIO, said.decode())
            self.room = private_tmp.Inside(pid)
        except OSError as error:
            ours.close()
            send_signal(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            step, _, number = said.decode().strip().rpartition(" ")
            return {"errno": int(number) if step else error.errno, "step": step or "room"}
        self.doorman = ours
        self.roles[pid] = "critical"
        return {"pid": pid}

    def _become_doorman(self) -> None:
        """In the process that serves a room: nothing of the supervisor's but its lock, which says we live."""
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGTERM, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        for fd in (self.connection.fileno(), self.parent_fd, self.wakeup):
            if fd >= 0:
                os.close(fd)
        # Its name in a list of processes would be the supervisor's.
        self.libc.prctl(_PR_SET_NAME, b"deskhand-room", 0, 0, 0)

    def _prepare_room(self, message: dict[str, Any]) -> None:
        """Let the room have all that the new program may look for."""
        if self.doorman is not None:
            import private_tmp

            texts = [message["cwd"], *message["argv"], *message["env"].values()]
            names = b"\0".join(os.fsencode(name) for name in private_tmp.named(texts))
            # A room that does not answer has ended, and with it everything.
            with contextlib.suppress(OSError):
                self.doorman.sendall(names + b"\n")
                self.doorman.recv(1)

    def _spawn(self, message: dict[str, Any], fds: list[int]) -> dict[str, Any]:
        if self.ending:
            return {"errno": errno.ESHUTDOWN, "step": "supervisor"}
        if len(fds) < len(message["fds"]):
            # The kernel drops those for which we may not have a number.
            return {"errno": errno.EMFILE, "step": "descriptors"}
        if message.get("room"):
            self._prepare_room(message)
        try:
            report, tell = os.pipe2(os.O_CLOEXEC)
        except OSError as error:
            return {"errno": error.errno, "step": "descriptors"}
        try:
            pid = os.fork()
        except OSError as error:
            os.close(report)
            os.close(tell)
            return {"errno": error.errno, "step": "fork"}
        if pid == 0:
            self._become_child(message, fds, tell)
        os.close(tell)
        with open(report, "rb") as reader:
            failure = reader.read()
        if failure:
            os.waitpid(pid, 0)
            step, number = failure.split()
            return {"errno": int(number), "step": step.decode()}
        self.roles[pid] = message["role"]
        return {"pid": pid}

    def _adopt(self, pid: int) -> dict[str, Any]:
        """Take an orphan for an app from now on: the child of ours that a process is, or descends from."""
        table = process_table()
        while pid in table and table[pid].parent != self.pid:
            pid = table[pid].parent
        if pid not in table or self.roles.setdefault(pid, "app") != "app":
            return {"errno": errno.ESRCH, "step": "adopt"}
        return {"pid": pid}

    def _become_child(self, message: dict[str, Any], fds: list[int], tell: int) -> None:
        step = "setup"
        try:
            os.setpgid(0, 0)
            if message.get("room") and self.room is not None:
                self.room.enter()
            # Only now, since to enter a room may undo it.
            # If the supervisor is killed outright, the kernel ends its children.
            self.libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
            if os.getppid() != self.pid:
                os._exit(127)
            step = "descriptors"
            # Out of the way first, so that no descriptor overwrites another on the way to its number.
            free = max(message["fds"]) + 1
            tell, *fds = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, free) for fd in (tell, *fds)]
            for fd, number in zip(fds, message["fds"], strict=True):
                os.dup2(fd, number)
            step = "setup"
            # A program expects the default for what Python and the supervisor ignore.
            for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT, signal.SIGHUP):
                signal.signal(number, signal.SIG_DFL)
            step = "chdir"
            os.chdir(message["cwd"])
            step = "exec"
            os.execvpe(message["argv"][0], message["argv"], {**message["env"], TOKEN_VARIABLE: self.token})  # noqa: S606 - no shell on purpose
        except BaseException as error:  # noqa: BLE001 - told to the supervisor, which tells the parent
            number = (isinstance(error, OSError) and error.errno) or errno.EINVAL
            if step == "descriptors" and number in (errno.EINVAL, errno.EBADF):
                number = errno.EMFILE  # what the kernel says of a number above the limit
            os.write(tell, f"{step} {number}".encode())
        finally:
            os._exit(127)

    def _reap(self) -> bool:
        """Collect every child that ended, adopted ones included; True if none is left."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return True
            if pid == 0:
                return False
            role = self.roles.pop(pid, None)
            if role is None:
                continue
            self._send({"exited": pid, "code": os.waitstatus_to_exitcode(status)})
            self.ending = self.ending or role == "critical"

    def _tree(self, root: int) -> set[int]:
        """The process, all that descend from it, and orphans known by their group or from the last time."""
        table = process_table()
        mine = descendants(self.pid, table)
        grouped = {pid for pid in mine if table[pid].group == root}
        tree = mine & (descendants(root, table) | grouped | self.trees.get(root, set()) | {root})
        self.trees[root] = tree
        return tree

    def _end_everything(self) -> None:
        """Apps first, while they still have a desktop to close their windows on; then what served them."""
        if "app" not in self.roles.values():
            self._leave_room()
        end(self._apps, APP_GRACE, self._wait)
        self._leave_room()
        # Every orphan becomes our child, so that without children we have no descendants either.
        end(lambda: descendants(self.pid, process_table()), SERVICE_GRACE, self._wait, over=self._reap)

    def _leave_room(self) -> None:
        """Let the process end that serves the room, which can take the kernel 50 ms: as early as possible,
        but not before the last app that may still save a file in /tmp."""
        if self.doorman is not None:
            self.doorman.close()
            self.doorman = None

    def _apps(self) -> set[int]:
        table = process_table()
        apps = descendants(self.pid, table)
        for pid, role in self.roles.items():
            if role != "app":
                apps -= {pid} | descendants(pid, table)
        return apps

    def _record(self) -> dict[str, Any]:
        """Write the record; what failed, for the answer."""
        try:
            self._write_record()
        except OSError as error:
            return {"errno": error.errno, "step": "record"}
        return {}

    def _write_record(self) -> None:
        path = f"{self.folder}/{RECORD}"
        with contextlib.suppress(FileNotFoundError):  # the folder was removed; nothing to record it in
            with open(path + ".new", "w") as file:
                json.dump({"supervisor": self.pid, "token": self.token, "clean": self.clean}, file)
            os.replace(path + ".new", path)


def _process_fd(pid: int) -> int:
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        # Fallback: kernels before 5.3 and some sandboxes have no pidfd; then only the connection tells.
        return -1


# What the parent's side needs as well: to finish the work of a supervisor that was killed.


class ProcessEntry:
    """A living process in the table."""

    __slots__ = ("group", "parent", "session")

    def __init__(self, parent: int, group: int, session: int) -> None:
        self.parent = parent
        self.group = group
        self.session = session


def process_table() -> dict[int, ProcessEntry]:
    """All living processes. Zombies are left out: they are dead, and wait only for their parent."""
    table = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError, ValueError):
                with open(f"/proc/{name}/stat", "rb") as file:
                    # The program's name is in parentheses and may itself hold any character.
                    fields = file.read().rpartition(b")")[2].split()
                if fields[0] not in (b"Z", b"X"):
                    table[int(name)] = ProcessEntry(int(fields[1]), int(fields[2]), int(fields[3]))
    return table


def descendants(root: int, table: dict[int, ProcessEntry]) -> set[int]:
    """The children of a process, their children, and so on; without the process itself."""
    children: dict[int, list[int]] = {}
    for pid, entry in table.items():
        children.setdefault(entry.parent, []).append(pid)
    found: set[int] = set()
    waiting = [root]
    while waiting:
        for pid in children.get(waiting.pop(), ()):
            if pid not in found:
                found.add(pid)
                waiting.append(pid)
    return found


def bearers(token: str) -> set[int]:
    """The processes that carry a supervisor's token."""
    mark = f"{TOKEN_VARIABLE}={token}".encode()
    found = set()
    for pid in process_table():
        with contextlib.suppress(OSError), open(f"/proc/{pid}/environ", "rb") as file:
            if mark in file.read().split(b"\0"):
                found.add(pid)
    return found


def end(
    find: Callable[[], set[int]],
    grace: float,
    pause: Callable[[float], None],
    *,
    over: Callable[[], bool] | None = None,
) -> bool:
    """End the processes that `find` names until it names none: asked first, after the grace killed.

    Listing processes takes time, and misses one that was started meanwhile by another that has ended when
    its turn comes. `over` says whether there is really none left; without it, a second list has to agree.
    """
    polite_until = time.monotonic() + grace
    asked: set[int] = set()
    over = over or (lambda: not find())
    while (alive := find()) or not over():
        now = time.monotonic()
        if now >= polite_until:
            for pid in alive:
                send_signal(pid, signal.SIGKILL)
        else:
            for pid in alive - asked:
                send_signal(pid, signal.SIGTERM)
                send_signal(pid, signal.SIGCONT)
            asked |= alive
        if now > polite_until + GIVE_UP_AFTER:
            return False
        pause(0.02)
    return True


def send_signal(pid: int, number: int) -> None:
    """Signal a process that may have ended meanwhile, or may belong to another user."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def remove_all(entries: Iterable[dict[str, Any]], *, quiet: bool = False) -> None:
    """Remove registered paths, each group only while its lock file is still the one that was registered."""
    for entry in entries:
        if entry["lock"] is None or _reads(*entry["lock"]):
            for path in entry["paths"]:
                remove(path, quiet=quiet)


def _reads(path: str, text: str) -> bool:
    try:
        with open(path) as file:
            return file.read() == text
    except OSError:
        return False


def remove(path: str, *, quiet: bool = False) -> None:
    """Remove a file, or a folder with all in it, but never what is mounted inside.

    A file system of a process that has ended, as a document portal or a gvfs leaves it when it is killed, is
    detached first. What cannot be removed is reported on standard error, unless it belongs to another user.
    """
    attempt = _try_quietly if quiet else _attempt
    if not os.path.isdir(path) or os.path.islink(path):
        attempt(os.unlink, path)
        return
    path = os.path.realpath(path)  # as mounts are listed
    detach_inside(path)
    # Until a folder is gone, others can add to it: the parent may be opening another log.
    deadline = time.monotonic() + GIVE_UP_AFTER
    while _remove_tree(path, _try_quietly) and time.monotonic() < deadline:
        pass
    if os.path.lexists(path):
        _remove_tree(path, attempt)


def _remove_tree(path: str, attempt: Callable[..., bool]) -> bool:
    """Remove a folder with all that is in it now; True if that removed something, but not the folder."""
    device = _device(path)
    removed = False
    mounted = set(mounts(path))
    folders = [path]
    for folder in folders:
        attempt(os.chmod, folder, 0o700)
        with contextlib.suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                if not entry.is_dir(follow_symlinks=False):
                    removed |= attempt(os.unlink, entry.path)
                elif _device(entry.path) == device and entry.path not in mounted:
                    folders.append(entry.path)
    for folder in folders[:0:-1]:
        removed |= attempt(os.rmdir, folder)
    return not attempt(os.rmdir, path) and removed


def detach_inside(folder: str) -> None:
    """Detach the FUSE file systems below a folder: each is a process's own, and those have ended."""
    for point in fuse_mounts(folder):
        if ctypes.CDLL(None).umount2(os.fsencode(point), _MNT_DETACH | _UMOUNT_NOFOLLOW) != 0:
            # Only root may do it by itself; FUSE brings a program for everybody else.
            with contextlib.suppress(OSError):
                arguments = ["fusermount3", "-u", "-z", "--", point]
                quiet = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in (1, 2)]
                pid = os.posix_spawnp(arguments[0], arguments, os.environ, file_actions=quiet)
                os.waitpid(pid, 0)


def fuse_mounts(folder: str) -> list[str]:
    """The FUSE file systems mounted below a folder, the innermost first."""
    return mounts(folder, b"fuse")


def mounts(folder: str, kind: bytes = b"") -> list[str]:
    """What is mounted below a folder, the innermost first; parts of our own file system too."""
    below = os.fsencode(os.path.realpath(folder)) + b"/"
    found = []
    with contextlib.suppress(OSError), open("/proc/self/mountinfo", "rb") as file:
        for line in file:
            about, _, source = line.partition(b" - ")
            # Spaces and the like are written as three octal digits.
            point = re.sub(rb"\\([0-7]{3})", lambda code: bytes([int(code[1], 8)]), about.split()[4])
            if source.startswith(kind) and point.startswith(below):
                found.append(os.fsdecode(point))
    return found[::-1]


def _device(path: str) -> int | None:
    try:
        return os.lstat(path).st_dev
    except OSError:
        return None  # the file system of a process that has ended, for one


def _attempt(function: Callable[..., None], path: str, *arguments: int) -> bool:
    """Whether it worked; what stays is said on standard error."""
    try:
        function(path, *arguments)
    except FileNotFoundError:
        return False
    except OSError as error:
        print(f"{path} stays: {error}", file=sys.stderr)  # noqa: T201 - the parent reads it
        return False
    return True


def _try_quietly(function: Callable[..., None], path: str, *arguments: int) -> bool:
    try:
        function(path, *arguments)
    except OSError:
        return False
    return True
