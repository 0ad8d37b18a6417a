"""Real keyboard and pointer input on an X display (XTEST), any character included.

A character that no key types is put on a spare key for the while. Programs learn of that by an event and take
a moment; the mapping stays, so that the moment is needed once for each character.
"""

from __future__ import annotations

import struct
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

from ..model.errors import ActionUnsupported, NotVisible, Refused
from ..model.keys import Chord, parse
from .display import Display
from .fence import Fence
from .performer import path

_KEY_PRESS, _KEY_RELEASE, _BUTTON_PRESS, _BUTTON_RELEASE, _MOTION = 2, 3, 4, 5, 6
BUTTONS = {"left": 1, "middle": 2, "right": 3}
_WHEEL = {"up": 4, "down": 5, "left": 6, "right": 7}
_LEARN = 0.04
"""How long programs may take to learn of a changed key, in seconds."""
_HELD_BACK = 2.0
"""How long a window manager may look at a click before it passes it on, in seconds."""

_FARTHEST = 0x7FFF
"""The largest coordinate that X11 knows."""

KEYSYMS = {
    "Return": 0xFF0D, "Tab": 0xFF09, "Backtab": 0xFF09, "Escape": 0xFF1B, "Space": 0x20, "Delete": 0xFFFF,
    "Backspace": 0xFF08, "Left": 0xFF51, "Up": 0xFF52, "Right": 0xFF53, "Down": 0xFF54, "Home": 0xFF50,
    "End": 0xFF57, "PageUp": 0xFF55, "PageDown": 0xFF56, "Insert": 0xFF63, "Menu": 0xFF67, "Pause": 0xFF13,
    "Print": 0xFF61, "Clear": 0xFF0B, "Help": 0xFF6A, "CapsLock": 0xFFE5, "NumLock": 0xFF7F,
    "ScrollLock": 0xFF14, "Back": 0x1008FF26, "Forward": 0x1008FF27, "Refresh": 0x1008FF29,
    "VolumeUp": 0x1008FF13, "VolumeDown": 0x1008FF11, "VolumeMute": 0x1008FF12, "MediaPlay": 0x1008FF14,
    "Control": 0xFFE3, "Shift": 0xFFE1, "Alt": 0xFFE9, "Meta": 0xFFEB,
    **{f"F{number}": 0xFFBD + number for number in range(1, 36)},
}  # fmt: skip
_MODIFIERS = {"ctrl": 0xFFE3, "shift": 0xFFE1, "alt": 0xFFE9, "meta": 0xFFEB}
_CONTROLS = {"\n": 0xFF0D, "\r": 0xFF0D, "\t": 0xFF09, "\b": 0xFF08}


