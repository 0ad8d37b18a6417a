"""Connections to D-Bus with many calls in flight.

A `Connection` moves messages. A `Lane` is the way to one program: its calls wait in a queue, so many
are under way at once, each answer goes to its handler, which may ask for more. `pump` runs lanes until all is
answered. A program that stays silent costs its own lane the deadline and the others nothing.
"""

from __future__ import annotations

import contextlib
import os
import select
import socket
import struct
import time
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import unquote

from ...model.deadline import UI_TIMEOUT
from ...model.errors import AccessibilityUnavailable
from . import wire
from .wire import Header, Method, WireError

WINDOW = 192
"""How many calls of a lane are under way at once; more gains nothing, and an app's queue stays short."""
_STEADY = 0.25
"""A lane that answered something within this time is slow and not silent, in seconds."""
_CHUNK = 1 << 18
_U32 = struct.Struct("<I").unpack_from
_HEADER = struct.Struct("<BBBBIII").unpack_from
_REPLY_MARK = b"\x05\x01u\0"
_MESSAGE_BUS = ("org.freedesktop.DBus", "/org/freedesktop/DBus")

Handler = Callable[[Any, "bytes | CallError"], None]
Question = tuple[bytes, Method, Handler, Any]
"""The path that is asked, what, who gets the answer, and what it gets with it."""


class CallError(Exception):
    """What a program answered instead of a result."""

    def __init__(self, name: str, message: str = "") -> None:
        super().__init__(f"{name}: {message}" if message else name)
        self.name = name


class Connection:
    """A connection to a bus, or to one program directly (`direct`)."""

    def __init__(self, address: str, *, direct: bool = False, timeout: float = 5.0) -> None:
        self.address = address
        self.closed: str | None = None
        """Why it ended; None while it is open."""
        self.signal: Callable[[Header, bytes], None] | None = None
        """Who hears signals."""
        self.unique_name = ""
        self._serial = 0
        self._pending: dict[int, tuple[Lane, Handler, Any]] = {}
        self._out: list[bytes] = []
        self._rest = b""
        self._in = bytearray()
        self._needed = 0
        """How long the message is that has come in part; it is not looked at again before it is whole."""
        self._marks: dict[int, int] = {}
        self._socket, self.guid = _connect(address, timeout)
        if not direct:
            lane = Lane(self, _MESSAGE_BUS[0])
            self.unique_name = str(
                lane.ask(_MESSAGE_BUS[1], _MESSAGE_BUS[0], "Hello", reply="s", timeout=timeout)[0]
            )

    def fileno(self) -> int:
        return self._socket.fileno()

    @property
    def wants_to_send(self) -> bool:
        return bool(self._out or self._rest)

    def post(self, lane: Lane, path: bytes, method: Method, handler: Handler, argument: Any) -> None:
        """Put a call on its way; `flush` sends it."""
        self._serial = serial = (self._serial % 0xFFFFFFFF) + 1
        self._pending[serial] = (lane, handler, argument)
        self._out.append(method.message(serial, path))

    def forget(self, lane: Lane) -> None:
        """Drop the answers that a lane still waits for."""
        for serial in [serial for serial, entry in self._pending.items() if entry[0] is lane]:
            del self._pending[serial]

    def set_aside(self, lane: Lane) -> None:
        """Let the answers that a lane still waits for come whenever they may: it waits for them no more."""
        aside = Lane(self, lane.destination)
        aside.in_flight, lane.in_flight = lane.in_flight, 0
        for serial, (waits, handler, argument) in self._pending.items():
            if waits is lane:
                self._pending[serial] = (aside, handler, argument)

    def flush(self) -> None:
        """Send what can be sent without waiting."""
        if self.closed is not None:
            return
        data = self._rest + b"".join(self._out) if self._out else self._rest
        self._out.clear()
        try:
            while data:
                data = data[self._socket.send(data) :]
        except BlockingIOError:
            pass
        except OSError as error:
            self._end(f"the connection broke: {error.strerror}")
        self._rest = data

    def receive(self) -> None:
        """Take in what has arrived and hand it to those who wait for it."""
        if self.closed is not None:
            return
        try:
            while True:
                part = self._socket.recv(_CHUNK)
                if not part:
                    self._end("it closed the connection")
                    return
                self._in += part
                if len(part) < _CHUNK:
                    break
        except BlockingIOError:
            pass
        except OSError as error:
            self._end(f"the connection broke: {error.strerror}")
            return
        try:
            self._take()
        except WireError as error:
            self._end(f"it sent something that is not a message: {error}")

    def close(self) -> None:
        self._end("it was closed here")

    def _end(self, reason: str) -> None:
        if self.closed is None:
            self.closed = reason
            with contextlib.suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)  # wakes a thread that waits for it
            self._socket.close()
            for lane in {id(entry[0]): entry[0] for entry in self._pending.values()}.values():
                lane.fail(reason)
            self._pending.clear()

    def _take(self) -> None:
        if len(self._in) < self._needed:
            return
        self._needed = 0
        data = bytes(self._in)
        at, size = 0, len(data)
        marks = self._marks
        while size - at >= 16:
            first, kind, _, _, body, _, fields = _HEADER(data, at)
            if first == 0x6C and kind == wire.RETURN:
                start = at + ((16 + fields + 7) & -8)
                end = start + body
                if end > size:
                    if end - at > wire.MAXIMUM:
                        raise WireError("a message is longer than any may be")
                    self._needed = end - at
                    break
                # Where the serial stands depends on who wrote the message, and so on little but its length.
                mark = at + marks.get(fields, 16)
                if data[mark : mark + 4] != _REPLY_MARK:
                    mark = data.find(_REPLY_MARK, at + 16, start)
                    if mark < 0:
                        raise WireError("an answer does not say to what")
                    marks[fields] = mark - at
                entry = self._pending.pop(_U32(data, mark + 4)[0], None)
                if entry is not None:
                    lane, handler, argument = entry
                    lane.in_flight -= 1
                    lane.answered += 1
                    handler(argument, data[start:end])
            else:
                _, _, start, end = wire.sizes(data, at)
                if end > size:
                    break
                self._take_other(data[at:end], start - at)
            at = end
        del self._in[:at]

    def _take_other(self, message: bytes, start: int) -> None:
        header = wire.header(message)
        if header.kind == wire.SIGNAL:
            if self.signal is not None:
                self.signal(header, message[start:])
        elif header.kind in (wire.ERROR, wire.RETURN):
            entry = self._pending.pop(header.reply_serial, None)
            if entry is not None:
                lane, handler, argument = entry
                lane.in_flight -= 1
                lane.answered += 1
                handler(
                    argument,
                    _error(header, message[start:]) if header.kind == wire.ERROR else message[start:],
                )


