"""What a person meant: gestures on elements become steps.

A gesture is judged by the tree before it, which has what was clicked, and by what it led to. A control that
got another state is set to that state; what has no other meaning is repeated as it was done.
"""

from __future__ import annotations

from dataclasses import replace
from math import ceil

from ..model.node import Node
from ..model.selector import parse
from ..model.tree import Tree
from .display import Listener
from .files import FileDialogs
from .gestures import Gesture, Pointed, Pressed, Turned, Typed
from .hit import BUTTONS, CHECKABLE, COMPOSITE, FIELDS, MENU, NUMBERS, OPTIONS, ROWS, element_at
from .naming import element
from .outcome import chosen, closed, differs, opened, outcome, written
from .steps import Element, Step
from .timeline import Moment, Timeline
from .typing import UNSEEN, Writer, filled, may_be_secret

SETTLED = 0.35
"""After how long what a gesture led to is usually seen, in seconds."""
_NEVER = float("inf")
_SLOW = 4.0
"""An element that appeared later than this is waited for with a timeout of its own, in seconds."""
_PLACED = frozenset(
    ("canvas", "image", "img", "graphics-object", "graphics-document", "generic", "unknown", "none", "group",
     "scroll-area", "window", "dialog", "tab-panel", "splitter", "separator", "figure", "web-area", "slider",
     "scroll-bar", "column-header", "table", "tree", "list", "grid", "tree-grid", "list-box")
)  # fmt: skip
"""Elements in which it matters where they are clicked."""
_INERT = frozenset((*_PLACED, "text", "label-text", "status", "toolbar", "menu-bar", "tab-list", "tooltip"))
"""Elements that usually do nothing when they are clicked."""


