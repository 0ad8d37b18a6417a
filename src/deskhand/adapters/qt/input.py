"""Mouse, keyboard, wheel and input-method events, as the window system would deliver them.

Events enter where Qt's platform plugin hands them in, through QTest on the QWindow, so that everything a
real mouse and keyboard set off happens: hover, focus, shortcuts, popups, drags, double clicks. This module
knows windows and points, not what is there; `aim` finds the point.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, nullcontext
from functools import partial
from importlib import import_module
from itertools import groupby
from typing import Any, ClassVar

from ...model.errors import ActionFailed, ActionUnsupported
from .binding import Binding
from .keys import Chord
from .thread import UiThread

_GRACE = 30
"""Milliseconds after which a step that has not returned is taken to be inside a nested event loop."""
_ACTIVATION = 1.0
"""Seconds that the window system gets to activate a window."""
_KEYBOARD_LIMIT = 0x700
"""Below this lie the alphabets that keyboards have keys for; beyond, text comes from an input method."""

Step = Callable[[], object]
_OwnLoop = Callable[[], "AbstractContextManager[None]"]


class Input:
    """What a person has on the desk: one mouse and one keyboard."""

    def __init__(self, binding: Binding, ui: UiThread | None = None) -> None:
        self._binding = binding
        self._own_loop = nullcontext if ui is None else ui.own_loop
        self._qtest: Any = None
        self._at: tuple[Any, Any] | None = None
        self._held: set[str] = set()
        self._interval: int | None = None

    # -- the mouse -----------------------------------------------------------------------------

    @property
    def at(self) -> tuple[Any, Any] | None:
        """The window and the point where the mouse was last."""
        if self._at is None or not self._binding.is_valid(self._at[0]):
            return None
        return self._at

    def move(self, window: Any, point: Any, modifiers: Iterable[str] = ()) -> list[Step]:
        return [partial(self._move, window, point, tuple(modifiers))]

    def press(self, window: Any, point: Any, button: str, modifiers: Iterable[str] = ()) -> list[Step]:
        return [
            *self.move(window, point, modifiers),
            partial(self._button, "mousePress", window, point, button, modifiers),
        ]

    def release(self, window: Any, point: Any, button: str, modifiers: Iterable[str] = ()) -> list[Step]:
        return [partial(self._button, "mouseRelease", window, point, button, modifiers)]

    def click(
        self, window: Any, point: Any, button: str = "left", modifiers: Iterable[str] = (), count: int = 1
    ) -> list[Step]:
        steps = self.move(window, point)
        for number in range(count):
            # The third click of three is a plain press again: that is how a window system counts.
            steps += [
                partial(self._count, number == 1),
                partial(self._button, "mousePress", window, point, button, modifiers),
                partial(self._count, False),
                partial(self._button, "mouseRelease", window, point, button, modifiers),
            ]
        return steps

    def drag(
        self, window: Any, start: Any, end: Any, button: str, modifiers: Iterable[str], steps: int
    ) -> list[Step]:
        """Press, go there in so many moves, let go. Both points belong to the window the drag begins in."""
        points = [start + (end - start) * (number / steps) for number in range(1, steps + 1)]
        return [
            *self.press(window, start, button, modifiers),
            *(step for point in points for step in self.move(window, point, modifiers)),
            *self.release(window, end, button, modifiers),
        ]

    def wheel(self, window: Any, point: Any, dx: float, dy: float) -> list[Step]:
        """Turn the wheel, notch by notch; positive is right and down."""
        count = max(1, round(max(abs(dx), abs(dy))))
        turn = self._binding.QtCore.QPoint(round(-dx * 120 / count), round(-dy * 120 / count))
        return [*self.move(window, point), *[partial(self._wheel, window, point, turn)] * count]

    # -- the keyboard --------------------------------------------------------------------------

    def chord(self, window: Any, chord: Chord) -> list[Step]:
        if chord.key is not None:
            key = getattr(self._binding.Qt.Key, f"Key_{chord.key}")
            return [partial(self._key, window, key, chord.modifiers)]
        return [partial(self._character, window, chord.text or "", chord.modifiers)]

    def key(self, window: Any, key: Any) -> list[Step]:
        """One of Qt's own keys."""
        return [partial(self._key, window, key, ())]

    def text(self, window: Any, text: str) -> list[Step]:
        """Type text: with keys where a keyboard has them, through the input method where not."""
        steps: list[Step] = []
        for typable, run in groupby(text.replace("\r\n", "\n"), _has_key):
            if typable:
                steps.extend(self._typed(window, run))
            else:
                steps.append(partial(self._commit, window, "".join(run)))
        return steps

    def commit(self, text: str) -> None:
        """Enter text where the focus is, all at once, as an input method does."""
        self._commit(None, text)

    # -- windows and time ----------------------------------------------------------------------

    def play(self, steps: Iterable[Step]) -> None:
        """Do one step after another; when one opens a nested event loop, the rest happens inside that.

        So a press that opens a menu is still followed by its release, and a drag goes on after the program
        called QDrag.exec().
        """
        _Play(self._binding, steps, self._own_loop).run()

    def activate(self, window: Any) -> bool:
        """Bring a window to the front and make it the active one; whether that worked."""
        application = self._binding.QtGui.QGuiApplication
        if not _takes_focus(self._binding, window):
            return True
        if application.focusWindow() is not window:
            # The offscreen platform has no order of windows, and complains each time.
            if application.platformName() != "offscreen":
                window.raise_()
            window.requestActivate()
            self.wait(lambda: application.focusWindow() is window, _ACTIVATION)
        return bool(application.focusWindow() is window)

    def settle(self, window: Any) -> None:
        """Wait until a window that just opened is on the screen, and what the window system said is heard."""
        self.wait(window.isExposed, _ACTIVATION)
        # Asks the window system and waits for its answer: what it said before has then arrived.
        self._binding.QtGui.QCursor.pos()
        with self._own_loop():
            self._binding.QtCore.QCoreApplication.processEvents()

    def wait(self, condition: Callable[[], bool], timeout: float) -> bool:
        """Let events happen until the condition holds; whether it came to hold."""
        application = self._binding.QtCore.QCoreApplication
        flag = self._binding.QtCore.QEventLoop.ProcessEventsFlag.AllEvents
        deadline = time.monotonic() + timeout
        with self._own_loop():
            while not condition():
                if time.monotonic() > deadline:
                    return False
                application.processEvents(flag, 5)
                time.sleep(0.001)
        return True

    # -- single events -------------------------------------------------------------------------

    @property
    def _test(self) -> Any:
        if self._qtest is None:
            try:
                self._qtest = import_module(f"{self._binding.name}.QtTest").QTest
            except ImportError as error:
                raise ActionUnsupported(
                    f"real input needs {self._binding.name}.QtTest, which is not there: {error}",
                    suggestions=("install that part of the binding", "use press, set_value and select"),
                    missing=f"{self._binding.name}.QtTest",
                ) from None
        return self._qtest

    def _move(self, window: Any, point: Any, modifiers: tuple[str, ...]) -> None:
        if not self._binding.is_valid(window):
            return
        self._at = (window, point)
        if self._binding.QtGui.QGuiApplication.platformName() == "offscreen":
            # Nobody else's mouse is moved there, and programs that ask QCursor.pos() get the truth.
            self._binding.QtGui.QCursor.setPos(window.mapToGlobal(point))
        if modifiers:
            # Fallback: QTest moves the mouse without modifiers only.
            self._send_move(window, point, modifiers)
        else:
            self._test.mouseMove(window, self._not_null(point))

    def _button(self, what: str, window: Any, point: Any, button: str, modifiers: Iterable[str]) -> None:
        if what == "mousePress":
            self._held.add(button)
        else:
            self._held.discard(button)
        if not self._binding.is_valid(window):
            return
        self._at = (window, point)
        getattr(self._test, what)(
            window, self.button(button), self.modifiers(modifiers), self._not_null(point)
        )

    def _count(self, second: bool) -> None:
        """Let the next press count as the second of a double click, or not.

        QTest's own clock jumps by 500 ms after each release, so no two clicks become one by chance.
        """
        hints = self._binding.QtGui.QGuiApplication.styleHints()
        set_interval = import_module(f"{self._binding.name}.QtWidgets").QApplication.setDoubleClickInterval
        if second:
            self._interval = hints.mouseDoubleClickInterval()
            set_interval(10_000)
        elif self._interval is not None:
            set_interval(self._interval)
            self._interval = None

    def _wheel(self, window: Any, point: Any, turn: Any) -> None:
        gui, core, qt = self._binding.QtGui, self._binding.QtCore, self._binding.Qt
        if not self._binding.is_valid(window):
            return
        event = gui.QWheelEvent(
            core.QPointF(point),
            core.QPointF(window.mapToGlobal(point)),
            core.QPoint(0, 0),
            turn,
            qt.MouseButton.NoButton,
            qt.KeyboardModifier.NoModifier,
            qt.ScrollPhase.NoScrollPhase,
            False,
        )
        core.QCoreApplication.sendEvent(window, event)

    def _send_move(self, window: Any, point: Any, modifiers: tuple[str, ...]) -> None:
        gui, core, qt = self._binding.QtGui, self._binding.QtCore, self._binding.Qt
        buttons = qt.MouseButton.NoButton
        for name in self._held:
            buttons |= self.button(name)
        event = gui.QMouseEvent(
            core.QEvent.Type.MouseMove,
            core.QPointF(point),
            core.QPointF(window.mapToGlobal(point)),
            qt.MouseButton.NoButton,
            buttons,
            self.modifiers(modifiers),
        )
        core.QCoreApplication.sendEvent(window, event)

    def _key(self, window: Any, key: Any, modifiers: Iterable[str]) -> None:
        if self._binding.is_valid(window):
            self._test.keyClick(window, key, self.modifiers(modifiers))

    def _character(self, window: Any, character: str, modifiers: Iterable[str]) -> None:
        if not self._binding.is_valid(window):
            return
        if character.isascii():
            # Never anything else: QTest ends the process when it is asked to find the key of "é".
            self._test.keyClick(window, character, self.modifiers(modifiers))
            return
        target = window
        if self._binding.name == "PyQt6":
            # Its QTest has this for widgets only; QML gets the bare events, which set off no shortcut.
            target = self._focus_widget()
        upper = character.upper()
        code = ord(upper if len(upper) == 1 else character)
        for pressed in (True, False):
            if target is None:
                self._send_key(window, pressed, code, modifiers, character)
            else:
                self._test.simulateEvent(target, pressed, code, self.modifiers(modifiers), character, False)

    def _send_key(self, window: Any, pressed: bool, code: int, modifiers: Iterable[str], text: str) -> None:
        types = self._binding.QtCore.QEvent.Type
        event = self._binding.QtGui.QKeyEvent(
            types.KeyPress if pressed else types.KeyRelease, code, self.modifiers(modifiers), text
        )
        self._binding.QtCore.QCoreApplication.sendEvent(window, event)

    def _typed(self, window: Any, run: Iterable[str]) -> Iterator[Step]:
        keys = self._binding.Qt.Key
        special = {"\n": keys.Key_Return, "\r": keys.Key_Return, "\t": keys.Key_Tab, "\b": keys.Key_Backspace}
        for character in run:
            if character in special:
                yield partial(self._key, window, special[character], ())
            else:
                yield partial(self._character, window, character, ("shift",) if character.isupper() else ())

    def _commit(self, window: Any, text: str) -> None:
        gui, core, qt = self._binding.QtGui, self._binding.QtCore, self._binding.Qt
        focus = gui.QGuiApplication.focusObject()
        if focus is not None:
            query = gui.QInputMethodQueryEvent(qt.InputMethodQuery.ImEnabled)
            core.QCoreApplication.sendEvent(focus, query)
            if query.value(qt.InputMethodQuery.ImEnabled):
                event = gui.QInputMethodEvent()
                event.setCommitString(text)
                core.QCoreApplication.sendEvent(focus, event)
                return
        if window is None:
            raise ActionFailed("nothing that takes text has the focus")
        # Fallback: what has the focus takes no input method, so it gets keys that carry the text.
        for character in text:
            self._send_key(window, True, 0, (), character)
            self._send_key(window, False, 0, (), character)

    # -- words of Qt ---------------------------------------------------------------------------

    def button(self, name: str) -> Any:
        return getattr(self._binding.Qt.MouseButton, f"{name.capitalize()}Button")

    def modifiers(self, names: Iterable[str]) -> Any:
        known = self._binding.Qt.KeyboardModifier
        flags = known.NoModifier
        for name in names:
            flags |= {
                "ctrl": known.ControlModifier,
                "shift": known.ShiftModifier,
                "alt": known.AltModifier,
                "meta": known.MetaModifier,
            }[name]
        return flags

    def _not_null(self, point: Any) -> Any:
        """The point; QTest takes the very corner for "anywhere" and would use the middle."""
        return self._binding.QtCore.QPoint(1, 0) if point.isNull() else point

    def _focus_widget(self) -> Any:
        return self._binding.app.focusWidget() if self._binding.has_widgets() else None


