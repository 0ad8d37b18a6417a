"""A private headless desktop: display, session bus, accessibility bus, window manager and home of its own.

Everything runs under a supervisor (see `processes`) and lives in one private folder, so that nothing stays
behind however this process or any part of the desktop ends. Linux only; not loaded inside driven apps.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import queue
import random
import select
import shutil
import signal
import site
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Literal

if sys.platform != "win32":
    import fcntl  # nothing here runs on Windows, where the package is imported all the same

from .. import x11
from ..model.errors import (
    AccessibilityUnavailable,
    ConnectFailed,
    DeskhandError,
    InvalidParams,
    LaunchFailed,
    MissingProgram,
    NotFound,
    WaitTimeout,
)
from ..processes import private_tmp as rooms
from ..processes import shortage, virtualenv
from ..processes import supervisor as supervisor_script
from ..processes.children import Process, Share, Stdio, Supervisor
from ..transports.interface import TOKEN

PROGRAMS = {"Xvfb": "xvfb", "dbus-daemon": "dbus", "dbus-send": "dbus", "openbox": "openbox"}
"""What must be on PATH, each with the Debian package that brings it."""

ACCESSIBILITY_PACKAGE = "at-spi2-core"
"""The Debian package of the accessibility bus, which the session bus starts by name."""

_CONFIGURATION = Path(__file__).with_name("openbox.xml")
# Far from where people and other tools number their displays.
_LOOK = 0.2
"""How long a signal may go unnoticed, in seconds."""
_DISPLAYS = range(1000, 60000)
_DEAD_AFTER = 60.0
"""When the lock of a display counts as left behind, in seconds, if it has neither process nor listener."""
_STEP = 7919
_RECORD = "desktop.json"
"""In the folder: the variables that lead programs to this desktop, for those that join it later."""
_READY, _HOME_LOCK = 3, 4
"""Descriptors in the programs that a desktop is made of."""
_SEEN = 10.0
"""How long a new folder may take to be seen on a desktop, in seconds."""
_RESTARTS = 3
_GRACE = 5.0

# What describes the desktop of the person who started us, and would lead programs away from ours.
_FOREIGN = (
    "AT_SPI_BUS_ADDRESS", "DBUS_STARTER_ADDRESS", "DBUS_STARTER_BUS_TYPE", "DESKTOP_SESSION",
    "DESKTOP_STARTUP_ID", "ELECTRON_OZONE_PLATFORM_HINT", "GTK_A11Y", "GTK_IM_MODULE", "GTK_MODULES",
    "MOZ_ENABLE_WAYLAND", "QT_IM_MODULE", "QT_IM_MODULES", "QT_QPA_PLATFORMTHEME", "SDL_VIDEODRIVER",
    "SESSION_MANAGER", "WAYLAND_DISPLAY", "WAYLAND_SOCKET", "WINDOWID", "XDG_ACTIVATION_TOKEN",
    "XDG_CURRENT_DESKTOP", "XDG_SEAT", "XDG_SESSION_DESKTOP", "XDG_SESSION_ID", "XDG_VTNR", "XMODIFIERS",
)  # fmt: skip

_SETTINGS = {
    "GDK_BACKEND": "x11",
    "QT_QPA_PLATFORM": "xcb",
    # GTK 4 would draw by OpenGL, and spend seconds on it where no graphics card does that.
    "GSK_RENDERER": "cairo",
    # As it is anyway. JavaFX's robot asks the settings for it at each move, and never frees the answer.
    "GDK_SCALE": "1",
    "XDG_SESSION_TYPE": "x11",
    "NO_AT_BRIDGE": "0",
    "QT_ACCESSIBILITY": "1",
    "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1",
    # These would mount file systems below the private folder, or show windows of another desktop.
    "GIO_USE_VFS": "local",
    "GTK_USE_PORTAL": "0",
    "GVFS_DISABLE_FUSE": "1",
}


class Desktop:
    """A desktop without a screen, with everything that programs expect of one.

    Use it in a `with` statement, or call `start` and `close`. When Xvfb or the session bus ends, everything
    on the desktop is ended and `failed` says why; the window manager is started again.
    """

    def __init__(
        self,
        size: tuple[int, int] = (1280, 800),
        *,
        env: Mapping[str, str] | None = None,
        home: str | os.PathLike[str] | None = None,
        tmp: Literal["private", "shared"] = "private",
        timeout: float = 15.0,
    ) -> None:
        """`env` is added to the environment of every program; `timeout` limits each step of the start.

        `home` is the home folder of its programs, made if it does not exist, and kept. Without one they have
        an empty one, which is removed at the end. One folder is the home of one desktop at a time. `tmp`
        says whether programs have a /tmp and /var/tmp of their own, where this machine allows it, or share
        the machine's.
        """
        if tmp not in ("private", "shared"):
            raise InvalidParams(f"'tmp' is 'private' or 'shared', not {tmp!r}", field="tmp")
        width, height = size
        if not (1 <= width <= 32767 and 1 <= height <= 32767):
            raise InvalidParams(
                f"a desktop has 1 to 32767 pixels each way; got {width}x{height}", field="size"
            )
        self.size = (width, height)
        self.env: dict[str, str] = {}
        """The environment for programs on this desktop."""
        self.display = ""
        self.bus_address = ""
        self.a11y_address = ""
        self._private_tmp = tmp == "private"
        self._extra = dict(env or {})
        self._kept_home = None if home is None else Path(home).absolute()
        self._timeout = timeout
        self._supervisor = Supervisor()
        self._failed: str | None = None
        self._own_displays = False
        self._restarts = 0

    def start(self) -> Desktop:
        """Bring it up; returns when windows can be shown."""
        _need_programs({**os.environ, **self._extra}.get("PATH"))
        self._supervisor.start()
        try:
            with shortage.about(self.folder):
                self._prepare()
            with self._start_display() as display_ready, self._start_bus() as bus_ready:
                self.bus_address = self._first_line(bus_ready, self._bus)
                self._first_line(display_ready, self._xvfb)
            self._start_window_manager()
            with (
                contextlib.closing(_Accessibility(self.env, self._timeout)) as accessibility,
                self._connect() as x,
            ):
                self._wait_for_window_manager(x)
                # It starts in the middle, where windows appear: an element below it would show a tooltip.
                x.park_pointer()
                self.a11y_address = accessibility.address()
                # Without this, Qt 5 programs find the accessibility bus only now and then.
                x.set_property("AT_SPI_BUS", self.a11y_address)
        except (DeskhandError, OSError) as error:
            reason = self._reason(error)
            self.close()
            raise reason from (None if reason is error else error)
        except BaseException:
            self.close()
            raise
        return self

    def close(self) -> None:
        """End everything on the desktop and remove all traces; does nothing the second time."""
        self._supervisor.close()

    def __enter__(self) -> Desktop:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def failed(self) -> str | None:
        """Why the desktop ended by itself, or None."""
        return self._failed or self._supervisor.failed

    @property
    def folder(self) -> Path:
        """The private folder: home, runtime directory, logs. It is removed at the end."""
        return self._supervisor.folder

    @property
    def tmp(self) -> Path | None:
        """Where the /tmp of its programs is found from outside; None if they share the machine's."""
        return None if self._supervisor.room is None else self._supervisor.room / rooms.OWN[0]

    @property
    def tmp_note(self) -> str | None:
        """Why programs share the machine's /tmp although they were to have their own, or None."""
        return self._supervisor.room_note

    @property
    def supervisor(self) -> Supervisor:
        """What owns the processes of this desktop; programs may be added to it."""
        return self._supervisor

    def spawn(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        cwd: str | os.PathLike[str] | None = None,
        stdin: Stdio = "null",
        stdout: Stdio = "inherit",
        stderr: Stdio | Literal["stdout"] = "inherit",
    ) -> Process:
        """Start a program on this desktop. `env` is added to the desktop's environment."""
        given = {**self._extra, **(env or {})}
        variables = virtualenv.for_command(argv, {**self.env, **given}, given)
        return self._supervisor.spawn(argv, env=variables, cwd=cwd, stdin=stdin, stdout=stdout, stderr=stderr)

    def screenshot(self) -> bytes:
        """The whole screen as PNG."""
        with self._connect() as x:
            return x.screenshot()

    def share(self) -> Share:
        """A part of this desktop for one more program, which ends by itself or with the desktop."""
        return Share(self._supervisor)

    @contextlib.contextmanager
    def _locked_home(self) -> Iterator[dict[int, int]]:
        """A lock on the home that was given, for the display to hold: as long as that runs, programs may.

        Two desktops at once would spoil one profile.
        """
        if self._kept_home is None:
            yield {}
            return
        try:
            lock = os.open(self._kept_home, os.O_RDONLY | os.O_DIRECTORY)
        except OSError as error:
            raise LaunchFailed(f"'{self._kept_home}' cannot be a home: {error.strerror}") from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield {_HOME_LOCK: lock}
        except BlockingIOError:
            raise LaunchFailed(
                f"'{self._kept_home}' is the home of another desktop that runs now",
                target=str(self._kept_home),
                suggestions=("close that one first, or use a copy of the folder",),
            ) from None
        finally:
            os.close(lock)

    def _make_room(self) -> bool:
        """Give programs a /tmp of their own from now on; false if that is not wanted or not allowed."""
        made = self._supervisor.make_room(own_displays=self._own_displays) if self._private_tmp else None
        if made is None:
            return False
        self._write_record(made.pid)
        return True

    def _write_record(self, room: int | None = None) -> None:
        """For programs that join later."""
        record, new = self.folder / _RECORD, self.folder / f"{_RECORD}.new"
        with shortage.about(record):
            new.touch(0o600)
            new.write_text(json.dumps({"env": self._own, "room": room}))
            new.replace(record)

    def _prepare(self) -> None:
        run, self._logs = (self.folder / name for name in ("run", "log"))
        home = self._kept_home or self.folder / "home"
        for path in (run, self._logs):
            path.mkdir(0o700)
        home.mkdir(0o700, parents=True, exist_ok=True)
        number = self._reserve_number()
        self._own_displays = number is None
        self._number = self._unserved_number() if number is None else number
        self.display = f":{self._number}"
        self._authority = self.folder / "Xauthority"
        self._cookie = x11.write_cookie(self._authority, self._number)
        self.bus_address = f"unix:path={run / 'bus'}"
        self.env = _own_environment()
        # Packages installed by `pip install --user` are in the real home.
        self.env.setdefault("PYTHONUSERBASE", site.getuserbase())
        self._own = {
            **_SETTINGS,
            "DISPLAY": self.display,
            "XAUTHORITY": str(self._authority),
            "DBUS_SESSION_BUS_ADDRESS": self.bus_address,
            "HOME": str(home),
            "XDG_CACHE_HOME": str(home / ".cache"),
            "XDG_CONFIG_HOME": str(home / ".config"),
            "XDG_DATA_HOME": str(home / ".local/share"),
            "XDG_STATE_HOME": str(home / ".local/state"),
            "XDG_RUNTIME_DIR": str(run),
            "GTK2_RC_FILES": f"/etc/gtk-2.0/gtkrc:{home}/.gtkrc-2.0:{self._gtk2_settings()}",
            **self._extra,
        }
        self.env |= self._own
        self._write_record()

    def _gtk2_settings(self) -> Path:
        """Settings that bring programs of GTK 2 onto the accessibility bus; later versions join it anyway."""
        path = self.folder / "gtkrc-2.0"
        # From the packages libgail-common and libatk-adaptor; a program that finds neither goes on without.
        path.write_text('gtk-modules = "gail:atk-bridge"\n')
        return path

    def _reserve_number(self) -> int | None:
        """Take a free display number, by the lock file that every X server respects; None if none is free.

        Xvfb could choose one with -displayfd. But it then makes no lock file, and in a container that shares
        /tmp/.X11-unix it replaces the socket of a display outside.
        """
        x11.remove_dead(_DISPLAYS, _DEAD_AFTER)
        text = f"{self._supervisor.pid:>10}\n"
        taken = x11.taken_by_files()
        for number in _numbers():
            if number in taken:
                continue
            lock, path = x11.lock_path(number), x11.socket_path(number)
            if os.path.lexists(lock) or os.path.lexists(path) or x11.is_served(number):
                continue
            traces = [path, *x11.keymap_paths(number), lock]
            # Registered before it exists, so that no moment is left in which our end would leave it behind.
            self._supervisor.clean(traces, lock=(lock, text))
            with contextlib.suppress(FileExistsError):
                with shortage.about(lock), lock.open("x") as file:
                    file.write(text)
                if not os.path.lexists(path):
                    # Registered once more: the end may have come after the first time and before it existed.
                    self._supervisor.clean(traces, lock=(lock, text))
                    return number
                lock.unlink()
        return None

    def _unserved_number(self) -> int:
        """A display number that is taken by files alone: those are not seen by a display in the room.

        Clients outside reach such a display by its abstract name, which no file can take.
        """
        for number in _numbers() if self._private_tmp else ():
            if not x11.is_served(number):
                return number
        raise _all_taken()

    def _start_display(self) -> IO[bytes]:
        """Start it, and make the room."""
        if self._own_displays:
            if not self._make_room():
                raise _all_taken()
            return self._start_xvfb(room=True)
        # It needs no room, and takes as long to start as one takes to be made.
        ready = self._start_xvfb(room=False)
        try:
            self._make_room()
        except BaseException:
            ready.close()
            raise
        return ready

    def _start_xvfb(self, *, room: bool) -> IO[bytes]:
        width, height = self.size
        arguments = ["-screen", "0", f"{width}x{height}x24", "-auth", str(self._authority), "-displayfd", "3"]
        # No screen saver, and 96 dots per inch on every machine.
        arguments += ["-nolisten", "tcp", "-noreset", "-s", "0", "-dpi", "96"]
        with self._locked_home() as lock:
            self._xvfb, ready = self._start_service(["Xvfb", self.display, *arguments], lock, room=room)
        return ready

    def _start_bus(self) -> IO[bytes]:
        arguments = ["--session", "--nofork", "--nopidfile", "--nosyslog", f"--address={self.bus_address}"]
        self._bus, ready = self._start_service(["dbus-daemon", *arguments, "--print-address=3"])
        return ready

    def _start_service(
        self, argv: list[str], held: Mapping[int, int] | None = None, *, room: bool = True
    ) -> tuple[Process, IO[bytes]]:
        """Start a part that the desktop cannot do without; it writes a line to descriptor 3 when ready."""
        read, write = os.pipe()
        log = self._logs / f"{argv[0]}.log"
        try:
            process = self._supervisor.spawn(
                argv,
                # What the bus starts by itself is installed, and belongs to no virtual environment.
                env=virtualenv.without(self.env),
                cwd="/",
                stdout=log,
                stderr=log,
                fds={_READY: write, **(held or {})},
                role="critical",
                room=room,
            )
        except BaseException:
            os.close(read)
            raise
        finally:
            os.close(write)
        return process, open(read, "rb", buffering=0)  # noqa: PTH123 - a descriptor has no path

    def _first_line(self, ready: IO[bytes], process: Process) -> str:
        deadline = time.monotonic() + self._timeout
        line = b""
        while not line.endswith(b"\n"):
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([ready], [], [], left)[0]:
                raise self._not_up(process, f"was not ready after {self._timeout:g} s")
            if not (part := ready.read(4096)):
                with contextlib.suppress(WaitTimeout):
                    process.wait(1)
                raise self._not_up(process, process.ending())
            line += part
        return line.decode().strip()

    def _reason(self, error: DeskhandError | OSError) -> DeskhandError:
        """What a failed start is really due to: when one part ends, so do the others."""
        if isinstance(error, ConnectFailed):
            with contextlib.suppress(WaitTimeout):
                self._xvfb.wait(1)
        gone = isinstance(error, FileNotFoundError) and self._supervisor.gone()
        if culprit := self._window_manager if self._failed else self._supervisor.culprit:
            return self._not_up(culprit, culprit.ending())
        if gone:
            return LaunchFailed(
                f"the private desktop did not come up: {self._supervisor.failed}",
                suggestions=shortage.advice_on(str(self._supervisor.failed)),
            )
        if isinstance(error, OSError):
            return LaunchFailed(
                f"the private desktop did not come up: {shortage.in_words(error)}",
                suggestions=shortage.advice(error.errno),
                errno=error.errno,
            )
        return error

    def _not_up(self, process: Process, what: str) -> LaunchFailed:
        said = process.tail().strip()
        return LaunchFailed(
            f"the private desktop did not come up: {process.argv[0]} {what}"
            + (f"; it said: {said}" if said else ""),
            target=process.argv[0],
            suggestions=shortage.advice_on(said),
            output=said,
        )

    def _start_window_manager(self) -> None:
        log = self._logs / "openbox.log"
        argv = ["openbox", "--sm-disable", "--config-file", str(_CONFIGURATION)]
        self._window_manager = self._supervisor.spawn(
            argv, env=self.env, cwd="/", stdout=log, stderr=log, role="service"
        )
        self._window_manager.on_exit(self._window_manager_ended)

    def _window_manager_ended(self, process: Process) -> None:
        """Start it again: programs and their windows are still there. If it keeps ending, give up."""
        if self._supervisor.closing:
            return
        self._restarts += 1
        if self._restarts > _RESTARTS:
            self._failed = f"openbox ended {self._restarts} times, at last it {process.ending()}"
            work: Callable[[], None] = self.close
        else:
            work = self._restart_window_manager
        # On a thread of its own: this one has to hear the supervisor's answer.
        try:
            threading.Thread(target=work, name="deskhand-desktop", daemon=True).start()
        except RuntimeError as error:  # this user or control group may have no more threads
            self._failed = f"openbox {process.ending()} and cannot be started again: {error}"

    def _restart_window_manager(self) -> None:
        with contextlib.suppress(LaunchFailed):  # the desktop was closed meanwhile
            self._start_window_manager()

    def _wait_for_window_manager(self, x: x11.Connection) -> None:
        try:
            x.wait_for_property("_NET_SUPPORTING_WM_CHECK", self._timeout)
        except WaitTimeout as error:
            raise self._not_up(self._window_manager, f"{self._window_manager.ending()}: {error}") from error

    def _connect(self) -> x11.Connection:
        return x11.Connection(self._number, self._cookie, self._timeout)