class Interpreter:
    """Makes steps of gestures, one after the other. Not thread-safe."""

    def __init__(self, timeline: Timeline, listener: Listener, pid: int | None) -> None:
        self._timeline = timeline
        self._writer = Writer(timeline, listener.meaning)
        self._files = FileDialogs(pid)
        self._last: Gesture | None = None
        self._settled = timeline.last.tree
        """What the last gesture led to."""
        self._announced: set[str] = {root.uid for root in self._settled.roots}
        """The windows that are known, or waited for in a step."""
        self._combo: tuple[Node, Tree] | None = None
        """A combo box that may be open, and the tree before."""
        self._menus: list[Step] = []
        """What opened the menus that are open."""
        self._menu_tree: Tree | None = None
        """The tree before."""
        self._filled: dict[str, object] = {}
        """What was recorded of each field."""
        self._field: tuple[Node, Step] | None = None
        """A field that was clicked; typing there says all that needs to be said."""

    def steps(self, gesture: Gesture, following: Gesture | None) -> list[Step]:
        """What a gesture means; `following` is the next one, if it has begun already."""
        until = _NEVER if following is None else following.began
        before = self._before(gesture)
        after = self._after(gesture, until)
        first = self._files.closed(before.tree, gone=False)
        dialog = self._files.looks_at(before.tree)
        first += [] if isinstance(gesture, Pressed) else self._picked(before.tree)
        if isinstance(gesture, Pointed):
            found = self._pointed(gesture, before.tree, after.tree, until)
        elif isinstance(gesture, Turned):
            found = self._turned(gesture, before.tree, after.tree)
        elif isinstance(gesture, Typed):
            found = self._typed(gesture, before, after, until)
        else:
            assert isinstance(gesture, Pressed)
            found = self._pressed(gesture, before, after)
        found = [*first, *self._waits(gesture, before.tree, found), *found]
        if dialog:
            self._files.take(found, before.tree)
            # What was done next in the same dialog belongs to it.
            next_ = after if following is None else self._before(following)
            found = self._files.closed(next_.tree, gone=following is None and self._timeline.gone is not None)
        self._last, self._settled = gesture, after.tree
        return found

    def late(self) -> list[Step]:
        """What has become known since the last gesture, while nothing is done."""
        return self._files.closed(self._timeline.last.tree, gone=self._timeline.gone is not None)

    def rest(self) -> list[Step]:
        """What was held back, now that nothing more comes, or before an expectation."""
        picked = self._picked(self._timeline.last.tree)
        return [*self.late(), *picked, *self._release(menus_too=True), *self._files.rest()]

    # -- the pointer ---------------------------------------------------------------------------

    def _pointed(self, gesture: Pointed, before: Tree, after: Tree, until: float) -> list[Step]:
        node = element_at(before, gesture.x, gesture.y, gesture.windows if gesture.prompt else ())
        if node is None:
            held = self._release()
            return [*held, *self._closed(before, after)]
        if gesture.dragged:
            return self._dragged(gesture, node, before, after)
        plain = gesture.button == "left" and not gesture.modifiers and gesture.count == 1
        if plain:
            if (option := self._option(gesture, node, before, after, until)) is not None:
                return option
            if node.role in MENU:
                return self._entry(node, before, after)
        held = self._release(but=node)
        if plain:
            # A combo box only opens; what is chosen in it comes later.
            state = None if node.role == "combo-box" else self._state(gesture, node, before, until)
            if state is not None:
                self._field = None
                return [*held, state]
            if node.role == "combo-box":
                self._combo = node, before
                if not node.editable:
                    return held
            if node.role in FIELDS or node.role in COMPOSITE or (node.editable and node.role not in ROWS):
                self._field = node, Step("click", element(before, node))
                return held
        if node.role in _INERT and plain and not differs(before, after):
            return held
        return [*held, self._click(gesture, node, before, until)]

    def _click(self, gesture: Pointed, node: Node, before: Tree, until: float) -> Step:
        options: dict[str, object] = {}
        if gesture.modifiers:
            options["modifiers"] = list(gesture.modifiers)
        if node.role in _PLACED and node.bounds is not None:
            options["position"] = _inside(before, node, gesture.x, gesture.y)
        named = element(before, node)
        if gesture.button == "right" and not gesture.modifiers and gesture.count == 1:
            return Step("right_click", named, options=options)
        if gesture.button == "left" and gesture.count == 2:
            return Step("dblclick", named, options=options)
        if gesture.button != "left":
            options = {"button": gesture.button, **options}
        elif gesture.count > 2:
            options = {"count": gesture.count, **options}
        elif not options and node.role in OPTIONS:
            picked = self._seen(gesture, until, lambda tree: _listed(before, tree, node) is not None)
            listed = None if picked is None else _listed(before, picked, node)
            if listed is not None:
                return listed
        return Step("click", named, options=options)

    def _dragged(self, gesture: Pointed, node: Node, before: Tree, after: Tree) -> list[Step]:
        held = self._release(but=node)
        moment = self._timeline.before(gesture.ended)
        if node.role in MENU:
            # Pressed on the menu bar, released on the entry.
            entry = element_at(moment.tree, gesture.to_x, gesture.to_y)
            if entry is not None and entry.role in MENU and entry.uid != node.uid:
                self._entry(node, before, moment.tree)
                return [*held, *self._entry(entry, moment.tree, after)]
        if (state := self._as_step(before, after, node)) is not None:
            return [*held, state]
        target = element_at(moment.tree, gesture.to_x, gesture.to_y) or node
        if target.uid == node.uid and (node.role in FIELDS or node.editable or node.role == "scroll-bar"):
            return held  # text was selected: what is done with it shows in the field
        if not differs(before, after) and node.role in _INERT and node.role != "canvas":
            return held
        options: dict[str, object] = {}
        if node.role in _PLACED:
            options["position"] = _inside(before, node, gesture.x, gesture.y)
        if target.role in _PLACED:
            options["target_position"] = _inside(moment.tree, target, gesture.to_x, gesture.to_y)
        if gesture.modifiers:
            options["modifiers"] = list(gesture.modifiers)
        other = element(moment.tree, target)
        return [*held, Step("drag_to", element(before, node), (other,), options)]

    def _turned(self, gesture: Turned, before: Tree, after: Tree) -> list[Step]:
        node = element_at(before, gesture.x, gesture.y, gesture.windows)
        held = self._release(but=node)
        if node is None:
            return held
        found = outcome(before, after, node)
        if found is not None and found.node.role not in _LISTS:  # a wheel selects no row
            return [*held, Step(found.method, element(before, found.node), found.arguments)]
        if not differs(before, after) and not _moved(before, after):
            return held
        around = next(
            (above for above in (node, *before.ancestors(node)) if above.role in _PLACED or above.editable),
            node,
        )
        arguments = (gesture.dy, gesture.dx) if gesture.dx else (gesture.dy,)
        return [*held, Step("scroll", element(before, around), arguments)]

    # -- combo boxes, menus, states ----------------------------------------------------------------

    def _option(
        self, gesture: Pointed, node: Node, before: Tree, after: Tree, until: float
    ) -> list[Step] | None:
        """The step for a click on an option of an open combo box; None if it is none."""
        if self._combo is None:
            return None
        combo, was = self._combo
        if node.uid == combo.uid:
            return [] if node.role == "combo-box" and not node.editable else None
        inside = any(above.uid == combo.uid for above in before.ancestors(node))
        now = self._seen(gesture, until, lambda tree: _chosen(tree, combo) != chosen(was, combo)) or after
        text = _chosen(now, combo)
        if text is not None and text != chosen(was, combo):
            self._combo = None
            held = self._release()
            return [*held, Step("select_option", element(was, combo), (text,))]
        if inside or node.role in OPTIONS or node.role in MENU:
            self._combo = None
            label = node.name or node.text
            held = self._release()
            if label:
                return [*held, Step("select_option", element(was, combo), (label,))]
        return None

    def _picked(self, tree: Tree) -> list[Step]:
        """The step for an option of the combo box that was chosen meanwhile, with the keyboard."""
        if self._combo is None:
            return []
        combo, was = self._combo
        text = _chosen(tree, combo)
        if text is None or text == chosen(was, combo):
            return []
        self._combo = None
        return [*self._release(), Step("select_option", element(was, combo), (text,))]

    def _entry(self, node: Node, before: Tree, after: Tree) -> list[Step]:
        """A click on an entry of a menu: one that opens another is held back."""
        opens = _opens(node, before, after)
        held = [] if self._menus else self._release()
        if opens:
            if not self._menus:
                self._menu_tree = before
            named = element(before, node)
            if all(step.target != named.selector for step in self._menus):
                self._menus.append(Step("click", named))
            return held
        first, self._menu_tree = self._menu_tree, None
        opening, self._menus = self._menus, []
        known = first.get(node.uid) if first is not None else None
        if known is not None and first is not None:
            # It is in the tree while its menu is closed, and a click there opens what is needed.
            if (state := self._as_step(before, after, node)) is not None:
                return [*held, replace(state, element=element(first, known))]
            return [*held, Step("click", element(first, known))]
        names = {step.target for step in opening}
        for above in reversed(list(before.ancestors(node))):
            if opening and above.role in MENU and above.name:
                named = element(before, above)
                opening += [] if named.selector in names else [Step("hover", named)]
        return [*held, *opening, Step("click", element(before, node))]

    def _state(self, gesture: Gesture, node: Node, before: Tree, until: float) -> Step | None:
        """The step that sets the state which a click led to; None if it changed no state."""
        tree = self._seen(gesture, until, lambda tree: outcome(before, tree, node) is not None)
        found = None if tree is None else outcome(before, tree, node)
        if found is None or (node.role == "radio" and found.node.uid != node.uid):
            return None  # another button of the group was chosen later
        return Step(found.method, element(before, found.node), found.arguments)

    def _as_step(self, before: Tree, after: Tree, node: Node) -> Step | None:
        found = outcome(before, after, node)
        if found is None:
            return None
        return Step(found.method, element(before, found.node), found.arguments)

    # -- the keyboard --------------------------------------------------------------------------

    def _typed(self, gesture: Typed, before: Moment, after: Moment, until: float) -> list[Step]:
        focus = self._focus(gesture, before, until)
        if self._combo is not None and (focus is None or not _takes_text(focus)):
            return []  # what it leads to shows in the combo box
        secret = may_be_secret(before.tree, after.tree)
        if focus is None or (secret and not self._writer.changed(gesture, focus, until)):
            # Several fields were filled in before the tree could be read: which ones shows in the fields.
            known = self._filled
            later = self._seen(gesture, until, lambda tree: filled(before.tree, tree, known) is not None)
            focus = focus if later is None else filled(before.tree, later, known)
        if focus is not None and (focus.password or _takes_text(focus)):
            tree = before.tree if focus.uid in before.tree.by_uid else after.tree
            held = self._release(but=focus)
            self._field = None
            steps = self._writer.fill(gesture, focus, tree, until, secret=secret)
            for made in steps:
                self._filled[focus.uid] = made.arguments[0] if made.arguments else None
            return [*held, *steps]
        if focus is not None and not self._menus:
            state = self._seen(gesture, until, lambda tree: outcome(before.tree, tree, focus) is not None)
            if state is not None and (step := self._as_step(before.tree, state, focus)) is not None:
                return [*self._release(), step]
            named = element(before.tree, focus) if focus.uid in before.tree.by_uid else None
            if named is not None and (focus.role in BUTTONS or focus.role in CHECKABLE):
                keys = self._writer.names(gesture)
                if keys == ["Space"]:
                    return [*self._release(), Step("click", named)]
        held = self._release(menus_too=True)
        if secret and self._writer.writes(gesture):
            return [*held, UNSEEN]
        return [*held, *self._writer.literally(gesture, None)]

    def _pressed(self, gesture: Pressed, before: Moment, after: Moment) -> list[Step]:
        name = gesture.name
        focus = self._focus(gesture, before, gesture.began)
        if name in ("Tab", "Shift+Tab"):
            return self._picked(after.tree)
        if self._combo is not None and name in ("Enter", "Escape"):
            combo = self._combo[0]
            picked = self._picked(after.tree)
            self._combo = None
            if picked or not combo.editable:
                return picked
        if self._menus and name == "Escape":
            self._menus.clear()
            return []
        if name == "Alt+F4" and (gone := self._closed(before.tree, after.tree)):
            return [*self._release(), *gone]
        held = self._release(but=focus, menus_too=True)
        self._field = None
        if name == "Enter" and focus is not None and focus.role == "editable-text":
            now, was = after.tree.get(focus.uid), before.tree.get(focus.uid)
            lines = [(written(node) or "").count("\n") if node else 0 for node in (was, now)]
            if now is not None and was is not None and lines[1] > lines[0]:
                return [*held, Step("fill", element(before.tree, was), (written(now),))]
        known = focus is not None and focus.uid in before.tree.by_uid and not name.startswith(_CHORDS)
        if known and focus is not None and (_takes_text(focus) or focus.role in _OPERATED):
            return [*held, Step("press", element(before.tree, focus), (name,))]
        return [*held, Step("keyboard.press", None, (name,))]

    def _focus(self, gesture: Gesture, before: Moment, until: float) -> Node | None:
        """The element that had the keyboard when a gesture began."""
        inside = self._timeline.between(gesture.began, until) if isinstance(gesture, Typed) else []
        for moment in reversed(inside):
            if (focused := focused_in(moment.tree)) is not None:
                return before.tree.get(focused.uid) or focused
        if self._field is not None:
            return self._field[0]
        if self._last is None or before.began >= self._last.began or not isinstance(self._last, Pressed):
            return focused_in(before.tree)
        return None

    # -- windows, waits, what is held back ---------------------------------------------------------

    def _closed(self, before: Tree, after: Tree) -> list[Step]:
        """The step for a window that was closed by its frame."""
        gone = closed(before, after)
        if self._timeline.gone is not None and not gone:
            gone = before.roots[:1]
        return [Step("control_window", element(before, window), ("close",)) for window in gone[:1]]

    def _waits(self, gesture: Gesture, before: Tree, steps: list[Step]) -> list[Step]:
        """What has to be waited for before steps: windows that opened, elements that came late."""
        first = next((step for step in steps if step.element is not None), None)
        new = [root for root in opened(self._settled, before) if root.uid not in self._announced]
        new += [
            root
            for root in self._settled.roots
            if root.uid not in self._announced and root.visible and root.uid in before.by_uid
        ]
        self._announced |= {root.uid for root in before.roots}
        if first is None or first.element is None:
            return []
        target = _named(before, first.element)
        if target is None:
            return []
        window = before.window_of(target)
        if any(root.uid == window.uid for root in new) and window.role in _WINDOWS and target is not window:
            return [Step("to_be_visible", element(before, window))]
        was = self._settled.get(target.uid)
        if self._last is None or target.role in (*MENU, *ROWS) or not target.visible:
            return []
        late = gesture.began - self._last.ended > _SLOW
        options = {"timeout": 10 * ceil((gesture.began - self._last.ended) / 5)} if late else {}
        if was is None or not was.visible:
            return [Step("to_be_visible", first.element, options=options)]
        if not was.enabled and target.enabled:
            return [Step("to_be_enabled", first.element, options=options)]
        return []

    def _release(self, but: Node | None = None, menus_too: bool = False) -> list[Step]:
        """What was held back and is not explained by what follows, which is about `but`."""
        steps = list(self._menus) if menus_too else []
        self._menus, self._menu_tree = [], None
        if self._field is not None and (but is None or but.uid != self._field[0].uid):
            steps.append(self._field[1])
            self._field = None
        if but is None or self._combo is None or but.uid != self._combo[0].uid:
            self._combo = None
        return steps

    def _before(self, gesture: Gesture) -> Moment:
        """What was there when a gesture began."""
        before = self._timeline.before(gesture.began)
        if isinstance(gesture, Pointed) and gesture.managed and not _knows(before.tree, gesture.managed):
            # The window is newer than that.
            later = self._timeline.begun(gesture.began - SETTLED, gesture.ended + SETTLED)
            return next((one for one in later if _knows(one.tree, gesture.managed)), before)
        return before

    def _after(self, gesture: Gesture, until: float) -> Moment:
        """What a gesture led to, as seen before the next one began if possible."""
        seen = self._timeline.between(gesture.ended, until)
        if seen:
            return seen[-1]
        later = self._timeline.between(gesture.ended, float("inf"))
        return later[0] if later else self._timeline.last

    def _seen(self, gesture: Gesture, until: float, wanted: object) -> Tree | None:
        """The first tree after a gesture for which something holds; None if it holds for none."""
        assert callable(wanted)
        # A program may take a moment, also if the next gesture has begun meanwhile.
        limit = max(until, gesture.ended + SETTLED) + SETTLED
        for moment in self._timeline.begun(gesture.began, limit):
            if wanted(moment.tree):
                return moment.tree
        return None


