"""Input sources: what the ticks of an `actions` command do, as operations and pauses between them.

Keys, pointers (pen and touch are pointers) and wheels. A press and a release at the same point are one click,
which waits until its element is ready; a press, one move and a release are a drag.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from ...model import operations as ops
from ...model.node import Node, Rect
from ...model.operations import Action
from ...model.record import dataclass
from ...model.selector import by_uid
from . import keys
from .capabilities import LARGEST, whole
from .errors import WebDriverError

Step: TypeAlias = "Action | float"
"""Something to do, or how many seconds to pause."""

LONGEST = 600.0
"""How long the ticks of one command may take together, in seconds."""
MOST = 10_000
"""How many actions one command may have."""
_NOTCH = 120
"""How many of WebDriver's pixels one notch of a wheel stands for."""
_FARTHEST = 32767
_BUTTONS = ("left", "middle", "right")
_MOUSE_DOWN, _MOUSE_UP = "pointerDown", "pointerUp"
_TOGETHER = 0.5
"""How far apart the clicks of a double click may be, in seconds."""


@dataclass(frozen=True)
class Spot:
    """Where a pointer is: at a point of the screen, and of the element that it was moved to."""

    x: float = 0.0
    y: float = 0.0
    uid: str | None = None
    dx: float | None = None
    """From the element's top left corner; None for its middle."""
    dy: float | None = None

    @property
    def point(self) -> dict[str, Any]:
        """The parameters of an operation there."""
        if self.uid is not None:
            return {"target": by_uid(self.uid), "x": self.dx, "y": self.dy}
        return {"x": self.x, "y": self.y}


class Input:
    """What a session's input sources hold between commands."""

    def __init__(self) -> None:
        self.held: frozenset[str] = frozenset()
        """Modifiers."""
        self.spots: dict[str, Spot] = {}
        self.pressed: dict[str, tuple[str, ...]] = {}
        """The buttons that each pointer holds."""
        self.kinds: dict[str, str] = {}

    def release(self, timeout: float) -> list[Step]:
        """What releases everything, the last first."""
        steps: list[Step] = [
            ops.MouseUp(button=button, timeout=timeout, modifiers=_ordered(self.held))
            for pointer in reversed(self.pressed)
            for button in reversed(self.pressed[pointer])
        ]
        self.held, self.spots, self.pressed, self.kinds = frozenset(), {}, {}, {}
        return steps


def steps_of(
    body: Mapping[str, Any],
    state: Input,
    node_of: Callable[[Any], Node],
    origin: Rect | None,
    timeout: float,
) -> list[Step]:
    """What the ticks of a command do. The state is changed only if all of them can be read.

    `node_of` gives the node of an element reference; `origin` is the window, whose top left corner is that
    of the viewport; `timeout` is how long an element may take to be ready.
    """
    sources = _sources(body, state)
    reader = _Ticks(state, node_of, origin, timeout)
    length = max((len(actions) for _, _, actions in sources), default=0)
    for tick in range(length):
        reader.tick([(id_, kind, acts[tick]) for id_, kind, acts in sources if tick < len(acts)])
    if reader.duration > LONGEST:
        raise WebDriverError(
            "invalid argument", f"the ticks take {reader.duration:g} s, and may take {LONGEST:g} s"
        )
    state.held, state.spots, state.pressed = reader.held, reader.spots, reader.pressed
    state.kinds |= {id_: kind for id_, kind, _ in sources}
    return _merged(reader.steps)


def _sources(body: Mapping[str, Any], state: Input) -> list[tuple[str, str, Sequence[Mapping[str, Any]]]]:
    given = body.get("actions")
    if not isinstance(given, list):
        raise WebDriverError("invalid argument", "'actions' must be a list")
    found: list[tuple[str, str, Sequence[Mapping[str, Any]]]] = []
    for source in given:
        if not isinstance(source, dict) or source.get("type") not in ("none", "key", "pointer", "wheel"):
            raise WebDriverError("invalid argument", "an input source is of type none, key, pointer or wheel")
        id_, kind, actions = source.get("id"), source["type"], source.get("actions")
        if not isinstance(id_, str) or not isinstance(actions, list):
            raise WebDriverError("invalid argument", "an input source has an 'id' and a list of 'actions'")
        if state.kinds.get(id_, kind) != kind or any(id_ == other for other, _, _ in found):
            raise WebDriverError(
                "invalid argument", f"the input source '{id_[:60]}' exists with another type"
            )
        pointer = source.get("parameters", {})
        if kind == "pointer" and (
            not isinstance(pointer, dict)
            or pointer.get("pointerType", "mouse") not in ("mouse", "pen", "touch")
        ):
            raise WebDriverError("invalid argument", "a pointer is a mouse, pen or touch")
        if not all(isinstance(action, dict) for action in actions):
            raise WebDriverError("invalid argument", "an action is an object")
        found.append((id_, kind, actions))
    if sum(len(actions) for _, _, actions in found) > MOST:
        raise WebDriverError("invalid argument", f"a command may have {MOST} actions")
    return found


