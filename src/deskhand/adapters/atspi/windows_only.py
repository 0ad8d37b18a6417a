"""Windows of programs that are not on the accessibility bus: all that is known is the window itself.

It can be placed, closed, captured in a screenshot, typed into and clicked; its content is not known.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any

from ...model import operations as ops
from ...model.errors import ActionUnsupported
from ...model.node import Node, Window
from ...model.operations import Action
from ..scope import age, may_join_bus
from .windows import Windows, XWindow

_PREFIX = "x-"
_GROWN_UP = 3.0
"""After how many seconds a program that is not on the bus yet is taken for one that never will be."""
_POINTED = (ops.Click, ops.Hover, ops.MouseDown, ops.MouseUp)
_TYPED = (ops.TypeText, ops.Key)


def unreadable(windows: list[XWindow], spoken_for: Collection[int]) -> list[XWindow]:
    """The windows whose programs are not on the bus and will not be, nor read by another adapter."""
    return [window for window in windows if window.pid not in spoken_for and not _may_come(window.pid)]


def expected(windows: list[XWindow], spoken_for: Collection[int]) -> list[XWindow]:
    """The windows whose programs are not on the bus yet, and are likely to be soon."""
    return [window for window in windows if window.pid not in spoken_for and _may_come(window.pid)]


def uid_of(window: XWindow) -> str:
    return f"{_PREFIX}{window.id:x}"


def number_of(uid: str) -> int | None:
    """The window that a uid stands for; None if it stands for something else."""
    try:
        return int(uid.removeprefix(_PREFIX), 16) if uid.startswith(_PREFIX) else None
    except ValueError:
        return None


def node(window: XWindow) -> Node:
    fields: dict[str, Any] = {
        "uid": uid_of(window),
        "role": "window",
        "native_class": "window",
        "backend": "x11",
        "name": window.title or None,
        "bounds": window.bounds,
        "focusable": True,
        "editable": True,
        "description": "not on the accessibility bus: what is inside cannot be read",
    }
    return Node.of({**fields, "visible": False} if window.minimized else fields)


def as_window(window: XWindow, app_name: str) -> Window:
    return Window(
        uid=uid_of(window),
        title=window.title or None,
        app_name=app_name,
        pid=window.pid,
        kind="popup" if window.popup else "regular",
        bounds=window.bounds,
        focused=window.active,
        showing=not window.minimized,
        minimized=window.minimized,
        maximized=window.maximized,
        native_id=window.id,
    )


def perform(
    action: Action, window: XWindow, windows: Windows, by_input: Callable[[Action], Mapping[str, object]]
) -> Mapping[str, object]:
    """Do it to the window; `by_input` makes real input on the screen or where the focus is."""
    if isinstance(action, ops.ControlWindow):
        return {"detail": windows.control(window, action)}
    if isinstance(action, ops.Focus):
        _bring_up(window, windows)
        return {"detail": "by the window manager"}
    if isinstance(action, _TYPED):
        _bring_up(window, windows)
        return by_input(replace(action, target=None))
    if isinstance(action, _POINTED):
        _bring_up(window, windows)
        x, y, width, height = window.bounds
        x += width / 2 if action.x is None else action.x
        y += height / 2 if action.y is None else action.y
        return by_input(replace(action, target=None, x=x, y=y))
    raise ActionUnsupported(
        f"{ops.NAMES[type(action)]} needs accessibility, and the program of window '{window.title}' (pid "
        f"{window.pid}) is not on the accessibility bus",
        suggestions=("click at a point of the window, or type into it",),
    )


def _bring_up(window: XWindow, windows: Windows) -> None:
    """Let input reach a window. A menu that is open has it already, and would close."""
    if not window.popup:
        windows.activate(window)


def _may_come(pid: int) -> bool:
    """Whether a program that is not on the bus may still be on its way there."""
    return age(pid) <= _GROWN_UP and may_join_bus(pid)
