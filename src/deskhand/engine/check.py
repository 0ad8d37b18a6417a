"""Refuses an operation that is invalid for every program, before anything is read or asked."""

from __future__ import annotations

from typing import Any

from ..model import keys
from ..model import operations as ops
from ..model.alike import alike
from ..model.errors import InvalidParams
from ..model.operations import Action, Operation
from ..model.selector import parse
from . import wait

_ANYWHERE = (
    ops.Click, ops.Hover, ops.MouseDown, ops.MouseUp, ops.Drag, ops.TypeText, ops.Key, ops.Scroll,
    ops.ControlWindow,
)  # fmt: skip
"""Actions that need no target: they are about a point, the focus or the main window."""
_AS_LONG_AS_NEEDED = (ops.Execute, ops.WaitChange)
"""A command, and what a protocol whose timeouts are in milliseconds waits with: these may take hours."""
_LARGEST_IMAGE = 16384
_FARTHEST = 32767
"""How far a screen reaches, and how large a window is, at most: displays count in 16 bits."""


def check(operation: Operation[Any]) -> None:
    """Raise InvalidParams that says what is wrong; SelectorError if it is a selector."""
    match operation:
        case ops.Wait():
            wait.check(operation)
        case ops.ReadTree():
            for name in ("depth", "max_nodes", "since"):
                number = getattr(operation, name)
                if number is not None and number < 0:
                    raise InvalidParams(f"'{name}' must be 0 or more, not {number}", field=name)
        case ops.WaitChange() if operation.timeout < 0 or operation.poll <= 0:
            raise InvalidParams("a timeout is 0 or more, a poll interval more than 0", field="timeout")
        case ops.Viewport3d() if not (
            0 < operation.width <= _LARGEST_IMAGE and 0 < operation.height <= _LARGEST_IMAGE
        ):
            raise InvalidParams(
                f"an image is 1 to {_LARGEST_IMAGE} pixels wide and high, "
                f"not {operation.width} and {operation.height}",
                field="width",
            )
        case ops.Screenshot(desktop=True, target=str(target)):
            raise InvalidParams(
                f"a screenshot is of the desktop or of '{target}'; give one of them", field="desktop"
            )
        case ops.Find(limit=limit) if limit < 1:
            raise InvalidParams(f"'limit' must be 1 or more, not {limit}", field="limit")
        case ops.OpenFiles(paths=()):
            raise InvalidParams("no file was named", field="paths")
        case ops.SetClipboard(text=text):
            _check_text(text)
        case Action():
            _check_action(operation)
    if isinstance(operation, ops.Find) and operation.native:
        return  # what its target may be, only the toolkit knows
    for name in ("target", "to"):
        if (selector := getattr(operation, name, None)) is not None:
            parse(selector)

    if not isinstance(operation, _AS_LONG_AS_NEEDED):
        ops.check_timeout(getattr(operation, "timeout", None))


def _check_text(text: object) -> None:
    if not isinstance(text, str):
        raise InvalidParams(f"'text' is a string, not {type(text).__name__}", field="text")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        # What an argument of a command holds that is not UTF-8.
        raise InvalidParams(f"'text' cannot be written in UTF-8: {error.reason}", field="text") from None


def _check_action(action: Action) -> None:
    if (button := getattr(action, "button", "left")) not in ops.BUTTONS:
        raise InvalidParams(f"no mouse button '{button}'; there are {', '.join(ops.BUTTONS)}", field="button")
    for modifier in getattr(action, "modifiers", ()):
        if modifier not in ops.MODIFIERS:
            raise InvalidParams(
                f"no modifier '{modifier}'; there are {', '.join(ops.MODIFIERS)}", field="modifiers"
            )
    match action:
        case ops.Click(count=count) if not 1 <= count <= 3:
            raise InvalidParams(f"'count' must be 1, 2 or 3, not {count}", field="count")
        case ops.Select():
            given = [name for name in ("value", "index", "text") if getattr(action, name) is not None]
            if len(given) != 1:
                raise InvalidParams(
                    f"exactly one of value, index and text is needed, not {' and '.join(given) or 'none'}",
                    field=given[1] if given else "text",
                )
        case ops.ControlWindow(do=do) if do not in ops.WINDOW_ACTIONS:
            near = alike(do, ops.WINDOW_ACTIONS, 1)
            raise InvalidParams(
                f"no window action '{do}'; there are {', '.join(ops.WINDOW_ACTIONS)}", field="do", near=near
            )
        case (
            ops.ControlWindow(do="move", x=None, y=None)
            | ops.ControlWindow(do="resize", width=None, height=None)
        ):
            names = ("x", "y") if action.do == "move" else ("width", "height")
            raise InvalidParams(
                f"to {action.do} a window, '{names[0]}' or '{names[1]}' is needed", field=names[0]
            )
        case ops.ControlWindow(do="resize", width=width, height=height) if any(
            part is not None and not 1 <= part <= _FARTHEST for part in (width, height)
        ):
            raise InvalidParams(
                f"a window cannot be {width}×{height}; each is 1 to {_FARTHEST}", field="width"
            )
        case ops.ControlWindow(do="move", x=x, y=y) if any(
            part is not None and abs(part) > _FARTHEST for part in (x, y)
        ):
            raise InvalidParams(f"no screen reaches {x},{y}; each is at most {_FARTHEST}", field="x")
        case ops.Key(keys=chord) if not chord:
            raise InvalidParams("'keys' must name a key, such as enter or ctrl+s", field="keys")
        case ops.Key(keys=chord):
            keys.parse(chord)
        case ops.Drag(to=None, to_x=None) | ops.Drag(to=None, to_y=None):
            raise InvalidParams("a drag needs where to: 'to', or 'to_x' and 'to_y'", field="to")
        case ops.Drag(steps=steps) if not 1 <= steps <= 1000:
            raise InvalidParams(f"'steps' must be 1 to 1000, not {steps}", field="steps")
    if action.target is not None:
        return
    if not isinstance(action, _ANYWHERE):
        raise InvalidParams(f"{ops.NAMES[type(action)]} needs a target", field="target")
    if isinstance(action, (ops.Click, ops.Hover)) and (action.x is None or action.y is None):
        raise InvalidParams("without a target, a point is needed: 'x' and 'y'", field="target")
