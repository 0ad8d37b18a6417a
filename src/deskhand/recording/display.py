"""What a person does with the keyboard and the pointer of an X display, as it happens.

Listens by the RECORD extension, which reports what the devices do whichever program has grabbed them, and
changes and delays nothing. Knows neither elements nor what input is for.
"""

from __future__ import annotations

import contextlib
import struct
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ..adapters.keyboard import KEYSYMS
from ..model.errors import ActionUnsupported, ConnectFailed
from ..x11 import (
    Connection,
    as_child,
    as_children,
    as_focus,
    child_at,
    child_below,
    family,
    input_focus,
    parse_display,
    read_cookie,
)

KEY_PRESS, KEY_RELEASE, BUTTON_PRESS, BUTTON_RELEASE = 2, 3, 4, 5
SHIFT, LOCK, CONTROL, ALT, NUM_LOCK, META = 0x01, 0x02, 0x04, 0x08, 0x10, 0x40
_RECORD = "RECORD"
_ALL_CLIENTS = 3
_FROM_SERVER, _START = 0, 4
_POLL = 0.5
_PROMPT = 0.03
"""How long no program takes to react to a press and open or close a window, in seconds."""
_CLOCK = 1 << 32
_BEHIND = 5000
"""How far our clock may be ahead of what a display reports, in milliseconds, if both are the same clock."""
_KEYMAP, _QUERY_POINTER = 101, 38
_GROUP_SHIFT, _GROUP_MASK = 13, 0x3
_LEVEL_3 = 0x80
"""AltGr, on the keyboards of X servers."""
_DEEPEST = 12
"""How many windows inside each other are looked at: a frame, the window in it, and what toolkits add."""


@dataclass(frozen=True)
class Input:
    """A key or button that went down or up."""

    kind: int
    code: int
    """Of the key or button. Which character a key types is looked up later, and never for a password."""
    state: int
    """The modifiers and buttons that were held before."""
    x: int
    y: int
    at: float
    """When it happened, on the monotonic clock."""
    time: int
    """The same in milliseconds, as the display counts them."""
    windows: tuple[int, ...] = ()
    """Of a button that went down, the windows under the pointer, the outermost first; of a key, the one with
    the focus."""
    prompt: bool = True
    """Whether they were asked for before a program can have reacted."""
    managed: int = 0
    """The one of them that the window manager knows; 0 if it knows none, as of a menu, or was asked late."""
    symbols: tuple[int, ...] = ()
    """Of a key that means something else for a moment: what it means now."""


@dataclass(frozen=True)
class Key:
    """What a key means: a character, or the name of another key."""

    name: str
    character: str | None = None
    alone: bool = False
    """Whether it is a modifier, which does nothing by itself."""


