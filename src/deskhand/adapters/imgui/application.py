"""Dear ImGui has no application object: how its first frame is noticed, and how to get into one.

Loaded alone by the import hook, in interpreters that have nothing of ours: so it imports nothing of ours at
first. `watch` loads the rest of this folder, from the package that the hook has made importable by then.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any

_RECORD = "deskhand.adapters.imgui.record"

_started: Callable[[], None] | None = None


def watch(_module: ModuleType, _created: Callable[[], None], started: Callable[[], None]) -> None:
    """Call `started` at the end of the first frame of each context.

    The functions of Dear ImGui are replaced for that, before the program takes them by their names.
    """
    global _started
    from importlib import import_module

    _started = started
    import_module(_RECORD).install(_drawn)


def unwatch() -> None:
    """Put the functions of Dear ImGui back."""
    record: Any = sys.modules.get(_RECORD)
    if record is not None:
        record.uninstall(_drawn)


def running(_binding: str) -> bool:
    """Whether something is drawn, as far as noticed: alone, or in a window of another toolkit."""
    return bool(_contexts())


def on_gui_thread(_binding: str) -> bool:
    """Whether this is the thread that draws, in the middle of a frame."""
    return bool(_contexts()[0].inside)


def post(_binding: str, function: Callable[[], None]) -> None:
    """Call it at the end of a frame, from whatever thread this is."""
    _contexts()[0].later(function)


def on_end(_binding: str, function: Callable[[], None]) -> None:
    """Call it when the first context goes."""
    _contexts()[0].on_gone.append(function)


def _drawn(_context: object) -> None:
    assert _started is not None, "watch() has set it"
    _started()


def _contexts() -> list[Any]:
    """The contexts that draw, as far as noticed."""
    record: Any = sys.modules.get(_RECORD)
    return [] if record is None else list(record.known())
