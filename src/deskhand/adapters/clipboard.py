"""The clipboard of the X display that a program is on, as text.

X has no clipboard of its own: the program that was copied from answers those that paste. So a text that is
put there is held by a thread here, until another program copies something or the clipboard is closed.
"""

from __future__ import annotations

import contextlib
import os
import socket
import struct
import sys
import threading
import time
from collections.abc import Mapping

from ..model.errors import ActionFailed, ActionUnsupported, ConnectFailed, InvalidParams, UiBusy
from ..x11 import Connection, parse_display, read_cookie

LONGEST = 200_000
"""How many bytes can be put there: what a display takes in one request."""
_CONNECT = 5.0
_POLL = 0.02
_WORD = 1 << 16
_CHANGE_PROPERTY, _DELETE_PROPERTY, _GET_PROPERTY, _SEND_EVENT = 18, 19, 20, 25
_SET_OWNER, _GET_OWNER, _CONVERT = 22, 23, 24
_REPLY, _CLEARED, _REQUESTED, _NOTIFIED = 1, 29, 30, 31
_ATOM, _STRING = 4, 31
_TEXTS = ("UTF8_STRING", "text/plain;charset=utf-8", "text/plain", "TEXT", "STRING")
"""The names that programs ask for a text by; the first is the one that we ask for."""


SECRET = "x-kde-passwordManagerHint"  # noqa: S105 - what password managers say that they copied one by


class Clipboard:
    """Reads the clipboard, and puts texts there. Thread-safe."""

    def __init__(self, env: Mapping[str, str]) -> None:
        """The display is the one that DISPLAY and XAUTHORITY lead to; it is contacted when needed."""
        self._env = env
        self._lock = threading.Lock()
        self._owner: _Owner | None = None

    def read(self, timeout: float) -> str:
        """The text that would be pasted now; empty if nothing was copied. ActionFailed if it is not text."""
        connection = _Reading(*self._display(), _CONNECT, host=self._host)
        with connection:
            return connection.text(time.monotonic() + timeout)

    def write(self, text: str, timeout: float) -> None:
        """Put a text there; it can be pasted when this returns."""
        data = text.encode()
        if len(data) > LONGEST:
            raise InvalidParams(
                f"the clipboard takes up to {LONGEST:,} bytes of text, not {len(data):,}", field="text"
            )
        owner = _Owner(*self._display(), _CONNECT, host=self._host)
        try:
            owner.hold(data, timeout)
        except BaseException:
            owner.end()
            raise
        with self._lock:
            before, self._owner = self._owner, owner
        if before is not None:
            before.end()

    def close(self) -> None:
        """Let go of the text that was put there."""
        with self._lock:
            owner, self._owner = self._owner, None
        if owner is not None:
            owner.end()

    def wait(self) -> None:
        """Wait until something else was copied, or the display has ended."""
        with self._lock:
            owner = self._owner
        if owner is not None:
            owner.wait()

    @property
    def _host(self) -> str:
        return parse_display(self._env["DISPLAY"])[0]

    def _display(self) -> tuple[int, bytes]:
        if not self._env.get("DISPLAY"):
            raise ActionUnsupported(
                "the clipboard needs an X11 display, and this program has none",
                suggestions=("start it on a private desktop: --headless, in Python headless=True",),
            )
        if self._env.get("WAYLAND_DISPLAY"):
            raise ActionUnsupported("the clipboard is Wayland's, which X11 cannot read")
        number = parse_display(self._env["DISPLAY"])[1]
        return number, read_cookie(self._env, number)


def holds_password() -> ActionFailed:
    """That what was copied is not shown."""
    return ActionFailed(
        "the clipboard holds a password, says the program that it was copied from",
        suggestions=("paste it: press CTRL+V in the field",),
    )


def holds_no_text() -> ActionFailed:
    """The error for copied contents that are not text."""
    return ActionFailed("the clipboard holds no text", suggestions=("something else was copied last",))


