"""The window of hello_imgui and immapp, asked through the very library that drew it."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ...model.node import Rect
from .place import Place, Seen

_VIEWPORTS = 1 << 10
"""ImGuiConfigFlags_ViewportsEnable."""
_FOCUSED, _ICONIFIED, _MAXIMIZED = 0x00020001, 0x00020002, 0x00020008


class GlfwWindow:
    """A window of GLFW that hello_imgui runs in. Implements place.Surface."""

    def __init__(self, handle: int) -> None:
        self._handle = ctypes.c_void_p(handle)
        self._glfw = _glfw()

    def look(self, context: Any) -> Place:
        bounds = self._bounds()
        seen = Seen(
            title=(self._glfw.glfwGetWindowTitle(self._handle) or b"").decode("utf-8", "replace"),
            bounds=bounds,
            focused=self._attribute(_FOCUSED),
            minimized=self._attribute(_ICONIFIED),
            maximized=self._attribute(_MAXIMIZED),
            native_id=self._native_id(),
            native_class="glfw",
        )
        if context.io.config_flags & _VIEWPORTS:
            return Place(window=seen)  # then Dear ImGui counts from the corner of the screen
        return Place(bounds.x, bounds.y, window=seen)

    def wake(self) -> None:
        _hello_imgui().request_refresh()
        self._glfw.glfwPostEmptyEvent()

    def pointer(self) -> tuple[float, float] | None:
        x, y = ctypes.c_double(), ctypes.c_double()
        self._glfw.glfwGetCursorPos(self._handle, ctypes.byref(x), ctypes.byref(y))
        return x.value, y.value

    def control(
        self, do: str, x: float | None, y: float | None, width: float | None, height: float | None
    ) -> None:
        glfw, handle = self._glfw, self._handle
        before = self._bounds()
        if do == "move":
            glfw.glfwSetWindowPos(handle, _whole(x, before.x), _whole(y, before.y))
        elif do == "resize":
            glfw.glfwSetWindowSize(handle, _whole(width, before.width), _whole(height, before.height))
        elif do == "close":
            glfw.glfwSetWindowShouldClose(handle, 1)
        else:
            names = {"focus": "Focus", "minimize": "Iconify", "maximize": "Maximize", "restore": "Restore"}
            glfw[f"glfw{names[do]}Window"](handle)

    def before_swap(self, function: Callable[[], object]) -> Callable[[], None]:
        callbacks = _hello_imgui().get_runner_params().callbacks
        own = callbacks.before_swap or (lambda: None)

        def both() -> None:
            own()
            function()

        def stop() -> None:
            callbacks.before_swap = own

        callbacks.before_swap = both
        return stop

    def _bounds(self) -> Rect:
        x, y, width, height = (ctypes.c_int() for _ in range(4))
        self._glfw.glfwGetWindowPos(self._handle, ctypes.byref(x), ctypes.byref(y))
        self._glfw.glfwGetWindowSize(self._handle, ctypes.byref(width), ctypes.byref(height))
        return Rect(x.value, y.value, width.value, height.value)

    def _attribute(self, name: int) -> bool:
        return bool(self._glfw.glfwGetWindowAttrib(self._handle, name))

    def _native_id(self) -> int | None:
        ask = getattr(self._glfw, "glfwGetX11Window", None)
        return None if ask is None else int(ask(self._handle)) or None


def glfw_window() -> GlfwWindow | None:
    """The window that hello_imgui runs in, if it does so with GLFW. On the GUI thread."""
    runner = _hello_imgui()
    if runner is None or not runner.is_using_hello_imgui():
        return None
    address = runner.get_glfw_window_address()
    return GlfwWindow(address) if address else None


def _hello_imgui() -> Any:
    bundle: Any = sys.modules["imgui_bundle"]
    return getattr(bundle, "hello_imgui", None)


def _whole(value: float | None, otherwise: float) -> int:
    return round(otherwise if value is None else value)


_library: Any = None


def _glfw() -> Any:
    global _library
    if _library is None:
        bundle: Any = sys.modules["imgui_bundle"]
        folder = Path(bundle.__file__).parent
        # By this very name: another of the same wheel would be a second library, which knows no window.
        names = ("libglfw.so.3", "libglfw.3.dylib", "glfw3.dll")
        _library = library = ctypes.CDLL(
            str(next(path for name in names if (path := folder / name).exists()))
        )
        library.glfwGetWindowTitle.restype = ctypes.c_char_p
        if hasattr(library, "glfwGetX11Window"):
            library.glfwGetX11Window.restype = ctypes.c_ulong
    return _library
