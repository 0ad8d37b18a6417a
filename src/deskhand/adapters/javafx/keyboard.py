"""What JavaFX calls the keys."""

from __future__ import annotations

from typing import Any

from ...model import keys
from ...model.errors import InvalidKey

_CODES = {
    "Return": "ENTER", "Tab": "TAB", "Backtab": "TAB", "Escape": "ESCAPE", "Space": "SPACE",
    "Delete": "DELETE", "Backspace": "BACK_SPACE", "Left": "LEFT", "Right": "RIGHT", "Up": "UP",
    "Down": "DOWN", "Home": "HOME", "End": "END", "PageUp": "PAGE_UP", "PageDown": "PAGE_DOWN",
    "Insert": "INSERT", "Menu": "CONTEXT_MENU", "Pause": "PAUSE", "Print": "PRINTSCREEN", "Clear": "CLEAR",
    "Help": "HELP", "CapsLock": "CAPS", "NumLock": "NUM_LOCK", "ScrollLock": "SCROLL_LOCK",
    "VolumeUp": "VOLUME_UP", "VolumeDown": "VOLUME_DOWN", "VolumeMute": "MUTE", "MediaPlay": "PLAY",
    "Control": "CONTROL", "Shift": "SHIFT", "Alt": "ALT", "Meta": "META",
    **{f"F{number}": f"F{number}" for number in range(1, 25)},
}  # fmt: skip


def stroke(chord: str) -> dict[str, Any]:
    """The key stroke of a chord, as the agent wants it; InvalidKey if JavaFX has no such key."""
    parsed = keys.parse(chord)
    modifiers = list(parsed.modifiers)
    if parsed.key is None:
        return {"text": parsed.text, "modifiers": modifiers}
    code = _CODES.get(parsed.key)
    if code is None:
        raise InvalidKey(f"JavaFX has no key '{parsed.key}'", target=chord, field="keys")
    if parsed.key == "Backtab" and "shift" not in modifiers:
        modifiers.append("shift")
    return {"code": code, "text": " " if parsed.key == "Space" else None, "modifiers": modifiers}
