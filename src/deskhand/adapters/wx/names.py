"""What to call a window, a part or a widget in an error message."""

from __future__ import annotations

from . import kinds, native, parts
from .gtk import gtk
from .handles import Handle, Part, Registry, Widget


def describe(handle: Handle, registry: Registry) -> str:
    """Such as `button "Save"`."""
    if isinstance(handle, Part):
        return parts.of(handle, registry).call(handle.window, handle.key)
    if isinstance(handle, Widget):
        role = native.role(gtk, handle.at) if gtk is not None else "generic"
        return f"{role} {gtk.type_name(handle.at) if gtk is not None else ''} {registry.uid(handle)}"
    return kinds.describe(handle)
