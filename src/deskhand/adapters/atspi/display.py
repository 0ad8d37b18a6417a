"""A client of an X display: what reading, real input, windows and pictures need of X11, spoken by hand.

X libraries take display and cookie from the environment of the whole process; one process may drive many
desktops. Many questions go out at once, and one mutex makes it safe for threads.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import socket
import struct
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

from ...model.errors import ConnectFailed

_SOCKETS = "/tmp/.X11-unix"  # noqa: S108 - where every X server and client expects it
_COOKIE = b"MIT-MAGIC-COOKIE-1"
_INTERN_ATOM, _CHANGE_PROPERTY, _GET_PROPERTY, _SEND_EVENT = 16, 18, 20, 25
_XTEST, _SHM = "XTEST", "MIT-SHM"
_ANY = 0
_SUBSTRUCTURE = (1 << 19) | (1 << 20)
ALL_PLANES = 0xFFFFFFFF


class Display:
    """A connection to one display; `env` has DISPLAY and XAUTHORITY."""

    def __init__(self, env: Mapping[str, str], timeout: float = 5.0) -> None:
        self.name = env.get("DISPLAY", "")
        host, number = _parse(self.name)
        self._lock = threading.RLock()
        self._sequence = 0
        self._atoms: dict[str, int] = {}
        self._extensions: dict[str, int] = {}
        self._segment: tuple[int, mmap.mmap] | None = None
        self._socket = _connect(host, number, timeout)
        try:
            self._greet(_cookie(env, number))
        except BaseException:
            self._socket.close()
            raise

    def close(self) -> None:
        self._socket.close()

    # -- questions -----------------------------------------------------------------------------

    def ask(self, *requests: bytes) -> list[bytes | None]:
        """Send requests that have answers, all at once; None for one that was refused."""
        with self._lock:
            first = self._sequence + 1
            self._sequence += len(requests)
            self._socket.sendall(b"".join(requests))
            answers: list[bytes | None] = [None] * len(requests)
            last = (first + len(requests) - 1) & 0xFFFF
            while True:
                head = self._read(32)
                kind, number = head[0], int.from_bytes(head[2:4], "little")
                if kind == 1:
                    head += self._read(4 * int.from_bytes(head[4:8], "little"))
                elif kind != 0:
                    continue  # an event: nobody asked for any
                place = (number - first) & 0xFFFF
                if place < len(requests) and kind == 1:
                    answers[place] = head
                if number == last:
                    return answers

    def tell(self, *requests: bytes) -> None:
        """Send requests that have no answer, and wait until the server has done them."""
        with self._lock:
            self._sequence += len(requests)
            self._socket.sendall(b"".join(requests))
            self.ask(struct.pack("<BxH", 43, 1))

    def atoms(self, *names: str) -> list[int]:
        """The numbers of names; remembered."""
        new = [name for name in names if name not in self._atoms]
        if new:
            for name, answer in zip(new, self.ask(*map(_intern, new)), strict=True):
                self._atoms[name] = int.from_bytes(answer[8:12], "little") if answer else 0
        return [self._atoms[name] for name in names]

    def atom_name(self, atom: int) -> str:
        for name, number in self._atoms.items():
            if number == atom:
                return name
        (answer,) = self.ask(struct.pack("<BxHI", 17, 2, atom))
        if answer is None:
            return ""
        name = answer[32 : 32 + int.from_bytes(answer[8:10], "little")].decode("latin-1")
        self._atoms[name] = atom
        return name

    def extension(self, name: str) -> int:
        """The opcode of an extension; 0 if the display has none such."""
        if name not in self._extensions:
            data = name.encode()
            request = struct.pack("<BxHHxx", 98, 2 + len(_padded(data)) // 4, len(data)) + _padded(data)
            (answer,) = self.ask(request)
            self._extensions[name] = answer[9] if answer is not None and answer[8] else 0
        return self._extensions[name]

    # -- input ---------------------------------------------------------------------------------

    @property
    def can_fake(self) -> bool:
        return bool(self.extension(_XTEST))

    def fake(self, *events: tuple[int, int, int, int]) -> None:
        """Make events as if by hardware: (kind, detail, x, y); kinds are those of the core protocol."""
        opcode = self.extension(_XTEST)
        self.tell(
            *(
                struct.pack(
                    "<BBHBBxxII8xhh7xB", opcode, 2, 9, kind, detail, 0, self.root if kind == 6 else 0, x, y, 0
                )
                for kind, detail, x, y in events
            )
        )

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

    def text(self, name: str) -> str:
        """A property of the root window that is a text; empty if there is none."""
        (answer,) = self.ask(get_property(self.root, self.atoms(name)[0]))
        return as_bytes(answer).decode(errors="replace")

    # -- pictures ------------------------------------------------------------------------------

    def pixels(self, x: int, y: int, width: int, height: int) -> bytes | memoryview:
        """A part of the screen as blue, green, red and an unused byte each, line by line.

        A view is of memory that the next picture overwrites.
        """
        with self._lock:
            segment = self._shared(width * height * 4)
            if segment is not None:
                number, memory = segment
                request = struct.pack(
                    "<BBHIhhHHIB3xII",
                    self.extension(_SHM),
                    4,
                    8,
                    self.root,
                    x,
                    y,
                    width,
                    height,
                    ALL_PLANES,
                    2,
                    number,
                    0,
                )
                if self.ask(request)[0] is not None:
                    return memoryview(memory)[: width * height * 4]
            # Fallback: a display over the network shares no memory.
            request = struct.pack("<BBHIhhHHI", 73, 2, 5, self.root, x, y, width, height, ALL_PLANES)
            (answer,) = self.ask(request)
            return b"" if answer is None else answer[32 : 32 + width * height * 4]

    def _shared(self, size: int) -> tuple[int, mmap.mmap] | None:
        """Memory that the server writes pictures into; None where it cannot."""
        if self._segment is not None and len(self._segment[1]) >= size:
            return self._segment
        opcode = self.extension(_SHM)
        if not opcode or self._socket.family != socket.AF_UNIX or not hasattr(os, "memfd_create"):
            return None
        size = max(size, self.width * self.height * 4)
        descriptor = os.memfd_create("deskhand-picture")
        try:
            os.ftruncate(descriptor, size)
            memory = mmap.mmap(descriptor, size)
            self._last_resource += 1
            number = self._last_resource
            request = struct.pack("<BBHIB3x", opcode, 6, 3, number, 0)
            self._sequence += 1
            socket.send_fds(self._socket, [request], [descriptor])
        finally:
            os.close(descriptor)
        # One that the server refused shows when the first picture is asked for.
        self._segment = (number, memory)
        return self._segment

    # -- the connection ------------------------------------------------------------------------

    def _greet(self, cookie: bytes) -> None:
        name = _COOKIE if cookie else b""
        self._socket.sendall(
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
    return struct.pack("<BBHIIIII", _GET_PROPERTY, 0, 6, window, atom, _ANY, 0, 1 << 18)


def geometry(window: int) -> bytes:
    """The question for a window's size."""
    return struct.pack("<BxHI", 14, 2, window)


