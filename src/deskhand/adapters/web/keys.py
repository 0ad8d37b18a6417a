"""The keys of a keyboard as the DevTools protocol wants them. Presses nothing."""

from __future__ import annotations

from typing import Any

from ...model.keys import Chord

_BITS = {"alt": 1, "ctrl": 2, "meta": 4, "shift": 8}
_HELD = {
    "ctrl": ("Control", "ControlLeft", 17),
    "shift": ("Shift", "ShiftLeft", 16),
    "alt": ("Alt", "AltLeft", 18),
    "meta": ("Meta", "MetaLeft", 91),
}
_NAMED: dict[str, tuple[str, str, int]] = {
    "Return": ("Enter", "Enter", 13), "Tab": ("Tab", "Tab", 9), "Backtab": ("Tab", "Tab", 9),
    "Escape": ("Escape", "Escape", 27), "Space": (" ", "Space", 32), "Delete": ("Delete", "Delete", 46),
    "Backspace": ("Backspace", "Backspace", 8), "Left": ("ArrowLeft", "ArrowLeft", 37),
    "Up": ("ArrowUp", "ArrowUp", 38), "Right": ("ArrowRight", "ArrowRight", 39),
    "Down": ("ArrowDown", "ArrowDown", 40), "Home": ("Home", "Home", 36), "End": ("End", "End", 35),
    "PageUp": ("PageUp", "PageUp", 33), "PageDown": ("PageDown", "PageDown", 34),
    "Insert": ("Insert", "Insert", 45), "Menu": ("ContextMenu", "ContextMenu", 93),
    "Pause": ("Pause", "Pause", 19), "Print": ("PrintScreen", "PrintScreen", 44),
    "Clear": ("Clear", "NumpadClear", 12), "Help": ("Help", "Help", 47),
    "CapsLock": ("CapsLock", "CapsLock", 20), "NumLock": ("NumLock", "NumLock", 144),
    "ScrollLock": ("ScrollLock", "ScrollLock", 145), "Back": ("BrowserBack", "BrowserBack", 166),
    "Forward": ("BrowserForward", "BrowserForward", 167),
    "Refresh": ("BrowserRefresh", "BrowserRefresh", 168),
    "Control": _HELD["ctrl"], "Shift": _HELD["shift"], "Alt": _HELD["alt"], "Meta": _HELD["meta"],
    **{f"F{number}": (f"F{number}", f"F{number}", 111 + number) for number in range(1, 25)},
}  # fmt: skip
_TEXTS = {"Return": "\r", "Space": " "}
_SHIFTED = dict(zip('!@#$%^&*()_+{}|:"<>?~', "1234567890-=[]\\;',./`", strict=True))
_MARKS = {
    "-": ("Minus", 189), "=": ("Equal", 187), "[": ("BracketLeft", 219), "]": ("BracketRight", 221),
    "\\": ("Backslash", 220), ";": ("Semicolon", 186), "'": ("Quote", 222), ",": ("Comma", 188),
    ".": ("Period", 190), "/": ("Slash", 191), "`": ("Backquote", 192), " ": ("Space", 32),
}  # fmt: skip

Stroke = dict[str, Any]


def bits(modifiers: tuple[str, ...]) -> int:
    """Modifiers as one number."""
    return sum(_BITS[each] for each in modifiers)


def typable(character: str) -> bool:
    """Whether a key types this character."""
    return character in "\n\t" or (character.isascii() and character.isprintable())


def strokes(chord: Chord) -> list[Stroke]:
    """The parameters of `Input.dispatchKeyEvent` for each key that is pressed and released."""
    modifiers = chord.modifiers
    if chord.key == "Backtab" and "shift" not in modifiers:
        modifiers = (*modifiers, "shift")
    made: list[Stroke] = []
    for at, each in enumerate(modifiers):
        made.append(_stroke("rawKeyDown", _HELD[each], bits(modifiers[: at + 1])))
    key, text = _key(chord, modifiers)
    held = bits(modifiers)
    down = _stroke("keyDown" if text else "rawKeyDown", key, held)
    if text:
        down |= {"text": text, "unmodifiedText": text}
    made += [down, _stroke("keyUp", key, held)]
    for at in reversed(range(len(modifiers))):
        made.append(_stroke("keyUp", _HELD[modifiers[at]], bits(modifiers[:at])))
    return made


def typed(character: str) -> list[Stroke]:
    """The same for a key that types a character."""
    if character == "\n":
        return strokes(Chord((), key="Return"))
    if character == "\t":
        return strokes(Chord((), key="Tab"))
    shifted = character.isupper() or character in _SHIFTED
    held = bits(("shift",)) if shifted else 0
    key = _of_character(character)
    down = {**_stroke("keyDown", key, held), "text": character, "unmodifiedText": character}
    return [down, _stroke("keyUp", key, held)]


def _key(chord: Chord, modifiers: tuple[str, ...]) -> tuple[tuple[str, str, int], str]:
    """The key of a chord, and what it types."""
    types = not {"ctrl", "alt", "meta"}.intersection(modifiers)
    if chord.key is not None:
        name = chord.key
        return _NAMED.get(name, (name, name, 0)), _TEXTS.get(name, "") if types else ""
    text = chord.text or ""
    return _of_character(text), text if types else ""


def _of_character(character: str) -> tuple[str, str, int]:
    """The key that types a character: its value, its position and its number."""
    plain = _SHIFTED.get(character, character)
    if plain.isascii() and plain.isalpha():
        return character, f"Key{plain.upper()}", ord(plain.upper())
    if plain.isascii() and plain.isdigit():
        return character, f"Digit{plain}", ord(plain)
    code, number = _MARKS.get(plain, ("", 0))
    return character, code, number


def _stroke(kind: str, key: tuple[str, str, int], modifiers: int) -> Stroke:
    value, code, number = key
    return {
        "type": kind,
        "key": value,
        "code": code,
        "windowsVirtualKeyCode": number,
        "nativeVirtualKeyCode": number,
        "modifiers": modifiers,
    }
