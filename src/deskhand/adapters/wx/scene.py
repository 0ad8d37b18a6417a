"""All windows of one top-level window, and how to see quickly which of them are other than before.

What every window has is read by columns: `map` of one unbound getter over them, which is several times as
fast as asking each by attribute. Columns are compared with those of the read before. They are read and
compared a few windows at a time, because fetching the memory of many takes longer than the calls.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from operator import ne
from typing import Any

import wx

from ...model.node import Node
from . import parts
from .handles import Known, Registry
from .kinds import DRAWN_BOOKS, Kind, own

_EVERY: tuple[Callable[[Any], Any], ...] = (
    # As pairs of numbers: to make and to compare a wx.Rect takes half as long again as both.
    wx.Window.DoGetPosition,
    wx.Window.DoGetSize,
    wx.Window.IsShown,
    wx.Window.IsThisEnabled,
    wx.Window.GetName,
    wx.Window.GetToolTipText,
)
_AT_ONCE = 48
"""How many windows are read at a time."""
_OWN_WAYS = (wx.Frame, wx.BookCtrlBase, wx.CollapsiblePane)
_SETTLED = 0.3
"""GTK lays out some time after wx has said where things are; seconds."""


class Block:
    """The windows directly in another one, and their nodes as they were read last."""

    __slots__ = (
        "around", "below", "children", "first", "key", "knowns", "moved", "nodes", "plain", "stale", "whole",
        "wide",
    )  # fmt: skip

    def __init__(self, children: list[Any], knowns: list[Known]) -> None:
        self.children = children
        self.knowns = knowns
        self.wide = any(not known.kind.leaf or known.kind.parts is not None for known in knowns)
        """Whether some have something inside."""
        self.key: Any = None
        """What the nodes depend on in addition to the windows themselves."""
        self.stale = True
        """Whether a window is other than its node says."""
        self.nodes: list[Node] = []
        self.first: tuple[Any, int, int] | None = None
        """The first window that is shown, and where it is in the one around it."""
        self.around: Block | None = None
        """The block that the window is in whose windows these are."""
        self.plain = False
        """Whether nothing inside draws parts or places its windows in a way of its own."""
        self.moved = time.monotonic()
        """When something changed last that may move these windows."""
        self.below: tuple[Any, list[Node]] | None = None
        """All nodes of these windows and of those in them, and the place that they depend on; None unless
        they are known to be unchanged."""
        self.whole: tuple[Node, tuple[int, int, int, int], list[Node]] | None = None
        """The same with the window itself in front, its node in the block that it is in, and what could be
        seen of that one. Holds only as long as `below` does."""

    @property
    def is_settled(self) -> bool:
        """Whether nothing has changed for so long that GTK has put everything in its place."""
        return time.monotonic() - self.moved > _SETTLED

    def change(self, now: float) -> None:
        """A window is other than its node says."""
        self.stale = True
        self.first = None
        self.moved = now
        block: Block | None = self
        while block is not None:
            block.below = None
            block = block.around

    def move(self, now: float) -> None:
        """The window that these are in is another, so they and those in them may be elsewhere."""
        self.moved = now
        self.below = self.first = None
        for known in self.knowns:
            if known.block is not None:
                known.block.move(now)


def windows_in(registry: Registry, known: Known, every: list[Any], internals: bool = False) -> list[Any]:
    """Those of the windows in a window that are elements, or parts of it if these are wanted."""
    if (known.kind.leaf or known.kind.whole) and not internals:
        return []
    know = registry.know
    children = [child for child in every if not know(child).top]
    if known.kind.parts in DRAWN_BOOKS and not internals:
        # Without what it draws its tabs in.
        pages = parts.current_page(known.window)[1]
        children = [child for child in children if child in pages]
    return children


class _Piece:
    """A few windows that are read together."""

    __slots__ = ("columns", "holders")

    def __init__(self) -> None:
        self.holders: list[tuple[Any, list[Any]]] = []
        """The windows that these are in, and all that are in each of those."""
        self.columns: dict[tuple[Kind | None, int], _Column] = {}
        """What all of the windows have, and what those of one kind have."""

    def __len__(self) -> int:
        return len(self.columns[None, 0].knowns) if self.columns else 0

    def add(self, known: Known) -> None:
        kind = known.kind
        own_getters: tuple[Callable[[Any], Any], ...] = ()
        if kind.read is not None:
            own_getters = kind.getters or (partial(own, kind),)
        for key, getters in ((None, _EVERY), (kind, own_getters)):
            for turn, getter in enumerate(getters):
                column = self.columns.get((key, turn))
                if column is None:
                    column = self.columns[key, turn] = _Column(getter)
                column.knowns.append(known)
                column.windows.append(known.window)


class _Column:
    """One getter, the windows that have it, and what it returned for each of them at the last read."""

    __slots__ = ("getter", "knowns", "values", "windows")

    def __init__(self, getter: Callable[[Any], Any]) -> None:
        self.getter = getter
        self.windows: list[Any] = []
        self.knowns: list[Known] = []
        self.values: list[Any] | None = None

    def refresh(self) -> None:
        before, now = self.values, list(map(self.getter, self.windows))
        if before != now:
            self.values = now
            if before is not None:
                _mark(itertools.compress(self.knowns, map(ne, before, now)))


class WindowContents:
    """The windows in a top-level window."""

    def __init__(self, registry: Registry, top: Known) -> None:
        self._pieces: list[_Piece] = []
        self._still: int | None = None
        piece = _Piece()
        for known, every, block in _blocks(registry, top):
            piece.holders.append((known.window, every))
            for each in block.knowns:
                each.above = known
                if len(piece) >= _AT_ONCE:
                    self._pieces.append(piece)
                    piece = _Piece()
                piece.add(each)
        self._pieces.append(piece)

    def refresh(self, still: int | None) -> bool:
        """Read everything, and mark the blocks in which something differs from the read before.

        False if there are other windows than before; then it has to be made anew. `still` is a number that is
        the same as at the last time if nothing can have changed; None if it may have.
        """
        if still is not None and still == self._still:
            return True
        for piece in self._pieces:
            # Only what those around confirm to be there may be asked anything.
            for window, inside in piece.holders:
                if list(window.GetChildren()) != inside:
                    return False
            for column in piece.columns.values():
                column.refresh()
        self._still = still
        return True


def _mark(changed: Iterable[Known]) -> None:
    """Mark the blocks of what differs."""
    now = time.monotonic()
    for known in changed:
        if known.above is not None and known.above.block is not None:
            known.above.block.change(now)
        if known.block is not None:
            known.block.move(now)


def _blocks(registry: Registry, known: Known) -> Iterator[tuple[Known, list[Any], Block]]:
    """A window, all windows in it, and those of them that are elements; then the same of each of those."""
    if known.kind.leaf or known.kind.whole:
        known.block = None
        return
    every = list(known.window.GetChildren())
    children = windows_in(registry, known, every)
    known.block = block = Block(children, [registry.know(child) for child in children])
    yield known, every, block
    block.plain = known.kind.parts is None and not isinstance(known.window, _OWN_WAYS)
    for child in block.knowns:
        yield from _blocks(registry, child)
        if child.block is not None:
            child.block.around = block
            block.plain = block.plain and child.block.plain
        block.plain = block.plain and child.kind.parts is None