class Listener:
    """Reports all input of a display, in a thread of its own."""

    def __init__(self, env: Mapping[str, str], sink: Callable[[Input], None]) -> None:
        """`env` has DISPLAY and XAUTHORITY; `sink` is called for each input, and must not wait."""
        host, number = parse_display(env.get("DISPLAY", ""))
        cookie = read_cookie(env, number)
        self._sink = sink
        self.failed: str | None = None
        """Why nothing is reported any more, if the display is gone."""
        self._closed = False
        with contextlib.ExitStack() as opened:
            self._control = Connection(number, cookie, host=host)
            opened.callback(self._control.close)
            self._stream = _Stream(number, cookie, host=host)
            opened.callback(self._stream.close)
            first = self._control.first_key
            count = self._control.last_key - first + 1
            self._keys = {first + at: symbols for at, symbols in enumerate(self._learn(first, count))}
            self._stream.begin()
            opened.pop_all()
        self._thread = threading.Thread(target=self._listen, name="deskhand-input", daemon=True)
        self._thread.start()

    @property
    def name(self) -> str:
        """The display's name."""
        return self._control.name

    def close(self) -> None:
        """Stop listening."""
        self._closed = True
        self._thread.join()
        self._stream.close()
        self._control.close()

    def pointer(self) -> tuple[int, int]:
        """Where the pointer is now."""
        (answer,) = self._control.ask(struct.pack("<BxHI", _QUERY_POINTER, 2, self._control.root))
        return (0, 0) if answer is None else struct.unpack_from("<hh", answer, 16)

    def windows_at(self, x: int, y: int) -> tuple[int, ...]:
        """The windows at a point, the outermost first."""
        control = self._control
        found = [as_child(control.ask(child_at(control.root, x, y))[0])]
        while found[-1] and len(found) < _DEEPEST:
            found.append(as_child(control.ask(child_below(control.root, found[-1], x, y))[0]))
        return tuple(window for window in found if window)

    def process_of(self, window: int) -> int:
        """The process that made a window; 0 if that is not known."""
        control = self._control
        return control.process_of(window) or next(iter(control.numbers(window, "_NET_WM_PID")), 0)

    def focused(self) -> int:
        """The window with the keyboard focus."""
        return as_focus(self._control.ask(input_focus())[0])

    def meaning(self, key: Input) -> Key:
        """What a key means with the modifiers that were held."""
        keysym = _keysym(key.symbols or self._keys.get(key.code, ()), key.state)
        if keysym in _MODIFIERS:
            return Key("", alone=True)
        if keysym in _KEYPAD:
            return Key(_KEYPAD[keysym], _KEYPAD[keysym])
        if keysym in _NAMES:
            name = _NAMES[keysym]
            return Key(name, " " if name == "Space" else None)
        character = _character(keysym)
        return Key(character or "", character)

    def _managed(self, windows: tuple[int, ...]) -> tuple[int, ...]:
        return self._control.numbers(self._control.root, "_NET_CLIENT_LIST") if windows else ()

    def _learn(self, first: int, count: int) -> list[tuple[int, ...]]:
        """What some keys mean, one after the other."""
        (answer,) = self._control.ask(struct.pack("<BxHBBxx", _KEYMAP, 2, first, count))
        if answer is None:
            return []
        each = answer[1]
        symbols = struct.unpack_from(f"<{count * each}I", answer, 32)
        return [symbols[at * each : (at + 1) * each] for at in range(count)]

    def _listen(self) -> None:
        while not self._closed:
            try:
                for event in self._stream.reported(_POLL):
                    self._report(event)
            except ConnectFailed as error:
                self.failed = error.message
                return

    def owners(self, windows: tuple[int, ...]) -> set[int]:
        """The processes of windows, and of what is in the first: a frame is the window manager's."""
        inside = as_children(self._control.ask(family(windows[0]))[0]) if windows else ()
        return {self.process_of(window) for window in (*windows, *inside)}

    def _report(self, event: bytes) -> None:
        kind, code = event[0] & 0x7F, event[1]
        stamp = int.from_bytes(event[4:8], "little")
        x, y = struct.unpack_from("<hh", event, 20)
        state = int.from_bytes(event[28:30], "little")
        at = _moment(stamp)
        windows: tuple[int, ...] = ()
        if kind in (BUTTON_PRESS, KEY_PRESS):
            windows = self.windows_at(x, y) if kind == BUTTON_PRESS else (self.focused(),)
        prompt = time.monotonic() - at < _PROMPT
        symbols: tuple[int, ...] = ()
        if kind == KEY_PRESS and not any(self._keys.get(code, ())):
            # A spare key, on which some programs put a character for as long as they type it.
            symbols = next(iter(self._learn(code, 1)), ())
        known = self._managed(windows) if kind == BUTTON_PRESS and prompt else ()
        managed = next((window for window in known if window in windows), 0)
        self._sink(Input(kind, code, state, x, y, at, stamp, windows, prompt, managed, symbols))