_LISTS = frozenset(("list", "list-box", "tab-list", "tab"))
_OPERATED = frozenset((*BUTTONS, *CHECKABLE, *ROWS, *NUMBERS, "radio", "tab"))
_WINDOWS = frozenset(("window", "dialog", "alert", "alert-dialog"))
_CHORDS = ("Control+", "Alt+", "Meta+", "F1", "F2", "F3", "F4", "F5", "F6", "F7", "F8", "F9")


def focused_in(tree: Tree) -> Node | None:
    """The element with the keyboard focus; None if only a window has it, or none."""
    found = tree.get(tree.focused) or next((node for node in reversed(tree.nodes) if node.focused), None)
    return None if found is None or found.parent is None else found


def _knows(tree: Tree, window: int) -> bool:
    """Whether a window of the display is one of a tree, which may not know the numbers of its windows."""
    numbers = {known.native_id for known in tree.windows if known.native_id}
    return not numbers or window in numbers


def _takes_text(node: Node) -> bool:
    return node.role in FIELDS or node.editable or node.role in ("spin-button", "date-picker", "input-time")


def _named(tree: Tree, named: Element) -> Node | None:
    return next(iter(parse(named.selector).find(tree, limit=1)), None)


def _chosen(tree: Tree, combo: Node) -> str | None:
    now = tree.get(combo.uid)
    return None if now is None else chosen(tree, now)