class _Ticks:
    """Reads ticks one after the other."""

    def __init__(
        self, state: Input, node_of: Callable[[Any], Node], origin: Rect | None, timeout: float
    ) -> None:
        self.held = state.held
        self.spots = dict(state.spots)
        self.pressed = dict(state.pressed)
        self.steps: list[Step] = []
        self.duration = 0.0
        self._node_of = node_of
        self._origin = Rect(0, 0, 0, 0) if origin is None else origin
        self._timeout = timeout

    def tick(self, actions: Sequence[tuple[str, str, Mapping[str, Any]]]) -> None:
        """One action of each source, at the same time; it takes as long as the longest of them."""
        longest = 0.0
        for id_, kind, action in actions:
            name = action.get("type")
            if "duration" in action and action["duration"] is not None:
                longest = max(longest, whole(action["duration"], "a duration") / 1000)
            if name == "pause":
                continue
            read = getattr(self, f"_{kind}", None)
            if read is None:
                raise _no_action(kind, name)
            read(id_, name, action)
        if longest:
            self.steps.append(longest)
            self.duration += longest

    def _key(self, _: str, name: Any, action: Mapping[str, Any]) -> None:
        value = action.get("value")
        if name not in ("keyDown", "keyUp"):
            raise _no_action("key", name)
        if not isinstance(value, str) or not value or _characters(value) != 1:
            raise WebDriverError("invalid argument", "the 'value' of a key is one character")
        stroke = keys.stroke(value)
        if stroke is None:
            raise WebDriverError("unsupported operation", f"there is no key U+{ord(value[0]):04X} here")
        if stroke.kind == "modifier":
            self.held = self.held | {stroke.name} if name == "keyDown" else self.held - {stroke.name}
        elif stroke.kind == "release":
            self.held = frozenset()
        elif name == "keyDown" and stroke.kind == "text" and not self.held:
            self.steps.append(ops.TypeText(text=stroke.name, timeout=self._timeout))
        elif name == "keyDown":
            self.steps.append(ops.Key(keys=keys.chord(self.held, stroke.name), timeout=self._timeout))

    def _pointer(self, id_: str, name: Any, action: Mapping[str, Any]) -> None:
        if name == "pointerMove":
            spot = self._spot(action, self.spots.get(id_, Spot()))
            self.spots[id_] = spot
            self.steps.append(ops.Hover(timeout=self._timeout, **spot.point))
        elif name in (_MOUSE_DOWN, _MOUSE_UP):
            self._button(id_, name, action)
        elif name == "pointerCancel":
            raise WebDriverError("unsupported operation", "no desktop can cancel what a pointer does")
        else:
            raise _no_action("pointer", name)

    def _button(self, id_: str, name: str, action: Mapping[str, Any]) -> None:
        number = whole(action.get("button"), "a button")
        if number >= len(_BUTTONS):
            raise WebDriverError("unsupported operation", f"there is no mouse button {number} here")
        button, held = _BUTTONS[number], self.pressed.get(id_, ())
        spot, modifiers = self.spots.get(id_, Spot()), _ordered(self.held)
        if name == _MOUSE_DOWN and button not in held:
            self.pressed[id_] = (*held, button)
            self.steps.append(
                ops.MouseDown(button=button, modifiers=modifiers, timeout=self._timeout, **spot.point)
            )
        elif name == _MOUSE_UP and button in held:
            self.pressed[id_] = tuple(other for other in held if other != button)
            self.steps.append(
                ops.MouseUp(button=button, modifiers=modifiers, timeout=self._timeout, **spot.point)
            )

    def _wheel(self, _: str, name: Any, action: Mapping[str, Any]) -> None:
        if name != "scroll":
            raise _no_action("wheel", name)
        dx, dy = (_integer(action.get(each), each) for each in ("deltaX", "deltaY"))
        spot = self._spot(action, Spot())
        target = None if spot.uid is None else by_uid(spot.uid)
        if target is None:
            self.steps.append(ops.Hover(timeout=self._timeout, **spot.point))
        self.steps.append(ops.Scroll(target, dx=_notches(dx), dy=_notches(dy), timeout=self._timeout))

    def _spot(self, action: Mapping[str, Any], before: Spot) -> Spot:
        """Where an action moves a pointer to."""
        x, y = (_coordinate(action.get(each), each) for each in ("x", "y"))
        origin = action.get("origin", "viewport")
        if origin == "viewport":
            if x < 0 or y < 0:
                raise WebDriverError("move target out of bounds", f"{x:g},{y:g} is outside the viewport")
            spot = Spot(self._origin.x + x, self._origin.y + y)
        elif origin == "pointer":
            spot = Spot(before.x + x, before.y + y)
        elif isinstance(origin, dict):
            node = self._node_of(origin)
            if node.bounds is None:
                raise WebDriverError("move target out of bounds", f"{node} has no bounds")
            left, top, width, height = node.bounds
            dx, dy = (None if not x else width / 2 + x), (None if not y else height / 2 + y)
            spot = Spot(left + width / 2 + x, top + height / 2 + y, node.uid, dx, dy)
            if not (0 <= width / 2 + x <= width and 0 <= height / 2 + y <= height):
                spot = Spot(spot.x, spot.y)
        else:
            raise WebDriverError("invalid argument", "an origin is viewport, pointer or an element")
        if not (0 <= spot.x <= _FARTHEST and 0 <= spot.y <= _FARTHEST):
            raise WebDriverError("move target out of bounds", f"{spot.x:g},{spot.y:g} is not on any screen")
        return spot


