"""The primitives of Tk: single steps on the GUI thread, and input that the display sends."""

from __future__ import annotations

import time
import tkinter
from collections.abc import Callable
from threading import Lock
from typing import Any, TypeVar

from ...model import operations as ops
from ...model.errors import (
    ActionFailed,
    ActionUnsupported,
    AppGone,
    NotEnabled,
    NotFocusable,
    NotReady,
    NotVisible,
    Stale,
    UiBusy,
)
from ...model.keys import Chord
from ...model.node import Node, Rect
from ...model.operations import Action
from .. import performer
from ..choices import Choice
from ..performer import Answer, Offer, State, at_once, cannot_expand, cannot_press, cannot_tick
from . import choose, custom, edit, parts, windows
from .input import Input, Point
from .kinds import text_of
from .read import Reader
from .roots import Handle, Registry
from .thread import UiThread

T = TypeVar("T")

_KEY_BY_KEY = 200
"""Up to this length a text is typed key by key, so that the program sees each."""
_REACTS = 0.5
"""How long a program may take to react to an action, in seconds."""
_MENU_OPENS = 2.0
"""How long a menu may take to open, in seconds."""
_BY_ITSELF = (ops.Press, ops.SetChecked, ops.Expand, ops.SetValue, ops.Select)
"""Actions without the mouse or the keyboard: a modal dialog would not keep them from a widget."""
_INVOKED = ("button", "tbutton", "checkbutton", "tcheckbutton", "radiobutton", "tradiobutton")


