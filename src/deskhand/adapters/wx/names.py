"""What to call a window, a part or a widget in an error message."""

from __future__ import annotations

from typing import Any

import wx

from . import parts
from .gtk import gtk
from .handles import Handle, Part, Registry, Widget

_LONGEST = 60


def describe(handle: Handle, registry: Registry) -> str:
    """Such as `button "Save"`."""
    if isinstance(handle, Part):
        return parts.of(handle, registry).call(handle.window, handle.key)
    if isinstance(handle, Widget):
        return f"{gtk.type_name(handle.at) if gtk is not None else 'widget'} {registry.uid(handle)}"
    known = registry.know(handle)
    text = _text(handle)
    line = " ".join(text.split())
    line = line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"
    return f'{known.kind.role} "{line}"' if line else f"{known.kind.role} {known.native_class}"


def _text(window: Any) -> str:
    if isinstance(window, wx.TopLevelWindow):
        return str(window.GetTitle())
    # Never the text of an edit: it may be long, or a password.
    if isinstance(window, wx.Control) and not isinstance(window, wx.TextEntry):
        return str(window.GetLabelText()) or str(window.GetName())
    return str(window.GetName())
