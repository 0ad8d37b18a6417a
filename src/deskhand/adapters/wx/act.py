"""The primitives of wx, for callers on any thread.

By the mouse and keyboard (`input`), or by what a control offers itself (`press`, `edit`, `choose`, `scroll`,
`windows`); each of these runs on the GUI thread.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from threading import Lock
from typing import Any, TypeGuard, TypeVar, cast

from ...model import operations as ops
from ...model.errors import ActionFailed, NotFocusable, NotReady, NotVisible, UiBusy
from ...model.keys import Chord
from ...model.operations import Action
from ...model.record import dataclass
from .. import performer
from ..choices import Choice
from ..performer import Answer, Offer, State, at_once
from . import choose, edit, parts, press, scroll, windows
from .drawn import Bounds
from .gtk import gtk, widget_of
from .handles import Handle, Part, Registry, Widget
from .input import Input, Point
from .names import describe
from .read import Reader, tops
from .thread import UiThread

T = TypeVar("T")

_KEY_BY_KEY = 40
"""Longer texts are put in at once: wx takes its time over each key."""
_MENU_OPENS = 1.0
_REACTS = 0.5
"""How long a program may take to show the effect of an action, in seconds."""
_BY_ITSELF = (
    ops.Press, ops.SetChecked, ops.Expand, ops.SetValue, ops.Select, ops.Focus, ops.ShowMenu,
)  # fmt: skip
"""Actions that a control does itself, so that a modal dialog would not keep them from it."""


class Performer:
    """Performs actions, one at a time. Implements performer.Toolkit."""

    title = "wx"

    def __init__(self, registry: Registry, reader: Reader, ui: UiThread) -> None:
        self._registry = registry
        self._reader = reader
        self._ui = ui
        self._input = Input(ui)
        self._turn = Lock()

    def perform(self, action: Action, uid: str | None, to: str | None, timeout: float) -> Answer:
        """Do it; the answer may have `selected` and `detail`."""
        until = time.monotonic() + timeout
        if not self._turn.acquire(timeout=timeout):
            raise UiBusy(f"another action was not done after {timeout:g} s", started=False)
        try:
            # A little before the caller stops waiting, so that it gets to know how far the action got.
            self._input.until = until - min(0.1, timeout / 10)
            find = self._registry.handle
            handle = None if uid is None else self._call(lambda: find(uid))
            other = None if to is None else self._call(lambda: find(to))
            if handle is not None and isinstance(action, _BY_ITSELF):
                self._call(lambda: windows.insist_on_unblocked(handle, self._registry))
            return at_once(performer.perform(self, action, handle, other))
        finally:
            self._turn.release()

    # -- how things are --------------------------------------------------------------------------

    def describe(self, handle: Handle) -> str:
        return self._call(lambda: describe(handle, self._registry))

    def state(self, handle: Handle) -> State:
        def read() -> State:
            uid = self._registry.uid(handle)
            state = State.of(self._reader.read(uid, depth=0, internals=True).nodes[0])
            takes = "tick" if state.takes == "tick" and not isinstance(handle, Part) else "value"
            return replace(state, takes="option" if choose.is_choice(handle) else takes)

        return self._call(read)

    def until(self, so: Callable[[], bool]) -> bool:
        return self._ui.wait(so, min(_REACTS, self._input.left))

    # -- the mouse -------------------------------------------------------------------------------

    def aim(self, handle: Handle | None, x: float | None, y: float | None) -> Point:
        """A point to press at, with the window in front and nothing over it; opens the menus around it."""
        if handle is not None:
            windows.activate(self._ui, handle, self._registry, self._input.left)
        if isinstance(handle, Part) and handle.kind == "entry":
            return self._lead_to(handle)
        point = self.point(handle, x, y)
        if handle is not None and gtk is not None:
            self._input.move(point)
            self._call(lambda: self._insist_on_free(handle))
        return point

    def point(self, handle: Handle | None, x: float | None, y: float | None) -> Point:
        if handle is None:
            if x is None or y is None:
                raise performer.no_point()
            return round(x), round(y)
        bounds = self._call(lambda: self._shown(handle))
        if x is not None or y is not None:
            bounds = self._call(lambda: self._reader.bounds(handle)) or bounds
        across, down = performer.spot(bounds, x, y)
        return int(across), int(down)

    def on_screen(self, at: Point) -> tuple[float, float]:
        return at

    def move(self, at: Point) -> None:
        self._input.move(at)

    def click(self, at: Point, handle: Handle | None, action: ops.Click) -> Answer | None:
        entry = isinstance(handle, Part) and handle.kind == "entry"
        if entry and handle is not None and gtk is None:
            # Fallback: only GTK says where the entries are.
            self._post(lambda: press.press(handle, self._registry))
            return {"detail": "chosen without the mouse"}
        self._input.click(at, action.button, 1 if entry else action.count, action.modifiers)
        return None

    def hold(self, at: Point, button: str, modifiers: tuple[str, ...]) -> None:
        self._input.press(at, button, modifiers)

    def release(self, at: Point | None, button: str, modifiers: tuple[str, ...]) -> None:
        self._input.release(at, button, modifiers)

    def drag(self, start: Point, end: Point, action: ops.Drag) -> None:
        way = [(round(x), round(y)) for x, y in performer.path(start, end, action.steps)]
        self._input.drag([start, *way], action.button, action.modifiers)

    def _shown(self, handle: Handle) -> Bounds:
        """What of a handle is on the screen, as far as those around it let it show."""
        bounds = self._reader.bounds(handle)
        if bounds is None:
            raise NotVisible(f"{describe(handle, self._registry)} is not on the screen")
        if isinstance(handle, Widget):
            return bounds
        left, top, right, bottom = bounds[0], bounds[1], bounds[0] + bounds[2], bounds[1] + bounds[3]
        window = handle.window if isinstance(handle, Part) else handle.GetParent()
        if handle is window or (not isinstance(handle, Part) and handle.IsTopLevel()):
            return bounds
        while window is not None and not window.IsTopLevel():
            rect = window.GetScreenRect()
            if not (isinstance(handle, Part) and handle.kind == "entry"):
                left, top = max(left, rect.x), max(top, rect.y)
                right, bottom = min(right, rect.x + rect.width), min(bottom, rect.y + rect.height)
            window = window.GetParent()
        if right <= left or bottom <= top:
            raise NotVisible(
                f"nothing of {describe(handle, self._registry)} shows: it is scrolled away or clipped",
                suggestions=("scroll it into view",),
            )
        return left, top, right - left, bottom - top

    def _insist_on_free(self, handle: Handle) -> None:
        """The pointer is over the window that is meant."""
        assert gtk is not None, "asked only with GTK"
        widget = gtk.under_pointer()
        over = gtk.gtk_widget_get_toplevel(widget) if widget else 0
        if not isinstance(handle, Widget) and gtk.is_a(gtk.grab() or widget, "GtkMenuShell"):
            raise ActionFailed(
                f"a menu is open, which takes the click on {describe(handle, self._registry)}",
                suggestions=("choose from the menu, or close it: key esc",),
            )
        top = windows.top_of(handle)
        wanted = top.at if isinstance(top, Widget) else widget_of(top)
        if over == wanted or (isinstance(handle, Part) and handle.kind == "entry"):
            return
        what = gtk.text("gtk_window_get_title", over) if over else "another program's window"
        what = what or "another window"
        raise NotReady(
            f"{describe(handle, self._registry)} is covered by {what!r}",
            suggestions=("close or move what is in front",),
            covered_by=what,
        )

    # -- what a control does itself --------------------------------------------------------------

    def press(self, handle: Handle) -> None:
        if self._opens_menu(handle):
            self._open_menu(handle.window, handle.key)
        else:
            self._post(lambda: press.press(handle, self._registry))

    def toggle(self, handle: Handle, checked: bool) -> None:
        self._post(lambda: press.tick(handle, self._registry, checked))

    def expand(self, handle: Handle, expanded: bool) -> None:
        if not self._opens_menu(handle):
            self._post(lambda: press.expand(handle, self._registry, expanded))
        elif expanded:
            windows.activate(self._ui, handle, self._registry, self._input.left)
            self._open_menu(handle.window, handle.key)
        elif self._call(lambda: parts.menus.is_open(handle.window, handle.key)):
            self._input.chord(Chord((), key="Escape"))

    def set_value(self, handle: Handle, value: str) -> None:
        self._post(lambda: edit.set_value(handle, self._registry, value))

    def offer(self, handle: Handle, action: ops.Select) -> Offer | None:
        found = self._call(lambda: choose.offer(handle, self._registry))
        return None if found is None else _OnGuiThread(self, found)

    def focus(self, handle: Handle) -> None:
        windows.focus(self._ui, handle, self._registry, self._input.left)

    def show_menu(self, handle: Handle) -> None:
        self._input.click(self.aim(handle, None, None), "right", 1, ())

    def into_view(self, handle: Handle) -> None:
        self._call(lambda: scroll.into_view(handle, self._registry))
        self._input.settle()

    def to_row(self, handle: Handle, row: int | None, text: str | None) -> None:
        self._call(lambda: scroll.to_row(handle, self._registry, row, text))
        self._input.settle()

    def wheel(self, handle: Handle | None, dx: float, dy: float) -> Answer | None:
        target = handle if handle is not None else self._call(windows.some_window)
        answer = self._call(lambda: scroll.wheel(target, dx, dy))
        self._input.settle()
        return answer

    def control(self, action: ops.ControlWindow, handle: Handle | None) -> Answer:
        return windows.control(self._ui, action, handle, self._registry, self._input.left)

    # -- the keyboard ----------------------------------------------------------------------------

    def key(self, chord: Chord, handle: Handle | None) -> None:
        if chord.text is None or chord.modifiers:
            self._input.code(chord)
        self._keyboard(handle)
        if chord.text is not None and not chord.modifiers and not chord.text.isascii():
            text = chord.text
            self._post(lambda: edit.insert(text))
        else:
            self._input.chord(chord)

    def type_text(self, action: ops.TypeText, handle: Handle | None) -> Answer:
        if isinstance(handle, Part):
            return self._type_into_part(action, handle)
        self._keyboard(handle)
        if action.clear and press.is_of(handle, "MaskedEditMixin", "IntCtrl"):
            # Those of wx.lib put back what is deleted, and something of their own in between.
            self._post(lambda: edit.set_value(handle, self._registry, action.text))
            return {"detail": "set as a whole: it does not let itself be emptied"}
        if action.clear:
            self._input.chord(Chord(("ctrl",), text="a"))
            self._input.chord(Chord((), key="Delete"))
        elif handle is not None and not isinstance(handle, (Part, Widget)):
            self._call(lambda: edit.to_end(handle))
        answer: dict[str, object] = {}
        if action.text.isascii() and len(action.text) <= _KEY_BY_KEY:
            self._input.text(action.text)
        elif action.text:
            answer = {"detail": self._post(lambda: edit.insert(action.text))}
        if action.submit:
            self._input.chord(Chord((), key="Return"))
        return answer

    def _type_into_part(self, action: ops.TypeText, part: Part) -> Answer:
        """What is drawn has no caret: its text is set, as if it had been typed at the end."""
        self._call(lambda: windows.insist_on_unblocked(part, self._registry))
        family = parts.of(part, self._registry)
        before = "" if action.clear else self._call(lambda: family.value(part.window, part.key))
        self._post(lambda: edit.set_value(part, self._registry, before + action.text))
        return {"detail": "set as a whole: it cannot be typed into"}

    def _keyboard(self, handle: Handle | None) -> None:
        """Let key strokes go to a handle, or to where the focus is."""
        if handle is None:
            if not self._call(lambda: any(map(windows.is_active, tops()))):
                windows.control(
                    self._ui, ops.ControlWindow(do="focus"), None, self._registry, self._input.left
                )
            return
        try:
            windows.focus(self._ui, handle, self._registry, self._input.left)
        except NotFocusable:
            # A key stroke on something that cannot have the focus is one in its window: a shortcut, esc.
            windows.activate(self._ui, handle, self._registry, self._input.left)

    # -- menus -----------------------------------------------------------------------------------

    def _opens_menu(self, handle: Handle) -> TypeGuard[Part]:
        if not isinstance(handle, Part) or handle.kind != "entry":
            return False
        return bool(self._call(lambda: parts.menus.has_menu(handle.window, handle.key)))

    def _lead_to(self, entry: Part) -> Point:
        """The middle of an entry, once the menus that lead to it are open."""
        if gtk is None:
            return 0, 0  # only GTK says where the entries are
        self._call(lambda: parts.menus.insist_on_enabled(entry.window, entry.key))
        for key in parts.menus.way(entry.key):
            self._open_menu(entry.window, key)
        return self._middle(entry.window, entry.key)

    def _open_menu(self, bar: Any, key: str) -> None:
        """Open the menu of an entry, with those that lead to it."""
        for above in parts.menus.way(key):
            self._open_menu(bar, above)
        if self._call(lambda: parts.menus.is_open(bar, key)):
            return
        if "." in key:
            # The pointer on it opens it, after a while; a click meanwhile would close it again.
            self._input.move(self._middle(bar, key))
        else:
            self._input.click(self._middle(bar, key), "left", 1, ())
        if not self._ui.wait(lambda: parts.menus.is_open(bar, key), min(_MENU_OPENS, self._input.left)):
            what = self._call(lambda: parts.menus.call(bar, key))
            raise ActionFailed(f"{what} did not open", suggestions=("press the entry without the mouse",))

    def _middle(self, bar: Any, key: str) -> Point:
        """The middle of an entry that is on the screen, or is about to be."""
        bounds = self._ui.wait(lambda: parts.menus.bounds(bar, key), min(_MENU_OPENS, self._input.left))
        if bounds is None:
            raise NotVisible(f"{self._call(lambda: parts.menus.call(bar, key))} is not on the screen")
        return bounds[0] + bounds[2] // 2, bounds[1] + bounds[3] // 2

    # -- the GUI thread --------------------------------------------------------------------------

    def _call(self, fn: Callable[[], T]) -> T:
        return self._ui.call(fn, self._input.left)

    def _post(self, fn: Callable[[], T]) -> T | None:
        return self._ui.post(fn, self._input.left)


@dataclass(frozen=True)
class _OnGuiThread:
    """What a control offers, for callers on any thread."""

    performer: Performer
    offer: Offer

    def pick(self, action: ops.Select) -> Choice:
        return self.performer._call(lambda: cast("Choice", self.offer.pick(action)))  # noqa: SLF001 - its own

    def choose(self, choice: Choice, extend: bool) -> None:
        self.performer._post(lambda: self.offer.choose(choice, extend))  # noqa: SLF001 - its own
