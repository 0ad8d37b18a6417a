"""The primitives of GTK: single steps on the GUI thread, and input that the display sends."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from threading import Lock
from typing import Any, TypeVar

from ...model import operations as ops
from ...model.errors import (
    ActionFailed,
    AppGone,
    NotEnabled,
    NotFocusable,
    NotReady,
    NotVisible,
    UiBusy,
)
from ...model.keys import Chord
from ...model.node import Node, Rect
from ...model.operations import Action
from .. import performer
from ..choices import Choice
from ..performer import Answer, Offer, State, at_once, cannot_expand, cannot_press, cannot_tick
from . import choose, edit, press, scroll, windows
from .handles import Handle, Registry
from .input import Input, Point
from .library import THREE, Gtk, focused
from .read import Reader
from .thread import UiThread
from .views import Path

T = TypeVar("T")

_KEY_BY_KEY = 200
"""Up to this length a text is typed key by key, so that the program sees each."""
_REACTS = 0.5
"""How long a program may take to react to an action, in seconds."""
_STILL = 4
"""In how many frames something must not have moved."""
_MENU_OPENS = 2.0
"""How long a menu may take to open, in seconds."""
_BY_ITSELF = (ops.Press, ops.SetChecked, ops.Expand, ops.SetValue, ops.Select)
"""Actions without the mouse or the keyboard: a modal dialog would not keep them from a widget."""


class Performer:
    """Performs actions, one at a time. Implements performer.Toolkit."""

    title = "GTK"

    def __init__(self, registry: Registry, reader: Reader, ui: UiThread, hands: Input) -> None:
        self._registry = registry
        self._reader = reader
        self._ui = ui
        self._input = hands
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
            handle = None if uid is None else self.call(lambda: find(uid))
            other = None if to is None else self.call(lambda: find(to))
            if handle is not None and isinstance(action, _BY_ITSELF):
                self.call(lambda: windows.insist_on_unblocked(handle, self.name(handle)))
            answer = at_once(performer.perform(self, action, handle, other))
            with suppress(AppGone):  # a program that ends by it has done it
                self._ui.lay_out(self._input.left)
            return answer
        finally:
            self._turn.release()

    # -- how things are --------------------------------------------------------------------------

    def describe(self, handle: Handle) -> str:
        return self.call(lambda: self.name(handle))

    def name(self, handle: Handle) -> str:
        """What to call it in an error. On the GUI thread."""
        return str(self._reader.node(handle))

    def node(self, handle: Handle) -> Node:
        return self.call(lambda: self._reader.node(handle))

    def state(self, handle: Handle) -> State:
        return State.of(self.node(handle))

    def until(self, so: Callable[[], bool]) -> bool:
        return self._ui.wait(so, min(_REACTS, self._input.left))

    # -- the mouse -------------------------------------------------------------------------------

    def aim(self, handle: Handle | None, x: float | None, y: float | None) -> Point:
        """A point to press at, with the window in front and nothing over it; opens the menus around it."""
        if handle is None:
            return self.point(handle, x, y)
        windows.activate(self._ui, handle, self.describe(handle), self._input.left)
        self._lead_to(handle)
        point = self._still(handle, x, y)
        self.call(lambda: self._insist_on_free(handle, point))
        return point

    def _still(self, handle: Handle, x: float | None, y: float | None) -> Point:
        """The point to press at once what it is in moves no more: a popover slides to where it will be."""
        point = self.point(handle, x, y)
        moves = self.call(lambda: handle.widget.get_ancestor(Gtk.Popover) is not None)
        until = time.monotonic() + _REACTS
        same = 0
        while moves and same < _STILL and time.monotonic() < until:
            self._ui.pause(0.02)  # GTK announces no end of its animations
            before, point = point, self.point(handle, x, y)
            same = same + 1 if point == before else 0
        return point

    def point(self, handle: Handle | None, x: float | None, y: float | None) -> Point:
        if handle is None:
            if x is None or y is None:
                raise performer.no_point()
            return round(x), round(y)
        return self.call(lambda: self._point(handle, x, y))

    def _point(self, handle: Handle, x: float | None, y: float | None) -> Point:
        node, shown = self._reader.shown(handle)
        if shown is None:
            hidden = node.bounds is None or not node.visible
            where = "is not on the screen" if hidden else "is scrolled away or clipped"
            raise NotVisible(f"{node} {where}", suggestions=("scroll it into view",))
        bounds = shown
        if (x is not None or y is not None) and node.bounds is not None:
            bounds = node.bounds
        elif not THREE and x is None and node.role in ("checkbox", "radio"):
            bounds = Rect(shown.x, shown.y, min(shown.width, shown.height), shown.height)
        across, down = performer.spot(bounds, x, y)
        return int(across), int(down)

    def click_cell(self, cell: Handle, extend: bool) -> None:
        """Click on a cell of a tree view."""
        self.into_view(cell)
        self._input.click(self.aim(cell, None, None), "left", 1, ("ctrl",) if extend else ())

    def _insist_on_free(self, handle: Handle, point: Point) -> None:
        """At the point there is the window that is meant."""
        what = windows.at_top(self._input, point, handle.widget)
        if what is not None:
            raise NotReady(
                f"{self.name(handle)} is covered by {what}",
                suggestions=("close or move what is in front",),
                covered_by=what,
            )

    def on_screen(self, at: Point) -> tuple[float, float]:
        return at

    def move(self, at: Point) -> None:
        self._input.move(at)

    def click(self, at: Point, handle: Handle | None, action: ops.Click) -> None:
        self._input.click(at, action.button, action.count, action.modifiers)

    def hold(self, at: Point, button: str, modifiers: tuple[str, ...]) -> None:
        self._input.press(at, button, modifiers)

    def release(self, at: Point | None, button: str, modifiers: tuple[str, ...]) -> None:
        self._input.release(at, button, modifiers)

    def drag(self, start: Point, end: Point, action: ops.Drag) -> None:
        way = [(round(x), round(y)) for x, y in performer.path(start, end, action.steps)]
        self._input.drag([start, *way], action.button, action.modifiers)

    # -- what a control does itself --------------------------------------------------------------

    def press(self, handle: Handle) -> None:
        node = self.node(handle)
        if not node.enabled:
            raise NotEnabled(f"{node} is not enabled")
        if node.role == "menu":
            self._open(handle)
            return
        act = self.call(lambda: press.press(handle, self._registry, str(node)))
        if act is None:
            raise cannot_press(str(node))
        self.post(act)

    def toggle(self, handle: Handle, checked: bool) -> None:
        node = self.node(handle)
        if handle.part in ("cell", "row"):
            act = self.call(lambda: press.toggle_cell(handle, str(node)))
            self.post(act)
        elif "toggle" in node.actions or node.role in ("radio", "menu-item-radio"):
            if node.role in ("radio", "menu-item-radio") and not checked:
                return  # pressing it again would not change it
            self.press(handle)
        else:
            raise cannot_tick(str(node))

    def expand(self, handle: Handle, expanded: bool) -> None:
        node = self.node(handle)
        if node.role == "menu":
            if expanded:
                self._open(handle)
            else:
                self._input.chord(Chord((), key="Escape"))
            return
        act = self.call(lambda: press.expand(handle, self._registry, expanded))
        if act is None:
            raise cannot_expand(str(node))
        self.post(act)
        if not self.until(lambda: self._reader.node(handle).expanded is expanded):
            raise ActionFailed(f"{node} was {'opened' if expanded else 'closed'}, and did not follow")

    def set_value(self, handle: Handle, value: str) -> None:
        node = self.node(handle)
        self.post(lambda: edit.set_value(handle, node, value))

    def offer(self, handle: Handle, action: ops.Select) -> Offer | None:
        wanted = action.text if action.text is not None else action.value
        if wanted is not None:
            self._found(handle, wanted)
        return self.call(lambda: choose.offer(self, handle, action))

    def focus(self, handle: Handle) -> None:
        windows.focus(self._ui, handle, self.node(handle), self._input.left)

    def show_menu(self, handle: Handle) -> None:
        self._input.click(self.aim(handle, None, None), "right", 1, ())

    def into_view(self, handle: Handle) -> None:
        self._laid_out()
        self.call(lambda: scroll.into_view(handle, self._registry))
        self._laid_out()

    def to_row(self, handle: Handle, row: int | None, text: str | None) -> None:
        self._laid_out()
        if text is None or self._found(handle, text) is None:
            path = self.call(lambda: scroll.to_row(handle, self.name(handle), row, text))
            if path is not None:
                self._arrive(handle, path)
        self._laid_out()

    def _arrive(self, handle: Handle, path: Path) -> None:
        """Return once a tree view shows a row and moves no more."""
        before = None
        while time.monotonic() < self._input.until:
            self._laid_out()
            now = self.call(lambda: scroll.position(handle))
            if now == before and not self.call(lambda: scroll.again(handle, path)):
                return
            before = now
        raise ActionFailed(f"{self.name(handle)} does not come to show the row that it was scrolled to")

    def _found(self, handle: Handle, text: str) -> int | None:
        """The number of the item with a text, shown: of a list of GTK 4 whose items say so in its rows only.

        A row is made when it is scrolled to, so that is done until it is there.
        """
        start = self.call(lambda: scroll.first_shown(handle))
        if start is None or self.call(lambda: scroll.is_known(handle, text)):
            return None
        at: int | None = 0
        while at is not None:
            self.call(lambda at=at: scroll.show(handle, at))  # type: ignore[misc]  # bound at once
            self._laid_out()
            found = self.call(lambda: scroll.find(handle, text))
            if found is not None:
                return found
            at = self.call(lambda at=at: scroll.following(handle, at))  # type: ignore[misc]  # as above
        self.call(lambda: scroll.show(handle, start))
        return None

    def wheel(self, handle: Handle | None, dx: float, dy: float) -> Answer | None:
        if handle is None:
            top = self.call(windows.main)
            handle = self.call(lambda: Handle(self._registry.know(top), top))
        self._input.wheel(self.aim(handle, None, None), dx, dy)
        return None

    def control(self, action: ops.ControlWindow, handle: Handle | None) -> Answer:
        return windows.control(self._ui, self._input, self._reader, self._registry, action, handle)

    # -- the keyboard ----------------------------------------------------------------------------

    def key(self, chord: Chord, handle: Handle | None) -> None:
        self._keyboard(handle)
        self._input.chord(chord)

    def type_text(self, action: ops.TypeText, handle: Handle | None) -> Answer:
        self._keyboard(handle)
        target = self.call(_text_target)
        answer: dict[str, object] = {}
        if target is not None and action.clear:
            if self.post(lambda: edit.select_all(target)):
                self._input.chord(Chord((), key="Delete"))
        elif target is not None and handle is not None:
            self.call(lambda: edit.to_end(target))
        if len(action.text) <= _KEY_BY_KEY:
            self._input.text(action.text)
        else:
            self._insert(target, action.text)
            answer = {"detail": "inserted as a whole, as pasted text is"}
        if action.submit:
            self._input.chord(Chord((), key="Return"))
        return answer

    def _insert(self, target: Any, text: str) -> None:
        if target is None:
            raise ActionFailed("nothing has the focus that could take this text")
        node = self.call(lambda: self._reader.node(Handle(self._registry.know(target), target)))
        self.post(lambda: edit.insert(target, node, text))

    def _keyboard(self, handle: Handle | None) -> None:
        """Let key strokes go to a handle, or to where the focus is."""
        if handle is None:
            if not self.call(lambda: any(top.is_active() for top in windows.shown())):
                self.control(ops.ControlWindow(do="focus"), None)
            return
        try:
            windows.focus(self._ui, handle, self.node(handle), self._input.left)
        except NotFocusable:
            # A key stroke on something that cannot have the focus is one in its window: a shortcut, esc.
            windows.activate(self._ui, handle, self.describe(handle), self._input.left)

    # -- menus -----------------------------------------------------------------------------------

    def _lead_to(self, handle: Handle) -> None:
        """Open the menus that lead to an entry."""
        opener = self.call(lambda: press.opener_of(handle.widget))
        if opener is not None:
            self._open(self.call(lambda: Handle(self._registry.know(opener), opener)))

    def _open(self, handle: Handle) -> None:
        """Open the menu of an entry, with those that lead to it."""
        if self.node(handle).expanded:
            return
        node = self.node(handle)
        if not node.enabled:
            raise NotEnabled(f"{node} is not enabled")
        self._input.click(self.aim(handle, None, None), "left", 1, ())
        if not self._ui.wait(lambda: self._reader.node(handle).expanded, min(_MENU_OPENS, self._input.left)):
            raise ActionFailed(f"{node} did not open", suggestions=("press the entry without the mouse",))
        self._laid_out()

    # -- the GUI thread --------------------------------------------------------------------------

    def _laid_out(self) -> None:
        """Return once what was scrolled or opened is where it will be."""
        self._ui.lay_out(self._input.left)
        self._input.settle()

    def call(self, fn: Callable[[], T]) -> T:
        return self._ui.call(fn, self._input.left)

    def post(self, fn: Callable[[], T]) -> T | None:
        """Do what the program may answer with a dialog, and return when it has handled that."""
        try:
            done = self._ui.post(fn, self._input.left)
        except AppGone:
            return None  # a program that ends by it has done it
        self._input.settle()
        return done

    def posted(self, take: Callable[[int, bool], object]) -> Callable[[Choice, bool], None]:
        """How an option is taken, for callers on any thread."""

        def choose(choice: Choice, extend: bool) -> None:
            self.post(lambda: take(choice.index, extend))

        return choose


def _text_target() -> Any:
    """The widget that takes the keys as text; None if there is none."""
    widget = focused()
    while widget is not None:
        if (found := edit.editable_of(widget)) is not None:
            return found
        widget = widget.get_parent()
    return None
