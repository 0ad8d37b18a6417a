"""The clipboard, through the program's own, which it can paste from while its Python code waits for Qt."""

from __future__ import annotations

from typing import Any

from ...model.errors import ActionFailed
from ..clipboard import SECRET, holds_no_text, holds_password
from .thread import UiThread


class QtClipboard:
    """Reads the clipboard, and puts texts there."""

    def __init__(self, binding: Any, ui: UiThread) -> None:
        self._binding = binding
        self._ui = ui

    def read(self, timeout: float) -> str:
        """The text that would be pasted now; empty if nothing was copied."""
        return self._ui.call(self._text, timeout)

    def write(self, text: str, timeout: float) -> None:
        """Put a text there."""

        def put() -> str:
            self._clipboard().setText(text)
            return self._text()

        if self._ui.call(put, timeout) != text:
            raise ActionFailed("the clipboard did not take the text", target="clipboard")

    def _text(self) -> str:
        data = self._clipboard().mimeData()
        if data is not None and bytes(data.data(SECRET)) == b"secret":
            raise holds_password()
        if data is not None and data.formats() and not data.hasText():
            raise holds_no_text()
        return str(self._clipboard().text())

    def _clipboard(self) -> Any:
        return self._binding.QtGui.QGuiApplication.clipboard()
