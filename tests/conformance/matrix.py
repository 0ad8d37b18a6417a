"""What an adapter cannot do, with the reason; everything else every adapter must do.

Each row is checked against what ran: a behaviour that stands here must fail with an error of ours that
refuses it. One that works although it stands here fails the suite, and so does one that fails in another way.
docs/reference/matrix.md is made from this by scripts/generate_matrix.py.
"""

from __future__ import annotations

_NO_PIXELS = "it has no pixels, and so no pictures and no pointer"
_NO_KEYS = "it has no keyboard"

CANNOT: dict[str, dict[str, str]] = {
    "memory": {
        "test_a_picture_of_the_window_is_a_png_of_its_size": _NO_PIXELS,
        "test_a_picture_of_a_node_is_a_part_of_the_window": _NO_PIXELS,
        "test_the_pointer_hovers_without_pressing": _NO_PIXELS,
        "test_a_shortcut_reaches_the_program": _NO_KEYS,
        "test_keys_edit_the_field_that_has_the_focus": _NO_KEYS,
        "test_a_window_moves_and_resizes": _NO_PIXELS,
    },
}

WAYS: dict[str, str] = {
    "memory": "the engine in this process, over plain Python objects",
    "memory-gip": "the same through GIP on a Unix socket",
    "memory-ws": "the same through GIP on a WebSocket",
    "memory-http": "the same through GIP by HTTP POST",
    "pyside6-xcb": "an unmodified PySide6 script started by launch(), on a private desktop",
    "pyqt6-xcb": "an unmodified PyQt6 script, likewise",
    "pyside6-offscreen": "an unmodified PySide6 script with Qt's offscreen platform",
    "pyqt6-offscreen": "an unmodified PyQt6 script with Qt's offscreen platform",
    "pyside6-enable": "a PySide6 program that calls deskhand.enable() itself, through connect()",
    "atspi-pyside6": "the same form from outside, through the accessibility bus, on a private desktop",
}
"""Every way in that the suite runs over."""

DID_NOT_RUN: dict[str, str] = {
    "named pipe": "GIP on a named pipe needs Windows; the suite has run on Linux only",
}
"""Ways in that exist, and why the suite has not run over them."""


TOOLKITS = ("qt", "atspi")
"""The adapters of real toolkits. The memory adapter is for the engine's own logic and has few controls."""


def adapter_of(way: str) -> str:
    """The adapter behind a way in."""
    first = way.split("-")[0]
    return first if first in ("memory", "atspi") else "qt"