class Joined:
    """The private desktop of a program that runs, whichever process started that."""

    def __init__(self, pid: int) -> None:
        """Find it; NotFound if the program is on no private desktop."""
        folder = Path(_environment(pid).get("XAUTHORITY", "/")).parent
        try:
            record = json.loads((folder / _RECORD).read_text())
            self._owner: int = json.loads((folder / supervisor_script.RECORD).read_text())["supervisor"]
        except (OSError, ValueError, KeyError):
            raise NotFound(
                f"process {pid} is on no private desktop of yours that another program could join",
                target=str(pid),
                suggestions=("start it with --headless, in Python headless=True",),
            ) from None
        self.env: dict[str, str] = {**_own_environment(), **record["env"]}
        """The environment for programs on that desktop."""
        self._folder = folder
        self._room: int | None = record["room"]

    def share(self) -> Supervisor:
        """What keeps one more program on it, which ends by itself or with the desktop."""
        supervisor = Supervisor().start()
        supervisor.follow(self._owner)
        if self._room is not None:
            try:
                if not supervisor.enter_room(self._room, self._folder):
                    raise LaunchFailed("the desktop has ended")
                # What is newer than the desktop comes into its /tmp in order, and our folder is the newest.
                rooms.await_seen(self._room, supervisor.folder, _SEEN)
            except BaseException:
                supervisor.close()
                raise
        return supervisor


