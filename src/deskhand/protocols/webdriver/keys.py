"""The key codes of WebDriver: characters of the private use area that stand for keys."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from ...model.operations import MODIFIERS

NULL = "\ue000"
"""Releases every modifier."""

_HELD = {
    "\ue008": "shift", "\ue009": "ctrl", "\ue00a": "alt", "\ue03d": "meta",
    "\ue050": "shift", "\ue051": "ctrl", "\ue052": "alt", "\ue053": "meta",
}  # fmt: skip

_KEYS = {
    "\ue001": "clear", "\ue002": "help", "\ue003": "backspace", "\ue004": "tab", "\ue005": "clear",
    "\ue006": "enter", "\ue007": "enter", "\ue00b": "pause", "\ue00c": "escape", "\ue00d": "space",
    "\ue00e": "pageup", "\ue00f": "pagedown", "\ue010": "end", "\ue011": "home", "\ue012": "left",
    "\ue013": "up", "\ue014": "right", "\ue015": "down", "\ue016": "insert", "\ue017": "delete",
    "\ue054": "pageup", "\ue055": "pagedown", "\ue056": "end", "\ue057": "home", "\ue058": "left",
    "\ue059": "up", "\ue05a": "right", "\ue05b": "down", "\ue05c": "insert", "\ue05d": "delete",
    **{chr(0xE031 + number): f"f{number + 1}" for number in range(12)},
    "\n": "enter", "\r": "enter", "\t": "tab", "\b": "backspace", "\x1b": "escape", "\x7f": "delete",
}  # fmt: skip

_CHARACTERS = {
    "\ue018": ";", "\ue019": "=", "\ue024": "*", "\ue025": "+", "\ue026": ",", "\ue027": "-", "\ue028": ".",
    "\ue029": "/", **{chr(0xE01A + number): str(number) for number in range(10)},
}  # fmt: skip

_PRIVATE = range(0xE000, 0xE05E)


class Stroke(NamedTuple):
    """One thing that the keyboard does: hold or release a modifier, press a named key, or type text."""

    kind: Literal["modifier", "key", "text", "release"]
    name: str


def stroke(character: str) -> Stroke | None:
    """What a character stands for; None if it is a key code without a key here."""
    if character == NULL:
        return Stroke("release", "")
    if character in _HELD:
        return Stroke("modifier", _HELD[character])
    if character in _KEYS:
        return Stroke("key", _KEYS[character])
    character = _CHARACTERS.get(character, character)
    if ord(character[0]) in _PRIVATE or ord(character[0]) < 0x20:
        return None
    return Stroke("text", character)


def chord(held: frozenset[str], name: str) -> str:
    """A key with the modifiers that are held, in the form that `Key` takes."""
    return "+".join((*(modifier for modifier in MODIFIERS if modifier in held), name))


def typed(text: str) -> Iterator[Stroke | str]:
    """The strokes of a text that is sent to an element: runs of text are one. A str is a code without a key.

    A modifier is held until it comes again, until the null key, or to the end.
    """
    held: frozenset[str] = frozenset()
    run = ""
    for character in text:
        one = stroke(character)
        if one is not None and one.kind == "text" and not held:
            run += one.name
            continue
        if run:
            yield Stroke("text", run)
            run = ""
        if one is None:
            yield character
        elif one.kind == "release":
            held = frozenset()
        elif one.kind == "modifier":
            held ^= {one.name}
        else:
            yield Stroke("key", chord(held, one.name))
    if run:
        yield Stroke("text", run)
