"""Scrolling into view, and windows: those of Dear ImGui, and the one that they are drawn in."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ...model import operations as ops
from ...model.errors import ActionFailed, ActionUnsupported
from ...model.keys import Chord
from ..performer import Steps
from .scene import CHILD, MODAL, POPUP, DrawnElement

if TYPE_CHECKING:
    from .act import Actor

_FIXED = (1 << 1) | (1 << 2)
"""ImGuiWindowFlags_NoResize and NoMove."""
_KEPT_FOR, _KEPT_FRAMES = 0.5, 3
"""How long, in seconds, and for how many frames a program draws after a request to close before it counts as
staying open."""


def into_view(actor: Actor, element: DrawnElement) -> Steps[None]:
    """Scroll all windows around an element so far that it can be seen."""
    if element.window is None:
        return
    internal = actor.imgui.internal
    window = element.window.native
    if element.is_window:
        if not element.window.flags & CHILD:
            return
        window = window.parent_window
    left, top, right, bottom = element.box
    vector = type(window.pos)
    internal.scroll_to_rect(window, internal.ImRect(vector(left, top), vector(right, bottom)))
    # One frame to scroll, one to draw it there.
    yield
    yield
    yield


def control(actor: Actor, action: ops.ControlWindow, element: DrawnElement | None) -> Steps[None]:
    around = None if element is None else window_of(element)
    surface = actor.stage.surface
    if around is None or _fills(around):
        if surface is None:
            raise ActionUnsupported(
                "the program itself says where this window is, and Dear ImGui is drawn into no other here"
            )
        actor.hands.acted = True
        surface.control(action.do, action.x, action.y, action.width, action.height)
        if action.do == "close":
            yield from _ended(actor)
        yield
        return
    seen = around.window
    assert seen is not None
    imgui, place = actor.imgui, actor.stage.place
    vector = type(seen.native.pos)
    match action.do:
        case "focus":
            imgui.internal.focus_window(seen.native)
        case "move":
            x, y = seen.native.pos.x, seen.native.pos.y
            to = place.inside(action.x or 0.0, action.y or 0.0)
            at = vector(x if action.x is None else to[0], y if action.y is None else to[1])
            imgui.set_window_pos(seen.name, at)
        case "resize":
            size = seen.native.size
            width = size.x if action.width is None else action.width / place.scale
            height = size.y if action.height is None else action.height / place.scale
            imgui.set_window_size(seen.name, vector(width, height))
        case "minimize":
            imgui.set_window_collapsed(seen.name, True)
        case "restore":
            imgui.set_window_collapsed(seen.name, False)
        case "close":
            yield from _close(actor, around)
        case _:
            raise ActionUnsupported(f"Dear ImGui cannot {action.do} a window")
    yield


def _ended(actor: Actor) -> Steps[None]:
    """Wait for the end of the program, which goes on drawing if it keeps its window open."""
    actor.stage.expect_end({"detail": "it stopped drawing, and its window was still open"})
    deadline = time.monotonic() + _KEPT_FOR
    frames = 0
    while frames < _KEPT_FRAMES or time.monotonic() < deadline:
        frames += 1
        yield
    raise ActionFailed("the program keeps the window open", suggestions=("see whether it asks something",))


def window_of(element: DrawnElement) -> DrawnElement | None:
    """The window of Dear ImGui that an element is in; not a part of one."""
    for around in (element, *element.ancestors()):
        if around.is_window and around.window is not None and not around.window.flags & CHILD:
            return around
    return None


def _fills(element: DrawnElement) -> bool:
    """Whether a window follows the one that it is drawn in."""
    seen = element.window
    return seen is not None and (seen.docked or seen.flags & _FIXED == _FIXED) and not seen.flags & MODAL


def _close(actor: Actor, element: DrawnElement) -> Steps[None]:
    seen = element.window
    assert seen is not None
    if seen.closable:
        actor.imgui.internal.activate_item_by_id(seen.native.get_id("#CLOSE"))
        yield
    elif seen.flags & POPUP and not seen.flags & MODAL:
        yield from actor.chord(Chord((), key="Escape"))
    else:
        raise ActionUnsupported(f"{element} has no button that closes it")
