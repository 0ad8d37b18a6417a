"""Mouse, keyboard, wheel and input-method events, as the window system would deliver them.

Events enter where Qt's platform plugin hands them in (`hooks`), so that everything a real mouse and keyboard
set off happens: hover, focus, shortcuts, popups, drags, double clicks. This module knows windows and points,
not the elements at them; `aim` finds the point.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, nullcontext
from functools import partial
from itertools import groupby
from typing import Any, ClassVar

from ...model.errors import ActionFailed, UiBusy
from ...model.keys import Chord
from . import hooks
from .binding import Binding, as_slot
from .thread import UiThread

_GRACE = 30
"""Milliseconds after which a step that has not returned is taken to be inside a nested event loop."""
_ACTIVATION = 1.0
"""Seconds that the window system gets to activate a window."""
_SLICE = 0.02
"""Seconds of typing after which other calls that wait for the GUI thread get their turn."""
_KEYBOARD_LIMIT = 0x700
"""Below this lie the alphabets that keyboards have keys for; beyond, text comes from an input method."""

_MODIFIERS = {"ctrl": "Control", "shift": "Shift", "alt": "Alt", "meta": "Meta"}
_TEXTS = {
    0x01000004: "\r", 0x01000005: "\r", 0x01000001: "\t", 0x01000000: "\x1b", 0x01000003: "\b", 0x20: " ",
}  # fmt: skip
"""What keys type that are called by a name: Return, Enter, Tab, Escape, Backspace, Space."""

Step = Callable[[], object]
_OwnLoop = Callable[[], "AbstractContextManager[None]"]


class Input:
    """What a person has on the desk: one mouse and one keyboard."""

    def __init__(self, binding: Binding, ui: UiThread | None = None) -> None:
        self._binding = binding
        self._own_loop = nullcontext if ui is None else ui.own_loop
        self._found: hooks.Hooks | None = None
        self._at: tuple[Any, Any] | None = None
        self._held: set[str] = set()
        self.until: float | None = None
        """When the caller of the action that is being performed stops waiting, on the monotonic clock."""

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
            partial(self._button, "press", window, point, button, modifiers),
        ]

    def release(self, window: Any, point: Any, button: str, modifiers: Iterable[str] = ()) -> list[Step]:
        return [partial(self._button, "release", window, point, button, modifiers)]

    def click(
        self, window: Any, point: Any, button: str = "left", modifiers: Iterable[str] = (), count: int = 1
    ) -> list[Step]:
        steps = self.move(window, point)
        for number in range(count):
            # The third click of three is a plain press again: that is how a window system counts.
            again = number == 1
            steps += [
                partial(self._button, "press", window, point, button, modifiers, again),
                partial(self._button, "release", window, point, button, modifiers),
            ]
        return steps

    def drag(
        self, window: Any, start: Any, end: Any, button: str, modifiers: Iterable[str], steps: int
    ) -> list[Step]:
        """Press, go there in so many moves, let go. Both points belong to the window the drag begins in."""
        points = [start + (end - start) * (number / steps) for number in range(1, steps + 1)]
        return [
            *self.press(window, start, button, modifiers),
            *(step for point in points for step in (*self.move(window, point, modifiers), self._breathe)),
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
            return [partial(self._key, window, self._code(chord.key), chord.modifiers)]
        return [partial(self._character, window, chord.text or "", chord.modifiers)]

    def key(self, window: Any, name: str) -> list[Step]:
        """One of Qt's own keys, without `Key_`."""
        return [partial(self._key, window, self._code(name), ())]

    def text(self, window: Any, text: str) -> Iterator[Step]:
        """Type text: with keys where a keyboard has them, through the input method where not."""
        for typable, run in _runs(text):
            if typable:
                yield from self._typed(window, run)
            else:
                yield partial(self._commit, window, "".join(run))

    @staticmethod
    def strokes(text: str) -> int:
        """How many steps typing a text takes."""
        return sum(len(list(run)) if typable else 1 for typable, run in _runs(text))

    def paced(self, steps: Iterable[Step], count: int) -> Iterator[Step]:
        """The same steps, `count` of them, with turns for others in between; an error when the time is up.

        They are made one by one: a long text must not take its whole time before the first key stroke.
        """
        until, last = self.until, time.monotonic()

        def pace(done: int) -> None:
            nonlocal last
            now = time.monotonic()
            if until is not None and now > until:
                raise UiBusy(f"{done} of {count} key strokes were made in time", started=True)
            if now - last > _SLICE:
                self._breathe()
                last = time.monotonic()

        for done, step in enumerate(steps):
            yield partial(pace, done)
            yield step

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
        if not self.is_active(window):
            # The offscreen platform has no order of windows, and complains each time.
            if self._binding.QtGui.QGuiApplication.platformName() != "offscreen":
                window.raise_()
            window.requestActivate()
            self.wait(lambda: self.is_active(window), _ACTIVATION)
        return self.is_active(window)

    def is_active(self, window: Any) -> bool:
        """Whether a window is the active one, or one that never is, such as a menu."""
        focused = self._binding.QtGui.QGuiApplication.focusWindow()
        return focused is window or not _takes_focus(self._binding, window)

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
    def _hooks(self) -> hooks.Hooks:
        if self._found is None:
            self._found = hooks.find(self._binding)
        return self._found

    def _move(self, window: Any, point: Any, modifiers: tuple[str, ...]) -> None:
        if not self._binding.is_valid(window):
            return
        self._at = (window, point)
        if self._binding.QtGui.QGuiApplication.platformName() == "offscreen" and not self._held:
            # No real mouse is moved there, and programs that ask QCursor.pos() get the truth.
            self._binding.QtGui.QCursor.setPos(window.mapToGlobal(point))
            self._breathe()
        self._hooks.mouse("move", window, point, self._down(), 0, self._flags(modifiers))

    def _button(
        self, kind: str, window: Any, point: Any, button: str, modifiers: Iterable[str], again: bool = False
    ) -> None:
        if kind == "press":
            self._held.add(button)
        else:
            self._held.discard(button)
        if not self._binding.is_valid(window):
            return
        self._at = (window, point)
        number = self._number(button)
        self._hooks.mouse(kind, window, point, self._down(), number, self._flags(modifiers), again)

    def _wheel(self, window: Any, point: Any, turn: Any) -> None:
        core = self._binding.QtCore
        if not self._binding.is_valid(window):
            return
        if self._hooks.wheel(window, point, turn.x(), turn.y()):
            self._breathe()  # it is only put into a queue
            return
        # Fallback: before Qt 6.8 there is no way in for the wheel.
        at = window.mapToGlobal(point)
        taker = self._widget_at(window, point)
        if taker is None:
            core.QCoreApplication.sendEvent(window, self._wheel_event(point, at, turn))
            return
        # Qt hands a wheel event on to the parents only if it came from the window system itself.
        while True:
            event = self._wheel_event(taker.mapFromGlobal(at), at, turn)
            core.QCoreApplication.sendEvent(taker, event)
            above = None if taker.isWindow() else taker.parentWidget()
            if event.isAccepted() or above is None:
                return
            taker = above

    def _wheel_event(self, point: Any, at: Any, turn: Any) -> Any:
        gui, core, qt = self._binding.QtGui, self._binding.QtCore, self._binding.Qt
        event = gui.QWheelEvent(
            core.QPointF(point),
            core.QPointF(at),
            core.QPoint(0, 0),
            turn,
            qt.MouseButton.NoButton,
            qt.KeyboardModifier.NoModifier,
            qt.ScrollPhase.NoScrollPhase,
            False,
        )
        event.ignore()
        return event

    def _widget_at(self, window: Any, point: Any) -> Any:
        """The widget that a point of a window belongs to; None in a window without widgets."""
        if not window.inherits("QWidgetWindow"):
            return None
        for top in self._binding.app.topLevelWidgets():
            if top.windowHandle() is not None and top.windowHandle() == window:
                return top.childAt(point) or top
        return None

    def _breathe(self) -> None:
        """Let the program react to what happened so far."""
        self._binding.QtCore.QCoreApplication.processEvents()

    def _key(self, window: Any, code: int, modifiers: Iterable[str], text: str = "") -> None:
        """Press and release a key, with the keys of its modifiers around it."""
        if not self._binding.is_valid(window):
            return
        text = text or _TEXTS.get(code, "")
        held: list[str] = []
        for name in modifiers:
            self._hooks.key(window, True, self._code(name), self._flags(held), "")
            held.append(name)
        for pressed in (True, False):
            if self._binding.is_valid(window):
                self._hooks.key(window, pressed, code, self._flags(held), text)
        for name in reversed(held.copy()):
            held.remove(name)
            if self._binding.is_valid(window):
                self._hooks.key(window, False, self._code(name), self._flags(held), "")

    def _character(self, window: Any, character: str, modifiers: Iterable[str]) -> None:
        upper = character.upper()
        self._key(window, ord(upper if len(upper) == 1 else character[0]), modifiers, character)

    def _typed(self, window: Any, run: Iterable[str]) -> Iterator[Step]:
        special = {"\n": "Return", "\r": "Return", "\t": "Tab", "\b": "Backspace"}
        for character in run:
            if character in special:
                yield partial(self._key, window, self._code(special[character]), ())
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
            self._key(window, 0, (), character)

    # -- words of Qt, as numbers ---------------------------------------------------------------

    def _number(self, button: str) -> int:
        return self._binding.number(getattr(self._binding.Qt.MouseButton, f"{button.capitalize()}Button"))

    def _down(self) -> int:
        return sum(self._number(button) for button in self._held)

    def _flags(self, names: Iterable[str]) -> int:
        known, number = self._binding.Qt.KeyboardModifier, self._binding.number
        return sum(number(getattr(known, f"{_MODIFIERS[name]}Modifier")) for name in names)

    def _code(self, name: str) -> int:
        return self._binding.number(getattr(self._binding.Qt.Key, f"Key_{_MODIFIERS.get(name, name)}"))


