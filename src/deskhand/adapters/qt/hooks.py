"""Handing events to Qt as if its platform plugin had received them from the window system.

Qt's own test library does this through functions that QtGui exports for it. They are called here directly,
by ctypes, because the bindings' QTest keeps Python's lock while Qt handles the event: if that opens a dialog
from C++, no thread of Python would run until it is closed. What QTest cannot do (modifiers while
the mouse moves, letters beyond ASCII) comes with it.
"""

from __future__ import annotations

import ctypes
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from ...model.errors import ActionUnsupported
from .binding import Binding

_MOUSE = (
    "_Z19qt_handleMouseEventP7QWindowRK7QPointFS3_6QFlagsIN2Qt11MouseButtonEES6_N6QEvent4TypeE"
    "S4_INS5_16KeyboardModifierEEi"
)
_KEY = "_Z17qt_handleKeyEventP7QWindowN6QEvent4TypeEi6QFlagsIN2Qt16KeyboardModifierEERK7QStringbt"
_WHEEL = (
    "_Z19qt_handleWheelEventP7QWindowRK7QPointFS3_6QPointS4_6QFlagsIN2Qt16KeyboardModifierEE"
    "NS6_11ScrollPhaseE"
)

_STEP = 10
"""Milliseconds that pass between two events, by the clock in them: what is dragged has a sane speed."""
_PAUSE = 5_000
"""Milliseconds that pass before a press that must not count as the second of a double click."""


class Hooks(Protocol):
    """A way in for single events. Buttons and modifiers are Qt's flags as numbers."""

    def mouse(
        self, kind: str, window: Any, point: Any, held: int, button: int, modifiers: int, again: bool = False
    ) -> None:
        """`kind` is press, release or move; `held` the buttons that are down after it.

        With `again`, a press is the second of a double click.
        """

    def key(self, window: Any, pressed: bool, code: int, modifiers: int, text: str) -> None: ...

    def wheel(self, window: Any, point: Any, dx: int, dy: int) -> bool:
        """Have the wheel turned, by eighths of a degree; false if this way in has no wheel."""


def find(binding: Binding) -> Hooks:
    """The best way in that there is."""
    library = _library(f"libQt{binding.major}Gui.so")
    if library is not None and hasattr(library, _MOUSE) and hasattr(library, _KEY):
        return DirectHooks(binding, library)
    # Fallback: other compilers name the functions differently; QTest reaches them everywhere.
    return TestHooks(binding)


class _Point(ctypes.Structure):
    _fields_ = (("x", ctypes.c_double), ("y", ctypes.c_double))


class _WholePoint(ctypes.Structure):
    _fields_ = (("x", ctypes.c_int), ("y", ctypes.c_int))


class _String(ctypes.Structure):
    """A QString of Qt 6 that borrows its characters, as QString::fromRawData makes it."""

    _fields_ = (("d", ctypes.c_void_p), ("ptr", ctypes.c_void_p), ("size", ctypes.c_ssize_t))


class _Qt5Data(ctypes.Structure):
    """What the QString of Qt 5 points to: here with the count that it has for data that is never freed."""

    _fields_ = (
        ("references", ctypes.c_int),
        ("size", ctypes.c_int),
        ("allocated", ctypes.c_uint),
        ("offset", ctypes.c_ssize_t),
    )


def _string(characters: Any, size: int) -> Any:
    return _String(None, ctypes.addressof(characters), size)


def _string_of_qt5(characters: Any, size: int) -> Any:
    data = _Qt5Data(-1, size, 0, 0)
    data.offset = ctypes.addressof(characters) - ctypes.addressof(data)
    return ctypes.pointer(data)


