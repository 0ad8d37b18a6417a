"""Performs actions on items: through accessibility where that works, else by real input; and says which.

After each action the program gets the chance to react, so that the next look shows it in most cases; what
takes longer is for the engine to wait for.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from ...model import operations as ops
from ...model.errors import (
    ActionFailed,
    ActionUnsupported,
    NotEditable,
    NotFocusable,
    OptionNotFound,
    UiBusy,
)
from ...model.node import Node, Rect
from ...model.operations import Action
from . import build
from .bus import CallError, turn
from .display import Display
from .item import Item
from .keyboard import Input
from .live import Live
from .reader import TEXT_LIMIT, VIEWS, role_name
from .strategy import Facet
from .views import rows_of
from .vocabulary import (
    ACCESSIBLE,
    ACTION,
    COMPONENT,
    EDITABLE_TEXT,
    PROPERTIES,
    SELECTION,
    TABLE,
    TEXT,
    VALUE,
    Face,
    State,
)
from .windows import ON_WAYLAND, Windows, XWindow, need_display
from .wire import Method, Variant, path_field, unpack

Answer = Mapping[str, object]

_BY_ACCESSIBILITY = "through accessibility"
_BY_INPUT = "by real input"
_PRESS = (
    "click",
    "press",
    "activate",
    "invoke",
    "jump",
    "toggle",
    "check",
    "uncheck",
    "open",
    "select",
    "dodefault",
)
_CHOSEN_BY_PRESS = frozenset(("page tab", "menu item", "radio menu item", "list item"))
_NESTED = 0.3
"""How long an action may take before the program is asked whether it runs a dialog meanwhile, in seconds."""
_HELD = 0.3
"""How long a button stays down that accessibility pressed: GTK shows it for 250 ms, Qt for 100."""
_DOUBLE_CLICK = 0.5
"""Two clicks with more time than this between them are two clicks, in seconds."""
_ROWS_A_NOTCH = 3
_FAR = 1 << 20
_PAGES = 100
"""How many pages are looked through for something that does not say where it is."""
_REACT = 0.06
_QUIET = 0.02
"""How long no event comes when a program is done reacting, in seconds: more than a frame."""
_REACT_SLOW = 0.3
_EFFECT = 0.6
"""How long an effect is waited for before another way is tried, in seconds."""


class Performer:
    """Performs actions on the items of a desktop."""

    def __init__(self, live: Live, display: Display | None, windows: Windows | None) -> None:
        self._live = live
        self._display = display
        self._windows = windows
        self._input: Input | None = None
        self._pressed: tuple[Item | None, float] = (None, 0.0)
        self._matched: dict[Item, XWindow] = {}
        self._timeout = 5.0

    def close(self) -> None:
        if self._input is not None:
            self._input.close()

    def perform(
        self, action: Action, item: Item | None, to: Item | None, matched: dict[Item, XWindow], timeout: float
    ) -> Answer:
        """Do it; the answer has `detail`, and `selected` for a choice."""
        self._matched, self._timeout = matched, timeout
        if item is not None and item.node is None:
            # An event came since it was read.
            build.build(item.app, matched)
        match action:
            case ops.Click():
                return self._click(action, item)
            case ops.Hover():
                x, y = self._point(item, action.x, action.y)
                self._hands().move(x, y)
            case ops.MouseDown():
                x, y = self._point(item, action.x, action.y)
                self._front(item)
                self._hands().move(x, y)
                self._hands().press(action.button, action.modifiers)
            case ops.MouseUp():
                if item is not None or action.x is not None:
                    self._hands().move(*self._point(item, action.x, action.y))
                self._hands().release(action.button, action.modifiers)
            case ops.Drag():
                self._front(item)
                start = self._point(item, action.x, action.y)
                end = self._point(to, action.to_x, action.to_y)
                self._hands().drag(start, end, action.button, action.steps, action.modifiers)
            case ops.TypeText():
                return self._type(action, item)
            case ops.Key():
                hands = self._hands(item)
                if item is not None:
                    self._focus(item)
                hands.chord(action.keys)
            case ops.Scroll():
                return self._scroll(action, item)
            case ops.ControlWindow():
                return self._control(action, item)
            case _ if item is not None:
                return self._semantic(action, item)
            case _:
                raise ActionUnsupported(f"{ops.NAMES[type(action)]} needs a target")
        self._react(item)
        return {"detail": _BY_INPUT}

    def _semantic(self, action: Action, item: Item) -> Answer:
        match action:
            case ops.Press():
                return self._press(item)
            case ops.SetChecked(checked=checked):
                return self._check(item, checked)
            case ops.Expand(expanded=expanded):
                return self._expand(item, expanded)
            case ops.SetValue(value=value):
                return self._set_value(item, value)
            case ops.Select():
                return self._select(action, item)
            case ops.Focus():
                return {"detail": self._focus(item)}
            case ops.ShowMenu():
                return self._show_menu(item)
        raise ActionUnsupported(f"{ops.NAMES[type(action)]} is nothing that AT-SPI can do")

    # -- pressing ------------------------------------------------------------------------------

    def _press(self, item: Item) -> Answer:
        # Inside a dialog that an action opened, GTK puts further actions off until it is closed.
        inside = item.app.nested is not None and not item.app.nested and item.app.how.direct
        if inside and item.shown and not self._reached(item):
            raise _put_off(item)
        if _deaf(item) or (inside and item.shown):
            return self._click(ops.Click(), item)
        number = self._action(item, _PRESS, first=True) if item.has(Face.ACTION) else None
        if number is None:
            if self._display is None or item.node is None or item.node.bounds is None:
                raise ActionUnsupported(
                    f"{_said(item)} offers no action, and it cannot be clicked",
                    suggestions=("target the element around or inside it that does",),
                )
            return self._click(ops.Click(), item)
        windows = self._window_ids(item)
        answered = self._do(item, number)
        if not answered and item.app.how.direct and item.shown and windows == self._window_ids(item):
            if not self._reached(item):
                raise _put_off(item)
            # Fallback: in a dialog that runs a loop of its own, GTK puts actions off until it is closed.
            return self._click(ops.Click(), item)
        return {"detail": _BY_ACCESSIBILITY}

    def _window_ids(self, item: Item) -> set[object]:
        """What tells whether a window was opened or closed."""
        if self._windows is not None and self._reached(item):
            return {one.id for one in self._windows.all()}
        self._live.look(self._timeout, lambda app: app is item.app)
        return {window.path for window in item.app.windows}

    def _do(self, item: Item, number: int) -> bool:
        """Let an item do one of its actions; False if that opened a dialog and is still to be answered."""
        self._let_go(item)
        self._pressed = (item, time.monotonic())
        before = self._live.changes
        done = self._nested(item, ACTION, "DoAction", "i", number, reply="b")
        if done is False:
            raise ActionFailed(f"{_said(item)} refused its action number {number}")
        self._react(item, before)
        return done is not None

    def _let_go(self, item: Item | None) -> None:
        """Wait until a button that accessibility pressed is up again; until then it is deaf to everything."""
        pressed, since = self._pressed
        if pressed is item and item is not None:
            time.sleep(max(0.0, since + _HELD - time.monotonic()))

    def _check(self, item: Item, checked: bool) -> Answer:
        if item.node is None or item.node.checked is None:
            raise ActionUnsupported(f"{_said(item)} cannot be ticked")
        if item.node.checked == checked and not item.node.mixed:
            return {"detail": "it was so already"}
        answer = self._press(item)
        if self._becomes(item, State.CHECKED | State.PRESSED, checked):
            return answer
        return self._click(ops.Click(), item)

    def _expand(self, item: Item, expanded: bool) -> Answer:
        if item.states & State.EXPANDABLE and bool(item.states & State.EXPANDED) == expanded:
            return {"detail": "it was so already"}
        if item.has(Face.ACTION):
            number = self._action(
                item, ("expand or contract", "expand", "collapse", "toggle", *_PRESS), first=False
            )
            if number is not None:
                self._do(item, number)
                if not item.states & State.EXPANDABLE or self._becomes(item, State.EXPANDED, expanded):
                    return {"detail": _BY_ACCESSIBILITY}
        if item.app.how.clips:
            # A Qt cell has an action, but that selects it.
            self._click(ops.Click(), item)
        else:
            self._focus(item)
        self._hands(item).chord("right" if expanded else "left")
        self._react(item)
        return {"detail": _BY_INPUT}

    def _show_menu(self, item: Item) -> Answer:
        if item.has(Face.ACTION):
            number = self._action(item, ("showmenu", "show menu", "menu", "popup"), first=False)
            if number is not None:
                self._do(item, number)
                return {"detail": _BY_ACCESSIBILITY}
        return self._click(ops.Click(button="right"), item)

    def _action(self, item: Item, wanted: tuple[str, ...], *, first: bool) -> int | None:
        """The number of the best of the wanted actions; with `first`, else of any but to take the focus."""
        names = [name.lower().replace("_", " ") for name in self._action_names(item)]
        for name in wanted:
            if name in names:
                return names.index(name)
        if first:
            return next(
                (number for number, name in enumerate(names) if name not in ("setfocus", "showmenu")), None
            )
        return None

    def _action_names(self, item: Item) -> list[str]:
        count = self._get(item, ACTION, "NActions")
        names = []
        for number in range(min(int(count or 0), 20)):
            name = self._ask(item, ACTION, "GetName", "i", number, reply="s")
            names.append(str(name or ""))
        return names

    # -- pointer -------------------------------------------------------------------------------

    def _click(self, action: ops.Click, item: Item | None) -> Answer:
        if (
            item is not None
            and role_name(item).endswith("menu item")
            and (not item.shown or _misplaced(item))
            and action.button == "left"
        ):
            # The entry of a closed menu is nowhere; the program does the same when told to.
            return self._press(item)
        self._let_go(item)
        self._front(item)
        x, y = self._point(item, action.x, action.y)
        before = self._live.changes
        self._hands().click(x, y, action.button, action.count, action.modifiers)
        self._react(item, before)
        return {"detail": _BY_INPUT}

    def _point(self, item: Item | None, x: float | None, y: float | None) -> tuple[float, float]:
        need_display(self._display, item is None or item.app.placed)
        if item is None:
            if x is None or y is None:
                raise ActionUnsupported("neither a target nor a point on the screen was given")
            return x, y
        bounds = self._bounds(item)
        if x is not None or y is not None:
            return bounds.x + (x or 0), bounds.y + (y or 0)
        if role_name(item) in ("check box", "radio button") and bounds.width > 2 * bounds.height:
            # A click in the middle of a wide box misses what reacts to it.
            return bounds.x + bounds.height / 2, bounds.center[1]
        return bounds.center

    def _bounds(self, item: Item) -> Rect:
        self._live.refresh(item, Facet.EXTENTS, self._timeout)
        build.build(item.app, self._matched)
        node: Node | None = item.node
        if node is None or node.bounds is None or node.bounds.width <= 0:
            raise ActionFailed(
                f"{_said(item)} is nowhere on the screen", suggestions=("scroll it into view first",)
            )
        return node.bounds

    def _front(self, item: Item | None) -> None:
        """Bring the window of an item to the front, so that input reaches it and nothing else."""
        if item is None or self._windows is None:
            return
        window = self._matched.get(item.window)
        if window is not None:
            now = self._windows.find(window.id)
            if now is not None:
                self._windows.activate(now)

    def _hands(self, item: Item | None = None) -> Input:
        """The keyboard and the pointer, if they reach the program of that item."""
        display = need_display(self._display, item is None or item.app.placed)
        if self._input is None:
            self._input = Input(display)
        return self._input

    def _reached(self, item: Item) -> bool:
        """Whether real input reaches the program."""
        return self._display is not None and item.app.placed

    # -- keyboard and focus ----------------------------------------------------------------------

    def _type(self, action: ops.TypeText, item: Item | None) -> Answer:
        if item is not None and item.has(Face.EDITABLE) and not action.submit and not self._reached(item):
            return self._write(action, item)
        if item is not None:
            self._focus(item)
        hands = self._hands(item)
        if action.clear:
            hands.chord("ctrl+a")
            hands.chord("delete")
        before = self._live.changes
        hands.type(action.text, None if item is None else lambda: self._go_round(item))
        if action.submit:
            hands.chord("enter")
        self._react(item, before, _REACT_SLOW)
        return {"detail": _BY_INPUT}

    def _go_round(self, item: Item) -> None:
        """Return when the loop of a program came round, in which it also hears of what keys mean now."""
        for _ in range(2):
            self._ask(item.app.root, ACCESSIBLE, "GetRole", reply="u")

    def _write(self, action: ops.TypeText, item: Item) -> Answer:
        """Put a text into a field without a keyboard, where there is none."""
        before = self._live.changes
        text = action.text
        length = 0 if action.clear else int(self._get(item, TEXT, "CharacterCount") or 0)
        if length and role_name(item) == "password text":
            raise ActionUnsupported(
                f"what is in {_said(item)} is not told: without a keyboard, nothing can be added to it",
                suggestions=("replace it: fill, set-value",),
            )
        if length:
            # There is a call to insert, but toolkits disagree whether it counts bytes or characters.
            text = str(self._ask(item, TEXT, "GetText", "ii", 0, length, reply="s") or "") + text
        if not self._ask(item, EDITABLE_TEXT, "SetTextContents", "s", text, reply="b"):
            raise ActionFailed(f"{_said(item)} took no text through accessibility", suggestions=ON_WAYLAND)
        self._react(item, before)
        self._live.refresh(item, Facet.TEXT, self._timeout)
        return {"detail": _BY_ACCESSIBILITY}

    def _focus(self, item: Item) -> str:
        self._front(item)
        if self._is(item, State.FOCUSED):
            return "it was so already"
        if item.has(Face.COMPONENT) and item.app.how.showing:
            self._ask(item, COMPONENT, "GrabFocus", reply="b")
            if self._becomes(item, State.FOCUSED, True, 0.2):
                return _BY_ACCESSIBILITY
        if not item.states & State.FOCUSABLE:
            raise NotFocusable(f"{_said(item)} cannot take the focus")
        # Fallback: GTK 4 never takes the focus when asked to; a click there gives it to text fields.
        if role_name(item) in (
            "text",
            "entry",
            "password text",
            "spin button",
            "terminal",
            "document web",
            "paragraph",
        ):
            self._click(ops.Click(), item)
            return _BY_INPUT
        if not self._becomes(item, State.FOCUSED, True, 0.3):
            raise ActionFailed(f"{_said(item)} did not take the focus")
        return _BY_ACCESSIBILITY

    # -- values --------------------------------------------------------------------------------

    def _set_value(self, item: Item, value: str) -> Answer:
        node = item.node
        before = self._live.changes
        if item.has(Face.VALUE) and (number := _number(value)) is not None:
            return self._set_number(item, number)
        if item.has(Face.EDITABLE):
            if self._ask(item, EDITABLE_TEXT, "SetTextContents", "s", value, reply="b"):
                self._react(item, before)
                if role_name(item) == "password text" or self._holds(item, value):
                    return {"detail": _BY_ACCESSIBILITY}
            # Fallback: some programs say yes and do nothing; typing is what a person would do.
            self._type(ops.TypeText(text=value, clear=True), item)
            return {"detail": _BY_INPUT}
        if node is not None and node.options:
            return self._select(ops.Select(text=value), item)
        if role_name(item) in ("table cell", "tree item", "list item"):
            return self._edit_in_place(item, value)
        if node is not None and node.editable:
            self._type(ops.TypeText(text=value, clear=True), item)
            return {"detail": _BY_INPUT}
        raise NotEditable(f"{_said(item)} cannot be edited")

    def _set_number(self, item: Item, number: float) -> Answer:
        old = self._get(item, VALUE, "CurrentValue")
        before = self._live.changes
        self._set(item, VALUE, "CurrentValue", Variant("d", number))
        self._react(item, before)
        deadline = time.monotonic() + _EFFECT
        while (now := self._get(item, VALUE, "CurrentValue")) == old != number:
            if time.monotonic() > deadline:
                raise ActionFailed(
                    f"{_said(item)} stayed at {now:g} when it was set to {number:g} through accessibility",
                    suggestions=("focus it and press the arrow keys, or drag its handle",),
                )
            self._hear(0.02)
        self._live.refresh(item, Facet.VALUE, self._timeout)
        return {"detail": _BY_ACCESSIBILITY}

    def _holds(self, item: Item, text: str) -> bool:
        """Wait until an item has a text, of which only the beginning is read if it is long."""
        deadline = time.monotonic() + _EFFECT
        while True:
            self._live.refresh(item, Facet.TEXT, self._timeout)
            if item.text == text[:TEXT_LIMIT] and item.text_length in (None, len(text)):
                return True
            if time.monotonic() > deadline:
                return False
            self._hear(0.02)

    def _edit_in_place(self, item: Item, value: str) -> Answer:
        """Edit a cell as a person does: go to it, begin to edit, type, Enter."""
        hands = self._hands()
        self._front(item)
        item.app.focus = ""
        if not self._is(item, State.FOCUSED):
            self._click(ops.Click(), item)
        if not self._editor_opens(item, 0.0):
            hands.chord("f2")
            if not self._editor_opens(item, _DOUBLE_CLICK):
                # Fallback: where F2 means nothing, a click in what is selected does it.
                self._click(ops.Click(), item)
                if not self._editor_opens(item, _EFFECT):
                    raise NotEditable(f"{_said(item)} cannot be edited: no field to write in opened")
        hands.chord("ctrl+a")
        hands.type(value)
        hands.chord("enter")
        self._react(item, None, _REACT_SLOW)
        return {"detail": _BY_INPUT}

    def _editor_opens(self, cell: Item, timeout: float) -> bool:
        """Whether a field to write in takes the focus. Those of cells are seldom in the tree."""
        app = cell.app
        deadline = time.monotonic() + timeout
        while True:
            if app.focus and app.focus != cell.path:
                with self._live.lock, contextlib.suppress(CallError):
                    told = app.lane.ask(app.focus, ACCESSIBLE, "GetState", reply="au", timeout=self._timeout)
                    if told[0][0] & State.EDITABLE:
                        return True
            if time.monotonic() >= deadline:
                return False
            self._hear(0.02)

    # -- choosing ------------------------------------------------------------------------------

    def _select(self, action: ops.Select, item: Item) -> Answer:
        if item.role in VIEWS and (item.view is not None or action.column is not None):
            wanted = action.text if action.text is not None else action.value
            row = self._row_of(item, action.index, wanted)
            self._to_row(item, row)
            cell = self._cell(item, row, action.column or 0)
            if cell is None:
                raise ActionFailed(f"{_said(item)} has nothing in row {row}, column {action.column}")
            self._click(ops.Click(modifiers=("ctrl",) if action.extend else ()), cell)
            return {"detail": _BY_INPUT, "selected": {"index": row, "text": cell.name, "value": cell.name}}
        choices = build.choices(item) or self._opened(item)
        if not choices:
            if item.states & State.SELECTABLE:
                return self._select_item(item)
            choices = [kid for kid in item.kids if build.caption(kid)]
        names = [build.caption(choice) for choice in choices]
        index = action.index
        wanted = action.text if action.text is not None else action.value
        if wanted is not None:
            index = names.index(wanted) if wanted in names else None
        if index is None or not 0 <= index < len(choices):
            asked = repr(wanted) if wanted is not None else f"number {action.index}"
            raise OptionNotFound(
                f"no option {asked} in {_said(item)}",
                options=names[:100],
                near=tuple(get_close_matches(wanted or "", names, n=3)),
            )
        detail = self._choose(item, choices[index], index, action.extend)
        return {"detail": detail, "selected": {"index": index, "text": names[index], "value": names[index]}}

    def _opened(self, item: Item) -> list[Item]:
        """The choices of a combo box that has them only while it is open, as those of GTK 4."""
        if role_name(item) != "combo box" or item.app.how.showing:
            return []
        self._click(ops.Click(), item)
        deadline = time.monotonic() + _EFFECT
        found: list[Item] = []
        while not found and time.monotonic() < deadline:
            self._hear(0.02)
            self._live.look(self._timeout, lambda app: app is item.app)
            found = [choice for choice in build.choices(item) if build.caption(choice)]
        self._hands().chord("escape")
        self._react(item, None, _REACT_SLOW)
        return found

    def _choose(self, item: Item, choice: Item, index: int, extend: bool) -> str:
        before = self._live.changes
        # Qt marks what is selected this way, but does not make it the current one as a person does.
        if item.has(Face.SELECTION) and not (item.app.toolkit.lower() == "qt" and choice.shown):
            if not extend and role_name(item) not in ("combo box", "page tab list"):
                self._ask(item, SELECTION, "ClearSelection", reply="b")
            number = index if role_name(item) == "combo box" else _place(item, choice, index)
            if self._ask(item, SELECTION, "SelectChild", "i", number, reply="b"):
                self._react(item, before)
                if role_name(item) != "combo box" or self._shows(item, choice):
                    return _BY_ACCESSIBILITY
        if role_name(item) == "combo box":
            return self._choose_by_keys(item, choice, index)
        return str(self._select_item(choice)["detail"])

    def _choose_by_keys(self, item: Item, choice: Item, index: int) -> str:
        """Open a combo box as a person does, and go to an entry with the arrow keys, from the first on."""
        hands = self._hands()
        self._click(ops.Click(), item)
        hands.chord("home")
        for _ in range(index):
            hands.chord("down")
        hands.chord("enter")
        self._react(item, None, _REACT_SLOW)
        if not self._shows(item, choice):
            hands.chord("escape")
            raise ActionFailed(f"{_said(item)} did not take the choice '{choice.name}'")
        return _BY_INPUT

    def _shows(self, item: Item, choice: Item) -> bool:
        wanted = build.caption(choice)
        deadline = time.monotonic() + _EFFECT
        while True:
            if item.app.how.showing:
                self._live.refresh(item, Facet.NAME | Facet.TEXT, self._timeout)
                self._live.refresh(choice, Facet.STATES, self._timeout)
            else:
                self._live.look(self._timeout, lambda app: app is item.app)
            if wanted in (build.shown_in(item), item.text) or choice.states & State.SELECTED:
                return True
            if time.monotonic() > deadline:
                return False
            self._hear(0.02)

    def _select_item(self, item: Item) -> Answer:
        parent = item.parent
        real = item.app.toolkit.lower() == "qt" and item.shown and self._display is not None
        if parent is not None and parent.has(Face.SELECTION) and role_name(item) != "page tab" and not real:
            index = parent.kids.index(item) if item in parent.kids else -1
            if index >= 0 and len(parent.kids) == parent.child_count:
                self._ask(parent, SELECTION, "SelectChild", "i", index, reply="b")
                if self._becomes(item, State.SELECTED, True, 0.2):
                    return {"detail": _BY_ACCESSIBILITY}
        if not real and item.has(Face.ACTION) and role_name(item) in _CHOSEN_BY_PRESS:
            number = self._action(item, _PRESS, first=True)
            if number is not None:
                self._do(item, number)
                if self._becomes(item, State.SELECTED, True, 0.2) or role_name(item).endswith("menu item"):
                    return {"detail": _BY_ACCESSIBILITY}
        return self._click(ops.Click(), item)

    # -- scrolling -----------------------------------------------------------------------------

    def _scroll(self, action: ops.Scroll, item: Item | None) -> Answer:
        if item is not None and (action.row is not None or action.text is not None):
            return self._to_row(item, self._row_of(item, action.row, action.text))
        if action.into_view and item is not None:
            return self._into_view(item)
        x, y = self._point(item, None, None) if item is not None else self._middle()
        self._front(item)
        self._hands().wheel(x, y, action.dx, action.dy)
        self._react(item)
        return {"detail": _BY_INPUT}

    def _row_of(self, item: Item, row: int | None, text: str | None) -> int:
        """The number of the row that is asked for."""
        if not item.app.how.showing and not item.has(Face.TABLE) and role_name(item) == "tree table":
            raise ActionUnsupported(
                f"GTK 4 does not tell which rows {_said(item)} has, only those it made for the screen",
                suggestions=("scroll it by the wheel, and click on a cell that is there",),
            )
        rows = self._rows(item)
        if row is not None and 0 <= row < rows:
            return row
        if text is not None:
            names = rows_of(self._live, item, rows, self._timeout)
            if text in names:
                return names.index(text)
        asked = repr(text) if text is not None else f"number {row}"
        raise OptionNotFound(f"no row {asked} in {_said(item)}, which has {rows}", options=[])

    def _rows(self, item: Item) -> int:
        if item.view is not None:
            return item.view.rows
        return int(self._get(item, TABLE, "NRows") or 0) if item.has(Face.TABLE) else item.child_count

    def _cell(self, item: Item, row: int, column: int) -> Item | None:
        """The cell at a place, if it is known."""
        if item.view is not None:
            return item.view.cells.get((row, column))
        if item.has(Face.TABLE):
            found = self._ask(item, TABLE, "GetAccessibleAt", "ii", row, column, reply="(so)")
            return item.app.items.get(found[1]) if found else None
        return item.kids[row] if row < len(item.kids) else None

    def _to_row(self, item: Item, row: int) -> Answer:
        """Turn the wheel over a view until a row is on screen."""
        if item.view is None:
            cell = self._cell(item, row, 0)
            if cell is None:
                raise ActionFailed(f"{_said(item)} does not give its row {row}")
            return self._into_view(cell)
        self._front(item)
        if self._row_shows(item, row):
            return {"detail": "it was so already"}
        if self._row_by_bar(item, row):
            return {"detail": _BY_ACCESSIBILITY}
        deadline = time.monotonic() + self._timeout
        while time.monotonic() < deadline:
            view = item.view
            if view.first is None or view.last is None:
                break
            middle = (view.first + view.last) // 2
            notches = max(-300, min(300, round((row - middle) / _ROWS_A_NOTCH))) or (
                1 if row > middle else -1
            )
            x, y = self._bounds(item).center
            self._hands().wheel(x, y, 0, notches)
            if not self._view_moves(item, (view.first, view.last)):
                break
            if self._row_shows(item, row):
                return {"detail": _BY_INPUT}
        raise ActionFailed(f"row {row} of {_said(item)} did not come into view")

    def _row_shows(self, item: Item, row: int) -> bool:
        cell = self._cell(item, row, 0)
        return cell is not None and not self._away(cell)

    def _row_by_bar(self, item: Item, row: int) -> bool:
        """Set the scroll bar of a view so that a row is the first: as far down as that is among all rows."""
        view = item.view
        bar = next((one for one in self._bars(item) if one.value and one.value[2]), None)
        if bar is None or view is None or view.first is None or view.last is None:
            return False
        assert bar.value is not None
        below = max(1, view.rows - (view.last - view.first))
        top = bar.value[2] or 0.0
        self._set(bar, VALUE, "CurrentValue", Variant("d", float(round(min(top, row * top / below)))))
        self._view_moves(item, (view.first, view.last))
        return self._row_shows(item, row)

    def _bars(self, view: Item) -> list[Item]:
        """The vertical scroll bars of a view: inside it, or beside it in what scrolls it."""
        found: list[Item] = []
        for around in (view, view.parent):
            for one in around.kids if around is not None else []:
                inside = [one, *one.kids] if one.role not in VIEWS else []
                found += [bar for bar in inside if role_name(bar) == "scroll bar" and bar.has(Face.VALUE)]
        return [bar for bar in found if bar.extents is not None and bar.extents[3] > bar.extents[2]]

    def _view_moves(self, item: Item, before: tuple[int, int]) -> bool:
        """Wait until a view shows other rows than before, and has come to rest."""
        deadline = time.monotonic() + _EFFECT
        last = before
        while time.monotonic() < deadline:
            self._hear(0.02)
            self._live.refresh(item, Facet.KIDS, self._timeout)
            view = item.view
            now = (view.first or 0, view.last or 0) if view is not None else before
            if now == last and now != before:
                return True
            last = now
        return last != before

    def _middle(self) -> tuple[float, float]:
        window = next((one for one in self._matched.values() if one.active), None)
        if window is None:
            raise ActionUnsupported("neither a target nor an active window to scroll in")
        return window.bounds.center

    def _into_view(self, item: Item) -> Answer:
        if not self._away(item):
            return {"detail": "it was so already"}
        if item.has(Face.COMPONENT):
            self._ask(item, COMPONENT, "ScrollTo", "u", 6, reply="b")
            self._react(item)
            if not self._away(item):
                return {"detail": _BY_ACCESSIBILITY}
        view = item.parent
        while view is not None and not _scrolls(view, item):
            view = view.parent
        if view is not None and role_name(view) == "viewport" and view.parent is not None:
            view = view.parent  # which is as large as what can be seen of it
        if view is None:
            raise ActionFailed(f"{_said(item)} is out of view, and nothing around it scrolls")
        self._front(item)
        if self._by_scroll_bar(item, view):
            return {"detail": _BY_ACCESSIBILITY}
        area = self._bounds(view)
        x, y = area.center
        deadline = time.monotonic() + self._timeout / 2
        for turned in range(200):
            if time.monotonic() > deadline:
                break
            build.build(item.app, self._matched)
            place = item.extents
            step = 1.0
            if place is not None and place[3] > 0:
                top = place[1] + (item.node.bounds.y - place[1] if item.node and item.node.bounds else 0)
                step = 1.0 if top > area.y + area.height / 2 else -1.0
                far = abs(top - area.center[1]) / max(area.height, 1)
                step *= max(1.0, min(10.0, far * 4))
            else:
                step = 3.0 if turned < 100 else -3.0
            self._hands().wheel(x, y, 0, round(step))
            self._react(item, None, 0.03)
            if not self._away(item):
                return {"detail": _BY_INPUT}
        raise ActionFailed(f"{_said(item)} did not come into view")

    def _by_scroll_bar(self, item: Item, view: Item) -> bool:
        """Set the scroll bar of a view so that an item is in its middle; works where bars count pixels."""
        for bar in self._bars(view):
            # Asked for here, as what is out of view is otherwise left alone.
            inner, outer = (
                self._ask(one, COMPONENT, "GetExtents", "u", 0, reply="(iiii)") for one in (item, view)
            )
            now = self._get(bar, VALUE, "CurrentValue")
            top = self._get(bar, VALUE, "MaximumValue")
            if inner is None or outer is None or not isinstance(now, float) or not isinstance(top, float):
                continue
            if inner[1] > -_FAR:
                stops = [now + inner[1] + inner[3] / 2 - outer[1] - outer[3] / 2]
            else:
                # GTK 3 does not say where it is, so the bar goes down all the way until it shows.
                page = max(1.0, outer[3] * 0.8)
                stops = [page * number for number in range(min(_PAGES, int(top / page) + 2))]
            for stop in stops:
                self._set(bar, VALUE, "CurrentValue", Variant("d", max(0.0, min(top, stop))))
                self._react(item)
                if not self._away(item):
                    return True
        return False

    def _away(self, item: Item) -> bool:
        self._live.refresh(item, Facet.STATES | Facet.EXTENTS, self._timeout)
        self._live.look(self._timeout, lambda app: app is item.app)
        build.build(item.app, self._matched)
        if item.node is None or item.node.offscreen:
            return True
        return item.node.bounds is None and item.app.placed

    # -- windows -------------------------------------------------------------------------------

    def _control(self, action: ops.ControlWindow, item: Item | None) -> Answer:
        need_display(self._display, item is None or item.app.placed)
        assert self._windows is not None
        known = self._matched.get(item.window) if item is not None else None
        if item is None:
            known = next((one for one in self._windows.all() if one.active), None)
        window = None if known is None else self._windows.find(known.id)
        if window is None:
            raise ActionUnsupported(
                "the window manager does not know this window", target=_said(item) if item else ""
            )
        return {"detail": self._windows.control(window, action)}

    # -- conversation ----------------------------------------------------------------------------

    def _ask(
        self, item: Item, interface: str, member: str, signature: str = "", *values: Any, reply: str
    ) -> Any:
        """One call; None if the program refused it."""
        with self._live.lock:
            try:
                answer = item.app.lane.ask(
                    item.path, interface, member, signature, *values, reply=reply, timeout=self._timeout
                )
            except CallError as error:
                if error.name == "no answer":
                    raise UiBusy(f"{item.app.name}: {error}") from error
                return None
        return answer[0] if answer else None

    def _get(self, item: Item, interface: str, name: str) -> Any:
        return self._ask(item, PROPERTIES, "Get", "ss", interface, name, reply="v")

    def _set(self, item: Item, interface: str, name: str, value: Variant) -> None:
        self._ask(item, PROPERTIES, "Set", "ssv", interface, name, value, reply="")

    def _nested(
        self, item: Item, interface: str, member: str, signature: str, *values: Any, reply: str
    ) -> Any:
        """A call that may open a dialog and be answered only after that; None if so."""
        lane, side = self._live.action_lane(item.app), item.app.bus_lane
        answers: list[bytes | CallError] = []
        probes: list[bytes | CallError] = []
        deadline = time.monotonic() + self._timeout
        ask_again = time.monotonic() + _NESTED
        with self._live.lock:
            method = Method(lane.destination, interface, member, signature, *values)
            lane.call(item.field, method, _collect, answers)
            while not answers and lane.failed is None:
                now = time.monotonic()
                if now > ask_again:
                    ask_again = deadline
                    probe = Method(side.destination, ACCESSIBLE, "GetRole")
                    side.call(path_field(item.app.root.path), probe, _collect, probes)
                lane.fill()
                side.fill()
                if probes:
                    # It answers others: what the action opened has a loop of its own.
                    self._live.leave(item.app, lane, answers)
                    return None
                if now > deadline:
                    lane.fail(f"it did not answer within {self._timeout:g} s")
                    side.failed = lane.failed = None
                    raise UiBusy(f"{item.app.name} did not answer within {self._timeout:g} s")
                turn([lane.connection, side.connection], min(ask_again, deadline) - now)
        if not answers:
            return None  # the program ended by it
        if isinstance(answers[0], CallError):
            raise ActionFailed(f"{_said(item)}: {answers[0]}")
        return unpack(reply, answers[0])[0]

    def _is(self, item: Item, states: int) -> bool:
        self._live.refresh(item, Facet.STATES, self._timeout)
        return bool(item.states & states)

    def _becomes(self, item: Item, states: int, on: bool, timeout: float = _EFFECT) -> bool:
        """Wait until an item has one of the states, or none of them."""
        deadline = time.monotonic() + timeout
        while self._is(item, states) != on:
            if time.monotonic() > deadline:
                return False
            self._hear(0.02)
        return True

    def _react(self, item: Item | None, before: int | None = None, limit: float = _REACT) -> None:
        """Give the program the time to react: until events came and ended, or a moment passed."""
        before = self._live.changes if before is None else before
        if item is not None and item.app.toolkit.lower() in ("qt", "gtk") and not item.app.how.items:
            limit = max(limit, _REACT_SLOW if role_name(item).endswith("button") else limit)
        deadline = time.monotonic() + limit
        while self._live.changes == before and time.monotonic() < deadline:
            self._hear(0.005)
        quiet = time.monotonic() + _QUIET
        latest = quiet + _REACT_SLOW
        heard = self._live.changes
        while heard != before and time.monotonic() < min(quiet, latest):
            self._hear(_QUIET / 4)
            if self._live.changes != heard:
                heard, quiet = self._live.changes, time.monotonic() + _QUIET
        if item is not None and item.app.toolkit.lower() == "qt" and item.app.bus in self._live.apps:
            # Qt animates a button it is told to press; a second press within that time would be lost.
            deadline = time.monotonic() + _REACT_SLOW
            while self._is(item, State.PRESSED) and time.monotonic() < deadline:
                self._hear(0.01)

    def _hear(self, timeout: float) -> None:
        """Let events in for so long."""
        with self._live.lock:
            turn([self._live.connection], timeout)


def _collect(into: list[bytes | CallError], answer: bytes | CallError) -> None:
    into.append(answer)


def _misplaced(item: Item) -> bool:
    """Whether an entry is in an open menu of GTK 4, which tells a place for it where it is not."""
    return not item.app.how.showing and item.parent is not None and role_name(item.parent) != "menu bar"


def _deaf(item: Item) -> bool:
    """Whether an item's action is known to do nothing: check buttons and drop-downs of GTK 4."""
    return not item.app.how.showing and role_name(item) in (
        "check box",
        "radio button",
        "combo box",
        "toggle button",
    )


def _scrolls(view: Item, item: Item) -> bool:
    """Whether a view is what has to be scrolled for an item inside to be seen."""
    if role_name(view) in ("scroll pane", "viewport", "document web"):
        return True
    if not view.app.how.clips or view.extents is None or item.extents is None or view.extents[3] <= 0:
        return False
    return Rect(*view.extents).intersection(Rect(*item.extents)) is None


def _place(item: Item, choice: Item, index: int) -> int:
    return item.kids.index(choice) if choice in item.kids else index


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _put_off(item: Item) -> ActionUnsupported:
    return ActionUnsupported(
        f"{_said(item)} is in a dialog that an action opened, and GTK puts further actions off until that is "
        "closed; only real input reaches it, and there is none",
        suggestions=ON_WAYLAND[1:],
    )


def _said(item: Item) -> str:
    name = item.name or item.label
    return f"{role_name(item)} '{name}'" if name else f"{role_name(item)} {item.uid}"
