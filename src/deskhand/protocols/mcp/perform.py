"""The actions of `ui_perform`, read one by one and turned into operations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...model import keys
from ...model import operations as ops
from ...model.errors import InvalidKey, InvalidParams
from ...model.selector import by_uid
from ..schema import check
from .shots import Shot
from .tools import ACTION, ACTIONS

NOTCH = 40.0
"""What a notch of the wheel is in `deltaY`."""

_BUTTONS = {
    "PRIMARY": "left", "LEFT": "left", "SECONDARY": "right", "RIGHT": "right", "MIDDLE": "middle",
}  # fmt: skip
_MODIFIERS = {
    "CTRL": "ctrl", "CONTROL": "ctrl", "SHIFT": "shift", "ALT": "alt", "META": "meta", "CMD": "meta",
    "COMMAND": "meta", "WINDOWS": "meta", "WIN": "meta", "SUPER": "meta", "SHORTCUT": "ctrl",
}  # fmt: skip
_KEYS = {
    "KP_UP": "up", "KP_DOWN": "down", "KP_LEFT": "left", "KP_RIGHT": "right", "CAPS": "capslock",
    "SHORTCUT": "ctrl", "ADD": "+", "SUBTRACT": "-", "MULTIPLY": "*", "DIVIDE": "/", "DECIMAL": ".",
    "AMPERSAND": "&", "ASTERISK": "*", "AT": "@", "BRACELEFT": "{", "BRACERIGHT": "}", "CIRCUMFLEX": "^",
    "COLON": ":", "DOLLAR": "$", "EURO_SIGN": "€", "EXCLAMATION_MARK": "!", "GREATER": ">", "LESS": "<",
    "LEFT_PARENTHESIS": "(", "NUMBER_SIGN": "#", "QUOTEDBL": '"', "RIGHT_PARENTHESIS": ")", "UNDERSCORE": "_",
}  # fmt: skip
"""Names of keys that only JavaFX has; it distinguishes the number pad, and we do not."""
_ALLOWED: dict[str, frozenset[str]] = {
    name: frozenset((*required, *optional, "type")) for name, (required, optional) in ACTIONS.items()
}

Resolve = Callable[[Any], str]
"""Gives the uid of the node that a reference means."""


def checked(data: Any) -> dict[str, Any]:
    """An action, its members checked; InvalidParams says what is wrong with it."""
    if not isinstance(data, dict):
        raise InvalidParams("an action must be an object with a 'type'", field="actions")
    kind = data.get("type")
    if not isinstance(kind, str):
        raise InvalidParams("an action needs a 'type'", field="type")
    if kind not in ACTIONS:
        raise InvalidParams(f"Unknown action type: {kind[:60]}; there are {', '.join(ACTIONS)}", field="type")
    action: dict[str, Any] = check(ACTION, {name: _plain_end(name, part) for name, part in data.items()})
    if unfit := [name for name in action if name not in _ALLOWED[kind]]:
        taken = ", ".join(sorted(_ALLOWED[kind] - {"type"}))
        raise InvalidParams(f"{kind} takes no '{unfit[0]}'; it takes {taken}", field=unfit[0])
    if missing := [name for name in ACTIONS[kind][0] if name not in action]:
        raise InvalidParams(f"{kind} needs '{missing[0]}'", field=missing[0])
    return action


def _plain_end(name: str, part: Any) -> Any:
    """An end of a drag by its `ref`; some write it with a `target`, as in other actions."""
    if name not in ("from", "to") or not isinstance(part, dict) or part.get("target") is None:
        return part
    target = part["target"]
    ref = target["ref"] if isinstance(target, dict) and "ref" in target else target
    return {**{name: value for name, value in part.items() if name != "target"}, "ref": ref}


def on_screen(action: Mapping[str, Any], shot: Shot) -> dict[str, Any]:
    """An action whose points are pixels of a screenshot, with points on the screen instead."""
    if "target" in action:
        raise InvalidParams("'x' and 'y' are in a target or in a screenshot, not in both", field="screenshot")
    placed = {name: part for name, part in action.items() if name != "screenshot"}
    if "x" in action and "y" in action:
        placed["x"], placed["y"] = shot.on_screen(action["x"], action["y"])
    for name in ("from", "to"):
        end = action.get(name, {})
        if "ref" not in end and "x" in end and "y" in end:
            x, y = shot.on_screen(end["x"], end["y"])
            placed[name] = {**end, "x": x, "y": y}
    return placed


def operation(action: Mapping[str, Any], uid_of: Resolve, timeout: float) -> ops.Action:
    """What is to be done, for an action that was checked."""
    make = _MAKERS[action["type"]]
    target = None if "target" not in action else by_uid(uid_of(action["target"]))
    return make(action, target, timeout, uid_of)


def _pointer(action: Mapping[str, Any], target: str | None) -> dict[str, Any]:
    if target is None and ("x" not in action or "y" not in action):
        raise InvalidParams(
            f"{action['type']} needs a 'target', or 'x' and 'y' on the screen", field="target"
        )
    return {
        "target": target,
        "x": action.get("x"),
        "y": action.get("y"),
        "button": _button(action),
        "modifiers": _modifiers(action),
    }


def _click(action: Mapping[str, Any], target: str | None, timeout: float, _: Resolve) -> ops.Action:
    count = 2 if action["type"] == "doubleClick" else 1
    return ops.Click(**_pointer(action, target), count=count, timeout=timeout)


def _hover(action: Mapping[str, Any], target: str | None, timeout: float, _: Resolve) -> ops.Action:
    at = _pointer(action, target)
    return ops.Hover(target, x=at["x"], y=at["y"], timeout=timeout)


def _pressed(action: Mapping[str, Any], target: str | None, timeout: float, _: Resolve) -> ops.Action:
    return ops.MouseDown(**_pointer(action, target), timeout=timeout)


def _released(action: Mapping[str, Any], target: str | None, timeout: float, _: Resolve) -> ops.Action:
    return ops.MouseUp(**_pointer(action, target), timeout=timeout)


def _drag(action: Mapping[str, Any], _: str | None, timeout: float, uid_of: Resolve) -> ops.Action:
    ends = []
    for name in ("from", "to"):
        end = action[name]
        target = by_uid(uid_of({"ref": end["ref"]})) if "ref" in end else None
        if target is None and ("x" not in end or "y" not in end):
            raise InvalidParams(f"'{name}' needs a 'ref', or 'x' and 'y' on the screen", field=name)
        ends.append((target, end.get("x"), end.get("y")))
    (start, x, y), (to, to_x, to_y) = ends
    return ops.Drag(
        start,
        to=to,
        to_x=to_x,
        to_y=to_y,
        x=x,
        y=y,
        button=_button(action),
        modifiers=_modifiers(action),
        timeout=timeout,
    )


def _type_text(action: Mapping[str, Any], target: str | None, timeout: float, _: Resolve) -> ops.Action:
    return ops.TypeText(target, text=action["text"], timeout=timeout)


def _set_text(action: Mapping[str, Any], target: str | None, timeout: float, _: Resolve) -> ops.Action:
    return ops.SetValue(target, value=action["text"], timeout=timeout)


def _press_key(action: Mapping[str, Any], target: str | None, timeout: float, _: Resolve) -> ops.Action:
    key = action["key"]
    if not key:
        raise InvalidKey("'key' must name a key, such as ENTER, F5 or A", field="key")
    if len(key) > 1 and "+" in key:
        raise InvalidKey(
            f"no key named '{key[:60]}'", field="key", suggestions=("name modifiers in 'modifiers'",)
        )
    held = _modifiers(action)
    # A letter is the key that it is on; capitals come with SHIFT.
    name = key.lower() if len(key) == 1 else _KEYS.get(key.upper(), key)
    chord = "+".join((*held, name))
    keys.parse(chord)
    return ops.Key(target, keys=chord, timeout=timeout)


def _scroll(action: Mapping[str, Any], target: str | None, timeout: float, _: Resolve) -> ops.Action:
    if "deltaX" not in action and "deltaY" not in action:
        return ops.Scroll(target, into_view=True, timeout=timeout)
    # Ours are notches, positive downwards; the contract's are pixels, negative downwards.
    dx, dy = -action.get("deltaX", 0.0) / NOTCH, -action.get("deltaY", 0.0) / NOTCH
    return ops.Scroll(target, dx=dx, dy=dy, timeout=timeout)


def _select(action: Mapping[str, Any], target: str | None, timeout: float, _: Resolve) -> ops.Action:
    given = {name: action[name] for name in ("text", "index", "value") if name in action}
    if not given:
        raise InvalidParams(
            "select needs the option of its target: 'text', 'index' or 'value'",
            field="text",
            suggestions=("click a row, tab or list item to select it",),
        )
    return ops.Select(target, **given, timeout=timeout)


def _check(action: Mapping[str, Any], target: str | None, timeout: float, _: Resolve) -> ops.Action:
    return ops.SetChecked(target, checked=action["checked"], timeout=timeout)


def _expand(action: Mapping[str, Any], target: str | None, timeout: float, _: Resolve) -> ops.Action:
    return ops.Expand(target, expanded=action.get("expanded", True), timeout=timeout)


def _simple(kind: type[ops.Action]) -> _Maker:
    return lambda _action, target, timeout, _resolve: kind(target, timeout=timeout)


_Maker = Callable[[Mapping[str, Any], "str | None", float, Resolve], ops.Action]
_MAKERS: dict[str, _Maker] = {
    "focus": _simple(ops.Focus),
    "click": _click,
    "doubleClick": _click,
    "typeText": _type_text,
    "setText": _set_text,
    "pressKey": _press_key,
    "scroll": _scroll,
    "mousePressed": _pressed,
    "mouseReleased": _released,
    "drag": _drag,
    "select": _select,
    "setChecked": _check,
    "expand": _expand,
    "hover": _hover,
    "showMenu": _simple(ops.ShowMenu),
}


def _button(action: Mapping[str, Any]) -> str:
    name = action.get("button", "PRIMARY").upper()
    if name not in _BUTTONS:
        raise InvalidParams(
            f"no mouse button '{name[:40]}'; there are PRIMARY, SECONDARY and MIDDLE", field="button"
        )
    return _BUTTONS[name]


def _modifiers(action: Mapping[str, Any]) -> tuple[str, ...]:
    held = []
    for name in action.get("modifiers", ()):
        if name.upper() not in _MODIFIERS:
            raise InvalidKey(
                f"no modifier '{name[:40]}'; there are CTRL, SHIFT, ALT and META", field="modifiers"
            )
        held.append(_MODIFIERS[name.upper()])
    return tuple(dict.fromkeys(held))
