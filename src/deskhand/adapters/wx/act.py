"""Performs every action of the model on wx, for callers on any thread.

Only decides who does it: the mouse and keyboard (`input`), or what a control offers itself (`press`, `edit`,
`choose`, `scroll`, `windows`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from threading import Lock
from typing import Any, TypeVar

from ...model import keys
from ...model import operations as ops
from ...model.errors import ActionFailed, ActionUnsupported, NotFocusable, NotReady, NotVisible, UiBusy
from ...model.keys import Chord
from ...model.operations import Action
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


class Performer:
    """Performs actions, one at a time."""

    def __init__(self, registry: Registry, reader: Reader, ui: UiThread) -> None:
        self._registry = registry
        self._reader = reader
        self._ui = ui
        self._input = Input(ui)
        self._turn = Lock()

    def perform(
        self, action: Action, uid: str | None, to: str | None, timeout: float
    ) -> Mapping[str, object]:
        """Do it; the answer may have `selected` and `detail`."""
        until = time.monotonic() + timeout
        if not self._turn.acquire(timeout=timeout):
            raise UiBusy(f"another action was not done after {timeout:g} s", started=False)
        try:
            # A little before the caller stops waiting, who then hears how far it got.
            self._input.until = until - min(0.1, timeout / 10)
            find = self._registry.handle
            handle = None if uid is None else self._call(lambda: find(uid))
            return self._perform(action, handle, None if to is None else self._call(lambda: find(to)))
        finally:
            self._turn.release()

    def _perform(self, action: Action, handle: Handle | None, to: Handle | None) -> Mapping[str, object]:
        match action:
            case ops.Click():
                return self._click(action, handle)
            case ops.Hover():
                self._input.move(self._spot(handle, action.x, action.y))
            case ops.MouseDown():
                point = self._aimed(handle, action.x, action.y)
                self._input.press(point, action.button, action.modifiers)
            case ops.MouseUp():
                here = handle is None and action.x is None
                to_point = None if here else self._spot(handle, action.x, action.y)
                self._input.release(to_point, action.button, action.modifiers)
            case ops.Drag():
                self._drag(action, handle, to)
            case ops.TypeText():
                return self._type(action, handle)
            case ops.Key():
                self._key(action, handle)
            case ops.Scroll():
                return self._scroll(action, handle)
            case ops.ControlWindow():
                return windows.control(self._ui, action, handle, self._registry, self._input.left)
            case _ if handle is not None:
                return self._semantic(action, handle)
            case _:
                raise ActionUnsupported(f"{ops.NAMES[type(action)]} needs a target")
        return {}

    def _semantic(self, action: Action, handle: Handle) -> Mapping[str, object]:
        registry = self._registry
        self._call(lambda: windows.insist_on_unblocked(handle, registry))
        match action:
            case ops.Press():
                if self._opens_menu(handle):
                    self._open_menu(handle.window, handle.key)
                else:
                    self._post(lambda: press.press(handle, registry))
            case ops.SetChecked(checked=checked):
                self._post(lambda: press.set_checked(handle, registry, checked))
            case ops.Expand(expanded=expanded):
                if self._opens_menu(handle):
                    self._expand_menu(handle, expanded)
                else:
                    self._post(lambda: press.expand(handle, registry, expanded))
            case ops.SetValue(value=value):
                return self._post(lambda: edit.set_value(handle, registry, value)) or {}
            case ops.Select():
                return self._post(lambda: choose.select(handle, registry, action)) or {}
            case ops.Focus():
                windows.focus(self._ui, handle, registry, self._input.left)
            case ops.ShowMenu():
                self._click(ops.Click(button="right"), handle)
            case _:
                raise ActionUnsupported(f"{ops.NAMES[type(action)]} is nothing that wx can do")
        return {}

    # -- the mouse -------------------------------------------------------------------------------

    def _click(self, action: ops.Click, handle: Handle | None) -> Mapping[str, object]:
        if isinstance(handle, Part) and handle.kind == "entry":
            return self._click_entry(action, handle)
        point = self._aimed(handle, action.x, action.y)
        self._input.click(point, action.button, action.count, action.modifiers)
        return {}

    def _drag(self, action: ops.Drag, handle: Handle | None, to: Handle | None) -> None:
        first = self._aimed(handle, action.x, action.y)
        if to is not None:
            last = self._spot(to, action.to_x, action.to_y)
        elif action.to_x is not None and action.to_y is not None:
            last = (round(action.to_x), round(action.to_y))
        else:
            raise ActionUnsupported("neither a node nor a point to drag to was given")
        steps = max(1, action.steps)
        way = [
            (first[0] + (last[0] - first[0]) * step // steps, first[1] + (last[1] - first[1]) * step // steps)
            for step in range(steps + 1)
        ]
        self._input.drag(way, action.button, action.modifiers)

    def _aimed(self, handle: Handle | None, x: float | None, y: float | None) -> Point:
        """A point to press at, with the window in front and nothing over it."""
        if handle is not None:
            windows.activate(self._ui, handle, self._registry, self._input.left)
        point = self._spot(handle, x, y)
        if handle is not None and gtk is not None:
            self._input.move(point)
            self._call(lambda: self._insist_on_free(handle))
        return point

    def _spot(self, handle: Handle | None, x: float | None, y: float | None) -> Point:
        if handle is None:
            if x is None or y is None:
                raise ActionUnsupported("neither a target nor a point on the screen was given")
            return round(x), round(y)
        bounds = self._call(lambda: self._shown(handle))
        if x is not None or y is not None:
            whole = self._call(lambda: self._reader.bounds(handle)) or bounds
            across = whole[2] / 2 if x is None else x
            down = whole[3] / 2 if y is None else y
            return int(whole[0] + across), int(whole[1] + down)
        return bounds[0] + bounds[2] // 2, bounds[1] + bounds[3] // 2

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

    # -- the keyboard ----------------------------------------------------------------------------

    def _key(self, action: ops.Key, handle: Handle | None) -> None:
        chord = keys.parse(action.keys)
        if chord.text is None or chord.modifiers:
            self._input.code(chord)
        self._keyboard(handle)
        if chord.text is not None and not chord.modifiers and not chord.text.isascii():
            text = chord.text
            self._post(lambda: edit.insert(text))
        else:
            self._input.chord(chord)

    def _type(self, action: ops.TypeText, handle: Handle | None) -> Mapping[str, object]:
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

    def _type_into_part(self, action: ops.TypeText, part: Part) -> Mapping[str, object]:
        """What is drawn has no caret: its text is set, as if it had been typed at the end."""
        self._call(lambda: windows.insist_on_unblocked(part, self._registry))
        family = parts.of(part, self._registry)
        before = "" if action.clear else self._call(lambda: family.value(part.window, part.key))
        self._post(lambda: edit.set_value(part, self._registry, before + action.text))
        return {"detail": "set as a whole: this is no field that could be typed into"}

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

    def _scroll(self, action: ops.Scroll, handle: Handle | None) -> Mapping[str, object]:
        target = handle if handle is not None else self._call(windows.some_window)
        answer = self._call(lambda: scroll.scroll(target, self._registry, action))
        self._input.settle()
        return answer

    # -- menus -----------------------------------------------------------------------------------

    def _opens_menu(self, handle: Handle) -> bool:
        if not isinstance(handle, Part) or handle.kind != "entry":
            return False
        return bool(self._call(lambda: parts.menus.has_menu(handle.window, handle.key)))

    def _click_entry(self, action: ops.Click, handle: Part) -> Mapping[str, object]:
        if gtk is None:
            # Fallback: only GTK tells where the entries are.
            self._post(lambda: press.press(handle, self._registry))
            return {"detail": "chosen without the mouse"}
        windows.activate(self._ui, handle, self._registry, self._input.left)
        self._call(lambda: parts.menus.insist_on_enabled(handle.window, handle.key))
        for key in parts.menus.way(handle.key):
            self._open_menu(handle.window, key)
        self._input.click(self._middle(handle.window, handle.key), action.button, 1, action.modifiers)
        return {}

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

    def _expand_menu(self, handle: Part, expanded: bool) -> None:
        if expanded:
            windows.activate(self._ui, handle, self._registry, self._input.left)
            self._open_menu(handle.window, handle.key)
        elif self._call(lambda: parts.menus.is_open(handle.window, handle.key)):
            self._input.chord(Chord((), key="Escape"))

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