def translate(window: int, root: int) -> bytes:
    """The question for where a window's origin is on the screen."""
    return struct.pack("<BxHIIhh", 40, 4, window, root, 0, 0)


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


def _parse(name: str) -> tuple[str, int]:
    host, colon, rest = name.rpartition(":")
    number = rest.split(".")[0]
    if not colon or not number.isdigit():
        raise ConnectFailed(
            f"no display: DISPLAY is '{name}'", target=name, suggestions=("set DISPLAY, such as :0",)
        )
    return host, int(number)


def _connect(host: str, number: int, timeout: float) -> socket.socket:
    addresses: Sequence[str] = (f"{_SOCKETS}/X{number}", f"\0{_SOCKETS}/X{number}")
    reason: OSError | None = None
    if host in ("", "unix"):
        for address in addresses:
            made = socket.socket(socket.AF_UNIX)
            made.settimeout(timeout)
            try:
                made.connect(address)
            except OSError as error:
                reason = reason or error
                made.close()
            else:
                return made
    else:
        try:
            return socket.create_connection((host, 6000 + number), timeout)
        except OSError as error:
            reason = error
    raise ConnectFailed(f"cannot connect to display '{host}:{number}': {reason}", target=f"{host}:{number}")


def _cookie(env: Mapping[str, str], number: int) -> bytes:
    """The cookie for a display in the authority file; empty if there is none."""
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
        if kind == _COOKIE and shown in (b"", str(number).encode()):
            return cookie
    return b""


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)
