"""The keys that Orca knows, in lower case only. An unknown key is not an error: it does nothing."""

from __future__ import annotations

from typing import Any

from ...model.errors import InvalidParams

MODIFIERS = {"ctrl": "ctrl", "shift": "shift", "alt": "alt", "cmd": "meta", "meta": "meta"}
_NAMES = frozenset(
    (
        "enter", "return", "tab", "esc", "escape", "space", "delete", "backspace", "left", "right", "up",
        "down", "home", "end", "pageup", "pagedown", "insert", *(f"f{number}" for number in range(1, 25)),
    )
)  # fmt: skip


def read_keys(keys: Any) -> str | None:
    """The chord that a parameter `keys` means, for the core; None if it is one that does nothing.

    The last token is the key, those before it are modifiers.
    """
    if isinstance(keys, str):
        tokens = keys.split("+")
    elif isinstance(keys, list) and all(isinstance(token, str) for token in keys):
        tokens = keys
    else:
        raise InvalidParams("'keys' must be a string such as \"ctrl+s\", or a list of strings", field="keys")
    tokens = [token for token in tokens if token]
    if not tokens:
        raise InvalidParams("'keys' names no key", field="keys")
    *held, key = tokens
    if not all(token in MODIFIERS for token in held):
        return None
    if len(key) == 1 and not key.isupper() and key.isprintable():
        # In a chord for the core a blank would be taken for nothing.
        key = "space" if key == " " else key
    elif key not in _NAMES:
        return None
    return "+".join((*(MODIFIERS[token] for token in held), key))


def read_modifiers(modifiers: Any) -> tuple[str, ...]:
    """The modifiers in a list; what is none is left out."""
    if not isinstance(modifiers, list):
        return ()
    known = (MODIFIERS.get(name) for name in modifiers if isinstance(name, str))
    return tuple(dict.fromkeys(name for name in known if name is not None))
