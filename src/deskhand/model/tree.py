"""A whole user interface as it was at one moment: nodes in document order, and ways around in them.

Also where a node's path is made and resolved. The path of the main window is `root`; below it
each segment is the object name where that is unique among the siblings, else `Class[n]`, n
counting the siblings of the same class. Further windows are children of `root`.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import field
from operator import attrgetter, is_not

from .alike import alike, did_you_mean
from .errors import Ambiguous, NotFound, Stale
from .node import Node, Rect, Window
from .record import dataclass


@dataclass(frozen=True)
class Cut:
    """What was left out of a tree, and how to get it."""

    left_out: int
    reason: str
    at: tuple[str, ...] = ()
    """The uids below which something is missing (bounded)."""


def all_cuts(*cuts: Cut | None) -> Cut | None:
    """Several reasons why something is missing, as one; None if there is none."""
    there = [cut for cut in cuts if cut is not None]
    if len(there) < 2:
        return there[0] if there else None
    reason = "; ".join(dict.fromkeys(cut.reason for cut in there))
    return Cut(sum(cut.left_out for cut in there), reason, tuple(uid for cut in there for uid in cut.at))


@dataclass(eq=False)
class Tree:
    """Nodes in document order, each after its parent; windows with the main window first."""

    nodes: Sequence[Node]
    windows: tuple[Window, ...] = ()
    revision: int = 0
    captured_at: float = field(default_factory=time.time)
    focused: str | None = None
    cut: Cut | None = None
    _by_uid: dict[str, Node] | None = field(default=None, repr=False)
    _children: dict[str | None, list[Node]] | None = field(default=None, repr=False)
    _segments: dict[str, tuple[dict[str, Node], dict[str, str]]] = field(default_factory=dict, repr=False)

    def again(self, windows: tuple[Window, ...], focused: str | None, captured_at: float) -> Tree:
        """The same nodes as they were seen at another time, with what is known of how they hang together."""
        again = Tree(self.nodes, windows, captured_at=captured_at, focused=focused, cut=self.cut)
        again._by_uid, again._children, again._segments = self._by_uid, self._children, self._segments
        return again

    def __len__(self) -> int:
        return len(self.nodes)

    def __iter__(self) -> Iterator[Node]:
        return iter(self.nodes)

    def __str__(self) -> str:
        from .outline import outline  # which knows trees itself

        return outline(self)

    # -- ways around -------------------------------------------------------------------------

    @property
    def by_uid(self) -> dict[str, Node]:
        if self._by_uid is None:
            self._by_uid = {node.uid: node for node in self.nodes}
        return self._by_uid

    def get(self, uid: str | None) -> Node | None:
        return None if uid is None else self.by_uid.get(uid)

    @property
    def roots(self) -> list[Node]:
        """The top-level nodes: the windows, or the one node that a partial read began at."""
        return self._child_lists().get(None, [])

    def children(self, node: Node) -> list[Node]:
        return self._child_lists().get(node.uid, [])

    def parent(self, node: Node) -> Node | None:
        return self.get(node.parent)

    def ancestors(self, node: Node) -> Iterator[Node]:
        """From the parent up to the window."""
        above = self.parent(node)
        while above is not None:
            yield above
            above = self.parent(above)

    def descendants(self, node: Node) -> Iterator[Node]:
        """All below, in document order."""
        stack = [iter(self.children(node))]
        while stack:
            for child in stack[-1]:
                yield child
                stack.append(iter(self.children(child)))
                break
            else:
                stack.pop()

    def window_of(self, node: Node) -> Node:
        """The top-level node above, or itself."""
        for above in self.ancestors(node):
            node = above
        return node

    def window(self, uid: str) -> Window | None:
        return next((window for window in self.windows if window.uid == uid), None)

    def part(self, root: str | None, depth: int | None) -> Tree:
        """What is at and below one node, or below all windows, so deep; Stale if the node is not there."""
        if root is None and depth is None:
            return self
        if root is not None and self.get(root) is None:
            raise Stale(f"{root} is gone", target=f"uid={root}")
        levels: dict[str, int] = {}
        nodes = []
        for node in self.nodes:
            if node.uid == root or (root is None and node.parent is None):
                levels[node.uid] = 0
            elif node.parent in levels:
                levels[node.uid] = levels[node.parent] + 1
            if node.uid in levels and (depth is None or levels[node.uid] <= depth):
                nodes.append(node)
        return Tree(nodes, self.windows, focused=self.focused, cut=self.cut)

    def _child_lists(self) -> dict[str | None, list[Node]]:
        if self._children is None:
            known = self.by_uid
            lists: dict[str | None, list[Node]] = {}
            for node in self.nodes:
                above = node.parent if node.parent in known else None
                lists.setdefault(above, []).append(node)
            self._children = lists
        return self._children

    # -- bounds ------------------------------------------------------------------------------

    def bounds_in_parent(self, node: Node) -> Rect | None:
        """Relative to the parent; for a top-level node, on the screen."""
        above = self.parent(node)
        if node.bounds is None or above is None or above.bounds is None:
            return node.bounds
        return node.bounds.relative_to(above.bounds)

    def bounds_in_window(self, node: Node) -> Rect | None:
        """Relative to the window it is in."""
        window = self.window_of(node)
        if node.bounds is None or window.bounds is None:
            return node.bounds
        return node.bounds.relative_to(window.bounds)

    # -- paths -------------------------------------------------------------------------------

    @property
    def main(self) -> Node | None:
        """The main window, which is the root of all paths."""
        roots = self.roots
        return roots[0] if roots else None

    def path(self, node: Node) -> str:
        """The path of a node; `resolve` finds the same node by it."""
        segments: list[str] = []
        main = self.main
        while main is not None and node is not main:
            above = self.parent(node) or main
            segments.append(self._links(above)[1][node.uid])
            node = above
        return "/".join(["root", *reversed(segments)])

    def paths(self) -> Iterator[tuple[Node, str]]:
        """Every node with its path, in document order; cheaper than asking for each."""
        main = self.main
        known: dict[str, str] = {}
        for node in self.nodes:
            if node is main or main is None:
                path = "root"
            else:
                above = self.parent(node) or main
                path = f"{known[above.uid]}/{self._links(above)[1][node.uid]}"
            known[node.uid] = path
            yield node, path

    def path_children(self, node: Node) -> list[Node]:
        """The children as paths see them: further windows are children of the main one."""
        own = self.children(node)
        return [*own, *self.roots[1:]] if node is self.main else own

    def resolve(self, path: str) -> Node:
        """Find the node at a path, also a short one that leaves out levels if that is unique."""
        first, *segments = path.split("/")
        at = self.main
        if at is None or first != "root":
            raise self._not_found(path, "a path begins with 'root'" if first != "root" else None)
        for segment in segments:
            found = self._links(at)[0].get(segment) or self._below(at, segment, path)
            if found is None:
                raise self._not_found(path)
            at = found
        return at

    def similar(self, path: str, limit: int = 5) -> tuple[list[str], list[str]]:
        """Paths in the tree that look like this one; and some of what is where it stops being right."""
        by_last: dict[str, list[str]] = {}
        for _, known in self.paths():
            by_last.setdefault(known.rsplit("/", 1)[-1], []).append(known)
        close: list[str] = []
        for last in alike(path.rsplit("/", 1)[-1], by_last, limit):
            # Of those that end alike, the one that begins most like it.
            close.append(max(by_last[last], key=lambda known: _together(known, path)))
        beside = [known for known in self._beside(path) if known not in close]
        return close, beside[: limit - len(close)]

    def _beside(self, path: str) -> list[str]:
        """What is in the last place of the path that is there."""
        at = self.main
        for segment in path.split("/")[1:]:
            below = self._links(at)[0].get(segment) if at is not None else None
            if below is None:
                break
            at = below
        return [] if at is None else [self.path(child) for child in self.path_children(at)]

    def _links(self, above: Node) -> tuple[dict[str, Node], dict[str, str]]:
        """The children by segment, and their segments by uid."""
        links = self._segments.get(above.uid)
        if links is None:
            children = self.path_children(above)
            counts: Counter[str] = Counter()
            by_segment: dict[str, Node] = {}
            segment_of: dict[str, str] = {}
            for child in children:
                segment = f"{child.native_class}[{counts[child.native_class]}]"
                counts[child.native_class] += 1
                by_segment[segment] = child
                segment_of[child.uid] = segment
            names = Counter(own_name(child) for child in children)
            for child in children:
                name = own_name(child)
                if name is not None and names[name] == 1 and name not in by_segment:
                    by_segment[name] = child
                    segment_of[child.uid] = name
            links = self._segments[above.uid] = (by_segment, segment_of)
        return links

    def _below(self, at: Node, segment: str, path: str) -> Node | None:
        """The descendant of that name, however deep, if there is only one."""
        below = self.nodes if at is self.main else self.descendants(at)
        matches = [node for node in below if own_name(node) == segment and node is not at]
        if len(matches) > 1:
            raise Ambiguous(
                f"{len(matches)} elements named '{segment}' below {self.path(at)}",
                target=path,
                matches=tuple(self.path(node) for node in matches[:10]),
                suggestions=("use one of the full paths",),
            )
        return matches[0] if matches else None

    def _not_found(self, path: str, hint: str | None = None) -> NotFound:
        close, beside = self.similar(path)
        suggestions = did_you_mean(close[:1]) + ((hint,) if hint else ())
        return NotFound(
            f"nothing at path {path}", target=path, near=(*close, *beside), suggestions=suggestions
        )


def _together(path: str, other: str) -> int:
    """How many segments two paths have in common before they part."""
    pairs = zip(path.split("/"), other.split("/"), strict=False)
    return next((count for count, (here, there) in enumerate(pairs) if here != there), len(path))


def window_to_raise(windows: Sequence[Window], uid: str) -> Window | None:
    """The window with that uid, if it is to be brought to the front before it is used; None if not.

    A menu that is open would be closed by that, and a modal dialog has to stay in front.
    """
    others = [window for window in windows if window.uid != uid and window.showing]
    if any(window.kind not in _RAISED or window.modal for window in others):
        return None
    window = next((window for window in windows if window.uid == uid), None)
    return None if window is None or window.focused or window.kind not in _RAISED else window


_RAISED = frozenset(("regular", "dialog", "floating"))
"""Kinds of windows that can be brought to the front."""


def changes(before: Sequence[Node], now: Sequence[Node]) -> list[tuple[Node, Node]] | None:
    """The nodes that look different, each as it was and as it is; None if they hang together otherwise."""
    if before is now:
        return []
    if len(before) != len(now):
        return None
    # Adapters keep the nodes of what did not change, so most are the same objects.
    others = [(before[at], now[at]) for at, other in enumerate(map(is_not, before, now)) if other]
    found = [(was, node) for was, node in others if not was.same(node)]
    return None if any(_standing(was) != _standing(node) for was, node in found) else found


_standing = attrgetter("uid", "parent", "backend", "native_class", "role", "internal")
"""What the path of a node is made of, in any protocol."""


def own_name(node: Node) -> str | None:
    """The name a path may use; a slash in it would read as two segments."""
    name = node.object_name or node.automation_id
    return name if name and "/" not in name else None
