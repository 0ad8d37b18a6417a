"""What to call a widget, an item or a window in an error message."""

from __future__ import annotations

from typing import Any

from ...model.node import called
from .binding import Binding
from .controls import Kinds, plain, without_markup
from .handles import Handle, Header, Item, MenuEntry, SceneItem, Tab
from .parts import entry_role
from .quick_kinds import kind_of

_TEXTS = ("windowTitle", "accessibleName", "text", "title", "objectName")
_EDITS = ("QLineEdit", "QAbstractSpinBox", "QComboBox", "QQuickTextInput", "QQuickTextEdit")


def describe(binding: Binding, handle: Handle) -> str:
    """Such as `button "Save"`."""
    if isinstance(handle, Item):
        return called(handle.role, handle.index.data())
    if isinstance(handle, Tab):
        return called("tab", plain(binding.bare(handle.bar).tabText(handle.index)))
    if isinstance(handle, MenuEntry):
        action = binding.bare(handle.action)
        return called(entry_role(binding, action), plain(action.text()))
    if isinstance(handle, Header):
        return called("column-header", handle.text)
    if isinstance(handle, SceneItem):
        return called("graphics-object", None, type(handle.item).__name__)
    if isinstance(handle, binding.QtGui.QWindow):
        window = binding.bare(handle)
        return called(
            "dialog" if window.modality() != binding.Qt.WindowModality.NonModal else "window", window.title()
        )
    return called(_role(binding, handle), _text(handle), binding.class_name(handle))


def _role(binding: Binding, native: Any) -> str:
    """The role of a widget or an item of QML, as selectors spell it; its class if it has none."""
    name = binding.class_name(native)
    if not native.isWidgetType():
        role = kind_of(native).role
    else:
        kinds = Kinds(binding)
        role = (kinds.by_native_class.get(name) or kinds.of(native)).role
        if role == "generic" and native.isWindow():
            return "window"
    if role == "button" and native.property("checkable"):
        return "checkbox" if binding.entered else "toggle-button"
    return name if role == "generic" else role


def _text(native: Any) -> str | None:
    # Never the text of an edit: it may be long, or a password.
    is_edit = any(native.inherits(name) for name in _EDITS)
    names = _TEXTS if not is_edit else ("accessibleName", "placeholderText", "objectName")
    for name in names:
        text = native.property(name)
        if isinstance(text, str) and text:
            return plain(without_markup(text) if "<" in text else text)
    return None