class _Play:
    """Steps that go on by a timer when one of them does not return."""

    _running: ClassVar[list[_Play]] = []
    """Those that have begun and not ended, the innermost last."""

    def __init__(self, binding: Binding, steps: Iterable[Step], own_loop: _OwnLoop) -> None:
        self._steps = deque(steps)
        self._own_loop = own_loop
        self._own = ExitStack()
        self._error: BaseException | None = None
        self._thread = binding.QtCore.QThread.currentThread()
        self._level = self._thread.loopLevel()
        self._timer = binding.QtCore.QTimer()
        self._timer.setSingleShot(True)
        self._timer.setInterval(_GRACE)
        self._timer.timeout.connect(self._go_on)

    @property
    def pending(self) -> bool:
        return bool(self._steps)

    def run(self) -> None:
        self._running.append(self)
        try:
            # Until the last step, an event loop is one of ours, whoever opened it; after that its opener's.
            self._own.enter_context(self._own_loop())
            self._next()
        finally:
            self._own.close()
            self._timer.stop()
            self._running.remove(self)
        if self._error is not None:
            raise self._error

    def _next(self) -> None:
        while self._steps:
            step = self._steps.popleft()
            if self._steps:
                self._timer.start()
            else:
                self._own.close()
            step()
            self._timer.stop()

    def _go_on(self) -> None:
        inner = self._running[self._running.index(self) + 1 :]
        # What a step of ours began comes first; and QTest handles events without being a nested loop.
        if any(play.pending for play in inner) or self._thread.loopLevel() == self._level:
            self._timer.start()
            return
        try:
            self._next()
        except BaseException as error:  # noqa: BLE001 - raised again by run(); a slot must not raise
            self._steps.clear()
            self._error = error


def _has_key(character: str) -> bool:
    return ord(character) < _KEYBOARD_LIMIT and not 0x300 <= ord(character) < 0x370


def _takes_focus(binding: Binding, window: Any) -> bool:
    qt = binding.Qt
    if window.type() in (qt.WindowType.Popup, qt.WindowType.ToolTip):
        return False
    return not window.flags() & qt.WindowType.WindowDoesNotAcceptFocus