class Performer:
    """Performs actions, one at a time. Implements performer.Toolkit."""

    title = "Tk"

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
            return at_once(performer.perform(self, action, handle, other))
        except tkinter.TclError as error:
            raise ActionFailed(f"Tk refused it: {error}") from error
        finally:
            self._turn.release()

    # -- how things are --------------------------------------------------------------------------

    def describe(self, handle: Handle) -> str:
        return self.call(lambda: self.name(handle))

    def name(self, handle: Handle) -> str:
        """What to call it in an error. On the GUI thread."""
        return str(self._node(handle))

    def _node(self, handle: Handle) -> Node:
        return self._reader.node(handle)

    def node(self, handle: Handle) -> Node:
        return self.call(lambda: self._node(handle))

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
        if handle.part == "entry":
            self._lead_to(handle)
        point = self.point(handle, x, y)
        self.call(lambda: self._insist_on_free(handle, point))
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
            where = (
                "is not on the screen"
                if node.bounds is None or not node.visible
                else "is scrolled away or clipped"
            )
            raise NotVisible(f"{node} {where}", suggestions=("scroll it into view",))
        bounds = shown
        if (x is not None or y is not None) and node.bounds is not None:
            bounds = node.bounds
        elif handle.part == "drawn":
            return _on_drawing(handle, shown)
        across, down = performer.spot(bounds, x, y)
        return int(across), int(down)

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

    def click_cell(self, handle: Handle, item: str, column: int, extend: bool) -> Answer | None:
        """Click on a cell of a tree view."""

        def place() -> Point:
            handle.call("see", item)
            root = handle.known.root
            columns = root.split(root.call("::deskhand::columns", handle.path))
            name = text_of(root.split(columns[column])[0])
            x, y, width, height = (int(number) for number in root.split(handle.call("bbox", item, name)))
            left, top = (int(root.call("winfo", what, handle.path)) for what in ("rootx", "rooty"))
            return left + x + width // 2, top + y + height // 2

        windows.activate(self._ui, handle, self.describe(handle), self._input.left)
        point = self.call(place)
        self.call(lambda: self._insist_on_free(handle, point))
        self._input.click(point, "left", 1, ("ctrl",) if extend else ())
        return None

    def _insist_on_free(self, handle: Handle, point: Point) -> None:
        """At the point there is what is meant, or something in it."""
        root = handle.known.root
        found = text_of(root.call("winfo", "containing", *point))
        above = "" if handle.path == "." else handle.path
        if found and (found == handle.path or found.startswith(f"{above}.")):
            return
        if handle.known.kind == "menu" and found and text_of(root.call("winfo", "class", found)) == "Menu":
            return
        known = self._registry.at(root, found) if found else None
        what = (
            "another program's window" if not found else found if known is None else self.name(Handle(known))
        )
        raise NotReady(
            f"{self.name(handle)} is covered by {what}",
            suggestions=("close or move what is in front",),
            covered_by=what,
        )

    # -- what a control does itself --------------------------------------------------------------

    def press(self, handle: Handle) -> None:
        node = self.node(handle)
        if not node.enabled:
            raise NotEnabled(f"{node} is not enabled")
        if handle.part == "entry":
            self._press_entry(handle, node)
            return
        act = self.call(lambda: choose.press_part(handle, str(node)))
        if act is None and handle.part:
            self._input.click(self.aim(handle, None, None), "left", 1, ())
            return
        if act is None:
            act = custom.press(handle.known)
        if act is None and handle.known.kind in _INVOKED:
            act = lambda: handle.call("invoke")  # noqa: E731 - as the others
        if act is not None:
            self.post(act)
        elif handle.known.kind in ("tcombobox", "menubutton", "tmenubutton"):
            self.expand(handle, True)
        elif node.role == "combo-box":
            self._input.click(self.aim(handle, None, None), "left", 1, ())
        else:
            raise cannot_press(str(node))

    def _press_entry(self, handle: Handle, node: Node) -> None:
        if node.role == "menu":
            self._open(handle)
            return
        if node.role == "separator":
            raise cannot_press(str(node))
        if not node.offscreen:
            # Its menu is open, and takes all input until it is closed.
            self._input.click(self.aim(handle, None, None), "left", 1, ())
            return

        def invoke() -> None:
            command = handle.call("cget", "-postcommand")
            if text_of(command):
                # What a program does before its menu is shown, such as enable an entry.
                handle.known.root.call("uplevel", "#0", command)
            handle.call("invoke", self._index(handle))

        self.post(invoke)

    def toggle(self, handle: Handle, checked: bool) -> None:
        if (
            handle.known.kind not in _INVOKED
            and handle.part != "entry"
            and custom.press(handle.known) is None
        ):
            raise cannot_tick(self.describe(handle))
        self.press(handle)

    def expand(self, handle: Handle, expanded: bool) -> None:
        kind, root = handle.known.kind, handle.known.root
        if handle.part == "entry" and self.node(handle).role == "menu":
            if expanded:
                self._open(handle)
            else:
                self._input.chord(Chord((), key="Escape"))
        elif handle.part == "row" and self.node(handle).expanded is not None:
            item, _ = parts.row_of(handle)
            do = "OpenItem" if expanded else "CloseItem"
            self.post(lambda: root.call(f"ttk::treeview::{do}", handle.path, item))
        elif not handle.part and kind == "tcombobox":
            do = "Post" if expanded else "Unpost"
            self.post(lambda: root.call(f"ttk::combobox::{do}", handle.path))
        elif not handle.part and kind in ("menubutton", "tmenubutton"):
            if expanded:
                self._input.click(self.aim(handle, None, None), "left", 1, ())
            else:
                self._input.chord(Chord((), key="Escape"))
        else:
            raise cannot_expand(self.describe(handle))

    def set_value(self, handle: Handle, value: str) -> None:
        node = self.node(handle)
        setter = None if handle.part else custom.setter(handle.known, node, value)
        self.post(setter or (lambda: edit.set_value(handle, node, value)))

    def offer(self, handle: Handle, action: ops.Select) -> Offer | None:
        def find() -> Offer | None:
            if handle.known.custom is not None:
                return custom.offer(handle, self.name(handle), self.posted)
            return choose.offer(self, handle, action)

        return self.call(find)

    def focus(self, handle: Handle) -> None:
        windows.focus(self._ui, handle, self.node(handle), self._input.left)

    def show_menu(self, handle: Handle) -> None:
        self._input.click(self.aim(handle, None, None), "right", 1, ())

    def into_view(self, handle: Handle) -> None:
        def show() -> None:
            match handle.part:
                case "item":
                    at, _ = parts.item_at(handle)
                    if at is not None:
                        handle.call("see", at)
                case "row" | "cell":
                    handle.call("see", parts.row_of(handle)[0])
                case "link":
                    handle.call("see", handle.key.partition("/")[2].rpartition(".")[0])
                case "drawn":
                    _show_drawing(handle)
            if handle.known.kind != "menu":
                handle.known.root.call("::deskhand::show", handle.path)

        self.call(show)
        self._input.settle()

    def to_row(self, handle: Handle, row: int | None, text: str | None) -> None:
        def show() -> None:
            root, what = handle.known.root, self.name(handle)
            at = -1 if row is None else row
            if handle.known.kind == "listbox":
                count = int(handle.call("size"))
                if row is None:
                    items = [text_of(item) for item in root.split(handle.call("get", 0, "end"))]
                    at = items.index(text or "") if text in items else -1
                target: Any = at
            elif handle.known.kind == "treeview":
                rows = choose.displayed(handle)
                count = len(rows)
                if row is None:
                    at = int(root.call("::deskhand::find_row", handle.path, text))
                target = rows[at] if 0 <= at < count else ""
            else:
                raise performer.no_rows(what)
            if not 0 <= at < count:
                raise performer.no_row(what, row, text, count)
            handle.call("see", target)

        self.call(show)
        self._input.settle()

    def wheel(self, handle: Handle | None, dx: float, dy: float) -> Answer | None:
        if handle is None:
            top = self.call(lambda: windows.main(self._registry))
            handle = top
        self._input.wheel(self.aim(handle, None, None), dx, dy)
        return None

    def control(self, action: ops.ControlWindow, handle: Handle | None) -> Answer:
        self.call(self._reader.read)
        return windows.control(self._ui, action, handle, self._registry, self._input.left)

    # -- the keyboard ----------------------------------------------------------------------------

    def key(self, chord: Chord, handle: Handle | None) -> None:
        self._keyboard(handle)
        if chord.text is not None and not chord.modifiers and not chord.text.isascii():
            self._insert(handle, chord.text)
        else:
            self._input.chord(chord)

    def type_text(self, action: ops.TypeText, handle: Handle | None) -> Answer:
        self._keyboard(handle)
        target = self.call(lambda: self._focused(handle))
        answer: dict[str, object] = {}
        if target is not None and action.clear:
            self.post(lambda: edit.select_all(target))
            self._input.chord(Chord((), key="Delete"))
        elif target is not None and handle is not None:
            self.call(lambda: edit.to_end(target))
        typed = action.text.isascii() and len(action.text) <= _KEY_BY_KEY
        if typed:
            self._input.text(action.text)
        elif action.text:
            self._insert(handle, action.text)
            answer = {"detail": "inserted as a whole, as pasted text is"}
        if action.submit:
            self._input.chord(Chord((), key="Return"))
        return answer

    def _insert(self, handle: Handle | None, text: str) -> None:
        target = self.call(lambda: self._focused(handle))
        if target is None:
            raise ActionUnsupported("nothing has the focus that could take this text")
        node = self.node(target)
        self.post(lambda: edit.insert(target, node, text))

    def _focused(self, handle: Handle | None) -> Handle | None:
        """The widget that gets the keys: the one that is meant, or the part of it that is typed into."""
        roots = [handle.known.root] if handle is not None else self._registry.roots
        for root in roots:
            path = text_of(root.call("focus"))
            known = self._registry.at(root, path) if path else None
            if known is not None:
                return Handle(known)
        return None if handle is None or handle.part else handle

    def _keyboard(self, handle: Handle | None) -> None:
        """Let key strokes go to a handle, or to where the focus is."""
        if handle is None:
            self.call(self._reader.read)
            if not self.call(lambda: any(windows.active(root) for root in self._registry.roots)):
                windows.control(
                    self._ui, ops.ControlWindow(do="focus"), None, self._registry, self._input.left
                )
            return
        try:
            windows.focus(self._ui, handle, self.node(handle), self._input.left)
        except NotFocusable:
            # A key stroke on something that cannot have the focus is one in its window: a shortcut, esc.
            windows.activate(self._ui, handle, self.describe(handle), self._input.left)

    # -- menus -----------------------------------------------------------------------------------

    def _index(self, entry: Handle) -> int:
        """The number of an entry in its menu now. On the GUI thread."""
        return int(self._node(entry).properties["index"])

    def _lead_to(self, entry: Handle) -> None:
        """Open the menus that lead to an entry."""
        node, ways = self.call(lambda: self._way_to(entry))
        if not node.enabled:
            raise NotEnabled(f"{node} is not enabled")
        for way in ways:
            self._open(way)

    def _way_to(self, entry: Handle) -> tuple[Node, list[Handle]]:
        tree = self._reader.read(internals=True)
        node = tree.get(entry.uid)
        if node is None:
            raise self._registry.stale(entry.uid)
        ways = [
            above.uid for above in tree.ancestors(node) if above.role == "menu" and ":entry:" in above.uid
        ]
        return node, [self._registry.handle(uid) for uid in reversed(ways)]

    def _open(self, entry: Handle) -> None:
        """Open the menu of an entry, with those that lead to it."""
        if self.node(entry).expanded:
            return
        self._lead_to(entry)
        windows.activate(self._ui, entry, "the menu", self._input.left)
        self._input.click(self.point(entry, None, None), "left", 1, ())
        if not self._ui.wait(lambda: self._node(entry).expanded, min(_MENU_OPENS, self._input.left)):
            raise ActionFailed(
                f"{self.describe(entry)} did not open", suggestions=("press the entry without the mouse",)
            )

    # -- the GUI thread --------------------------------------------------------------------------

    def call(self, fn: Callable[[], T]) -> T:
        return self._ui.call(fn, self._input.left)

    def post(self, fn: Callable[[], T]) -> T | None:
        """Do what the program may answer with a dialog, and return when it has drawn what came of it."""
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


