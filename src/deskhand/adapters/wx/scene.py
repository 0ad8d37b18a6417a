"""All windows of one top-level window, and how to see quickly which of them are other than before.

What every window has is read by columns: `map` of one unbound getter over all of them, which is several times
as fast as asking each by attribute. Columns are compared with those of the read before, as a whole.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from operator import ne
from typing import Any

import wx

from ...model.node import Node
from . import parts
from .handles import Known, Registry
from .kinds import Kind, own

_rect, _shown, _enabled = wx.Window.GetRect, wx.Window.IsShown, wx.Window.IsThisEnabled
_name, _tip = wx.Window.GetName, wx.Window.GetToolTipText
_OWN_WAYS = (wx.Frame, wx.BookCtrlBase, wx.CollapsiblePane)
_SETTLED = 0.3
"""GTK lays out some time after wx has said where things are; seconds."""


class Block:
    """The windows directly in another one, and their nodes as they were read last."""

    __slots__ = ("around", "below", "children", "key", "knowns", "nodes", "plain", "stale", "wide")

    def __init__(self, children: list[Any], knowns: list[Known]) -> None:
        self.children = children
        self.knowns = knowns
        self.wide = any(not known.kind.leaf or known.kind.parts is not None for known in knowns)
        """Whether some have something inside."""
        self.key: Any = None
        """What the nodes depend on besides the windows themselves."""
        self.stale = True
        """Whether a window is other than its node says."""
        self.nodes: list[Node] = []
        self.around: Block | None = None
        """The block that the window is in whose windows these are."""
        self.plain = False
        """Whether nothing inside draws parts or places its windows in a way of its own."""
        self.below: tuple[Any, list[Node]] | None = None
        """All nodes of these windows and of those in them, and the place that they depend on; None unless
        they are known to be as they were."""

    def change(self) -> None:
        """A window is other than its node says."""
        self.stale = True
        block: Block | None = self
        while block is not None:
            block.below = None
            block = block.around


def windows_in(registry: Registry, known: Known, every: list[Any], internals: bool = False) -> list[Any]:
    """Those of the windows in a window that are elements, or parts of it if these are wanted."""
    if (known.kind.leaf or known.kind.whole) and not internals:
        return []
    know = registry.know
    children = [child for child in every if not know(child).top]
    if known.kind.parts == "aui-tabs" and not internals:
        # Without what it draws its tabs in.
        pages = parts.current_page(known.window)[1]
        children = [child for child in children if child in pages]
    return children


class Scene:
    """The windows in a top-level window."""

    def __init__(self, registry: Registry, top: Known) -> None:
        self._holders: list[tuple[Any, list[Any]]] = []
        """The windows that have others inside, and these."""
        self._windows: list[Any] = []
        self._blocks: list[Block] = []
        """Of each window, the block that it is in."""
        self._columns: list[list[Any]] = []
        self._changed = time.monotonic()
        groups: dict[Kind, list[int]] = {}
        for known, block in _blocks(registry, top, self._holders):
            for each in block.knowns:
                each.above = known
                if each.kind.read is not None:
                    groups.setdefault(each.kind, []).append(len(self._windows))
                self._windows.append(each.window)
                self._blocks.append(block)
        self._groups = [
            (kind, [self._windows[at] for at in members], [self._blocks[at] for at in members])
            for kind, members in groups.items()
        ]

    def is_valid(self) -> bool:
        """Whether there are the same windows as before."""
        return all(list(window.GetChildren()) == inside for window, inside in self._holders)

    @property
    def is_quiet(self) -> bool:
        """Whether nothing has changed for so long that GTK has put everything in its place."""
        return time.monotonic() - self._changed > _SETTLED

    def refresh(self) -> None:
        """Read everything, and mark the blocks in which something is other than before."""
        windows = self._windows
        columns = [list(map(getter, windows)) for getter in (_rect, _shown, _enabled, _name, _tip)]
        blocks = [self._blocks] * len(columns)
        for kind, members, their_blocks in self._groups:
            if kind.getters:
                columns += [list(map(getter, members)) for getter in kind.getters]
                blocks += [their_blocks] * len(kind.getters)
            else:
                columns.append([own(kind, window) for window in members])
                blocks.append(their_blocks)
        for before, now, where in zip(self._columns, columns, blocks, strict=False):
            self._compare(before, now, where)
        self._columns = columns

    def _compare(self, before: list[Any], now: list[Any], where: list[Block]) -> None:
        """Mark the blocks of what differs."""
        if before != now:
            self._changed = time.monotonic()
            for block, differs in zip(where, map(ne, before, now), strict=True):
                if differs:
                    block.change()


def _blocks(
    registry: Registry, known: Known, holders: list[tuple[Any, list[Any]]]
) -> Iterator[tuple[Known, Block]]:
    if known.kind.leaf or known.kind.whole:
        known.block = None
        return
    every = list(known.window.GetChildren())
    holders.append((known.window, every))
    children = windows_in(registry, known, every)
    known.block = block = Block(children, [registry.know(child) for child in children])
    yield known, block
    block.plain = known.kind.parts is None and not isinstance(known.window, _OWN_WAYS)
    for child in block.knowns:
        yield from _blocks(registry, child, holders)
        if child.block is not None:
            child.block.around = block
            block.plain = block.plain and child.block.plain
        block.plain = block.plain and child.kind.parts is None