class _Reading(Connection):
    """Asks the program that was copied from."""

    def text(self, deadline: float) -> str:
        selection, kept, incremental = self.atoms("CLIPBOARD", "DESKHAND_CLIPBOARD", "INCR")
        (owner,) = self.ask(struct.pack("<BxHI", _GET_OWNER, 2, selection))
        if owner is None or not int.from_bytes(owner[8:12], "little"):
            return ""
        utf8, hint = self.atoms(_TEXTS[0], SECRET)
        if self._convert(selection, hint, kept, deadline) and self._taken(kept)[1] == b"secret":
            raise holds_password()
        for target, encoding in ((utf8, "utf-8"), (_STRING, "latin-1")):
            if self._convert(selection, target, kept, deadline):
                kind, data = self._taken(kept)
                if kind == incremental:
                    data = self._in_parts(kept, deadline)
                return data.decode(encoding, "replace")
        raise holds_no_text()

    def _convert(self, selection: int, target: int, kept: int, deadline: float) -> bool:
        """Ask for the text; whether it came."""
        with self._lock:
            self._send(
                struct.pack("<BxHIIIII", _CONVERT, 6, self._probe_window(), selection, target, kept, 0)
            )
            while self._readable(max(deadline - time.monotonic(), 0)):
                packet = self._read(32)
                if packet[0] & 0x7F == _NOTIFIED:
                    return int.from_bytes(packet[20:24], "little") != 0
        raise UiBusy("the program that was copied from does not hand out its text in time")

    def _taken(self, kept: int) -> tuple[int, bytes]:
        """The type and the value of the property, which is removed."""
        data = b""
        while True:
            wanted = (self._probe_window(), kept, 0, len(data) // 4, _WORD)
            (answer,) = self.ask(struct.pack("<BBHIIIII", _GET_PROPERTY, 1, 6, *wanted))
            if answer is None:
                return 0, data
            kind, more, length = struct.unpack_from("<III", answer, 8)
            data += answer[32 : 32 + length * max(answer[1] // 8, 1)]
            if not more:
                return kind, data

    def _in_parts(self, kept: int, deadline: float) -> bytes:
        """A long text: the owner sends a part once the one before was removed, and finally an empty one."""
        data = b""
        while True:
            kind, part = self._taken(kept)
            if kind and not part:
                return data
            data += part
            if kind:
                deadline = max(deadline, time.monotonic() + 1)
            elif time.monotonic() > deadline:
                raise UiBusy("the program that was copied from does not hand out all of its text in time")
            elif self._readable(_POLL):
                self.events()


class _Owner(Connection):
    """Answers programs that paste, in a thread of its own, until something else is copied."""

    def hold(self, data: bytes, timeout: float) -> None:
        self._data = data
        self._selection, self._targets, *texts = self.atoms("CLIPBOARD", "TARGETS", *_TEXTS)
        self._texts = texts
        window = self._probe_window()
        owned = threading.Event()
        self._send(
            struct.pack("<BxHIII", _SET_OWNER, 4, window, self._selection, 0),
            struct.pack("<BxHI", _GET_OWNER, 2, self._selection),
        )
        self._thread = threading.Thread(
            target=self._serve, args=(window, owned), name="deskhand-clipboard", daemon=True
        )
        self._thread.start()
        if not owned.wait(timeout):
            raise ActionFailed("the display did not make deskhand the owner of the clipboard")

    def wait(self) -> None:
        """Wait until something else was copied, or the connection has ended."""
        self._thread.join()

    def end(self) -> None:
        """Let go; the thread ends."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def _serve(self, window: int, owned: threading.Event) -> None:
        with self, contextlib.suppress(ConnectFailed):
            while True:
                if not self._readable(_CONNECT):
                    continue
                packet = self._read(32)
                kind = packet[0] & 0x7F
                if kind == _REPLY:
                    if int.from_bytes(packet[8:12], "little") != window:
                        return
                    owned.set()
                elif kind == _REQUESTED:
                    self._answer(packet)
                elif kind == _CLEARED:
                    return

    def _answer(self, request: bytes) -> None:
        when, _, requestor, selection, target, kept = struct.unpack_from("<6I", request, 4)
        kept = kept or target  # older programs name no property
        if target == self._targets:
            values = (self._targets, *self._texts)
            self._put(requestor, kept, _ATOM, 32, len(values), struct.pack(f"<{len(values)}I", *values))
        elif target in self._texts:
            self._put(requestor, kept, target, 8, len(self._data), self._data)
        else:
            kept = 0
        event = struct.pack("<BBHIIIII8x", _NOTIFIED, 0, 0, when, requestor, selection, target, kept)
        self._send(struct.pack("<BBHII", _SEND_EVENT, 0, 11, requestor, 0) + event)

    def _put(self, window: int, name: int, kind: int, width: int, count: int, data: bytes) -> None:
        body = struct.pack("<IIIBxxxI", window, name, kind, width, count) + data + bytes(-len(data) % 4)
        self._send(struct.pack("<BBH", _CHANGE_PROPERTY, 0, 1 + len(body) // 4) + body)


HELD = b"held\n"
"""What `main` writes when the text can be pasted."""


def main() -> None:
    """Hold the text on standard input until another one is copied, as a process that outlives its parent."""
    if os.fork():
        os._exit(0)  # the parent does not wait for more than this
    clipboard = Clipboard(os.environ)
    clipboard.write(sys.stdin.buffer.read().decode(), _CONNECT)
    sys.stdout.buffer.write(HELD)
    sys.stdout.buffer.flush()
    clipboard.wait()


if __name__ == "__main__":
    main()
