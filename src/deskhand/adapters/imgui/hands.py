"""Mouse and keyboard, through Dear ImGui's own queue of input. On the GUI thread, before a frame begins.

The position of the pointer goes with every event of a button, and is repeated with every frame for as long as
the real pointer stays where it was: backends tell the real one again and again.
"""

from __future__ import annotations

from typing import Any

from ...model.errors import InvalidKey
from ...model.keys import Chord
from .record import point

_BUTTONS = {"left": 0, "right": 1, "middle": 2}
_NAMED = {
    "Return": "enter", "Escape": "escape", "Tab": "tab", "Space": "space", "Delete": "delete",
    "Backspace": "backspace", "Left": "left_arrow", "Right": "right_arrow", "Up": "up_arrow",
    "Down": "down_arrow", "Home": "home", "End": "end", "PageUp": "page_up", "PageDown": "page_down",
    "Insert": "insert", "Menu": "menu", "Pause": "pause", "Print": "print_screen", "CapsLock": "caps_lock",
    "NumLock": "num_lock", "ScrollLock": "scroll_lock", "Back": "app_back", "Forward": "app_forward",
    "Control": "left_ctrl", "Shift": "left_shift", "Alt": "left_alt", "Meta": "left_super",
    **{f"F{number}": f"f{number}" for number in range(1, 25)},
}  # fmt: skip
_SIGNS = {
    "'": "apostrophe", ",": "comma", "-": "minus", ".": "period", "/": "slash", ";": "semicolon",
    "=": "equal", "[": "left_bracket", "\\": "backslash", "]": "right_bracket", "`": "grave_accent",
    "+": "equal", "_": "minus", ":": "semicolon", "?": "slash", '"': "apostrophe", "<": "comma",
    ">": "period", "{": "left_bracket", "}": "right_bracket", "|": "backslash", "~": "grave_accent",
    "!": "_1", "@": "_2", "#": "_3", "$": "_4", "%": "_5", "^": "_6", "&": "_7", "*": "_8", "(": "_9",
    ")": "_0",
}  # fmt: skip
_MODIFIERS = {
    "ctrl": ("mod_ctrl", "left_ctrl"),
    "shift": ("mod_shift", "left_shift"),
    "alt": ("mod_alt", "left_alt"),
    "meta": ("mod_super", "left_super"),
}
_LONG = 1e6
"""So many seconds that nothing takes longer."""


class Hands:
    """What is held, and where the pointer is, of one context."""

    def __init__(self, imgui: Any, context: Any) -> None:
        self._imgui = imgui
        self._context = context
        self._io = context.io
        self.at: tuple[float, float] | None = None
        """Where we put the pointer, in Dear ImGui's own coordinates; None while the real one has it."""
        self._buttons: set[int] = set()
        self._keys: list[Any] = []
        self._delays = self._io.mouse_double_click_time, self._io.mouse_single_click_delay
        self._real: tuple[float, float] | None = None
        """Where the real pointer was when it was looked at last."""
        self._sent = 0
        """The number of the event that follows the last one of ours."""
        self.acted = False
        """Whether the action pressed or typed anything yet."""
        self.busy = False
        """Whether an action is being played, which nothing may disturb."""

    @property
    def pending(self) -> bool:
        """Whether Dear ImGui has not taken in all that was sent yet: it takes some events one by frame."""
        queue = self._context.input_events_queue
        return len(queue) > 0 and queue[0].event_id < self._sent

    def keep_pointer(self, real: tuple[float, float] | None) -> None:
        """Say again where the pointer is, unless its user moved it meanwhile. Before each frame."""
        if self.at is None:
            self._real = real or self._real
        elif self.busy or real in (None, self._real):
            if len(self._context.input_events_queue):
                point(self._io, *self.at)
        else:
            self.at, self._real = None, real

    def take_real_pointer(self, x: float, y: float) -> bool:
        """A backend in Python reports where the real pointer is: whether Dear ImGui is to get that too."""
        moved, self._real = (x, y) != self._real, (x, y)
        if self.at is not None and moved and not self.busy:
            self.at = None
        return self.at is None

    def move(self, x: float, y: float) -> None:
        self.at = (x, y)
        point(self._io, x, y)

    def press(self, button: str, clicks: int = 1) -> None:
        """Hold a button. A second click is one however long it takes, and a first one never is the second."""
        self.acted = True
        number = _BUTTONS[button]
        self._io.mouse_double_click_time, self._io.mouse_single_click_delay = (
            (-1.0, self._delays[1]) if clicks == 1 else (_LONG, 2 * _LONG)
        )
        self._point()
        self._io.add_mouse_button_event(number, True)
        self._buttons.add(number)

    def release(self, button: str) -> None:
        number = _BUTTONS[button]
        self._point()
        self._io.add_mouse_button_event(number, False)
        self._buttons.discard(number)

    def wheel(self, dx: float, dy: float) -> None:
        self.acted = True
        self._point()
        self._io.add_mouse_wheel_event(dx, dy)

    def hold(self, modifiers: tuple[str, ...]) -> None:
        for modifier in modifiers:
            for name in _MODIFIERS[modifier]:
                self._key(name, True)

    def let_go(self, modifiers: tuple[str, ...]) -> None:
        for modifier in reversed(modifiers):
            for name in reversed(_MODIFIERS[modifier]):
                self._key(name, False)

    def key_of(self, chord: Chord) -> str:
        """The name that Dear ImGui has for a key; InvalidKey if it has none."""
        if chord.key is not None:
            name = "tab" if chord.key == "Backtab" else _NAMED.get(chord.key)
        else:
            text = (chord.text or "").lower()
            name = f"_{text}" if text.isdecimal() and text.isascii() else _SIGNS.get(text, text)
            if not hasattr(self._imgui.Key, name or "?"):
                name = None
        if name is None:
            raise InvalidKey(
                f"Dear ImGui has no key '{chord.key or chord.text}'",
                field="keys",
                suggestions=("type it as text",),
            )
        return name

    def key(self, name: str, down: bool) -> None:
        self.acted = True
        self._key(name, down)

    def characters(self, text: str) -> None:
        self.acted = True
        self._io.add_input_characters_utf8(text)

    def rest(self) -> None:
        """Let go of everything, and let double clicks be what they were."""
        for number in sorted(self._buttons):
            self._io.add_mouse_button_event(number, False)
        for key in reversed(self._keys):
            self._io.add_key_event(key, False)
        self._buttons.clear()
        self._keys.clear()
        self.settle()

    def sent(self) -> None:
        """What was sent so far is waited for."""
        self._sent = self._context.input_events_next_event_id

    def settle(self) -> None:
        """Let double clicks of the user be what they were."""
        self._io.mouse_double_click_time, self._io.mouse_single_click_delay = self._delays

    def _point(self) -> None:
        if self.at is not None:
            point(self._io, *self.at)

    def _key(self, name: str, down: bool) -> None:
        key = getattr(self._imgui.Key, name)
        self._io.add_key_event(key, down)
        if down:
            self._keys.append(key)
        elif key in self._keys:
            self._keys.remove(key)
