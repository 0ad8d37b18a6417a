"""A locator: a way to find one element, used afresh at each call, and everything that can be done with it.

Making one looks at nothing. Each use finds the element again, waits until it is ready, and insists
on exactly one match; so a locator stays good while the user interface is rebuilt around it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

from ...model.errors import NotFound, OptionNotFound
from ...model.keys import modifier
from ...model.node import Image, Node, Rect
from ...model.operations import (
    Action,
    Click,
    ControlWindow,
    Done,
    Drag,
    Expand,
    Find,
    Focus,
    Get,
    Hover,
    Key,
    Press,
    ReadTree,
    Screenshot,
    Scroll,
    Select,
    SetChecked,
    SetValue,
    ShowMenu,
    TypeText,
    Wait,
    Waited,
)
from ...model.order import shown_text
from ...model.outline import cut_note
from ...model.reading import read, render
from ...model.selector import both, by_uid, chain, either, filtered, nth
from ...model.tree import Tree
from ..files import write_whole
from .finder import Finder

if TYPE_CHECKING:
    from .app import App

__tracebackhide__ = True  # pytest then shows the line of the test that failed, and nothing of ours below it

Position = tuple[float, float]
"""x and y in logical pixels, counted from the element's top left corner."""

COUNT_LIMIT = 100_000
"""How many matches are counted at most."""