def _merged(steps: Sequence[Step]) -> list[Step]:
    """The same with clicks, drags and runs of text as one operation each."""
    found: list[Step] = []
    at = 0
    while at < len(steps):
        step = steps[at]
        if isinstance(step, ops.MouseDown):
            at += _press(steps[at:], found)
            continue
        last = found[-1] if found else None
        if isinstance(step, ops.TypeText) and isinstance(last, ops.TypeText):
            found[-1] = replace(last, text=last.text + step.text)
        else:
            found.append(step)
        at += 1
    return found


def _press(steps: Sequence[Step], found: list[Step]) -> int:
    """Add what begins with the press of a button; how many steps that takes."""
    down = steps[0]
    assert isinstance(down, ops.MouseDown)
    moves: list[ops.Hover] = []
    pause = 0.0
    for at, step in enumerate(steps[1:], 1):
        if isinstance(step, float):
            pause += step
        elif isinstance(step, ops.Hover):
            moves.append(step)
        elif isinstance(step, ops.MouseUp) and step.button == down.button:
            if not moves and pause <= _TOGETHER:
                _click(down, found)
                return at + 1
            if len(moves) == 1:
                found.append(_drag(down, moves[0]))
                if pause:
                    found.append(pause)
                return at + 1
            break
        else:
            break
    found.append(down)
    return 1


def _click(down: ops.MouseDown, found: list[Step]) -> None:
    """Add a click, or make the one before it a double click."""
    last = found[-1] if found else None
    same = (
        isinstance(last, ops.Click)
        and last.count < 3
        and (
            (last.target, last.x, last.y, last.button, last.modifiers)
            == (down.target, down.x, down.y, down.button, down.modifiers)
        )
    )
    if same and isinstance(last, ops.Click):
        found[-1] = replace(last, count=last.count + 1)
        return
    found.append(
        ops.Click(down.target, down.timeout, button=down.button, modifiers=down.modifiers, x=down.x, y=down.y)
    )


def _drag(down: ops.MouseDown, move: ops.Hover) -> ops.Drag:
    return ops.Drag(
        down.target,
        down.timeout,
        to=move.target,
        to_x=move.x,
        to_y=move.y,
        x=down.x,
        y=down.y,
        button=down.button,
        modifiers=down.modifiers,
    )


def _ordered(held: frozenset[str]) -> tuple[str, ...]:
    return tuple(modifier for modifier in ops.MODIFIERS if modifier in held)


def _notches(pixels: int) -> float:
    return math.copysign(math.ceil(abs(pixels) / _NOTCH), pixels) if pixels else 0.0


def _coordinate(value: Any, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) <= LARGEST:
        raise WebDriverError("invalid argument", f"'{name}' must be a number")
    return float(value)


def _integer(value: Any, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not abs(value) <= _FARTHEST * _NOTCH:
        raise WebDriverError("invalid argument", f"'{name}' must be a whole number")
    return value


def _characters(text: str) -> int:
    """How many characters a person sees, as far as that is simple: marks belong to what they follow."""
    import unicodedata

    return sum(not unicodedata.combining(each) for each in text)


def _no_action(kind: str, name: Any) -> WebDriverError:
    return WebDriverError("invalid argument", f"a source of type {kind} has no action {str(name)[:60]!r}")
