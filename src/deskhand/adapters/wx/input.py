"""The mouse and the keyboard, as a person's: wx.UIActionSimulator lets the display send the events.

They come back to the program through its event loop, so all here runs on the caller's thread, in small steps
on the GUI thread. What the program does in answer, such as open a modal dialog, is on no stack of ours.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from threading import Event
from typing import Any

import wx

from ...model.errors import ActionFailed, AppGone, InvalidKey
from ...model.keys import Chord
from .gtk import gtk
from .thread import UiThread

_ARRIVES = 0.5
"""How long an event may take to come back from the display, in seconds."""
_NEAR = 10
"""How far apart clicks may be that are counted together, in pixels; GTK takes 5."""
_BUTTONS = {"left": wx.MOUSE_BTN_LEFT, "right": wx.MOUSE_BTN_RIGHT, "middle": wx.MOUSE_BTN_MIDDLE}
_MODIFIERS = {"ctrl": wx.WXK_CONTROL, "shift": wx.WXK_SHIFT, "alt": wx.WXK_ALT, "meta": wx.WXK_WINDOWS_LEFT}
_KEYS = {
    "Return": wx.WXK_RETURN, "Tab": wx.WXK_TAB, "Escape": wx.WXK_ESCAPE, "Space": wx.WXK_SPACE,
    "Delete": wx.WXK_DELETE, "Backspace": wx.WXK_BACK, "Left": wx.WXK_LEFT, "Right": wx.WXK_RIGHT,
    "Up": wx.WXK_UP, "Down": wx.WXK_DOWN, "Home": wx.WXK_HOME, "End": wx.WXK_END, "PageUp": wx.WXK_PAGEUP,
    "PageDown": wx.WXK_PAGEDOWN, "Insert": wx.WXK_INSERT, "Menu": wx.WXK_WINDOWS_MENU,
    "Pause": wx.WXK_PAUSE, "Print": wx.WXK_PRINT, "Clear": wx.WXK_CLEAR, "Help": wx.WXK_HELP,
    "CapsLock": wx.WXK_CAPITAL, "NumLock": wx.WXK_NUMLOCK, "ScrollLock": wx.WXK_SCROLL,
    "Control": wx.WXK_CONTROL, "Shift": wx.WXK_SHIFT, "Alt": wx.WXK_ALT, "Meta": wx.WXK_WINDOWS_LEFT,
    **{f"F{number}": getattr(wx, f"WXK_F{number}") for number in range(1, 25)},
}  # fmt: skip
_TYPED = {"\n": wx.WXK_RETURN, "\t": wx.WXK_TAB}

Point = tuple[int, int]


class Input:
    """Presses, moves and types. Called from any thread."""

    def __init__(self, ui: UiThread) -> None:
        self._ui = ui
        self._simulator: Any = None
        self._last: tuple[float, Point, int] | None = None
        """When and where was clicked last, and how many times."""
        self.until = 0.0
        """When the caller stops waiting."""

    @property
    def left(self) -> float:
        """Seconds until then."""
        return max(self.until - time.monotonic(), 0.01)

    def move(self, point: Point) -> None:
        """Move the pointer."""
        self._do(lambda hands: hands.MouseMove(*point))
        # An event that comes back from the display is behind what it has sent before.
        self.settle()

    def click(self, point: Point, button: str, count: int, modifiers: tuple[str, ...]) -> None:
        """Move there, and click so many times: neither more nor less than that, also right after another."""
        self.move(point)
        self._keep_apart(point, count)
        self._held(modifiers, lambda: self._clicks(button, count))
        self._last = (time.monotonic(), point, count)

    def press(self, point: Point, button: str, modifiers: tuple[str, ...] = ()) -> None:
        """Move there, and press a button down."""
        self.move(point)
        self._hold(modifiers, down=True)
        self._seen_alone(("press",), lambda hands: hands.MouseDown(_BUTTONS[button]))

    def release(self, point: Point | None, button: str, modifiers: tuple[str, ...] = ()) -> None:
        """Move there, and let a button go."""
        if point is not None:
            self.move(point)
        self._seen(("release",), lambda hands: hands.MouseUp(_BUTTONS[button]))
        self._hold(modifiers, down=False)

    def drag(self, way: Iterable[Point], button: str, modifiers: tuple[str, ...]) -> None:
        """Press at the first of these points, move along them, and let go at the last."""
        first, *rest = way
        self.press(first, button, modifiers)
        try:
            for point in rest:
                self.move(point)
        finally:
            self.release(None, button, modifiers)

    def chord(self, chord: Chord) -> None:
        """Press a key with modifiers."""
        key = self.code(chord)
        modifiers = 0
        for name, flag in (("ctrl", wx.MOD_CONTROL), ("shift", wx.MOD_SHIFT), ("alt", wx.MOD_ALT)):
            modifiers |= flag if name in chord.modifiers else 0
        held = tuple(name for name in chord.modifiers if name == "meta")
        if chord.text is not None and not chord.modifiers:
            self.text(chord.text)
        else:
            self._held(held, lambda: self._seen(("key-release",), lambda hands: hands.Char(key, modifiers)))

    def code(self, chord: Chord) -> int:
        """The key that wx knows; InvalidKey if there is none."""
        if chord.text is not None:
            if not chord.text.isascii():
                raise InvalidKey(
                    f"'{chord.text}' is on no key that could be pressed with others",
                    field="keys",
                    target=chord.text,
                )
            return ord(chord.text.lower())
        code = _KEYS.get(chord.key or "")
        if code is None:
            raise InvalidKey(f"wx has no key '{chord.key}' to press", field="keys", target=chord.key)
        return int(code)

    def text(self, text: str) -> None:
        """Type characters that are on the keyboard, one by one."""
        for character in text:
            self._seen(("key-release",), partial(_type, character))

    def settle(self) -> None:
        """Return once the program has handled what came from the display so far."""
        self._ui.call(_nothing, self.left)

    # -- steps -----------------------------------------------------------------------------------

    def _keep_apart(self, point: Point, count: int) -> None:
        """Let some time pass where clicks would be counted together with those before."""
        if gtk is None or self._last is None:
            return
        before, place, already = self._last
        near = all(abs(now - then) <= _NEAR for now, then in zip(point, place, strict=True))
        if near and max(count, already) > 1:
            soon = self._ui.call(gtk.double_click_time, self.left)
            left = before + soon - time.monotonic()
            if left > 0:
                self._ui.pause(left)

    def _clicks(self, button: str, count: int) -> None:
        if count == 1:
            self._seen_alone(("release",), lambda hands: hands.MouseClick(_BUTTONS[button]))
            return
        if count == 2:
            self._seen(("release", "release"), lambda hands: hands.MouseDblClick(_BUTTONS[button]))
            return
        for _ in range(count):
            self._seen(("release",), lambda hands: hands.MouseClick(_BUTTONS[button]))

    def _held(self, modifiers: tuple[str, ...], do: Callable[[], None]) -> None:
        self._hold(modifiers, down=True)
        try:
            do()
        finally:
            with suppress(AppGone):  # what was done may have ended the program
                self._hold(modifiers, down=False)

    def _hold(self, modifiers: tuple[str, ...], down: bool) -> None:
        for name in modifiers if down else reversed(modifiers):
            self._do(partial(_hold, _MODIFIERS[name], down))

    def _seen(self, wanted: tuple[str, ...], act: Callable[[Any], Any]) -> None:
        """Do it, and return once the program has handled the events that come of it."""
        left = list(wanted)
        arrived = Event()

        def seen(what: str) -> None:
            if what in left:
                left.remove(what)
                if not left:
                    arrived.set()

        def begin(hands: Any) -> None:
            if gtk is not None:
                gtk.watch(seen)
            act(hands)

        try:
            self._do(begin)
            came = gtk is None or self._wait(arrived, min(_ARRIVES, self.left))
            if not came and not self._ui.ended:  # a program that ends by a key does not see it released
                raise ActionFailed(
                    "the display did not send the event to this program",
                    suggestions=("see whether another program's window is in front, or has the keyboard",),
                )
        finally:
            if gtk is not None:
                self._ui.later(gtk.unwatch)
        with suppress(AppGone):  # a program that ends by it has handled it
            self.settle()

    def _seen_alone(self, wanted: tuple[str, ...], act: Callable[[Any], Any]) -> None:
        """The same for a click that must not count as a second one, however soon after another."""
        api = gtk
        if api is None:
            self._seen(wanted, act)
            return

        def alone(hands: Any) -> None:
            api.count_clicks(False)
            act(hands)

        try:
            self._seen(wanted, alone)
        finally:
            self._ui.later(partial(api.count_clicks, True))

    def _wait(self, arrived: Event, timeout: float) -> bool:
        if not self._ui.on_gui_thread():
            return arrived.wait(timeout)
        until = time.monotonic() + timeout
        while not arrived.is_set() and time.monotonic() < until:
            self._ui.pause(0.005)
        return arrived.is_set()

    def _do(self, act: Callable[[Any], Any]) -> None:
        def run() -> None:
            if self._simulator is None:
                self._simulator = wx.UIActionSimulator()
            act(self._simulator)

        self._ui.call(run, self.left)


def _hold(code: int, down: bool, hands: Any) -> None:
    (hands.KeyDown if down else hands.KeyUp)(code)


def _type(character: str, hands: Any) -> None:
    code = _TYPED.get(character)
    if code is not None:
        hands.Char(code)
    else:
        hands.Text(character.encode("ascii"))


def _nothing() -> None:
    pass
