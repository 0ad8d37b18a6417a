"""What to call a widget, an item or a window in an error message."""

from __future__ import annotations

from typing import Any

from .binding import Binding
from .controls import plain
from .handles import Entry, Handle, Header, Item, SceneItem, Tab

_WORDS = (
    ("QMenu", "menu"), ("QMenuBar", "menu bar"), ("QMessageBox", "dialog"), ("QDialog", "dialog"),
    ("QCheckBox", "checkbox"), ("QRadioButton", "radio"), ("QAbstractButton", "button"),
    ("QLabel", "text"), ("QLineEdit", "textfield"), ("QComboBox", "combo-box"), ("QGroupBox", "group"),
    ("QMdiSubWindow", "window"), ("QMainWindow", "window"), ("QTabWidget", "tab-list"),
    ("QTabBar", "tab-list"),
)  # fmt: skip
_TEXTS = ("windowTitle", "accessibleName", "text", "title", "objectName")
_EDITS = ("QLineEdit", "QAbstractSpinBox", "QComboBox", "QQuickTextInput", "QQuickTextEdit")
_LONGEST = 60


def describe(binding: Binding, handle: Handle) -> str:
    """Such as `button "Save"`."""
    if isinstance(handle, Item):
        return _call("row" if handle.row else "item", handle.index.data())
    if isinstance(handle, Tab):
        return _call("tab", plain(binding.bare(handle.bar).tabText(handle.index)))
    if isinstance(handle, Entry):
        return _call("menu item", plain(binding.bare(handle.action).text()))
    if isinstance(handle, Header):
        return _call("header", handle.text)
    if isinstance(handle, SceneItem):
        return _call(type(handle.item).__name__, None)
    if isinstance(handle, binding.QtGui.QWindow):
        window = binding.bare(handle)
        return _call(
            "dialog" if window.modality() != binding.Qt.WindowModality.NonModal else "window", window.title()
        )
    word = next((word for name, word in _WORDS if handle.inherits(name)), None)
    return _call(word or binding.class_name(handle), _text(handle))


def _text(native: Any) -> str | None:
    # Never the text of an edit: it may be long, or a password.
    is_edit = any(native.inherits(name) for name in _EDITS)
    names = _TEXTS if not is_edit else ("accessibleName", "placeholderText", "objectName")
    for name in names:
        text = native.property(name)
        if isinstance(text, str) and text:
            return plain(text)
    return None


def _call(word: str, text: object) -> str:
    if text is None or text == "":
        return word
    line = " ".join(str(text).split())
    return f'{word} "{line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"}"'
