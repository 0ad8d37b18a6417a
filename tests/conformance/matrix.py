"""What an adapter cannot do, with the reason; everything else every adapter must do.

The ways in to toolkits and what each cannot do are in the records of those (`deskhand.toolkits`); here are
the others. Each row is checked against what ran: a behaviour that is listed must be refused with an error of
ours. One that works although it is listed fails the suite, and so does one that fails in another way.
docs/reference/matrix.md is made from this by scripts/generate_matrix.py.
"""

from __future__ import annotations

from collections.abc import Mapping

from demo.forms import FORMS
from deskhand.toolkits import Limit, Way

_NO_PIXELS = Limit("it has no pixels, and therefore no screenshots and no pointer")
_NO_KEYS = Limit("it has no keyboard")
_NO_ROWS = Limit("xa11y reports neither rows nor columns, only the cells that are shown")

_MEMORY = {
    "a screenshot of the window is a png of its size": _NO_PIXELS,
    "a screenshot of a node is a part of the window": _NO_PIXELS,
    "a screenshot of the desktop shows the whole screen": _NO_PIXELS,
    "the pointer hovers without pressing": _NO_PIXELS,
    "a shortcut reaches the app": _NO_KEYS,
    "keys edit the field that has the focus": _NO_KEYS,
    "a window moves and resizes": _NO_PIXELS,
    "a coordinate or size that is not given stays unchanged": _NO_PIXELS,
}
_XA11Y = {
    "ids set by the app are reported": Limit(
        "on Linux xa11y reports no ids; elements are found by role and name", "not_found"
    ),
    "a table of many rows shows those on screen": Limit(
        "xa11y reports neither rows nor columns, and reads each cell by itself, which may take too long",
        "not_reported",
        "ui_busy",
    ),
    "a distant row is scrolled to by index and by text": _NO_ROWS,
    "a missing row or column is an unknown option": _NO_ROWS,
    "a cell is selected and edited": _NO_ROWS,
    "a menu item is checked": Limit(
        "xa11y does not report which items of a Qt menu can be checked; they look like any other item",
        "not_found",
    ),
    "a context menu opens and its entry works": Limit(
        "a Qt popup menu has no parent, and xa11y sees only children of the window", "not_found"
    ),
}


def _memory(name: str, what: str, note: str = "") -> Way:
    return Way(name, what, form="", through="memory", column="memory", note=note, all_controls=False)


_NO_TOOLKIT = (
    _memory(
        "memory",
        "the engine in this process, over plain Python objects",
        "no toolkit, for tests of deskhand itself",
    ),
    _memory("memory-gip", "the same through GIP on a Unix socket"),
    _memory("memory-ws", "the same through GIP on a WebSocket"),
    _memory("memory-http", "the same through GIP by HTTP POST"),
)

WAYS: dict[str, Way] = {
    way.name: way
    for through in (("memory",), ("launch", "enable"), ("atspi",), ("xa11y",))
    for way in (*_NO_TOOLKIT, *FORMS.values())
    if way.through in through
}
"""Every way in that the suite runs over, those from outside last."""

DID_NOT_RUN: dict[str, str] = {
    "xa11y on Windows and macOS": "the adapter is the same; the suite has run on Linux only",
    "named pipe": "GIP on a named pipe needs Windows; the suite has run on Linux only",
}
"""Ways in that exist, and why the suite has not run over them."""


def limits(way: Way) -> Mapping[str, Limit]:
    """What is not possible over a way in, by the behaviour: because of its toolkit, and of what drives it."""
    return {**way.limits, **{"memory": _MEMORY, "xa11y": _XA11Y}.get(way.through, {})}


def limit(way: Way, test: str) -> Limit | None:
    """Why a test cannot succeed over a way in, if that is so."""
    return limits(way).get(behaviour(test))


def behaviour(test: str) -> str:
    """What a test is called in the matrix and in the records of toolkits."""
    return test.removeprefix("test_").replace("_", " ")


def reports_ids(way: Way) -> bool:
    """Whether the ids that an app set can be seen."""
    return "ids set by the app are reported" not in limits(way)
