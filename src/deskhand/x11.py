"""A client of an X display, spoken by hand: connection, cookies, properties, screenshots.

X libraries take display and cookie from the environment of the whole process; one process may drive many
desktops. Many questions go out at once.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import select
import socket
import stat
import struct
import threading
import time
from collections.abc import Container, Mapping
from pathlib import Path

from .images.png import to_png
from .model.errors import ConnectFailed, ScreenshotFailed, WaitTimeout
from .model.node import Rect

_CREDENTIALS = struct.Struct("iII")
"""Of the process at the other end of a socket: its number, user and group."""
_TAKEN = re.compile(r"\.?X(\d{1,9})(?:-lock)?")
SOCKETS = Path("/tmp/.X11-unix")  # noqa: S108 - where every X server and client expects it
_KEYMAPS = Path("/var/lib/xkb")
_COOKIE_NAME = b"MIT-MAGIC-COOKIE-1"
_FAMILY_LOCAL = 256
_FAMILY_WILD = 65535
_STRING = 31
_PROPERTY_CHANGE = 1 << 22
_INTERN_ATOM, _GET_ATOM_NAME, _CHANGE_PROPERTY, _GET_PROPERTY, _WARP_POINTER = 16, 17, 18, 20, 41
_GET_INPUT_FOCUS, _GET_IMAGE, _CHANGE_ATTRIBUTES = 43, 73, 2
_CREATE_WINDOW, _GET_ATTRIBUTES, _GET_GEOMETRY, _QUERY_TREE = 1, 3, 14, 15
_DELETE_PROPERTY, _SEND_EVENT, _TRANSLATE = 19, 25, 40
_QUERY_EXTENSION = 98
_RESOURCE = "X-Resource"
_COPY_FROM_PARENT, _INPUT_OUTPUT = 0, 1
_EVENT_MASK = 1 << 11
_SUBSTRUCTURE_NOTIFY = 1 << 19
_SUBSTRUCTURE = _SUBSTRUCTURE_NOTIFY | (1 << 20)
_VIEWABLE = 2
_PROPERTY_NOTIFY = 28
ALL_PLANES = 0xFFFFFFFF


# -- displays and cookies ----------------------------------------------------------------------


def socket_path(number: int) -> Path:
    """Where a display listens."""
    return SOCKETS / f"X{number}"


def is_served(number: int) -> bool:
    """Whether a display of that number listens by its abstract name, which needs no file."""
    with socket.socket(socket.AF_UNIX) as probe:
        probe.setblocking(False)
        try:
            probe.connect(f"\0{socket_path(number)}")
        except ConnectionRefusedError:
            return False
        except OSError:
            return True  # its queue is full
        return True


def listens(number: int) -> bool:
    """Whether a display of that number listens, by its file or by its abstract name."""
    with socket.socket(socket.AF_UNIX) as probe:
        probe.setblocking(False)
        try:
            probe.connect(str(socket_path(number)))
        except (ConnectionRefusedError, FileNotFoundError):
            return is_served(number)
        except OSError:
            return True  # its queue is full, or we may not know
        return True


def _connect_here(number: int, timeout: float) -> socket.socket:
    """A connection to a display of this machine: one of our own user, or of root, if there are two.

    A display has a file and an abstract name. Another user may have put a file where ours has only the name.
    """
    path = str(socket_path(number))
    try:
        made = _connected(path, timeout)
    except (FileNotFoundError, ConnectionRefusedError):
        # Fallback: where the folder of sockets is read-only (WSL is one such place) a display has only an
        # abstract socket.
        return _connected(f"\0{path}", timeout)
    if not _is_trusted(made):
        with contextlib.suppress(OSError):
            other = _connected(f"\0{path}", timeout)
            if _is_trusted(other):
                made.close()
                return other
            other.close()
    return made


def _connected(address: str, timeout: float) -> socket.socket:
    made = socket.socket(socket.AF_UNIX)
    made.settimeout(timeout)
    try:
        made.connect(address)
    except BaseException:
        made.close()
        raise
    return made


def _is_trusted(peer: socket.socket) -> bool:
    """Whether the other end is of our own user, or of root."""
    _, user, _ = _CREDENTIALS.unpack(
        peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    )
    return user in (os.geteuid(), 0)


def remove_dead(numbers: Container[int], older: float) -> None:
    """Remove what displays of ours left that were killed together with all who would have removed it.

    That is so if the process in the lock file is gone, nothing listens there, and the file is so many seconds
    old: one that is made just now may be of a display that is about to listen. Process ids of another
    container mean nothing here, but its display would listen.
    """
    # Another user may have put thousands there: they are passed over before anything else is looked at.
    with os.scandir(SOCKETS.parent) as entries:
        found = [entry for entry in entries if entry.name.startswith(".X") and entry.name.endswith("-lock")]
    for entry in found:
        with contextlib.suppress(OSError, ValueError):
            info = entry.stat(follow_symlinks=False)
            if info.st_uid != os.geteuid() or not stat.S_ISREG(info.st_mode):
                continue
            number, lock = int(entry.name.removeprefix(".X").removesuffix("-lock")), Path(entry.path)
            if (
                number in numbers
                and time.time() - info.st_mtime > older
                and not Path(f"/proc/{int(lock.read_text())}").exists()
                and not listens(number)
            ):
                socket_path(number).unlink(missing_ok=True)
                lock.unlink(missing_ok=True)


def taken_by_files() -> set[int]:
    """The display numbers that files have taken, by their names: locks and sockets, of whichever user."""
    names = os.listdir(SOCKETS.parent)  # noqa: PTH208 - there may be thousands
    with contextlib.suppress(OSError):  # the first display makes the folder
        names += os.listdir(SOCKETS)  # noqa: PTH208 - likewise
    return {int(found[1]) for name in names if (found := _TAKEN.fullmatch(name))}


def lock_path(number: int) -> Path:
    """The file that says a display number is taken."""
    return SOCKETS.parent / f".X{number}-lock"


def keymap_paths(number: int) -> list[Path]:
    """Where a display writes its keyboard layout while it starts: as root, and as any other user.

    It removes the file as soon as it has read it, unless it is killed before.
    """
    name = f"server-{number}.xkm"
    return [_KEYMAPS / name, SOCKETS.parent / name]


def parse_display(name: str) -> tuple[str, int]:
    """Host and number in a name such as `:0`; the host is empty for this machine."""
    host, colon, rest = name.rpartition(":")
    number = rest.split(".")[0]
    if not colon or not number.isdecimal():
        raise ConnectFailed(
            f"no display: DISPLAY is '{name}'", target=name, suggestions=("set DISPLAY, such as :0",)
        )
    return "" if host == "unix" else host, int(number)


def write_cookie(path: Path, number: int) -> bytes:
    """Write an authority file that lets its reader connect to a display; returns the cookie."""
    cookie = secrets.token_bytes(16)
    entries = b""
    # Most clients take the wild entry; some look only for one with the name of this machine.
    for family, address in ((_FAMILY_LOCAL, socket.gethostname().encode()), (_FAMILY_WILD, b"")):
        entries += struct.pack(">H", family)
        for field in (address, str(number).encode(), _COOKIE_NAME, cookie):
            entries += struct.pack(">H", len(field)) + field
    path.touch(0o600)
    path.write_bytes(entries)
    return cookie


def read_cookie(env: Mapping[str, str], number: int) -> bytes:
    """The cookie for a display in the authority file that an environment names; empty if there is none."""
    path = Path(env.get("XAUTHORITY") or Path(env.get("HOME", "")) / ".Xauthority")
    data = b""
    with contextlib.suppress(OSError):
        data = path.read_bytes()
    at = 0
    while at + 2 < len(data):
        at += 2
        fields = []
        for _ in range(4):
            size = int.from_bytes(data[at : at + 2], "big")
            fields.append(data[at + 2 : at + 2 + size])
            at += 2 + size
        _, shown, kind, cookie = fields
        if kind == _COOKIE_NAME and shown in (b"", str(number).encode()):
            return cookie
    return b""


# -- the connection ----------------------------------------------------------------------------


class Connection:
    """A client of one display. Thread-safe."""

    def __init__(self, number: int, cookie: bytes, timeout: float = 10.0, *, host: str = "") -> None:
        self.name = f"{host}:{number}"
        self._lock = threading.RLock()
        self._sequence = 0
        self._atoms: dict[str, int] = {}
        self._extensions: dict[str, int] = {}
        self._events = 0
        self._probe: int | None = None
        self._socket = self._connect(host, number, timeout)
        try:
            self._greet(cookie)
        except BaseException:
            self._socket.close()
            raise

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._socket.close()

    def ask(self, *requests: bytes) -> list[bytes | None]:
        """Send requests that have answers, all at once; None for one that was refused."""
        with self._lock:
            first = self._sequence + 1
            self._send(*requests)
            answers: list[bytes | None] = [None] * len(requests)
            last = (first + len(requests) - 1) & 0xFFFF
            while True:
                head = self._read(32)
                kind, number = head[0], int.from_bytes(head[2:4], "little")
                if kind == 1:
                    head += self._read(4 * int.from_bytes(head[4:8], "little"))
                elif kind != 0:
                    self._events += 1
                    continue  # an event: it only says that something changed
                place = (number - first) & 0xFFFF
                if place < len(requests) and kind == 1:
                    answers[place] = head
                if number == last:
                    return answers

    def tell(self, *requests: bytes) -> None:
        """Send requests that have no answer, and wait until the server has done them."""
        with self._lock:
            self._send(*requests)
            self.ask(input_focus())

    def atoms(self, *names: str) -> list[int]:
        """The numbers of names; remembered."""
        new = [name for name in names if name not in self._atoms]
        if new:
            for name, answer in zip(new, self.ask(*map(_intern, new)), strict=True):
                self._atoms[name] = int.from_bytes(answer[8:12], "little") if answer else 0
        return [self._atoms[name] for name in names]

    def atom_name(self, atom: int) -> str:
        """The name of a number; remembered."""
        for name, number in self._atoms.items():
            if number == atom:
                return name
        (answer,) = self.ask(struct.pack("<BxHI", _GET_ATOM_NAME, 2, atom))
        if answer is None:
            return ""
        name = answer[32 : 32 + int.from_bytes(answer[8:10], "little")].decode("latin-1")
        self._atoms[name] = atom
        return name

    def extension(self, name: str) -> int:
        """The opcode of an extension; 0 if the display has none such."""
        if name not in self._extensions:
            data = name.encode()
            padded = _padded(data)
            request = struct.pack("<BxHHxx", _QUERY_EXTENSION, 2 + len(padded) // 4, len(data)) + padded
            (answer,) = self.ask(request)
            self._extensions[name] = answer[9] if answer is not None and answer[8] else 0
        return self._extensions[name]

    # -- clients and events ----------------------------------------------------------------------

    def process_of(self, window: int) -> int:
        """The process that made a window, as the display knows it; 0 if it does not, or runs elsewhere."""
        return next(iter(self._clients(window)), 0)

    def clients(self) -> list[int]:
        """The processes that are connected to the display, as far as it knows them."""
        return self._clients(0)

    def _clients(self, of: int) -> list[int]:
        """The process of a window, or with 0 those of all clients."""
        opcode = self.extension(_RESOURCE)
        if not opcode:
            return []
        specs, by_pid = 1, 2
        (answer,) = self.ask(struct.pack("<BBHIII", opcode, 4, 4, specs, of, by_pid))
        if answer is None:
            return []
        found = []
        at = 32
        # The number of answers; then of each which client it is about, what kind it is, its length, and it.
        for _ in range(struct.unpack_from("<I", answer, 8)[0]):
            size = struct.unpack_from("<I", answer, at + 8)[0]
            if size == 4:
                found.append(int(struct.unpack_from("<I", answer, at + 12)[0]))
            at += 12 + size
        return found

    def follow_root(self) -> None:
        """From now on `events` counts the changes of the root window's properties."""
        self.tell(struct.pack("<BBHIII", _CHANGE_ATTRIBUTES, 0, 4, self.root, _EVENT_MASK, _PROPERTY_CHANGE))

    def events(self) -> int:
        """How many events have come so far. Asks the display nothing."""
        with self._lock:
            try:
                while select.select([self._socket], [], [], 0)[0]:
                    self._read(32)
                    self._events += 1
            except (OSError, ValueError) as error:  # closed by another thread
                raise ConnectFailed(
                    f"the connection to display '{self.name}' is closed", target=self.name
                ) from error
            return self._events

    # -- properties of the root window ---------------------------------------------------------

    def property(self, name: str) -> bytes:
        """The value of a property of the root window; empty if it has none."""
        (answer,) = self.ask(get_property(self.root, self.atoms(name)[0]))
        return as_bytes(answer)

    def set_property(self, name: str, text: str) -> None:
        """Set a text property of the root window."""
        data = text.encode()
        atom = self.atoms(name)[0]
        body = struct.pack("<IIIBxxxI", self.root, atom, _STRING, 8, len(data)) + _padded(data)
        self.tell(struct.pack("<BBH", _CHANGE_PROPERTY, 0, 1 + len(body) // 4) + body)

    def wait_for_property(self, name: str, timeout: float) -> bytes:
        """Wait until the root window has a property; its value."""
        deadline = time.monotonic() + timeout
        self.follow_root()
        while not (value := self.property(name)):
            if not self._next_event(deadline):
                raise WaitTimeout(
                    f"waited {timeout:g} s for the root window to have {name!r}; it has not", target=name
                )
        return value

    # -- windows -------------------------------------------------------------------------------

    def message(self, window: int, kind: str, *values: int) -> None:
        """Ask the window manager for something."""
        data = struct.pack("<5I", *(value & 0xFFFFFFFF for value in (*values, 0, 0, 0, 0, 0)[:5]))
        event = struct.pack("<BBHII", 33, 32, 0, window, self.atoms(kind)[0]) + data
        self.tell(struct.pack("<BBHII", _SEND_EVENT, 0, 11, self.root, _SUBSTRUCTURE) + event)

    def numbers(self, window: int, name: str) -> tuple[int, ...]:
        """A property that is a list of numbers; empty if there is none."""
        (answer,) = self.ask(get_property(window, self.atoms(name)[0]))
        return as_numbers(answer)

    def manager_caught_up(self, timeout: float) -> bool | None:
        """Wait until the window manager has handled all that the display sent it so far.

        False if it has not in time; None if there is no manager, or none that can be asked.
        """
        request, answer = self.atoms("_NET_REQUEST_FRAME_EXTENTS", "_NET_FRAME_EXTENTS")
        if request not in self.numbers(self.root, "_NET_SUPPORTED"):
            return None
        deadline = time.monotonic() + timeout
        with self._lock:
            window = self._probe_window()
            self.tell(struct.pack("<BxHII", _DELETE_PROPERTY, 3, window, answer))
            # The manager sets a property of a window that has no frame yet: any window will do.
            self.message(window, "_NET_REQUEST_FRAME_EXTENTS")
            while not as_bytes(self.ask(get_property(window, answer))[0]):
                if not self._next_event(deadline):
                    return False
        return True

    def follow_windows(self) -> None:
        """From now on `windows_changed` returns when a window opens, closes, moves or takes the focus."""
        mask = _PROPERTY_CHANGE | _SUBSTRUCTURE_NOTIFY
        self.tell(struct.pack("<BBHIII", _CHANGE_ATTRIBUTES, 0, 4, self.root, _EVENT_MASK, mask))

    def windows_changed(self, timeout: float) -> bool:
        """Wait until something happens to a window, and forget all that did; False if nothing in time.

        What happened while something else was asked for is forgotten, too: look at the windows after that.
        """
        if not self._readable(timeout):
            return False
        followed = self.atoms("_NET_CLIENT_LIST", "_NET_ACTIVE_WINDOW")
        # Not locked while waiting: others may ask meanwhile, and their answers are theirs to read.
        changed = False
        with self._lock:
            while self._readable(0):
                event = self._read(32)
                about, atom = struct.unpack_from("<II", event, 4)
                other = event[0] & 0x7F == _PROPERTY_NOTIFY and (about != self.root or atom not in followed)
                changed = changed or not other
        return changed

    def _probe_window(self) -> int:
        """A window of ours that is never shown; its properties are followed."""
        if self._probe is None:
            self._probe = self._new_resource()
            kind = (_INPUT_OUTPUT, _COPY_FROM_PARENT, _EVENT_MASK, _PROPERTY_CHANGE)
            place = (0, 0, 1, 1, 0)
            self.tell(
                struct.pack("<BBHIIhhHHHHIII", _CREATE_WINDOW, 0, 9, self._probe, self.root, *place, *kind)
            )
        return self._probe

    def area_of(self, window: int) -> Rect | None:
        """Where a window is on the screen; None if it is gone."""
        return as_area(*self.ask(geometry(window), translate(window, self.root)))

    def covering(self, window: int, x: int, y: int) -> str | None:
        """What is over a window at a point of the screen; None if nothing is."""
        inner = as_child(self.ask(child_at(self.root, x, y))[0])
        outermost = inner
        while inner and inner != window:
            inner = as_child(self.ask(child_below(self.root, inner, x, y))[0])
        if inner == window:
            return None
        if not outermost:
            return "nothing: the point is outside of it"
        return "another window"

    # -- pointer and screenshots ---------------------------------------------------------------

    def park_pointer(self) -> None:
        """Move the pointer to the bottom right corner."""
        place = (0, 0, self.width, self.height)
        self.tell(struct.pack("<BBHIIiIhh", _WARP_POINTER, 0, 6, 0, self.root, *place))

    def screenshot(self) -> bytes:
        """The whole screen as PNG."""
        return to_png(self.width, self.height, self.pixels(0, 0, self.width, self.height))

    def pixels(
        self, x: int, y: int, width: int, height: int, window: int | None = None
    ) -> bytes | memoryview:
        """A part of the screen, or of a window, as blue, green, red and an unused byte each, line by line."""
        place = (x, y, width, height)
        drawable = self.root if window is None else window
        (answer,) = self.ask(struct.pack("<BBHIhhHHI", _GET_IMAGE, 2, 5, drawable, *place, ALL_PLANES))
        data = b"" if answer is None else answer[32 : 32 + width * height * 4]
        if len(data) != width * height * 4:
            raise ScreenshotFailed(
                f"wanted {width}x{height} pixels of 4 bytes; the display sent {len(data)} bytes"
            )
        return data

    # -- bytes ---------------------------------------------------------------------------------

    def _connect(self, host: str, number: int, timeout: float) -> socket.socket:
        try:
            if host:
                return socket.create_connection((host, 6000 + number), timeout)
            return _connect_here(number, timeout)
        except OSError as error:
            raise ConnectFailed(
                f"cannot connect to display '{self.name}': {error}", target=self.name
            ) from error

    def _greet(self, cookie: bytes) -> None:
        name = _COOKIE_NAME if cookie else b""
        self._send_bytes(
            struct.pack("<BxHHHHxx", ord("l"), 11, 0, len(name), len(cookie))
            + _padded(name)
            + _padded(cookie)
        )
        status, reason_length, length = struct.unpack("<BBxxxxH", self._read(8))
        answer = self._read(4 * length)
        if status != 1:
            reason = answer[:reason_length].decode(errors="replace").strip()
            raise ConnectFailed(f"display '{self.name}' refused the connection: {reason}", target=self.name)
        self._last_resource, _ = struct.unpack_from("<II", answer, 4)
        vendor_length, formats = struct.unpack_from("<H3xB", answer, 16)
        self.first_key, self.last_key = answer[26], answer[27]
        screen = 32 + len(_padded(bytes(vendor_length))) + 8 * formats
        self.root, self.width, self.height = struct.unpack_from("<I16xHH", answer, screen)

    def _new_resource(self) -> int:
        """A number for something of ours in the server."""
        self._last_resource += 1
        return int(self._last_resource)

    def _next_event(self, deadline: float) -> bool:
        """Wait for an event; whether one came in time."""
        left = deadline - time.monotonic()
        came = left > 0 and self._readable(left)
        if came:
            self._read(32)
        return came

    def _readable(self, timeout: float) -> bool:
        try:
            return bool(select.select([self._socket], [], [], timeout)[0])
        except (OSError, ValueError) as error:  # closed by another thread
            raise ConnectFailed(
                f"the connection to display '{self.name}' is closed", target=self.name
            ) from error

    def _send(self, *requests: bytes, descriptor: int | None = None) -> None:
        """Send requests; every one counts, because answers are matched by their number."""
        self._sequence += len(requests)
        self._send_bytes(b"".join(requests), descriptor)

    def _send_bytes(self, data: bytes, descriptor: int | None = None) -> None:
        try:
            if descriptor is None:
                self._socket.sendall(data)
            else:
                socket.send_fds(self._socket, [data], [descriptor])
        except OSError as error:
            raise ConnectFailed(
                f"display '{self.name}' does not answer: {error}", target=self.name
            ) from error

    def _read(self, size: int) -> bytes:
        data = bytearray(size)
        view = memoryview(data)
        done = 0
        while done < size:
            try:
                count = self._socket.recv_into(view[done:])
            except OSError as error:
                raise ConnectFailed(
                    f"display '{self.name}' does not answer: {error}", target=self.name
                ) from error
            if count == 0:
                raise ConnectFailed(f"display '{self.name}' closed the connection", target=self.name)
            done += count
        return bytes(data)


def get_property(window: int, atom: int) -> bytes:
    """The question for a property of a window."""
    return struct.pack("<BBHIIIII", _GET_PROPERTY, 0, 6, window, atom, 0, 0, 1 << 18)


def attributes(window: int) -> bytes:
    """The question whether a window is shown."""
    return struct.pack("<BxHI", _GET_ATTRIBUTES, 2, window)


def geometry(window: int) -> bytes:
    """The question for a window's size."""
    return struct.pack("<BxHI", _GET_GEOMETRY, 2, window)


def translate(window: int, root: int) -> bytes:
    """The question for where a window's origin is on the screen."""
    return struct.pack("<BxHIIhh", _TRANSLATE, 4, window, root, 0, 0)


def child_at(window: int, x: int, y: int) -> bytes:
    """The question for the child of a window that is topmost at a point of it: the one that input reaches."""
    return struct.pack("<BxHIIhh", _TRANSLATE, 4, window, window, x, y)


def child_below(root: int, window: int, x: int, y: int) -> bytes:
    """The question for the child of a window that is topmost at a point of the screen."""
    return struct.pack("<BxHIIhh", _TRANSLATE, 4, root, window, x, y)


def family(window: int) -> bytes:
    """The question for the window around a window, and for those inside it."""
    return struct.pack("<BxHI", _QUERY_TREE, 2, window)


def input_focus() -> bytes:
    """The question for the window that has the keyboard focus."""
    return struct.pack("<BxH", _GET_INPUT_FOCUS, 1)


def as_viewable(answer: bytes | None) -> bool:
    """Whether a window is shown, in the answer to `attributes`."""
    return answer is not None and answer[26] == _VIEWABLE


def as_unmanaged(answer: bytes | None) -> bool:
    """Whether window managers leave a window alone, as they do menus, in the answer to `attributes`."""
    return answer is not None and answer[27] != 0


def as_focus(answer: bytes | None) -> int:
    """The window in the answer to `input_focus`; 0 and 1 are none."""
    return 0 if answer is None else int.from_bytes(answer[8:12], "little")


def as_parent(answer: bytes | None) -> int:
    """The window in the answer to `family`; 0 is none."""
    return 0 if answer is None else int.from_bytes(answer[12:16], "little")


def as_children(answer: bytes | None) -> tuple[int, ...]:
    """The windows inside, the lowest first, in the answer to `family`."""
    if answer is None:
        return ()
    return struct.unpack_from(f"<{int.from_bytes(answer[16:18], 'little')}I", answer, 32)


def as_child(answer: bytes | None) -> int:
    """The window in the answer to `child_at`; 0 is none."""
    return 0 if answer is None else int.from_bytes(answer[8:12], "little")


def as_area(size: bytes | None, origin: bytes | None) -> Rect | None:
    """Where a window is, in the answers to `geometry` and `translate`; None if it is gone."""
    if size is None or origin is None:
        return None
    width, height = struct.unpack_from("<HH", size, 16)
    x, y = struct.unpack_from("<hh", origin, 12)
    return Rect(x, y, width, height)


def as_bytes(answer: bytes | None) -> bytes:
    """The value in the answer to `get_property`."""
    if answer is None:
        return b""
    return answer[32 : 32 + answer[1] // 8 * int.from_bytes(answer[16:20], "little")]


def as_numbers(answer: bytes | None) -> tuple[int, ...]:
    """The same, as numbers of 32 bits."""
    if answer is None or answer[1] != 32:
        return ()
    data = as_bytes(answer)
    return struct.unpack(f"<{len(data) // 4}I", data)


def _intern(name: str) -> bytes:
    data = name.encode()
    return struct.pack("<BBHHxx", _INTERN_ATOM, 0, 2 + len(_padded(data)) // 4, len(data)) + _padded(data)


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)