def _environment(pid: int) -> dict[str, str]:
    try:
        data = Path(f"/proc/{pid}/environ").read_bytes()
    except OSError as error:
        raise NotFound(f"process {pid} cannot be looked into: {error.strerror}", target=str(pid)) from None
    return dict(part.split("=", 1) for part in os.fsdecode(data).split("\0") if "=" in part)


def _own_environment() -> dict[str, str]:
    """Ours, without what describes our own desktop."""
    return {name: value for name, value in os.environ.items() if name not in (*_FOREIGN, TOKEN)}


def _numbers() -> Iterator[int]:
    """All display numbers that may be tried, each once, beginning anywhere to avoid collisions."""
    first = random.randrange(len(_DISPLAYS))  # noqa: S311 - to avoid collisions, not to hide
    for index in range(len(_DISPLAYS)):
        # The step has no divisor in common with their count, so that none is left out.
        yield _DISPLAYS[(first + index * _STEP) % len(_DISPLAYS)]


def _all_taken() -> LaunchFailed:
    locks = [lock for lock in x11.SOCKETS.parent.glob(".X*-lock") if os.path.lexists(lock)]
    owners = " and ".join(map(str, sorted({lock.lstat().st_uid for lock in locks})))
    return LaunchFailed(
        f"every display number from {_DISPLAYS[0]} to {_DISPLAYS[-1]} is taken, by lock files "
        f"{x11.SOCKETS.parent}/.X*-lock of user {owners or '?'}",
        suggestions=("remove the lock files of displays that do not run",),
    )