class Lane:
    """The calls to one program. `failed` says why it gets no further."""

    def __init__(self, connection: Connection, destination: str | None, window: int = WINDOW) -> None:
        self.connection = connection
        self.destination = destination
        """None on a connection that leads to the program directly."""
        self.failed: str | None = None
        self.in_flight = 0
        self.answered = 0
        """How many answers came."""
        self._window = window
        self._queue: deque[Question] = deque()

    @property
    def idle(self) -> bool:
        return self.failed is not None or not (self.in_flight or self._queue)

    def call(self, path: bytes, method: Method, handler: Handler, argument: Any = None) -> None:
        """Ask; the handler gets the argument and the body of the answer, or the error, while `pump` runs."""
        self._queue.append((path, method, handler, argument))

    def ask_all(self, questions: Iterable[Question]) -> None:
        """Ask several things."""
        self._queue.extend(questions)

    def fill(self) -> None:
        """Put as many calls under way as may be."""
        if self.connection.closed is not None:
            self.fail(self.connection.closed)
        if self.failed is not None:
            self._queue.clear()
            return
        queue, post = self._queue, self.connection.post
        while queue and self.in_flight < self._window:
            self.in_flight += 1
            post(self, *queue.popleft())

    def fail(self, reason: str) -> None:
        """Give up: nothing that is still open will be answered."""
        self.failed = reason
        self._queue.clear()
        self.in_flight = 0
        self.connection.forget(self)

    def ask(
        self,
        path: str,
        interface: str,
        member: str,
        signature: str = "",
        *values: Any,
        reply: str,
        timeout: float,
    ) -> tuple[Any, ...]:
        """One call and its answer. Raises CallError, also if there is none in time."""
        method = Method(self.destination, interface, member, signature, *values)
        answers: list[bytes | CallError] = []
        self.call(wire.path_field(path), method, lambda _, answer: answers.append(answer))
        pump([self], timeout)
        if not answers:
            reason, self.failed = self.failed, None
            raise CallError("no answer", reason or "")
        if isinstance(answers[0], CallError):
            raise answers[0]
        return wire.unpack(reply, answers[0])