class Locator(Finder):
    """One element of an app, named by a selector.

    In every method `timeout` is in seconds (None: the app's own), and `receipt=True` puts what
    changed in the user interface into the answer's `receipt`.
    """

    def __init__(self, app: App, selector: str) -> None:
        self.app = app
        self.selector = selector

    def __repr__(self) -> str:
        return f"<Locator {self.selector}>"

    def __str__(self) -> str:
        return self.selector

    # -- the mouse ---------------------------------------------------------------------------

    async def click(
        self,
        *,
        button: str = "left",
        count: int = 1,
        modifiers: str | Sequence[str] = (),
        position: Position | None = None,
        timeout: float | None = None,
        receipt: bool = False,
    ) -> Done:
        """Click where the element is meant to be clicked, or at `position` in it."""
        at = _at(position)
        return await self._act(
            Click, timeout, receipt, button=button, count=count, modifiers=_held(modifiers), **at
        )

    async def dblclick(
        self,
        *,
        button: str = "left",
        modifiers: str | Sequence[str] = (),
        position: Position | None = None,
        timeout: float | None = None,
        receipt: bool = False,
    ) -> Done:
        """Double-click."""
        at = _at(position)
        return await self._act(
            Click, timeout, receipt, button=button, count=2, modifiers=_held(modifiers), **at
        )

    async def right_click(
        self, *, position: Position | None = None, timeout: float | None = None, receipt: bool = False
    ) -> Done:
        """Click with the right button."""
        return await self._act(Click, timeout, receipt, button="right", **_at(position))

    async def hover(
        self, *, position: Position | None = None, timeout: float | None = None, receipt: bool = False
    ) -> Done:
        """Move the mouse over it."""
        return await self._act(Hover, timeout, receipt, **_at(position))

    async def drag_to(
        self,
        target: Locator,
        *,
        position: Position | None = None,
        target_position: Position | None = None,
        modifiers: str | Sequence[str] = (),
        steps: int = 10,
        timeout: float | None = None,
        receipt: bool = False,
    ) -> Done:
        """Drag it onto another element, with the left button."""
        to_x, to_y = target_position or (None, None)
        return await self._act(
            Drag,
            timeout,
            receipt,
            to=target.selector,
            to_x=to_x,
            to_y=to_y,
            modifiers=_held(modifiers),
            steps=steps,
            **_at(position),
        )

    # -- the keyboard ------------------------------------------------------------------------

    async def fill(self, text: str, *, timeout: float | None = None, receipt: bool = False) -> Done:
        """Replace its text with the keyboard, as a person would: the existing text is removed first."""
        return await self._act(TypeText, timeout, receipt, text=text, clear=True)

    async def type(
        self, text: str, *, submit: bool = False, timeout: float | None = None, receipt: bool = False
    ) -> Done:
        """Type at its caret, after the existing text; `submit` presses Enter at the end."""
        return await self._act(TypeText, timeout, receipt, text=text, submit=submit)

    async def clear(self, *, timeout: float | None = None, receipt: bool = False) -> Done:
        """Remove its text by the keyboard."""
        return await self._act(TypeText, timeout, receipt, clear=True)

    async def press(self, keys: str, *, timeout: float | None = None, receipt: bool = False) -> Done:
        """Give it the focus and press a chord, such as `Enter` or `ctrl+a`."""
        return await self._act(Key, timeout, receipt, keys=keys)

    async def focus(self, *, timeout: float | None = None, receipt: bool = False) -> Done:
        """Give it the keyboard focus."""
        return await self._act(Focus, timeout, receipt)

    # -- what it is for ----------------------------------------------------------------------

    async def activate(self, *, timeout: float | None = None, receipt: bool = False) -> Done:
        """Do what it is for without the mouse: push the button, follow the link, open the item."""
        return await self._act(Press, timeout, receipt)

    async def check(self, *, timeout: float | None = None, receipt: bool = False) -> Done:
        """Tick it; nothing happens if it is ticked already."""
        return await self.set_checked(True, timeout=timeout, receipt=receipt)

    async def uncheck(self, *, timeout: float | None = None, receipt: bool = False) -> Done:
        """Untick it; nothing happens if it is unticked already."""
        return await self.set_checked(False, timeout=timeout, receipt=receipt)

    async def set_checked(
        self, checked: bool, *, timeout: float | None = None, receipt: bool = False
    ) -> Done:
        """Tick or untick it."""
        return await self._act(SetChecked, timeout, receipt, checked=checked)

    async def select_option(
        self,
        value: str | None = None,
        *,
        index: int | None = None,
        text: str | None = None,
        column: int | None = None,
        extend: bool = False,
        timeout: float | None = None,
        receipt: bool = False,
    ) -> Done:
        """Choose an option of a combo box, list, table, tree or tab bar.

        Exactly one of `value`, `index` (from 0) and `text` says which. A `value` that no option has may be
        its text. `column` selects one cell of a table's row, and `extend` keeps what is selected already.
        """
        more: dict[str, Any] = {"column": column, "extend": extend}
        try:
            return await self._act(Select, timeout, receipt, value=value, index=index, text=text, **more)
        except OptionNotFound:
            if value is None:
                raise
        return await self._act(Select, timeout, receipt, text=value, **more)

    async def set_value(
        self, value: str | float, *, timeout: float | None = None, receipt: bool = False
    ) -> Done:
        """Replace its text or value at once, without the keyboard: text, slider, spin box, date."""
        return await self._act(SetValue, timeout, receipt, value=str(value))

    async def expand(self, *, timeout: float | None = None, receipt: bool = False) -> Done:
        """Open it: a tree item, a combo box, a menu."""
        return await self._act(Expand, timeout, receipt, expanded=True)

    async def collapse(self, *, timeout: float | None = None, receipt: bool = False) -> Done:
        """Close it: a tree item, a combo box, a menu."""
        return await self._act(Expand, timeout, receipt, expanded=False)

    async def show_menu(self, *, timeout: float | None = None, receipt: bool = False) -> Done:
        """Open its context menu."""
        return await self._act(ShowMenu, timeout, receipt)

    async def scroll(
        self, dy: float = 0, dx: float = 0, *, timeout: float | None = None, receipt: bool = False
    ) -> Done:
        """Turn the wheel over it: `dy` notches down, `dx` to the right; negative the other way."""
        return await self._act(Scroll, timeout, receipt, dx=dx, dy=dy)

    async def scroll_into_view(self, *, timeout: float | None = None, receipt: bool = False) -> Done:
        """Scroll whatever it is in until it can be seen."""
        return await self._act(Scroll, timeout, receipt, into_view=True)

    async def scroll_to(
        self,
        *,
        row: int | None = None,
        text: str | None = None,
        timeout: float | None = None,
        receipt: bool = False,
    ) -> Done:
        """Scroll a list, table or tree until one of its rows can be seen, by its index or its text."""
        return await self._act(Scroll, timeout, receipt, row=row, text=text)

    async def control_window(
        self,
        do: str,
        *,
        x: float | None = None,
        y: float | None = None,
        width: float | None = None,
        height: float | None = None,
        timeout: float | None = None,
        receipt: bool = False,
    ) -> Done:
        """Focus, move, resize, minimize, maximize, restore or close the window it is in."""
        return await self._act(ControlWindow, timeout, receipt, do=do, x=x, y=y, width=width, height=height)

    # -- looking -----------------------------------------------------------------------------

    async def get(self, *, timeout: float | None = None) -> Node:
        """The element with all its details, once there is exactly one."""
        return await self.app.run(Get(self.selector, timeout=self.app.timeout_or(timeout)))

    async def text_content(self, *, timeout: float | None = None) -> str | None:
        """The text it shows: what a field holds; for one that shows none of its own, its name."""
        return shown_text(await self.get(timeout=timeout))

    async def input_value(self, *, timeout: float | None = None) -> str | None:
        """What it holds: its value, or else its text. A password is masked."""
        node = await self.get(timeout=timeout)
        return node.text if node.value is None else node.value

    async def name(self, *, timeout: float | None = None) -> str | None:
        """What a person calls it: its caption, the label beside it, its title."""
        return (await self.get(timeout=timeout)).name

    async def role(self, *, timeout: float | None = None) -> str:
        """What kind of element it is, such as `button`."""
        return (await self.get(timeout=timeout)).role

    async def bounds(self, *, timeout: float | None = None) -> Rect | None:
        """Where it is on the screen, in logical pixels."""
        return (await self.get(timeout=timeout)).bounds

    async def is_visible(self) -> bool:
        """Whether it is there and visible, now."""
        try:
            return (await self.get(timeout=0)).visible
        except NotFound:
            return False

    async def is_hidden(self) -> bool:
        """Whether it is not visible, or not there at all, now."""
        return not await self.is_visible()

    async def is_enabled(self, *, timeout: float | None = None) -> bool:
        """Whether it can be used."""
        return (await self.get(timeout=timeout)).enabled

    async def is_disabled(self, *, timeout: float | None = None) -> bool:
        """Whether it is there and cannot be used."""
        return not await self.is_enabled(timeout=timeout)

    async def is_editable(self, *, timeout: float | None = None) -> bool:
        """Whether its text or value can be changed."""
        node = await self.get(timeout=timeout)
        return node.editable and node.enabled

    async def is_checked(self, *, timeout: float | None = None) -> bool:
        """Whether it is ticked or switched on."""
        return bool((await self.get(timeout=timeout)).checked)

    async def is_selected(self, *, timeout: float | None = None) -> bool:
        """Whether it is the chosen one, or one of them."""
        return bool((await self.get(timeout=timeout)).selected)

    async def is_focused(self, *, timeout: float | None = None) -> bool:
        """Whether it has the keyboard focus."""
        return (await self.get(timeout=timeout)).focused

    async def count(self) -> int:
        """How many elements match, now."""
        return len(await self.app.run(Find(self.selector, limit=COUNT_LIMIT)))

    async def nodes(self, *, limit: int = 100) -> tuple[Node, ...]:
        """The elements that match, now, in document order."""
        return await self.app.run(Find(self.selector, limit=limit))

    async def all(self, *, limit: int = 100) -> list[Locator]:
        """A locator for each element that matches now. Each stays with its element, not its place."""
        return [Locator(self.app, by_uid(node.uid)) for node in await self.nodes(limit=limit)]

    async def all_text_contents(self, *, limit: int = 100) -> list[str]:
        """The text of each element that matches now; for one that shows none of its own, its name."""
        return [shown_text(node) or "" for node in await self.nodes(limit=limit)]

    async def tree(self, *, depth: int | None = None, internals: bool = False) -> Tree:
        """The element and what is in it."""
        snapshot = await self.app.run(ReadTree(self.selector, depth=depth, internals=internals))
        assert snapshot.tree is not None
        return snapshot.tree

    async def tree_snapshot(self, *, timeout: float | None = None) -> str:
        """The element and what is in it, as text that `to_match_tree` takes."""
        node = await self.get(timeout=timeout)
        tree = await Locator(self.app, by_uid(node.uid)).tree()
        return render(read(tree), cut_note(tree))

    async def screenshot(
        self, path: str | PathLike[str] | None = None, *, timeout: float | None = None
    ) -> Image:
        """Take a screenshot of it; with `path` it is also written there as PNG."""
        image = await self.app.run(Screenshot(self.selector, timeout=self.app.timeout_or(timeout)))
        if path is not None:
            write_whole(path, image.png)
        return image

    # -- waiting -----------------------------------------------------------------------------

    async def wait_for(self, state: str = "visible", *, timeout: float | None = None) -> Waited:
        """Wait until it is in a state: visible, hidden, exists, gone, enabled, disabled, focused, …"""
        return await self.app.run(Wait(self.selector, state=state, timeout=self.app.timeout_or(timeout)))

    # -- choosing among matches ----------------------------------------------------------------

    def locator(self, selector: str) -> Locator:
        """What matches a selector inside of this element."""
        return Locator(self.app, chain(self.selector, selector))

    @property
    def first(self) -> Locator:
        """The first of the elements that match."""
        return self.nth(0)

    @property
    def last(self) -> Locator:
        """The last of the elements that match."""
        return self.nth(-1)

    def nth(self, index: int) -> Locator:
        """One of the elements that match, counted from 0; from the end if negative."""
        return Locator(self.app, nth(self.selector, index))

    def filter(
        self,
        *,
        has_text: str | re.Pattern[str] | None = None,
        has_not_text: str | re.Pattern[str] | None = None,
        has: Locator | None = None,
        has_not: Locator | None = None,
        visible: bool | None = None,
    ) -> Locator:
        """Those of the elements that have, or do not have, a text or another element in them."""
        narrowed = filtered(
            self.selector,
            has_text=has_text,
            has_not_text=has_not_text,
            has=None if has is None else has.selector,
            has_not=None if has_not is None else has_not.selector,
            visible=visible,
        )
        return Locator(self.app, narrowed)

    def or_(self, other: Locator) -> Locator:
        """What this locator finds, or the other."""
        return Locator(self.app, either(self.selector, other.selector))

    def and_(self, other: Locator) -> Locator:
        """What both this locator and the other find."""
        return Locator(self.app, both(self.selector, other.selector))

    async def _act(
        self, kind: Callable[..., Action], timeout: float | None, receipt: bool, **fields: Any
    ) -> Done:
        limit = self.app.timeout_or(timeout)
        return await self.app.run(kind(target=self.selector, timeout=limit, receipt=receipt, **fields))


def _held(modifiers: str | Sequence[str]) -> tuple[str, ...]:
    """The keys to hold, also by the names that `press` knows."""
    names = (modifiers,) if isinstance(modifiers, str) else modifiers
    return tuple(modifier(name) or name for name in names)


def _at(position: Position | None) -> dict[str, float]:
    return {} if position is None else {"x": position[0], "y": position[1]}