class _Accessibility:
    """Starts the accessibility bus by asking for it, and says that there is a listener."""

    _CALLS = (
        ["org.a11y.Bus.GetAddress"],
        *(
            [
                "org.freedesktop.DBus.Properties.Set",
                "string:org.a11y.Status",
                f"string:{name}",
                "variant:boolean:true",
            ]
            for name in ("IsEnabled", "ScreenReaderEnabled")
        ),
    )

    def __init__(self, env: Mapping[str, str], timeout: float) -> None:
        self._timeout = timeout
        # All at once: the session bus holds them back until the service is up.
        self._calls: list[subprocess.Popen[str]] = []
        try:
            for call in self._CALLS:
                self._calls.append(_send(call, env, timeout))
        except BaseException:
            self.close()
            raise

    def address(self) -> str:
        """The address of the accessibility bus, once it is up."""
        address, *_ = [self._answer(call) for call in self._calls]
        return address.strip()

    def close(self) -> None:
        for call in self._calls:
            if call.poll() is None:
                call.kill()
            call.communicate()

    def _answer(self, call: subprocess.Popen[str]) -> str:
        try:
            answer, said = call.communicate(timeout=self._timeout)
        except subprocess.TimeoutExpired:
            raise AccessibilityUnavailable(
                f"the accessibility bus was not up after {self._timeout:g} s",
                suggestions=shortage.advice_on(""),
                package=ACCESSIBILITY_PACKAGE,
            ) from None
        if call.returncode == 0:
            return answer
        if "ServiceUnknown" in said:
            raise _missing(["at-spi-bus-launcher"], [ACCESSIBILITY_PACKAGE])
        raise AccessibilityUnavailable(
            f"the accessibility bus did not start: {said.strip()}; its package is {ACCESSIBILITY_PACKAGE!r}",
            suggestions=shortage.advice_on(said),
            package=ACCESSIBILITY_PACKAGE,
        )


