"""Turning the wheel, and bringing things into view. On the GUI thread."""

from __future__ import annotations

from typing import Any

import wx

from ...model.errors import ActionUnsupported
from ..performer import no_row, no_rows
from . import parts
from .drawn import send
from .handles import Handle, Part, Registry, Widget
from .names import describe

_NOTCH = 120
_LINES = 3


def wheel(handle: Handle, dx: float, dy: float) -> dict[str, object]:
    """Turn the wheel; the answer says if that moved nothing."""
    window = handle.window if isinstance(handle, Part) else handle
    if isinstance(window, Widget):
        raise ActionUnsupported(
            "wx does not know this widget and cannot scroll it", suggestions=("use keys",)
        )
    turned = ((dy, wx.MOUSE_WHEEL_VERTICAL), (dx, wx.MOUSE_WHEEL_HORIZONTAL))
    moved = [_turn(window, amount, axis) for amount, axis in turned if amount]
    return {} if any(moved) else {"detail": "nothing moved"}


def into_view(handle: Handle, registry: Registry) -> None:
    """Scroll everything around a handle so that it can be seen."""
    if isinstance(handle, Widget):
        return
    window = handle
    if isinstance(handle, Part):
        window = handle.window
        parts.of(handle, registry).show(window, handle.key)
    child, above = window, window.GetParent()
    while above is not None and not child.IsTopLevel():
        if hasattr(above, "CalcUnscrolledPosition") and above.GetScrollPixelsPerUnit() != (0, 0):
            _show_in(above, window)
        child, above = above, above.GetParent()


def _show_in(area: Any, window: Any) -> None:
    """Scroll an area so that a window in it shows, moving as little as possible."""
    rect = window.GetScreenRect()
    left, top = area.ScreenToClient(rect.x, rect.y)
    size = area.GetClientSize()
    steps = area.GetScrollPixelsPerUnit()
    now = area.GetViewStart()
    to = [
        _start(at, length, room, step, start)
        for at, length, room, step, start in zip(
            (left, top), (rect.width, rect.height), size.Get(), steps, now, strict=True
        )
    ]
    if tuple(to) != tuple(now):
        area.Scroll(*to)


def _start(at: int, length: int, room: int, step: int, start: int) -> int:
    if step <= 0:
        return start
    if at < 0 or length > room:
        return max(0, start + at // step)
    over = at + length - room
    return start + -(-over // step) if over > 0 else start


def to_row(handle: Handle, registry: Registry, row: int | None, text: str | None) -> None:
    """Scroll to a row of a list, table or tree."""
    window = handle.window if isinstance(handle, Part) else handle
    family = None if isinstance(window, Widget) else parts.family(registry.know(window).kind)
    if family is None:
        raise no_rows(describe(handle, registry))
    key = family.row(window, row, text)
    if key is None:
        raise no_row(describe(handle, registry), row, text, family.rows(window))
    family.show(window, key)


def _turn(window: Any, notches: float, axis: Any) -> bool:
    """Send the wheel to a window, or else to the one around that scrolls; whether that moved.

    Controls in it do not get the event, which would change some of them.
    """
    middle = wx.Point(window.GetSize().width // 2, window.GetSize().height // 2)
    while window is not None:
        along = wx.VERTICAL if axis == wx.MOUSE_WHEEL_VERTICAL else wx.HORIZONTAL
        if _scrolls(window, along):
            event = wx.MouseEvent(wx.EVT_MOUSEWHEEL.typeId)
            event.SetPosition(middle)
            event.SetWheelAxis(axis)
            event.SetWheelDelta(_NOTCH)
            # Down is negative, to the right positive.
            event.SetWheelRotation(
                int(-notches * _NOTCH if axis == wx.MOUSE_WHEEL_VERTICAL else notches * _NOTCH)
            )
            event.SetLinesPerAction(_LINES)
            event.SetColumnsPerAction(_LINES)
            before = window.GetScrollPos(along)
            send(window, event)
            if window.GetScrollPos(along) != before:
                return True
            # Native controls ignore the event.
            return bool(axis == wx.MOUSE_WHEEL_VERTICAL and window.ScrollLines(int(notches * _LINES)))
        window = None if window.IsTopLevel() else window.GetParent()
    return False


def _scrolls(window: Any, along: int) -> bool:
    """Whether a window has a scroll bar; a grid has some, and denies it."""
    if window.HasScrollbar(along):
        return True
    try:
        return bool(window.GetScrollRange(along) > window.GetScrollThumb(along))
    except wx.wxAssertionError:
        return False  # a control that never has one
