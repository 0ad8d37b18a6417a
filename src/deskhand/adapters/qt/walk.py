"""The widgets of a window as flat lists, in document order.

Children come in the order in which they were made, or which their parent says; Qt has them in the order in
which they are drawn, and that changes when one is raised.

Holds no widget: what is kept from read to read must not keep a window alive.
"""

from __future__ import annotations

import weakref
from collections import defaultdict
from operator import is_
from typing import Any

from .controls import Kind
from .handles import Known, Registry
from .inner import HIDDEN, LIFTED
from .look import Look, Tools

_native = weakref.ref.__call__


class Walk:
    """What is in one widget, not going into other windows."""

    def __init__(
        self,
        tools: Tools,
        registry: Registry,
        windows: set[int],
        *,
        depth: int | None = None,
        internals: bool = False,
    ) -> None:
        self._tools = tools
        self._registry = registry
        self._windows = windows
        self._depth = depth
        self._internals = internals
        self.knowns: list[Known] = []
        self.looks: list[Look] = []
        self.ups: list[int] = []
        """Of each widget, the number of the holder it is in. Holder 0 is what the walk began in."""
        self.holders: list[int] = [-1]
        """Of each holder, its index among the widgets."""
        self.counts: list[int] = [0]
        """Of each holder, how many elements are directly in it."""
        self._objects: list[list[Known]] = [[]]
        """Of each holder, all objects in it, widgets or not."""
        self.groups: defaultdict[Kind, list[int]] = defaultdict(list)
        self.leaves: list[int] = []
        """Those that have no widgets in them, and seldom get any."""
        self._hidden: list[tuple[Known, str]] = []
        """Inner parts that are left out, and their names, by some of which they are known as such."""
        self._stacks: list[tuple[Known, list[int], list[Known]]] = []

    def run(self, top: Any, above: Any) -> Walk:
        known = self._registry.know(top)
        above_known = None if above is None else self._registry.know(above)
        look = known.reader
        if look is None or look.above is not above_known:
            if above is not None:
                # All that is in there at once, so that each has its rank.
                self._children(above, self._registry.know(above))
                self._objects, self._stacks, self._hidden = [[]], [], []
            look = known.reader
            if look is None or look.above is not above_known:
                look = self._tools.look(top, known, above, above_known)
        if self._registry.anew:
            look = self._tools.look(top, known, above, above_known)
        self.counts[0] += 1
        self._enter(top, known, look, 0, 0)
        for at, look in enumerate(self.looks):
            self.groups[look.kind].append(at)
        return self

    def natives(self, windows: set[int]) -> list[Any] | None:
        """The widgets themselves; None if the walk is out of date.

        Whether a leaf has got widgets is for the caller to check, when it reads the leaf anyway.
        """
        if windows != self._windows:
            return None
        natives: list[Any] = list(map(_native, self.knowns))
        children_of, name_of = self._tools.children, self._tools.name
        for at, objects in zip(self.holders, self._objects, strict=True):
            if at >= 0:
                native = natives[at]
                children = () if native is None else children_of(native)
                if len(children) != len(objects) or not all(map(is_, children, map(_native, objects))):
                    return None
        for stack, order, pages in self._stacks:
            native = stack()
            if native is None or [self._tools.index_of(native, page()) for page in pages] != order:
                return None
        for hidden, name in self._hidden:
            native = hidden()
            if native is not None and name_of(native) != name:
                return None
        return natives

    def _enter(self, native: Any, known: Known, look: Look, up: int, level: int) -> None:
        """Take in a widget that others may be in, and those."""
        number = len(self.holders)
        self.holders.append(len(self.knowns))
        self.counts.append(0)
        self._add(known, look, up)
        below = level + 1
        deep_enough = self._depth is None or below <= self._depth
        for child, child_known, child_look in self._children(native, known):
            if child_look.inner == LIFTED and not self._internals:
                # What is in it is as deep as it would be without it.
                self._enter(child, child_known, child_look, number, level)
                continue
            self.counts[number] += 1
            if not deep_enough:
                continue
            if child_look.leaf and not self._tools.hold_widgets([child]):
                self._tools.keep_inside(child)
                self.leaves.append(len(self.knowns))
                self._add(child_known, child_look, number)
            else:
                self._enter(child, child_known, child_look, number, below)

    def _add(self, known: Known, look: Look, up: int) -> None:
        self.knowns.append(known)
        self.looks.append(look)
        self.ups.append(up)

    def _children(self, native: Any, known: Known) -> list[tuple[Any, Known, Look]]:
        registry, tools, windows, internals = self._registry, self._tools, self._windows, self._internals
        last = 0
        sorted_by_age = True
        found = []
        objects: list[Known] = []
        self._objects.append(objects)
        for child in tools.children(native):
            child_known = registry.know(child)
            objects.append(child_known)
            look = child_known.reader
            if look is None or look.above is not known or registry.anew:
                if look is tools.no_widget:
                    continue
                if not tools.is_widget(child):
                    child_known.reader = tools.no_widget
                    continue
                look = tools.look(child, child_known, native, known)
            elif look is not tools.no_widget and look.inner != tools.inner(child, child_known, native):
                look = tools.look(child, child_known, native, known)
            if id(child) in windows:
                continue
            if look.inner == HIDDEN and not internals:
                if look is not tools.no_widget:
                    self._hidden.append((child_known, tools.name(child)))
                continue
            if look.rank < last:
                sorted_by_age = False
            last = look.rank
            found.append((child, child_known, look))
        if isinstance(native, tools.ordered):
            found.sort(key=lambda entry: tools.index_of(native, entry[0]))
            order = [tools.index_of(native, entry[0]) for entry in found]
            self._stacks.append((known, order, [entry[1] for entry in found]))
        elif not sorted_by_age:
            found.sort(key=lambda entry: entry[2].rank)
        return found