def _send(call: Sequence[str], env: Mapping[str, str], timeout: float) -> subprocess.Popen[str]:
    return subprocess.Popen(
        ["dbus-send", "--session", "--print-reply=literal", f"--reply-timeout={int(timeout * 1000)}",
         "--dest=org.a11y.Bus", "/org/a11y/bus", *call],
        env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def run_on_desktop(
    command: Sequence[str],
    size: tuple[int, int] = (1280, 800),
    env: Mapping[str, str] | None = None,
    *,
    home: str | os.PathLike[str] | None = None,
    tmp: Literal["private", "shared"] = "private",
) -> int:
    """Run a command on a desktop of its own, with our input and output; the exit code for a shell.

    128 + n if a signal ended it, 127 if there is no such command, 126 if it cannot be run, 1 if the desktop
    ended first. SIGINT, SIGTERM and SIGHUP are passed on to the command; after a while all is ended.
    """
    path = {**os.environ, **(env or {})}.get("PATH")
    if "/" not in command[0] and shutil.which(command[0], path=path) is None:
        return _complain(f"cannot start {command[0]!r}: no such program on PATH", 127)
    # Signal handlers and the supervisor's thread may both put into this kind of queue at any moment.
    inbox: queue.SimpleQueue[int | None] = queue.SimpleQueue()
    with _signals_to(inbox.put), Desktop(size, env=env, home=home, tmp=tmp) as desktop:
        if desktop.tmp_note is not None:
            sys.stderr.write(f"note: {desktop.tmp_note}\n")
        try:
            # Unlike programs that are launched: this command is often `deskhand agent`, which asks for it.
            token = {TOKEN: os.environ[TOKEN]} if TOKEN in os.environ else {}
            process = desktop.spawn(command, env=token, stdin="inherit")
        except LaunchFailed as error:
            return _complain(str(error), error.details.get("exit_code") or 1)
        process.on_exit(lambda _: inbox.put(None))
        number = _next(inbox)
        if number is not None:
            process.signal(number, tree=True)
            _next(inbox, _GRACE)
        elif desktop.failed:
            return _complain(f"the private desktop ended: {desktop.failed}", 1)
        if note := rooms.lost(desktop.folder):
            sys.stderr.write(f"note: {note}\n")
        code = process.returncode
        if code is None:
            return 128 + (number or signal.SIGKILL)
        return code if code >= 0 else 128 - code


def _next(inbox: queue.SimpleQueue[int | None], timeout: float = math.inf) -> int | None:
    """What comes next, None also if nothing comes in time.

    Looked for repeatedly: a signal that comes just before the waiting begins is handled only after it.
    """
    deadline = time.monotonic() + timeout
    while (left := deadline - time.monotonic()) > 0:
        with contextlib.suppress(queue.Empty):
            return inbox.get(timeout=min(_LOOK, left))
    return None


def parse_size(text: str) -> tuple[int, int]:
    """The size in a text like 1280x800."""
    width, _, height = text.lower().partition("x")
    if not (width.isascii() and width.isdigit() and height.isascii() and height.isdigit()):
        raise InvalidParams(f"a size looks like '1280x800'; got {text!r}", field="size")
    return int(width), int(height)


def missing_programs(path: str | None = None) -> dict[str, str]:
    """The programs a desktop needs that are not on PATH, each with its Debian package."""
    return {name: package for name, package in PROGRAMS.items() if shutil.which(name, path=path) is None}


def _need_programs(path: str | None) -> None:
    if missing := missing_programs(path):
        raise _missing(list(missing), list(dict.fromkeys(missing.values())))


def _missing(programs: list[str], packages: list[str]) -> MissingProgram:
    fix = f"apt install {' '.join(packages)}"
    return MissingProgram(
        f"a private desktop needs {', '.join(map(repr, programs))}, not found; on Debian or Ubuntu: {fix}",
        target=programs[0],
        suggestions=(fix,),
        missing=programs,
        package=" ".join(packages),
    )


def _complain(message: str, code: int) -> int:
    sys.stderr.write(f"error: {message}\n")
    return code


@contextlib.contextmanager
def _signals_to(put: Callable[[int], None]) -> Iterator[None]:
    """Put the number of each signal that asks us to end, instead of ending."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.signal(number, lambda got, _: put(got)) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