class _Stream(Connection):
    """The connection on which a display reports."""

    def begin(self) -> None:
        """Let it report keys and buttons from now on."""
        opcode = self.extension(_RECORD)
        if not opcode:
            raise ActionUnsupported(
                f"the display '{self.name}' cannot report input: it lacks the extension RECORD",
                suggestions=("record on an X display; a Wayland session has none that sees other programs",),
            )
        context = self._new_resource()
        wanted = struct.pack("<18xBB4x", KEY_PRESS, BUTTON_RELEASE)
        self.tell(struct.pack("<BBHIB3xIII", opcode, 1, 6 + 6, context, 0, 1, 1, _ALL_CLIENTS) + wanted)
        self._send(struct.pack("<BBHI", opcode, 5, 2, context))
        if self._one()[1] != _START:
            raise ActionUnsupported(f"the display '{self.name}' refuses to report input")

    def reported(self, timeout: float) -> list[bytes]:
        """What happened, once something has; nothing after so many seconds without."""
        if not self._readable(timeout):
            return []
        reply = self._one()
        if reply[1] != _FROM_SERVER:
            return []
        return [reply[at : at + 32] for at in range(32, len(reply), 32)]

    def _one(self) -> bytes:
        """The next reply; an error is one too."""
        head = self._read(32)
        return head + self._read(4 * int.from_bytes(head[4:8], "little")) if head[0] == 1 else b"\0\xff"


_NAMES = {
    **{symbol: name for name, symbol in KEYSYMS.items()},
    0xFF0D: "Enter", 0xFF09: "Tab",
    0xFF8D: "Enter", 0xFE20: "Shift+Tab", 0xFF51: "ArrowLeft", 0xFF52: "ArrowUp",
    0xFF53: "ArrowRight", 0xFF54: "ArrowDown", 0xFF95: "Home", 0xFF96: "ArrowLeft", 0xFF97: "ArrowUp",
    0xFF98: "ArrowRight", 0xFF99: "ArrowDown", 0xFF9A: "PageUp", 0xFF9B: "PageDown", 0xFF9C: "End",
    0xFF9E: "Insert", 0xFF9F: "Delete", 0xFF67: "ContextMenu",
}  # fmt: skip
"""Keys by the names that `press` takes."""
_KEYPAD = {
    **{0xFFB0 + digit: str(digit) for digit in range(10)},
    0xFFAA: "*", 0xFFAB: "+", 0xFFAC: ",", 0xFFAD: "-", 0xFFAE: ".", 0xFFAF: "/", 0xFFBD: "=", 0xFF80: " ",
}  # fmt: skip
_MODIFIERS = frozenset((*range(0xFFE1, 0xFFEF), *range(0xFE01, 0xFE14), 0xFF7E, 0xFF7F, 0xFF14))


def _moment(stamp: int) -> float:
    """When something happened that a display reports with a time; the displays of Linux have our clock."""
    now = time.monotonic()
    behind = (int(now * 1000) - stamp) % _CLOCK
    return now - behind / 1000 if behind < _BEHIND else now


def _keysym(symbols: tuple[int, ...], state: int) -> int:
    """Which of the symbols of a key is meant with these modifiers held; 0 if it has none."""
    if not any(symbols):
        return 0
    plain, shifted = symbols[0], bool(state & SHIFT)
    if len(symbols) > 1 and symbols[1] in _KEYPAD and 0xFF95 <= plain <= 0xFFAE:
        return symbols[1] if bool(state & NUM_LOCK) != shifted else plain
    first = 4 if state & _LEVEL_3 else 2 * (state >> _GROUP_SHIFT & _GROUP_MASK)
    if first >= len(symbols) or not symbols[first]:
        first = 0
    lower = _character(symbols[first])
    if state & LOCK and lower is not None and lower.isalpha():
        shifted = not shifted
    if not shifted:
        return symbols[first]
    upper = symbols[first + 1] if first + 1 < len(symbols) else 0
    if not upper and lower is not None and len(lower.upper()) == 1:
        return ord(lower.upper())
    return upper or symbols[first]


def _character(keysym: int) -> str | None:
    """What a key symbol types; None if it types nothing, or is not one of Latin 1 or Unicode."""
    if 0x20 <= keysym < 0x7F or 0xA0 <= keysym < 0x100:
        return chr(keysym)
    if keysym >> 24 == 1:
        return chr(keysym & 0xFFFFFF)
    return None
