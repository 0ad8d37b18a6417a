"""Which user is at the other end of a TCP connection, if it is a process of this machine.

A port of this machine is open to all its users. The kernel knows which of them owns a socket: Unix sockets
have SO_PEERCRED for that (see `address`), TCP has the socket diagnosis of netlink, and /proc/net/tcp.
"""

from __future__ import annotations

import errno
import ipaddress
import os
import socket
import struct
from pathlib import Path
from typing import NamedTuple

_SOCK_DIAG = 4  # NETLINK_SOCK_DIAG
_BY_FAMILY = 20  # SOCK_DIAG_BY_FAMILY, and the type of its answer
_REQUEST = 1  # NLM_F_REQUEST
_ERROR = 2  # NLMSG_ERROR
_ADDRESSES = "!HH16s16s"
_HEADER = "=IHHII"
_HEADER_SIZE = struct.calcsize(_HEADER)
_LAST_NUMBER = 0xFFFFFFFF
_ANY_STATE = 0xFFFFFFFF
_NO_COOKIE = b"\xff" * 8
_FOUND = "=IIIII"
"""What follows the addresses of an answer: expiry, two queues, user, inode."""


class _Owner(NamedTuple):
    user: int
    inode: int
    """0 once no process has the socket open any more; its user is not known then."""


class Visitor(NamedTuple):
    """The peer of a connection."""

    name: str
    """The user or machine, which distinguishes peers."""
    refused: str | None
    """Why it may not use a server of this process: another user has it. None if it may."""


class Unavailable(OSError):
    """This system does not say which user a connection belongs to."""


class Peers:
    """Asks the kernel which users the peers of connections are; for one thread. A context manager."""

    def __init__(self) -> None:
        self._kernel: socket.socket | None = None
        """Kept open, because opening it takes longer than an answer does."""
        self._asked = 0

    def __enter__(self) -> Peers:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give back what it has open; it can be asked again."""
        if self._kernel is not None:
            self._kernel.close()
            self._kernel = None

    def visitor(self, here: tuple[str, int], there: tuple[str, int]) -> Visitor:
        """Who is at the other end of a connection between these addresses.

        Root may use the server, and other machines; what they may do is decided by the address that is bound
        and by the token. Raises Unavailable.
        """
        owner = self._owner(here, there)
        if owner is None and not _is_this_machine(here[0], there[0]):
            return Visitor(_plain(there[0]), None)
        if owner is None or owner.inode == 0:
            return Visitor("gone", "the process that connected is gone, so its user is not known")
        name = f"user {owner.user}"
        if owner.user in (os.geteuid(), 0):
            return Visitor(name, None)
        return Visitor(name, f"{name} may not use a server of user {os.geteuid()}")

    def check_available(self) -> None:
        """Raise Unavailable if the user of a connection cannot be found out here."""
        with socket.create_server(("127.0.0.1", 0)) as server:
            here = server.getsockname()[:2]
            self._owner(here, here)

    def _owner(self, here: tuple[str, int], there: tuple[str, int]) -> _Owner | None:
        """Who has the other end; None if no process of this machine has."""
        near, far = (_plain(here[0]), here[1]), (_plain(there[0]), there[1])
        try:
            return self._ask_kernel(near, far)
        except (OSError, AttributeError) as refused:
            self.close()  # an answer that comes too late is not taken for the next one
            # Fallback: sandboxes without netlink may still have the list of all connections, which is slow.
            try:
                return _listed(near, far)
            except OSError as error:
                raise Unavailable(error.errno, f"{refused}; {error}") from None

    def _ask_kernel(self, here: tuple[str, int], there: tuple[str, int]) -> _Owner | None:
        """By netlink, which looks up one socket in microseconds. OSError where there is none."""
        if self._kernel is None:
            self._kernel = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_CLOEXEC, _SOCK_DIAG)
            self._kernel.setblocking(False)  # it answers before `send` returns
        self._asked = self._asked % _LAST_NUMBER + 1
        self._kernel.send(_question(self._asked, here, there))
        answer = self._kernel.recv(8192)
        _, kind, _, number, _ = struct.unpack_from(_HEADER, answer)
        if kind == _ERROR and number == self._asked:
            code = -struct.unpack_from("=i", answer, _HEADER_SIZE)[0]
            if code == errno.ENOENT:
                return None
            raise OSError(code, os.strerror(code))
        if kind != _BY_FAMILY or number != self._asked:
            raise OSError(errno.EPROTO, "the kernel gave another answer than asked for")
        user, inode = struct.unpack_from(_FOUND, answer, _HEADER_SIZE + 4 + 48)[3:]
        return _Owner(user, inode)


def _plain(address: str) -> str:
    """An IPv4 address that was written as an IPv6 one, as IPv4."""
    if ":" not in address:
        return address
    found = ipaddress.ip_address(address.partition("%")[0])
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    return str(mapped or found)


def _is_this_machine(here: str, there: str) -> bool:
    return _plain(here) == _plain(there) or ipaddress.ip_address(_plain(there)).is_loopback


def _question(number: int, here: tuple[str, int], there: tuple[str, int]) -> bytes:
    """A netlink message: who has the socket that is at `there`, connected with `here`?"""
    family = socket.AF_INET6 if ":" in there[0] else socket.AF_INET
    addresses = struct.pack(
        _ADDRESSES, there[1], here[1], socket.inet_pton(family, there[0]), socket.inet_pton(family, here[0])
    )
    head = struct.pack("=BBBxI", family, socket.IPPROTO_TCP, 0, _ANY_STATE)
    wanted = head + addresses + b"\0" * 4 + _NO_COOKIE
    size = _HEADER_SIZE + len(wanted)
    return struct.pack(_HEADER, size, _BY_FAMILY, _REQUEST, number, 0) + wanted


def _listed(here: tuple[str, int], there: tuple[str, int]) -> _Owner | None:
    """From the list of all connections. OSError where there is none."""
    names = ("tcp6",) if ":" in there[0] else ("tcp", "tcp6")
    for name in names:
        ends = [_as_listed(address, port, wide=name == "tcp6") for address, port in (there, here)]
        for line in Path("/proc/net", name).read_text().splitlines()[1:]:
            fields = line.split()
            if fields[1:3] == ends:
                return _Owner(int(fields[7]), int(fields[9]))
    return None


def _as_listed(address: str, port: int, *, wide: bool) -> str:
    packed = ipaddress.ip_address(address).packed
    if wide and len(packed) == 4:
        packed = b"\0" * 10 + b"\xff\xff" + packed
    numbers = struct.unpack(f"={len(packed) // 4}I", packed)
    return "".join(f"{number:08X}" for number in numbers) + f":{port:04X}"