def pump(lanes: Iterable[Lane], timeout: float, silence: float | None = None) -> list[Lane]:
    """Run lanes until each is idle; those that are not in time have failed then.

    A lane that still answers one question after the other when the time is over is slow, and may go on for
    as long as any GUI thread may take. With `silence`, ends as soon as no lane that is waited for has
    answered anything for so long: returns those lanes, which can be run again later.
    """
    lanes = list(lanes)
    began = time.monotonic()
    first = {lane: lane.answered for lane in lanes}
    heard = {lane: (lane.answered, began) for lane in lanes}
    while True:
        for lane in lanes:
            lane.fill()
        busy = [lane for lane in lanes if not lane.idle]
        if not busy:
            return []
        now = time.monotonic()
        for lane in busy:
            if heard[lane][0] != lane.answered:
                heard[lane] = (lane.answered, now)
        left = began + timeout - now
        if left <= 0:
            allowed = now < began + timeout + UI_TIMEOUT
            steady = [
                lane
                for lane in busy
                if allowed and heard[lane][0] != first[lane] and now - heard[lane][1] < _STEADY
            ]
            for lane in busy:
                if lane not in steady:
                    lane.fail(f"it did not answer within {timeout:.3g} s")
            if not steady:
                return []
            busy, left = steady, _STEADY
        if silence is not None:
            quiet = max(heard[lane][1] for lane in busy) + silence - now
            if quiet <= 0:
                return busy
            left = min(left, quiet)
        turn({id(lane.connection): lane.connection for lane in busy}.values(), left)


def turn(connections: Iterable[Connection], timeout: float) -> bool:
    """Send, wait until something arrives, and take it in; False if nothing did."""
    poll = select.poll()
    by_number: dict[int, Connection] = {}
    for connection in connections:
        connection.flush()
        if connection.closed is None:
            events = select.POLLIN | (select.POLLOUT if connection.wants_to_send else 0)
            poll.register(connection.fileno(), events)
            by_number[connection.fileno()] = connection
    if not by_number:
        return False
    ready = poll.poll(max(0.0, timeout) * 1000)
    for number, events in ready:
        if events & ~select.POLLOUT:
            by_number[number].receive()
    return bool(ready)


def _error(header: Header, body: bytes) -> CallError:
    message = ""
    if header.signature.startswith("s"):
        message = str(wire.unpack("s", body)[0])
    return CallError(header.error, message)


def _connect(address: str, timeout: float) -> tuple[socket.socket, str]:
    reasons = []
    for one in address.split(";"):
        try:
            return _connect_one(one, timeout)
        except OSError as error:
            reasons.append(f"{one}: {error}")
    raise AccessibilityUnavailable(f"cannot connect to '{address}': {'; '.join(reasons)}", target=address)


def _connect_one(address: str, timeout: float) -> tuple[socket.socket, str]:
    transport, _, options = address.partition(":")
    known = dict(part.split("=", 1) for part in options.split(",") if "=" in part)
    if transport != "unix" or not ("path" in known or "abstract" in known):
        raise OSError(f"only Unix sockets are spoken, not '{transport}'")
    name = unquote(known["path"]) if "path" in known else "\0" + unquote(known["abstract"])
    made = socket.socket(socket.AF_UNIX)
    try:
        made.settimeout(timeout)
        made.connect(name)
        guid = _authenticate(made)
        made.setblocking(False)
    except BaseException:
        made.close()
        raise
    return made, guid


def _authenticate(made: socket.socket) -> str:
    """Say who we are; the kernel vouches for it. Who is there: no two buses have the same name."""
    made.sendall(b"\0AUTH EXTERNAL " + str(os.getuid()).encode().hex().encode() + b"\r\n")
    answer = b""
    while not answer.endswith(b"\r\n"):
        part = made.recv(4096)
        if not part or len(answer) > 16384:
            raise OSError("it ended the conversation before it began")
        answer += part
    if not answer.startswith(b"OK "):
        raise OSError(f"it refused us: {answer.decode('ascii', 'replace').strip()}")
    made.sendall(b"BEGIN\r\n")
    return answer[3:].decode("ascii", "replace").strip()