class DirectHooks:
    """Calls the functions of QtGui."""

    def __init__(self, binding: Binding, library: ctypes.CDLL) -> None:
        pointer, number = ctypes.c_void_p, ctypes.c_int
        point = ctypes.POINTER(_Point)
        self._mouse = getattr(library, _MOUSE)
        self._mouse.argtypes = (pointer, point, point, number, number, number, number, number)
        self._mouse.restype = None
        self._key = getattr(library, _KEY)
        self._key.argtypes = (
            pointer, number, number, number, pointer, ctypes.c_bool, ctypes.c_ushort,
        )  # fmt: skip
        self._key.restype = None
        self._wheel = getattr(library, _WHEEL, None)
        if self._wheel is not None:
            self._wheel.argtypes = (pointer, point, point, _WholePoint, _WholePoint, number, number)
            self._wheel.restype = None
        self._address = binding.address
        self._as_string = _string if binding.major >= 6 else _string_of_qt5
        types = binding.QtCore.QEvent.Type
        self._types = {
            "press": binding.number(types.MouseButtonPress),
            "release": binding.number(types.MouseButtonRelease),
            "move": binding.number(types.MouseMove),
        }
        self._key_types = {True: binding.number(types.KeyPress), False: binding.number(types.KeyRelease)}
        self._clock = 0
        self._wayland = binding.QtGui.QGuiApplication.platformName().startswith("wayland")
        # What Qt or the program keeps of a text may be our very characters, so they are never let go.
        self._texts: dict[str, tuple[Any, Any]] = {}

    def mouse(
        self, kind: str, window: Any, point: Any, held: int, button: int, modifiers: int, again: bool = False
    ) -> None:
        self._clock += _PAUSE if kind == "press" and not again else _STEP
        local, there = self._points(window, point)
        self._mouse(
            self._address(window), local, there, held, button, self._types[kind], modifiers,
            self._clock & 0x7FFFFFFF,
        )  # fmt: skip

    def key(self, window: Any, pressed: bool, code: int, modifiers: int, text: str) -> None:
        string = ctypes.byref(self._text(text))
        self._key(self._address(window), self._key_types[pressed], code, modifiers, string, False, 1)

    def wheel(self, window: Any, point: Any, dx: int, dy: int) -> bool:
        if self._wheel is None:
            return False
        local, there = self._points(window, point, self._enlarged(window))
        self._wheel(self._address(window), local, there, _WholePoint(0, 0), _WholePoint(dx, dy), 0, 0)
        return True

    def _points(self, window: Any, point: Any, scale: float = 1) -> tuple[Any, Any]:
        there = window.mapToGlobal(point)
        corner = window.screen().geometry().topLeft()  # where a screen begins is not enlarged
        x, y = ((there.x() - corner.x()) * scale, (there.y() - corner.y()) * scale)
        return (
            ctypes.byref(_Point(point.x() * scale, point.y() * scale)),
            ctypes.byref(_Point(corner.x() + x, corner.y() + y)),
        )

    def _enlarged(self, window: Any) -> float:
        """How much larger the window system's pixels count: of a wheel, unlike a mouse, Qt takes those."""
        # Wayland has scales of its own, which are not part of this one.
        return 1 if self._wayland else float(window.devicePixelRatio())

    def _text(self, text: str) -> Any:
        known = self._texts.get(text)
        if known is None:
            encoded = text.encode("utf-16-le")
            buffer = ctypes.create_string_buffer(encoded + b"\0\0")
            known = self._texts[text] = (buffer, self._as_string(buffer, len(encoded) // 2))
        return known[1]


class TestHooks:
    """Calls the binding's QTest. While Qt handles an event, no other thread of Python runs."""

    __test__ = False

    def __init__(self, binding: Binding) -> None:
        self._binding = binding
        try:
            self._test: Any = import_module(f"{binding.name}.QtTest").QTest
        except ImportError as error:
            raise ActionUnsupported(
                f"real input needs {binding.name}.QtTest here, which is not there: {error}",
                suggestions=("install that part of the binding", "use press, set_value and select"),
                missing=f"{binding.name}.QtTest",
            ) from None

    def mouse(
        self, kind: str, window: Any, point: Any, held: int, button: int, modifiers: int, again: bool = False
    ) -> None:
        qt = self._binding.Qt
        # It takes the very corner for "anywhere" and would use the middle.
        point = self._binding.QtCore.QPoint(1, 0) if point.isNull() else point
        if kind == "move":
            self._test.mouseMove(window, point)
            return
        function = self._test.mousePress if kind == "press" else self._test.mouseRelease
        arguments = (window, qt.MouseButton(button), qt.KeyboardModifier(modifiers), point)
        if not again:
            function(*arguments)
            return
        # Its own clock jumps by 500 ms after each release.
        application = import_module(f"{self._binding.name}.QtWidgets").QApplication
        before = application.doubleClickInterval()
        application.setDoubleClickInterval(10_000)
        try:
            function(*arguments)
        finally:
            application.setDoubleClickInterval(before)

    def key(self, window: Any, pressed: bool, code: int, modifiers: int, text: str) -> None:
        qt = self._binding.Qt
        flags = qt.KeyboardModifier(modifiers)
        function = self._test.keyPress if pressed else self._test.keyRelease
        if len(text) == 1 and " " <= text <= "~":
            function(window, text, flags)
        elif code >= 0x01000000:
            function(window, qt.Key(code), flags)
        else:
            # Never to QTest, which ends the process when it does not know the key of a letter.
            types = self._binding.QtCore.QEvent.Type
            kind = types.KeyPress if pressed else types.KeyRelease
            event = self._binding.QtGui.QKeyEvent(kind, code, flags, text)
            self._binding.QtCore.QCoreApplication.sendEvent(window, event)

    def wheel(self, window: Any, point: Any, dx: int, dy: int) -> bool:
        return False


def _library(name: str) -> ctypes.CDLL | None:
    """The QtGui that this process has loaded."""
    try:
        maps = Path("/proc/self/maps").read_text()
    except OSError:
        return None
    paths = {line.split(None, 5)[-1] for line in maps.splitlines() if name in line}
    try:
        return ctypes.CDLL(paths.pop()) if len(paths) == 1 else None
    except OSError:
        return None
