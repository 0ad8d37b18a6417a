"""When a frame begins and ends, in whatever way the program draws: from Python, or from a runner in C++.

Dear ImGui calls hooks of its context in both; its Python binding leaves out how to set one, so that is done
through ctypes. A frame begins after the platform's own input and before Dear ImGui looks at any.
"""

from __future__ import annotations

import ctypes
import logging
import sys
from collections.abc import Callable
from typing import Any

from ...model.errors import ActionUnsupported

_log = logging.getLogger("deskhand.imgui")

BEGIN, END, SHUTDOWN = 0, 2, 6
"""ImGuiContextHookType: before NewFrame does anything, before EndFrame does, when the context goes."""

_CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)


class _Hook(ctypes.Structure):
    """ImGuiContextHook, as Dear ImGui has it since 1.81."""

    _fields_ = (
        ("id", ctypes.c_uint),
        ("type", ctypes.c_int),
        ("owner", ctypes.c_uint),
        ("callback", _CALLBACK),
        ("user_data", ctypes.c_void_p),
    )


class FrameHooks:
    """Calls functions at the beginning and the end of every frame of one context, and when that goes."""

    def __init__(self, begin: Callable[[], None], end: Callable[[], None], gone: Callable[[], None]) -> None:
        """For the current context."""
        library = _library()
        self._context = library.current()
        self._remove = library.remove
        self._kept: list[Any] = []
        """Dear ImGui holds pointers to these only."""
        self._ids: list[int] = []
        for kind, function in ((BEGIN, begin), (END, end), (SHUTDOWN, gone)):
            callback = _CALLBACK(_called(function))
            hook = _Hook(0, kind, 0, callback, None)
            self._kept += (callback, hook)
            self._ids.append(library.add(self._context, ctypes.byref(hook)))

    @property
    def context(self) -> int:
        """The address of the context."""
        return int(self._context)

    def remove(self) -> None:
        """Call nothing any more. On the GUI thread, while the context lives."""
        for number in self._ids:
            self._remove(self._context, number)
        self._ids.clear()


def current_context() -> int:
    """The address of the current context; 0 if there is none."""
    return _library().current() or 0


def _called(function: Callable[[], None]) -> Callable[[int, int], None]:
    def call(_context: int, _hook: int) -> None:
        try:
            function()
        except Exception:  # noqa: BLE001 - inside Dear ImGui nothing could catch it
            _log.exception("a frame was not recorded")

    return call


class _Library:
    """The functions of Dear ImGui that the binding leaves out."""

    def __init__(self) -> None:
        native: Any = sys.modules["imgui_bundle._imgui_bundle"]
        library = ctypes.PyDLL(native.__file__)
        try:
            self.current = library["_ZN5ImGui17GetCurrentContextEv"]
            self.add = library["_ZN5ImGui14AddContextHookEP12ImGuiContextPK16ImGuiContextHook"]
            self.remove = library["_ZN5ImGui17RemoveContextHookEP12ImGuiContextj"]
        except AttributeError as error:
            raise ActionUnsupported(
                f"imgui-bundle was built without what tells where a frame begins: {error}",
                suggestions=("use a wheel of imgui-bundle for Linux",),
            ) from None
        self.current.restype = ctypes.c_void_p
        self.current.argtypes = ()
        self.add.restype = ctypes.c_uint
        self.add.argtypes = (ctypes.c_void_p, ctypes.c_void_p)
        self.remove.restype = None
        self.remove.argtypes = (ctypes.c_void_p, ctypes.c_uint)


_loaded: _Library | None = None


def _library() -> _Library:
    global _loaded
    if _loaded is None:
        _loaded = _Library()
    return _loaded
