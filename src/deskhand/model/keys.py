"""What people call the keys, and one name for each, as Qt has it. Knows names only; adapters press them."""

from __future__ import annotations

from .alike import alike, did_you_mean
from .errors import InvalidKey
from .record import dataclass

_MODIFIERS = {
    "ctrl": "ctrl", "control": "ctrl", "shift": "shift", "alt": "alt", "option": "alt", "meta": "meta",
    "cmd": "meta", "command": "meta", "super": "meta", "win": "meta", "windows": "meta",
    # What Playwright calls the modifier of shortcuts: Control everywhere but on macOS.
    "controlormeta": "ctrl",
}  # fmt: skip

_KEYS = {
    "enter": "Return", "return": "Return", "tab": "Tab", "backtab": "Backtab", "esc": "Escape",
    "escape": "Escape", "space": "Space", "delete": "Delete", "del": "Delete", "forwarddelete": "Delete",
    "backspace": "Backspace", "left": "Left", "right": "Right", "up": "Up", "down": "Down",
    "arrowleft": "Left", "arrowright": "Right", "arrowup": "Up", "arrowdown": "Down", "home": "Home",
    "end": "End", "pageup": "PageUp", "pagedown": "PageDown", "pgup": "PageUp", "pgdn": "PageDown",
    "pgdown": "PageDown", "insert": "Insert", "ins": "Insert", "menu": "Menu", "contextmenu": "Menu",
    "pause": "Pause", "print": "Print", "printscreen": "Print", "clear": "Clear", "help": "Help",
    "capslock": "CapsLock", "numlock": "NumLock", "scrolllock": "ScrollLock", "back": "Back",
    "forward": "Forward", "refresh": "Refresh", "volumeup": "VolumeUp", "volumedown": "VolumeDown",
    "volumemute": "VolumeMute", "mediaplay": "MediaPlay",
    **{f"f{number}": f"F{number}" for number in range(1, 36)},
}  # fmt: skip
"""Names of keys without `_`, `-` and blanks, in lower case, and Qt's names without `Key_`."""

_CHARACTERS = {
    "plus": "+", "minus": "-", "equals": "=", "comma": ",", "period": ".", "slash": "/", "backslash": "\\",
    "semicolon": ";", "quote": "'", "backquote": "`", "openbracket": "[", "closebracket": "]",
    **{f"digit{number}": str(number) for number in range(10)},
    **{f"numpad{number}": str(number) for number in range(10)},
}  # fmt: skip
"""Keys that type a character, by names that other vocabularies give them."""

_LONE = {"ctrl": "Control", "shift": "Shift", "alt": "Alt", "meta": "Meta"}


@dataclass(frozen=True)
class Chord:
    """A key with the modifiers held: either one that Qt names (`key`), or one that types `text`."""

    modifiers: tuple[str, ...]
    key: str | None = None
    text: str | None = None


def modifier(name: str) -> str | None:
    """The one name of a modifier, such as `ctrl` for `Control`; None if there is no such modifier."""
    return _MODIFIERS.get(_plain(name))


def parse(keys: str) -> Chord:
    """Read a chord such as `ctrl+shift+s`, `Enter` or `alt+F4`; InvalidKey names what looks like it."""
    parts = _split(keys)
    modifiers: list[str] = []
    for part in parts[:-1]:
        held = modifier(part)
        if held is None:
            raise _unknown("modifier", part, keys, _MODIFIERS)
        if held not in modifiers:
            modifiers.append(held)
    last = parts[-1]
    name = _plain(last)
    if len(last) == 1:
        return _character(last, modifiers)
    if name in _KEYS:
        return Chord(tuple(modifiers), key=_KEYS[name])
    if name in _CHARACTERS:
        return _character(_CHARACTERS[name], modifiers)
    if name in _MODIFIERS:
        return Chord(tuple(modifiers), key=_LONE[_MODIFIERS[name]])
    raise _unknown("key", last, keys, {**_KEYS, **_CHARACTERS, **_MODIFIERS})


def _split(keys: str) -> list[str]:
    if not keys:
        hint = "such as enter or ctrl+s"
        raise InvalidKey("no key was named", target=keys, field="keys", suggestions=(hint,))
    if keys.strip() == "":
        return [" "]
    text = keys.strip()
    # The plus key itself: `+`, `ctrl++`.
    last = "+" if text == "+" or text.endswith("++") else None
    rest = text[:-2] if last and len(text) > 1 else ("" if last else text)
    parts = [part.strip() for part in rest.split("+")] if rest else []
    if any(not part for part in parts):
        raise InvalidKey(
            f"a key is missing in '{keys}'", target=keys, field="keys", suggestions=("such as ctrl+shift+s",)
        )
    return [*parts, last] if last else parts


def _character(character: str, modifiers: list[str]) -> Chord:
    if character == " ":
        return Chord(tuple(modifiers), key="Space")
    if not modifiers and character.isupper():
        modifiers = ["shift"]
    text = character.upper() if modifiers == ["shift"] else character.lower() if modifiers else character
    return Chord(tuple(modifiers), text=text)


def _plain(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter not in "_- ") or name


def _unknown(what: str, name: str, keys: str, known: dict[str, str]) -> InvalidKey:
    near = alike(_plain(name), known)
    hint = "".join(f"; {each}" for each in did_you_mean(near))
    where = f" in '{keys}'" if name != keys else ""
    return InvalidKey(
        f"no {what} named '{name}'{where}{hint}",
        target=keys,
        field="keys",
        near=near,
        suggestions=("names are such as enter, tab, esc, f5, pagedown, or a single character",),
    )
