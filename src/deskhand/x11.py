"""The few X11 requests that a private desktop needs: a cookie, root properties, a picture of the screen.

Spoken by hand over the display's Unix socket. X libraries take the cookie from the environment of the whole
process, and one process may have many desktops.
"""

from __future__ import annotations

import secrets
import select
import socket
import struct
import time
import zlib
from pathlib import Path

from .model.errors import ConnectFailed, ScreenshotFailed, WaitTimeout

SOCKETS = Path("/tmp/.X11-unix")  # noqa: S108 - where every X server and client expects it
_COOKIE_NAME = b"MIT-MAGIC-COOKIE-1"
_FAMILY_LOCAL = 256
_FAMILY_WILD = 65535
_STRING = 31
_PROPERTY_CHANGE = 1 << 22
_PROPERTY_NOTIFY = 28


def socket_path(number: int) -> Path:
    """Where a display listens."""
    return SOCKETS / f"X{number}"


def lock_path(number: int) -> Path:
    """The file that says a display number is taken."""
    return SOCKETS.parent / f".X{number}-lock"


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


class Connection:
    """A client of one display. Not for use by several threads at once."""

    def __init__(self, number: int, cookie: bytes, timeout: float = 10.0) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(timeout)
        try:
            self._socket.connect(_address(number))
            self._greet(number, cookie)
        except OSError as error:
            self._socket.close()
            raise ConnectFailed(
                f"cannot connect to display ':{number}': {error}", target=f":{number}"
            ) from error
        except BaseException:
            self._socket.close()
            raise

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def property(self, name: str) -> bytes:
        """The value of a property of the root window; empty if it has none."""
        request = struct.pack("<BBHIIIII", 20, 0, 6, self.root, self._atom(name), 0, 0, 1 << 20)
        reply = self._ask(request)
        unit, count = reply[1] // 8, int.from_bytes(reply[16:20], "little")
        return reply[32 : 32 + unit * count]

    def set_property(self, name: str, text: str) -> None:
        """Set a text property of the root window."""
        data = text.encode()
        body = struct.pack("<IIIBxxxI", self.root, self._atom(name), _STRING, 8, len(data)) + _padded(data)
        self._socket.sendall(struct.pack("<BBH", 18, 0, 1 + len(body) // 4) + body)
        self._atom(name)  # a request with an answer: once that is here, the server has done the one before

    def wait_for_property(self, name: str, timeout: float) -> bytes:
        """Wait until the root window has a property; its value."""
        deadline = time.monotonic() + timeout
        self._socket.sendall(struct.pack("<BBHIII", 2, 0, 4, self.root, 1 << 11, _PROPERTY_CHANGE))
        while not (value := self.property(name)):
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self._socket], [], [], left)[0]:
                raise WaitTimeout(
                    f"waited {timeout:g} s for the root window to have {name!r}; it has not", target=name
                )
            self._read(32)
        return value

    def park_pointer(self) -> None:
        """Move the pointer to the bottom right corner."""
        self._socket.sendall(struct.pack("<BBHIIiIhh", 41, 0, 6, 0, self.root, 0, 0, self.width, self.height))

    def screenshot(self) -> bytes:
        """The whole screen as PNG."""
        request = struct.pack("<BBHIHHHHI", 73, 2, 5, self.root, 0, 0, self.width, self.height, 0xFFFFFFFF)
        pixels = self._ask(request)[32:]
        if len(pixels) != self.width * self.height * 4:
            raise ScreenshotFailed(
                f"wanted {self.width}x{self.height} pixels of 4 bytes; the display sent {len(pixels)} bytes"
            )
        return png(self.width, self.height, pixels)

    def _greet(self, number: int, cookie: bytes) -> None:
        self._socket.sendall(
            struct.pack("<BxHHHHxx", ord("l"), 11, 0, len(_COOKIE_NAME), len(cookie))
            + _padded(_COOKIE_NAME)
            + _padded(cookie)
        )
        status, reason_length, length = struct.unpack("<BBxxxxH", self._read(8))
        answer = self._read(4 * length)
        if status != 1:
            reason = answer[:reason_length].decode(errors="replace").strip()
            raise ConnectFailed(f"display ':{number}' refused the connection: {reason}", target=f":{number}")
        vendor_length, formats = struct.unpack_from("<H3xB", answer, 16)
        screen = 32 + len(_padded(bytes(vendor_length))) + 8 * formats
        self.root, self.width, self.height = struct.unpack_from("<I16xHH", answer, screen)

    def _atom(self, name: str) -> int:
        data = name.encode()
        request = struct.pack("<BBHHxx", 16, 0, 2 + len(_padded(data)) // 4, len(data)) + _padded(data)
        return int.from_bytes(self._ask(request)[8:12], "little")

    def _ask(self, request: bytes) -> bytes:
        """Send a request and read its answer. Events on the way only say that something changed: dropped."""
        self._socket.sendall(request)
        while True:
            head = self._read(32)
            if head[0] == 0:
                raise ConnectFailed(f"the display refused request {request[0]} with error {head[1]}")
            if head[0] == 1:
                return head + self._read(4 * int.from_bytes(head[4:8], "little"))

    def _read(self, size: int) -> bytes:
        data = bytearray(size)
        view = memoryview(data)
        done = 0
        while done < size:
            count = self._socket.recv_into(view[done:])
            if count == 0:
                raise ConnectFailed("the display closed the connection")
            done += count
        return bytes(data)


def png(width: int, height: int, pixels: bytes) -> bytes:
    """A PNG of pixels that are blue, green, red and one unused byte each."""
    colours = bytearray(width * height * 3)
    for channel in range(3):
        colours[channel::3] = pixels[2 - channel :: 4]
    line = 3 * width
    # Each line begins with the number of its filter; 0 is none.
    lines = b"".join(b"\0" + colours[start : start + line] for start in range(0, len(colours), line))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(lines, 1)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )


def _address(number: int) -> str:
    path = socket_path(number)
    if path.exists():
        return str(path)
    # Fallback: where the folder of sockets is read-only (WSL is one such place) a display has only this one.
    return f"\0{path}"


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)