class _Play:
    """Steps that go on by a timer when one of them does not return."""

    _running: ClassVar[list[_Play]] = []
    """Those that have begun and not ended, the innermost last."""

    def __init__(self, binding: Binding, steps: Iterable[Step], own_loop: _OwnLoop) -> None:
        self._rest = iter(steps)
        self._ahead = next(self._rest, None)
        self._own_loop = own_loop
        self._own = ExitStack()
        self._error: BaseException | None = None
        self._thread = binding.QtCore.QThread.currentThread()
        self._level = self._thread.loopLevel()
        self._timer = binding.QtCore.QTimer()
        self._timer.setSingleShot(True)
        self._timer.setInterval(_GRACE)
        self._timer.timeout.connect(as_slot(self._go_on))

    @property
    def pending(self) -> bool:
        return self._ahead is not None

    def run(self) -> None:
        self._running.append(self)
        try:
            # Until the last step, an event loop is one of ours, whatever opened it; after that its opener's.
            self._own.enter_context(self._own_loop())
            self._next()
        finally:
            self._own.close()
            self._timer.stop()
            self._running.remove(self)
        if self._error is not None:
            raise self._error

    def _next(self) -> None:
        while (step := self._ahead) is not None:
            self._ahead = next(self._rest, None)
            if self.pending:
                self._timer.start()
            else:
                self._own.close()
            step()
            self._timer.stop()

    def _go_on(self) -> None:
        inner = self._running[self._running.index(self) + 1 :]
        # What a step of ours began comes first; and handling events is not yet being in a nested loop.
        if any(play.pending for play in inner) or self._thread.loopLevel() == self._level:
            self._timer.start()
            return
        try:
            self._next()
        except BaseException as error:  # noqa: BLE001 - raised again by run(); a slot must not raise
            self._ahead = None
            self._error = error


def _runs(text: str) -> Iterator[tuple[bool, Iterator[str]]]:
    """The parts of a text that have keys, and those that have none, in turn."""
    return groupby(text.replace("\r\n", "\n"), _has_key)


def _has_key(character: str) -> bool:
    return ord(character) < _KEYBOARD_LIMIT and not 0x300 <= ord(character) < 0x370


def _takes_focus(binding: Binding, window: Any) -> bool:
    qt = binding.Qt
    if window.type() in (qt.WindowType.Popup, qt.WindowType.ToolTip):
        return False
    return not window.flags() & qt.WindowType.WindowDoesNotAcceptFocus
