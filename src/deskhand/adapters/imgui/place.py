"""Where a context of Dear ImGui is drawn: a window of the desktop, a canvas of another toolkit, nowhere.

Dear ImGui counts from the upper left corner of what it is drawn in; everybody else from that of the screen.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from ...model.node import Rect
from .record import Recorder

Box = tuple[float, float, float, float]


class Place:
    """How the positions of one context get onto the screen."""

    def __init__(
        self,
        x: float = 0.0,
        y: float = 0.0,
        scale: float = 1.0,
        prefix: str = "",
        surface: Surface | None = None,
    ) -> None:
        self.x, self.y, self.scale = x, y, scale
        """Where its upper left corner is, and how many pixels of the screen are one of its own."""
        self.prefix = prefix
        """Before each uid, so that no other context has the same."""
        self.surface = surface

    def on_screen(self, box: Box) -> Rect:
        left, top, right, bottom = box
        scale = self.scale
        return Rect(
            self.x + left * scale, self.y + top * scale, (right - left) * scale, (bottom - top) * scale
        )

    def inside(self, x: float, y: float) -> tuple[float, float]:
        """A point of the screen, as the context counts."""
        return (x - self.x) / self.scale, (y - self.y) / self.scale


class Surface(Protocol):
    """The window of the desktop that a context is drawn in."""

    def title(self) -> str: ...
    def bounds(self) -> Rect: ...
    def focused(self) -> bool: ...
    def minimized(self) -> bool: ...
    def maximized(self) -> bool: ...
    def control(
        self, do: str, x: float | None, y: float | None, width: float | None, height: float | None
    ) -> None:
        """On the GUI thread."""

    def wake(self) -> None:
        """Make it draw a frame soon. From any thread."""

    def pointer(self) -> tuple[float, float] | None:
        """Where the real pointer is, if it can be asked for. On the GUI thread."""

    def place(self, recorder: Recorder, prefix: str) -> Place:
        """Where a context lies that is drawn in it."""

    def before_swap(self, function: Callable[[], object]) -> Callable[[], None]:
        """Call it whenever a frame is drawn and not shown yet. Returns how to stop that."""

    def native_id(self) -> int | None: ...


_VIEWPORTS = 1 << 10
"""ImGuiConfigFlags_ViewportsEnable."""
_ICONIFIED, _FOCUSED, _MAXIMIZED = 0x00020002, 0x00020001, 0x00020008


class GlfwWindow:
    """The window of hello_imgui and immapp, and any other of GLFW, asked through the library that drew it."""

    def __init__(self, handle: int) -> None:
        self._handle = ctypes.c_void_p(handle)
        self._glfw = _glfw()

    def title(self) -> str:
        title: bytes | None = self._glfw.glfwGetWindowTitle(self._handle)
        return "" if title is None else title.decode("utf-8", "replace")

    def bounds(self) -> Rect:
        x, y, width, height = (ctypes.c_int() for _ in range(4))
        self._glfw.glfwGetWindowPos(self._handle, ctypes.byref(x), ctypes.byref(y))
        self._glfw.glfwGetWindowSize(self._handle, ctypes.byref(width), ctypes.byref(height))
        return Rect(x.value, y.value, width.value, height.value)

    def focused(self) -> bool:
        return self._attribute(_FOCUSED)

    def minimized(self) -> bool:
        return self._attribute(_ICONIFIED)

    def maximized(self) -> bool:
        return self._attribute(_MAXIMIZED)

    def control(
        self, do: str, x: float | None, y: float | None, width: float | None, height: float | None
    ) -> None:
        glfw, handle = self._glfw, self._handle
        before = self.bounds()
        if do == "move":
            glfw.glfwSetWindowPos(handle, _whole(x, before.x), _whole(y, before.y))
        elif do == "resize":
            glfw.glfwSetWindowSize(handle, _whole(width, before.width), _whole(height, before.height))
        elif do == "close":
            glfw.glfwSetWindowShouldClose(handle, 1)
        else:
            names = {"focus": "Focus", "minimize": "Iconify", "maximize": "Maximize", "restore": "Restore"}
            glfw[f"glfw{names[do]}Window"](handle)

    def wake(self) -> None:
        bundle: Any = sys.modules.get("imgui_bundle")
        runner = getattr(bundle, "hello_imgui", None)
        if runner is not None:
            runner.request_refresh()
        self._glfw.glfwPostEmptyEvent()

    def pointer(self) -> tuple[float, float] | None:
        x, y = ctypes.c_double(), ctypes.c_double()
        self._glfw.glfwGetCursorPos(self._handle, ctypes.byref(x), ctypes.byref(y))
        return x.value, y.value

    def place(self, recorder: Recorder, prefix: str) -> Place:
        bounds = self.bounds()
        if recorder.context.io.config_flags & _VIEWPORTS:
            return Place(prefix=prefix, surface=self)  # then Dear ImGui counts from the corner of the screen
        return Place(bounds.x, bounds.y, prefix=prefix, surface=self)

    def before_swap(self, function: Callable[[], object]) -> Callable[[], None]:
        bundle: Any = sys.modules["imgui_bundle"]
        callbacks = bundle.hello_imgui.get_runner_params().callbacks
        own = callbacks.before_swap or (lambda: None)

        def both() -> None:
            own()
            function()

        def stop() -> None:
            callbacks.before_swap = own

        callbacks.before_swap = both
        return stop

    def native_id(self) -> int | None:
        try:
            return int(self._glfw.glfwGetX11Window(self._handle)) or None
        except AttributeError:
            return None

    def _attribute(self, name: int) -> bool:
        return bool(self._glfw.glfwGetWindowAttrib(self._handle, name))


def glfw_window() -> GlfwWindow | None:
    """The window that hello_imgui runs in, if it does so with GLFW. On the GUI thread."""
    bundle: Any = sys.modules.get("imgui_bundle")
    runner = getattr(bundle, "hello_imgui", None)
    if runner is None or not runner.is_using_hello_imgui():
        return None
    address = getattr(runner, "get_glfw_window_address", lambda: 0)()
    return GlfwWindow(address) if address else None


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
