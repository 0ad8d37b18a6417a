"""What a person did, made of single inputs: clicks, drags, turns of the wheel, typing, and keys.

Knows nothing of elements. Typing keeps key codes, not characters: whether they may be read is known only when
it is known that they did not go into a password field.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from .display import ALT, BUTTON_PRESS, BUTTON_RELEASE, CONTROL, KEY_PRESS, META, SHIFT, Input, Key

_WHEEL = {4: (0, -1), 5: (0, 1), 6: (-1, 0), 7: (1, 0)}
_BUTTONS = {1: "left", 2: "middle", 3: "right"}
_AGAIN = 400
"""Within how many milliseconds a second click makes a double click."""
_NEAR = 5
"""How far the pointer may move for that, or for a click not to be a drag, in pixels."""
_PAUSE = 1.0
"""After which pause in typing what was typed so far is complete, in seconds."""
_TURNED = 0.4
"""The same for the wheel."""
_MODIFIERS = ((CONTROL, "Control"), (ALT, "Alt"), (META, "Meta"), (SHIFT, "Shift"))
EDITING = frozenset(
    (
        "Backspace", "Delete", "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End",
        "Control+a", "Control+v", "Control+x", "Control+z", "Control+y", "Shift+Insert",
        "Shift+ArrowLeft", "Shift+ArrowRight", "Shift+Home", "Shift+End", "Shift+ArrowUp", "Shift+ArrowDown",
        "Control+ArrowLeft", "Control+ArrowRight", "Control+Home", "Control+End", "Control+Backspace",
        "Control+Delete", "Control+Shift+ArrowLeft", "Control+Shift+ArrowRight", "Control+Shift+z",
    )
)  # fmt: skip
"""Keys that edit a text, where one has the focus."""


@dataclass
class Gesture:
    """One of them."""

    began: float
    ended: float
    complete: bool = False
    """Whether nothing that comes can belong to it any more."""


@dataclass
class Pointed(Gesture):
    """A click, or a drag if it ended elsewhere."""

    button: str = "left"
    modifiers: tuple[str, ...] = ()
    x: int = 0
    y: int = 0
    to_x: int = 0
    to_y: int = 0
    count: int = 1
    windows: tuple[int, ...] = ()
    prompt: bool = True
    managed: int = 0
    time: int = 0
    down: bool = True
    """Whether the button is still held."""

    @property
    def dragged(self) -> bool:
        return max(abs(self.to_x - self.x), abs(self.to_y - self.y)) > _NEAR


@dataclass
class Turned(Gesture):
    """The wheel was turned."""

    x: int = 0
    y: int = 0
    dx: int = 0
    dy: int = 0
    windows: tuple[int, ...] = ()


@dataclass
class Typed(Gesture):
    """Keys that write a text or edit one."""

    keys: list[Input] = field(default_factory=list, repr=False)


@dataclass
class Pressed(Gesture):
    """Another key, or a chord."""

    name: str = ""
    key: Input | None = field(default=None, repr=False)


class Recognizer:
    """Makes gestures of inputs. `meaning` says what a key means."""

    def __init__(self, meaning: Callable[[Input], Key]) -> None:
        self._meaning = meaning
        self._open: Gesture | None = None

    @property
    def waiting(self) -> bool:
        """Whether a gesture may still go on."""
        return self._open is not None

    def take(self, event: Input) -> list[Gesture]:
        """The gestures that are new with an input; they may still grow until they are complete."""
        if event.kind == BUTTON_PRESS and event.code in _WHEEL:
            return self._turned(event)
        if event.kind == BUTTON_PRESS:
            return self._down(event)
        if event.kind == BUTTON_RELEASE and event.code not in _WHEEL:
            self._up(event)
        elif event.kind == KEY_PRESS:
            return self._key(event)
        return []

    def pause(self, now: float) -> None:
        """Nothing has happened until now."""
        last = self._open
        if last is None:
            return
        rest = _AGAIN / 1000 if isinstance(last, Pointed) else _TURNED if isinstance(last, Turned) else _PAUSE
        if now - last.ended > rest and not (isinstance(last, Pointed) and last.down):
            self._finish()

    def finish(self) -> None:
        """Nothing more comes."""
        self._finish()

    def _finish(self) -> None:
        if self._open is not None:
            self._open.complete = True
            self._open = None

    def _begin(self, gesture: Gesture) -> list[Gesture]:
        self._finish()
        self._open = gesture
        return [gesture]

    def _down(self, event: Input) -> list[Gesture]:
        last = self._open
        button = _BUTTONS.get(event.code)
        if (
            isinstance(last, Pointed)
            and last.button == button
            and not last.dragged
            and last.count < 3
            and event.time - last.time <= _AGAIN
            and max(abs(event.x - last.x), abs(event.y - last.y)) <= _NEAR
        ):
            last.count += 1
            last.time, last.ended, last.down = event.time, event.at, True
            return []
        if button is None:
            self._finish()
            return []
        gesture = Pointed(event.at, event.at, False, button, _held(event.state), event.x, event.y)
        gesture.to_x, gesture.to_y = event.x, event.y
        gesture.windows, gesture.prompt, gesture.managed = event.windows, event.prompt, event.managed
        gesture.time = event.time
        return self._begin(gesture)

    def _up(self, event: Input) -> None:
        last = self._open
        if isinstance(last, Pointed) and _BUTTONS.get(event.code) == last.button:
            last.to_x, last.to_y, last.ended, last.down = event.x, event.y, event.at, False

    def _turned(self, event: Input) -> list[Gesture]:
        dx, dy = _WHEEL[event.code]
        last = self._open
        if isinstance(last, Turned) and max(abs(event.x - last.x), abs(event.y - last.y)) <= _NEAR:
            last.dx, last.dy, last.ended = last.dx + dx, last.dy + dy, event.at
            return []
        return self._begin(Turned(event.at, event.at, False, event.x, event.y, dx, dy, event.windows))

    def _key(self, event: Input) -> list[Gesture]:
        key = self._meaning(event)
        if key.alone:
            return []
        name = chord(key, event.state)
        if (key.character is not None and name in (key.name, key.character)) or name in EDITING:
            last = self._open
            if isinstance(last, Typed):
                last.keys.append(event)
                last.ended = event.at
                return []
            return self._begin(Typed(event.at, event.at, False, [event]))
        started = self._begin(Pressed(event.at, event.at, False, name, event))
        self._finish()
        return started


def chord(key: Key, state: int) -> str:
    """What `press` calls a key with the modifiers that are held."""
    held = [name for mask, name in _MODIFIERS if state & mask]
    if key.character is not None:
        typed = [name for name in held if name != "Shift"]
        if not typed:
            return key.name
        name = key.name.lower() if len(key.name) == 1 else key.name
        return "+".join([*held, name])
    if key.name.startswith("Shift+"):
        held = [name for name in held if name != "Shift"]
    return "+".join([*held, key.name])


def _held(state: int) -> tuple[str, ...]:
    return tuple(name for mask, name in _MODIFIERS if state & mask)