def _on_drawing(handle: Handle, shown: Rect) -> Point:
    """A point of a drawing that is part of it: a frame has none in its middle."""
    root = handle.known.root
    left, top = (int(root.call("winfo", what, handle.path)) for what in ("rootx", "rooty"))
    steps = (0.5, 0.25, 0.75, 0.1, 0.9, 0.02, 0.98)
    for down in steps:
        for across in steps:
            x, y = int(shown.x + shown.width * across), int(shown.y + shown.height * down)
            at = handle.call("canvasx", x - left), handle.call("canvasy", y - top)
            found = root.words(handle.call("find", "overlapping", *at, *at))
            seen = next((item for item in reversed(found) if _draws(handle, item)), None)
            if handle.key in (seen, *found[-1:]):
                return x, y
    raise NotReady(
        "the drawing is covered by others of the canvas", suggestions=("click at a point of the canvas",)
    )


def _draws(handle: Handle, item: str) -> bool:
    """Whether something of an item can be seen."""
    kind = text_of(handle.call("type", item))
    if kind not in ("rectangle", "oval", "polygon"):
        return True
    return any(text_of(handle.call("itemcget", item, option)) for option in ("-fill", "-outline"))


def _show_drawing(handle: Handle) -> None:
    """Scroll a canvas so that one of its drawings is shown."""
    root = handle.known.root
    box = [float(number) for number in root.split(handle.call("bbox", handle.key))]
    region = [
        float(number)
        for number in root.split(handle.call("cget", "-scrollregion") or handle.call("bbox", "all"))
    ]
    if len(box) < 4:
        raise Stale(f"the drawing {handle.key} is gone", target=f"uid={handle.uid}")
    for view, axis, size in (("xview", 0, "width"), ("yview", 1, "height")):
        first = float(handle.call("canvasx" if axis == 0 else "canvasy", 0))
        room, whole = int(root.call("winfo", size, handle.path)), region[axis + 2] - region[axis]
        if whole > 0 and not (first <= box[axis] and box[axis + 2] <= first + room):
            handle.call(view, "moveto", (box[axis] - region[axis]) / whole)
