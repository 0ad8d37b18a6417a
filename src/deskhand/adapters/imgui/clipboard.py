"""The clipboard, of which a text is put there by the program itself.

GLFW waits for the text while it holds Python's lock: a thread of this process could never hand it out.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any, Protocol

from ...model.errors import ActionFailed
from ..clipboard import Clipboard


class Call(Protocol):
    """Runs a function on the GUI thread."""

    def __call__(self, function: Callable[[], Any], *, timeout: float) -> Any: ...


class ImguiClipboard:
    """Reads the clipboard, and puts texts there."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self._display = Clipboard(os.environ)

    def read(self, timeout: float) -> str:
        """The text that would be pasted now; empty if nothing was copied."""
        if os.environ.get("DISPLAY"):
            return self._display.read(timeout)
        return str(self._call(_imgui().get_clipboard_text, timeout=timeout))

    def write(self, text: str, timeout: float) -> None:
        """Put a text there."""
        self._call(lambda: _imgui().set_clipboard_text(text), timeout=timeout)
        if self.read(timeout) != text:
            raise ActionFailed("the clipboard did not take the text", target="clipboard")


def _imgui() -> Any:
    bundle: Any = sys.modules["imgui_bundle"]
    return bundle.imgui
