"""What a field without a caption is called: by the label that belongs to it, or that is next to it."""

from __future__ import annotations

from typing import Any

from ..captions import caption
from .binding import Binding
from .controls import plain, without_markup


class Beside:
    """Finds the labels of fields."""

    def __init__(self, binding: Binding) -> None:
        self._widget = binding.QtWidgets.QWidget
        self._form = binding.QtWidgets.QFormLayout
        self._label = binding.QtWidgets.QLabel

    def in_form(self, native: Any) -> str | None:
        """The label that a form layout has for a field; that is known before anything is shown."""
        above = self._widget.parentWidget(native)
        layout = self._widget.layout(above) if above is not None else None
        label = self._form.labelForField(layout, native) if isinstance(layout, self._form) else None
        text = self._label.text(label) if isinstance(label, self._label) else ""
        if not text:
            return None
        return caption(plain(without_markup(text) if "<" in text else text))