def _opens(node: Node, before: Tree, after: Tree) -> bool:
    """Whether an entry opens a menu."""
    if node.role == "menu" or node.expanded is not None:
        return True
    if any(below.role in MENU for below in before.children(node)):
        return True
    shown = {one.uid for one in before.nodes if one.role in MENU and one.visible and not one.offscreen}
    still = after.get(node.uid)
    new = any(
        one.role in MENU and one.visible and not one.offscreen and one.uid not in shown for one in after.nodes
    )
    return new and still is not None and still.visible


def _listed(before: Tree, after: Tree, node: Node) -> Step | None:
    """The step that selects an item of a list by its text, which also scrolls to it."""
    parent = before.parent(node)
    label = node.name or node.text
    now = after.get(node.uid)
    if node.role not in OPTIONS or parent is None or parent.role not in ("list", "list-box") or not label:
        return None
    if now is None or not now.selected:
        return None
    same = [each for each in before.children(parent) if (each.name or each.text) == label]
    return Step("select_option", element(before, parent), (label,)) if len(same) == 1 else None


def _inside(tree: Tree, node: Node, x: float, y: float) -> tuple[int, int]:
    """A point of the screen as a position in an element."""
    window = tree.window(tree.window_of(node).uid)
    scale = 1.0 if window is None else window.scale
    assert node.bounds is not None
    return round(x / scale - node.bounds.x), round(y / scale - node.bounds.y)


def _moved(before: Tree, after: Tree) -> bool:
    known = before.by_uid
    return any(
        node.uid in known and (was := known[node.uid]) is not node
        and (was.bounds != node.bounds or was.offscreen != node.offscreen)
        for node in after.nodes
    )  # fmt: skip