class Input:
    """The keyboard and the pointer of a display."""

    def __init__(self, display: Display) -> None:
        if not display.can_fake:
            raise ActionUnsupported("this display lacks the extension XTEST: no real input can be made")
        self._display = display
        self.fence: Fence | None = None
        """What input must not go beyond, if anything."""
        self._at = (0.0, 0.0)
        self._keys: dict[int, tuple[int, bool]] = {}
        self._spare: list[int] = []
        self._lent: OrderedDict[int, int] = OrderedDict()
        self._per_key = 0
        self.last_key = 0.0
        """When a key was pressed last, on the monotonic clock."""
        self._learn_keyboard()

    # -- keyboard ------------------------------------------------------------------------------

    def type(self, text: str, learned: Callable[[], None] | None = None) -> None:
        """Type a text. `learned` returns when the program has taken in that keys mean something else."""
        at = 0
        while at < len(text):
            # As many characters at once as spare keys can be had for.
            part, missing = _portion(text, at, self._known, max(1, len(self._spare)))
            if self._lend(missing) and learned is not None:
                learned()
            for number, character in enumerate(part):
                try:
                    self._stroke(*self._key(_keysym(character)))
                except Refused as error:
                    done = at + number
                    error.message = f"{done} of {len(text)} characters were typed; then {error.message}"
                    error.args = (error.message,)
                    raise
            at += len(part)
        self.last_key = time.monotonic()

    def chord(self, keys: str | Chord) -> None:
        """Press a chord such as ctrl+s."""
        chord = parse(keys) if isinstance(keys, str) else keys
        keysym = KEYSYMS.get(chord.key or "") if chord.key else _keysym(chord.text or "")
        if keysym is None:
            name = "+".join((*chord.modifiers, chord.key or chord.text or ""))
            raise ActionUnsupported(f"X11 has no key for '{name}'", target=name)
        if not self._known(keysym):
            self._lend([keysym])
        held = [*chord.modifiers, *(["shift"] if chord.key == "Backtab" else [])]
        code, shifted = self._key(keysym)
        if shifted and "shift" not in held:
            held.append("shift")
        with self._for_keys():
            self._hold(held, True)
            self._display.fake((_KEY_PRESS, code, 0, 0), (_KEY_RELEASE, code, 0, 0))
            self._hold(held, False)
        self.last_key = time.monotonic()

    def _hold(self, modifiers: list[str] | tuple[str, ...], down: bool) -> None:
        kind = _KEY_PRESS if down else _KEY_RELEASE
        events = [(kind, self._key(_MODIFIERS[name])[0], 0, 0) for name in modifiers]
        if events:
            self._display.fake(*(events if down else reversed(events)))

    def _stroke(self, code: int, shifted: bool) -> None:
        events = [(_KEY_PRESS, code, 0, 0), (_KEY_RELEASE, code, 0, 0)]
        if shifted:
            shift = self._key(_MODIFIERS["shift"])[0]
            events = [(_KEY_PRESS, shift, 0, 0), *events, (_KEY_RELEASE, shift, 0, 0)]
        with self._for_keys():
            self._display.fake(*events)

    def _for_keys(self) -> AbstractContextManager[None]:
        return nullcontext() if self.fence is None else self.fence.keys()

    def _for_pointer(self) -> AbstractContextManager[None]:
        """For what the pointer does where it is."""
        return nullcontext() if self.fence is None else self.fence.pointer(*self._at)

    def _known(self, keysym: int) -> bool:
        return keysym in self._keys or keysym in self._lent

    def _key(self, keysym: int) -> tuple[int, bool]:
        if keysym in self._keys:
            return self._keys[keysym]
        if keysym in self._lent:
            self._lent.move_to_end(keysym)
            return self._lent[keysym], False
        raise ActionUnsupported(f"no key of this keyboard types {chr(keysym & 0xFFFFFF)!r}")

    def _lend(self, keysyms: list[int]) -> bool:
        """Put characters on spare keys; the ones used longest ago give way. False if none is new."""
        new = [keysym for keysym in keysyms if not self._known(keysym)]
        if not new:
            return False
        if not self._spare:
            raise ActionUnsupported("this keyboard has no spare key for characters that no key types")
        requests = []
        for keysym in new:
            if len(self._lent) < len(self._spare):
                code = self._spare[len(self._lent)]
            else:
                code = self._lent.popitem(last=False)[1]
            self._lent[keysym] = code
            requests.append(self._mapping(code, keysym))
        self._display.tell(*requests)
        time.sleep(_LEARN)  # programs take in the change when their loop comes round; nothing says when
        return True

    def _mapping(self, code: int, keysym: int) -> bytes:
        symbols = [keysym, keysym] + [0] * (self._per_key - 2)
        return struct.pack("<BBHBBxx", 100, 1, 2 + self._per_key, code, self._per_key) + struct.pack(
            f"<{self._per_key}I", *symbols[: self._per_key]
        )

    def _learn_keyboard(self) -> None:
        display = self._display
        count = display.last_key - display.first_key + 1
        (answer,) = display.ask(struct.pack("<BxHBBxx", 101, 2, display.first_key, count))
        if answer is None:
            raise ActionUnsupported("the display does not tell what its keys are")
        self._per_key = per_key = answer[1]
        symbols = struct.unpack_from(f"<{count * per_key}I", answer, 32)
        for number in range(count):
            code = display.first_key + number
            own = symbols[number * per_key : (number + 1) * per_key]
            if not any(own):
                self._spare.append(code)
            for level in (0, 1):
                if level < len(own) and own[level]:
                    self._keys.setdefault(own[level], (code, level == 1))
        self._spare = self._spare[-24:]

    # -- pointer -------------------------------------------------------------------------------

    def move(self, x: float, y: float) -> None:
        self._insist_on_screen(x, y)
        self._at = (x, y)
        with self._for_pointer():
            self._display.fake((_MOTION, 0, round(x), round(y)))

    def _insist_on_screen(self, x: float, y: float) -> None:
        if max(abs(x), abs(y)) > _FARTHEST:
            raise NotVisible(
                f"the point {x:g}, {y:g} is not on any screen; its program may not know yet where it is",
                out_of_sight=True,
            )

    def press(self, button: str, modifiers: tuple[str, ...] = ()) -> None:
        with self._for_pointer():
            self._hold(list(modifiers), True)
            self._display.fake((_BUTTON_PRESS, BUTTONS[button], 0, 0))

    def release(self, button: str, modifiers: tuple[str, ...] = ()) -> None:
        self._display.fake((_BUTTON_RELEASE, BUTTONS[button], 0, 0))
        self._passed_on(button)
        self._hold(list(modifiers), False)

    def click(
        self, x: float, y: float, button: str = "left", count: int = 1, modifiers: tuple[str, ...] = ()
    ) -> None:
        self.move(x, y)
        number = BUTTONS[button]
        with self._for_pointer():
            self._hold(list(modifiers), True)
            self._display.fake(
                *[(kind, number, 0, 0) for _ in range(count) for kind in (_BUTTON_PRESS, _BUTTON_RELEASE)]
            )
        self._passed_on(button)
        self._hold(list(modifiers), False)

    def _passed_on(self, button: str) -> None:
        """Wait until the release of a button came through.

        Window managers look at a click before the program does, and keys that are pressed meanwhile would
        overtake it.
        """
        deadline = time.monotonic() + _HELD_BACK
        while self._display.is_down(BUTTONS[button]) and time.monotonic() < deadline:
            time.sleep(0.002)  # the display does not announce it

    def drag(
        self,
        start: tuple[float, float],
        end: tuple[float, float],
        button: str,
        steps: int,
        modifiers: tuple[str, ...],
    ) -> None:
        if self.fence is not None:
            with self.fence.pointer(*end):
                pass  # better before it begins than at its end
        self.move(*start)
        self.press(button, modifiers)
        for x, y in path(start, end, steps):
            self._insist_on_screen(x, y)
            self._display.fake((_MOTION, 0, round(x), round(y)))
            time.sleep(0.005)  # toolkits drop movements that come all at once
        try:
            self.move(*end)
        except Refused:
            # Another window came there meanwhile: nothing is dropped on it.
            self._display.fake((_MOTION, 0, round(start[0]), round(start[1])))
            raise
        finally:
            self.release(button, modifiers)

    def wheel(self, x: float, y: float, dx: float, dy: float) -> None:
        """Turn the wheel over a point, in notches; down and right are positive."""
        self.move(x, y)
        for amount, less, more in ((dy, "up", "down"), (dx, "left", "right")):
            number = _WHEEL[more if amount > 0 else less]
            for _ in range(min(1000, round(abs(amount)))):
                with self._for_pointer():
                    self._display.fake((_BUTTON_PRESS, number, 0, 0), (_BUTTON_RELEASE, number, 0, 0))

    def close(self) -> None:
        """Take back what was put on spare keys."""
        if self._lent:
            self._display.tell(*(self._mapping(code, 0) for code in self._lent.values()))
            self._lent.clear()


def _keysym(character: str) -> int:
    if character in _CONTROLS:
        return _CONTROLS[character]
    code = ord(character)
    return code if 0x20 <= code < 0x7F or 0xA0 <= code < 0x100 else 0x01000000 | code


def _portion(text: str, at: int, known: object, room: int) -> tuple[str, list[int]]:
    """What can be typed with so many new keys: the characters, and those that need a key."""
    assert callable(known)
    missing: dict[int, None] = {}
    end = at
    while end < len(text):
        keysym = _keysym(text[end])
        if not known(keysym) and keysym not in missing:
            if len(missing) == room:
                break
            missing[keysym] = None
        end += 1
    return text[at:end], list(missing)
